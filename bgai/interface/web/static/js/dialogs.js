// Everything that asks: a new game, answers to doubles and resignations, dice, files, settings.

import { focusCell } from "./board.js";
import { drawAccount } from "./coach.js";
import { attempt } from "./connection.js";
import { game } from "./game.js";
import { KEYS } from "./keyboard.js";
import { element, needsAnswer } from "./panels.js";
import { Refusal } from "./server.js";
import { change, setting } from "./settings.js";
import { opponent, pipsText, scoreText } from "./speech.js";
import { language, onLanguage, t } from "./texts.js";

const byId = (id) => document.getElementById(id);
const CAPS = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

let serverSettings = null;

/** Show a dialog; one that is to be read has the focus on its title, so that it begins there. */
function open(dialog) {
  if (!dialog.open) dialog.showModal();
  const title = dialog.querySelector("h2[tabindex]");
  if (title !== null) {
    title.focus();
    dialog.scrollTop = 0;
  }
}

function forgetError(dialog) {
  dialog.querySelector(".error").textContent = "";
}

function showError(dialog, error) {
  if (!(error instanceof Refusal)) throw error;
  const place = dialog.querySelector(".error");
  place.lang = error.lang;
  place.textContent = error.message;
}

// -- a new game

function openNew() {
  const form = byId("new-form");
  forgetError(form);
  form.elements.position.value = "";
  fitNewForm();
  open(byId("dialog-new"));
  form.querySelector("[name=kind]:checked").focus();
}

/** Whoever puts the first dialog away plays what it proposes: without a table there is nothing to do. */
function cancelNew() {
  if (game.name === null) {
    byId("new-form").reset();
    setDefaults();
    attempt(async () => {
      await game.newTable(newOptions());
      focusCell();
    });
  }
}

/** Show only the options that belong to what is chosen. */
function fitNewForm() {
  const { elements } = byId("new-form");
  const isMoney = elements.kind.value === "money";
  const isOnePoint = elements.kind.value === "other" && numberIn(elements.match_length) === 1;
  for (const [name, isShown] of [
    ["for-money", isMoney],
    ["for-match", !isMoney && !isOnePoint],
    ["for-doubling", !isOnePoint],
    ["for-other", elements.kind.value === "other"],
    ["for-cube", elements.cube.checked],
  ]) {
    for (const node of byId("new-form").querySelectorAll(`.${name}`)) node.hidden = !isShown;
  }
  // a wrong value in a field that is not shown must not keep the form from being sent
  for (const field of elements) field.disabled = field.closest("[hidden]") !== null;
  elements.starts.disabled ||= elements.manual_dice.checked;
}

function numberIn(input) {
  return input.value === "" ? null : Number(input.value);
}

function newOptions() {
  const { elements } = byId("new-form");
  const isMoney = elements.kind.value === "money";
  const length = elements.kind.value === "other" ? numberIn(elements.match_length) : Number(elements.kind.value);
  const options = {
    match_length: isMoney ? null : length,
    games_limit: numberIn(elements.games_limit),
    crawford: !isMoney && elements.crawford.checked,
    jacoby: isMoney && elements.jacoby.checked,
    beavers: isMoney && elements.beavers.checked,
    automatic_doubles: isMoney ? Number(elements.automatic_doubles.value) : 0,
    cap: elements.cube.checked ? Number(elements.cap.value) : 1,
    plies: Number(elements.plies.value),
    starts: elements.manual_dice.checked ? "dice" : elements.starts.value,
    manual_dice: elements.manual_dice.checked,
    seed: numberIn(elements.seed),
  };
  const position = elements.position.value.trim();
  return position === "" ? options : { ...options, position };
}

async function startNew(event) {
  event.preventDefault();
  const dialog = byId("dialog-new");
  forgetError(dialog); // of the attempt before: it is not what is wrong now
  try {
    await game.newTable(newOptions());
    dialog.close();
    focusCell();
  } catch (error) {
    showError(dialog, error);
  }
}

function setDefaults() {
  const { elements } = byId("new-form");
  elements.cap.value = "64";
  elements.plies.value = String(serverSettings.plies);
  elements.seed.value = serverSettings.seed ?? "";
}

function startNewForm() {
  const form = byId("new-form");
  form.elements.cap.replaceChildren(...CAPS.map((cap) => element("option", String(cap))));
  setDefaults();
  form.addEventListener("input", fitNewForm);
  byId("dialog-new").addEventListener("cancel", cancelNew); // Esc
  form.querySelector(".close").addEventListener("click", cancelNew);
  form.addEventListener("submit", startNew);
  byId("open-new").addEventListener("click", openNew);
}

