// The timeline of the bundled sample, for the README.
export default async function ({ given, open, settled }) {
  const page = await open({ viewport: { width: 1060, height: 760 }, colorScheme: "light" });
  await page.goto(given.address);
  await settled(page);
  await page.waitForSelector(".timeline .numbers");
  await page.waitForSelector("article.item");
  const arrived = Number(await page.locator(".cuts tbody .arrived").first().textContent()) > 0;
  await page.waitForTimeout(500);
  await page.screenshot({ path: given.picture });
  return { arrived };
}
