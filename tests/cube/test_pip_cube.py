"""The 8-9-12 rule."""

from __future__ import annotations

import pytest

from bgai.cube import pack_states, pip_cube
from bgai.engine import Board, pip_counts
from bgai.match.cube_state import CubeState, Owner
from tests.engine.positions import board_of


def race(opponent: int) -> Board:
    """100 pips for the player, and as many for the opponent as asked, 100 to 119."""
    board = board_of({10: 10}, {5: 5, 25 - (opponent - 100): 1} if opponent > 100 else {5: 5})
    assert [int(count) for (count,) in pip_counts(board[None])] == [100, opponent]
    return board


@pytest.mark.parametrize(
    ("opponent", "doubles", "redoubles", "takes"),
    [
        (100, False, False, True),
        (107, False, False, True),
        (108, True, False, True),
        (109, True, True, True),
        (112, True, True, True),
        (113, True, True, False),
    ],
)
def test_8_percent_to_double_9_to_redouble_12_to_take(
    opponent: int, doubles: bool, redoubles: bool, takes: bool
) -> None:
    board = race(opponent)[None]
    centred = pip_cube(board, pack_states(CubeState(), 1))
    owned = pip_cube(board, pack_states(CubeState(value=2, owner=Owner.PLAYER), 1))
    assert (bool(centred[0][0]), bool(owned[0][0])) == (doubles, redoubles)
    assert bool(centred[1][0]) == bool(owned[1][0]) == takes


def test_nobody_doubles_without_the_cube() -> None:
    for state in (
        CubeState(value=2, owner=Owner.OPPONENT),
        CubeState(cap=1),
        CubeState(away=(1, 3)),
        CubeState(away=(3, 1), is_crawford=True),
    ):
        assert not pip_cube(race(112)[None], pack_states(state, 1))[0][0]
