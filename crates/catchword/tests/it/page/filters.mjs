// Every filter of the list, and a live session whose gauge goes on.
import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";

export default async function ({ given, open, settled }) {
  const page = await open();
  await page.goto(given.address);
  await settled(page);
  await page.waitForFunction((all) => document.querySelectorAll(".row").length === all, given.all);
  const left = page.locator(".gauge-box").first();
  const before = await left.textContent();
  // What was asked is seen in the same look as the gauge.
  const first = await page.locator(".group + .list .title").first().textContent();
  const fitting = {};
  const count = async (name, value) => {
    const box = page.locator(`select[data-filter=${name}]`);
    await box.focus();
    const find = (element, wanted) => [...element.options].find((one) => one.value.endsWith(wanted))?.value;
    await page.waitForFunction(([name, value]) => [...document.querySelector(`select[data-filter=${name}]`).options].some((one) => one.value.endsWith(value)), [name, value]);
    await box.selectOption(await box.evaluate(find, value));
    await page.waitForFunction(() => !document.querySelector(".title-row").textContent.includes("looking"));
    await page.waitForTimeout(300);
    const rows = await page.locator(".row").count();
    await page.locator(`select[data-filter=${name}]`).selectOption("");
    return rows;
  };
  for (const [name, filter, value] of [["project", "project", "bakery"], ["client", "client", "codex"], ["branch", "branch", "weighing"],
    ["time", "time", "1"], ["live", "state", "live"], ["compacted", "state", "compacted"], ["failing", "state", "failing"]]) fitting[name] = await count(filter, value);
  await page.getByRole("searchbox", { name: "Filter sessions" }).fill("marzipan");
  fitting.text = await page.locator(".row").count();
  await page.getByRole("searchbox", { name: "Filter sessions" }).fill("");
  appendFileSync(given.transcript, given.more);
  execFileSync(given.bin, ["hook", "claude-code"], { input: JSON.stringify(given.call), env: given.environment });
  await page.waitForFunction((old) => document.querySelector(".gauge-box")?.textContent !== old, before);
  return { first, before, after: await left.textContent(), fitting };
}
