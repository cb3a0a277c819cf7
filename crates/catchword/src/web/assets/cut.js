// One compaction: the summary beside what the agent got back, and what it never got.

import { ask } from "/ask.js";
import { compact, count, h, link, number, place, placeAddress, when } from "/element.js";
import { drawTimeline, head } from "/session.js";

const lineOf = (text) => (text ? Number(text.slice(1)) : null);

/** Kept, lost, handed back, arrived: of what our own choice would have carried over. */
export function fourNumbers(compaction) {
  const counts = compaction.carried;
  if (!counts) return h("p", { class: "quiet small" }, compaction.summary_broken ? "The summary is broken." : "No summary that could be compared.");
  const all = Math.max(counts.kept + counts.lost, 1);
  const part = (name, value) => { const bar = h("span", { class: name }); bar.style.width = `${(value / all) * 100}%`; return bar; };
  const cell = (name, value, title, text) => h("div", { class: name, title }, h("dt", null, text), h("dd", null, number(value)));
  return [
    h("dl", { class: "four" },
      cell("kept", counts.kept, "The model still has it: in the summary, or in what the client keeps", "kept"),
      cell("lost", counts.lost, "The summary does not have it", "lost"),
      cell("back", counts.handed_back, "Of what was lost, in the brief", "handed back"),
      cell("arrived", counts.arrived, "Of that, seen in the transcript", "arrived")),
    h("div", { class: "share", "aria-hidden": "true" }, part("kept", counts.kept), part("back", counts.handed_back), part("lost", counts.lost - counts.handed_back)),
  ];
}

export async function compactionView([id, at]) {
  const [session, one] = await Promise.all([
    ask(`session/${encodeURIComponent(id)}`),
    ask(`session/${encodeURIComponent(id)}/compaction/${at}`),
  ]);
  const findings = one.findings || [];
  const element = h("div", null,
    head(session, ""),
    session.timeline ? drawTimeline(session, one.number) : null,
    h("h2", null, `Compaction ${one.number}`),
    h("p", { class: "facts" },
      link(placeAddress(id, one.line), null, `after L${number(one.line)}`), h("span", null, one.trigger), when(one.begun_at),
      one.tokens_before ? h("span", null, `${compact(one.tokens_before)} → ${one.tokens_after ? compact(one.tokens_after) : "?"} tokens`) : null,
      one.arrived_by ? h("span", null, `brief arrived with ${one.arrived_by}`) : one.seen_by_hook ? h("span", null, "arrival not seen yet") : h("span", null, "no hook saw it"),
      one.resent ? h("span", null, "sent twice") : null),
    h("div", { class: "card" }, fourNumbers(one),
      h("p", { class: "quiet small" }, "Of the lines that catchword itself would carry over without knowing the summary, at most 9,500 characters.")),
    h("div", { class: "sides" },
      h("section", { class: "side" }, h("h2", null, "The summary"),
        one.summary_broken ? h("p", { class: "missing" }, `Broken: ${one.summary_broken}`) : null,
        summary(one.summary || "", findings),
        one.cannot_tell ? h("p", { class: "quiet small" }, one.cannot_tell) : null),
      h("section", { class: "side" }, h("h2", null, "What the agent got back"), handed(id, one),
        findings.length ? [h("h2", null, "Where the summary differs"), findings.map((finding) => difference(id, finding))] : null)),
    lost(id, one));
  return { title: `Compaction ${one.number}: ${session.title || ""}`, element };
}

/** The summary with the claims that the record contradicts marked. */
function summary(text, findings) {
  const letters = [...text];
  const spans = findings.filter((finding) => finding.summary_span).map((finding) => ({ from: finding.summary_span[0], to: finding.summary_span[1], finding }))
    .sort((a, b) => a.from - b.from);
  const parts = [];
  let done = 0;
  for (const { from, to, finding } of spans) {
    if (from < done) continue;
    parts.push(letters.slice(done, from).join(""));
    parts.push(h("mark", { class: "claim", title: `${finding.verdict}${finding.text ? `: ${finding.text}` : ""}` }, letters.slice(from, to).join("")));
    done = to;
  }
  parts.push(letters.slice(done).join(""));
  return h("div", { class: "summary" }, parts);
}

function difference(id, finding) {
  return h("div", { class: "finding" },
    h("p", null, finding.verdict),
    finding.summary_quote ? h("p", { class: "small" }, "Summary: “", finding.summary_quote, "”") : null,
    h("p", { class: "small" }, "Record: “", finding.text, "” ", place(id, lineOf(finding.place))));
}

/** Head and reference as the agent got them. */
function handed(id, one) {
  if (!one.handed) return h("p", { class: "quiet" }, one.seen_by_hook ? "Nothing was handed back." : "No hook saw this compaction, so nothing was handed back.");
  const parts = [["head", "Head"], ["reference", "Reference"]];
  return [
    h("p", { class: "quiet small" }, `${number([...one.handed.text].length)} characters`),
    parts.map(([part, title]) => {
      const lines = one.handed.lines.filter((line) => line.part === part);
      const headings = [...new Set(lines.map((line) => line.heading))];
      return lines.length ? [h("h3", null, `${title}, ${count(lines.length, "line")}`), headings.map((heading) => [
        h("p", { class: "quiet small" }, heading),
        list(id, lines.filter((line) => line.heading === heading), (line) => line.arrived
          ? h("span", { class: "arrived", title: "seen in the transcript" }, "✓")
          : h("span", { class: "missing", title: "not seen in the transcript" }, "·")),
      ])] : null;
    }),
    one.handed.told_later ? [h("h3", null, "Told later"), h("pre", null, one.handed.told_later)] : null,
  ];
}

function lost(id, one) {
  const gone = (one.lines || []).filter((line) => !line.kept && !line.handed_back);
  if (!gone.length) return null;
  return h("section", { class: "side" }, h("h2", null, `Lost and not given back: ${count(gone.length, "line")}`),
    list(id, gone, () => h("span", { class: "missing", "aria-hidden": "true" }, "−")));
}

function list(id, lines, mark) {
  return h("ul", { class: "lines" }, lines.map((line) =>
    h("li", null, mark(line), h("span", { class: "text" }, line.text), place(id, lineOf(line.place)) || h("span", null))));
}
