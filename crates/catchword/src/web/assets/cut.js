// One compaction: what the summary says wrongly, what the agent never got, what it got back, and the summary beside that.

import { ask } from "/ask.js";
import { compact, compactionAddress, count, h, lineOf, link, number, placeAddress, show, trouble, when } from "/element.js";
import { fourNumbers } from "/four.js";
import { countsOf, head, sessionPath, sessionTimeline } from "/session.js";
import { inline, prose } from "/prose.js";
import { rowElement } from "/conversation.js";

export async function compactionView([id, at]) {
  const [session, one] = await Promise.all([ask(sessionPath(id)), ask(`${sessionPath(id)}/compaction/${at}`)]);
  const context = { id, path: `${sessionPath(id)}/rows`, of: () => session };
  const chart = session.timeline ? sessionTimeline(session, { at: one.number, low: true }) : null;
  const to = (id) => (text) => h("a", { href: `#${id}`, onclick: jump }, text);
  const findings = one.findings || [];
  const claims = findings.filter((finding) => finding.summary_span);
  claims.forEach((finding, index) => { finding.note = index + 1; });
  const wrong = findings.filter((finding) => finding.kind !== "dropped").length;
  const told = new Set();
  const element = h("div", null,
    head(session, "", one.number),
    chart?.element,
    h("div", { class: "title-row" }, h("h2", { class: "large" }, `Compaction ${one.number} of ${one.of}`),
      h("nav", { class: "steps", "aria-label": "Other compactions" },
        one.number > 1 ? link(compactionAddress(id, one.number - 1), { rel: "prev" }, "← previous") : null,
        one.number < one.of ? link(compactionAddress(id, one.number + 1), { rel: "next" }, "next →") : null)),
    h("p", { class: "facts" },
      one.line === null ? null : h("span", null, "after ", link(placeAddress(id, one.line), { class: "place" }, `L${one.line}`)),
      h("span", null, one.trigger === "manual" ? "started by you" : "automatic"), when(one.begun_at),
      one.tokens_before ? h("span", null, `${compact(one.tokens_before)} → ${one.tokens_after ? compact(one.tokens_after) : "?"} tokens`) : null,
      h("span", null, delivery(one))),
    one.remark ? h("p", { class: "notice" }, one.remark) : null,
    fourNumbers(one, { kept: one.lines?.some((line) => line.kept) ? to("kept-title") : null, back: to("back-title"), arrived: to("back-title"), missing: one.lines ? to("lost-title") : null },
      wrong ? to("differences-title")(number(wrong)) : null),
    differences(context, findings),
    h("div", { class: "sides" },
      h("div", null, lost(context, one),
        h("section", { class: "side", "aria-labelledby": "back-title" }, h("h2", { id: "back-title", tabindex: -1 }, "What the agent got back"), handed(context, one)),
        kept(context, one)),
      h("details", { class: "side summary", open: window.innerWidth > 960 }, h("summary", null, h("h2", { id: "summary-title" }, "The summary")),
        h("p", { class: "quiet small" }, one.summary ? `${number([...one.summary].length)} characters, written by the model` : "Only the client can read it.",
          claims.length ? `; ${claims.length === 1 ? "one statement is" : `${claims.length} statements are`} marked` : ""),
        one.summary_broken ? h("p", { class: "bad" }, `Broken: ${one.summary_broken}`) : null,
        one.summary ? h("div", { class: "pane", tabindex: 0, role: "region", "aria-labelledby": "summary-title" }, prose(one.summary, claims.map((finding) => ({ from: finding.summary_span[0], to: finding.summary_span[1], around: (words) => claim(finding, words, told) })))) : null,
        one.cannot_tell ? h("p", { class: "quiet small" }, one.cannot_tell) : null)));
  const shown = async () => {
    const counts = chart && await countsOf(id).catch(() => null);
    if (counts) chart.set(session, counts);
  };
  return { title: `Compaction ${one.number}: ${session.title || ""}`, element, shown };
}

