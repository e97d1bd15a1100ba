// Starts the page and joins its parts.

import { drawBoard, focusCell, layOutCells, startBoard } from "./board.js";
import { attempt, startConnection } from "./connection.js";
import { drawCoach, forgetCoach, remarkOn, showHints, startCoach } from "./coach.js";
import { askOpenQuestion, openDice, openResign, startDialogs } from "./dialogs.js";
import { game } from "./game.js";
import { startKeyboard, undo } from "./keyboard.js";
import { hideNotice, notify, startNotice } from "./notice.js";
import { diceUse, drawPanels, element } from "./panels.js";
import { NoAnswer, call } from "./server.js";
import { change, onSetting, setting } from "./settings.js";
import { announce, announceEvents, announceMoves, announcePosition } from "./speech.js";
import { language, onLanguage, setLanguage } from "./texts.js";

const byId = (id) => document.getElementById(id);

function draw() {
  if (game.view === null) return;
  document.querySelector("main").hidden = false;
  drawBoard();
  drawPanels();
  byId("board").setAttribute("aria-busy", String(game.isBusy));
}

function roll() {
  if (game.view.awaits_dice || game.view.manual_dice) openDice();
  else game.act("roll");
}

const CLICKS = {
  "act-roll": roll,
  "act-confirm": () => game.act("confirm"),
  "act-answer": askOpenQuestion,
  "act-double": () => game.act("double"),
  "act-undo": () => undo(),
  "act-hint": showHints,
  "act-resign": openResign,
  "dice-button": useDice,
};

function useDice() {
  const uses = { roll, confirm: () => game.act("confirm"), swap: () => game.swapDice() };
  uses[diceUse()]?.();
}

function startActions() {
  for (const [id, run] of Object.entries(CLICKS)) {
    byId(id).addEventListener("click", async () => {
      await attempt(run);
      // a button that has gone takes the focus with it
      if (document.activeElement === document.body) focusCell();
    });
  }
}

function startGame() {
  game.addEventListener("opened", forgetCoach);
  game.addEventListener("busy", () => byId("board").setAttribute("aria-busy", "true"));
  game.addEventListener("change", draw);
  game.addEventListener("moved", ({ detail }) => announceMoves(detail.moves, detail.hits));
  game.addEventListener("refused", ({ detail }) => {
    if (detail.error instanceof NoAnswer) announce(detail.error.message, true);
    else notify(() => detail.error.message, { lang: detail.error.lang });
  });
  game.addEventListener("happened", ({ detail }) => attempt(() => tell(detail)));
}

/** Say what has happened, and go on with what is to be done now. */
async function tell({ events, isUndone, isPositionTold, isOpened }) {
  if (isUndone) forgetCoach();
  hideNotice();
  if (isPositionTold) announcePosition();
  else if (events.length > 0) announceEvents(events);
  if (isOpened && game.notes.length > 0) {
    const { notes } = game;
    notify(() => notes.map((note) => note[language()]).join(" "));
  }
  try {
    await remarkOn(events);
  } finally {
    draw();
    askOpenQuestion();
  }
}

function startLanguages(settings) {
  const select = byId("language");
  const options = settings.languages.map(({ code, name }) => {
    const option = element("option", name);
    option.value = code;
    option.lang = code;
    return option;
  });
  select.replaceChildren(...options);
  select.addEventListener("change", () => change("language", select.value));
  const wanted = setting("language") || navigator.language.slice(0, 2);
  const known = settings.languages.some(({ code }) => code === wanted);
  select.value = known ? wanted : settings.languages[0].code;
  return setLanguage(select.value);
}

function applyTheme() {
  document.documentElement.dataset.theme = setting("theme");
}

async function applySetting(name) {
  if (name === "language") await setLanguage(setting("language"));
  if (name === "theme") applyTheme();
  if (name === "homeSide") layOutCells();
  if (["onlyPlays", "autoRoll", "autoBearOff"].includes(name)) await game.setAutomatic();
  draw();
  drawCoach();
}

async function start() {
  applyTheme();
  const settings = await call("/table/settings");
  await startLanguages(settings);
  startBoard();
  startKeyboard();
  startActions();
  startCoach();
  startGame();
  startNotice();
  startConnection();
  onSetting((name) => attempt(() => applySetting(name)));
  onLanguage(draw);
  const { openNew } = startDialogs(settings);
  document.body.dataset.ready = "true";
  if (await game.resume()) focusCell();
  else openNew();
}

start().catch((error) => {
  if (!(error instanceof NoAnswer)) throw error;
  const told = element("p", `${error.message} Reload this page when it runs again.`);
  told.setAttribute("role", "alert");
  document.body.append(told);
});
