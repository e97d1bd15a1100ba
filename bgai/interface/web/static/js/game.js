// The table as this page knows it. The rules are the server's: the page offers what it lists.

import { BAR, THEIR_BAR, pointOf, theirSlot, yourSlot } from "./geometry.js";
import { Refusal, call } from "./server.js";
import { SPEEDS, lastTable, setting } from "./settings.js";

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const CHECKERS = 15;

/**
 * Tells its listeners: `opened` at another table, `busy` when the server is asked, `change` when what is shown has changed, `happened` with the new events of
 * an action (after they have been shown), `moved` after a move of the turn in progress, `refused`.
 */
class Game extends EventTarget {
  name = null;
  view = null;
  log = [];
  held = null;
  isSwapped = false;
  isBusy = false;
  shownEvent = null; // while the opponent's turn is being shown

  tell(kind, detail = {}) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }

  // -- tables

  async open(path, question) {
    const answer = await call(path, question);
    this.name = answer.id;
    lastTable.set(answer.id);
    this.log = [];
    this.held = null;
    this.view = answer.view;
    this.tell("opened");
    await this.receive(answer, question === undefined);
  }

  newTable(options) {
    return this.open("/table/new", { ...options, automatic: automatic() });
  }

  savedTable(saved) {
    return this.open("/table/saved", { ...saved, automatic: automatic() });
  }

  /** Go on with the table of an earlier visit; false if the server knows it no more. */
  async resume() {
    const name = lastTable.get();
    if (!name) return false;
    try {
      await this.open(`/table/${encodeURIComponent(name)}`);
      return true;
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  }

  ask(what) {
    return call(`/table/${this.name}/${what}`);
  }

  async setAutomatic() {
    if (this.name !== null) {
      await this.receive(await call(`/table/${this.name}/automatic`, automatic()));
    }
  }

  // -- actions

  allows(action) {
    return !this.isBusy && this.view !== null && this.view.allowed.includes(action);
  }

  /** Do something at the table; false if the server refuses it. */
  async act(action, values = {}) {
    if (this.isBusy) return false;
    this.isBusy = true;
    this.held = null;
    this.tell("busy");
    try {
      await this.receive(await call(`/table/${this.name}/action`, { action, ...values }));
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.tell("refused", { message: error.message });
      return false;
    } finally {
      this.isBusy = false;
      this.tell("change");
    }
  }

  async receive({ kept, events, view }, isAtOnce = false) {
    const before = this.view;
    const isUndone = kept < this.log.length;
    this.log.length = kept;
    if (!isAtOnce) await this.showEvents(events);
    this.log.push(...events);
    this.view = view;
    this.shownEvent = null;
    if (view.moves.length === 0) this.isSwapped = before?.dice === view.dice && this.isSwapped;
    this.tell("change");
    this.tell("happened", { events: isAtOnce ? [] : events, isUndone: isUndone || isAtOnce });
  }

  /** Show the opponent's turn step by step. */
  async showEvents(events) {
    const delay = SPEEDS[setting("speed")];
    for (const event of events) {
      const isShown = event.side === "them" || event.kind === "opening" || event.is_automatic;
      if (!isShown || !["opening", "roll", "play", "dance"].includes(event.kind)) continue;
      this.shownEvent = event;
      if (delay === 0) continue;
      this.tell("change");
      await pause(delay);
    }
  }

  // -- the turn in progress

  get order() {
    const dice = this.view.dice ?? [];
    return this.isSwapped ? [...dice].reverse() : dice;
  }

  get maySwap() {
    return this.allows("play") && this.view.moves.length === 0 && this.order[0] !== this.order[1];
  }

  swapDice() {
    if (!this.maySwap) return;
    this.isSwapped = !this.isSwapped;
    this.tell("change");
  }

  waysFrom(slot) {
    if (!this.allows("play")) return [];
    return this.view.ways[pointOf(slot)] ?? [];
  }

  isMovable(slot) {
    return typeof slot === "number" || slot === BAR ? this.waysFrom(slot).length > 0 : false;
  }

  wayTo(start, end) {
    if (end === BAR || end === THEIR_BAR) return undefined;
    return this.waysFrom(start).find((way) => way.to === pointOf(end));
  }

  hold(slot) {
    this.held = slot;
    this.tell("change");
  }

  /** Move the checker on a slot to another, by whatever dice it takes. */
  async move(start, end) {
    const way = this.wayTo(start, end);
    if (!way) {
      this.hold(null);
      return false;
    }
    return this.makeMoves(way.moves);
  }

  /** Move the checker on a slot by the first die shown, or by the other one. */
  async moveByDie(slot, isOther = false) {
    const start = pointOf(slot);
    const options = this.allows("play")
      ? this.view.legal_moves.filter((move) => move.from === start)
      : [];
    if (options.length === 0) return false;
    const dice = isOther ? [...this.order].reverse() : this.order;
    const die = dice.find((value) => options.some((move) => move.die === value));
    const chosen = options.find((move) => move.die === die);
    return this.makeMoves([[chosen.from, chosen.to]]);
  }

  /** Bear off as many checkers as the dice allow. */
  async bearOff() {
    for (;;) {
      const options = this.allows("play")
        ? this.view.legal_moves.filter((move) => move.to === 0)
        : [];
      if (options.length === 0) return;
      const [first] = options.sort((one, other) => other.die - one.die);
      if (!(await this.makeMoves([[first.from, first.to]], false))) return;
    }
  }

  async makeMoves(moves, mayConfirm = true) {
    const hits = this.hitsOf(moves);
    if (!(await this.act("move", { moves }))) return false;
    this.tell("moved", { moves, hits });
    if (mayConfirm && this.view.may_confirm && setting("autoConfirm")) await this.act("confirm");
    return true;
  }

  /** For each of some moves, whether a blot stands where it ends. */
  hitsOf(moves) {
    return moves.map(([, end]) => end > 0 && this.view.board[end] === -1);
  }

  // -- what the picture shows

  get display() {
    const { view, shownEvent } = this;
    const board = shownEvent?.board ?? view.board;
    const isStill = shownEvent === null && !this.isBusy;
    return {
      board,
      off: offOf(board),
      dice: this.shownDice(),
      cube: {
        value: view.cube.value,
        owner: view.cube.owner,
        offered: view.cube.offered,
        isInPlay: view.cube.is_in_play,
      },
      held: this.held,
      movable: isStill && this.held === null ? this.movableSlots() : [],
      targets: this.held === null ? [] : this.targets(),
      arrows: this.arrows(),
    };
  }

  movableSlots() {
    return [BAR, ...Array.from({ length: 24 }, (_, index) => index + 1)].filter((slot) =>
      this.isMovable(slot),
    );
  }

  targets() {
    return this.waysFrom(this.held).map(({ to, hits }) => ({ slot: yourSlot(to), hits }));
  }

  shownDice() {
    const event = this.shownEvent;
    if (event?.dice) return { values: eventDice(event), side: event.side ?? "you", used: [] };
    if (event || !this.view.dice) return this.lastDice();
    const [first, second] = this.order;
    const left = [...this.view.dice_left];
    if (first === second) {
      const used = Array.from({ length: 4 }, (_, index) => index >= left.length);
      return { values: [first, first, first, first], side: this.view.turn, used };
    }
    const used = [first, second].map((die) => !left.includes(die));
    return { values: [first, second], side: this.view.turn, used };
  }

  /** The opponent's last roll stays, dimmed, until the person has rolled. */
  lastDice() {
    const last = this.log.findLast((event) => ["play", "dance"].includes(event.kind));
    if (last?.side !== "them" || this.view.result) return null;
    return { values: last.dice, side: "them", used: last.dice.map(() => true) };
  }

  lastPlay() {
    return this.log.findLast((event) => event.kind === "play" || event.kind === "dance");
  }

  arrows() {
    const event = this.shownEvent ?? this.lastPlay();
    if (event?.kind !== "play" || event.side !== "them") return [];
    if (this.shownEvent === null && (this.view.moves.length > 0 || this.held !== null)) return [];
    return event.moves.map(([start, end]) => ({
      from: theirSlot(start, true),
      to: theirSlot(end, false),
    }));
  }
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

function automatic() {
  return {
    rolls: setting("autoRoll"),
    only_plays: setting("onlyPlays"),
    bear_off: setting("autoBearOff"),
  };
}

export const game = new Game();
