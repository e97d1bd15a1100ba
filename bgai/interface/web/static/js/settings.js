// What the person has chosen about the page itself; kept by the browser.

const KEY = "bgai-settings";
const TABLE_KEY = "bgai-kept-table";

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

/**
 * The table last used, so that a reload goes on with it: its name, and the session itself for a server that
 * has forgotten it. A window's own comes before that of the window used last.
 */
export const lastTable = {
  get() {
    try {
      const kept = sessionStorage.getItem(TABLE_KEY) ?? localStorage.getItem(TABLE_KEY);
      return kept === null ? null : JSON.parse(kept);
    } catch {
      return null;
    }
  },
  set(table) {
    const text = JSON.stringify(table);
    for (const storage of ["sessionStorage", "localStorage"]) {
      try {
        window[storage].setItem(TABLE_KEY, text);
      } catch {
        // without storage a reload begins anew
      }
    }
  },
};
