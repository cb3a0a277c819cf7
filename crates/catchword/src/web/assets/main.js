// Finds the view of an address and shows it. Links inside the page do not load it again.

import { exported, takeToken } from "/ask.js";
import { say, show, trouble } from "/element.js";
import { compactionView } from "/cut.js";
import { projectView } from "/project.js";
import { rulesView } from "/rules.js";
import { searchView } from "/search.js";
import { sessionView } from "/session.js";
import { sessionsView } from "/sessions.js";

const content = document.getElementById("content");
const find = document.getElementById("find");
const now = document.querySelector(".now");
/** Ends what the present view started. */
let leave = null;
let drawing = 0;

// Each: a pattern of the address, and what draws it: (parts, given) → { title, element, shown, leave }.
const VIEWS = [
  [/^\/$/, sessionsView],
  [/^\/search$/, searchView],
  [/^\/project$/, projectView],
  [/^\/session\/([^/]+)\/compaction\/(\d+)$/, compactionView],
  [/^\/session\/([^/]+)\/rules$/, rulesView],
  [/^\/session\/([^/]+)(?:\/L(\d+))?$/, sessionView],
];

/** The address: of an exported page it stands behind the number sign. */
function address() {
  const [path, query] = exported ? (location.hash.slice(1) || exported.start).split("?") : [location.pathname, location.search.slice(1)];
  return { path, given: new URLSearchParams(query || "") };
}

async function render({ keep } = {}) {
  const { path, given } = address();
  const turn = ++drawing;
  const [parts, view] = VIEWS.map(([pattern, draw]) => [pattern.exec(path), draw]).find(([found]) => found) || [];
  content.setAttribute("aria-busy", "true");
  let drawn;
  try {
    if (!view) throw new Error("There is no such page.");
    drawn = await view(parts.slice(1).map((part) => part && decodeURIComponent(part)), given);
  } catch (error) {
    drawn = { title: "", element: trouble(Object.assign(error, { home: !exported && path !== "/" })) };
  }
  // Somebody went on meanwhile.
  if (turn !== drawing) return drawn.leave?.();
  leave?.();
  leave = drawn.leave || null;
  document.title = drawn.title ? `${drawn.title} · catchword` : "catchword";
  if (now) now.textContent = drawn.title;
  show(content, drawn.element);
  content.removeAttribute("aria-busy");
  if (!keep) window.scrollTo({ top: 0, behavior: "instant" });
  drawn.shown?.();
  say(document.title);
}

/** Goes to an address of the page. */
function go(to) {
  history.pushState(null, "", to);
  render();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='/']");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  content.focus({ preventScroll: true });
  go(link.getAttribute("href"));
});
find?.closest("form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (location.pathname === "/search") document.querySelector("[data-step]")?.click();
  else go(`/search?q=${encodeURIComponent(find.value)}`);
});
find?.addEventListener("input", () => {
  if (location.pathname !== "/search" && find.value.trim()) go(`/search?q=${encodeURIComponent(find.value)}`);
});
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select");
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (event.key === "/" && !typing && plain && find) {
    event.preventDefault();
    find.focus();
    find.select();
  } else if (event.key === "Escape" && typing) {
    event.target.blur();
  } else if (["j", "k"].includes(event.key) && !typing && plain) {
    step(event.key === "j" ? 1 : -1);
  }
});

/** j and k go through whatever a view lists. */
function step(by) {
  const all = [...content.querySelectorAll("[data-step]")].filter((one) => one.checkVisibility());
  if (!all.length) return;
  const at = all.indexOf(document.activeElement?.closest?.("[data-step]"));
  const next = all[Math.min(Math.max(at + by, 0), all.length - 1)];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

// Far down, the bar says what is shown.
window.addEventListener("scroll", () => document.body.classList.toggle("deep", window.scrollY > 160), { passive: true });
window.addEventListener("popstate", () => { if (!exported) render({ keep: true }); });
window.addEventListener("hashchange", () => {
  if (exported) {
    render();
  } else if (location.hash.startsWith("#token=")) {
    takeToken();
    render();
  }
});
takeToken();
render();
