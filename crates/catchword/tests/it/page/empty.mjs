// A home without a session; no token; a session and a page that are not there.
export default async function ({ given, open, settled }) {
  const origin = new URL(given.address).origin;
  const other = await open();
  await other.goto(origin);
  await other.waitForSelector(".trouble");
  const untold = await other.locator("#content").textContent();
  const page = await open();
  await page.goto(given.address);
  await settled(page);
  const text = await page.locator("#content").textContent();
  const at = async (path) => {
    await page.goto(`${origin}${path}`);
    await page.waitForSelector(".trouble");
    return page.locator("#content").textContent();
  };
  const nobody = await at("/session/nobody");
  await page.evaluate(() => { history.pushState(null, "", "/session/a/b/c"); dispatchEvent(new PopStateEvent("popstate")); });
  await page.waitForFunction(() => document.querySelector("#content").textContent.includes("no such page"));
  return { text, untold, nobody, nowhere: await page.locator("#content").textContent() };
}
