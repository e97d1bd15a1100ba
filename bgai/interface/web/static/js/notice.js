// What must not be overlooked: a line above the board, said aloud as well, until it is put away.

import { announce } from "./speech.js";
import { language, onLanguage } from "./texts.js";

const byId = (id) => document.getElementById(id);
let told = null; // gives the text in the language of the moment
let lang = null; // if it is always the same

/** Show a text, given by a function of no arguments; about the server, with what can be done. */
export function notify(text, { isAboutServer = false, lang: always = null } = {}) {
  told = text;
  lang = always;
  draw();
  byId("notice").hidden = false;
  for (const id of ["notice-retry", "notice-save"]) byId(id).hidden = !isAboutServer;
  byId("notice-close").hidden = isAboutServer;
  announce(text(), true, lang ?? undefined);
}

export function hideNotice() {
  told = null;
  byId("notice").hidden = true;
}

function draw() {
  if (told === null) return;
  const place = byId("notice-text");
  place.lang = lang ?? language();
  place.textContent = told();
}

export function startNotice() {
  byId("notice-close").addEventListener("click", hideNotice);
  onLanguage(draw);
}
