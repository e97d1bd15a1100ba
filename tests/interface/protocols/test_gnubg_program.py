"""Whole sessions and matches against GNU Backgammon itself, which calls the server.

What the program exports is read through the rules, so a play that it refused (and took for a dance)
would be noticed.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from bgai.interface.bot import load_bot
from bgai.interface.mat import MatchRecord
from bgai.interface.mat_reader import read_mat
from bgai.interface.protocols.engine import Engine
from bgai.interface.protocols.gnubg_external import MoneyRules
from bgai.match import Action
from tests.gnubg_program import needs_gnubg, run_gnubg
from tests.interface.protocols.sessions import WildEngine
from tests.interface.protocols.test_gnubg_external import serving

pytestmark = needs_gnubg

REFUSALS = re.compile(
    r"error|warning|illegal|badly formed|permitted|disabled|not allowed|cannot|can't|must|invalid"
    r"|unknown|already",
    re.IGNORECASE,
)
HARMLESS = re.compile(r"must now be entered manually|You are already using")
GO_ON = ["play"] * 3
"""The program stops after an external player has taken a beaver; a person types `play`, too."""

SESSION_FILE = "session.mat"
SETTINGS = [
    "set display off",
    "set jacoby on",
    "set beavers 3",
    "set rng mersenne",
    "set automatic roll on",
    "set automatic move off",
    "set automatic bearoff off",
    "set confirm new off",
    "set confirm save off",
]


def gnubg_plays(seat: int) -> list[str]:
    return [
        f"set player {seat} gnubg",
        f"set player {seat} chequerplay evaluation plies 0",
        f"set player {seat} cubedecision evaluation plies 0",
    ]


def played(home: Path, commands: Sequence[str]) -> None:
    """Run the program, and see that it has refused nothing."""
    out = run_gnubg(home, [*SETTINGS, *commands])
    refused = [
        line for line in out.splitlines() if REFUSALS.search(line) and not HARMLESS.search(line)
    ]
    assert not refused, out


def exported(home: Path, commands: Sequence[str]) -> MatchRecord:
    """What a run of the program has exported, after it has refused nothing."""
    played(home, commands)
    return read_mat(home / SESSION_FILE)


def whole_match(length: int, seed: int) -> list[str]:
    return [
        f"set seed {seed}",
        "set automatic game on",
        f"new match {length}",
        f"export match mat {SESSION_FILE}",
    ]


def session(games: int, seed: int) -> list[str]:
    return [
        f"set seed {seed}",
        "set automatic game off",
        *["new session", *GO_ON],
        *["new game", *GO_ON] * (games - 1),
        f"export match mat {SESSION_FILE}",
    ]


def actions_of(record: MatchRecord) -> Counter[Action]:
    return Counter(step.action for step in record.steps)


@pytest.fixture(scope="module")
def engine() -> Engine:
    bot = load_bot("flagship")
    return Engine(bot.name, bot)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_match_to_7_points_is_played_to_its_end(
    tmp_path: Path, engine: Engine, seat: int
) -> None:
    with serving(engine) as (host, port):
        external = f"set player {seat} external localhost:{port}"
        record = exported(tmp_path, [*gnubg_plays(1 - seat), external, *whole_match(7, 11 + seat)])
    assert max(record.state.score) >= 7
    assert actions_of(record)[Action.DOUBLE] >= 1


@pytest.mark.parametrize("seat", [0, 1])
def test_a_money_session_is_played_to_its_end(tmp_path: Path, engine: Engine, seat: int) -> None:
    games = 6
    with serving(engine) as (host, port):
        external = f"set player {seat} external {host}:{port}"
        record = exported(tmp_path, [*gnubg_plays(1 - seat), external, *session(games, 3 + seat)])
    assert record.state.games_played == games


@pytest.mark.parametrize("seat", [0, 1])
def test_wild_doubles_beavers_and_resignations_are_played(tmp_path: Path, seat: int) -> None:
    """A player that does anything which is allowed is never refused."""
    games = 30
    wild = WildEngine(rng=random.Random(5 + seat))
    with serving(wild) as (host, port):
        external = f"set player {seat} external {host}:{port}"
        commands = [*gnubg_plays(1 - seat), external, "set beavers 2", *session(games, 7)]
        record = exported(tmp_path, commands)
    assert record.state.games_played == games
    found = actions_of(record)
    kinds = (Action.DOUBLE, Action.PASS, Action.BEAVER, Action.RACCOON, Action.RESIGN)
    assert all(found[kind] for kind in kinds), found


@pytest.mark.parametrize(("allowed", "seat"), [(0, 0), (1, 1), (3, 1)])
def test_no_beaver_is_one_too_many(tmp_path: Path, allowed: int, seat: int) -> None:
    rules = MoneyRules(beavers=allowed)
    with serving(WildEngine(rng=random.Random(4)), rules) as (host, port):
        external = f"set player {seat} external {host}:{port}"
        settings = [external, f"set beavers {allowed}"]
        played(tmp_path, [*gnubg_plays(1 - seat), *settings, *session(20, 7)])
    games = (tmp_path / SESSION_FILE).read_text().split(" Game ")[1:]
    assert len(games) == 20
    assert all("Wins" in game for game in games)


def test_a_wild_match_is_played_to_its_end(tmp_path: Path) -> None:
    with serving(WildEngine(rng=random.Random(9))) as (host, port):
        external = f"set player 1 external {host}:{port}"
        record = exported(tmp_path, [*gnubg_plays(0), external, *whole_match(7, 2)])
    assert max(record.state.score) >= 7


def test_both_players_may_be_ours_and_connect_again(tmp_path: Path, engine: Engine) -> None:
    with serving(engine) as (host, port):
        first, second = (
            f"set player {seat} external {name}:{port}"
            for seat, name in ((0, host), (1, "localhost"))
        )
        again = ["set player 0 human", "set player 1 human", first, second]
        record = exported(tmp_path, [first, second, *session(2, 1), *again, *whole_match(3, 4)])
    assert max(record.state.score) >= 3
