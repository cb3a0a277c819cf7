// Draws the picture in the README: node docs/compaction.mjs target/debug/catchword >docs/compaction.svg
// The summary is the one in the bundled sample session, the brief is what the program prints for it. Nothing is made up;
// the sections in SHOWN are shown whole, the others are left out, and "…" stands in their place.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const SHOWN = ["The summary differs from the record", "Asked by the user", "Answered by the user", "Open work", "Failed when last run"];
const COLUMNS = 108;
const [CHARACTER, LINE, MARGIN] = [7.83, 19, 20];
const WIDTH = Math.ceil(COLUMNS * CHARACTER + 2 * MARGIN);

const sample = path.join(path.dirname(fileURLToPath(import.meta.url)), "../crates/catchword/src/cmd/sample.jsonl");
const rows = fs.readFileSync(sample, "utf8").trim().split("\n").map((row) => JSON.parse(row));
const summary = rows.find((row) => row.isCompactSummary).message.content.split("Summary:\n")[1];
// With the default settings, whatever yours are.
const env = { ...process.env, CATCHWORD_HOME: path.join(os.tmpdir(), "catchword-without-settings") };
const brief = execFileSync(process.argv[2], ["brief", "--transcript", sample, "--at", "1"], { encoding: "utf8", env });

const panels = [
  { title: "Without catchword, the agent carries on from this summary", lines: summaryLines() },
  { title: "With catchword, it also reads this, quoted from the record", lines: briefLines() },
];
process.stdout.write(draw());

// A point of the summary per line; what the brief contradicts is red.
function summaryLines() {
  const wrong = [...brief.matchAll(/the summary says "(.*?)";/g)].map((match) => match[1]);
  return summary
    .split(/ (?=\d\. )/)
    .flatMap((point) => wrap(point, wrong.some((words) => point.startsWith(words)) ? "wrong" : "text", "   "));
}

// The chosen sections, with "…" for what is left out.
function briefLines() {
  const [opening, ...sections] = brief.replace(/<\/?catchword-record>\n?/g, "").split(/\n*^## /m);
  const lines = wrap(opening.trim(), "quiet", "");
  const missing = SHOWN.filter((heading) => !sections.some((section) => section.startsWith(`${heading}\n`)));
  if (missing.length > 0) throw new Error(`the brief has no section ${missing.join(", ")}: change SHOWN`);
  let skipped = false;
  for (const section of sections) {
    const [heading, ...items] = section.trimEnd().split("\n");
    if (!SHOWN.includes(heading)) {
      skipped = true;
      continue;
    }
    lines.push({ kind: "quiet", text: skipped ? "…" : "" }, { kind: "heading", text: `## ${heading}` });
    lines.push(...items.flatMap((item) => wrap(item, "text", "  ")));
    skipped = false;
  }
  return skipped ? [...lines, { kind: "quiet", text: "…" }] : lines;
}

function wrap(text, kind, indent) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    const longer = last === "" ? word : `${last} ${word}`;
    if (longer.length <= COLUMNS) lines[lines.length - 1] = longer;
    else lines.push(indent + word);
  }
  return lines.map((line) => ({ kind, text: line }));
}

function draw() {
  let top = 0;
  const parts = panels.map(({ title, lines }) => {
    const height = (lines.length + 1) * LINE + 2 * MARGIN;
    const texts = lines.map(({ kind, text }, n) => row(kind, text, top + MARGIN + (n + 2) * LINE));
    const part = [
      `<rect y="${top}" width="${WIDTH}" height="${height}" rx="8" class="panel"/>`,
      row("title", title, top + MARGIN + LINE / 2),
      ...texts,
    ];
    top += height + MARGIN / 2;
    return part.join("\n");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top - MARGIN / 2}" width="${WIDTH}" role="img">
<title>What an agent reads after a compaction, without catchword and with it</title>
<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; fill: #d6deeb }
.panel { fill: #10171e }
.title { fill: #8fa3b8; font-weight: bold }
.heading { fill: #7fd1b9; font-weight: bold }
.wrong { fill: #ff8b8b }
.quiet, .place { fill: #7a8b9c }
</style>
${parts.join("\n")}
</svg>
`;
}

// `L44` at the end of a line is its place in the transcript.
function row(kind, text, y) {
  if (text.trim() === "") return "";
  const escaped = text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const inside = kind === "text" ? escaped.replace(/ (L\d+)$/, ' <tspan class="place">$1</tspan>') : escaped;
  return `<text x="${MARGIN}" y="${y}" class="${kind}" xml:space="preserve">${inside}</text>`;
}
