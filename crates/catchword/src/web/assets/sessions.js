// Every session: live ones on top, refreshed; filtered as you type. How a session stands costs a look into its
// transcript, so that is asked for when its row comes into view, and for all where a filter needs it.

import { ask } from "/ask.js";
import { compact, count, empty, h, link, number, placeAddress, projectAddress, show, when } from "/element.js";

const EVERY = 5000;
const AT_ONCE = 3;
const LIVE = ["working", "silent", "waiting", "interrupted"];
const DAY = 86400000;

const STATES = {
  live: ["Running", (session) => LIVE.includes(session.state)],
  unfinished: ["Unfinished", (session) => session.unfinished],
  compacted: ["Compacted", (session) => session.compactions > 0],
  failing: ["Failing", (session) => session.failing?.length > 0],
};
const TIMES = { 1: "Last 24 hours", 7: "Last 7 days", 30: "Last 30 days" };

/** What a look found, by session; it holds until the session goes on. */
const standing = new Map();

/** Whose it is and where it was recorded; those of this machine do not say. */
const OWN = { machine: "this machine", person: "you" };
const of = (session, name) => session[name] || OWN[name];

const stateOf = (session) => `${session.active_at} ${session.state}`;
const folder = (session) => session.project || session.cwd || "";
/** The first request. The history gets it at the end of a turn, and keeps only so much of it. */
const titleIn = (session) => session.title || session.asked?.[0] || "";
export const titleOf = (session) => {
  const title = titleIn(session);
  return title ? `${title.replace(/\*\*|^#+ /g, "")}${title.length > 190 && !title.endsWith("…") ? "…" : ""}` : "No request yet";
};
export const shortFolder = (path) => (path || "").split(/[\\/]/).filter(Boolean).pop() || path || "";

