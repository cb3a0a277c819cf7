// The rules' life lines: each instruction of the person, and what became of it at every compaction.

import { ask } from "/ask.js";
import { empty, h, link, place } from "/element.js";
import { compactionAddress, head } from "/session.js";

const FATE = {
  kept: ["kept", "arrived", "the model still had it"],
  given_back: ["given back", "arrived", "lost in the summary, handed back by catchword"],
  lost: ["lost", "missing", "neither the summary nor the brief had it"],
  withdrawn: ["withdrawn", "quiet", "the person had taken it back by then"],
};

export async function rulesView([id]) {
  const [session, answer] = await Promise.all([ask(`session/${encodeURIComponent(id)}`), ask(`session/${encodeURIComponent(id)}/rules`)]);
  const cuts = answer.compactions;
  const cell = (fate) => {
    const [text, style, title] = FATE[fate] || ["", "quiet", "not said yet"];
    return h("td", { class: `fate ${style}`, title }, text);
  };
  const element = h("div", null, head(session, "Rules"),
    answer.rules.length
      ? h("div", { class: "lives", tabindex: 0, role: "region", "aria-label": "Rules and what became of them" }, h("table", null,
          h("caption", { class: "hidden" }, "What became of each rule at each compaction"),
          h("thead", null, h("tr", null, h("th", { scope: "col" }, "Rule"), h("th", { scope: "col" }, "Said"),
            cuts.map((number) => h("th", { scope: "col" }, link(compactionAddress(id, number), null, `Compaction ${number}`))), h("th", { scope: "col" }, "Now"))),
          h("tbody", null, answer.rules.map((rule) => h("tr", null,
            h("td", null, rule.text), h("td", null, place(id, Number(rule.place.slice(1)))), rule.fates.map(cell),
            h("td", { class: rule.withdrawn_at ? "quiet" : null }, rule.withdrawn_at ? ["withdrawn ", place(id, Number(rule.withdrawn_at.slice(1)))] : "holds"))))))
      : empty("No rule of yours is in this session.", "A rule is a sentence you typed that is general in time: “never push to main”, “tests first”."));
  return { title: `Rules: ${session.title || ""}`, element };
}
