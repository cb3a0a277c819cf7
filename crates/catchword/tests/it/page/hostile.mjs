// Views of sessions in which every field attacks: nothing runs, nothing becomes an element, nobody else is asked.
export default async function ({ given, open, settled }) {
  const origin = new URL(given.address).origin;
  const page = await open();
  let ran = 0;
  let shown = 0;
  const elements = new Set();
  const look = async () => {
    ran += await page.evaluate(() => window.__ran || 0);
    shown += await page.evaluate(() => (document.body.textContent.match(/__ran|evil\.example/g) || []).length);
    for (const name of await page.evaluate(() => [...document.querySelectorAll("#content iframe, #content img, #content script, #content style, #content link, #content object, #content embed, #content base, #content meta, #content video, #content math, #content template, #content xss, #content body, #content a[href^='javascript'], #content [onerror], #content [onload], #content [srcdoc]")].map((one) => one.tagName))) elements.add(name);
  };
  const scroll = async () => {
    for (let step = 0; step < 12; step += 1) {
      await page.evaluate(() => { window.scrollBy({ top: 2500, behavior: "instant" }); for (const one of [...document.querySelectorAll(".item details:not([open])")].slice(0, 6)) one.open = true; });
      await page.waitForTimeout(60);
      await look();
    }
    await page.waitForTimeout(500);
    await look();
  };
  await page.goto(given.address);
  await settled(page);
  await page.waitForTimeout(1500);
  await look();
  for (const id of given.sessions) {
    for (const path of ["", "/compaction/1", "/rules"]) {
      await page.goto(`${origin}/session/${id}${path}`);
      await settled(page);
      await page.waitForTimeout(500);
      await look();
      if (!path) await scroll();
    }
    await page.evaluate(() => document.querySelectorAll("button.place").forEach((one, at) => { if (at < 10) one.click(); }));
  }
  for (const words of given.words.split(" ")) {
    await page.goto(`${origin}/search?q=${encodeURIComponent(words)}`);
    await page.waitForTimeout(500);
    await look();
  }
  await page.goto(`${origin}/search?q=${encodeURIComponent("<img src=x onerror=window.__ran=1>")}`);
  await page.goto(`${origin}/session/${encodeURIComponent("<img src=x onerror=window.__ran=1>")}/L1`).catch(() => null);
  await page.waitForTimeout(300);
  await look();
  await page.goto(given.exported);
  await settled(page);
  await scroll();
  return { ran, shown, elements: [...elements] };
}