export async function sessionsView(_, given) {
  let answer = await ask("sessions");
  if (!answer.sessions.length) {
    return { title: "", element: empty("Nothing is recorded yet",
      "`catchword init` sets up your coding agent. From its next session on, this page fills.",
      "`catchword index` takes in the sessions that you already have.",
      "`catchword try` shows what a compaction loses, on a sample, without setting anything up.") };
  }
  const wanted = Object.fromEntries(["text", "project", "client", "branch", "machine", "person", "time", "state"].map((name) => [name, given.get(name) || ""]));
  const list = h("div", null);
  const counted = h("p", { class: "quiet small", role: "status" });
  const taught = h("p", { class: "small" });
  const isFresh = (session) => standing.get(session.id)?.of === stateOf(session);
  const stand = (session) => {
    const { look } = standing.get(session.id) || {};
    if (!look || isFresh(session)) return { ...session, ...look };
    // What an older look says of now no longer holds.
    const { branch, context, open, failing, asked } = look;
    return { ...session, branch, context, open, failing, asked };
  };
  const looks = looking((session, look) => {
    standing.set(session.id, { of: stateOf(session), look });
    if (needsAll()) return drawSoon();
    const old = list.querySelector(`[data-session="${CSS.escape(session.id)}"]`);
    if (old) old.replaceWith(item(session));
    offer();
  });
  /** Only a look into its transcript says on which branch a session is, and whether something fails. */
  const needsAll = () => Boolean(wanted.branch || wanted.state === "failing");
  const unknown = () => answer.sessions.filter((session) => session.transcript_exists && !isFresh(session));
  let soon = null;
  const drawSoon = () => { soon ||= setTimeout(() => { soon = null; draw(); offer(); }, 150); };
  const item = (session) => {
    const element = h("li", { "data-session": session.id }, row(stand(session)));
    if (!needsAll() && session.transcript_exists && !isFresh(session)) looks.watch(element, session);
    return element;
  };
  const draw = () => {
    const left = needsAll() ? unknown() : [];
    if (left.length) looks.also(left);
    else looks.clear();
    const fitting = answer.sessions.filter((session) => fits(stand(session), wanted));
    const isLive = (session) => LIVE.includes(stand(session).state);
    const live = fitting.filter(isLive);
    const past = fitting.filter((session) => !isLive(session));
    show(taught, wanted.project ? link(projectAddress(wanted.project), null, `What ${shortFolder(wanted.project)} taught →`) : null);
    counted.textContent = fitting.length < answer.sessions.length ? `${number(fitting.length)} of ${count(answer.sessions.length, "session")}${left.length ? `; looking into ${number(left.length)} more …` : ""}` : count(fitting.length, "session");
    const group = (title, sessions) => (sessions.length
      ? [h("h2", { class: title ? "group" : "hidden" }, title || "Sessions"), h("ul", { class: "list" }, sessions.map(item))] : null);
    show(list, group("Running now", live), group(live.length ? "Earlier" : "", past),
      fitting.length || left.length ? null : h("p", { class: "quiet" }, "No session fits these filters."),
      answer.hidden ? h("p", { class: "quiet small" }, `${number(answer.hidden)} older ones: search finds them.`) : null);
  };
  const change = (name, value) => {
    wanted[name] = value;
    const kept = Object.entries(wanted).filter(([, one]) => one);
    history.replaceState(null, "", kept.length ? `/?${new URLSearchParams(kept)}` : "/");
    draw();
  };
  const choice = (label, name, values) =>
    h("select", { "aria-label": label, "data-filter": name, onchange: (event) => change(name, event.target.value) },
      h("option", { value: "" }, label), values.map(([value, text]) => h("option", { value, selected: wanted[name] === value }, text)));
  const different = (of) => [...new Set(answer.sessions.map(stand).map(of))].filter(Boolean).sort();
  const several = (label, name, of, text = (value) => value) => {
    const values = different(of);
    return values.length > 1 || wanted[name] ? choice(label, name, values.map((value) => [value, text(value)])) : null;
  };
  /** Known as transcripts are looked into: whoever opens the choice has all of them looked into. */
  const branches = () => {
    const box = choice("All branches", "branch", different((one) => one.branch).map((value) => [value, value]));
    box.addEventListener("focus", () => looks.also(unknown()));
    return box;
  };
  /** What can be chosen. */
  const choices = h("span", { class: "choices" });
  let offered = "";
  const offer = () => {
    const made = [several("All projects", "project", folder, shortFolder), several("All clients", "client", (one) => one.client),
      branches(), several("All machines", "machine", (one) => of(one, "machine")),
      several("All people", "person", (one) => of(one, "person")), choice("Any time", "time", Object.entries(TIMES)),
      choice("Any state", "state", Object.entries(STATES).map(([name, [text]]) => [name, text]))];
    const text = made.map((one) => one?.textContent).join();
    if (text === offered) return;
    if (choices.contains(document.activeElement)) {
      // A choice that is open stays; what became known is put into it.
      const box = document.activeElement;
      const known = new Set([...box.options].map((one) => one.value));
      if (box.dataset.filter === "branch") box.append(...different((one) => one.branch).filter((one) => !known.has(one)).map((one) => h("option", { value: one }, one)));
      return;
    }
    offered = text;
    show(choices, made);
  };
  const filters = h("div", { class: "filters" },
    h("input", { type: "search", placeholder: "Filter by title or folder", "aria-label": "Filter sessions", value: wanted.text, autocomplete: "off",
      oninput: (event) => change("text", event.target.value) }), choices);
  offer();
  draw();
  const again = setInterval(async () => {
    if (document.hidden) return;
    const newer = await ask("sessions").catch(() => null);
    const same = (one) => JSON.stringify(one.sessions.map((session) => [session.id, session.active_at, session.state, session.title]));
    if (!newer || same(newer) === same(answer)) return;
    const focused = document.activeElement?.closest?.("[data-session]")?.dataset.session;
    answer = newer;
    offer();
    draw();
    if (focused) list.querySelector(`[data-session="${CSS.escape(focused)}"] a`)?.focus({ preventScroll: true });
  }, EVERY);
  return { title: "", leave: () => { clearInterval(again); clearTimeout(soon); looks.clear(); },
    element: h("div", null, h("div", { class: "title-row" }, h("h1", null, "Sessions"), counted), filters, taught, list) };
}

