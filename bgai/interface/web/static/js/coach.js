// The coach: hints before a decision, a word after a mistake, the account of the session.

import { graph } from "./drawing.js";
import { game } from "./game.js";
import { element, notation } from "./panels.js";
import { change, setting } from "./settings.js";
import { announce, opponent } from "./speech.js";
import { language, percent, signed, t } from "./texts.js";

const byId = (id) => document.getElementById(id);
let shownHints = null;
let lastRemark = null;

function table(headings, rows, caption) {
  const head = element("tr", "", ...headings.map((text) => Object.assign(element("th", text), { scope: "col" })));
  const title = element("caption", caption);
  return element("table", "", title, element("thead", "", head), element("tbody", "", ...rows));
}

function row(...cells) {
  return element("tr", "", ...cells.map((cell) => element("td", "", cell)));
}

// -- hints

export async function showHints() {
  shownHints = await game.ask("hints");
  drawCoach();
  announce(hintText(shownHints));
}

function hintText({ plays, cube, answer }) {
  if (plays) {
    const best = plays.slice(0, 2).map((play) =>
      t("web.hint.spoken", { play: play.spoken[language()], equity: signed(play.equity) }),
    );
    return best.join(" ");
  }
  const told = [];
  if (answer) told.push(t("web.hint.answer", { action: t(`action.${answer.action}`) }));
  if (cube) told.push(cube.verdict[language()]);
  return told.join(". ");
}

function drawHints() {
  const place = byId("hints");
  const { plays, cube, answer } = shownHints ?? {};
  const parts = [];
  if (plays) parts.push(playsTable(plays));
  if (answer) {
    const text = t("web.hint.answer", { action: t(`action.${answer.action}`) });
    parts.push(element("p", text));
  }
  if (cube) parts.push(element("p", cube.verdict[language()]), cubeTable(cube));
  place.replaceChildren(...parts);
}

function playsTable(plays) {
  const rows = plays.map((play) => {
    const made = row(
      notation(play.play === "cannot move" ? t("moves.none") : play.play),
      notation(signed(play.equity)),
      notation(signed(play.difference)),
      notation(percent(play.probs.win + play.probs.win_gammon + play.probs.win_backgammon)),
      notation(percent(play.probs.win_gammon + play.probs.win_backgammon)),
      notation(percent(play.probs.lose_gammon + play.probs.lose_backgammon)),
    );
    return made;
  });
  const headings = ["play", "equity", "difference", "wins", "gammons", "loses_gammons"];
  return table(headings.map((name) => t(`web.hint.${name}`)), rows, t("web.hint.caption"));
}

function cubeTable({ nd, dt, dp, chances, is_possible: isPossible }) {
  const values = Object.entries(isPossible ? { nd, dt, dp } : { nd });
  const rows = values.map(([name, value]) => {
    const cells = [t(`cube.value.${name}`), notation(signed(value))];
    if (chances) cells.push(notation(percent(chances[name])));
    return row(...cells);
  });
  const headings = [t("web.hint.action"), t("web.hint.equity")];
  if (chances) headings.push(t("cube.chances"));
  return table(headings, rows, t("cube.equities"));
}

// -- after a decision

export async function remarkOn(events) {
  if (events.length > 0) shownHints = null;
  const isYours = events.some((event) => event.side === "you" && !event.is_automatic);
  if (setting("coach") && isYours) lastRemark = await game.ask("judgement");
  drawCoach();
  const text = lastRemark?.remark?.[language()];
  if (setting("coach") && isYours && text) announce(text);
}

export function drawCoach() {
  byId("coach-on").checked = setting("coach");
  const isShown = setting("coach") && lastRemark?.remark;
  const right = t("web.coach.right");
  byId("coach-remark").textContent = isShown ? (lastRemark.remark[language()] ?? right) : "";
  drawHints();
}

export function forgetCoach() {
  shownHints = lastRemark = null;
}

// -- the account

export async function drawAccount() {
  const account = await game.ask("account");
  const place = byId("account");
  place.replaceChildren(sidesTable(account.sides), element("p", t("report.note")));
  const worst = account.worst.filter((item) => item.remark[language()] !== null);
  if (worst.length > 0) {
    const items = worst.map((item) =>
      element("li", t("web.account.worst", { game: String(item.game), remark: item.remark[language()] })),
    );
    place.append(element("h3", t("report.worst")), element("ul", "", ...items));
  }
  place.append(...graphOf(account.outlook));
}

function sidesTable(sides) {
  const rows = sides.map((side) => {
    const name = element("th", side.side === "you" ? t("board.you") : opponent());
    name.scope = "row";
    const cells = [
      String(side.decisions),
      side.play_error.toFixed(0),
      side.cube_error.toFixed(0),
      side.pr === null ? "-" : side.pr.toFixed(2),
      side.luck === null ? "-" : signed(side.luck, 2),
    ].map((text) => element("td", "", notation(text)));
    return element("tr", "", name, ...cells);
  });
  const headings = ["side", "decisions", "play_error", "cube_error", "pr", "luck"];
  return table(headings.map((name) => t(`web.account.${name}`)), rows, t("web.account.caption"));
}

/** The line of the chances, and the same as a table for those who do not see it. */
function graphOf(outlook) {
  if (outlook.length < 2) return [];
  const isMatch = outlook[0].match !== null;
  const chances = outlook.map((point) => (isMatch ? point.match : point.game));
  const title = t(isMatch ? "web.account.graph_match" : "web.account.graph_game");
  const every = Math.ceil(chances.length / 12);
  const rows = outlook
    .filter((_, index) => index % every === 0 || index === outlook.length - 1)
    .map((point) => row(String(point.number), notation(percent(isMatch ? point.match : point.game))));
  const headings = [t("web.account.step"), t("web.account.chance")];
  const details = element("details", "", element("summary", t("web.account.as_table")), table(headings, rows, title));
  return [element("h3", title), graph(chances, title), details];
}

export function startCoach() {
  byId("coach-on").addEventListener("change", (event) => change("coach", event.target.checked));
}
