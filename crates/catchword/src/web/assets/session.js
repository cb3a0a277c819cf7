// One session: the timeline, the compactions, the conversation.

import { ask, exported, note } from "/ask.js";
import { compact, compactionAddress, count, h, lineOf, link, moment, number, placeAddress, projectAddress, sessionsAddress, show, trouble } from "/element.js";
import { conversation, firstRows, rowElement } from "/conversation.js";
import { CONTRADICTED, PICKED, fourCells, fourNames } from "/four.js";
import { gauge, shortFolder, titleOf } from "/sessions.js";
import { timeline } from "/timeline.js";

const EVERY = 4000;

export const sessionPath = (id) => `session/${encodeURIComponent(id)}`;

/** The name of a session, and the ways to look at it; `at` is the compaction that is shown. */
export function head(session, current, at) {
  const tab = (name, address) => link(address, { "aria-current": name === current ? "page" : null }, name);
  const tokens = session.timeline?.tokens;
  const folder = session.project || session.cwd;
  const last = session.timeline ? Math.max(0, ...session.timeline.compactions.map((one) => one.number || 0)) : session.compactions;
  return h("header", { class: "head" },
    exported ? null : h("p", { class: "crumbs" }, link("/", null, "Sessions"), folder ? [" / ", link(sessionsAddress(folder), { title: folder }, shortFolder(folder))] : null,
      current === "Conversation" ? null : [" / ", link(placeAddress(session.id), null, "Session"), " / ", at ? `Compaction ${at}` : current]),
    h("h1", { class: current ? "clamped" : "clamped one", title: session.title }, titleOf(session)),
    h("p", { class: "facts" },
      h("span", null, session.client), session.branch ? h("span", { class: "branch" }, session.branch) : null,
      session.machine ? h("span", null, session.machine) : null, session.person ? h("span", null, session.person) : null,
      h("span", { class: ["working", "waiting", "silent", "interrupted"].includes(session.state) ? "live" : null }, session.state),
      session.unfinished && session.state === "ended" ? h("span", null, "unfinished") : null,
      session.open?.length ? h("span", { title: session.open.join("\n") }, `${number(session.open.length)} open`) : null,
      session.failing?.length ? h("span", { class: "failing", title: session.failing.join("\n") }, `${number(session.failing.length)} failing`) : null,
      h("span", null, moment(session.active_at)),
      h("span", null, count(session.timeline?.prompts.length ?? session.prompts, "prompt")), h("span", null, count(session.calls, "call")),
      session.timeline === undefined ? h("span", { "aria-hidden": "true" }, "…") : null,
      tokens?.input ? h("span", { title: "Tokens of all requests, cached ones included, and of all answers" }, `${compact(tokens.input)} tokens in, ${compact(tokens.output)} out`) : null,
      session.state === "ended" ? null : gauge(session.context)),
    h("nav", { class: "tabs", "aria-label": "Views of this session" },
      tab("Conversation", placeAddress(session.id)),
      at || last ? link(compactionAddress(session.id, at || last), { "aria-current": at ? "page" : null }, "Compactions") : null,
      tab("Rules", `${placeAddress(session.id)}/rules`), exported || !folder ? null : link(projectAddress(folder), null, "Project")));
}

/** What the timeline needs of a session; `counts` are the four numbers of each compaction, once known. */
function drawn(session, counts, { at, go, placed, low }) {
  const { fill, compactions } = session.timeline || { fill: [], compactions: [] };
  const lines = Math.max(session.lines, fill.at(-1)?.line || 0, ...compactions.map((one) => one.line || 0), 1);
  const cuts = compactions.filter((one) => one.number).map((one) => ({ number: one.number, line: one.line || 0,
    before: one.tokens_before, after: one.tokens_after, counts: counts?.get(one.number)?.carried }));
  return { fill, cuts, lines, limit: session.context?.threshold?.tokens, at, go, placed, low, reading: session.timeline === undefined, address: (cut) => compactionAddress(session.id, cut.number) };
}

/** The timeline, with numbers as soon as the summaries are compared. */
export function sessionTimeline(session, options = {}) {
  const chart = timeline(drawn(session, null, options));
  return { element: chart.element, set: (newer, counts) => chart.set(drawn(newer, counts, options)) };
}

