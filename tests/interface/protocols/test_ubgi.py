"""UBGI, driven by a scripted client: drafts 0.01, 0.1 and 0.2."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from bgai.engine import START, board_from_position_id, legal_plays, parse_play, position_id
from bgai.interface.protocols.engine import Engine
from bgai.interface.protocols.ubgi import Ubgi
from bgai.match import (
    Action,
    Decision,
    MatchState,
    Owner,
    Rules,
    double,
    gnu_id_of,
    money_rules,
    roll_dice,
    xgid_of,
)
from bgai.search import Choice
from tests.interface.conftest import Bgai
from tests.interface.protocols.sessions import race_evaluator
from tests.interface.protocols.test_gnubg_external import FIBS, ScriptedEngine
from tests.match.states import on_roll

START_ID = "4HPwATDgc/ABMA"
POSITION = f"position gnubgid {START_ID}"


def client(engine: Engine | None = None) -> Ubgi:
    return Ubgi(engine or Engine("racer", race_evaluator), "1.0")


def replies(*lines: str) -> list[str]:
    """All that is answered to some lines."""
    ubgi = client()
    return [answer for line in lines for answer in ubgi.answer(line)]


def asked(*lines: str) -> MatchState:
    """The state that the last of some lines asks the bot to decide."""
    engine = ScriptedEngine(script=[Choice(Action.ROLL)])
    ubgi = client(engine)
    for line in lines:
        for answer in ubgi.answer(line):
            assert not answer.startswith("error"), (line, answer)
    return engine.asked[-1]


def test_the_introduction_tells_who_it_is_and_what_can_be_set() -> None:
    lines = replies("ubgi")
    assert lines[0] == "id name bgai racer"
    assert lines[-1] == "ubgiok"
    assert "proto 0.2" in lines
    assert "option name Ply type spin default 1 min 1 max 4" in lines
    assert any(line.startswith("key engine.ply int 1..4 1 ") for line in lines)
    assert sum(line.startswith("option ") for line in lines) == sum(
        line.startswith("key ") for line in lines
    )


def test_being_ready_is_said_once() -> None:
    assert replies("isready") == ["readyok"]
    assert replies("newgame", "stop", "", "   ") == []


@pytest.mark.parametrize("go", ["go", "go chequer", "go role chequer", "go role chequer depth 1"])
def test_a_play_is_legal_and_written_move_by_move(go: str) -> None:
    (answer,) = replies(POSITION, "dice 3 1", go)
    word, *moves = answer.split()
    assert (word, len(moves)) == ("bestmove", 2)
    assert parse_play(START, (3, 1), " ".join(moves))
    assert not set("*()") & set(answer)


def test_a_position_is_seen_by_the_player_on_roll() -> None:
    text = "HC/wATDg8+AxAA"  # asymmetric
    (answer,) = replies(f"position gnubgid {text}", "dice 6 4", "go chequer")
    assert parse_play(board_from_position_id(text), (6, 4), answer.removeprefix("bestmove "))


def test_a_double_is_four_moves() -> None:
    (answer,) = replies(POSITION, "dice 2 2", "go chequer")
    assert len(answer.split()) == 5


def test_a_dance_is_pass() -> None:
    board = np.zeros(26, np.int8)
    board[25], board[19:25] = 1, -2
    (answer,) = replies(f"position gnubgid {position_id(board)}", "dice 6 6", "go chequer")
    assert answer == "bestmove pass"


def test_bar_and_off_are_words() -> None:
    board = np.zeros(26, np.int8)
    board[25], board[19:24], board[6] = 1, -2, 1
    (answer,) = replies(f"position gnubgid {position_id(board)}", "dice 1 1", "go chequer")
    assert answer.startswith("bestmove bar/24 ")
    board[25], board[6], board[1] = 0, 0, 2
    (answer,) = replies(f"position gnubgid {position_id(board)}", "dice 2 1", "go chequer")
    assert answer == "bestmove 1/off 1/off"


def test_dice_are_used_up_by_go() -> None:
    lines = replies(POSITION, "dice 3 1", "go chequer", "go chequer")
    assert lines[1] == "error bad_state missing dice"
    assert replies("go chequer") == ["error bad_state missing position"]
    assert replies(POSITION, "dice 3 1", "newgame", "go")[-1] == "error bad_state missing position"


def test_a_cube_decision_needs_no_dice() -> None:
    assert replies(POSITION, "go cube") == ["bestcube nodouble"]
    assert replies(POSITION, "go") == ["bestcube nodouble"]
    ahead = np.zeros(26, np.int8)
    ahead[1], ahead[24] = 2, -15
    ahead[19:24] = 0
    assert replies(f"position gnubgid {position_id(ahead)}", "go role cube") == ["bestcube double"]


def test_a_turn_is_the_cube_before_the_roll_and_the_play_after_it() -> None:
    (answer,) = replies(POSITION, "dice 3 1", "go turn")
    cube, _, move = answer.partition(" move=")
    assert cube == "bestturn cube=nodouble"
    assert parse_play(START, (3, 1), move)


def test_a_double_on_the_table_is_answered() -> None:
    taken = double(on_roll(Rules(7)))
    assert replies(f"position gnubgid {gnu_id_of(taken)}", "go cube") == ["bestcube take"]
    assert replies(f"position xgid {xgid_of(taken)}", "go cube") == ["bestcube take"]


def test_score_cube_and_turn_are_those_that_were_told() -> None:
    told = (
        "newsession type match length 7 crawford on",
        "setscore 3 1",
        "setcube value 2 owner p1",
        "setturn p1",
        POSITION,
        "go cube",
    )
    state = asked(*told)
    assert (state.rules, state.score, state.turn) == (Rules(7), (3, 1), 1)
    assert state.cube_state().owner is Owner.PLAYER
    money = asked("newsession type money jacoby on beavers on", POSITION, "go cube")
    assert money.rules == money_rules(jacoby=True, beavers=True)
    doubled = asked("setcube value 2 owner center", POSITION, "go cube")
    assert (doubled.cube_value, doubled.cube_owner) == (2, None)


def test_the_crawford_game_is_the_first_with_a_player_1_away() -> None:
    session = ("newsession type match length 5", "newgame", "setscore 4 1")
    assert asked(*session, POSITION, "go cube").is_crawford
    assert asked(*session, POSITION, "setscore 4 1", "go cube").is_crawford
    after = asked(*session, "newgame", "setscore 4 2", POSITION, "go cube")
    assert after.is_post_crawford
    assert not asked(f"{session[0]} crawford off", *session[1:], POSITION, "go cube").is_crawford


@pytest.mark.parametrize(
    "state",
    [
        roll_dice(on_roll(Rules(7), score=(2, 4), cube_value=2, cube_owner=1, turn=1), (6, 3)),
        on_roll(Rules(5), score=(4, 1), is_crawford=True),
        double(on_roll(money_rules(jacoby=True))),
    ],
)
def test_an_id_tells_everything(state: MatchState) -> None:
    word = "bestmove" if state.dice else "bestcube"
    for kind, text in (("gnubgid", gnu_id_of(state)), ("xgid", xgid_of(state))):
        engine = ScriptedEngine(script=[scripted_choice(state)])
        ubgi = client(engine)
        (answer,) = (
            answer for line in (f"position {kind} {text}", "go") for answer in ubgi.answer(line)
        )
        assert answer.startswith(word)
        assert engine.asked == [state]


def scripted_choice(state: MatchState) -> Choice:
    if state.dice is None:
        return Choice(Action.TAKE if state.decision is Decision.ANSWER_DOUBLE else Action.ROLL)
    return Choice(Action.PLAY, legal_plays(state.board, state.dice)[0].after)


def test_plays_are_cubeless_until_a_session_is_told() -> None:
    engine = ScriptedEngine(script=[Choice(Action.PLAY, after_of_31())])
    ubgi = client(engine)
    for line in (POSITION, "dice 3 1", "go chequer"):
        ubgi.answer(line)
    assert not engine.asked
    for line in ("newsession type money", POSITION, "dice 3 1", "go chequer"):
        ubgi.answer(line)
    assert [state.decision for state in engine.asked] == [Decision.PLAY]
    for line in ("set engine.eval_mode cubeless", "dice 3 1", "go chequer"):
        ubgi.answer(line)
    assert len(engine.asked) == 1


def after_of_31() -> np.ndarray[tuple[int], np.dtype[np.int8]]:
    after: np.ndarray[tuple[int], np.dtype[np.int8]] = parse_play(START, (3, 1), "8/5 6/5").after
    return after


@pytest.mark.parametrize("command", ["setoption name Ply value 2", "set engine.ply 2", "set Ply 2"])
def test_both_spellings_of_options_are_understood(command: str) -> None:
    ubgi = client()
    assert ubgi.answer(command) == []
    assert ubgi.answer("get engine.ply") == ["value engine.ply 2"]
    assert ubgi.answer("keys")[0].startswith("key engine.ply int 1..4 2 ")
    assert ubgi.answer("set game.variant backgammon") == []


@pytest.mark.parametrize("line", [FIBS, "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"])
def test_a_bare_position_of_draft_0_01_is_answered_by_a_bare_action(line: str) -> None:
    (answer,) = replies(line)
    assert parse_play(START, (3, 1), answer)
    assert len(answer.split()) == 2
    unrolled = line.replace(":31:", ":00:").replace(":3:1:0:0:", ":0:0:0:0:")
    assert replies(unrolled) == ["roll"]
    assert replies(line.replace(":31:", ":D:").replace(":3:1:0:0:1:1:1:0:", ":0:0:0:0:1:1:1:1:"))[
        0
    ] in ("take", "drop")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("rubbish", "bad_command"),
        ("UBGI", "bad_command"),
        ("\x00\x07", "bad_command"),
        ("position", "bad_command"),
        ("position fen x", "bad_command"),
        ("position gnubgid short", "bad_value"),
        ("position gnubgid 4HPwATDgc/ABMA:short", "bad_value"),
        ("position xgid nonsense", "bad_value"),
        ("dice 7 1", "bad_value"),
        ("dice 3", "bad_value"),
        ("set engine.ply 9", "bad_value"),
        ("set engine.ply", "bad_command"),
        ("set engine.colour red", "unsupported"),
        ("setoption name Ply", "bad_command"),
        ("setoption name Threads value 4", "unsupported"),
        ("set game.variant hypergammon", "unsupported"),
        ("set engine.eval_mode best", "bad_value"),
        ("get", "bad_command"),
        ("get nothing", "unsupported"),
        ("newsession", "bad_value"),
        ("newsession type match", "bad_value"),
        ("newsession type match length 0", "bad_value"),
        ("newsession type money jacoby perhaps", "bad_value"),
        ("setscore 3", "bad_command"),
        ("setscore a b", "bad_command"),
        ("setcube value 2 owner me", "bad_value"),
        ("setcube 2", "bad_command"),
        ("setturn p2", "bad_command"),
        ("go", "bad_state"),
        ("go dance", "unsupported"),
        ("go role", "bad_command"),
        ("board:You:me", "bad_value"),
        ("XGID=nonsense", "bad_value"),
    ],
)
def test_what_cannot_be_done_is_an_error_line_and_the_bot_goes_on(line: str, code: str) -> None:
    ubgi = client()
    (answer,) = ubgi.answer(line)
    assert answer.startswith(f"error {code} ")
    assert "\n" not in answer
    assert ubgi.answer("isready") == ["readyok"]


def test_a_cube_that_no_game_has_is_an_error_of_go() -> None:
    lines = ("newsession type match length 3", "setscore 3 0", POSITION, "dice 3 1", "go chequer")
    (answer,) = replies(*lines)
    assert answer.startswith("error bad_value the match is to 3 points")
    assert replies("setcube value 3 owner p0", POSITION, "go cube")[0].startswith("error bad_value")


def test_the_command_answers_on_its_streams(bgai: Bgai, race_bot: str) -> None:
    typed = f"ubgi\nisready\n{POSITION}\ndice 3 1\ngo chequer\nquit\nisready\n"
    code, out, err = bgai("serve", "ubgi", "--bot", race_bot, typed=typed)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "id name bgai racer"
    assert lines.count("readyok") == 1, "nothing is answered after quit"
    assert lines[-1].startswith("bestmove ")


def test_a_client_that_waits_for_each_answer_gets_it(race_bot: str) -> None:
    program = [sys.executable, "-m", "bgai", "serve", "ubgi", "--bot", race_bot]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        for sent, expected in (
            ("isready", "readyok"),
            ("dice 1 9", "error bad_value"),
            (f"{POSITION}\ndice 6 5\ngo chequer", "bestmove"),
        ):
            process.stdin.write(sent + "\n")
            process.stdin.flush()
            assert process.stdout.readline().startswith(expected)
        process.stdin.close()
        assert process.wait(timeout=300) == 0
