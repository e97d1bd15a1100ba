"""States that no game can come to are refused, naming what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bgai.engine import START
from bgai.match import Decision, Ending, MatchState, Result, Rules, money_rules, position_of
from tests.match.states import MONEY

MATCH = Rules(7)
WON = Result(0, 1, 1, Ending.PASSED)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"match_length": 0}, "got 0"),
        ({"match_length": 40_000}, "got 40000"),
        ({"games_limit": 0}, "got 0"),
        ({"cap": 3}, "got 3"),
        ({"cap": 2**16}, "got 65536"),
        ({"jacoby": True}, "jacoby is for money"),
        ({"beavers": True}, "beavers is for money"),
        ({"automatic_doubles": 1}, "automatic_doubles is for money"),
        ({"match_length": None, "automatic_doubles": -1}, "got -1"),
    ],
)
def test_options_that_cannot_be_played_are_refused(options: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Rules(**options)


def test_the_usual_session_is_a_match_to_7_with_crawford_and_a_cube_up_to_64() -> None:
    rules = Rules()
    assert (rules.match_length, rules.games_limit, rules.crawford) == (7, None, True)
    assert rules.cap == 64
    assert rules.has_cube
    assert not rules.is_money
    assert money_rules().is_money


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"score": (7, 0)}, r"\(7, 0\)"),
        ({"score": (0, -1)}, r"\(0, -1\)"),
        ({"turn": 2}, "got 2"),
        ({"cube_owner": 2}, "got 2"),
        ({"cube_value": 3, "cube_owner": 0}, "got 3"),
        ({"cube_value": 128, "cube_owner": 0}, "got 128"),
        ({"cube_owner": 1}, "got the owner 1"),
        ({"cube_value": 2}, "got 2"),
        ({"cube_value": 2, "cube_owner": 1, "score": (6, 0)}, "it was dead"),
        ({"cube_value": 4, "cube_owner": 1, "score": (0, 6)}, "it was dead"),
        ({"is_crawford": True}, r"\(7, 7\) away"),
        ({"is_crawford": True, "score": (6, 6)}, r"\(1, 1\) away"),
        ({"is_crawford": True, "score": (6, 0), "cube_value": 2, "cube_owner": 0}, "got 2"),
        ({"decision": Decision.PLAY}, "None"),
        ({"decision": Decision.PLAY, "dice": (0, 3)}, r"\(0, 3\)"),
        ({"dice": (1, 3)}, r"\(1, 3\)"),
        ({"resigned": 1}, "got 1"),
        ({"decision": Decision.ANSWER_RESIGNATION}, "resigned 0"),
        ({"decision": Decision.ANSWER_RESIGNATION, "declined": 1, "resigned": 1}, "got 1"),
        ({"declined": 4}, "got 4"),
        ({"decision": Decision.GAME_OVER}, "got 0|games_played is 0"),
        ({"decision": Decision.GAME_OVER, "games_played": 1}, "got None"),
        ({"result": WON}, "got Result"),
        ({"decision": Decision.ANSWER_DOUBLE, "cube_value": 2, "cube_owner": 1}, "cube of 2"),
        ({"decision": Decision.ANSWER_BEAVER}, "no beavers"),
        ({"decision": Decision.OPENING, "position": (0, 1, *[0] * 22, -1, 0)}, "starting position"),
        ({"position": (0, 16, *[0] * 22, -1, 0)}, "got 16"),
        ({"position": (1, 1, *[0] * 22, -1, 0)}, "got 0 and 1"),
        ({"position": (0, 1, *[0] * 24)}, "borne off all"),
        ({"position": (0, 1)}, "got 2"),
    ],
)
def test_a_state_that_no_match_can_come_to_is_refused(fields: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        MatchState(MATCH, **{"decision": Decision.ROLL, **fields})


@pytest.mark.parametrize(
    ("rules", "fields", "named"),
    [
        (MONEY, {"is_crawford": True}, "no Crawford"),
        (MONEY, {"cube_value": 2}, "got 2"),
        (money_rules(automatic_doubles=1), {"cube_value": 4}, "got 4"),
        (money_rules(cap=1), {"cube_value": 2, "cube_owner": 0}, "at most 1, got 2"),
        (money_rules(games_limit=3), {"games_played": 3}, "got 3"),
        (Rules(7, crawford=False), {"is_crawford": True, "score": (6, 0)}, "no Crawford"),
        (
            money_rules(beavers=True, cap=2),
            {"decision": Decision.ANSWER_BEAVER},
            "at most 2, got 4",
        ),
        (
            MATCH,
            {"decision": Decision.SESSION_OVER, "games_played": 1, "result": WON, "score": (1, 0)},
            r"\(1, 0\)",
        ),
        (
            MATCH,
            {"decision": Decision.SESSION_OVER, "games_played": 9, "result": WON, "score": (7, 8)},
            r"\(7, 8\)",
        ),
    ],
)
def test_a_state_that_its_options_exclude_is_refused(
    rules: Rules, fields: dict[str, Any], named: str
) -> None:
    with pytest.raises(ValueError, match=named):
        MatchState(rules, **{"decision": Decision.ROLL, **fields})


def test_a_state_cannot_be_changed() -> None:
    state = MatchState()
    with pytest.raises(AttributeError):
        state.score = (1, 0)  # type: ignore[misc]
    state.board[6] = 0
    assert np.array_equal(state.board, START), "the board handed out is a copy"


def test_equal_states_are_equal_and_can_be_looked_up() -> None:
    assert MatchState() == MatchState()
    assert MatchState() in {MatchState(): 1}
    assert MatchState() != MatchState(MONEY)


def test_a_board_becomes_a_position_and_back() -> None:
    state = MatchState(MONEY, decision=Decision.ROLL, position=position_of(START))
    assert np.array_equal(state.board, START)
    with pytest.raises(ValueError, match="shape"):
        position_of(np.zeros(25, np.int8))
