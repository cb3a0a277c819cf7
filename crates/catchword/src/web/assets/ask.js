// Asks the server. The token comes in the part of the address that no browser sends, and goes back in a header. A page
// that was exported has its answers in itself.

const KEY = "catchword-token";

const inside = document.getElementById("answers");
/** What an exported page knows: the address that it opens, and an answer for each path. */
export const exported = inside ? JSON.parse(inside.textContent) : null;

/** Takes the token out of the address, so that it stands in no history or screenshot. */
export function takeToken() {
  const given = /^#token=([0-9a-f]{32})$/.exec(location.hash);
  if (given) {
    localStorage.setItem(KEY, given[1]);
    history.replaceState(null, "", location.pathname + location.search);
  }
}

/** The latest answers, with the stamp by which the server knows whether they still hold. */
const known = new Map();
const KNOWN = 12;

async function call(path, options) {
  const headers = { "x-catchword-token": localStorage.getItem(KEY) || "" };
  const before = options.method ? null : known.get(path);
  if (before) headers["if-none-match"] = before.stamp;
  let response;
  try {
    response = await fetch(`/api/${path}`, { ...options, headers, cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer: run `catchword serve` again and open the address it prints.");
  }
  if (before && response.status === 304) return before.answer;
  const answer = await response.json().catch((error) => {
    if (error.name === "AbortError") throw error;
    return { error: "The answer could not be read." };
  });
  if (!response.ok) throw new Error(answer.error || "The server refused.");
  const stamp = response.headers.get("etag");
  known.delete(path);
  if (stamp) known.set(path, { stamp, answer });
  if (known.size > KNOWN) known.delete(known.keys().next().value);
  return answer;
}

const withQuery = (path, values) => {
  const given = Object.entries(values || {}).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return given.length ? `${path}?${new URLSearchParams(given)}` : path;
};

/** Reads a document; the same object as before, if nothing has changed. */
export async function ask(path, values, signal) {
  if (!exported) return call(withQuery(path, values), { signal });
  const answer = exported.answers[values?.subagent ? withQuery(path, { subagent: values.subagent }) : path];
  if (!answer) throw new Error("This is not in the exported file.");
  return answer;
}

/** Writes a note. */
export const note = (session, text) =>
  call("note", { method: "POST", body: JSON.stringify({ session, text }) });
