"""Bear-off positions: one side's checkers on its six home points, and their numbers.

A position is numbered by how many checkers stand on its highest k points, `s_k`: the number is the
sum over k of the ways to put fewer than `s_k` checkers on k points. So positions of fewer checkers
come first, whatever the limit, and every move leads to a smaller number; 0 is the empty home.
"""

from __future__ import annotations

from functools import cache
from math import comb

import numpy as np
import numpy.typing as npt

from bgai.engine import CHECKERS, SLOTS, Boards
from bgai.engine.board import HOME
from bgai.engine.compiled import kernel, map_slices

OUTSIDE = -1  # in place of a number: not all of the side's checkers are home

_BOARDS_PER_THREAD = 16384


def position_count(checkers: int) -> int:
    """Positions of up to that many checkers, the empty one included."""
    return comb(checkers + HOME, HOME)


@cache
def _ways() -> npt.NDArray[np.int32]:
    """`[6, 16]`: ways to put fewer than s checkers on k + 1 points, at `[k, s]`."""
    ways = [[comb(s + k, k + 1) for s in range(CHECKERS + 1)] for k in range(HOME)]
    return np.array(ways, np.int32)


def position_numbers(counts: npt.ArrayLike) -> npt.NDArray[np.int32]:
    """Numbers `[...]` of positions given as checkers on the points 1 to 6, `[..., 6]`.

    Raises:
        ValueError: there are not six counts, one is negative, or they add up to more than 15.
    """
    array = np.asarray(counts, np.int64)
    if array.ndim == 0 or array.shape[-1] != HOME:
        raise ValueError(f"a bear-off position has {HOME} counts, got shape {array.shape}")
    wrong = (array < 0).any(-1) | (array.sum(-1) > CHECKERS)
    if wrong.any():
        raise ValueError(
            f"a bear-off position has 0 to {CHECKERS} checkers, got {array[wrong][0].tolist()}"
        )
    on_highest = np.cumsum(array[..., ::-1], axis=-1)
    numbers: npt.NDArray[np.int32] = _ways()[np.arange(HOME), on_highest].sum(-1, dtype=np.int32)
    return numbers


def position_counts(numbers: npt.ArrayLike) -> npt.NDArray[np.int8]:
    """The inverse of `position_numbers`: `[...]` -> `[..., 6]`.

    Raises:
        ValueError: there is no position of such a number.
    """
    rest = np.array(numbers, np.int64)
    wrong = (rest < 0) | (rest >= position_count(CHECKERS))
    if wrong.any():
        raise ValueError(
            f"a position's number must be in [0, {position_count(CHECKERS)}), got {rest[wrong][0]}"
        )
    on_highest = np.zeros((*rest.shape, HOME + 1), np.int8)
    for points in range(HOME, 0, -1):
        ways = _ways()[points - 1]
        on_highest[..., points] = np.searchsorted(ways, rest, side="right") - 1
        rest -= ways[on_highest[..., points]]
    return np.diff(on_highest, axis=-1)[..., ::-1]


def pips_of_positions(checkers: int) -> npt.NDArray[np.int64]:
    """The pip count of every position of up to that many checkers, by number."""
    counts = position_counts(np.arange(position_count(checkers)))
    return counts @ np.arange(1, HOME + 1)


def bear_off_numbers(boards: Boards) -> npt.NDArray[np.int32]:
    """The number of each side's position.

    Args:
        boards: `[N, 26]` int8.

    Returns:
        `[N, 2]`: the player's and the opponent's, `OUTSIDE` where a checker is not home.

    Raises:
        ValueError: boards are not int8 of that shape.
    """
    if boards.ndim != 2 or boards.shape[1] != SLOTS or boards.dtype != np.int8:
        raise ValueError(f"boards must be int8 [N, {SLOTS}], got {boards.dtype} {boards.shape}")
    numbers = np.empty((len(boards), 2), np.int32)
    ways = _ways()
    map_slices(
        lambda start, stop: _write_numbers(boards[start:stop], ways, numbers[start:stop]),
        len(boards),
        _BOARDS_PER_THREAD,
    )
    return numbers


def are_games(numbers: npt.NDArray[np.int32], checkers: int) -> npt.NDArray[np.bool_]:
    """Which pairs of positions `[N, 2]` are games of up to that many checkers a side, `[N]`.

    A finished game is one, as long as a side has checkers left.
    """
    own, opponent = numbers.T
    positions = position_count(checkers)
    at_home = (own >= 0) & (own < positions) & (opponent >= 0) & (opponent < positions)
    games: npt.NDArray[np.bool_] = at_home & ((own > 0) | (opponent > 0))
    return games


def are_races(boards: Boards) -> npt.NDArray[np.bool_]:
    """Where the sides have passed each other and both have checkers left, `[N]`."""
    races = np.empty(len(boards), np.bool_)
    _write_races(boards, races)
    return races


@kernel
def _write_races(boards, races):  # type: ignore[no-untyped-def]
    for row in range(len(boards)):
        board = boards[row]
        highest_own, lowest_opponent = 25, 0
        while highest_own >= 0 and board[highest_own] <= 0:
            highest_own -= 1
        while lowest_opponent <= 25 and board[lowest_opponent] >= 0:
            lowest_opponent += 1
        races[row] = 0 <= highest_own < lowest_opponent <= 25


@kernel
def _write_numbers(boards, ways, numbers):  # type: ignore[no-untyped-def]
    for row in range(len(boards)):
        board = boards[row]
        numbers[row] = 0
        for slot in range(7, 26):
            if board[slot] > 0:
                numbers[row, 0] = -1
                break
        for slot in range(19):
            if board[slot] < 0:
                numbers[row, 1] = -1
                break
        for side in range(2):
            if numbers[row, side] < 0:
                continue
            on_highest = 0
            for points in range(6):  # from the 6 point down
                count = board[6 - points] if side == 0 else -board[19 + points]
                on_highest += max(count, 0)
                numbers[row, side] += ways[points, on_highest]
