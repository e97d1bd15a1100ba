// The board by keyboard. Keys count only while the board has the focus, and can be switched off.

import { focusCell, focusedSlot } from "./board.js";
import { countOn } from "./drawing.js";
import { game } from "./game.js";
import { BAR, OFF, ROWS, THEIR_BAR, THEIR_OFF, slotNamed } from "./geometry.js";
import { setting } from "./settings.js";
import { announce, speakBoard, speakCell, speakCube, speakDice, speakLastPlay, speakPips, speakScore, speakTurn } from "./speech.js";
import { t } from "./texts.js";

/** The track as a horseshoe: the lower row from 1 to 12, round the bend, and on to 24. */
const UPPER = ROWS[0].slice(0, 13);
const LOWER = ROWS[1].slice(0, 13);
const HORSESHOE = [...[...LOWER].reverse(), ...UPPER];

const isBar = (slot) => slot === BAR || slot === THEIR_BAR;
const isEmptyBar = (slot) => isBar(slot) && countOn(game.display, slot) === 0;

/** The next cell in the picture to the left or right; round the bend at the closed end (12, 13). */
function beside(slot, isRight) {
  const toRight = setting("homeSide") === "left" ? !isRight : isRight;
  if (slot === OFF) return toRight ? slot : 1;
  if (slot === THEIR_OFF) return toRight ? slot : 24;
  const isUpper = UPPER.includes(slot);
  const next = HORSESHOE[HORSESHOE.indexOf(slot) + (isUpper === toRight ? 1 : -1)];
  if (next === undefined) return isUpper ? THEIR_OFF : OFF;
  return isEmptyBar(next) ? beside(next, isRight) : next;
}

function facing(slot) {
  const pairs = { [BAR]: THEIR_BAR, [THEIR_BAR]: BAR, [OFF]: THEIR_OFF, [THEIR_OFF]: OFF };
  return typeof slot === "number" ? 25 - slot : pairs[slot];
}

/** The next slot along the horseshoe, after the focused one, that a test is true of. */
function nextSlot(test, isBackwards = false) {
  const slots = [...HORSESHOE, OFF];
  if (isBackwards) slots.reverse();
  const start = slots.indexOf(focusedSlot()) + 1;
  return [...slots.slice(start), ...slots.slice(0, start)].find(test);
}

function go(slot) {
  if (slot !== undefined) focusCell(slot);
}

async function enter(isOtherDie) {
  const slot = focusedSlot();
  if (game.held !== null) return drop(slot);
  if (game.allows("roll")) return document.getElementById("act-roll").click();
  if (game.view.may_confirm && !game.isBusy) return void (await game.act("confirm"));
  if (!game.isMovable(slot)) return announce(t("web.say.cannot_pick_up"), true);
  if (isOtherDie) return void (await game.moveByDie(slot, true));
  game.hold(slot);
  announce(t("web.say.picked_up", { targets: targetsText(slot) }));
}

async function drop(slot) {
  if (slot === game.held) {
    game.hold(null);
    return announce(t("web.say.put_back"));
  }
  if (!game.wayTo(game.held, slot)) return announce(t("web.say.not_legal"), true);
  await game.move(game.held, slot);
}

function targetsText(slot) {
  return game
    .waysFrom(slot)
    .map(({ to }) => (to === 0 ? t("board.off") : String(to)))
    .join(t("moves.separator"));
}

function escape() {
  if (game.held === null) return;
  game.hold(null);
  announce(t("web.say.put_back"));
}

/** Take back a move, all of the turn or the last decision, and say so. */
export async function undo(isWhole = false) {
  if (!game.view.may_undo || game.isBusy) return announce(t("web.say.nothing_to_undo"), true);
  const action = game.view.moves.length === 0 ? "undo_turn" : isWhole ? "undo_moves" : "undo_move";
  if (await game.act(action)) announce(t("web.say.undone"));
}

async function double() {
  if (!game.allows("double")) return announce(t("web.say.no_double"), true);
  await game.act("double");
}

function swap() {
  if (!game.maySwap) return announce(t("web.say.no_swap"), true);
  game.swapDice();
  announce(t("web.say.swapped", { die: String(game.order[0]) }));
}

const openHelp = () => document.getElementById("open-help").click();
const openHint = () => document.getElementById("act-hint").click();

