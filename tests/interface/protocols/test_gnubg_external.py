"""GNU Backgammon's questions answered, line by line; the program itself is not needed."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from bgai.engine import equity, parse_play
from bgai.interface.protocols.engine import Engine
from bgai.interface.protocols.fibs_board import parse_fibs_board, state_from_fibs_board
from bgai.interface.protocols.gnubg_external import GnubgConversation, Goodbye, MoneyRules
from bgai.interface.protocols.line_server import LONGEST_LINE, LineServer
from bgai.match import Action, Decision, MatchState, Rules, money_rules
from bgai.search import Choice, Evaluator
from tests.interface.conftest import Bgai
from tests.interface.protocols.sessions import race_evaluator

ENGINE = Engine("racer", race_evaluator)

# lines that GNU Backgammon 1.07.001 sent, without newline and NUL
_START = "0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
ROLLED_BY_0 = f"board:gnubg:root:7:1:4:{_START}:-1:2:1:2:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1"
ROLL_OR_DOUBLE_BY_0 = ROLLED_BY_0.replace(":2:1:2:1:", ":0:0:0:0:")
ASKED_TO_TAKE_AS_1 = (
    "board:root:gnubg:7:4:1:0:0:-1:0:-2:-1:5:3:3:0:0:0:-2:3:-1:0:0:-2:-1:-5:0:0:0:0:0:1:"
    "-1:0:0:0:0:1:1:1:1:1:-1:0:25:0:0:0:0:0:0:0:1"
)
MONEY_BY_1 = f"board:gnubg:root:0:3:2:{_START}:1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1"
BEAVERED_AS_1 = f"board:gnubg:root:0:3:2:{_START}:1:0:0:0:0:2:0:1:1:1:-1:0:25:0:0:0:0:0:0:0:1"
RACCOONED_AS_0 = f"board:root:gnubg:0:2:3:{_START}:1:0:0:0:0:4:0:1:1:1:-1:0:25:0:0:0:0:0:0:0:1"
CRAWFORD = f"board:gnubg:root:7:6:4:{_START}:-1:2:1:2:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0"
FIBS = f"board:You:Opp:0:0:0:{_START}:1:3:1:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0"


@dataclass(frozen=True)
class ScriptedEngine(Engine):
    """Does what it is told and keeps what it is asked."""

    name: str = "scripted"
    evaluator: Evaluator = race_evaluator
    script: Sequence[Choice] = ()
    asked: list[MatchState] = field(default_factory=list)

    def choose(self, state: MatchState) -> Choice:
        self.asked.append(state)
        return self.script[min(len(self.asked), len(self.script)) - 1]


def asked(*lines: str, from_gnubg: bool = True) -> list[MatchState]:
    """The states that lines of one connection become."""
    engine = ScriptedEngine(script=[Choice(Action.TAKE)])
    conversation = GnubgConversation(engine)
    for line in lines:
        conversation.answer(line, from_gnubg)
    assert len(engine.asked) == len(lines)
    return engine.asked


def answers(script: Sequence[Choice], *lines: str) -> list[str]:
    conversation = GnubgConversation(ScriptedEngine(script=script))
    return [conversation.answer(line, True) for line in lines]


def test_the_first_score_is_player_0s_though_positive_checkers_are_player_1s() -> None:
    (state,) = asked(ROLL_OR_DOUBLE_BY_0)
    assert (state.turn, state.score, state.rules) == (0, (1, 4), Rules(7))
    assert state.decision is Decision.ROLL


def test_the_names_and_scores_of_a_take_are_swapped() -> None:
    (state,) = asked(ASKED_TO_TAKE_AS_1)
    assert (state.turn, state.actor, state.score) == (0, 1, (1, 4))
    assert state.decision is Decision.ANSWER_DOUBLE


def test_the_last_field_tells_the_crawford_game() -> None:
    crawford, after = asked(CRAWFORD, CRAWFORD.removesuffix("0:0") + "1:1")
    assert crawford.is_crawford
    assert after.is_post_crawford


def test_money_is_played_by_gnubgs_own_options() -> None:
    (state,) = asked(MONEY_BY_1)
    assert state.rules == money_rules(jacoby=True, beavers=True)
    assert state.score == (3, 2)


def test_a_beaver_asks_the_doubler_and_a_raccoon_the_other() -> None:
    beavered = asked(MONEY_BY_1, BEAVERED_AS_1)[-1]
    assert (beavered.decision, beavered.actor) == (Decision.ANSWER_BEAVER, 1)
    assert (beavered.cube_value, beavered.score) == (1, (3, 2))
    mine = MONEY_BY_1.replace(":1:0:0:0:0:", ":-1:0:0:0:0:")
    raccooned = asked(mine, RACCOONED_AS_0)[-1]
    assert (raccooned.decision, raccooned.actor) == (Decision.ANSWER_RACCOON, 0)
    assert (raccooned.cube_value, raccooned.score) == (1, (3, 2))


def test_no_more_beavers_are_made_than_gnubg_allows() -> None:
    second = BEAVERED_AS_1.replace(":0:0:2:0:1:1:", ":0:0:8:0:1:1:")
    first_time, third_time = asked(MONEY_BY_1, BEAVERED_AS_1)[-1], asked(MONEY_BY_1, second)[-1]
    assert first_time.rules.cap > third_time.rules.cap == 16
    engine = ScriptedEngine(script=[Choice(Action.TAKE)])
    conversation = GnubgConversation(engine, MoneyRules(beavers=1))
    for line in (MONEY_BY_1, BEAVERED_AS_1):
        conversation.answer(line, True)
    assert engine.asked[-1].rules.cap == 4


@pytest.mark.parametrize(
    ("choice", "line", "word"),
    [
        (Choice(Action.ROLL), ROLL_OR_DOUBLE_BY_0, "roll"),
        (Choice(Action.DOUBLE), ROLL_OR_DOUBLE_BY_0, "double"),
        (Choice(Action.RESIGN, level=2), ROLL_OR_DOUBLE_BY_0, "resign gammon"),
        (Choice(Action.TAKE), ASKED_TO_TAKE_AS_1, "take"),
        (Choice(Action.PASS), ASKED_TO_TAKE_AS_1, "drop"),
        (Choice(Action.BEAVER), ASKED_TO_TAKE_AS_1, "beaver"),
        (Choice(Action.RACCOON), BEAVERED_AS_1, "redouble"),
    ],
)
def test_every_action_has_gnubgs_word(choice: Choice, line: str, word: str) -> None:
    assert answers([choice], line) == [word]


def test_a_play_is_written_move_by_move() -> None:
    answer = GnubgConversation(ENGINE).answer(ROLLED_BY_0, True)
    assert len(answer.split()) == 2
    assert not set("*()") & set(answer)
    state = state_from_fibs_board(parse_fibs_board(ROLLED_BY_0))
    assert parse_play(state.board, (2, 1), answer)


def test_a_dance_is_an_empty_line() -> None:
    closed = "0:0:0:-3:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:-2:-2:-2:-2:-2:1"
    line = f"board:a:b:0:0:0:{closed}:1:6:6:6:6:1:1:1:0:1:-1:0:25:14:0:0:0:0:0:0:1"
    assert GnubgConversation(ENGINE).answer(line, True) == ""


def test_a_declined_resignation_is_not_offered_again() -> None:
    engine = ScriptedEngine(script=[Choice(Action.RESIGN, level=1), Choice(Action.ROLL)])
    conversation = GnubgConversation(engine)
    assert conversation.answer(ROLL_OR_DOUBLE_BY_0, True) == "resign normal"
    assert conversation.answer(ROLL_OR_DOUBLE_BY_0, True) == "roll"
    assert [state.declined for state in engine.asked] == [0, 1]


def test_a_beaver_that_was_refused_becomes_a_take() -> None:
    script = [Choice(Action.BEAVER)]
    money = ASKED_TO_TAKE_AS_1.replace(":7:4:1:", ":0:4:1:")
    assert answers(script, money, money) == ["beaver", "take"]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "   ",
        "rubbish",
        "board:",
        "board:a:b:c",
        ROLLED_BY_0 + ":1",
        ROLLED_BY_0.replace("-5", "-9"),
        ROLLED_BY_0.replace(":1:4:", ":9:4:"),
        ROLLED_BY_0.replace(":-1:2:1:", ":0:2:1:"),
        ROLLED_BY_0 + " nonsense on",
        ROLLED_BY_0 + " plies many",
        "evaluation",
        "evaluation fibsboard",
        "evaluation fibsboard board:x plies 0",
        "\x00\x07\udc80",
        "set" * 1000,
    ],
)
@pytest.mark.parametrize("from_gnubg", [True, False])
def test_garbage_is_answered_with_one_error_line(line: str, from_gnubg: bool) -> None:
    conversation = GnubgConversation(ENGINE)
    answer = conversation.answer(line, from_gnubg)
    assert answer.startswith("Error: ")
    assert "\n" not in answer
    assert not conversation.answer(ROLLED_BY_0, from_gnubg).startswith("Error")


# -- programs that take us for GNU Backgammon


def test_a_fibs_line_is_told_to_its_first_player() -> None:
    scores = FIBS.replace(":0:0:0:0:-2", ":7:5:2:0:-2", 1)
    (state,) = asked(scores, from_gnubg=False)
    assert (state.turn, state.score, state.dice) == (0, (5, 2), (3, 1))


def test_options_after_the_board_change_the_rules() -> None:
    plain, changed = asked(FIBS, f"{FIBS} jacobyrule off beavers off", from_gnubg=False)
    assert (plain.rules.jacoby, plain.rules.beavers) == (True, True)
    assert (changed.rules.jacoby, changed.rules.beavers) == (False, False)
    crawford = FIBS.replace(":0:0:0:0:-2", ":7:6:2:0:-2", 1)
    without = asked(f"{crawford} crawfordrule off", from_gnubg=False)[0]
    assert not without.is_crawford


def test_an_evaluation_is_six_numbers_as_gnubg_writes_them() -> None:
    conversation = GnubgConversation(ENGINE)
    answer = conversation.answer(f"evaluation fibsboard {FIBS} plies 0 cubeless", False)
    numbers = [float(word) for word in answer.split()]
    probs = race_evaluator(state_from_fibs_board(parse_fibs_board(FIBS)).board[None])[0]
    assert numbers == pytest.approx([probs[0], 0, 0, 0, 0, equity(probs)], abs=1e-6)
    cubeful = conversation.answer(f"evaluation fibsboard {FIBS} cubeful", False).split()
    assert cubeful[:5] == answer.split()[:5]
    in_match = FIBS.replace(":0:0:0:0:-2", ":7:5:2:0:-2", 1)
    chance = conversation.answer(f"evaluation fibsboard {in_match} cubeful", False).split()[5]
    assert 0.5 < float(chance) < 1, "a chance to win the match"


def test_version_names_the_interface_and_exit_ends() -> None:
    conversation = GnubgConversation(ENGINE)
    assert conversation.answer("version", False).splitlines()[0] == "Interface: 2"
    with pytest.raises(Goodbye):
        conversation.answer("exit", False)


# -- connections


@contextmanager
def serving(
    engine: Engine = ENGINE, rules: MoneyRules | None = None, host: str = "127.0.0.1"
) -> Iterator[tuple[str, int]]:
    """A server on a free port."""
    with LineServer(host, 0, lambda: GnubgConversation(engine, rules)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            name, port = server.server_address[:2]
            yield str(name), port
        finally:
            server.shutdown()
            thread.join()


class Client:
    """A connection that asks one line at a time."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._socket = socket.create_connection(address, timeout=300)
        self._replies = self._socket.makefile("r")

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._replies.close()
        self._socket.close()

    def send(self, sent: bytes) -> None:
        self._socket.sendall(sent)

    def ask(self, sent: bytes) -> str:
        self.send(sent)
        return self._replies.readline()


