// The calls of the page's server, one at a time and in order, so that no click overtakes another.

import { hasTexts, t } from "./texts.js";

const THINKING_AFTER = 300; // milliseconds; what is quicker needs no word
const DOUBT_AFTER = 15000;
const PATIENCE = 10000;

/** What is refused and why, in words of the language `lang`; `field` is what is wrong with the question. */
export class Refusal extends Error {
  constructor(status, message, { field = null, lang = document.documentElement.lang } = {}) {
    super(message);
    this.status = status;
    this.field = field;
    this.lang = lang;
  }
}

/** The server has stopped, or answers nothing. */
export class NoAnswer extends Refusal {
  constructor() {
    super(0, hasTexts() ? t("web.server.gone") : "The server does not answer.");
  }
}

/**
 * Tells its listeners `lost` and `answered` of every call, and `waiting` and `ready` where a call takes
 * so long that one wonders.
 */
class Connection extends EventTarget {
  tell(kind) {
    this.dispatchEvent(new Event(kind));
  }
}

export const connection = new Connection();
let last = Promise.resolve();
let waiting = 0;

async function answerOf(path, body) {
  const options =
    body === undefined
      ? {}
      : {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(body),
        };
  const { response, answer } = await received(path, options);
  connection.tell("answered");
  if (!response.ok) {
    const { message = String(answer), field } = answer;
    throw new Refusal(response.status, message, { field, lang: "en" });
  }
  return answer;
}

async function received(path, options) {
  try {
    const response = await fetch(path, options);
    if (response.status === 503) throw new Error("the server is being stopped");
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { response, answer: isJson ? await response.json() : await response.text() };
  } catch {
    connection.tell("lost");
    throw new NoAnswer();
  }
}

/** Whether the server answers a question that needs no thought; past the queue of the others. */
export async function isThere() {
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    return (await fetch("/table/settings", { signal })).ok;
  } catch {
    return false;
  }
}

/** Say so while an answer takes long; where it takes very long, see whether anybody is there. */
async function noted(answer) {
  let isSlow = false;
  const thinking = setTimeout(() => {
    isSlow = true;
    waiting += 1;
    if (waiting === 1) connection.tell("waiting");
  }, THINKING_AFTER);
  const doubting = setInterval(async () => {
    if (!(await isThere())) connection.tell("lost");
  }, DOUBT_AFTER);
  try {
    return await answer;
  } finally {
    clearTimeout(thinking);
    clearInterval(doubting);
    if (isSlow) {
      waiting -= 1;
      if (waiting === 0) connection.tell("ready");
    }
  }
}

/** GET, or POST where there is a body; a quiet one is not waited for. */
export function call(path, body, { isQuiet = false } = {}) {
  const answer = last.then(() => (isQuiet ? answerOf(path, body) : noted(answerOf(path, body))));
  last = answer.catch(() => {});
  return answer;
}
