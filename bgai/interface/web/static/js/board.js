// The board: a grid of cells that can be focused, clicked and dragged, over the picture.

import { checker, countOn, drawing } from "./drawing.js";
import { game } from "./game.js";
import { BAR, HEIGHT, OFF, ROWS, THEIR_BAR, THEIR_OFF, WIDTH, rectangle, slotNamed } from "./geometry.js";
import { setting } from "./settings.js";
import { t } from "./texts.js";

const DRAG_STARTS = 7; // pixels; a trembling finger still clicks

const container = document.getElementById("board");
const grid = document.getElementById("board-grid");
const picture = document.getElementById("board-picture");
const cells = new Map();
let focused = 6;
let drag = null;

const isFlipped = () => setting("homeSide") === "left";

// -- cells

/** Lay the cells out as the picture shows them; their order is that of the rows on the screen. */
export function layOutCells() {
  const rows = ROWS.map((row) => {
    const node = document.createElement("div");
    node.setAttribute("role", "row");
    const slots = isFlipped() ? [...row].reverse() : row;
    node.append(...slots.map(cellOf));
    return node;
  });
  grid.replaceChildren(...rows);
}

function cellOf(slot) {
  const cell = cells.get(slot) ?? document.createElement("div");
  cells.set(slot, cell);
  cell.setAttribute("role", "gridcell");
  cell.dataset.slot = slot;
  const { x, y, width, height } = rectangle(slot, isFlipped());
  cell.style.left = `${(100 * x) / WIDTH}%`;
  cell.style.top = `${(100 * y) / HEIGHT}%`;
  cell.style.width = `${(100 * width) / WIDTH}%`;
  cell.style.height = `${(100 * height) / HEIGHT}%`;
  return cell;
}

/** What a cell is called: where it is, what lies there and what may be done with it. */
export function cellLabel(slot) {
  const display = game.display;
  const count = countOn(display, slot);
  const parts = [placeText(slot), holdingText(slot, count)];
  if (Math.abs(count) === 1 && typeof slot === "number") parts.push(t("web.point.blot"));
  if (game.held === null && game.isMovable(slot)) parts.push(t("web.point.movable"));
  if (game.held !== null) {
    const way = game.wayTo(game.held, slot);
    if (way) parts.push(t(way.hits ? "web.point.legal_hit" : "web.point.legal"));
    if (slot === game.held) parts.push(t("web.point.held"));
  }
  return parts.join(t("moves.separator"));
}

function placeText(slot) {
  if (slot === BAR) return t("web.point.bar_you");
  if (slot === THEIR_BAR) return t("web.point.bar_them");
  if (slot === OFF) return t("web.point.off_you");
  if (slot === THEIR_OFF) return t("web.point.off_them");
  return t("web.point.number", { point: String(slot) });
}

function holdingText(slot, count) {
  if (count === 0) return t("web.point.empty");
  return t(count > 0 ? "web.point.yours" : "web.point.theirs", { count: Math.abs(count) });
}

export function drawBoard() {
  picture.replaceChildren(drawing(game.display, isFlipped()));
  for (const [slot, cell] of cells) {
    cell.tabIndex = slot === focused ? 0 : -1;
    cell.setAttribute("aria-label", cellLabel(slot));
    cell.setAttribute("aria-selected", String(slot === game.held));
    cell.classList.toggle("movable", game.isMovable(slot));
  }
}

export function focusedSlot() {
  return focused;
}

export function focusCell(slot = focused) {
  cells.get(focused).tabIndex = -1;
  focused = slot;
  const cell = cells.get(slot);
  cell.tabIndex = 0;
  cell.focus({ preventScroll: true });
}

// -- pointer: click a checker to play it with the first die, drag it anywhere, hold it and drop it

function slotAt(event) {
  const cell = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-slot]");
  return cell ? slotNamed(cell.dataset.slot) : null;
}

function pointInPicture(event) {
  const box = picture.getBoundingClientRect();
  return [
    ((event.clientX - box.left) / box.width) * WIDTH,
    ((event.clientY - box.top) / box.height) * HEIGHT,
  ];
}

function startDrag(event) {
  if (event.button !== 0 || game.isBusy) return;
  const slot = slotAt(event);
  if (slot === null) return;
  drag = { slot, x: event.clientX, y: event.clientY, ghost: null, hadHeld: game.held };
  if (game.isMovable(slot)) grid.setPointerCapture(event.pointerId);
}

function continueDrag(event) {
  if (drag === null || !game.isMovable(drag.slot)) return;
  const distance = Math.hypot(event.clientX - drag.x, event.clientY - drag.y);
  if (drag.ghost === null) {
    if (distance < DRAG_STARTS) return;
    game.hold(drag.slot);
    drag.ghost = checker([0, 0], "checker yours ghost");
  }
  const [x, y] = pointInPicture(event);
  drag.ghost.setAttribute("transform", `translate(${x} ${y})`);
  picture.firstElementChild.append(drag.ghost);
}

async function endDrag(event) {
  if (drag === null) return;
  const { slot, ghost, hadHeld } = drag;
  drag = null;
  const end = slotAt(event);
  if (ghost !== null) {
    ghost.remove();
    if (end === null || end === slot) game.hold(null);
    else await game.move(slot, end);
    return;
  }
  if (end !== slot) return;
  focusCell(slot);
  await click(slot, hadHeld);
}

async function click(slot, held) {
  if (held !== null && held !== slot && game.wayTo(held, slot)) {
    await game.move(held, slot);
  } else if (held === slot) {
    game.hold(null);
  } else if (slot === OFF) {
    await game.bearOff();
  } else if (game.isMovable(slot)) {
    if (setting("oneClick")) await game.moveByDie(slot);
    else game.hold(slot);
  } else if (held !== null) {
    game.hold(null);
  }
}

function otherDie(event) {
  event.preventDefault();
  const slot = slotAt(event);
  drag = null;
  if (slot !== null && game.isMovable(slot)) game.moveByDie(slot, true);
}

export function startBoard() {
  layOutCells();
  grid.addEventListener("pointerdown", startDrag);
  grid.addEventListener("pointermove", continueDrag);
  grid.addEventListener("pointerup", endDrag);
  grid.addEventListener("pointercancel", () => {
    drag = null;
    game.hold(null);
  });
  grid.addEventListener("contextmenu", otherDie);
  container.addEventListener("focusin", (event) => {
    const name = event.target.dataset?.slot;
    if (name !== undefined) focused = slotNamed(name);
  });
}
