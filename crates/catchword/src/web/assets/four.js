// The numbers of a compaction: kept, lost, handed back, arrived, and what is missing still; of the lines that our own
// choice would carry over.

import { count, h, number } from "/element.js";

const missing = (counts) => counts.lost - counts.handed_back;

export const FOUR = [
  ["kept", (counts) => counts.kept, "Kept", "The model still has it: in the summary, or in what the client keeps"],
  ["lost", (counts) => counts.lost, "Lost", "The summary does not have it"],
  ["back", (counts) => counts.handed_back, "Handed back", "Of what was lost, in the brief that the agent got"],
  ["arrived", (counts) => counts.arrived, "Arrived", "Of what was handed back, seen in the transcript"],
  ["missing", missing, "Missing", "Neither in the summary nor handed back"],
];

export const CONTRADICTED = "Statements of the summary that the record contradicts";

/** What the numbers are of. */
export const PICKED = "The lines that catchword picks before it reads the summary, in at most 9,500 characters. What the client keeps beside its summary counts as in the summary.";

const style = (name, value) => (value ? name : "none");

/** Heads of columns. */
export const fourNames = () => FOUR.map(([, , text, title]) => h("th", { scope: "col", class: "number", title }, text));

/** Cells of a row. */
export function fourCells(compaction, waiting) {
  if (waiting) return FOUR.map(([name]) => h("td", { class: `number ${name}` }, "…"));
  const counts = compaction?.carried;
  if (!counts) return [h("td", { colspan: FOUR.length, class: "quiet" }, compaction?.summary_broken ? "the summary is broken" : "only the client can read the summary")];
  return FOUR.map(([name, of]) => h("td", { class: `number ${style(name, of(counts))}` }, number(of(counts))));
}

/** The numbers large, with the share of each as a bar. `jumps` has where each leads on the page; `wrong` is how often the
 * record contradicts the summary. */
export function fourNumbers(compaction, jumps, wrong) {
  const counts = compaction.carried;
  if (!counts) return h("p", { class: "notice" }, compaction.summary_broken ? "The summary is broken, so nothing could be compared." : "Only the client can read this summary, so nobody else can say what it lost.");
  const all = counts.kept + counts.lost;
  const part = (name, value) => { const bar = h("span", { class: name }); bar.style.width = `${(value / Math.max(all, 1)) * 100}%`; return value ? bar : null; };
  const arrived = counts.arrived === counts.handed_back ? "" : ` Of those handed back, ${number(counts.arrived)} were seen to arrive.`;
  return h("div", { class: "four-box" },
    h("dl", { class: "four" }, FOUR.map(([name, of, text, title]) => h("div", { class: style(name, of(counts)), title }, h("dt", null, text), h("dd", null, jumps?.[name] ? jumps[name](number(of(counts))) : number(of(counts))))),
      wrong ? h("div", { class: "contradicted", title: CONTRADICTED }, h("dt", null, "Contradicted"), h("dd", null, wrong)) : null),
    h("div", { class: "share", "aria-hidden": "true" }, part("kept", counts.kept), part("back", counts.handed_back), part("missing", missing(counts))),
    h("p", { class: "quiet small", title: PICKED },
      `catchword picked ${count(all, "line")} worth keeping: ${number(counts.kept)} in the summary, ${number(counts.handed_back)} handed back, ${number(missing(counts))} in neither.${arrived}`));
}