/** Looks into the sessions whose rows are in view, a few at a time. */
function looking(found) {
  let waiting = [];
  let running = 0;
  const underWay = new Set();
  const sessions = new WeakMap();
  const next = async () => {
    if (running >= AT_ONCE || !waiting.length) return;
    const session = waiting.shift();
    running += 1;
    underWay.add(session.id);
    // Where the transcript is gone, the list has what is known.
    found(session, await ask(`session/${encodeURIComponent(session.id)}/standing`).catch(() => null));
    running -= 1;
    underWay.delete(session.id);
    next();
  };
  const watcher = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) {
      if (!isIntersecting) continue;
      watcher.unobserve(target);
      waiting.push(sessions.get(target));
      next();
    }
  }, { rootMargin: "200px" });
  /** Those that are in no view, too. */
  const also = (more) => {
    const known = new Set(waiting.map((session) => session.id));
    waiting.push(...more.filter((session) => !known.has(session.id) && !underWay.has(session.id)));
    for (let free = running; free < AT_ONCE; free += 1) next();
  };
  return { also, watch: (element, session) => { sessions.set(element, session); watcher.observe(element); },
    clear: () => { waiting = []; watcher.disconnect(); } };
}

function fits(session, wanted) {
  const text = `${titleIn(session)} ${session.branch || ""} ${folder(session)} ${session.id}`.toLowerCase();
  return wanted.text.toLowerCase().split(/\s+/).every((word) => text.includes(word))
    && (!wanted.project || folder(session) === wanted.project)
    && ["client", "branch", "machine", "person"].every((name) => !wanted[name] || of(session, name) === wanted[name])
    && (!wanted.time || session.active_at > Date.now() - Number(wanted.time) * DAY)
    && (!wanted.state || STATES[wanted.state]?.[1](session));
}

function row(session) {
  const failing = session.failing?.length || 0;
  const open = session.open?.length || 0;
  const live = LIVE.includes(session.state);
  return link(placeAddress(session.id), { class: "row", "data-step": true },
    h("span", { class: "title" }, titleOf(session)),
    h("span", { class: "marks" },
      live ? gauge(session.context) : null,
      live ? h("span", { class: "live" }, session.state) : session.unfinished ? h("span", { class: "quiet" }, "unfinished") : null,
      open ? h("span", { title: session.open.slice(0, 5).join("\n") }, `${number(open)} open`) : null,
      failing ? h("span", { class: "failing", title: session.failing.slice(0, 5).join("\n") }, `${number(failing)} failing`) : null),
    h("span", { class: "about" },
      h("span", { class: "project", title: folder(session) }, shortFolder(folder(session)) || "no folder"),
      session.branch ? h("span", { class: "branch" }, session.branch) : null,
      h("span", null, session.client),
      session.compactions ? h("span", null, count(session.compactions, "compaction")) : null,
      session.machine ? h("span", null, session.machine) : null,
      session.person ? h("span", null, session.person) : null,
      h("span", null, count(session.prompts, "prompt")),
      h("span", null, count(session.calls, "call"))),
    h("span", { class: "time" }, when(session.active_at)));
}

/** How far the context is on its way to the next compaction. */
export function gauge(context) {
  const left = context?.left;
  // Where it compacts is not known for every model.
  if (!left) return context?.used ? h("span", { title: "Tokens in the context" }, `${compact(context.used.tokens)} tokens`) : null;
  const used = Math.min(100, Math.max(0, 100 - left.percent));
  const bar = h("span", { class: used > 85 ? "full" : null });
  bar.style.width = `${used}%`;
  return h("span", { class: "gauge-box", title: `${number(left.tokens)} tokens until the next compaction` },
    h("span", { class: "gauge", role: "img", "aria-label": `context ${used}% full` }, bar), ` ${left.percent}% left`);
}
