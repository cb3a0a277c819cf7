// Every view of every client; axe in both themes; three widths.
export default async function ({ given, open, violations, settled }) {
  const origin = new URL(given.address).origin;
  const found = [];
  const wide = [];
  const shift = [];
  const page = await open();
  await page.addInitScript(() => {
    window.__shift = 0;
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.__shift += entry.value; })
      .observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(given.address);
  await settled(page);
  await page.waitForFunction((wanted) => document.querySelectorAll(".row").length === wanted, given.sessions.length);
  if (page.url().includes("token")) throw new Error("the token stays in the address");
  const check = async (name) => {
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      found.push(...(await violations(page)).map((one) => `${name}, ${colorScheme}: ${one}`));
    }
    for (const width of [360, 800, 1400]) {
      await page.setViewportSize({ width, height: 900 });
      const over = await page.evaluate(() => {
        const edge = document.documentElement.clientWidth + 1;
        const isOver = (one) => !one.closest("svg, pre, .lives, summary") && one.getBoundingClientRect().right > edge;
        return [...document.querySelectorAll("body *")].filter(isOver).slice(0, 3).map((one) => `${one.tagName}.${one.className}`);
      });
      if (over.length) wide.push(`${name} at ${width}: ${over}`);
    }
  };
  const visit = async (path) => {
    // A new document, so that what moves while it is filled is counted.
    await page.goto(`${origin}${path}`);
    await settled(page);
    await page.waitForTimeout(700);
    const moved = await page.evaluate(() => window.__shift);
    if (moved > 0.1) shift.push(`${path}: ${moved.toFixed(3)}`);
  };
  await page.waitForFunction(() => document.querySelectorAll(".row .failing").length > 0);
  await check("sessions");
  let clients = 0;
  for (const { client, id } of given.sessions) {
    await visit(`/session/${encodeURIComponent(id)}`);
    await page.waitForSelector("article.item.person");
    await page.waitForSelector(".timeline .cut");
    if ((await page.locator(".head .facts").textContent()).includes(client)) clients += 1;
    if (client === "claude-code" || client === "codex") await check(client);
    await visit(`/session/${encodeURIComponent(id)}/compaction/1`);
    await page.waitForSelector("#summary-title");
    await visit(`/session/${encodeURIComponent(id)}/rules`);
    await page.waitForSelector(".lives, .empty");
  }
  const main = given.sessions[0].id;
  await visit(`/session/${main}`);
  await page.waitForFunction(() => document.querySelector(".cuts tbody .lost")?.textContent !== "…");
  await page.waitForSelector(".timeline .numbers");
  const cuts = await page.locator(".timeline .cut").count();
  // Beside each cut where there is room, and under the drawing.
  let labels = 0;
  for (let at = 0; at < cuts; at += 1) {
    await page.locator(".timeline .cut").nth(at).hover();
    if (/\d+ kept, \d+ lost, \d+ handed back, \d+ arrived/.test(await page.locator(".timeline-told").textContent())) labels += 1;
  }
  // A call opens, a change is a diff, a subagent's words are inside its call.
  const rowOf = (kind) => page.locator("article.item", { has: page.locator(".kind", { hasText: new RegExp(`^${kind}$`) }) }).first();
  await rowOf("edit").locator("summary").click();
  await page.waitForSelector(".diff .plus");
  await rowOf("command").locator("summary").click();
  await page.waitForSelector(".opened pre");
  await check("opened calls");
  await page.getByRole("searchbox", { name: "Filter this conversation" }).fill("look around");
  await rowOf("subagent").locator("summary").click();
  await page.waitForSelector(".opened .subagent article");
  const inside = (await page.locator(".opened .subagent").first().textContent()).includes("Three uses: all in the lexer.");
  await check("a subagent");
  await page.getByRole("searchbox", { name: "Filter this conversation" }).fill("part7");
  await page.waitForFunction(() => document.querySelectorAll("article.item").length > 0 && [...document.querySelectorAll("article.item")].every((one) => one.textContent.includes("part7")));
  const four = await page.locator(".cuts tbody tr").first().locator(".number:not(.wide):not(.differs)").allTextContents();
  await visit(`/session/${main}/L60`);
  await page.waitForSelector("article.item.here");
  const here = await page.locator("article.item.here").first().evaluate((one) => {
    const box = one.getBoundingClientRect();
    return Number(one.dataset.line) > 55 && Number(one.dataset.line) <= 60 && box.top > 0 && box.bottom < window.innerHeight;
  });
  await visit(`/session/${main}/compaction/2`);
  const claims = await page.locator("mark.claim").count();
  // What came back is not missing.
  const both = await page.evaluate(() => {
    const texts = (where) => [...document.querySelectorAll(where)].map((one) => one.textContent.replace(/\s*\(?L\d+\)?$/, "").trim());
    const back = new Set(texts(".side > .lines .text"));
    return texts("div.below .lines .text").filter((text) => back.has(text));
  });
  await page.locator(".lines button.place").first().click();
  await page.waitForSelector(".source article.item");
  const source = await page.locator(".source article.item").first().isVisible();
  await check("compaction");
  await visit(`/session/${main}/rules`);
  if (!(await page.locator(".lives").textContent()).includes(given.rule)) throw new Error("the rule is not there");
  await check("rules");
  await visit("/search?q=token table");
  await page.waitForSelector(".hit");
  await check("search");
  await visit(`/project?of=${encodeURIComponent(given.folder)}`);
  await page.waitForSelector(".taught .lines");
  const rule = page.locator(".taught li", { hasText: given.rule });
  const place = await rule.locator("a.place").getAttribute("href");
  await check("project");
  await rule.locator("a.place").click();
  await page.waitForSelector("article.item.here");
  const taught = place.includes("/L") && (await page.locator("article.item.here").first().textContent()).includes(given.rule);
  // In the reader's language.
  const reader = await open({ locale: "de-DE" });
  await reader.goto(given.address);
  await settled(reader);
  await reader.goto(`${origin}/session/${main}`);
  await settled(reader);
  const german = /\d{2}\.\d{2}\.2026, \d{2}:\d{2}/.test(await reader.locator(".head .facts").textContent());
  return { clients, cuts, labels, here, inside, taught, german, violations: found, wide, shift, four: four.slice(0, 4).map(Number), claims, source, both };
}
