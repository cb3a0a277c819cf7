// Runs one test script in Chromium: node drive.mjs SCRIPT < {"chromium", "axe", "address", …}. The script's default export
// gets `given` and a kit, and what it returns is printed as JSON. Whatever the page reports on its console, or asks another
// host for, comes with it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, script] = process.argv.slice(2);
const require = createRequire(path.join(modules, "package.json"));
const { chromium } = require("playwright-core");
const given = JSON.parse(readFileSync(0, "utf8"));
// The tests' own pages are the only ones that are opened; a container has no namespaces for a sandbox.
const browser = await chromium.launch({ executablePath: given.chromium, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
const reported = [];
const foreign = [];

/** A window; everything in it that goes wrong is reported. */
async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, locale: "en-GB", timezoneId: "UTC", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => reported.push(String(error)));
  page.on("dialog", (dialog) => { reported.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("console", (message) => { if (message.type() === "error") reported.push(`${message.text()} ${message.location().url}`); });
  page.on("request", (request) => {
    const own = new URL(given.address).origin;
    if (!request.url().startsWith(own) && !/^(data:|blob:|file:)/.test(request.url())) foreign.push(request.url());
  });
  return page;
}

/** What people could not use, in a few words each. */
async function violations(page) {
  // The policy of the page forbids injected scripts; this is evaluated by the browser's debugger.
  await page.evaluate(given.axe ? readFileSync(given.axe, "utf8") : "");
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.target} ${node.html.slice(0, 120)}`).join(" | ")}`);
}

/** Waits until a view stands. */
async function settled(page) {
  await page.waitForFunction(() => !document.querySelector("#content[aria-busy]") && document.querySelector("#content")?.children.length > 0);
}

let status = 0;
try {
  const test = (await import(pathToFileURL(script).href)).default;
  const answer = await test({ given, open, violations, settled, browser });
  process.stdout.write(JSON.stringify({ answer, reported, foreign }));
} catch (error) {
  process.stderr.write(`${error.stack}\n${reported.join("\n")}\n`);
  status = 1;
} finally {
  await browser.close();
}
process.exit(status);
