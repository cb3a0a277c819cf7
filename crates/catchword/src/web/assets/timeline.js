// Context fill over the session as an area, compactions as cuts.

import { compact, h, number, s } from "/element.js";

const WIDTH = 1000;
const HEIGHT = 160;
const BASE = 130;

/** `fill` has places with tokens, `cuts` the compactions, `lines` how long the transcript is, `limit` where it compacts. */
export function timeline({ fill, cuts, lines, limit, address, at }) {
  const most = Math.max(limit || 0, ...fill.map((point) => point.tokens), ...cuts.map((cut) => cut.before || 0), 1);
  const x = (line) => (line / Math.max(lines, 1)) * WIDTH;
  const y = (tokens) => BASE - (tokens / most) * (BASE - 18);
  const points = fill.map((point) => `${x(point.line).toFixed(1)},${y(point.tokens).toFixed(1)}`);
  const area = points.length ? `M${x(fill[0].line).toFixed(1)},${BASE} L${points.join(" L")} L${x(fill.at(-1).line).toFixed(1)},${BASE} Z` : "";
  const marks = cuts.map((cut) =>
    s("a", { href: address(cut), class: `cut${cut.number === at ? " here" : ""}`, "aria-label": `Compaction ${cut.number}` },
      s("rect", { x: x(cut.line) - 9, y: 4, width: 18, height: BASE - 4, class: "reach" }),
      s("line", { x1: x(cut.line), x2: x(cut.line), y1: 14, y2: BASE }),
      s("circle", { cx: x(cut.line), cy: 12, r: 8 }),
      s("text", { x: x(cut.line), y: 15.5, "text-anchor": "middle" }, cut.number),
      s("title", null, `Compaction ${cut.number} at L${cut.line}`)));
  const drawing = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", class: "timeline",
    "aria-label": `Context fill over ${number(lines)} lines, ${cuts.length} compactions` },
    s("line", { x1: 0, x2: WIDTH, y1: BASE, y2: BASE, class: "axis" }),
    limit ? s("line", { x1: 0, x2: WIDTH, y1: y(limit), y2: y(limit), class: "limit" }) : null,
    s("path", { d: area, class: "area" }),
    points.length ? s("polyline", { points: points.join(" "), class: "fill" }) : null,
    marks,
    s("text", { x: 0, y: HEIGHT - 10, class: "label" }, "L1"),
    s("text", { x: WIDTH, y: HEIGHT - 10, "text-anchor": "end", class: "label" }, `L${number(lines)}`));
  const key = limit
    ? h("p", { class: "key quiet" }, `The context compacts at about ${compact(limit)} tokens.`)
    : h("p", { class: "key quiet" }, `The most was ${compact(most)} tokens.`);
  return h("figure", { class: "timeline-box" }, drawing, h("figcaption", null, key));
}
