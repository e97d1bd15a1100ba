// What the person has chosen about the page itself; kept by the browser.

const KEY = "bgai-settings";

export const DEFAULTS = {
  language: "",
  theme: "auto",
  homeSide: "right",
  speed: "normal",
  oneClick: true,
  onlyPlays: true,
  autoRoll: true,
  autoBearOff: false,
  autoConfirm: false,
  coach: false,
  showPips: true,
  shortcuts: true,
};

/** Milliseconds between the steps of the opponent's turn. */
export const SPEEDS = { slow: 1600, normal: 700, fast: 250, instant: 0 };

const listeners = new Set();
let chosen = { ...DEFAULTS, ...stored() };

function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    return {}; // storage is off or damaged: the page works with its defaults
  }
}

export function setting(name) {
  return chosen[name];
}

export function change(name, value) {
  chosen = { ...chosen, [name]: value };
  try {
    localStorage.setItem(KEY, JSON.stringify(chosen));
  } catch {
    // storage is off: the choice holds until the page is closed
  }
  for (const listener of listeners) listener(name);
}

export function onSetting(listener) {
  listeners.add(listener);
}

/** The name of the table last used, so that a reload goes on with it. */
export const lastTable = {
  get() {
    try {
      return localStorage.getItem("bgai-table");
    } catch {
      return null;
    }
  },
  set(name) {
    try {
      localStorage.setItem("bgai-table", name);
    } catch {
      // without storage a reload begins anew
    }
  },
};
