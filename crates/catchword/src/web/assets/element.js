// Builds elements. Every text is set as text, never as markup: it comes from transcripts, which anybody may have written.

import { exported } from "/ask.js";

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else element.setAttribute(name, String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/** An element with attributes, listeners (`onclick`) and children; strings become text. */
export function h(name, properties, ...children) {
  return fill(document.createElement(name), properties, children);
}

/** The same for drawings. */
export function s(name, properties, ...children) {
  return fill(document.createElementNS(SVG, name), properties, children);
}

/** Replaces what an element contains. */
export function show(element, ...children) {
  element.textContent = "";
  fill(element, null, children);
}

/** Says something to a screen reader. */
export function say(text) {
  document.getElementById("spoken").textContent = text;
}

const numbers = new Intl.NumberFormat();
const moments = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const days = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const dates = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const clocks = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const short = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });

export const number = (value) => (value === null || value === undefined ? "?" : numbers.format(value));
export const compact = (value) => short.format(value);
export const clock = (time) => (time ? clocks.format(time) : "");
export const moment = (time) => (time ? moments.format(time) : "");
export const date = (time) => (time ? dates.format(time) : "");
export const day = (time) => (time ? days.format(time) : "");

/** `3 prompts`, `1 prompt`. */
export const count = (value, noun, plural) => `${number(value)} ${value === 1 ? noun : plural || `${noun}s`}`;

/** A moment as people say it, with the exact one on hover. */
export function when(time) {
  if (!time) return "";
  const minutes = (time - Date.now()) / 60000;
  const steps = [[60, 1, "minute"], [1440, 60, "hour"], [20160, 1440, "day"]];
  const step = steps.find(([limit]) => Math.abs(minutes) < limit);
  const text = step ? relative.format(Math.round(minutes / step[1]), step[2]) : days.format(time);
  return h("time", { datetime: new Date(time).toISOString(), title: moments.format(time) }, text);
}

/** An address of the page as a browser follows it. */
export const href = (address) => (exported ? `#${address}` : address);

/** A link inside the page. */
export function link(address, properties, ...children) {
  return h("a", { href: href(address), ...properties }, ...children);
}

/** The address of a place: `/session/0a1b…/L812`. */
export const placeAddress = (session, line) => `/session/${encodeURIComponent(session)}${line ? `/L${line}` : ""}`;

export const compactionAddress = (session, at) => `${placeAddress(session)}/compaction/${at}`;

/** What a repository taught; the sessions in it. */
export const projectAddress = (folder) => `/project?of=${encodeURIComponent(folder)}`;
export const sessionsAddress = (folder) => `/?project=${encodeURIComponent(folder)}`;

/** The line of a place: 812 for `L812`. */
export const lineOf = (place) => (place ? Number(place.slice(1)) || null : null);

/** Parts of a text, some of them marked: `spans` are positions in characters, and what is put around them. */
export function marked(text, spans) {
  const letters = [...text];
  const parts = [];
  let done = 0;
  for (const { from, to, around } of [...spans].sort((a, b) => a.from - b.from)) {
    if (from < done || to > letters.length) continue;
    parts.push(letters.slice(done, from).join(""), around(letters.slice(from, to).join("")));
    done = to;
  }
  parts.push(letters.slice(done).join(""));
  return parts;
}

/** Shows what went wrong, and what to do. */
export function trouble(error) {
  return h("div", { class: "trouble", role: "alert" }, h("p", null, withCode(error.message)), error.home ? h("p", null, link("/", null, "All sessions")) : null);
}

/** Nothing is here, and what to do about it. */
export function empty(text, ...hints) {
  return h("div", { class: "empty" }, h("h1", null, text), hints.map((hint) => h("p", null, withCode(hint))));
}

/** Commands in a sentence of ours, between backquotes, as code. */
const withCode = (text) => text.split("`").map((part, at) => (at % 2 ? h("code", null, part) : part));
