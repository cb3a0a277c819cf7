// Search as you type, with the ranking and the filters of `catchword search`.

import { ask } from "/ask.js";
import { count, h, link, lineOf, marked, moment, placeAddress, say, show, trouble } from "/element.js";
import { shortFolder } from "/sessions.js";

const PAUSE = 120;
const FILTERS = [["role:user", "your words"], ["role:agent", "the agent’s words"], ["role:tool", "commands and other tools"], ["file:main.rs", "a file"], ["project:name", "a project"], ["since:2d", "since"], ["session:1f2e", "a session"]];

export async function searchView(_, given) {
  const find = document.getElementById("find");
  const results = h("div", { class: "results" });
  let running = null;
  let pause = null;
  const search = async () => {
    running?.abort();
    const words = find.value.trim();
    history.replaceState(null, "", words ? `/search?q=${encodeURIComponent(words)}` : "/search");
    if (!words) return show(results, hint(find));
    running = new AbortController();
    try {
      const answer = await ask("search", { q: words }, running.signal);
      show(results, list(answer, find));
      say(answer.hits.length ? count(answer.hits.length, "passage") : "Nothing found");
    } catch (error) {
      if (error.name !== "AbortError") show(results, trouble(error));
    }
  };
  const typed = () => { clearTimeout(pause); pause = setTimeout(search, PAUSE); };
  const move = (event) => {
    if (!["ArrowDown", "ArrowUp"].includes(event.key)) return;
    const hits = [...results.querySelectorAll("[data-step]")];
    const at = hits.indexOf(document.activeElement);
    const next = at + (event.key === "ArrowDown" ? 1 : -1);
    if (!hits.length || (at < 0 && document.activeElement !== find)) return;
    event.preventDefault();
    (next < 0 ? find : hits[Math.min(next, hits.length - 1)]).focus();
  };
  find.addEventListener("input", typed);
  document.addEventListener("keydown", move);
  find.value = given.get("q") || find.value;
  return { title: "Search", element: h("div", null, h("h1", null, "Search"), results),
    shown: () => { if (document.activeElement !== find) find.focus(); search(); },
    leave: () => { running?.abort(); clearTimeout(pause); find.removeEventListener("input", typed); document.removeEventListener("keydown", move); } };
}

function hint(find) {
  const add = (filter) => () => { find.value = `${find.value} ${filter}`.trim(); find.focus(); find.dispatchEvent(new Event("input")); };
  return h("div", { class: "hint" }, h("p", { class: "quiet" }, "Words, or a whole question in any language. Filters:"),
    h("ul", { class: "chips" }, FILTERS.map(([filter, what]) => h("li", null, h("button", { type: "button", onclick: add(filter), title: what }, h("code", null, filter))))),
    h("p", { class: "quiet small" }, h("kbd", null, "↓"), " and ", h("kbd", null, "↑"), " go through the passages, ", h("kbd", null, "Enter"), " opens one."));
}

function list(answer, find) {
  const remark = answer.shared?.why ? h("p", { class: "notice" }, `The shared archive was not asked: ${answer.shared.why}`) : null;
  if (!answer.hits.length) {
    return [h("p", null, "Nothing found."),
      answer.meant ? h("p", null, "Did you mean ", link(`/search?q=${encodeURIComponent(answer.meant)}`, { onclick: () => { find.value = answer.meant; } }, answer.meant), "?") : null, remark, hint(find)];
  }
  const total = `${answer.more ? "more than " : ""}${count(answer.fitting, "passage")}`;
  const different = folded(answer.hits);
  return [h("p", { class: "quiet small" }, answer.fitting > answer.hits.length || answer.more ? `The best ${answer.hits.length} of ${total}` : total), remark,
    h("ul", { class: "list" }, different.map((hit) => h("li", null, hitLink(hit)))), hint(find)];
}

/** A passage that stands at several places of a session is shown once. */
function folded(hits) {
  const seen = new Map();
  for (const hit of hits) {
    const key = `${hit.session} ${hit.snippet.trim()}`;
    if (hit.snippet.trim() && seen.has(key)) seen.get(key).also.push(hit);
    else seen.set(hit.snippet.trim() ? key : hit, { ...hit, also: [] });
  }
  return [...seen.values()];
}

function hitLink(hit) {
  const title = hit.title && hit.snippet && hit.title !== hit.snippet ? h("div", { class: "hit-title" }, hit.title) : null;
  return link(placeAddress(hit.session, lineOf(/^L\d/.test(hit.place) ? hit.place : null)), { class: "hit", "data-step": true },
    title, h("div", { class: "passage" }, passage(hit)),
    hit.asked && !same(hit.asked.text, hit.about) ? h("div", { class: "asked" }, "asked: ", hit.asked.text) : null,
    h("div", { class: "facts" }, h("span", { class: hit.failed ? "failing" : null }, hit.failed ? `${hit.kind}, failed` : hit.kind),
      h("span", { class: "place" }, [hit, ...hit.also].slice(0, 4).map((one) => one.place).join(" ")), h("span", { title: hit.project }, shortFolder(hit.project)), h("span", { class: "cut-text" }, hit.about || ""),
      hit.machine ? h("span", null, hit.machine) : null, hit.person ? h("span", null, hit.person) : null,
      h("span", null, moment(hit.at)), hit.copies.length ? h("span", null, `also in ${count(hit.copies.length, "session")}`) : null));
}

/** Whether two titles, of which one may be cut, are of the same text. */
const same = (text, title) => Boolean(title) && (text.startsWith(title.replace(/…$/, "").trim()) || title.startsWith(text));

/** The passage with the found words marked. */
const passage = (hit) => (hit.snippet
  ? marked(hit.snippet, hit.spans.map(([from, to]) => ({ from, to, around: (words) => h("mark", null, words) }))) : hit.title);