/** The keys in the order of the help; letters by their place, whatever the keyboard writes. */
export const KEYS = [
  { keys: ["ArrowLeft"], help: "web.key.arrows", shown: "\u2190 \u2192", run: () => go(beside(focusedSlot(), false)) },
  { keys: ["ArrowRight"], run: () => go(beside(focusedSlot(), true)) },
  { keys: ["ArrowUp", "ArrowDown"], help: "web.key.facing", shown: "\u2191 \u2193", run: () => go(facing(focusedSlot())) },
  { keys: ["Home"], help: "web.key.bar", shown: "Home", run: () => go(BAR) },
  { keys: ["End"], help: "web.key.tray", shown: "End", run: () => go(OFF) },
  { keys: ["PageDown"], help: "web.key.own", shown: "Page Up, Page Down", run: () => go(nextSlot(isOwn)) },
  { keys: ["PageUp"], run: () => go(nextSlot(isOwn, true)) },
  { keys: ["Enter", "Space"], help: "web.key.enter", shown: "Enter", run: () => enter(false) },
  { keys: ["Shift+Enter"], help: "web.key.other_die", shown: "Shift+Enter", run: () => enter(true) },
  { keys: ["Escape"], help: "web.key.escape", shown: "Esc", run: escape },
  { keys: ["Backspace"], help: "web.key.undo", shown: "Backspace", run: () => undo(false) },
  { keys: ["Shift+Backspace"], help: "web.key.undo_all", shown: "Shift+Backspace", run: () => undo(true) },
  { keys: ["KeyF"], help: "web.key.source", shown: "F", run: () => go(nextSlot((slot) => game.isMovable(slot))) },
  { keys: ["KeyT"], help: "web.key.target", shown: "T", run: () => go(nextSlot(isTarget)) },
  { keys: ["KeyX"], help: "web.key.swap", shown: "X", run: swap },
  { keys: ["Shift+KeyD"], help: "web.key.double", shown: "Shift+D", run: double },
  { keys: ["KeyC"], help: "web.key.dice", shown: "C", run: speakDice },
  { keys: ["KeyI"], help: "web.key.checkers", shown: "I", run: speakBoard },
  { keys: ["KeyD"], help: "web.key.cube", shown: "D", run: speakCube },
  { keys: ["KeyP"], help: "web.key.pips", shown: "P", run: speakPips },
  { keys: ["KeyS"], help: "web.key.score", shown: "S", run: speakScore },
  { keys: ["KeyL"], help: "web.key.last", shown: "L", run: speakLastPlay },
  { keys: ["KeyW"], help: "web.key.turn", shown: "W", run: speakTurn },
  { keys: ["KeyO"], help: "web.key.here", shown: "O", run: () => speakCell(focusedSlot()) },
  { keys: ["KeyN"], help: "web.key.hint", shown: "N", run: openHint },
  { keys: ["KeyH", "Shift+Slash"], help: "web.key.help", shown: "H, ?", run: openHelp },
];

const isOwn = (slot) => countOn(game.display, slot) > 0 && slot !== OFF;
const isTarget = (slot) => game.held !== null && game.wayTo(game.held, slot) !== undefined;

const handlers = new Map(KEYS.flatMap(({ keys, run }) => keys.map((key) => [key, run])));
const ALWAYS = /^(Arrow|Home|End|Page|Enter|Space|Shift\+Enter|Escape)/;

/** What assistive programs send instead of a pointer or a key: a click that nobody has made. */
function activate({ detail, target }) {
  const name = target.closest("[data-slot]")?.dataset.slot;
  if (detail !== 0 || name === undefined || game.view === null) return;
  focusCell(slotNamed(name));
  enter(false);
}

export function startKeyboard() {
  const grid = document.getElementById("board-grid");
  grid.addEventListener("click", activate);
  grid.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || game.view === null) return;
    const code = event.code === "NumpadEnter" ? "Enter" : event.code;
    const name = (event.shiftKey ? "Shift+" : "") + code;
    const run = handlers.get(name);
    if (!run || (!setting("shortcuts") && !ALWAYS.test(name))) return;
    event.preventDefault();
    // holding a key down walks the board, but never acts twice
    if (event.repeat && !code.startsWith("Arrow")) return;
    run();
  });
}