// -- questions that must be answered: one dialog for all, so that no surface can miss one

/** Open the dialog of an open question, if there is one; Esc only puts it aside. */
export function askOpenQuestion() {
  if (game.view === null || game.isBusy || !needsAnswer()) return;
  if (game.view.awaits_dice) openDice();
  else openAnswer(questionNow());
}

function questionNow() {
  const { view } = game;
  if (view.result) return resultQuestion();
  if (view.decision === "answer resignation") {
    return {
      title: t("web.answer.resignation", { name: opponent(), level: t(`level.${view.resigned}`) }),
      text: `${scoreText()}. ${pipsText()}`,
      actions: ["accept", "decline"],
    };
  }
  return {
    title: t(`web.answer.${view.decision.replace("answer ", "")}`, {
      name: opponent(),
      cube: String(view.cube.offered),
    }),
    text: `${scoreText()}. ${pipsText()}`,
    actions: view.allowed.filter((action) => ["take", "pass", "beaver", "raccoon"].includes(action)),
  };
}

function resultQuestion() {
  const isOver = game.view.decision === "session over";
  const last = game.log.filter((event) => ["game_over", "session_over"].includes(event.kind));
  const told = last.slice(isOver ? -2 : -1).map((event) => event.text[language()]);
  return {
    title: told.join(" "),
    text: scoreText(),
    actions: isOver ? ["new", "account"] : ["next_game", "account"],
    isResult: true,
  };
}

function openAnswer({ title, text, actions, isResult }) {
  const dialog = byId("dialog-answer");
  byId("answer-title").textContent = title;
  byId("answer-text").textContent = text;
  const buttons = actions.map((action) => answerButton(dialog, action));
  byId("answer-buttons").replaceChildren(...buttons);
  open(dialog);
  (isResult ? buttons[0] : byId("answer-title")).focus();
}

function answerButton(dialog, action) {
  const button = element("button", t(`web.answer.do.${action}`));
  button.type = "button";
  button.dataset.action = action;
  button.addEventListener("click", async () => {
    dialog.close();
    if (action === "new") openNew();
    else if (action === "account") await openAccount();
    else {
      await game.act(action);
      focusCell();
    }
  });
  return button;
}

/** A key that is held down answers nothing. */
function ignoreRepeats(event) {
  if (event.repeat) event.preventDefault();
}

export function openResign() {
  const levels = game.view.resignation_levels;
  const dialog = byId("dialog-answer");
  byId("answer-title").textContent = t("web.resign.title");
  byId("answer-text").textContent = `${scoreText()}. ${pipsText()}`;
  const buttons = levels.map((level) => {
    const button = element("button", t("web.resign.level", { level: t(`level.${level}`) }));
    button.type = "button";
    button.addEventListener("click", async () => {
      dialog.close();
      await game.act("resign", { level });
      focusCell();
    });
    return button;
  });
  const playOn = element("button", t("web.resign.play_on"));
  playOn.type = "button";
  playOn.addEventListener("click", () => dialog.close());
  byId("answer-buttons").replaceChildren(...buttons, playOn);
  open(dialog);
  byId("answer-title").focus();
}

// -- dice thrown by hand

/** Two dice in the digits of an English, an Arabic or a Persian keyboard. */
const DIE = "([1-6\u0661-\u0666\u06f1-\u06f6])";
const TWO_DICE = new RegExp(`^${DIE}[\\s,\u060c-]?${DIE}$`);

/** In all three rows of digits the last four bits of the code are the number. */
const digitOf = (digit) => digit.charCodeAt(0) & 15;

export function openDice() {
  const form = byId("dice-form");
  const { view } = game;
  const isOpening = view.decision === "opening";
  const who = isOpening ? "opening" : view.actor === "them" ? "theirs" : "yours";
  byId("dice-title").textContent = t(`web.dice.${who}`, { name: opponent() });
  form.elements.dice.value = "";
  forgetError(form);
  open(byId("dialog-dice"));
  form.elements.dice.focus();
}

async function enterDice(event) {
  event.preventDefault();
  const form = byId("dice-form");
  const typed = form.elements.dice.value.trim().match(TWO_DICE);
  if (typed === null) {
    form.querySelector(".error").textContent = t("web.dice.wrong");
    return;
  }
  const dice = typed.slice(1).map(digitOf);
  // in an opening the person's die is typed first, and the server wants seat 0's
  if (game.view.decision === "opening" && game.view.you === 1) dice.reverse();
  byId("dialog-dice").close();
  await game.act("roll", { dice });
  focusCell();
}

