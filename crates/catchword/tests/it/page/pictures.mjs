// Every view in both themes at three widths.
import path from "node:path";

export default async function ({ given, open, settled }) {
  const origin = new URL(given.address).origin;
  const main = given.sessions[0].id;
  const codex = given.sessions[1].id;
  const views = { sessions: "/", session: `/session/${main}`, place: `/session/${main}/L60`, compaction: `/session/${main}/compaction/2`, rules: `/session/${main}/rules`,
    search: "/search?q=token table", codex: `/session/${codex}` };
  let pictures = 0;
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [360, 800, 1400]) {
      const page = await open({ viewport: { width, height: width < 500 ? 780 : 950 }, colorScheme });
      await page.goto(given.address);
      await settled(page);
      for (const [name, view] of Object.entries(views)) {
        await page.goto(`${origin}${view}`);
        await settled(page);
        await page.waitForTimeout(1200);
        await page.screenshot({ path: path.join(given.folder, `${name}-${colorScheme}-${width}.png`) });
        pictures += 1;
      }
      await page.close();
    }
  }
  return { pictures };
}
