// Search as you type, with the ranking and the filters of `catchword search`.

import { ask } from "/ask.js";
import { count, h, link, placeAddress, say, show, trouble, when } from "/element.js";

const PAUSE = 120;

export async function searchView(_, given) {
  const find = document.getElementById("find");
  const results = h("div", null);
  let running = null;
  let pause = null;
  const search = async () => {
    running?.abort();
    const words = find.value.trim();
    history.replaceState(null, "", words ? `/search?q=${encodeURIComponent(words)}` : "/search");
    if (!words) return show(results, hint());
    running = new AbortController();
    try {
      const answer = await ask("search", { q: words }, running.signal);
      show(results, list(answer));
      say(count(answer.hits.length, "passage"));
    } catch (error) {
      if (error.name !== "AbortError") show(results, trouble(error));
    }
  };
  const typed = () => { clearTimeout(pause); pause = setTimeout(search, PAUSE); };
  find.addEventListener("input", typed);
  find.value = given.get("q") || "";
  return { title: "Search", element: h("div", null, h("h1", null, "Search"), results),
    shown: () => { find.focus(); search(); },
    leave: () => { running?.abort(); clearTimeout(pause); find.removeEventListener("input", typed); } };
}

const hint = () => h("p", { class: "quiet" }, "Words or a whole question, in any language. Filters: role:user, file:name, project:name, since:2d, session:id. ",
  h("kbd", null, "j"), " and ", h("kbd", null, "k"), " go through the passages.");

function list(answer) {
  if (!answer.hits.length) return [h("p", null, "Nothing found."), answer.meant ? h("p", { class: "quiet" }, "Did you mean ", link(`/search?q=${encodeURIComponent(answer.meant)}`, null, answer.meant), "?") : null, hint()];
  return h("ul", { class: "list" }, answer.hits.map((hit) => h("li", null,
    link(placeAddress(hit.session, Number((hit.place || "L0").slice(1)) || null), { class: "hit", "data-step": true },
      h("div", { class: "passage" }, passage(hit)),
      h("div", { class: "facts" }, h("span", { class: "place" }, hit.place), h("span", null, hit.kind), h("span", null, hit.about || ""), h("span", null, hit.project || ""), when(hit.at))))));
}

/** The passage with the found words marked; spans are in characters. */
function passage(hit) {
  const letters = [...(hit.snippet || hit.title)];
  const parts = [];
  let done = 0;
  for (const [from, to] of hit.snippet ? hit.spans : []) {
    if (from < done) continue;
    parts.push(letters.slice(done, from).join(""), h("mark", null, letters.slice(from, to).join("")));
    done = to;
  }
  parts.push(letters.slice(done).join(""));
  return parts;
}