def test_several_connections_are_answered_at_once() -> None:
    with serving() as address, Client(address) as first, Client(address) as second:
        for client in (first, second, first):
            assert client.ask(ROLLED_BY_0.encode() + b"\n\0").count("/") == 2


def test_a_connection_may_be_followed_by_another() -> None:
    with serving() as address:
        replies = []
        for _ in range(2):
            with Client(address) as client:
                replies.append(client.ask(ROLLED_BY_0.encode() + b"\n\0"))
        assert replies[0] == replies[1] != ""


def test_the_nul_tells_gnubg_from_other_programs() -> None:
    line = ROLL_OR_DOUBLE_BY_0.encode()
    # to other programs the first player is the one of the positive checkers, not on roll here
    for ending, points_on_roll in ((b"\n\0", 1), (b"\n", 4)):
        engine = ScriptedEngine(script=[Choice(Action.ROLL)])
        with serving(engine) as address, Client(address) as client:
            assert client.ask(line + ending) == "roll\n"
        (state,) = engine.asked
        assert state.score[state.turn] == points_on_roll


def test_bytes_that_are_no_text_and_endless_lines_do_not_end_a_connection() -> None:
    with serving() as address, Client(address) as client:
        assert client.ask(b"\xff\xfe\x80\n").startswith("Error")
        assert client.ask(b"x" * (3 * LONGEST_LINE) + b"\n").startswith("Error")
        assert client.ask(b"\r\n").startswith("Error")
        assert client.ask(b"version\r\n") == "Interface: 2\n"