/** Every compaction with its numbers, by its number. */
export const countsOf = async (id) => {
  const { compactions } = await ask(`${sessionPath(id)}/compactions`);
  return new Map(compactions.filter((one) => one.number).map((one) => [one.number, one]));
};

export async function sessionView([id, line]) {
  const at = Number(line) || null;
  // What the list knows is there at once; reading a long transcript takes a moment.
  const listed = await ask(exported ? sessionPath(id) : `${sessionPath(id)}/listed`, exported ? null : { line: at });
  if (listed.pieces) return elsewhere(id, at, listed);
  const first = firstRows(id, at);
  let session = exported ? listed : { ...listed, timeline: undefined };
  const contentsBox = h("div", null, contents(session));
  const talk = conversation(session, at, first, (top) => markCurrent(contentsBox, top));
  const go = (to) => { talk.open(to); history.replaceState(null, "", exported ? `#${placeAddress(id, to)}` : placeAddress(id, to)); };
  const chart = sessionTimeline(session, { go, placed: at });
  const chartBox = h("div", null, session.timeline === null || !(session.timeline || session.transcript_exists) ? null : chart.element);
  const table = h("div", null, cutsTable(session, null));
  const heading = h("div", null, head(session, "Conversation"));
  let counts = null;
  const compare = async () => {
    if (!session.timeline?.compactions.some((one) => one.number)) return;
    counts = await countsOf(id).catch(() => null);
    if (!counts) return;
    show(table, cutsTable(session, counts));
    chart.set(session, counts);
  };
  const fill = () => {
    show(heading, head(session, "Conversation"));
    show(contentsBox, contents(session));
    show(table, cutsTable(session, counts));
    if (session.timeline) chart.set(session, counts);
    else show(chartBox, h("p", { class: "notice" }, "The transcript of this session is not on this machine. This is what the history kept of it: long texts are cut, and files that were only read are missing."));
  };
  const read = async () => {
    if (!exported) session = await ask(sessionPath(id));
    fill();
    talk.knows(session);
    await compare();
  };
  const element = h("div", null, heading, chartBox, table,
    h("div", { class: "reading" }, contentsBox, talk.element), exported ? null : noteForm(session));
  const again = exported ? null : setInterval(async () => {
    if (document.hidden || !session.timeline) return;
    const newer = await ask(sessionPath(id)).catch(() => null);
    if (!newer?.timeline || newer === session) return;
    const cuts = session.timeline.compactions.length;
    const grown = newer.lines !== session.lines;
    session = newer;
    if (!grown) { show(heading, head(session, "Conversation")); return; }
    fill();
    if (cuts !== session.timeline.compactions.length) compare();
    await talk.grow(session);
  }, EVERY);
  const shown = () => { talk.shown(); read().catch((error) => show(chartBox, trouble(error))); };
  return { title: session.title || "Session", element, shown, leave: () => { clearInterval(again); talk.leave(); } };
}

/** A place in a session that only the shared archive has, with what stands around it. */
function elsewhere(id, at, found) {
  const rows = found.pieces.map((piece) => rowElement({ id, whole: true }, asRow(piece)));
  const here = rows.find((row) => Number(row.dataset.line) >= (at || 0));
  here?.classList.add("here");
  const element = h("div", null, h("header", { class: "head" }, h("p", { class: "crumbs" }, link("/", null, "Sessions")), h("h1", null, `Session ${id}`)),
    found.remarks.map((remark) => h("p", { class: "notice" }, remark)), rows);
  return { title: `Session ${id}`, element, shown: () => here?.scrollIntoView({ block: "center", behavior: "instant" }) };
}

const asRow = ({ what, title, ...piece }) => ({ ...piece, kind: what, title, line: (title || piece.text).split("\n")[0],
  answer: piece.answer && { ...piece.answer, line: piece.answer.text.split("\n")[0] } });

