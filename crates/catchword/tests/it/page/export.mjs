// The exported file, opened from the disk.
export default async function ({ given, open, violations, settled }) {
  const page = await open();
  await page.goto(given.address);
  await settled(page);
  await page.waitForFunction(() => document.querySelectorAll(".cuts tbody tr").length === 2 && !document.querySelector(".cuts").textContent.includes("…"));
  const cuts = await page.locator(".cuts tbody tr").count();
  await page.locator(".item details.body > summary").first().click();
  await page.waitForSelector(".opened pre");
  const opened = await page.locator(".opened pre").first().isVisible();
  await page.locator(".cuts tbody a").first().click();
  await page.waitForSelector("#back-title");
  const arrived = await page.locator(".side .ok").first().isVisible();
  await page.getByRole("link", { name: "Rules" }).click();
  await page.waitForSelector(".lives table");
  const rules = (await page.locator(".lives").textContent()).includes("vendor/legacy.txt");
  const found = await violations(page).catch((error) => [String(error)]);
  if (found.length && !found[0].includes("unsafe-eval")) throw new Error(found.join("\n"));
  return { cuts, opened, arrived, rules };
}
