// What must not be overlooked: a line above the board, said aloud as well, until it is put away.

import { announce } from "./speech.js";
import { onLanguage } from "./texts.js";

const byId = (id) => document.getElementById(id);
let told = null; // gives the text in the language of the moment

/** Show a text, given by a function of no arguments; about the server, with what can be done. */
export function notify(text, { isAboutServer = false } = {}) {
  told = text;
  draw();
  byId("notice").hidden = false;
  for (const id of ["notice-retry", "notice-save"]) byId(id).hidden = !isAboutServer;
  byId("notice-close").hidden = isAboutServer;
  announce(text(), true);
}

export function hideNotice() {
  told = null;
  byId("notice").hidden = true;
}

function draw() {
  if (told !== null) byId("notice-text").textContent = told();
}

export function startNotice() {
  byId("notice-close").addEventListener("click", hideNotice);
  onLanguage(draw);
}
