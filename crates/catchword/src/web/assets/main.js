// Finds the view of an address and shows it. Links inside the page do not load it again.

import { takeToken } from "/ask.js";
import { say, show, trouble } from "/element.js";
import { compactionView } from "/cut.js";
import { rulesView } from "/rules.js";
import { searchView } from "/search.js";
import { sessionView } from "/session.js";
import { sessionsView } from "/sessions.js";

const content = document.getElementById("content");
const find = document.getElementById("find");
/** Ends what the present view started. */
let leave = null;

// Each: a pattern of the address, and what draws it: (parts, given) → { title, element, leave }.
const VIEWS = [
  [/^\/$/, sessionsView],
  [/^\/search$/, searchView],
  [/^\/session\/([^/]+)\/compaction\/(\d+)$/, compactionView],
  [/^\/session\/([^/]+)\/rules$/, rulesView],
  [/^\/session\/([^/]+)(?:\/L(\d+))?$/, sessionView],
];

async function render() {
  leave?.();
  leave = null;
  const address = location.pathname;
  const given = new URLSearchParams(location.search);
  const [parts, view] = VIEWS.map(([pattern, draw]) => [pattern.exec(address), draw]).find(([found]) => found) || [];
  if (!view) {
    show(content, trouble(new Error("There is no such page.")));
    return;
  }
  content.setAttribute("aria-busy", "true");
  try {
    const drawn = await view(parts.slice(1).map((part) => part && decodeURIComponent(part)), given);
    if (location.pathname !== address) return;
    leave = drawn.leave || null;
    document.title = drawn.title ? `${drawn.title} · catchword` : "catchword";
    show(content, drawn.element);
    drawn.shown?.();
    say(document.title);
  } catch (error) {
    if (error.name !== "AbortError") show(content, trouble(error));
  } finally {
    content.removeAttribute("aria-busy");
  }
}

/** Goes to an address of the page. */
export function go(address, { replace } = {}) {
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  const same = VIEWS.some(([pattern]) => pattern.test(location.pathname));
  if (same) render();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='/']");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  go(link.getAttribute("href"));
  window.scrollTo(0, 0);
  content.focus({ preventScroll: true });
});
document.querySelector(".find").addEventListener("submit", (event) => {
  event.preventDefault();
  go(`/search?q=${encodeURIComponent(find.value)}`);
});
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    find.focus();
    find.select();
  } else if (event.key === "Escape" && typing) {
    event.target.blur();
  } else if ((event.key === "j" || event.key === "k") && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    step(event.key === "j" ? 1 : -1);
  }
});

/** j and k go through whatever a view lists. */
function step(by) {
  const all = [...content.querySelectorAll("[data-step]")];
  if (!all.length) return;
  const at = all.indexOf(document.activeElement?.closest?.("[data-step]"));
  const next = all[Math.min(Math.max(at + by, 0), all.length - 1)];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

window.addEventListener("popstate", render);
window.addEventListener("hashchange", () => {
  if (location.hash.startsWith("#token=")) {
    takeToken();
    render();
  }
});
takeToken();
render();

