// Every text of the page in the language chosen; switching needs no reload.

import { call } from "./server.js";

const OPEN = "\u2068"; // first strong isolate: foreign words do not disturb a line
const CLOSE = "\u2069";

let current = null;
const listeners = new Set();

/** The category of a number's words, by the rows of the language's file. */
function category(count) {
  const row = current.language.plurals.find(([, modulus, low, high]) => {
    const rest = modulus ? count % modulus : count;
    return low <= rest && rest <= high;
  });
  return row ? row[0] : "other";
}

function isolated(value) {
  const isText = typeof value === "string" && value !== "";
  return isText && isRightToLeft() ? OPEN + value + CLOSE : String(value);
}

/** The text of a key with its placeholders filled in; `count` also chooses the plural. */
export function t(key, values = {}) {
  const text = current.texts[key];
  if (text === undefined) throw new Error(`no text ${key} in ${current.code}`);
  const form = typeof text === "string" ? text : (text[category(values.count)] ?? text.other);
  return form.replace(/{(\w+)}/g, (_, name) => isolated(values[name]));
}

/** Whether a language has been loaded. */
export function hasTexts() {
  return current !== null;
}

export function language() {
  return current.code;
}

export function isRightToLeft() {
  return current.language.direction === "rtl";
}

/** A number as the board writes it: digits are Latin in every language, as in the notation. */
export function signed(number, digits = 3) {
  const text = Math.abs(number).toFixed(digits);
  if (Number(text) === 0) return text;
  return (number < 0 ? "\u2212" : "+") + text;
}

export function percent(chance) {
  return `${(100 * chance).toFixed(1)}%`;
}

export async function setLanguage(code) {
  current = { code, ...(await call(`/table/texts/${encodeURIComponent(code)}`)) };
  document.documentElement.lang = code;
  document.documentElement.dir = current.language.direction;
  writeStaticTexts(document);
  for (const listener of listeners) listener();
}

export function onLanguage(listener) {
  listeners.add(listener);
}

/** Fill the elements that name their text in the page itself. */
export function writeStaticTexts(root) {
  for (const node of root.querySelectorAll("[data-text]")) node.textContent = t(node.dataset.text);
  for (const node of root.querySelectorAll("[data-label]")) {
    node.setAttribute("aria-label", t(node.dataset.label));
  }
}
