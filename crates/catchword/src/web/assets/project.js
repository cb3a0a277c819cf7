// What a repository taught: what its sessions ran, changed, decided and looked for, checked against the tree as it is now.

import { ask } from "/ask.js";
import { count, empty, h, lineOf, link, number, placeAddress, sessionsAddress, when } from "/element.js";

/** A short name, the heading, and how a line and what it belongs to are shown. */
const SECTIONS = {
  rules: ["Rules", "Rules that you stated", "said"],
  commands: ["Commands", "Commands that passed, in the form that passed last", "code"],
  fixes: ["Fixes", "What failed, and what was done until it passed", "fixed"],
  decisions: ["Decisions", "What the agent asked, and your answer", "answered"],
  files: ["Files", "Files that sessions worked on", "code"],
  together: ["Changed together", "Files that were changed for the same requests", "pair"],
  not_there: ["Not there", "Files that were looked for, and are not there", "code"],
};

export async function projectView(_, given) {
  const of = given.get("of") || "";
  const answer = await ask("project", { of });
  const known = answer.sections.filter((section) => SECTIONS[section.kind]);
  const name = answer.project.split(/[\\/]/).filter(Boolean).pop() || answer.project;
  const heading = h("header", { class: "head" },
    h("p", { class: "crumbs" }, link("/", null, "Sessions"), " / ", link(sessionsAddress(of), { title: answer.project }, name)),
    h("h1", null, `What ${name} taught`),
    h("p", { class: "facts" }, h("span", { class: "branch" }, answer.project),
      link(sessionsAddress(of), null, count(answer.sessions, "session")),
      h("span", null, "every line was checked against the folder as it is now")));
  const jump = (event) => {
    event.preventDefault();
    const target = document.getElementById(event.currentTarget.getAttribute("href").slice(1));
    target.scrollIntoView({ block: "start" });
    target.focus({ preventScroll: true });
  };
  const chips = h("ul", { class: "chips" }, known.map((section) => h("li", null,
    h("a", { href: `#${section.kind}`, onclick: jump }, SECTIONS[section.kind][0], " ", h("span", { class: "quiet" }, number(section.lines.length))))));
  const element = h("div", null, heading,
    known.length ? [known.length > 1 ? h("nav", { "aria-label": "Sections" }, chips) : null, h("div", { class: "taught" }, known.map(part))]
      : empty("Nothing is known of it yet", "This fills as sessions work here: commands that pass, rules that you state, files that change."));
  return { title: `What ${name} taught`, element };
}

function part(section) {
  const [, title, style] = SECTIONS[section.kind];
  return h("section", { class: "side", "aria-labelledby": section.kind }, h("h2", { id: section.kind, tabindex: -1 }, title),
    h("ul", { class: `lines ${style}` }, section.lines.map((line) => h("li", { class: line.stale ? "stale" : null, title: line.why }, words(line, style), facts(line)))));
}

function words(line, style) {
  const code = (text) => h("code", null, text);
  if (style === "code") return h("div", { class: "text" }, code(line.text));
  if (style === "pair") return h("div", { class: "text" }, code(line.text), h("span", { class: "quiet" }, " with "), code(line.about));
  if (style === "said") return h("div", { class: "text" }, h("q", null, line.text));
  return h("div", { class: "text" }, h("div", { class: style === "fixed" ? "bad" : "quiet" }, line.about), line.text);
}

function facts(line) {
  return h("p", { class: "facts" }, place(line), when(line.at), line.often ? h("span", null, line.often) : null,
    line.person ? h("span", null, `by ${line.person}`) : null, line.stale ? h("span", { class: "bad" }, `no longer: ${line.stale}`) : null);
}

/** `0a1b2c3d:L512`, or `0a1b2c3d/a1b2:L5` in a subagent. Somebody else's transcript is not on this machine. */
function place(line) {
  const found = /^([^:/]+)(\/[^:]+)?:(L\d+)$/.exec(line.place);
  if (!found || line.person) return h("span", { class: "place" }, line.place);
  return link(placeAddress(found[1], found[2] ? null : lineOf(found[3])), { class: "place", "data-step": true }, line.place);
}
