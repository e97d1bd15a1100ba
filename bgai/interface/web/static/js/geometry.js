// Where everything lies on the board, in units of the picture. Home is at the right unless flipped.
// A slot is a point 1..24 in the person's numbering, or one of the names below.

export const BAR = "bar-you";
export const THEIR_BAR = "bar-them";
export const OFF = "off-you";
export const THEIR_OFF = "off-them";

export const WIDTH = 906;
export const HEIGHT = 780;
export const RADIUS = 29;
export const POINT_HEIGHT = 300;
export const TOP = 32;
export const BOTTOM = 748;
export const MIDDLE = (TOP + BOTTOM) / 2;
export const SHOWN_IN_STACK = 5;

export const COLUMN = 62;
export const LEFT = 14;
const BAR_LEFT = LEFT + 6 * COLUMN;
const BAR_WIDTH = 64;
const RIGHT = BAR_LEFT + BAR_WIDTH;
const TRAY_LEFT = RIGHT + 6 * COLUMN + 8;
export const TRAY_WIDTH = WIDTH - TRAY_LEFT - 8;

/** The upper and the lower row from left to right, as seen with the home at the right. */
export const ROWS = [
  [13, 14, 15, 16, 17, 18, THEIR_BAR, 19, 20, 21, 22, 23, 24, THEIR_OFF],
  [12, 11, 10, 9, 8, 7, BAR, 6, 5, 4, 3, 2, 1, OFF],
];

export function isTop(slot) {
  return slot === THEIR_BAR || slot === THEIR_OFF || slot > 12;
}

function columnOf(slot) {
  const row = ROWS[isTop(slot) ? 0 : 1];
  return row.indexOf(slot);
}

/** The left edge and the width of a slot's column. */
function span(slot) {
  const column = columnOf(slot);
  if (column === 13) return [TRAY_LEFT, TRAY_WIDTH];
  if (column === 6) return [BAR_LEFT, BAR_WIDTH];
  return [column < 6 ? LEFT + column * COLUMN : RIGHT + (column - 7) * COLUMN, COLUMN];
}

/** The rectangle of a slot: x, y, width, height. */
export function rectangle(slot, isFlipped) {
  const [left, width] = span(slot);
  const x = isFlipped ? WIDTH - left - width : left;
  const y = isTop(slot) ? TOP : BOTTOM - POINT_HEIGHT;
  return { x, y, width, height: POINT_HEIGHT };
}

/** The centre of the checker number `index` (from 0) that lies on a slot. */
export function checkerCentre(slot, index, isFlipped) {
  const { x, width } = rectangle(slot, isFlipped);
  const step = Math.min(index, SHOWN_IN_STACK - 1) * 2 * RADIUS;
  const centre = x + width / 2;
  if (slot === BAR || slot === THEIR_BAR) {
    // the ends of the bar are for the cube
    const away = 66 + Math.min(index, 2) * 2 * RADIUS;
    return [centre, slot === BAR ? MIDDLE + away : MIDDLE - away];
  }
  return [centre, isTop(slot) ? TOP + RADIUS + 2 + step : BOTTOM - RADIUS - 2 - step];
}

/** The middle of the half of the board that is seen at the left or at the right. */
export function halfCentre(isRight, isFlipped) {
  const [near, far] = [LEFT + 3 * COLUMN, RIGHT + 3 * COLUMN];
  if (isFlipped) return [WIDTH - (isRight ? near : far), MIDDLE];
  return [isRight ? far : near, MIDDLE];
}

/** The centre of the cube, in the middle or at the end of its owner. */
export function cubeCentre(owner, isFlipped) {
  const { x, width } = rectangle(BAR, isFlipped);
  const away = owner === null ? 0 : BOTTOM - MIDDLE - 36;
  return [x + width / 2, owner === "them" ? MIDDLE - away : MIDDLE + away];
}

/** A point of the opponent's numbering, bar and off included, as a slot. */
export function theirSlot(point, isStart) {
  if (point === 25) return THEIR_BAR;
  if (point === 0 && !isStart) return THEIR_OFF;
  return 25 - point;
}

/** A point of the person's numbering as a slot. */
export function yourSlot(point, isStart) {
  if (point === 25) return BAR;
  if (point === 0 && !isStart) return OFF;
  return point;
}

/** The number that the server knows a slot of the person's by. */
export function pointOf(slot) {
  if (slot === BAR) return 25;
  if (slot === OFF) return 0;
  return slot;
}

export function slotNamed(text) {
  return /^\d+$/.test(text) ? Number(text) : text;
}
