"""The cube model against the exact recursion on bear-offs with two checkers a side.

The recursion knows every roll and every play: the chance to win without the cube, and the cubeful
equity for each owner of the cube, without a cap. No gammon is possible.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from bgai.cube import CubeModel, pack_states
from bgai.cube.efficiency import LAST_ROLL, position_kinds
from bgai.engine import (
    UNFINISHED,
    Board,
    Boards,
    legal_afterstates,
    outcomes,
    pip_counts,
)
from bgai.engine.dice import ROLL_WEIGHTS, ROLLS
from bgai.match.cube_state import CubeState, Owner
from tests.cube.examples import NO_CAP, singles
from tests.engine.positions import board_of

HOME_POINTS = range(1, 7)


class Exact(NamedTuple):
    """Values before the roll, for the player about to roll.

    `wins` the chance to win; `nd` the equity without doubling now, by owner; `best` with the right
    cube action.
    """

    wins: float
    nd: dict[Owner, float]
    best: dict[Owner, float]


LOST = Exact(0, dict.fromkeys(Owner, -1.0), dict.fromkeys(Owner, -1.0))


def small_bear_offs() -> Boards:
    """`[729, 26]`: one or two checkers a side."""
    sides = [
        {point: points.count(point) for point in points}
        for count in (1, 2)
        for points in combinations_with_replacement(HOME_POINTS, count)
    ]
    boards = [
        board_of(own, {25 - point: count for point, count in opponent.items()})
        for own in sides
        for opponent in sides
    ]
    return np.stack(boards)


def solve(boards: Boards) -> list[Exact]:
    """The exact values of `[N, 26]` boards that lead to each other only."""
    rolls = len(ROLLS)
    dice = np.tile(np.asarray(ROLLS), (len(boards), 1))
    after, offsets = legal_afterstates(np.repeat(boards, rolls, axis=0), dice)
    ended = outcomes(after) != UNFINISHED
    solved: dict[bytes, Exact] = {}
    for row in np.argsort(np.sum(pip_counts(boards), axis=0), kind="stable"):
        of_rolls = [
            [
                LOST if ended[place] else solved[after[place].tobytes()]
                for place in range(offsets[index], offsets[index + 1])
            ]
            for index in range(row * rolls, (row + 1) * rolls)
        ]
        solved[boards[row].tobytes()] = _before_the_roll(of_rolls)
    return [solved[board.tobytes()] for board in boards]


def _before_the_roll(of_rolls: list[list[Exact]]) -> Exact:
    """From what the opponent may be left with after each roll."""
    weights = np.asarray(ROLL_WEIGHTS, np.float64) / np.sum(ROLL_WEIGHTS)
    wins = weights @ [max(1 - one.wins for one in plays) for plays in of_rolls]
    nd = {
        owner: float(
            weights @ [max(-one.best[owner.swapped()] for one in plays) for plays in of_rolls]
        )
        for owner in Owner
    }
    doubled = min(2 * nd[Owner.OPPONENT], 1)
    best = {owner: max(nd[owner], doubled) for owner in (Owner.CENTRED, Owner.PLAYER)}
    return Exact(float(wins), nd, best | {Owner.OPPONENT: nd[Owner.OPPONENT]})


BOARDS = small_bear_offs()


@pytest.fixture(scope="module")
def exact() -> list[Exact]:
    return solve(BOARDS)


def test_positions_worked_by_hand(exact: list[Exact]) -> None:
    def value(own: dict[int, int], opponent: dict[int, int]) -> Exact:
        board: Board = board_of(own, {25 - point: count for point, count in opponent.items()})
        return exact[[row.tobytes() for row in BOARDS].index(board.tobytes())]

    # checkers on 5 and 2 against a sure last roll: a 5 or 6 with a number of at least 2 bears off
    # both (14 of 36 without doubles), and so do 2-2 to 6-6 (5 of 36)
    last = value({5: 1, 2: 1}, {1: 1})
    assert last.wins == pytest.approx(19 / 36)
    assert last.nd[Owner.CENTRED] == pytest.approx(2 / 36)
    assert last.best[Owner.CENTRED] == pytest.approx(4 / 36)
    assert value({1: 1}, {6: 1}).best[Owner.CENTRED] == 1


@pytest.mark.parametrize("owner", Owner)
def test_on_last_rolls_the_model_is_exact(exact: list[Exact], owner: Owner) -> None:
    rows = np.flatnonzero(position_kinds(BOARDS) == LAST_ROLL)
    assert len(rows) > 100
    batch = CubeModel().decide_batch(*_asked(exact, rows, owner))
    assert batch.nd == pytest.approx([exact[row].nd[owner] for row in rows])
    assert batch.dt == pytest.approx([2 * exact[row].nd[Owner.OPPONENT] for row in rows])


@pytest.mark.parametrize("owner", [Owner.CENTRED, Owner.PLAYER])
def test_in_the_shortest_bear_offs_the_model_costs_less_than_6_mp(
    exact: list[Exact], owner: Owner
) -> None:
    rows = np.flatnonzero(position_kinds(BOARDS) != LAST_ROLL)
    batch = CubeModel().decide_batch(*_asked(exact, rows, owner))
    nd = np.array([exact[row].nd[owner] for row in rows])
    dt = np.array([2 * exact[row].nd[Owner.OPPONENT] for row in rows])
    doubled = np.minimum(dt, 1)
    of_double = np.maximum(nd, doubled) - np.where(batch.doubles, doubled, nd)
    of_take = np.where(batch.takes, dt, 1) - doubled
    assert 1000 * of_double.mean() < 6
    assert 1000 * of_take.mean() < 6


def _asked(
    exact: list[Exact], rows: npt.NDArray[np.int64], owner: Owner
) -> tuple[npt.NDArray[np.float64], Boards, npt.NDArray[np.int64]]:
    value = 1 if owner is Owner.CENTRED else 2
    state = CubeState(value=value, owner=owner, cap=NO_CAP)
    probs = np.stack([singles(exact[row].wins) for row in rows])
    return probs, BOARDS[rows], pack_states(state, len(rows))