/** The compactions, one a row. */
function cutsTable(session, counts) {
  const guessed = Array.from({ length: session.compactions }, (_, index) => ({ number: index + 1, line: null, begun_at: null, trigger: "…" }));
  const all = session.timeline === undefined ? guessed : (session.timeline?.compactions || []).filter((one) => one.number);
  if (!all.length) return session.timeline !== null ? h("p", { class: "quiet never" }, "This session was never compacted.") : null;
  const row = (one) => {
    const compared = counts?.get(one.number);
    const differs = compared && compared.contradicted !== null ? compared.contradicted + compared.mutated + compared.invented : null;
    return h("tr", null,
      h("th", { scope: "row" }, link(compactionAddress(session.id, one.number), { "data-step": true, "aria-label": `Compaction ${one.number}` }, h("span", null, "Compaction "), one.number)),
      h("td", { class: "wide" }, one.line === null ? "" : link(placeAddress(session.id, one.line), { class: "place" }, `L${one.line}`)),
      h("td", { class: "wide" }, moment(one.begun_at)), h("td", { class: "wide" }, one.trigger === "auto" ? "automatic" : one.trigger),
      h("td", { class: "wide number" }, one.tokens_before ? `${compact(one.tokens_before)} → ${one.tokens_after ? compact(one.tokens_after) : "?"}` : ""),
      fourCells(compared, counts === null),
      h("td", { class: "number differs" }, counts === null ? "…" : differs ? h("span", { class: "wrong" }, number(differs)) : differs === 0 ? "0" : "–"));
  };
  return h("section", { class: "cuts" }, h("h2", { class: "hidden" }, "Compactions"), h("table", null,
    all.some((one) => counts === null || counts.get(one.number)?.carried)
      ? h("caption", { title: PICKED }, "Of the lines that catchword picked as worth keeping. Missing: neither in the summary nor handed back.") : null,
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "Compaction"), h("th", { scope: "col", class: "wide" }, "Place"),
      h("th", { scope: "col", class: "wide" }, "When"), h("th", { scope: "col", class: "wide" }, "Trigger"),
      h("th", { scope: "col", class: "wide number" }, "Tokens"), fourNames(),
      h("th", { scope: "col", class: "number", title: CONTRADICTED }, "Contra\u00addicted"))),
    h("tbody", null, all.map(row))));
}

/** The person's prompts and the compactions, in order. */
function contents(session) {
  const prompts = (session.timeline?.prompts || []).map((prompt) => ({ line: lineOf(prompt.place), prompt }));
  if (!prompts.length && !(session.timeline === undefined && session.prompts)) return null;
  const cuts = (session.timeline?.compactions || []).filter((one) => one.number).map((one) => ({ line: one.line || 0, cut: one }));
  const all = [...prompts, ...cuts].sort((a, b) => a.line - b.line);
  const items = h("ol", null, all.map(({ line, prompt, cut }) => (cut
    ? h("li", { class: "cut-mark" }, link(compactionAddress(session.id, cut.number), null, `Compaction ${cut.number}`))
    : h("li", null, link(placeAddress(session.id, line), { title: `${prompt.place} · ${moment(prompt.at)}`, "data-step": true, "data-at": line }, h("span", null, prompt.line || "…"))))));
  return h("nav", { class: "contents", "aria-label": "What you asked" },
    h("details", { open: window.innerWidth > 960 }, h("summary", null, `What you asked (${number(prompts.length || session.prompts)})`), items));
}

/** The prompt that the rows at the top of the window belong to. */
function markCurrent(list, top) {
  const all = [...list.querySelectorAll("[data-at]")];
  const current = all.findLast((one) => Number(one.dataset.at) <= top) || all[0];
  if (!current || current.hasAttribute("aria-current")) return;
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  current.setAttribute("aria-current", "location");
  const box = current.closest("nav");
  const [row, room] = [current.getBoundingClientRect(), box.getBoundingClientRect()];
  if (row.top < room.top || row.bottom > room.bottom) box.scrollTop += row.top - room.top - room.height / 3;
}

function noteForm(session) {
  const said = h("p", { class: "quiet small", role: "status" });
  const box = h("textarea", { id: "note", rows: 2, placeholder: "staging is read-only" });
  const send = async (event) => {
    event.preventDefault();
    if (!box.value.trim()) return;
    try {
      await note(session.id, box.value);
      box.value = "";
      said.textContent = "Kept: the agent gets it after each compaction.";
    } catch (error) {
      show(said, trouble(error));
    }
  };
  return h("form", { class: "note", onsubmit: send }, h("label", { for: "note" }, "Add a note that survives compactions"), box, h("button", { type: "submit" }, "Keep"), said);
}

