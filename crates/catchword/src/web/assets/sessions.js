// Every session: live ones on top, refreshed; filtered as you type.

import { ask } from "/ask.js";
import { count, empty, h, link, number, placeAddress, show, when } from "/element.js";

const EVERY = 5000;
const LIVE = ["working", "silent", "waiting", "interrupted"];

const folder = (session) => session.project || session.cwd || "";
const shortFolder = (path) => path.split(/[\\/]/).filter(Boolean).pop() || path;

export async function sessionsView() {
  let answer = await ask("sessions");
  if (!answer.sessions.length) {
    return { title: "", element: empty("Nothing is recorded yet.",
      "`catchword init` sets up your coding agent; from its next session on, this page fills.",
      "`catchword index` takes in the sessions you already have.") };
  }
  const wanted = { text: "", project: "", client: "", state: "" };
  const list = h("div", null);
  const counted = h("p", { class: "quiet small", role: "status" });
  const draw = () => {
    const fitting = answer.sessions.filter((session) => fits(session, wanted));
    const live = fitting.filter((session) => LIVE.includes(session.state));
    const past = fitting.filter((session) => !LIVE.includes(session.state));
    counted.textContent = count(fitting.length, "session");
    show(list, group("Running now", live), group(live.length ? "Earlier" : null, past),
      answer.hidden ? h("p", { class: "quiet small" }, `${number(answer.hidden)} older ones: search finds them.`) : null);
  };
  const choice = (label, name, values) =>
    h("select", { "aria-label": label, onchange: (event) => { wanted[name] = event.target.value; draw(); } },
      h("option", { value: "" }, label), values.map(([value, text]) => h("option", { value }, text)));
  const different = (values) => [...new Set(values)].filter(Boolean).sort();
  const projects = different(answer.sessions.map(folder));
  const clients = different(answer.sessions.map((session) => session.client));
  const filters = h("div", { class: "filters" },
    h("input", { type: "search", placeholder: "Filter by title, branch or folder", "aria-label": "Filter sessions",
      oninput: (event) => { wanted.text = event.target.value.toLowerCase(); draw(); } }),
    projects.length > 1 ? choice("All projects", "project", projects.map((path) => [path, shortFolder(path)])) : null,
    clients.length > 1 ? choice("All clients", "client", clients.map((name) => [name, name])) : null,
    choice("Any state", "state", [["live", "Running"], ["unfinished", "Unfinished"], ["compacted", "Compacted"]]),
    counted);
  draw();
  const again = setInterval(async () => {
    if (document.hidden) return;
    answer = await ask("sessions").catch(() => answer);
    draw();
  }, EVERY);
  return { title: "", leave: () => clearInterval(again),
    element: h("div", null, h("h1", null, "Sessions"), filters, list) };
}

function fits(session, wanted) {
  const text = `${session.title || ""} ${session.branch || ""} ${folder(session)} ${session.id}`.toLowerCase();
  const state = { live: () => LIVE.includes(session.state), unfinished: () => session.unfinished, compacted: () => session.compactions > 0 };
  return (!wanted.text || text.includes(wanted.text))
    && (!wanted.project || folder(session) === wanted.project)
    && (!wanted.client || session.client === wanted.client)
    && (!wanted.state || state[wanted.state]());
}

function group(title, sessions) {
  if (!sessions.length) return null;
  return [title ? h("h2", { class: "group" }, title) : null, h("ul", { class: "list" }, sessions.map((session) => h("li", null, row(session))))];
}

function row(session) {
  const failing = session.failing?.length || 0;
  const open = session.open?.length || 0;
  return link(placeAddress(session.id), { class: "row", "data-step": true },
    h("span", { class: "title" }, session.title || "No request yet"),
    h("span", { class: "time" }, when(session.active_at)),
    h("span", { class: "about" },
      LIVE.includes(session.state) ? h("span", { class: "live" }, session.state) : null,
      gauge(session.context),
      h("span", { title: folder(session) }, shortFolder(folder(session))),
      h("span", null, session.client),
      session.machine ? h("span", null, session.machine) : null,
      h("span", null, count(session.prompts, "prompt")),
      session.compactions ? h("span", null, count(session.compactions, "compaction")) : null,
      open ? h("span", null, `${number(open)} open`) : null,
      failing ? h("span", { class: "failing" }, `${number(failing)} failing`) : null));
}

/** How far the context is on its way to the next compaction. */
export function gauge(context) {
  const left = context?.left;
  if (!left) return null;
  const used = Math.min(100, Math.max(0, 100 - left.percent));
  const bar = h("span", null);
  bar.style.width = `${used}%`;
  return h("span", { title: `${number(left.tokens)} tokens until the next compaction` },
    h("span", { class: "gauge", role: "img", "aria-label": `context ${used}% full` }, bar), ` ${left.percent}% left`);
}