function delivery(one) {
  const again = one.resent ? ", sent twice" : "";
  if (one.arrived_by) return `the brief arrived, by the hook at ${one.arrived_by}${again}`;
  if (one.handed) return `the brief was not seen in the transcript yet${again}`;
  return one.seen_by_hook ? "nothing was handed back" : "catchword’s hooks did not run, so nothing was handed back";
}

/** A statement of the summary that the record contradicts, with the number of its note. */
function claim(finding, words, told) {
  // It may be cut by the end of a line, code or emphasis.
  const first = !told.has(finding);
  told.add(finding);
  return h("mark", { class: "claim", title: finding.verdict }, words,
    first ? h("a", { class: "note-link", href: `#difference-${finding.note}`, id: `claim-${finding.note}`, onclick: jump, "aria-label": `Difference ${finding.note}` }, finding.note) : null);
}

/** Notes and claims are on the same page: no address changes. */
function jump(event) {
  event.preventDefault();
  event.stopPropagation();
  const target = document.getElementById(event.currentTarget.getAttribute("href").slice(1));
  target?.closest("details")?.setAttribute("open", "");
  target?.scrollIntoView({ block: "center" });
  target?.focus({ preventScroll: true });
}

function differences(context, findings) {
  if (!findings.length) return null;
  const wrong = findings.filter((finding) => finding.kind !== "dropped").length;
  const part = (title, all) => (all.length ? [h("h3", null, title), h("ul", { class: "findings" }, all.map((finding) => difference(context, finding)))] : null);
  return h("section", { class: "side differences", "aria-labelledby": "differences-title" },
    h("h2", { id: "differences-title", tabindex: -1 }, wrong ? `Contradicted: ${count(wrong, "statement")} of the summary` : "What the summary does not mention"),
    part(wrong && wrong < findings.length ? "Said otherwise" : "", findings.filter((finding) => finding.kind !== "dropped")),
    part(wrong && wrong < findings.length ? "Not mentioned" : "", findings.filter((finding) => finding.kind === "dropped")));
}

function difference(context, finding) {
  const told = { brief: "in the brief", later: "told later", no: "not given back" }[finding.given_back];
  return h("li", { class: `finding ${finding.kind}`, id: finding.note ? `difference-${finding.note}` : null, tabindex: finding.note ? -1 : null },
    h("p", { class: "verdict" }, finding.note ? h("a", { class: "note-link", href: `#claim-${finding.note}`, onclick: jump, "aria-label": `Statement ${finding.note} in the summary` }, finding.note) : null,
      h("strong", null, finding.verdict), told ? h("span", { class: "quiet small" }, ` · ${told}`) : null),
    finding.summary_quote ? h("p", null, h("span", { class: "whose" }, "Summary"), h("q", null, finding.summary_quote)) : null,
    finding.kind === "invented" ? null : withSource(context, finding.place, h("p", null, h("span", { class: "whose" }, "Record"), h("q", null, finding.text))));
}

