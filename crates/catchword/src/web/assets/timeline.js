// Context fill over the session as an area, compactions as cuts. Drawn in the pixels that are there, so that letters stay
// letters on a narrow screen.

import { clock, compact, date, day, h, href, moment, number, s } from "/element.js";

const [TOP, LEFT, RIGHT] = [34, 44, 10];
/** Pixels below the axis: places, and under them when that was. */
const FOOT = 40;
/** Pixels that the numbers of a cut need. */
const ROOM = 112;

/** Round steps of an axis that ends at `most`. */
function steps(most, wanted) {
  const raw = most / wanted;
  const power = 10 ** Math.floor(Math.log10(raw || 1));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= raw) || 1;
  return Array.from({ length: Math.floor(most / step) }, (_, at) => (at + 1) * step);
}

/** Tokens over lines; at a cut they fall at once. */
function shape(fill, cuts) {
  const points = [];
  let next = 0;
  for (const point of fill) {
    while (next < cuts.length && cuts[next].line < point.line) {
      const cut = cuts[next++];
      const last = points.at(-1);
      if (last) points.push([cut.line, Math.max(last[1], cut.before ?? 0)], [cut.line, cut.after ?? point.tokens]);
    }
    points.push([point.line, point.tokens]);
  }
  return points;
}

/** `fill` has places with tokens, `cuts` the compactions, `lines` how long the transcript is, `limit` where it compacts. */
export function timeline(given) {
  const holder = h("div", { class: given.low ? "timeline-holder low" : "timeline-holder" });
  const told = h("p", { class: "timeline-told", "aria-hidden": "true" });
  const figure = h("figure", { class: "timeline-box" }, holder, told);
  let drawn = 0;
  let data = given;
  const draw = () => {
    const width = Math.floor(holder.clientWidth);
    if (!width) return;
    drawn = width;
    holder.replaceChildren(drawing(data, width, told));
  };
  new ResizeObserver(() => { if (Math.floor(holder.clientWidth) !== drawn) draw(); }).observe(holder);
  return { element: figure, set: (next) => { data = next; draw(); } };
}

