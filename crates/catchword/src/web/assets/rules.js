// The rules' life lines: each instruction of the person, and what became of it at every compaction.

import { ask } from "/ask.js";
import { compactionAddress, count, empty, h, lineOf, link, placeAddress } from "/element.js";
import { head, sessionPath } from "/session.js";

const FATE = {
  kept: ["●", "kept", "ok", "the model still had it"],
  given_back: ["◐", "given back", "ok", "lost in the summary, handed back by catchword"],
  lost: ["○", "lost", "bad", "neither the summary nor the brief had it"],
  withdrawn: ["–", "withdrawn", "quiet", "the person had taken it back by then"],
};

/** The last compaction lost it, and it was not given back. */
const isGone = (rule) => !rule.withdrawn_at && rule.fates.at(-1) === "lost";

export async function rulesView([id]) {
  const [session, answer] = await Promise.all([ask(sessionPath(id)), ask(`${sessionPath(id)}/rules`)]);
  const cuts = answer.compactions;
  const cell = (fate, at) => {
    const [sign, text, style, title] = FATE[fate] || ["·", "not said yet", "quiet", "not said yet"];
    return h("td", { class: `fate ${style}${fate ? "" : " before"}`, title, "data-cut": `Compaction ${cuts[at]}` }, h("span", { class: "sign", "aria-hidden": "true" }, sign),
      h("span", null, text));
  };
  const place = (text) => link(placeAddress(id, lineOf(text)), { class: "place" }, text);
  const row = (rule) => h("tr", null,
    h("th", { scope: "row" }, h("q", null, rule.text)), h("td", { "data-cut": "Said" }, place(rule.place)), rule.fates.map(cell),
    h("td", { class: isGone(rule) ? "bad" : "quiet", "data-cut": "Now" },
      rule.withdrawn_at ? ["withdrawn ", place(rule.withdrawn_at)] : isGone(rule) ? "not in the context" : "in the context"));
  const gone = answer.rules.filter(isGone).length;
  const element = h("div", null, head(session, "Rules"),
    answer.rules.length
      ? [h("p", { class: "quiet" }, `${count(answer.rules.length, "rule")} that you said in this session, and what became of each at every compaction. `,
        gone ? h("span", { class: "bad" }, `The last compaction lost ${gone}.`) : null),
        h("div", { class: "lives", tabindex: 0, role: "region", "aria-label": "Rules and what became of them" }, h("table", null,
          h("caption", { class: "hidden" }, "What became of each rule at each compaction"),
          h("thead", null, h("tr", null, h("th", { scope: "col" }, "Rule"), h("th", { scope: "col" }, "Said"),
            cuts.map((number) => h("th", { scope: "col" }, link(compactionAddress(id, number), null, `Compaction ${number}`))), h("th", { scope: "col" }, "Now"))),
          h("tbody", null, answer.rules.map(row))))]
      : empty("No rule of yours is in this session", "A rule is a sentence that you typed and that is general in time: “never push to main”, “tests first”."));
  return { title: `Rules: ${session.title || ""}`, element };
}
