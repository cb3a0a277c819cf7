// Asks the server. The token comes in the part of the address that no browser sends, and goes back in a header.

const KEY = "catchword-token";

/** Takes the token out of the address, so that it stands in no history or screenshot. */
export function takeToken() {
  const given = /^#token=([0-9a-f]{32})$/.exec(location.hash);
  if (given) {
    localStorage.setItem(KEY, given[1]);
    history.replaceState(null, "", location.pathname + location.search);
  }
}

async function call(path, options) {
  const headers = { "x-catchword-token": localStorage.getItem(KEY) || "" };
  let response;
  try {
    response = await fetch(`/api/${path}`, { ...options, headers, cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer: run `catchword serve` again and open the address it prints.");
  }
  const document = await response.json().catch(() => ({ error: "The answer could not be read." }));
  if (!response.ok) throw new Error(document.error || "The server refused.");
  return document;
}

const query = (values) => {
  const given = Object.entries(values || {}).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return given.length ? `?${new URLSearchParams(given)}` : "";
};

/** Reads a document. */
export const ask = (path, values, signal) => call(path + query(values), { signal });

/** Writes a note. */
export const note = (session, text) =>
  call("note", { method: "POST", body: JSON.stringify({ session, text }) });
