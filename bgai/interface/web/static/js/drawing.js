// Draws a display (see game.js) as a picture. Everything it shows is also told by the cells' labels.

import {
  BAR,
  BOTTOM,
  HEIGHT,
  OFF,
  RADIUS,
  ROWS,
  SHOWN_IN_STACK,
  THEIR_BAR,
  THEIR_OFF,
  TOP,
  WIDTH,
  checkerCentre,
  cubeCentre,
  halfCentre,
  isTop,
  rectangle,
} from "./geometry.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const DIE = 56;
const PIPS = {
  1: [[0, 0]],
  2: [[-1, -1], [1, 1]],
  3: [[-1, -1], [0, 0], [1, 1]],
  4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]],
  6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
};

/** A new element of a picture. */
export function shape(name, attributes, ...children) {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function group(name, ...children) {
  return shape("g", { class: name }, ...children);
}

/** The picture of a display. */
export function drawing(display, isFlipped) {
  const picture = shape("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    "aria-hidden": "true",
    focusable: "false",
  });
  picture.append(
    ...surface(isFlipped),
    group("checkers", ...checkers(display, isFlipped)),
    group("marks", ...marks(display, isFlipped)),
    group("arrows", ...display.arrows.map((arrow) => arrowShape(arrow, isFlipped))),
    ...cube(display.cube, isFlipped),
    ...dice(display.dice, isFlipped),
  );
  return picture;
}

function surface(isFlipped) {
  const frame = shape("rect", { class: "frame", width: WIDTH, height: HEIGHT, rx: 18 });
  const fields = [1, 7].map((point) => {
    const ends = [rectangle(point, isFlipped), rectangle(point + 5, isFlipped)];
    const x = Math.min(...ends.map((end) => end.x));
    const right = Math.max(...ends.map((end) => end.x + end.width));
    return shape("rect", { class: "field", x, y: TOP, width: right - x, height: BOTTOM - TOP });
  });
  const trays = [OFF, THEIR_OFF].map((slot) =>
    shape("rect", { class: "tray", rx: 6, ...rectangle(slot, isFlipped) }),
  );
  const points = Array.from({ length: 24 }, (_, index) => pointShape(index + 1, isFlipped));
  const numbers = Array.from({ length: 24 }, (_, index) => pointNumber(index + 1, isFlipped));
  return [frame, ...fields, ...trays, group("points", ...points), group("numbers", ...numbers)];
}

function pointShape(point, isFlipped) {
  const { x, y, width, height } = rectangle(point, isFlipped);
  const [base, tip] = isTop(point) ? [y, y + height - 8] : [y + height, y + 8];
  const corners = `${x + 2},${base} ${x + width - 2},${base} ${x + width / 2},${tip}`;
  return shape("polygon", { class: point % 2 ? "point odd" : "point even", points: corners });
}

function pointNumber(point, isFlipped) {
  const { x, width } = rectangle(point, isFlipped);
  const y = isTop(point) ? TOP - 10 : BOTTOM + 23;
  const label = shape("text", { x: x + width / 2, y });
  label.textContent = point;
  return label;
}

/** How many checkers of a side lie on a slot; positive the person's. */
export function countOn(display, slot) {
  if (slot === BAR) return display.board[25];
  if (slot === THEIR_BAR) return display.board[0];
  if (slot === OFF) return display.off[0];
  if (slot === THEIR_OFF) return -display.off[1];
  return display.board[slot];
}

function checkers(display, isFlipped) {
  return ROWS.flat().flatMap((slot) => {
    const count = countOn(display, slot);
    const side = count > 0 ? "yours" : "theirs";
    if (slot === OFF || slot === THEIR_OFF) return borneOff(slot, Math.abs(count), side, isFlipped);
    return stack(slot, Math.abs(count), side, display.held === slot, isFlipped);
  });
}

function stack(slot, count, side, isHeld, isFlipped) {
  const most = slot === BAR || slot === THEIR_BAR ? 3 : SHOWN_IN_STACK;
  const shown = Math.min(count, most);
  const shapes = Array.from({ length: shown }, (_, index) => {
    const isLast = index === shown - 1;
    const name = isHeld && isLast ? `checker ${side} held` : `checker ${side}`;
    return checker(checkerCentre(slot, index, isFlipped), name);
  });
  if (count > most) shapes.push(countText(checkerCentre(slot, shown - 1, isFlipped), count, side));
  return shapes;
}

