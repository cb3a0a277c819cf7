// The four numbers of a compaction: kept, lost, handed back, arrived; of the lines that our own choice would carry over.

import { h, number } from "/element.js";

export const FOUR = [
  ["kept", "kept", "kept", "The model still has it: in the summary, or in what the client keeps"],
  ["lost", "lost", "lost", "The summary does not have it"],
  ["back", "handed_back", "handed back", "Of what was lost, in the brief that the agent got"],
  ["arrived", "arrived", "arrived", "Of what was handed back, seen in the transcript"],
];

/** Heads of columns. */
export const fourNames = () => FOUR.map(([, , text, title]) => h("th", { scope: "col", class: "number", title }, text));

/** Cells of a row. */
export function fourCells(compaction, waiting) {
  if (waiting) return FOUR.map(([name]) => h("td", { class: `number ${name}` }, "…"));
  const counts = compaction?.carried;
  if (!counts) return [h("td", { colspan: 4, class: "quiet" }, compaction?.summary_broken ? "the summary is broken" : "no summary to compare")];
  return FOUR.map(([name, key]) => h("td", { class: `number ${name}` }, number(counts[key])));
}

/** The numbers large, with the share of each as a bar. */
export function fourNumbers(compaction) {
  const counts = compaction.carried;
  if (!counts) return h("p", { class: "notice" }, compaction.summary_broken ? "The summary is broken, so nothing could be compared." : "There is no summary that could be compared.");
  const all = Math.max(counts.kept + counts.lost, 1);
  const part = (name, value) => { const bar = h("span", { class: name }); bar.style.width = `${(value / all) * 100}%`; return value ? bar : null; };
  return h("div", { class: "four-box" },
    h("dl", { class: "four" }, FOUR.map(([name, key, text, title]) => h("div", { class: name, title }, h("dt", null, text), h("dd", null, number(counts[key]))))),
    h("div", { class: "share", "aria-hidden": "true" }, part("kept", counts.kept), part("back", counts.handed_back), part("lost", counts.lost - counts.handed_back)),
    h("p", { class: "quiet small" }, `Of the ${number(counts.kept + counts.lost)} lines that catchword itself would carry over without knowing the summary, in at most 9,500 characters.`));
}
