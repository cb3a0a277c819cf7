// The conversation: words to read, calls in one line that open. All rows are known in short, so that scrolling waits for
// nothing; what is long is asked for when it is opened.

import { ask, exported } from "/ask.js";
import { change, isChange } from "/diff.js";
import { clock, compact, compactionAddress, count, h, lineOf, link, moment, number, placeAddress, say, show, trouble } from "/element.js";
import { longList } from "/rows.js";
import { prose } from "/prose.js";

/** Lines that are asked for first, around the place that is opened. */
const FIRST = 120;
/** Characters of a text that are shown at once. */
const SHOWN = 12000;
/** Rows of a subagent that are shown at once. */
const SUBAGENT = 200;

const WHO = { person: "You", agent: "Agent", subagent: "Subagent", other: "Somebody else", client: "Client", hook: "Hook" };
const KINDS = { "command, in the background": "background", "finished in the background": "finished", "beside a tool's answer": "beside",
  "queued, origin unknown": "queued", "from another agent": "message", "given by a hook": "hook" };
const FILTERS = {
  all: ["Everything", () => true],
  words: ["What was said", (row) => isWords(row)],
  person: ["What you said", (row) => row.who === "person"],
  changes: ["Changes", (row) => ["edit", "write"].includes(row.kind)],
  failed: ["What failed", (row) => row.answer && !row.answer.ok],
};

const isWords = (row) => ["person", "agent", "subagent"].includes(row.who) && row.text !== null && ["user", "agent", "plan", "question"].includes(row.kind);

/** Asks for the rows around the place that is opened: while the rest is read, there is something to read already. */
export function firstRows(id, line) {
  if (exported) return Promise.resolve(null);
  const from = Math.max(1, (line || 1) - FIRST / 2);
  return ask(`session/${encodeURIComponent(id)}/rows`, { from, to: from + FIRST }).catch(() => null);
}

/** `line` is the place to open, `first` the rows around it; `seen` is told which line is at the top of the window. */
export function conversation(session, line, first, seen) {
  const id = session.id;
  const path = `session/${encodeURIComponent(id)}/rows`;
  const wanted = { kind: "all", text: "" };
  let rows = [];
  let asked = null;
  let here = line;
  const draw = (item) => {
    if (item.cut) return cutMark(id, item.cut);
    const element = rowElement({ id, path, of: () => session }, item.row);
    if (here && item.line === here) element.classList.add("here");
    return element;
  };
  const list = longList({ build: draw, guess, moved: (item) => seen?.(item.line) });
  const counted = h("span", { class: "quiet small", role: "status" });
  const status = h("p", { class: "quiet waiting" }, "Reading the conversation …");

  const fitting = () => {
    const fits = FILTERS[wanted.kind][1];
    const words = wanted.text.toLowerCase();
    const has = (row) => !words || `${row.line} ${row.text || ""} ${row.answer?.line || ""}`.toLowerCase().includes(words);
    const items = rows.filter((item) => fits(item.row) && has(item.row));
    if (wanted.kind === "all" && !words) return withCuts(items, session);
    counted.textContent = count(items.length, "row");
    return items;
  };
  const refresh = () => {
    counted.textContent = "";
    list.set(fitting());
  };
  /** Rows as they came; those that are known stay the same objects, so that nothing that is shown is built anew. */
  const take = (answer) => {
    const known = new Map(rows.map((item) => [item.key, item]));
    const seen = new Map();
    rows = answer.rows.filter((row) => row.kind !== "bookkeeping").map((row) => {
      const place = `${row.place} ${row.answer?.place || ""} ${row.line}`;
      const twin = (seen.get(place) || 0) + 1;
      seen.set(place, twin);
      const key = `${place} ${twin}`;
      return known.get(key) || { key, line: lineOf(row.place), row };
    });
    status.remove();
    refresh();
  };

  const open = (at, { quietly } = {}) => {
    here = at;
    const items = list.items();
    let index = items.findLastIndex((item) => item.line <= at && !item.cut);
    // The answer of a call stands on a line of its own.
    const answered = items.findIndex((item) => item.row?.answer && lineOf(item.row.answer.place) === at);
    if (answered >= 0) index = answered;
    if (index < 0) index = 0;
    if (!items.length) return;
    list.element.querySelectorAll(".here").forEach((one) => one.classList.remove("here"));
    const found = list.reveal(index);
    found?.classList.add("here");
    if (!quietly) found?.querySelector("a.place")?.focus({ preventScroll: true });
  };

  const load = async () => {
    const around = await first;
    if (around) {
      take(around);
      if (line) open(line, { quietly: true });
    }
    asked = await ask(path);
    const before = topRow();
    take(asked);
    if (line && here === line) open(line, { quietly: true });
    else if (before) keepTop(before);
  };
  /** What stands at the top of the window, and how far down. */
  const topRow = () => {
    const found = [...list.element.querySelectorAll("[data-line]")].find((one) => one.getBoundingClientRect().bottom > 80);
    return found && found.getBoundingClientRect().top < window.innerHeight ? { line: Number(found.dataset.line), top: found.getBoundingClientRect().top } : null;
  };
  const keepTop = ({ line: at, top }) => {
    if (window.scrollY < 10) return;
    const index = list.items().findIndex((item) => item.line === at);
    const found = index >= 0 ? list.reveal(index) : null;
    if (found) window.scrollBy({ top: found.getBoundingClientRect().top - top, behavior: "instant" });
  };
  const ready = load().catch((error) => show(status, trouble(error)));

  const grow = async (newer) => {
    session = newer;
    const atEnd = window.innerHeight + window.scrollY > document.documentElement.scrollHeight - 120;
    const answer = await ask(path).catch(() => null);
    if (!answer || answer === asked) return;
    asked = answer;
    take(answer);
    if (atEnd) window.scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
    say(count(answer.rows.length, "row"));
  };

  /** More of the session is known: its compactions stand among the rows. */
  const knows = (newer) => {
    session = newer;
    const before = topRow();
    refresh();
    if (here && here === line) open(line, { quietly: true });
    else if (before) keepTop(before);
  };
  const bar = h("div", { class: "rows-bar" },
    h("label", { class: "hidden", for: "rows-kind" }, "Show"),
    h("select", { id: "rows-kind", onchange: (event) => { wanted.kind = event.target.value; refresh(); } },
      Object.entries(FILTERS).map(([name, [text]]) => h("option", { value: name }, text))),
    h("input", { type: "search", "aria-label": "Filter this conversation", placeholder: "Filter this conversation", autocomplete: "off",
      oninput: (event) => { wanted.text = event.target.value.trim(); refresh(); } }),
    counted);
  const element = h("section", { class: "conversation", "aria-label": "Conversation" }, bar, status, list.element);
  return { element, grow, knows, open, ready, shown: () => list.update(), leave: list.leave };
}