function drawing({ fill, cuts, lines, limit, address, go, at, placed, low, reading }, width, told) {
  const HEIGHT = low ? 132 : 202;
  const BASE = HEIGHT - FOOT;
  const highest = Math.max(0, ...fill.map((point) => point.tokens), ...cuts.map((cut) => cut.before || 0));
  const most = Math.max(limit || 0, highest, 1) * 1.04;
  const x = (line) => LEFT + (line / Math.max(lines, 1)) * (width - LEFT - RIGHT);
  const y = (tokens) => BASE - (tokens / most) * (BASE - TOP);
  const points = shape(fill, cuts).map(([line, tokens]) => `${x(line).toFixed(1)},${y(tokens).toFixed(1)}`);
  const area = points.length > 1 ? `M${points[0].split(",")[0]},${BASE} L${points.join(" L")} L${points.at(-1).split(",")[0]},${BASE} Z` : "";
  const rises = fill.length ? steps(most, low ? 2 : 3).filter((tokens) => tokens < most) : [];
  const marks = cuts.map((cut, index) => mark(cut, x, { at, address, BASE,
    after: (cuts[index + 1] ? x(cuts[index + 1].line) : width) - x(cut.line),
    before: index ? x(cut.line) - x(cuts[index - 1].line) - ROOM : x(cut.line) - LEFT }));
  const pointer = s("line", { class: "pointer", y1: TOP, y2: BASE, visibility: "hidden" });
  const last = fill.at(-1);
  const first = fill[0]?.at;
  const several = first && last?.at && day(first) !== day(last.at);
  const between = steps(lines, width > 700 ? 8 : 3).filter((line) => Number.isInteger(line) && line > 1 && x(line) < width - 60);
  const whole = [[1, "start"], ...between.map((line) => [line, "middle"]), ...(lines > 1 && x(lines) - x(between.at(-1) || 1) > 80 ? [[lines, "end"]] : [])];
  // The clock, or the day where that is another one than at the mark before.
  let [before, said] = ["", ""];
  const ticks = whole.map(([line, anchor]) => {
    const time = (line === 1 ? fill[0] : fill.findLast((point) => point.line <= line && point.at))?.at;
    const isNew = time && day(time) !== before;
    if (time) before = day(time);
    const text = isNew && several ? date(time) : clock(time);
    const isSame = text === said;
    said = text;
    return [line, anchor, isSame ? "" : text];
  });
  const sum = `Context fill over ${number(lines)} lines, ${cuts.length === 1 ? "1 compaction" : `${cuts.length} compactions`}, at most ${compact(highest)} tokens`;
  const rest = `${first ? `${day(first)}${several ? ` – ${day(last.at)}` : ""} · ` : ""}${fill.length ? `tokens in the context, at most ${compact(highest)}${limit ? `; dotted: where the client compacts, about ${compact(limit)}` : ""}` : reading ? "Reading the transcript …" : lines > 1 ? "How full the context was is not in this transcript." : ""}`;
  told.textContent = rest;
  const tell = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const line = Math.round(((event.clientX - box.left - LEFT) / (width - LEFT - RIGHT)) * lines);
    if (line < 1 || line > lines) return leave();
    const point = fill.findLast((one) => one.line <= line);
    pointer.setAttribute("x1", x(line));
    pointer.setAttribute("x2", x(line));
    pointer.setAttribute("visibility", "visible");
    const cut = cuts.find((one) => one.counts && Math.abs(x(one.line) - x(line)) < 12);
    told.textContent = cut ? spoken(cut) : `L${line}${point ? ` · ${compact(point.tokens)} tokens` : ""}${point?.at ? ` · ${moment(point.at)}` : ""}`;
    return line;
  };
  const leave = () => { pointer.setAttribute("visibility", "hidden"); told.textContent = rest; return null; };
  return s("svg", { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "group", class: "timeline", "aria-label": sum,
    onpointermove: tell, onpointerleave: leave,
    onclick: (event) => { if (event.target.closest("a")) return; const line = tell(event); if (line && go) go(line); } },
    rises.map((tokens) => [s("line", { x1: LEFT, x2: width - RIGHT, y1: y(tokens), y2: y(tokens), class: "grid" }),
      s("text", { x: LEFT - 6, y: y(tokens) + 3.5, "text-anchor": "end", class: "label" }, compact(tokens))]),
    limit ? s("line", { x1: LEFT, x2: width - RIGHT, y1: y(limit), y2: y(limit), class: "limit" }) : null,
    s("path", { d: area, class: "area" }),
    points.length ? s("polyline", { points: points.join(" "), class: "fill" }) : null,
    s("line", { x1: LEFT, x2: width - RIGHT, y1: BASE, y2: BASE, class: "axis" }),
    ticks.map(([line, anchor, time]) => [s("text", { x: x(line), y: BASE + 15, "text-anchor": anchor, class: "label" }, `L${line}`),
      time ? s("text", { x: x(line), y: BASE + 29, "text-anchor": anchor, class: "label time" }, time) : null]),
    placed ? s("line", { x1: x(placed), x2: x(placed), y1: TOP, y2: BASE, class: "placed" }) : null,
    pointer, marks);
}

const spoken = ({ number: at, line, counts }) => `Compaction ${at} at L${line}${counts ? `: ${counts.kept} kept, ${counts.lost} lost, ${counts.handed_back} handed back, ${counts.arrived} arrived` : ""}`;

/** A cut with its number and, where there is room, its four numbers. */
function mark(cut, x, { at, address, BASE, after, before }) {
  const left = x(cut.line);
  const counts = cut.counts;
  const side = !counts ? 0 : after > ROOM ? 1 : before > ROOM ? -1 : 0;
  const line = (dy, parts) => s("text", { x: left + side * 13, y: TOP - 17 + dy, "text-anchor": side < 0 ? "end" : "start", class: "numbers" },
    parts.map(([kind, words]) => s("tspan", { class: kind }, words)));
  const numbers = side ? s("g", { "aria-hidden": "true" }, line(4, [["kept", `${counts.kept} kept · `], ["lost", `${counts.lost} lost`]]),
    line(17, [["back", `${counts.handed_back} back · `], ["arrived", `${counts.arrived} arrived`]])) : null;
  return [numbers, s("a", { href: href(address(cut)), class: `cut${cut.number === at ? " here" : ""}`, "aria-label": spoken(cut), "aria-current": cut.number === at ? "true" : null },
    s("rect", { x: left - 12, y: 2, width: 24, height: BASE - 2, class: "reach" }),
    s("line", { x1: left, x2: left, y1: 24, y2: BASE }),
    s("circle", { cx: left, cy: 15, r: 10 }),
    s("text", { x: left, y: 18.8, "text-anchor": "middle", class: "name", "aria-hidden": "true" }, cut.number))];
}
