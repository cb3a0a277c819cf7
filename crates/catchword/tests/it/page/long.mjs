// 20,000 rows: how soon rows are there, whether scrolling ever shows nothing, and a place far down.
export default async function ({ given, open }) {
  const origin = new URL(given.address).origin;
  const page = await open();
  // A program that is not optimised takes its time.
  page.setDefaultTimeout(240_000);
  await page.goto(given.address);
  await page.waitForSelector(".row");
  const begun = Date.now();
  await page.goto(`${origin}/session/${given.session}`);
  await page.waitForSelector("article.item");
  const first = Date.now() - begun;
  await page.waitForFunction((rows) => document.documentElement.scrollHeight > rows * 10, given.rows);
  const all = Date.now() - begun;
  // In each frame, something of the conversation stands in the middle of the window.
  const blank = await page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const list = document.querySelector(".long-list");
    list.scrollIntoView();
    await frame();
    let empty = 0;
    const look = () => {
      const middle = document.elementFromPoint(800, 600);
      if (!middle?.closest(".item, .cut-row, .contents") && !document.elementFromPoint(800, 640)?.closest(".item, .cut-row")) empty += 1;
    };
    for (let step = 0; step < 60; step += 1) {
      window.scrollBy({ top: 700, behavior: "instant" });
      await frame();
      look();
    }
    const end = document.documentElement.scrollHeight - window.innerHeight;
    for (const part of [0.9, 0.2, 0.5, 0.99, 0.05, 0.7]) {
      window.scrollTo({ top: end * part, behavior: "instant" });
      await frame();
      look();
    }
    for (let step = 0; step < 40; step += 1) {
      window.scrollBy({ top: -900, behavior: "instant" });
      await frame();
      look();
    }
    return empty;
  });
  const elements = await page.evaluate(() => document.querySelectorAll(".long-list *").length);
  await page.evaluate((path) => { history.pushState(null, "", path); dispatchEvent(new PopStateEvent("popstate")); }, `/session/${given.session}/L15000`);
  await page.waitForSelector("article.item.here");
  await page.waitForFunction((rows) => document.documentElement.scrollHeight > rows * 10 && document.querySelector("article.item.here"), given.rows);
  await page.waitForTimeout(300);
  const place = await page.evaluate(() => {
    const here = document.querySelector("article.item.here");
    const box = here.getBoundingClientRect();
    return box.top > 0 && box.bottom < window.innerHeight ? here.querySelector(".place").textContent : `out of the window: ${box.top}`;
  });
  return { first, all, blank, elements, place };
}
