// What the page does while the server computes, and when it has stopped: nothing is lost.

import { game } from "./game.js";
import { hideNotice, notify } from "./notice.js";
import { NoAnswer, Refusal, connection, isThere } from "./server.js";
import { announce, promptText } from "./speech.js";
import { t } from "./texts.js";

const LOOK_AGAIN = 5000; // milliseconds

let isLost = false;
let looking = null;

/** Do what may fail for the server's sake; then say so. False if it has failed. */
export async function attempt(work) {
  const wasLost = isLost;
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (!(error instanceof NoAnswer)) notify(() => error.message, { lang: error.lang });
    else if (wasLost) announce(error.message, true); // the first time the notice has said it
    return false;
  }
}

function lose() {
  if (!isLost) {
    isLost = true;
    notify(() => t("web.server.gone"), { isAboutServer: true });
  }
  clearTimeout(looking);
  looking = setTimeout(lookAgain, LOOK_AGAIN);
}

async function lookAgain() {
  if (await isThere()) connection.tell("answered");
  else if (isLost) lose();
}

async function find() {
  if (!isLost) return;
  isLost = false;
  clearTimeout(looking);
  hideNotice();
  if (game.isBusy || game.name === null) announce(t("web.server.back"), true);
  else await attempt(() => game.catchUp());
}

function showWaiting(isWaiting) {
  document.body.classList.toggle("waiting", isWaiting);
  const text = isWaiting ? t("web.thinking") : "";
  for (const node of document.querySelectorAll(".working")) node.textContent = text;
  if (game.view !== null) {
    document.getElementById("prompt").textContent = isWaiting ? text : promptText();
  }
  // an open dialog says it itself: what lies behind is not read
  if (isWaiting && document.querySelector("dialog[open]") === null) announce(text);
}

export function startConnection() {
  connection.addEventListener("lost", lose);
  connection.addEventListener("answered", find);
  connection.addEventListener("waiting", () => showWaiting(true));
  connection.addEventListener("ready", () => showWaiting(false));
  game.addEventListener("found", ({ detail }) => {
    if (detail.isRestored) notify(() => t("web.server.restored"));
    else announce(t("web.server.back"), true);
  });
  document.getElementById("notice-retry").addEventListener("click", async () => {
    if (await isThere()) connection.tell("answered");
    else announce(t("web.server.gone"), true);
  });
}
