// What the picture shows of a game: the checkers of the moment, dice, cube, and what may be moved.

import { BAR, theirSlot, yourSlot } from "./geometry.js";

const CHECKERS = 15;

/** What the picture shows of a game. */
export function displayOf(game) {
  const { view, shownEvent } = game;
  const board = shownEvent?.board ?? view.board;
  const isStill = shownEvent === null && !game.isBusy;
  return {
    board,
    off: offOf(board),
    dice: shownDice(game),
    cube: {
      value: view.cube.value,
      owner: view.cube.owner,
      offered: view.cube.offered,
      isInPlay: view.cube.is_in_play,
    },
    held: game.held,
    movable: isStill && game.held === null ? movableSlots(game) : [],
    targets: game.held === null ? [] : targets(game),
    arrows: arrows(game),
  };
}

function movableSlots(game) {
  return [BAR, ...Array.from({ length: 24 }, (_, index) => index + 1)].filter((slot) =>
    game.isMovable(slot),
  );
}

function targets(game) {
  return game.waysFrom(game.held).map(({ to, hits }) => ({ slot: yourSlot(to), hits }));
}

function shownDice(game) {
  const event = game.shownEvent;
  if (event?.dice) return { values: eventDice(event), side: event.side ?? "you", used: [] };
  if (event || !game.view.dice) return lastDice(game);
  const [first, second] = game.order;
  const left = [...game.view.dice_left];
  if (first === second) {
    const used = Array.from({ length: 4 }, (_, index) => index >= left.length);
    return { values: [first, first, first, first], side: game.view.turn, used };
  }
  const used = [first, second].map((die) => !left.includes(die));
  return { values: [first, second], side: game.view.turn, used };
}

/** The opponent's last roll stays, dimmed, until the person has rolled; at the end whoever rolled last. */
function lastDice(game) {
  if (game.view.cube.offered !== null) return null; // the cube lies where they would be
  const isOver = Boolean(game.view.result);
  const start = game.log.findLastIndex(({ kind }) => kind === "next_game");
  const last = game.log
    .slice(start + 1)
    .findLast(({ kind }) => ["play", "dance"].includes(kind) || (isOver && ["roll", "opening"].includes(kind)));
  if (!last || (last.side !== "them" && !isOver)) return null;
  return { values: eventDice(last), side: last.side, used: last.dice.map(() => !isOver) };
}

function arrows(game) {
  const event = game.shownEvent ?? game.lastPlay();
  if (event?.kind !== "play" || event.side !== "them") return [];
  if (game.shownEvent === null && (game.view.moves.length > 0 || game.held !== null)) return [];
  return event.moves.map(([start, end]) => ({
    from: theirSlot(start, true),
    to: theirSlot(end, false),
  }));
}

/** In an opening the dice are seat 0's and seat 1's; the starter's larger one comes first. */
function eventDice(event) {
  if (event.kind !== "opening") return event.dice;
  return [...event.dice].sort((one, other) => other - one);
}

function offOf(board) {
  const yours = board.filter((count) => count > 0).reduce((sum, count) => sum + count, 0);
  const theirs = board.filter((count) => count < 0).reduce((sum, count) => sum - count, 0);
  return [CHECKERS - yours, CHECKERS - theirs];
}
