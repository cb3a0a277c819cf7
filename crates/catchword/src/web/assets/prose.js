// Words as people read them: headings, lists, code, emphasis. It reads a little Markdown and builds elements; whatever
// it does not know stays text.

import { h } from "/element.js";

const INLINE = /(`[^`\n]+`|\*\*[^*\n]+\*\*)/g;

/** The text, with `spans` marked: positions in characters, and what is put around them. */
export function prose(text, spans = []) {
  const marks = inUnits(text, spans);
  const out = [];
  let at = 0;
  let block = null;
  for (const line of text.split("\n")) {
    const fence = /^\s*(```|~~~)/.exec(line);
    const from = at;
    at += line.length + 1;
    if (block?.fence) {
      if (fence && line.trim() === block.fence) block = null;
      else block.add(line, from);
      continue;
    }
    if (fence) {
      block = open(out, marks, fence[1]);
      continue;
    }
    if (/^\s*\|.*\|\s*$/.test(line)) {
      block ||= open(out, marks, null);
      block.add(line, from);
      continue;
    }
    block = null;
    out.push(paragraph(line, from, marks));
  }
  return h("div", { class: "prose" }, out);
}

/** Lines that keep their columns. */
function open(out, marks, fence) {
  const element = h("pre", { tabindex: 0 });
  out.push(element);
  const add = (line, from) => element.append(...pieces(line, from, marks, false), "\n");
  return { fence, add };
}

function paragraph(line, from, marks) {
  if (!line.trim()) return h("div", { class: "gap" });
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) return h("hr");
  const heading = /^(#{1,6})\s+/.exec(line);
  if (heading) return h("div", { class: "heading" }, pieces(line.slice(heading[0].length), from + heading[0].length, marks, true));
  const item = /^(\s*)([-*•]|\d{1,3}[.)])\s+/.exec(line);
  if (!item) return h("div", null, pieces(line, from, marks, true));
  const depth = Math.min(Math.floor(item[1].replaceAll("\t", "  ").length / 2), 6);
  return h("div", { class: `point depth-${depth}` }, h("span", { class: "bullet" }, /\d/.test(item[2]) ? item[2] : "•"),
    h("span", null, pieces(line.slice(item[0].length), from + item[0].length, marks, true)));
}

/** One line: code and emphasis as elements. */
export const inline = (line) => pieces(line, 0, [], true);

/** Parts of a line that starts at `from`: code and emphasis as elements, cut where a mark begins or ends. */
function pieces(line, from, marks, inline) {
  const cuts = [];
  let at = 0;
  for (const part of inline ? line.split(INLINE) : [line]) {
    const kind = part.length > 2 && part.startsWith("`") && part.endsWith("`") ? "code"
      : part.length > 4 && part.startsWith("**") && part.endsWith("**") ? "strong" : null;
    const sign = kind === "code" ? 1 : kind ? 2 : 0;
    if (part) cuts.push({ kind: inline ? kind : null, from: from + at + (inline ? sign : 0), to: from + at + part.length - (inline ? sign : 0) });
    at += part.length;
  }
  return cuts.flatMap(({ kind, from: start, to: end }) => {
    const inside = marks.filter((mark) => mark.from < end && mark.to > start);
    const edges = [start, ...inside.flatMap((mark) => [mark.from, mark.to]).filter((edge) => edge > start && edge < end), end];
    const sorted = [...new Set(edges)].sort((a, b) => a - b);
    const parts = sorted.slice(1).map((edge, index) => {
      const words = line.slice(sorted[index] - from, edge - from);
      const mark = inside.find((one) => one.from <= sorted[index] && one.to >= edge);
      return mark ? mark.around(words) : words;
    });
    return kind ? [h(kind, null, parts)] : parts;
  });
}

/** Positions in characters as positions in the string. */
function inUnits(text, spans) {
  if (!spans.length) return [];
  const units = [0];
  let at = 0;
  for (const letter of text) units.push((at += letter.length));
  return spans.filter(({ from, to }) => from < to && to < units.length)
    .map((span) => ({ ...span, from: units[span.from], to: units[span.to] }));
}
