"""The conversation of a terminal session, typed and read as a person does."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest

from bgai.engine import Boards, Probs
from bgai.interface.table import Automatic, Seat, Table, load_session
from bgai.interface.table.dice import thrown_opening
from bgai.interface.terminal.board_text import BoardView
from bgai.interface.terminal.console import Console
from bgai.interface.terminal.session import TerminalSession
from bgai.interface.texts import load_texts
from bgai.match import Decision, MatchState, Rules, double, money_rules, position_of, resign
from bgai.search import EvaluatorPlayer
from tests.engine.positions import board_of
from tests.interface.conftest import Bgai
from tests.interface.players import ENTERS_ONLY, Gambler, racer
from tests.match.states import on_roll

Typed: TypeAlias = Callable[..., str]

ANY_PLAY = "list\n1\n"
SOME_TURNS = ANY_PLAY * 8
WHOLE_GAME = (ANY_PLAY + "accept\n") * 300
"""Plays the first play listed, accepts when the bot resigns; elsewhere that is refused."""
MATCH = "\nlist\n1\ntake\naccept\n" * 700
"""Rolls, plays the first play listed, takes, accepts, starts the next game; the rest is refused."""


def _seed_with_opening(yours: int, theirs: int) -> int:
    return next(s for s in range(1000) if thrown_opening(s, 0, 0) == (yours, theirs))


YOU_31 = str(_seed_with_opening(3, 1))
BOT_31 = str(_seed_with_opening(1, 3))


@pytest.fixture
def play(bgai: Bgai, race_bot: str) -> Typed:
    """Type lines into a session in ASCII, by default a single game; returns what it printed."""

    def run(typed: str, *argv: str) -> str:
        if not {"--seed", "--load"} & {*argv} and "manual" not in argv:
            argv = (*argv, "--seed", YOU_31)
        if not {"--match", "--money", "--load"} & {*argv}:
            argv = (*argv, "--single")
        code, out, err = bgai("play", "--bot", race_bot, "--board", "ascii", *argv, typed=typed)
        assert (code, err) == (0, "")
        return out

    return run


class TypedConsole(Console):
    """A console whose lines are given beforehand, and which keeps what is said and asked."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.said: list[str] = []
        self.asked: list[str] = []

    def say(self, text: str = "") -> None:
        self.said.append(text)

    def ask(self, prompt: str) -> str:
        self.asked.append(prompt)
        if not self.lines:
            raise EOFError
        return self.lines.pop(0)


def at_table(
    state: MatchState,
    *lines: str,
    language: str = "en",
    player: EvaluatorPlayer | None = None,
    is_coaching: bool = False,
    automatic: Automatic | None = None,
) -> TypedConsole:
    """What is said when lines are typed by the person in seat 0 who has come to a state."""
    player = player or racer()
    console = TypedConsole(*lines)
    seats = Seat("Ann"), Seat(player.name, player)
    table = Table(seats, start=state, seed=1, automatic=automatic)
    view = BoardView(load_texts(language), "ascii")
    TerminalSession(console, table, player, view, is_coaching).run()
    return console


# -- a single game


@pytest.mark.parametrize("seed", ["2"])
def test_a_single_game_runs_from_the_opening_to_its_points(play: Typed, seed: str) -> None:
    out = play(WHOLE_GAME, "--seed", seed)
    assert "You throw " in out and "no cube" in out
    result = out.splitlines()[-2]
    assert result.startswith(("You win a ", "racer wins a "))
    assert result.endswith((" 1 point.", " 2 points.", " 3 points."))
    assert out.splitlines()[-1].startswith("The session is over. You ")
    assert max(map(len, out.splitlines())) <= 80


def test_the_same_seed_gives_the_same_game(play: Typed) -> None:
    assert play(SOME_TURNS, "--seed", "5") == play(SOME_TURNS, "--seed", "5")
    assert play(SOME_TURNS, "--seed", "5") != play(SOME_TURNS, "--seed", "6")


def test_the_higher_die_starts_and_plays_both_numbers(play: Typed) -> None:
    mine = play("quit\n", "--seed", YOU_31)
    assert "You throw 3, racer throws 1: you start." in mine
    assert "to play: 3 1" in mine
    theirs = play("quit\n", "--seed", BOT_31)
    assert "You throw 1, racer throws 3: racer starts." in theirs
    assert "racer rolls 3-1: " in theirs


