// The coach: hints before a decision, a word after a mistake, the account of the session.

import { game } from "./game.js";
import { graph } from "./graph.js";
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

/** Mark a place as busy while what it will show is computed. */
async function filling(place, work) {
  place.setAttribute("aria-busy", "true");
  try {
    return await work;
  } finally {
    place.setAttribute("aria-busy", "false");
  }
}

/** Whose judgement it is. */
function judged() {
  const { judge, plies } = game.view;
  const text = element("p", t("web.judged", { name: judge, plies: String(plies) }));
  text.className = "quiet";
  return text;
}

// -- hints

export async function showHints() {
  shownHints = await filling(byId("hints"), game.askCoach("hints"));
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
  if (shownHints !== null) parts.push(judged());
  place.replaceChildren(...parts);
}

function playsTable(plays) {
  const headings = ["play", "equity", "difference", "wins", "gammons", "loses_gammons"];
  return table(headings.map((name) => t(`web.hint.${name}`)), plays.flatMap(playRows), t("web.hint.caption"));
}

/** A row, and below it one that its button opens: the chances of both sides. */
function playRows(play, number) {
  const [win, gammon] = winChances(play.probs, "win");
  const text = play.play === "cannot move" ? t("moves.none") : play.play;
  const opener = element("button", "", notation(text));
  opener.type = "button";
  opener.className = "opener";
  opener.setAttribute("aria-label", t("web.hint.open", { play: play.spoken[language()] }));
  opener.setAttribute("aria-expanded", "false");
  opener.setAttribute("aria-controls", `hint-${number}`);
  const told = row(
    opener,
    notation(signed(play.equity)),
    notation(signed(play.difference)),
    notation(percent(win)),
    notation(percent(gammon)),
    notation(percent(winChances(play.probs, "lose")[1])),
  );
  const cell = element("td", "", chancesText(play.probs, "win"), chancesText(play.probs, "lose"));
  cell.colSpan = told.children.length;
  const detail = element("tr", "", cell);
  detail.id = `hint-${number}`;
  detail.className = "detail";
  detail.hidden = true;
  opener.addEventListener("click", () => {
    detail.hidden = !detail.hidden;
    opener.setAttribute("aria-expanded", String(!detail.hidden));
  });
  return [told, detail];
}

/** The chances of a side to win at all, a gammon at least, and a backgammon. */
function winChances(probs, side) {
  const [single, gammon, backgammon] = ["", "_gammon", "_backgammon"].map((level) => probs[side + level]);
  return [single + gammon + backgammon, gammon + backgammon, backgammon];
}

function chancesText(probs, side) {
  const name = side === "win" ? t("board.you") : opponent();
  const [win, gammon, backgammon] = winChances(probs, side).map(percent);
  return element("p", t("web.hint.detail", { name, win, gammon, backgammon }));
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
  if (setting("coach") && isYours) lastRemark = await game.askCoach("judgement", { isQuiet: true });
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
  const place = byId("account");
  place.replaceChildren();
  const account = await filling(place, game.ask("account"));
  place.replaceChildren(sidesTable(account.sides), element("p", t("report.note")), judged());
  if (account.worst.length > 0) {
    const items = account.worst.map((item) => element("li", worstText(item)));
    place.append(element("h3", t("report.worst")), element("ul", "", ...items));
  }
  place.append(...graphOf(account.outlook));
}

function worstText({ game: number, turn, dice, made, best, error }) {
  const values = {
    game: String(number),
    turn: String(turn),
    made: made[language()],
    best: best[language()],
    error: error.toFixed(0),
  };
  if (dice === null) return t("web.account.worst_cube", values);
  return t("web.account.worst", { ...values, dice: dice.join("-") });
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
  const points = outlook.map((point) => ({ turn: point.turn, chance: isMatch ? point.match : point.game }));
  const title = t(isMatch ? "web.account.graph_match" : "web.account.graph_game");
  const every = Math.ceil(points.length / 12);
  const rows = points
    .filter((_, index) => index % every === 0 || index === points.length - 1)
    .map(({ turn, chance }) => row(String(turn), notation(percent(chance))));
  const headings = [t("web.account.turn"), t("web.account.chance")];
  const details = element("details", "", element("summary", t("web.account.as_table")), table(headings, rows, title));
  return [element("h3", title), graph(points, title), details];
}

export function startCoach() {
  byId("coach-on").addEventListener("change", (event) => change("coach", event.target.checked));
}
