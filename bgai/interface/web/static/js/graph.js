// The win-chance graph: chances upwards, turns from left to right; time is never mirrored.

import { shape } from "./drawing.js";
import { t } from "./texts.js";

const [WIDTH, HEIGHT] = [360, 172];
const [LEFT, RIGHT, TOP, BOTTOM] = [44, 350, 10, 130];
const CHANCES = [0, 0.5, 1];
const MOST_TICKS = 6;

const across = (turn, turns) => LEFT + ((RIGHT - LEFT) * (turn - 1)) / Math.max(1, turns - 1);
const above = (chance) => BOTTOM - (BOTTOM - TOP) * chance;

function label(x, y, text, anchor) {
  const node = shape("text", { class: "graph-text", x, y, "text-anchor": anchor });
  node.textContent = text;
  return node;
}

/** Round turns, a few of them, the first and the last among them. */
function ticks(turns) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((size) => turns / size <= MOST_TICKS) ?? turns;
  const round = [];
  for (let turn = step; turn < turns - step / 2; turn += step) round.push(turn);
  return [...new Set([1, ...round, turns])];
}

/** A picture of points `{turn, chance}`. */
export function graph(points, title) {
  const turns = Math.max(...points.map(({ turn }) => turn));
  const picture = shape("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: "graph",
    role: "img",
    "aria-label": title,
    direction: "ltr",
  });
  const field = { class: "graph-field", x: LEFT, y: TOP, width: RIGHT - LEFT, height: BOTTOM - TOP };
  picture.append(shape("rect", field));
  for (const chance of CHANCES) {
    const y = above(chance);
    picture.append(shape("line", { class: "graph-level", x1: LEFT, x2: RIGHT, y1: y, y2: y }));
    picture.append(label(LEFT - 6, y + 4, `${100 * chance}%`, "end"));
  }
  for (const turn of ticks(turns)) {
    const x = across(turn, turns);
    picture.append(shape("line", { class: "graph-tick", x1: x, x2: x, y1: BOTTOM, y2: BOTTOM + 5 }));
    picture.append(label(x, BOTTOM + 18, String(turn), "middle"));
  }
  picture.append(label((LEFT + RIGHT) / 2, HEIGHT - 4, t("web.account.turns"), "middle"));
  const line = points.map(({ turn, chance }) => `${across(turn, turns).toFixed(1)},${above(chance).toFixed(1)}`);
  picture.append(shape("polyline", { class: "graph-line", points: line.join(" ") }));
  return picture;
}
