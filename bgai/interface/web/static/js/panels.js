// Everything beside the board that shows the table: actions, prompt, score, log.

import { game } from "./game.js";
import { setting } from "./settings.js";
import { cubeText, matchText, opponent, promptText } from "./speech.js";
import { language, t } from "./texts.js";

const byId = (id) => document.getElementById(id);
const SILENT = new Set(["roll", "hit"]); // the play tells both

/** A new element with a text. */
export function element(tag, text = "", ...children) {
  const made = document.createElement(tag);
  made.textContent = text;
  made.append(...children);
  return made;
}

/** Notation, which is written from left to right in every language. */
export function notation(text) {
  const made = element("bdi", text);
  made.dir = "ltr";
  return made;
}

const ACTIONS = {
  roll: () => game.allows("roll") || game.allows("throw opening"),
  confirm: () => game.view.may_confirm && !game.isBusy,
  answer: () => !game.isBusy && needsAnswer(),
  double: () => game.allows("double"),
  undo: () => game.view.may_undo && !game.isBusy,
  hint: () => !game.isBusy && game.view.actor === "you",
  resign: () => !game.isBusy && game.view.resignation_levels.length > 0,
};

/** Whether a question is open that a dialog asks. */
export function needsAnswer() {
  const { view } = game;
  if (view.result || view.awaits_dice) return true;
  return view.actor === "you" && view.decision.startsWith("answer");
}

export function drawPanels() {
  for (const [name, isPossible] of Object.entries(ACTIONS)) {
    const button = byId(`act-${name}`);
    const isOpen = isPossible();
    if (["roll", "confirm", "answer"].includes(name)) button.hidden = !isOpen;
    else button.disabled = !isOpen;
  }
  byId("act-answer").textContent = t(game.view.result ? "web.actions.result" : "web.actions.answer");
  drawDouble();
  drawDiceButton();
  byId("prompt").textContent = promptText();
  byId("match-text").textContent = matchText();
  byId("cube-text").textContent = cubeText();
  const { seed } = game.view;
  byId("seed-text").textContent = seed === null ? "" : t("web.seed", { seed: String(seed) });
  document.body.classList.toggle("home-left", setting("homeSide") === "left");
  drawScore();
  drawLog();
}

function drawDouble() {
  const { cube, match } = game.view;
  const value = 2 * (cube.offered ?? cube.value);
  const text = value > match.cap ? t("web.actions.double_no_more") : t("web.actions.double", { cube: String(value) });
  byId("act-double").hidden = !cube.is_in_play;
  byId("act-double").textContent = text;
}

function drawDiceButton() {
  const button = byId("dice-button");
  const use = diceUse();
  button.hidden = use === null;
  if (use !== null) button.setAttribute("aria-label", t(`web.actions.${use}`));
  button.classList.toggle("empty", use === "roll");
  button.textContent = use === "roll" ? t("web.actions.roll") : "";
}

/** What a click on the dice does now. */
export function diceUse() {
  if (game.allows("roll")) return "roll";
  if (game.view.may_confirm && !game.isBusy) return "confirm";
  return game.maySwap ? "swap" : null;
}

function drawScore() {
  const { view } = game;
  const rows = ["you", "them"].map((side, place) => {
    const name = element("th", side === "you" ? t("board.you") : opponent());
    name.scope = "row";
    name.className = view.turn === side && !view.result ? `${side} on-roll` : side;
    const pips = element("td", String(view.pips[place]));
    pips.className = "pips";
    return element("tr", "", name, element("td", String(view.match.score[place])), pips, element("td", String(view.off[place])));
  });
  byId("score-rows").replaceChildren(...rows);
  document.body.classList.toggle("no-pips", !setting("showPips"));
}

function drawLog() {
  const list = byId("log");
  const told = game.log.filter((event) => !SILENT.has(event.kind));
  const items = told.map((event) => {
    const item = element("li", event.text[language()]);
    item.className = event.side ?? "";
    return item;
  });
  list.replaceChildren(...items);
  const frame = byId("log-frame");
  frame.scrollTop = frame.scrollHeight;
}
