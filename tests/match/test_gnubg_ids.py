"""Match ids beside those that GNU Backgammon itself shows for the same moments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bgai.engine import parse_play
from bgai.match import (
    MatchState,
    Rules,
    beaver,
    decline_resignation,
    double,
    gnu_id_of,
    money_rules,
    new_session,
    play,
    raccoon,
    resign,
    roll_dice,
    state_from_gnu_id,
    take,
    throw_opening,
)
from tests.gnubg_program import ids_after, needs_gnubg


@dataclass(frozen=True)
class Moment:
    """What is typed into the program, and what it leads to here."""

    typed: Sequence[str]
    make: Callable[[MatchState], MatchState]


def played(text: str) -> Callable[[MatchState], MatchState]:
    def make(state: MatchState) -> MatchState:
        assert state.dice is not None
        return play(state, parse_play(state.board, state.dice, text).after)

    return make


def opened(dice: tuple[int, int]) -> Callable[[MatchState], MatchState]:
    return lambda state: throw_opening(state, dice)


BEAVERS = [
    Moment(["31"], opened((3, 1))),
    Moment(["move 8/5 6/5"], played("8/5 6/5")),
    Moment(["double"], double),
    Moment(["redouble"], beaver),
    Moment(["redouble"], raccoon),
    Moment(["take"], take),
    Moment(["roll", "24"], lambda state: roll_dice(state, (4, 2))),
    Moment(["move 8/4 6/4"], played("8/4 6/4")),
    Moment(["resign gammon"], lambda state: resign(state, 2)),
    Moment(["decline"], decline_resignation),
    Moment(["double"], double),
    Moment(["redouble"], beaver),
    Moment(["take"], take),
    Moment(["roll", "66"], lambda state: roll_dice(state, (6, 6))),
    Moment(["resign backgammon"], lambda state: resign(state, 3)),
]
MATCH = [
    Moment(["25"], opened((2, 5))),
    Moment(["move 13/8 24/22"], played("13/8 24/22")),
    Moment(["double"], double),
    Moment(["take"], take),
    Moment(["roll", "12"], lambda state: roll_dice(state, (2, 1))),
    Moment(["move 13/11 6/5"], played("13/11 6/5")),
    Moment(["set score 2 1"], lambda state: replace(state, score=(2, 1))),
    Moment(["double"], double),
]
CRAWFORD = [
    Moment(["64"], opened((6, 4))),
    Moment(
        ["set score 6 2", "set crawford on"],
        lambda state: replace(state, score=(6, 2), is_crawford=True),
    ),
    Moment(["move 24/14"], played("24/14")),
    Moment(["set crawford off"], lambda state: replace(state, is_crawford=False)),
]

SESSIONS = {
    "money": (["set jacoby off", "new session"], money_rules(beavers=True), BEAVERS),
    "Jacoby": (
        ["set jacoby on", "new session"],
        money_rules(jacoby=True, beavers=True),
        BEAVERS,
    ),
    "automatic double": (
        ["set jacoby off", "set automatic doubles 1", "new session", "33"],
        money_rules(beavers=True, automatic_doubles=1),
        [Moment(["31"], lambda state: opened((3, 1))(opened((3, 3))(state))), *BEAVERS[1:3]],
    ),
    "match": (["new match 7"], Rules(7), MATCH),
    "Crawford": (["new match 7"], Rules(7), CRAWFORD),
}


@needs_gnubg
@pytest.mark.parametrize("name", SESSIONS)
def test_the_ids_of_a_session_are_those_that_gnubg_shows(name: str, tmp_path: Path) -> None:
    start, rules, moments = SESSIONS[name]
    typed = [list(moment.typed) for moment in moments]
    typed[0] = [*start, *typed[0]]
    shown = ids_after(tmp_path, typed)
    state = new_session(rules)
    for moment, ids in zip(moments, shown, strict=True):
        state = moment.make(state)
        assert (moment.typed, gnu_id_of(state)) == (moment.typed, ids)
        read = state_from_gnu_id(ids)
        known = replace(state, rules=read.rules, games_played=0, declined=0)
        assert read == known
