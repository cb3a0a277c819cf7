// Without a mouse: to the search, through the passages, into one; through the sessions with j and k.
export default async function ({ given, open, settled }) {
  const page = await open();
  await page.goto(given.address);
  await settled(page);
  await page.keyboard.press("j");
  await page.waitForFunction(() => document.activeElement?.classList.contains("row"));
  await page.keyboard.press("/");
  await page.keyboard.type("old table");
  await page.waitForSelector(".hit mark");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForSelector("article.item.here");
  const opened = new URL(page.url()).pathname;
  const shown = await page.locator("article.item.here").first().evaluate((one) => {
    const box = one.getBoundingClientRect();
    return box.top >= 0 && box.bottom <= window.innerHeight + 400;
  });
  await page.goBack();
  await page.waitForSelector(".hit");
  const find = page.getByRole("searchbox", { name: "Search every session" });
  await find.fill("lexre");
  await page.waitForSelector("text=Did you mean");
  const meant = await page.locator(".results a").first().textContent();
  await page.locator(".results a").first().click();
  await page.waitForSelector(".hit mark");
  // Every filter that is offered is one.
  const refused = [];
  for (const filter of await page.locator(".chips button code").allTextContents()) {
    await find.fill(`table ${filter}`);
    const answered = await page.waitForResponse((response) => decodeURIComponent(response.url()).includes(filter));
    if (answered.status() !== 200) refused.push(filter);
  }
  return { opened, shown, meant, refused };
}
