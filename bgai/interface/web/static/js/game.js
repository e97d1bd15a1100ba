// The table as this page knows it. The rules are the server's: the page offers what it lists.

import { displayOf } from "./display.js";
import { BAR, THEIR_BAR, pointOf } from "./geometry.js";
import { Refusal, call } from "./server.js";
import { SPEEDS, lastTable, setting } from "./settings.js";
import { t } from "./texts.js";

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Tells its listeners: `opened` at another table, `busy` when the server is asked, `change` when what is
 * shown has changed, `happened` with the new events of an action (after they have been shown), `moved`
 * after a move of the turn in progress, `refused`, and `found` where the table goes on after the server
 * was away.
 */
class Game extends EventTarget {
  name = null;
  view = null;
  session = null; // what a saved session holds, always as far as the table is
  notes = [];
  log = [];
  held = null;
  isSwapped = false;
  isBusy = false;
  shownEvent = null; // while the opponent's turn is being shown

  tell(kind, detail = {}) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }

  // -- tables

  /** Sit down at a table; at once where its past need not be shown. */
  async open(path, question, { isAtOnce = false, isTold = !isAtOnce } = {}) {
    const answer = await call(path, question);
    this.name = answer.id;
    this.log = [];
    this.held = null;
    this.view = answer.view;
    this.notes = answer.notes;
    this.tell("opened");
    await this.receive(answer, { isAtOnce, isTold, isOpened: true });
  }

  newTable(options) {
    const isPosition = Boolean(options.position);
    return this.open("/table/new", { ...options, automatic: automatic() }, { isAtOnce: isPosition, isTold: true });
  }

  savedTable(saved) {
    const plies = saved.plies ?? this.view?.plies ?? 0;
    const question = { ...saved, plies, automatic: automatic() };
    return this.open("/table/saved", question, { isAtOnce: true, isTold: true });
  }

  /** Go on with the table of an earlier visit; false if nobody knows it any more. */
  async resume() {
    const kept = lastTable.get();
    if (!kept?.name) return false;
    this.name = kept.name;
    try {
      await this.reload();
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
    try {
      await this.restore(kept);
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.name = null;
      return false;
    }
  }

  /** The table as the server has it. */
  reload() {
    return this.open(this.path(), undefined, { isAtOnce: true });
  }

  /** Go on from what is kept here at a server that has forgotten the table. */
  async restore({ session = this.session, plies = this.view?.plies } = {}) {
    if (session === null) throw new Refusal(404, t("web.server.forgotten"));
    const question = { session, plies, automatic: automatic() };
    await this.open("/table/saved", question, { isAtOnce: true });
    this.tell("found", { isRestored: true });
  }

  /** After the server was away: the table as it has it, or else as it is kept here. */
  async catchUp() {
    try {
      await this.reload();
      this.tell("found", { isRestored: false });
    } catch (error) {
      if (!isForgotten(error)) throw error;
      await this.restore();
    }
  }

  path(what = "") {
    return `/table/${encodeURIComponent(this.name)}${what && `/${what}`}`;
  }

  /** Ask the server about the table, which it is told anew if it has forgotten it. */
  async ask(what, question, options) {
    if (this.name === null) throw new Refusal(0, t("web.say.no_table"));
    const { name } = this;
    try {
      return await call(this.path(what), question, options);
    } catch (error) {
      if (!isForgotten(error)) throw error;
      if (this.name === name) await this.restore();
      const version = question?.version === undefined ? {} : { version: this.view.version };
      return call(this.path(what), question && { ...question, ...version }, options);
    }
  }

  /** What the coach thinks of the position that is shown, or that another window has made of it. */
  async askCoach(what, options) {
    const asked = () => this.ask(`${what}?version=${this.view?.version}`, undefined, options);
    const { name } = this;
    try {
      return await asked();
    } catch (error) {
      if (error.field !== "version") throw error;
      if (this.name === name) await this.reload();
      return asked();
    }
  }

  async setAutomatic() {
    if (this.name !== null) {
      await this.receive(await this.ask("automatic", automatic()));
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
      const { version } = this.view;
      await this.receive(await this.ask("action", { action, version, ...values }));
      return true;
    } catch (error) {
      await this.refuse(error);
      return false;
    } finally {
      this.isBusy = false;
      this.tell("change");
    }
  }

  async refuse(error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.field !== "version") {
      this.tell("refused", { error });
      return;
    }
    try {
      await this.reload(); // another window was quicker
      this.tell("refused", { error: new Refusal(error.status, t("web.say.stale")) });
    } catch (other) {
      if (!(other instanceof Refusal)) throw other;
      this.tell("refused", { error: other });
    }
  }

  async receive(answer, { isAtOnce = false, isTold = !isAtOnce, isOpened = false } = {}) {
    const { kept, events, view, session, session_changes: changes } = answer;
    const isMissing = kept > this.log.length || (!session && changes.kept_steps > this.session.steps.length);
    if (isMissing) return this.reload(); // something happened in another window
    const before = this.view;
    const isUndone = kept < this.log.length;
    this.log.length = kept;
    this.keep(session, changes);
    if (!isAtOnce) await this.showEvents(events);
    this.log.push(...events);
    this.view = view;
    this.isBusy = false;
    this.shownEvent = null;
    if (view.moves.length === 0) this.isSwapped = before?.dice === view.dice && this.isSwapped;
    lastTable.set({ name: this.name, plies: view.plies, session: this.session });
    this.tell("change");
    this.tell("happened", {
      events: isAtOnce ? [] : events,
      isUndone: isUndone || isAtOnce,
      isPositionTold: isAtOnce && isTold,
      isOpened,
    });
  }

  /** Keep what "Save to go on later" saves in step with the table. */
  keep(session, { kept_steps: keptSteps, steps, moves }) {
    if (session) this.session = session;
    else this.session = { ...this.session, steps: [...this.session.steps.slice(0, keptSteps), ...steps], moves };
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

  /** What the picture shows. */
  get display() {
    return displayOf(this);
  }

  lastPlay() {
    return this.log.findLast((event) => event.kind === "play" || event.kind === "dance");
  }
}

/** Whether the server knows nothing of the table, as after it was started anew. */
function isForgotten(error) {
  return error instanceof Refusal && error.status === 404;
}

function automatic() {
  return {
    rolls: setting("autoRoll"),
    only_plays: setting("onlyPlays"),
    bear_off: setting("autoBearOff"),
  };
}

export const game = new Game();