// -- files and positions

function openFiles() {
  if (game.view !== null) {
    byId("id-gnu").value = game.view.ids.gnu ?? "";
    byId("id-xgid").value = game.view.ids.xgid ?? "";
  }
  const dialog = byId("dialog-files");
  forgetError(dialog);
  dialog.querySelector(".working").textContent = ""; // that something was copied
  for (const name of ["mat", "session"]) byId(`save-${name}`).disabled = game.name === null;
  open(dialog);
}

async function copyId(name) {
  const field = byId(`id-${name}`);
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    document.execCommand("copy"); // where the page may not use the clipboard itself
  }
  byId("dialog-files").querySelector(".working").textContent = t("web.say.copied");
}

function download(text, fileName) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function saveMat() {
  try {
    download(await game.ask("mat"), "bgai.mat");
  } catch (error) {
    showError(byId("dialog-files"), error);
  }
}

/** From what is kept here, so that it works without the server, too. */
function saveSession() {
  download(`${JSON.stringify(game.session, null, 1)}\n`, "bgai.json");
}

async function load(event) {
  const [file] = event.target.files;
  if (!file) return;
  const text = await file.text();
  event.target.value = "";
  forgetError(byId("dialog-files"));
  try {
    const isSession = text.trimStart().startsWith("{");
    await game.savedTable(isSession ? { session: JSON.parse(text) } : { mat: text });
    byId("dialog-files").close();
    focusCell();
  } catch (error) {
    const isNoJson = error instanceof SyntaxError;
    showError(byId("dialog-files"), isNoJson ? new Refusal(0, t("web.files.damaged")) : error);
  }
}

/** A position alone says nothing of the match: it is played by the rules of the present one. */
function pastedOptions(position) {
  const { view } = game;
  const options = { position, plies: view?.plies ?? serverSettings.plies };
  if (view === null || /xgid|:/i.test(position)) return options;
  const { length, games_limit, crawford, jacoby, beavers, automatic_doubles, cap } = view.match;
  return { ...options, match_length: length, games_limit, crawford, jacoby, beavers, automatic_doubles, cap, starts: "you" };
}

async function playPosition(event) {
  event.preventDefault();
  const position = byId("paste-form").elements.position.value.trim();
  forgetError(byId("dialog-files"));
  if (position === "") {
    showError(byId("dialog-files"), new Refusal(0, t("web.files.empty")));
    return;
  }
  try {
    await game.newTable(pastedOptions(position));
    byId("dialog-files").close();
    focusCell();
  } catch (error) {
    showError(byId("dialog-files"), error);
  }
}

function startFiles() {
  byId("open-files").addEventListener("click", openFiles);
  byId("copy-gnu").addEventListener("click", () => copyId("gnu"));
  byId("copy-xgid").addEventListener("click", () => copyId("xgid"));
  byId("save-mat").addEventListener("click", saveMat);
  for (const id of ["save-session", "notice-save"]) byId(id).addEventListener("click", saveSession);
  byId("load-file").addEventListener("change", load);
  byId("paste-form").addEventListener("submit", playPosition);
}

// -- settings, help, account

function startSettings() {
  for (const input of document.querySelectorAll("[data-setting]")) {
    const name = input.dataset.setting;
    const isCheck = input.type === "checkbox";
    if (isCheck) input.checked = setting(name);
    else input.value = setting(name);
    input.addEventListener("change", () => change(name, isCheck ? input.checked : input.value));
  }
  byId("open-settings").addEventListener("click", () => open(byId("dialog-settings")));
}

function drawHelp() {
  const rows = KEYS.filter(({ help }) => help).map(({ help, shown }) => {
    const name = element("th", "", element("kbd", shown));
    name.scope = "row";
    return element("tr", "", name, element("td", t(help)));
  });
  byId("help-keys").replaceChildren(...rows);
}

async function openAccount() {
  const dialog = byId("dialog-account");
  open(dialog);
  if (!(await attempt(drawAccount))) dialog.close();
}

export function startDialogs(settings) {
  serverSettings = settings;
  startNewForm();
  startFiles();
  startSettings();
  drawHelp();
  onLanguage(drawHelp);
  byId("open-help").addEventListener("click", () => open(byId("dialog-help")));
  byId("open-account").addEventListener("click", openAccount);
  byId("dice-form").addEventListener("submit", enterDice);
  byId("dialog-answer").addEventListener("keydown", ignoreRepeats);
  for (const button of document.querySelectorAll("dialog .close")) {
    button.addEventListener("click", () => button.closest("dialog").close());
  }
  return { openNew };
}
