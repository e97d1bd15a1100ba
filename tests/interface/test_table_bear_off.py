"""The automatic bear-off beside the exact chances of every race with few checkers."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations_with_replacement
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pytest

from bgai.engine import ROLL_WEIGHTS, ROLLS, Board, legal_afterstates
from bgai.interface.table.automatic import FEW, clear_bear_off
from bgai.interface.table.turn import Turn
from bgai.match import Decision, position_of
from tests.match.states import on_roll

Chances: TypeAlias = npt.NDArray[np.float64]
Home: TypeAlias = tuple[int, ...]

MOST_ROLLS = 9


def board_with(home: Home) -> Board:
    """The mover's checkers on points 1 to 6, the opponent's far behind them."""
    board = np.zeros(26, np.int8)
    board[1:7] = home
    board[24] = -2
    return board


def home_left(after: Board) -> Home:
    """The mover's home, from the next player's view."""
    return tuple((-after[24:18:-1]).tolist())


@pytest.fixture(scope="module")
def chances() -> dict[Home, Chances]:
    """For every home of up to `FEW` checkers the chances to be done within 0, 1, 2 ... rolls.

    The play leaves the fewest further rolls on average, as a bear-off table does.
    """
    homes = {
        tuple(points.count(point) for point in range(1, 7))
        for checkers in range(FEW + 1)
        for points in combinations_with_replacement(range(1, 7), checkers)
    }
    done: dict[Home, Chances] = {(0,) * 6: np.ones(MOST_ROLLS)}
    for home in sorted(homes, key=lambda home: np.dot(home, range(1, 7)))[1:]:
        after, offsets = legal_afterstates(board_with(home)[None].repeat(len(ROLLS), 0), ROLLS)
        total = np.zeros(MOST_ROLLS)
        for weight, start, stop in zip(ROLL_WEIGHTS, offsets, offsets[1:], strict=False):
            best = max((done[home_left(row)] for row in after[start:stop]), key=np.sum)
            total[1:] += weight * best[:-1]
        done[home] = total
    return done


def test_no_other_play_is_done_sooner_by_any_count_of_rolls(chances: dict[Home, Chances]) -> None:
    made = 0
    for home in list(chances)[::3]:
        if sum(home) < 2:
            continue
        for dice in ROLLS[::2]:
            state = on_roll(position=position_of(board_with(home)))
            state = replace(state, decision=Decision.PLAY, dice=tuple(dice.tolist()))
            moves = clear_bear_off(state)
            if moves is None:
                continue
            made += 1
            assert state.dice is not None
            best = chances[home_left(Turn(state.position, state.dice, moves).after)]
            after, _ = legal_afterstates(state.board[None], dice[None])
            for row in after:
                assert (chances[home_left(row)] <= best + 1e-12).all(), (home, dice)
    assert made > 150
