// What other machines and people recorded: listed, filtered, and opened, from the history here or from the archive.
export default async function ({ given, open, settled }) {
  const origin = new URL(given.address).origin;
  const page = await open();
  await page.goto(given.address);
  await settled(page);
  await page.waitForFunction(() => document.querySelectorAll(".row").length === 2);
  const people = await page.locator("select[data-filter=person] option").allTextContents();
  const machines = await page.locator("select[data-filter=machine] option").count();
  await page.locator("select[data-filter=person]").selectOption("anna");
  const hers = await page.locator(".row .title").allTextContents();
  await page.locator(".row").first().click();
  await page.waitForSelector("article.item.person");
  const opened = await page.locator("#content").textContent();
  await page.goto(`${origin}/search?q=kohlrabi`);
  await page.waitForSelector(".hit mark");
  await page.locator(".hit").first().click();
  await page.waitForSelector("article.item.person");
  return { people, machines, hers, opened, there: await page.locator("#content").textContent() };
}