def test_a_play_is_typed_whole(play: Typed) -> None:
    out = play("8/5 6/5\nquit\n")
    assert "You roll 3-1: 8/5 6/5." in out
    assert "pips 163, off 0" in out
    assert "racer rolls " in out


def test_a_play_is_typed_one_checker_at_a_time(play: Typed) -> None:
    out = play("6/5\n8/5\nquit\n")
    assert "Your move, 3 left> 8/5" in out
    assert "You roll 3-1: 6/5 8/5." in out or "You roll 3-1: 8/5 6/5." in out


def test_undo_takes_back_the_moves_of_this_turn(play: Typed) -> None:
    assert "You roll 3-1: 24/20." in play("6/5\nundo\n24/20\nquit\n")


def test_undo_goes_back_to_the_previous_turn_and_meets_the_same_dice(play: Typed) -> None:
    out = play("8/5 6/5\nundo\nundo\n24/20\nundo\n8/5 6/5\nquit\n")
    assert out.count("Taken back.") == 2
    assert "there is nothing to take back." in out
    replies = [line for line in out.splitlines() if line.startswith("racer rolls")]
    assert replies[0] == replies[2]
    assert len({reply.split(":")[0] for reply in replies}) == 1


def test_a_number_picks_from_the_list_shown_last(play: Typed) -> None:
    out = play("1\nlist\nhint 2\n3\n2\nquit\n")
    assert "type `list` or `hint` first" in out
    assert "the list has the numbers 1 to 2, got 3." in out
    second = next(line for line in out.splitlines() if line.startswith(" 2. "))
    assert f"You roll 3-1: {second[4:25].strip()}." in out


def test_hint_shows_plays_with_their_chances(play: Typed) -> None:
    table = play("hint\nquit\n").splitlines()
    assert sum(line.startswith(f" {n}. ") for n in range(1, 6) for line in table) == 5
    all_plays = play("hint all\nquit\n").splitlines()
    assert any(line.startswith("16. ") for line in all_plays)
    assert "got 'x'." in play("hint x\nquit\n")


def test_what_cannot_be_played_is_explained_in_one_line_and_asked_again(play: Typed) -> None:
    typed = "24/18\nhello\n8/5 6/5 4/3\nsave\nload no/such/game\n\n31\n8/\n6/5/\n8/5 6/5\nquit\n"
    out = play(typed)
    assert "'24/18' is not legal with the roll 3-1; `list` shows what is." in out
    assert "'hello' is neither a play nor a command" in out
    assert "`save FILE` needs the name of a file." in out
    assert "no/such/game: No such file or directory." in out
    assert "'8/' is not legal" in out and "'6/5/' is not legal" in out
    assert "type `list` or `hint` first" in out
    assert "You roll 3-1: 8/5 6/5." in out


@pytest.mark.parametrize("line", ["double", "take", "pass", "beaver", "accept", "next", "roll"])
def test_what_is_not_possible_now_is_said_in_one_line(play: Typed, line: str) -> None:
    assert f"`{line}` is not possible now." in play(f"{line}\nquit\n")


def test_the_end_of_the_input_ends_politely(play: Typed) -> None:
    assert play("").splitlines()[-1] == "The input has ended; the game stops here."
    assert "The input has ended; the game stops here." in play("8/5 6/5")


@pytest.mark.parametrize("leave", ["quit", ""])
def test_a_session_that_is_left_can_be_gone_on_with(play: Typed, cache: Path, leave: str) -> None:
    kept = cache / "last-session.json"
    assert "Saved" not in play("quit\n") and not kept.exists(), "nothing was played"
    assert f"`bgai play --load {kept}` goes on" in play(SOME_TURNS + leave).splitlines()[-1]
    assert "Saved" not in play("quit\n", "--load", str(kept)), "it lies there as it was"
    steps = load_session(kept, lambda name: racer()).steps
    assert "Saved" in play(ANY_PLAY, "--load", str(kept))
    assert len(load_session(kept, lambda name: racer()).steps) > len(steps) > 8