export function checker([x, y], name) {
  const outer = shape("circle", { cx: x, cy: y, r: RADIUS - 1 });
  const inner = shape("circle", { class: "ring", cx: x, cy: y, r: RADIUS * 0.62 });
  return group(name, outer, inner);
}

function countText([x, y], count, side) {
  const text = shape("text", { class: `count ${side}`, x, y: y + 9 });
  text.textContent = count;
  return text;
}

function borneOff(slot, count, side, isFlipped) {
  const { x, y, width, height } = rectangle(slot, isFlipped);
  const thickness = (height - 12) / 15;
  return Array.from({ length: count }, (_, index) => {
    const away = 6 + index * thickness;
    const top = isTop(slot) ? y + away : y + height - away - thickness;
    return shape("rect", {
      class: `slab ${side}`,
      x: x + 5,
      y: top + 1,
      width: width - 10,
      height: thickness - 2,
      rx: 4,
    });
  });
}

/** What may be moved and where to, by shape: a bar at a source, a ring or a cross at a target. */
function marks(display, isFlipped) {
  const sources = display.movable.map((slot) => {
    const { x, y, width, height } = rectangle(slot, isFlipped);
    const edge = isTop(slot) ? y - 5 : y + height;
    return shape("rect", { class: "source", x: x + 8, y: edge, width: width - 16, height: 5 });
  });
  const targets = display.targets.map(({ slot, hits }) => target(display, slot, hits, isFlipped));
  return [...sources, ...targets];
}

function target(display, slot, hits, isFlipped) {
  if (slot === OFF) {
    return shape("rect", { class: "target", ...rectangle(slot, isFlipped), rx: 6 });
  }
  const count = hits ? 0 : Math.abs(countOn(display, slot));
  const [x, y] = checkerCentre(slot, Math.min(count, SHOWN_IN_STACK - 1), isFlipped);
  const ring = shape("circle", { class: "target", cx: x, cy: y, r: RADIUS - 3 });
  if (!hits) return ring;
  const arm = RADIUS * 0.5;
  const cross = `M${x - arm} ${y - arm}L${x + arm} ${y + arm}M${x + arm} ${y - arm}L${x - arm} ${y + arm}`;
  return group("hit", ring, shape("path", { class: "target", d: cross }));
}

function arrowShape({ from, to }, isFlipped) {
  const [x1, y1] = checkerCentre(from, 1, isFlipped);
  const [x2, y2] = checkerCentre(to, 1, isFlipped);
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [bx, by] = [x2 - 22 * dx, y2 - 22 * dy];
  const head = `${x2},${y2} ${bx - 11 * dy},${by + 11 * dx} ${bx + 11 * dy},${by - 11 * dx}`;
  return group(
    "arrow",
    shape("line", { x1, y1, x2: bx, y2: by }),
    shape("polygon", { points: head }),
  );
}

function cube({ value, owner, offered, isInPlay }, isFlipped) {
  if (!isInPlay) return [];
  const isOffered = offered !== null;
  const [x, y] = isOffered ? halfCentre(false, isFlipped) : cubeCentre(owner, isFlipped);
  const side = isOffered ? 76 : 54;
  const shown = isOffered ? offered : owner === null && value === 1 ? 64 : value;
  const text = shape("text", { class: "cube-value", x, y: y + side * 0.19 });
  text.textContent = shown;
  if (String(shown).length > 2) text.classList.add("long");
  const face = { x: x - side / 2, y: y - side / 2, width: side, height: side, rx: 9 };
  return [group(isOffered ? "cube offered" : "cube", shape("rect", face), text)];
}

function dice(shown, isFlipped) {
  if (shown === null) return [];
  const [centre, y] = halfCentre(shown.side === "you", isFlipped);
  const start = centre - ((shown.values.length - 1) * (DIE + 14)) / 2;
  const faces = shown.values.map((value, index) => {
    const name = shown.used[index] ? "die used" : "die";
    return dieShape(value, start + index * (DIE + 14), y, name);
  });
  return [group(`dice ${shown.side === "you" ? "yours" : "theirs"}`, ...faces)];
}

function dieShape(value, x, y, name) {
  const face = { x: x - DIE / 2, y: y - DIE / 2, width: DIE, height: DIE, rx: 11 };
  const pips = PIPS[value].map(([column, row]) =>
    shape("circle", { class: "pip", cx: x + column * 15, cy: y + row * 15, r: 5.5 }),
  );
  return group(name, shape("rect", face), ...pips);
}
