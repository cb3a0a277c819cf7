// The conversation, loaded as it comes into view: a long session stays smooth, and a place opens where it stands.

import { ask } from "/ask.js";
import { clock, h, link, number, placeAddress, show, trouble } from "/element.js";

const CHUNK = 150;
const ROW = 34;
const AHEAD = "2500px";

const WHO = { person: "You", agent: "Agent", subagent: "Subagent", other: "Somebody else", client: "Client", hook: "catchword" };

/** `line` is the place to open. */
export function conversation(session, line) {
  const path = `session/${encodeURIComponent(session.id)}/rows`;
  const element = h("div", { class: "conversation" });
  let lines = 0;
  const chunks = [];
  const load = async (chunk) => {
    if (chunk.loading) return chunk.loading;
    chunk.loading = (async () => {
      try {
        const answer = await ask(path, { from: chunk.from, to: chunk.to });
        const cuts = session.timeline.compactions.filter((one) => one.line >= chunk.from && one.line <= chunk.to);
        show(chunk.element, rows(session, answer.rows, cuts, path));
        chunk.element.style.minHeight = "";
      } catch (error) {
        show(chunk.element, trouble(error));
        chunk.loading = null;
      }
    })();
    return chunk.loading;
  };
  const watch = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) if (isIntersecting) load(chunks[Number(target.dataset.chunk)]);
  }, { rootMargin: AHEAD });
  const grow = (newer) => {
    session = newer;
    const last = Math.max(newer.lines, ...newer.timeline.prompts.map((prompt) => Number(prompt.place.slice(1))), 1);
    const partial = chunks.at(-1);
    if (partial && lines < last && partial.to > lines) { partial.loading = null; load(partial); }
    for (let from = chunks.length * CHUNK + 1; from <= last; from += CHUNK) {
      const chunk = { from, to: from + CHUNK - 1, element: h("div", { class: "chunk", "data-chunk": chunks.length }) };
      chunk.element.style.minHeight = `${CHUNK * ROW}px`;
      chunks.push(chunk);
      element.append(chunk.element);
      watch.observe(chunk.element);
    }
    lines = last;
  };
  grow(session);
  const shown = async () => {
    if (!line) return;
    const chunk = chunks[Math.floor((line - 1) / CHUNK)];
    if (!chunk) return;
    await load(chunk);
    const items = [...chunk.element.querySelectorAll("[data-line]")];
    const item = items.findLast((one) => Number(one.dataset.line) <= line) || items[0];
    item?.classList.add("here");
    (item || chunk.element).scrollIntoView({ block: "center", behavior: "instant" });
  };
  return { element, grow, shown, leave: () => watch.disconnect() };
}

function rows(session, all, cuts, path) {
  const items = all.map((row) => [Number(row.place.slice(1)), item(session, row, path)]);
  for (const cut of cuts.filter((one) => one.number)) {
    const mark = h("div", { class: "item cut" }, link(`${placeAddress(session.id)}/compaction/${cut.number}`, null,
      `Compaction ${cut.number}: the conversation above was replaced by a summary`));
    items.push([cut.line + 0.5, mark]);
  }
  return items.sort((a, b) => a[0] - b[0]).map(([, element]) => element);
}

function item(session, row, path) {
  const at = Number(row.place.slice(1));
  const failed = row.answer && !row.answer.ok;
  const kind = row.who === "person" ? "person" : row.who;
  const words = row.who === "person" || (row.who === "agent" && !row.title) || row.who === "subagent" && !row.title;
  return h("article", { class: `item ${kind}${failed ? " failed" : ""}${row.who === "subagent" ? " inside" : ""}`, "data-line": at },
    link(placeAddress(session.id, at), { class: "place", title: clock(row.at) }, row.place),
    h("div", null, words ? spoken(row, path) : call(row, path)));
}

function spoken(row, path) {
  const body = h("div", { class: "words" }, row.line);
  if (row.characters > row.line.length) {
    const more = h("button", { type: "button", class: "small", onclick: async () => {
      const whole = await ask(path, { from: row.place.slice(1), to: row.place.slice(1), full: 1 });
      const found = whole.rows.find((one) => one.kind === row.kind) || whole.rows[0];
      body.textContent = found?.text || row.line;
      more.remove();
    } }, `Show all ${number(row.characters)} characters`);
    return [h("div", { class: "who" }, WHO[row.who] || row.kind), body, more];
  }
  return [h("div", { class: "who" }, WHO[row.who] || row.kind), body];
}

function call(row, path) {
  const summary = h("summary", null, `${row.kind ? `${row.kind} ` : ""}${row.line}`,
    row.answer ? h("span", { class: "quiet" }, row.answer.ok ? ` → ${row.answer.line}` : ` → failed: ${row.answer.line}`) : null);
  const details = h("details", { ontoggle: async () => {
    if (!details.open || details.dataset.full) return;
    details.dataset.full = "yes";
    const whole = await ask(path, { from: row.place.slice(1), to: row.place.slice(1), full: 1 }).catch(() => null);
    const found = whole?.rows.find((one) => one.line === row.line) || whole?.rows[0];
    if (found?.text) details.append(h("pre", { tabindex: 0 }, isDiff(found.text) ? diff(found.text) : found.text));
    if (found?.answer?.text) details.append(h("pre", { tabindex: 0 }, found.answer.text));
    if (!found?.text && !found?.answer?.text) details.append(h("p", { class: "quiet" }, "Nothing more was recorded."));
  } }, summary);
  return details;
}

const isDiff = (text) => /^(@@|[-+] |--- |\+\+\+ )/m.test(text) && /^[-+]/m.test(text);

function diff(text) {
  return h("span", { class: "diff" }, text.split("\n").map((line) =>
    h("span", { class: line.startsWith("+") ? "plus" : line.startsWith("-") ? "minus" : null }, line || " ")));
}