/** Head and reference as the agent got them. */
function handed(context, one) {
  if (!one.handed) return h("p", { class: "quiet" }, one.seen_by_hook ? "Nothing: the summary had it all." : "Nothing: catchword’s hooks did not run for this compaction.");
  const letters = [...one.handed.text].length;
  const arrived = one.handed.lines.filter((line) => line.arrived).length;
  const back = one.carried?.handed_back;
  const all = one.handed.lines.length;
  const parts = [["head", "Facts"], ["reference", "Quoted lines"]];
  return [
    h("p", { class: "quiet small" }, `${number(letters)} characters in ${count(all, "line")}, `,
      arrived === all ? h("span", { class: "ok" }, "all arrived") : `${number(arrived)} arrived`,
      back === undefined ? "" : `. Among them are the ${number(back)} counted above; the others say more than what was lost.`),
    parts.map(([part, title]) => {
      const lines = one.handed.lines.filter((line) => line.part === part);
      const headings = [...new Set(lines.map((line) => line.heading))];
      return lines.length ? [h("h3", null, title), headings.map((heading) => [
        h("h4", null, heading),
        list(context, lines.filter((line) => line.heading === heading), (line) => (line.arrived
          ? h("span", { class: "ok" }, h("span", { "aria-hidden": "true" }, "✓"), h("span", { class: "hidden" }, "arrived: "))
          : h("span", { class: "bad" }, h("span", { "aria-hidden": "true" }, "○"), h("span", { class: "hidden" }, "not seen: ")))),
      ])] : null;
    }),
    one.handed.told_later ? [h("h3", null, "Told later"), h("pre", { tabindex: 0 }, one.handed.told_later)] : null,
    h("details", { class: "verbatim" }, h("summary", null, "The exact text"), h("pre", { tabindex: 0 }, one.handed.text)),
  ];
}

const byHeading = (lines) => [...new Set(lines.map((line) => line.heading))].map((heading) => [heading, lines.filter((line) => line.heading === heading)]);

function lost(context, one) {
  const gone = (one.lines || []).filter((line) => !line.kept && !line.handed_back);
  if (!one.lines) return null;
  return h("div", { class: "below" },
    h("h2", { id: "lost-title", tabindex: -1 }, gone.length ? `Missing: ${count(gone.length, "line")}, neither in the summary nor handed back` : "Nothing is missing: what was lost came back"),
    byHeading(gone).map(([heading, lines]) => [h("h3", { class: "minor" }, heading), list(context, lines, () => h("span", { class: "bad", "aria-hidden": "true" }, "−"))]));
}

function kept(context, one) {
  const lines = (one.lines || []).filter((line) => line.kept);
  if (!lines.length) return null;
  return h("details", { class: "below" }, h("summary", { id: "kept-title" }, `Kept by the summary or the client: ${count(lines.length, "line")}`),
    byHeading(lines).map(([heading, some]) => [h("h3", { class: "minor" }, heading), list(context, some, () => h("span", { class: "ok", "aria-hidden": "true" }, "="))]));
}

function list(context, lines, mark) {
  return h("ul", { class: "lines" }, lines.map((line) => h("li", null, mark(line), withSource(context, line.place, h("div", { class: "text" }, placeless(line))))));
}

/** The words of a line: its place stands beside it. */
const placeless = ({ text, place }) => inline(place ? [` (${place})`, ` ${place}`].reduce((words, end) => (words.endsWith(end) ? words.slice(0, -end.length) : words), text) : text);

/** A text with the place it comes from: one click shows what stands there. */
function withSource(context, place, text) {
  if (!place) return text;
  const box = h("div", { class: "source", hidden: true });
  const button = h("button", { type: "button", class: "place", "aria-expanded": "false", "aria-label": `Source ${place}`, onclick: async () => {
    const open = box.hidden;
    box.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (!open || box.hasChildNodes()) return;
    show(box, h("p", { class: "quiet small" }, "…"));
    try {
      const at = lineOf(place);
      const answer = await ask(context.path, { from: at, to: at });
      const rows = answer.rows.filter((row) => lineOf(row.place) === at || lineOf(row.answer?.place) === at);
      const shown = (rows.length ? rows : answer.rows).map((row) => rowElement(context, row));
      show(box, shown.length ? shown : h("p", { class: "quiet" }, "Nothing of the conversation stands there."),
        h("p", { class: "small" }, link(placeAddress(context.id, at), null, "Open in the conversation")));
      if (shown.length === 1) box.querySelector("details")?.setAttribute("open", "");
    } catch (error) {
      show(box, trouble(error));
    }
  } }, place);
  return h("div", { class: "sourced" }, h("div", { class: "sourced-line" }, text, button), box);
}
