"""Bear-off boards for the tests, and the one step of the recursion done the slow way."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from bgai.engine import ROLL_WEIGHTS, ROLLS, Board, Boards, legal_afterstates
from tests.engine.positions import board_of

Values = npt.NDArray[np.float64]


def bear_off(own: dict[int, int], opponent: dict[int, int]) -> Board:
    """A board from counts by point, each side in its own numbering."""
    return board_of(own, {25 - point: count for point, count in opponent.items()})


def random_bear_offs(rng: np.random.Generator, boards: int, most: int, least: int = 1) -> Boards:
    """`[N, 26]` boards with `least` to `most` checkers a side, all of them home."""
    rows = np.zeros((boards, 26), np.int8)
    for row in rows:
        for slots, sign in ((range(1, 7), 1), (range(19, 25), -1)):
            for slot in rng.choice(slots, rng.integers(least, most + 1)):
                row[slot] += sign
    return rows


def expected_best(boards: Boards, values: Callable[[Boards], Values]) -> Values:
    """The mean over the 21 rolls of the best value that a play can leave, `[N, C]`.

    Args:
        boards: `[N, 26]`, no game over.
        values: `[M, 26]` afterstates, seen by the next player -> `[M, C]`, higher = better for the
            player who has played; each column is maximised on its own.
    """
    means = []
    for board in boards:
        after, offsets = legal_afterstates(np.repeat(board[None], len(ROLLS), axis=0), ROLLS)
        best = np.maximum.reduceat(values(after), offsets[:-1], axis=0)
        means.append(ROLL_WEIGHTS @ best)
    return np.stack(means)
