// A session that goes on while it is looked at.
import { appendFileSync } from "node:fs";

export default async function ({ given, open, settled }) {
  const page = await open();
  await page.goto(given.address);
  await settled(page);
  await page.waitForSelector("article.item");
  await page.waitForTimeout(1500);
  // In the middle of the conversation: what is read must not move.
  await page.evaluate(() => window.scrollTo({ top: document.documentElement.scrollHeight / 2, behavior: "instant" }));
  await page.waitForTimeout(300);
  const seen = await page.evaluate(() => {
    const row = [...document.querySelectorAll("article.item")].find((one) => one.getBoundingClientRect().top > 100);
    row.dataset.watched = "yes";
    return row.getBoundingClientRect().top;
  });
  appendFileSync(given.transcript, given.more);
  await page.waitForFunction(() => document.querySelector(".contents").textContent.includes("weather forecast"));
  await page.waitForTimeout(1000);
  const top = await page.evaluate(() => document.querySelector("[data-watched]")?.getBoundingClientRect().top ?? -9999);
  await page.evaluate(() => window.scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" }));
  await page.waitForFunction(() => [...document.querySelectorAll("article.item.person")].some((one) => one.textContent.includes("weather forecast")));
  return { grown: true, moved: Math.round(Math.abs(top - seen)) };
}
