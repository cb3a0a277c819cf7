// A change as its lines: taken out, put in, and what both have.

import { h } from "/element.js";

/** Above this many lines on both sides nothing is compared: old above new. */
const COMPARED = 600;

export const isChange = (text) => /^[-+] ?/.test(text) && text.split("\n").every((line) => line === "" || /^[-+]( |$)/.test(line));

/** A text in which every line begins with `- ` or `+ `. */
export function change(text) {
  const lines = text.split("\n");
  const out = [];
  let at = 0;
  while (at < lines.length) {
    const old = take(lines, at, "-");
    const fresh = take(lines, at + old.length, "+");
    if (!old.length && !fresh.length) { at += 1; continue; }
    at += old.length + fresh.length;
    if (out.length) out.push(["gap", "⋯"]);
    out.push(...compared(old, fresh));
  }
  const added = out.filter(([sign]) => sign === "+").length;
  const gone = out.filter(([sign]) => sign === "-").length;
  return h("div", { class: "diff", role: "group", "aria-label": `${added} lines put in, ${gone} taken out` }, h("pre", { tabindex: 0 },
    out.map(([sign, line]) => h("span", { class: { "+": "plus", "-": "minus", gap: "gap" }[sign] },
      h("span", { class: "sign" }, sign === "gap" ? " " : sign), line || " "))));
}

function take(lines, from, sign) {
  const found = [];
  for (let at = from; at < lines.length && lines[at].startsWith(sign); at += 1) found.push(lines[at].slice(2));
  return found;
}

function compared(old, fresh) {
  if (!old.length || !fresh.length || old.length * fresh.length > COMPARED * COMPARED) {
    return [...old.map((line) => ["-", line]), ...fresh.map((line) => ["+", line])];
  }
  // The longest common subsequence, from the end.
  const width = fresh.length + 1;
  const best = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      best[i * width + j] = old[i] === fresh[j] ? best[(i + 1) * width + j + 1] + 1
        : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
    }
  }
  const out = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) { out.push([" ", old[i]]); i += 1; j += 1; }
    else if (j >= fresh.length || (i < old.length && best[(i + 1) * width + j] >= best[i * width + j + 1])) { out.push(["-", old[i]]); i += 1; }
    else { out.push(["+", fresh[j]]); j += 1; }
  }
  return out;
}