/** The compactions stand where they happened. */
function withCuts(items, session) {
  const cuts = (session.timeline?.compactions || []).filter((one) => one.number && one.line !== null);
  if (!cuts.length) return items;
  const out = [];
  let next = 0;
  for (const item of items) {
    while (next < cuts.length && cuts[next].line < item.line) out.push(cutItem(cuts[next++]));
    out.push(item);
  }
  while (next < cuts.length) out.push(cutItem(cuts[next++]));
  return out;
}

const cutItems = new WeakMap();
function cutItem(cut) {
  if (!cutItems.has(cut)) cutItems.set(cut, { key: `cut ${cut.number}`, line: cut.line, cut });
  return cutItems.get(cut);
}

/** The height of a row before it is built. */
function guess(item) {
  if (item.cut) return 64;
  if (!isWords(item.row)) return 31;
  const text = item.row.text || item.row.line;
  const columns = Math.max(30, Math.min(100, (window.innerWidth - 120) / 8));
  const lines = text.split("\n").reduce((sum, one) => sum + Math.max(1, Math.ceil(one.length / columns)), 0);
  return 52 + lines * 23;
}

function cutMark(id, cut) {
  return h("div", { class: "cut-row" }, link(compactionAddress(id, cut.number), null, `Compaction ${cut.number}`),
    h("span", null, " The conversation above was replaced by a summary."));
}

export function rowElement(context, row) {
  const failed = row.answer && !row.answer.ok;
  const words = isWords(row);
  const inside = row.who === "subagent" || context.subagent;
  const at = lineOf(row.place);
  const address = context.subagent ? null : placeAddress(context.id, at);
  return h("article", { class: `item ${row.who}${words ? " says" : ""}${failed ? " failed" : ""}${inside ? " inside" : ""}`, "data-line": at },
    address ? link(address, { class: "place", title: moment(row.at) }, row.place) : h("span", { class: "place" }, row.place),
    words ? spoken(context, row) : called(context, row));
}

function spoken(context, row) {
  const text = row.text || row.line;
  const body = h("div", null, prose(text));
  const fill = row.who === "person" ? fillAt(context.of?.(), lineOf(row.place)) : null;
  const isAgents = row.who === "agent" && row.kind === "agent";
  const head = h("div", { class: isAgents ? "hidden" : "who" }, row.kind === "plan" || row.kind === "question" ? `${WHO[row.who]}’s ${row.kind}` : WHO[row.who],
    h("span", { class: "quiet" }, clock(row.at)), fill ? h("span", { class: "quiet" }, `${compact(fill)} tokens in the context`) : null);
  const more = row.characters > [...text].length ? moreButton(context, row, body) : null;
  const answer = row.answer && ["plan", "question"].includes(row.kind) ? h("p", { class: "answer" }, row.answer.line) : null;
  return h("div", { class: "body" }, head, body, more, answer);
}