def test_a_session_that_is_over_or_saved_is_not_kept(
    play: Typed, cache: Path, tmp_path: Path
) -> None:
    play(WHOLE_GAME)
    play(f"{SOME_TURNS}save {tmp_path / 'mine.json'}\nquit\n")
    assert not list(cache.iterdir())


def test_where_nothing_can_be_kept_nothing_is_promised(play: Typed, cache: Path) -> None:
    (cache / "last-session.json").write_text("something else", encoding="utf-8")
    assert "Saved" not in play(SOME_TURNS)
    assert (cache / "last-session.json").read_text(encoding="utf-8") == "something else"


def test_ctrl_c_stops_without_a_traceback_and_keeps_the_session(
    bgai: Bgai, race_bot: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = iter(SOME_TURNS.splitlines())

    def interrupted(self: Console, prompt: str) -> str:
        if (line := next(typed, None)) is None:
            raise KeyboardInterrupt
        return line

    monkeypatch.setattr(Console, "ask", interrupted)
    code, out, err = bgai("play", "--bot", race_bot, "--single", "--seed", YOU_31)
    assert (code, err) == (130, "\n")
    assert "Saved" in out and (cache / "last-session.json").exists()


@pytest.mark.parametrize("command", ["save", "load"])
def test_the_home_of_nobody_is_a_file_that_is_not_there(play: Typed, command: str) -> None:
    assert "~nobody_of_this_name/x" in play(f"{SOME_TURNS}{command} ~nobody_of_this_name/x\nquit\n")


@pytest.mark.parametrize("language", ["en", "ar"])
def test_help_names_every_command(play: Typed, language: str) -> None:
    texts = load_texts(language)
    helped = play("help\nquit\n", "--language", language)
    for key in texts.texts:
        command = key.removeprefix("terminal.words.")
        if command != key and command not in ("yes", "next"):
            assert texts.words(key)[0] in helped, command


def test_id_and_description_of_the_position(play: Typed) -> None:
    out = play("id\ndescribe\nboard\nscore\nquit\n", "--match", "5")
    assert "4HPwATDgc/ABMA:" in out
    assert "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:5:6" in out  # you are X, the bottom
    assert "Yours: 2 on 24, 5 on 13, 3 on 8, 5 on 6, bar 0, off 0, pips 167." in out
    assert "racer: 5 on 19, 3 on 17, 5 on 12, 2 on 1, bar 0, off 0, pips 167." in out
    assert "score You 0, racer 0" in out


def test_manual_dice_are_typed_for_both_sides(play: Typed) -> None:
    typed = "4-4\n17\nroll\n31\n8/5 6/5\nundo\n8/5 6/5\n65\nid\n5 5\nquit\n"
    out = play(typed, "--dice", "manual")
    assert "equal dice are thrown again." in out
    assert "dice are written like 31 or 3-1, got '17'." in out
    assert "throw your dice and type them, like 31." in out
    assert "racer rolls 6-5: " in out
    assert "Your move, 5 5 5 5> quit" in out


def test_an_only_play_is_announced_and_made_or_left_to_the_person() -> None:
    own, opponent = ENTERS_ONLY
    state = on_roll(money_rules(cap=1), position=position_of(board_of(own, opponent)))
    state = replace(state, decision=Decision.PLAY, dice=(4, 3))
    made = at_table(state, "quit")
    assert "You roll 4-3: bar/21 (the only play)." in made.said
    asked = at_table(state, "bar/21", "quit", automatic=Automatic(only_plays=False))
    assert asked.asked[0] == "Your move, 4 3> "
    assert "You roll 4-3: bar/21." in asked.said


def test_dice_are_thrown_for_the_person_or_asked_for(play: Typed) -> None:
    assert "Enter rolls" not in play(SOME_TURNS)
    assert "Your turn: Enter rolls> " in play(SOME_TURNS, "--ask-roll")


def test_words_are_for_the_ear(bgai: Bgai, race_bot: str) -> None:
    words = ("play", "--bot", race_bot, "--board", "words", "--seed", YOU_31)
    out = bgai(*words, typed="list\nhint 1\n8/5 6/5\nquit\n")[1]
    assert "You roll 3-1: 8 to 5, 6 to 5." in out
    assert "equity " in out and "wins " in out
    assert "/5" not in out.replace("8/5 6/5", "")
    assert "|" not in out


# -- matches and the cube


@pytest.mark.parametrize(
    "argv",
    [
        ("--match", "2"),
        ("--match", "2", "--no-crawford", "--cap", "2"),
        ("--money", "--games-limit", "2", "--jacoby", "--beavers", "--automatic-doubles", "1"),
        ("--match", "1", "--language", "ar"),
    ],
    ids=" ".join,
)
def test_whole_sessions_are_played_to_their_end(play: Typed, argv: tuple[str, ...]) -> None:
    out = play(MATCH, *argv, "--seed", "4", "--ask-roll", "--coach")
    texts = load_texts("ar" if "ar" in argv else "en")
    assert texts("terminal.ended") not in out
    assert texts("report.heading") in out, "the coach sums up"
    assert texts("terminal.ask.another") in out or "--games-limit" not in argv


def test_the_person_is_asked_before_rolling_and_enter_alone_rolls() -> None:
    console = at_table(on_roll(Rules(5)), "", "quit")
    assert console.asked[0] == "Your turn: Enter rolls, or double> "
    assert console.asked[1].startswith("Your move, ")


def test_a_double_is_offered_and_answered() -> None:
    console = at_table(on_roll(Rules(5)), "double", "quit")
    assert "You double to 2." in console.said
    answers = {"racer takes, the cube is at 2.", "racer passes."}
    assert answers & {*console.said}


@pytest.mark.parametrize(
    ("rules", "question"),
    [
        (Rules(5), "racer doubles to 2: take or pass> "),
        (money_rules(beavers=True), "racer doubles to 2: take, pass or beaver> "),
        (money_rules(beavers=True, cap=2), "racer doubles to 2: take or pass> "),
    ],
)
def test_a_double_is_asked_about_with_what_may_be_answered(rules: Rules, question: str) -> None:
    offered = double(on_roll(rules, turn=1))
    console = at_table(offered, "", "beaver" if "beaver" in question else "take", "quit")
    assert console.asked[:2] == [question] * 2, "Enter alone answers nothing"
    assert any("cube offered at 2" in text for text in console.said)


def test_passing_ends_the_game_and_the_next_one_begins_with_enter() -> None:
    offered = double(on_roll(Rules(5), turn=1))
    console = at_table(offered, "pass", "", "quit")
    assert "You pass." in console.said and "racer wins 1 point." in console.said
    assert console.asked[1] == "press Enter for the next game> "
    assert "Game 2. You 0, racer 1." in console.said


def test_the_crawford_game_is_announced() -> None:
    offered = double(on_roll(Rules(5), score=(2, 3), turn=1))
    console = at_table(offered, "pass", "", "quit")
    assert "Game 2, the Crawford game: no cube. You 2, racer 4." in console.said
    assert any("match to 5, Crawford game" in text for text in console.said)


def test_hint_before_a_roll_decides_the_cube_and_says_why() -> None:
    console = at_table(on_roll(Rules(5)), "hint", "quit")
    told = "\n".join(console.said)
    assert "ND  no double" in told and "match winning chance" in told
    assert "no double: the cube is worth " in told
    assert "answer to a double: take" in told


def test_hint_when_doubled_or_beavered_says_the_best_answer() -> None:
    offered = double(on_roll(money_rules(beavers=True), turn=1))
    assert "Best answer now: beaver." in at_table(offered, "hint", "quit").said


def test_a_resignation_is_asked_about_then_answered_by_the_bot(play: Typed) -> None:
    out = play("resign\nno\nresign 3\nyes\n")
    assert "Lose a single game, 1 point? (yes/no)> no" in out
    assert "You play on." in out
    assert "racer accepts the resignation." in out
    assert "racer wins a backgammon, 3 points." in out


def sure_loss_of_a_gammon(boards: Boards) -> Probs:
    """Whoever is on roll loses a gammon."""
    return np.tile(np.array([0, 0, 0, 0, 1, 0], np.float32), (len(boards), 1))


LOST = EvaluatorPlayer("bot", sure_loss_of_a_gammon)


def test_quitting_is_an_answer_to_every_question(play: Typed) -> None:
    out = play("resign\nquit\nboard\n")
    assert "The game stops here." in out
    assert "You play on." not in out


def test_resigning_less_than_is_lost_is_declined() -> None:
    typed = "resign", "yes", "resign 1", "resign 4", "quit"
    console = at_table(on_roll(money_rules(), cube_value=2, cube_owner=0), *typed, player=LOST)
    assert "bot declines the resignation and plays on." in console.said
    assert "a single game cannot be given up now." in console.said
    assert "`resign`, `resign 2` or `resign 3`, got '4'." in console.said


def test_a_gammon_cannot_be_resigned_once_a_checker_is_off() -> None:
    position = [0] * 26
    position[6], position[5], position[20] = 9, 5, -15
    state = on_roll(money_rules(cap=1), position=tuple(position))
    assert "a gammon cannot be given up now." in at_table(state, "resign 2", "quit").said


def test_the_bots_resignation_is_accepted_or_declined() -> None:
    resigned = resign(on_roll(Rules(5), turn=1), 2)
    console = at_table(resigned, "hint", "accept", "quit")
    assert console.asked[0] == "racer offers to lose a gammon: accept or decline> "
    assert "Accept: playing on would bring no more." in console.said
    assert "You win a gammon, 2 points." in console.said
    assert "You decline the resignation." in at_table(resigned, "decline", "quit").said


# -- the coach


def test_the_coach_tells_errors_only_where_it_is_on() -> None:
    state = on_roll(money_rules(), cube_value=1)
    silent = at_table(state, "double", "quit", player=LOST)
    assert not any(text.startswith("Coach") for text in silent.said)
    told = at_table(state, "coach on", "double", "quit", player=LOST)
    assert "The coach is on." in told.said
    assert any(
        text.startswith("Coach: roll without doubling was right; this gives up ")
        for text in told.said
    )


def test_the_report_lists_both_sides_and_what_cost_most() -> None:
    console = at_table(
        on_roll(money_rules()),
        "double",
        "report",
        "coach maybe",
        "coach off",
        "quit",
        player=LOST,
        is_coaching=True,
    )
    report = next(text for text in console.said if "PR" in text)
    assert "Ann" not in report and "You " in report and "bot " in report
    assert "game 1, You: double instead of roll without doubling, " in report
    assert "`coach on` or `coach off`, got 'maybe'." in console.said
    assert console.said.count(report) == 1


# -- other seats


def test_two_persons_share_the_keyboard(play: Typed) -> None:
    out = play("8/5 6/5\n\nlist\n1\nquit\n", "--two-persons", "--match", "3")
    assert "Player 1 throws 3, Player 2 throws 1: Player 1 starts." in out
    assert "Player 1. Your move, 3 1> 8/5 6/5" in out
    assert "Player 2. Your turn: Enter rolls, or double> " in out
    assert "Player 1: 2 on 24" in play("describe\nquit\n", "--two-persons")


def test_two_bots_are_watched() -> None:
    console = TypedConsole()
    seats = Seat("one", Gambler("one")), Seat("two", Gambler("two"))
    table = Table(seats, money_rules(games_limit=2, cap=1), seed=2, automatic=Automatic())
    TerminalSession(console, table, racer(), BoardView(load_texts("en"), "words")).run()
    assert console.asked == []
    assert console.said[-1].startswith("The session is over. one ")


# -- saving and loading


def test_a_saved_session_goes_on_exactly_where_it_was(play: Typed, tmp_path: Path) -> None:
    saved = tmp_path / "session.json"
    whole = play("8/5 6/5\n" + SOME_TURNS)
    play(f"8/5 6/5\nsave {saved}\nquit\n")
    resumed = play(SOME_TURNS, "--load", str(saved))
    assert resumed.splitlines()[-20:] == whole.splitlines()[-20:]
    loaded = play(f"load {saved}\n" + SOME_TURNS, "--seed", "99")
    assert "Loaded, 1 turn played." in loaded or "Loaded, 2 turns played." in loaded
    assert loaded.splitlines()[-20:] == whole.splitlines()[-20:]


def test_a_session_is_saved_in_the_middle_of_a_turn(play: Typed, tmp_path: Path) -> None:
    saved = tmp_path / "session.json"
    play(f"6/5\nsave {saved}\nquit\n", "--match", "5")
    table = load_session(saved, Gambler)
    assert (table.seats[1].name, table.moves, table.dice_left) == ("racer", ((6, 5),), (3,))
    assert "Your move, 3 left> " in play("8/5\nquit\n", "--load", str(saved))


MAT = (
    " 3 point match\n\n Game 1\n Ann : 0                        racer : 0\n"
    "  1) 31: 8/5 6/5                 64: 24/"
)


def test_a_mat_file_is_loaded_and_tells_what_it_lacks(play: Typed, tmp_path: Path) -> None:
    path = tmp_path / "match.mat"
    path.write_text(MAT)
    for out in (play("quit\n", "--load", str(path)), play(f"load {path}\nquit\n")):
        assert "The file breaks off in line 5; what stands before it is loaded." in out
        assert "The last game of the file is not finished." in out
    assert "Loaded, 1 turn played." in out
    path.write_text(MAT.replace("racer", "Bob"))
    assert "it was played against Bob" in play(f"load {path}\nquit\n")


def test_what_the_output_cannot_write_is_escaped(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("load \udcff\n"))
    console = Console()
    assert console.ask("> ") == "load \udcff"
    console.say("\udcff: no such file")
    out = capsys.readouterr().out
    assert "\udcff" not in out and out.count(r"\udcff") == 2


def test_saving_replaces_saved_sessions_only(play: Typed, tmp_path: Path) -> None:
    other, saved = tmp_path / "diary.txt", tmp_path / "session.json"
    other.write_text("dear diary")
    out = play(f"save {other}\nsave {saved}\n8/5 6/5\nsave {saved}\nquit\n")
    assert "exists and is not a saved session" in out
    assert other.read_text() == "dear diary"
    assert len(load_session(saved, Gambler).steps) > 3


def test_a_file_that_is_no_session_is_refused_in_one_line(
    bgai: Bgai, race_bot: str, tmp_path: Path
) -> None:
    path = tmp_path / "game.json"
    path.write_text('{"format": "bgai-game", "version": 1}')
    code, _, err = bgai("play", "--bot", race_bot, "--load", path)
    assert code == 2
    assert "earlier version of bgai" in err and str(path) in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        (("--match", "0"), "--match must be 1..64 points, got 0"),
        (("--match", "65"), "--match must be 1..64 points, got 65"),
        (("--jacoby",), "--jacoby has no effect without --money"),
        (("--cap", "3"), "must be a power of two"),
        (("--games-limit", "0"), "1 or more, got 0"),
        (("--single", "--cap", "4"), "--cap 4 has no effect with --single"),
        (("--single", "--match", "3"), "not allowed with"),
        (("--cap", "4", "--no-cube"), "not allowed with"),
        (("--two-persons", "--watch"), "not allowed with"),
        (("--load", "x", "--match", "3"), "--match 3 has no effect with --load"),
        (("--language", "tlh"), "language must be one of en, ar, got 'tlh'"),
        (("--seed", "-1"), "--seed must be at least 0, got -1"),
        (("--seed", "1" + 15 * "0", "--web"), "--seed must be at most 999999999999999 with --web"),
        (("--plies", "-1"), "plies must be 0 to 4, got -1"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_options_that_make_no_sense_are_refused_in_one_line(
    bgai: Bgai, race_bot: str, argv: tuple[str, ...], complaint: str
) -> None:
    code, out, err = bgai("play", "--bot", race_bot, *argv)
    assert (code, out) == (2, "")
    assert complaint in err and err.count("\n") == 1


# -- Arabic


def test_an_arabic_session_takes_arabic_and_english_words() -> None:
    console = at_table(
        on_roll(Rules(5)),
        "نصيحة",
        "ارم",
        "نصيحة",
        "1",
        "استسلم",
        "نعم",
        "help",
        "خروج",
        language="ar",
    )
    told = "\n".join(console.said)
    assert "لا تضاعف" in told
    assert "رميت" in told and load_texts("ar")("terminal.help") in told
    assert console.said[-1] == load_texts("ar")("terminal.stopped")


def test_arabic_letters_stay_off_the_drawn_board() -> None:
    console = at_table(on_roll(Rules(5)), "quit", language="ar")
    drawing = next(text for text in console.said if "BAR" in text)
    rows = [line for line in drawing.splitlines() if "|" in line or "+" in line]
    assert len(rows) == 13 and all(row.isascii() for row in rows)
    assert load_texts("ar")("board.you") in drawing
