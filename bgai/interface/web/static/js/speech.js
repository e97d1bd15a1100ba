// What is said aloud: live regions that a screen reader reads, and the sentences for the keys.

import { cellLabel } from "./board.js";
import { countOn } from "./drawing.js";
import { game } from "./game.js";
import { BAR, THEIR_BAR } from "./geometry.js";
import { language, t } from "./texts.js";

const NO_BREAK_SPACE = "\u00a0";
let isOdd = false;

/** Say something; the urgent interrupts. The same words twice differ in a space, or are not read. */
export function announce(text, isUrgent = false, lang = language()) {
  isOdd = !isOdd;
  const region = document.getElementById(isUrgent ? "urgent" : "polite");
  region.lang = lang;
  region.textContent = text + (isOdd ? NO_BREAK_SPACE : "");
}

/** The events of an action as one message: each play once, not its roll as well. */
export function announceEvents(events) {
  const told = events.filter((event, index) => isTold(event, events.slice(index + 1)));
  if (told.length > 0) announce(told.map((event) => event.spoken[language()]).join(" "));
}

function isTold(event, later) {
  if (event.kind === "hit") return false; // the play says so
  if (event.kind === "play") return event.side === "them" || Boolean(event.is_automatic);
  if (event.kind !== "roll") return true;
  return !later.some(({ kind, side }) => ["play", "dance"].includes(kind) && side === event.side);
}

/** A move of one's own and what is left to play. */
export function announceMoves(moves, hits) {
  const told = moves.map(([start, end], index) => moveText(start, end, hits[index]));
  const left = game.view.may_confirm
    ? t("web.say.turn_complete")
    : t("web.say.left_to_play", { dice: diceWords(game.view.dice_left) });
  announce(`${told.join(t("moves.separator"))}. ${left}`);
}

function moveText(start, end, hits) {
  const from = start === 25 ? t("board.bar") : String(start);
  if (end === 0) return t("moves.off", { start: from });
  return t(hits ? "moves.hit" : "moves.step", { start: from, end: String(end) });
}

function diceWords(dice) {
  return dice.join(t("moves.separator"));
}

/** A roll as it is called: the larger die first, in Arabic by its customary name. */
function rollText(dice) {
  const [low, high] = [...dice].sort();
  return t("dice.shown", {
    high,
    low,
    spoken: t(`dice.spoken.${high}${low}`),
  });
}

export function speakDice() {
  const { view } = game;
  const last = game.log.findLast((event) => event.dice);
  const [dice, side] = view.dice ? [view.dice, view.turn] : [last?.dice, last?.side];
  if (!dice) {
    announce(t("web.say.no_dice"));
    return;
  }
  const rolled = t(`web.say.dice_${sideOf(side)}`, { dice: rollText(dice), name: opponent() });
  const isLeft = view.actor === "you" && view.dice_left.length > 0 && view.moves.length > 0;
  const left = isLeft ? t("web.say.left_to_play", { dice: diceWords(view.dice_left) }) : "";
  announce(`${rolled} ${left}`.trim());
}

const sideOf = (side) => (side === "them" ? "theirs" : "yours");

export function opponent() {
  return game.view.names[1 - game.view.you];
}

/** Where every checker of both sides is, by the person's numbers. */
function boardText() {
  return `${sideText(1, "yours", BAR)} ${sideText(-1, "theirs", THEIR_BAR)}`;
}

export function speakBoard() {
  announce(boardText());
}

/** After a position was loaded: the score, where everything is, and whose turn it is. */
export function announcePosition() {
  announce(t("web.say.loaded", { score: scoreText(), position: boardText(), turn: promptText() }));
}

function sideText(sign, side, bar) {
  const { display, view } = game;
  const places = Array.from({ length: 24 }, (_, index) => 24 - index)
    .map((point) => [sign * countOn(display, point), point])
    .filter(([count]) => count > 0)
    .map(([number, point]) => t("board.checkers_on", { number: String(number), point: String(point) }));
  const separator = t("moves.separator");
  const place = side === "yours" ? 0 : 1;
  return t(`board.side.${side}`, {
    name: opponent(),
    points: places.map((text) => text + separator).join(""),
    bar: String(Math.abs(countOn(display, bar))),
    off: String(display.off[place]),
    pips: String(view.pips[place]),
  });
}

export function cubeText() {
  const { cube } = game.view;
  if (!cube.is_in_play) return t("board.cube.none");
  if (cube.offered !== null) return t("board.cube.offered", { value: String(cube.offered) });
  const place = cube.owner === null ? "middle" : sideOf(cube.owner);
  return t(`board.cube.${place}`, { value: String(cube.value), name: opponent() });
}

export function speakCube() {
  announce(cubeText());
}

export function pipsText() {
  const [own, other] = game.view.pips;
  return t("web.say.pips", { own: String(own), other: String(other) });
}

export function speakPips() {
  announce(pipsText());
}

export function scoreText() {
  const [own, other] = game.view.match.score;
  const score = t("board.scores", {
    first: t("board.you"),
    own: String(own),
    second: opponent(),
    other: String(other),
  });
  return `${score}${t("moves.separator")}${matchText()}`;
}

export function matchText() {
  const { match } = game.view;
  const parts = [
    match.length === null ? t("board.money") : t("board.match", { length: String(match.length) }),
    t("web.match.game", { game: String(match.game) }),
  ];
  if (match.games_limit !== null) parts.push(t("web.match.limit", { count: match.games_limit }));
  if (match.is_crawford) parts.push(t("board.crawford"));
  if (match.is_post_crawford) parts.push(t("web.match.post_crawford"));
  if (match.jacoby) parts.push(t("web.match.jacoby"));
  if (match.beavers) parts.push(t("web.match.beavers"));
  return parts.join(t("moves.separator"));
}

export function speakScore() {
  announce(scoreText());
}

export function speakLastPlay() {
  const last = game.lastPlay();
  announce(last ? last.spoken[language()] : t("web.say.no_play"));
}

export function speakTurn() {
  announce(promptText());
}

/** What is to be done now. */
export function promptText() {
  const { view } = game;
  if (view.result) return t("web.prompt.over");
  if (view.awaits_dice) return t("web.prompt.dice");
  if (view.actor === "them") return t("web.prompt.wait", { name: opponent() });
  if (view.decision.startsWith("answer")) return t("web.prompt.answer");
  if (view.may_confirm) return t("web.prompt.confirm");
  if (view.decision === "play") return t("web.prompt.play", { dice: rollText(view.dice) });
  return t(view.allowed.includes("double") ? "web.prompt.roll_or_double" : "web.prompt.roll");
}

export function speakCell(slot) {
  announce(cellLabel(slot));
}