function moreButton(context, row, body) {
  return h("button", { type: "button", class: "small", onclick: async (event) => {
    const whole = await inFull(context, row).catch((error) => ({ text: error.message }));
    body.replaceChildren(prose(whole.text || row.line));
    event.target.remove();
  } }, `Show all ${number(row.characters)} characters`);
}

/** Tokens in the context when a row was written. */
function fillAt(session, line) {
  const fill = session?.timeline?.fill || [];
  const at = fill.findLastIndex((point) => point.line <= line);
  return at < 0 ? null : fill[at].tokens;
}

/** The row with its whole texts. */
async function inFull(context, row) {
  if (context.whole) return row;
  const at = lineOf(row.place);
  const answer = await ask(context.path, { from: at, to: at, full: 1, subagent: context.subagent });
  const same = answer.rows.filter((one) => one.place === row.place && one.kind === row.kind && one.line === row.line);
  return same[0] || row;
}

function called(context, row) {
  const answer = row.answer;
  // That a file was read or changed is no news; what it said is shown when it is opened.
  const isPlain = answer?.ok && ["read", "edit", "write", "new task", "task", "tasks"].includes(row.kind);
  const result = answer && !isPlain
    ? h("span", { class: answer.ok ? "result" : "result bad" }, h("span", { class: "hidden" }, answer.ok ? "answered: " : "failed: "),
      h("span", { "aria-hidden": "true" }, answer.ok ? "→ " : "✗ "), short(context, answer.line) || (answer.ok ? "no output" : "failed"))
    : null;
  const summary = h("summary", null,
    h("span", { class: "kind" }, KINDS[row.kind] || row.kind), h("span", { class: "line" }, short(context, row.line) || "…"), result);
  let filled = false;
  const details = h("details", { class: "body", ontoggle: async () => {
    if (!details.open || filled) return;
    filled = true;
    const box = h("div", { class: "opened" }, h("p", { class: "quiet small" }, "…"));
    details.append(box);
    try {
      show(box, opened(context, row, await inFull(context, row)));
    } catch (error) {
      show(box, trouble(error));
    }
  } }, summary);
  return details;
}

function opened(context, row, whole) {
  const parts = [];
  const title = whole.title || "";
  if (title && short(context, title) !== short(context, row.line)) parts.push(long(title));
  if (whole.text) parts.push(isChange(whole.text) ? change(whole.text) : row.kind === "subagent" || row.who === "hook" || row.kind === "summary" ? h("div", { class: "order" }, prose(whole.text)) : long(whole.text));
  if (row.subagent) parts.push(subagent(context, row));
  if (whole.answer?.text) parts.push(h("p", { class: "quiet small" }, `Result · ${whole.answer.place}${whole.answer.ok ? "" : " · failed"}`),
    row.kind === "subagent" ? h("div", { class: "order" }, prose(whole.answer.text)) : long(whole.answer.text));
  return parts.length ? parts : h("p", { class: "quiet small" }, "Nothing more was recorded.");
}

/** Without the folder of the project, which is the same in all rows. */
function short(context, line) {
  const { project, cwd } = context.of?.() || {};
  const folder = project || cwd;
  return folder && folder.length > 1 ? line.replaceAll(`${folder}/`, "") : line;
}

/** A text as it is; a very long one in two steps. */
function long(text) {
  const block = h("pre", { tabindex: 0 }, text.slice(0, SHOWN));
  if (text.length <= SHOWN) return block;
  const more = h("button", { type: "button", class: "small", onclick: () => { block.textContent = text; more.remove(); } },
    `Show all ${number(text.length)} characters`);
  return [block, more];
}

/** What a subagent did, inside the call that started it. */
function subagent(context, row) {
  const box = h("div", { class: "subagent" }, h("p", { class: "quiet small" }, "…"));
  const inside = { ...context, subagent: row.subagent };
  const load = async () => {
    const answer = await ask(context.path, { subagent: row.subagent });
    const rows = answer.rows.filter((one) => one.kind !== "bookkeeping");
    const list = h("div", null, rows.slice(0, SUBAGENT).map((one) => rowElement(inside, one)));
    const more = rows.length > SUBAGENT ? h("button", { type: "button", class: "small", onclick: () => {
      list.append(...rows.slice(SUBAGENT).map((one) => rowElement(inside, one)));
      more.remove();
    } }, `Show all ${number(rows.length)} rows`) : null;
    show(box, h("p", { class: "quiet small" }, `The subagent: ${count(rows.length, "row")}`), list, more);
  };
  load().catch((error) => show(box, trouble(error)));
  return box;
}