def test_a_line_may_arrive_in_pieces() -> None:
    with serving() as address, Client(address) as client:
        client.send(b"ver")
        assert client.ask(b"sion\n") == "Interface: 2\n"


def test_exit_closes_the_connection() -> None:
    with serving() as address, Client(address) as client:
        assert client.ask(b"exit\n") == ""


def test_a_taken_port_is_one_line_and_a_failure(bgai: Bgai, race_bot: str) -> None:
    with serving() as (host, port):
        code, out, err = bgai("serve", "gnubg", "--bot", race_bot, "--port", port)
    assert (code, out) == (1, "")
    assert err.startswith(f"bgai: {host}:{port}: ") and "--port N" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("option", "value"), [("--port", "70000"), ("--plies", "-1"), ("--beavers", "-2")]
)
def test_a_wrong_option_is_misuse(bgai: Bgai, race_bot: str, option: str, value: str) -> None:
    code, out, err = bgai("serve", "gnubg", "--bot", race_bot, option, value)
    assert (code, out) == (2, "")
    assert value in err


def test_it_listens_at_an_ipv6_address_too() -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    with serving(host="::1") as address, Client(address) as client:
        assert client.ask(ROLLED_BY_0.encode() + b"\n\0").count("/") == 2


def test_the_command_says_where_it_listens_and_answers_there(race_bot: str) -> None:
    program = [sys.executable, "-m", "bgai", "serve", "gnubg", "--bot", race_bot, "--port", "0"]
    with subprocess.Popen(program, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = next(line for line in process.stderr if "listens" in line)
        host, _, port = said.split()[-1].partition(":")
        with Client((host, int(port))) as client:
            assert client.ask(ROLLED_BY_0.encode() + b"\n\0").count("/") == 2
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(timeout=300) == 130
        finally:
            process.kill()  # else `with` would wait for ever
    assert host == "127.0.0.1"
