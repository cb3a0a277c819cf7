// One session: the timeline, the compactions, the conversation.

import { ask } from "/ask.js";
import { compact, count, empty, h, link, number, placeAddress, when } from "/element.js";
import { conversation } from "/conversation.js";
import { fourNumbers } from "/cut.js";
import { gauge } from "/sessions.js";
import { timeline } from "/timeline.js";

const EVERY = 5000;

export const compactionAddress = (session, at) => `${placeAddress(session)}/compaction/${at}`;

/** The name of a session, and the ways to look at it. */
export function head(session, current) {
  const tab = (name, address) => link(address, { "aria-current": name === current ? "page" : null }, name);
  const tokens = session.timeline?.tokens;
  return [
    h("h1", null, session.title || "No request yet"),
    h("p", { class: "facts" },
      h("span", null, session.client), h("span", null, session.project || session.cwd || ""),
      session.branch ? h("span", null, session.branch) : null,
      h("span", null, session.state), when(session.active_at),
      h("span", null, count(session.prompts, "prompt")), h("span", null, count(session.calls, "call")),
      tokens ? h("span", null, `${compact(tokens.input)} tokens in, ${compact(tokens.output)} out`) : null,
      gauge(session.context)),
    h("nav", { class: "tabs", "aria-label": "Views of this session" },
      tab("Conversation", placeAddress(session.id)), tab("Rules", `${placeAddress(session.id)}/rules`)),
  ];
}

export function drawTimeline(session, at) {
  const { fill, compactions } = session.timeline;
  const lines = Math.max(session.lines, fill.at(-1)?.line || 0, ...compactions.map((one) => one.line || 0), 1);
  const cuts = compactions.filter((one) => one.number).map((one) => ({ number: one.number, line: one.line || 0, before: one.tokens_before }));
  return timeline({ fill, cuts, lines, limit: session.context?.threshold?.tokens, at, address: (cut) => compactionAddress(session.id, cut.number) });
}

export async function sessionView([id, line]) {
  let session = await ask(`session/${encodeURIComponent(id)}`);
  if (!session.timeline) {
    return { title: session.title, element: h("div", null, head(session, "Conversation"),
      empty("The transcript of this session is gone.", "What was indexed of it can still be searched.")) };
  }
  const talk = conversation(session, Number(line) || null);
  const drawing = h("div", null, drawTimeline(session));
  const cuts = h("div", null, cards(session));
  const element = h("div", null, head(session, "Conversation"), drawing, cuts,
    h("div", { class: "reading" }, contents(session), talk.element));
  const again = setInterval(async () => {
    if (document.hidden) return;
    const newer = await ask(`session/${encodeURIComponent(id)}`).catch(() => null);
    if (!newer?.timeline || newer.lines === session.lines) return;
    session = newer;
    drawing.replaceChildren(drawTimeline(session));
    cuts.replaceChildren(...[cards(session)].filter(Boolean));
    talk.grow(session);
  }, EVERY);
  return { title: session.title || "Session", element, shown: talk.shown, leave: () => { clearInterval(again); talk.leave(); } };
}

function cards(session) {
  const all = session.timeline.compactions.filter((one) => one.number);
  if (!all.length) return h("p", { class: "quiet" }, "This session was never compacted.");
  return h("ul", { class: "cuts" }, all.map((one) => h("li", null,
    link(compactionAddress(session.id, one.number), { class: "card" },
      h("strong", null, `Compaction ${one.number}`), " ",
      h("span", { class: "quiet small" }, `L${number(one.line)} · ${one.trigger} `, when(one.begun_at)),
      fourNumbers(one)))));
}

/** The person's prompts and the compactions, in order. */
function contents(session) {
  const prompts = session.timeline.prompts.map((prompt) => ({ line: Number(prompt.place.slice(1)), prompt }));
  const cuts = session.timeline.compactions.filter((one) => one.number).map((one) => ({ line: one.line || 0, cut: one }));
  const all = [...prompts, ...cuts].sort((a, b) => a.line - b.line);
  return h("nav", { class: "contents", "aria-label": "Requests" },
    h("ol", null, all.map(({ line, prompt, cut }) => cut
      ? h("li", { class: "cut-mark" }, link(compactionAddress(session.id, cut.number), null, `Compaction ${cut.number}`))
      : h("li", null, link(placeAddress(session.id, line), { title: prompt.place }, prompt.line)))));
}
