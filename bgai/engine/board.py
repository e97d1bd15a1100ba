"""The board: 26 signed counts seen by the player about to roll.

Points 1-24 are numbered from that player's side; positive = their checkers, negative = the
opponent's; 25 = their bar (>= 0), 0 = the opponent's bar (<= 0). Borne-off counts are 15 minus
the sum, never stored.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Board: TypeAlias = npt.NDArray[np.int8]
Boards: TypeAlias = npt.NDArray[np.int8]

POINTS = 24
BAR = 25  # own bar
OPPONENT_BAR = 0
OFF = 0  # where a checker borne off is said to land, in move text and moves
CHECKERS = 15
HOME = 6  # the highest point of the home board
SLOTS = 26


def _start() -> Board:
    board = np.zeros(SLOTS, np.int8)
    board[[24, 13, 8, 6]] = 2, 5, 3, 5
    board[[1, 12, 17, 19]] = -2, -5, -3, -5
    board.flags.writeable = False
    return board


START: Board = _start()


def swap(boards: Boards) -> Boards:
    """The same positions seen from the other side of the table; `[..., 26]`, a new array."""
    return np.negative(boards[..., ::-1])


def borne_off(boards: Boards) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Checkers borne off by the player about to roll and by the opponent, each `[...]`."""
    own = np.where(boards > 0, boards, 0).sum(-1, dtype=np.int64)
    opponent = np.where(boards < 0, boards, 0).sum(-1, dtype=np.int64)
    return CHECKERS - own, CHECKERS + opponent


def pip_counts(boards: Boards) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Pips still to go for the player about to roll and for the opponent, each `[...]`."""
    points = np.arange(SLOTS)
    own = (np.where(boards > 0, boards, 0) * points).sum(-1)
    opponent = (np.where(boards < 0, -boards, 0) * (BAR - points)).sum(-1)
    return own, opponent


def has_contact(boards: Boards) -> npt.NDArray[np.bool_]:
    """Whether the sides can still meet: an own checker is behind an opposing one; `[...]`."""
    points = np.arange(SLOTS)
    highest_own = np.where(boards > 0, points, -1).max(-1)
    lowest_opponent = np.where(boards < 0, points, SLOTS).min(-1)
    contact: npt.NDArray[np.bool_] = highest_own > lowest_opponent
    return contact


def check_boards(boards: npt.ArrayLike) -> Boards:
    """Boards from outside, checked.

    Args:
        boards: `[26]` or `[N, 26]` integers.

    Returns:
        The same shape as int8.

    Raises:
        ValueError: the shape is wrong, a value is not an integer, a side has more than 15
            checkers, a bar holds the wrong side's checkers, or both sides have borne off all.
    """
    array = np.asarray(boards)
    if array.ndim not in (1, 2) or array.shape[-1] != SLOTS:
        raise ValueError(f"a board has {SLOTS} numbers, got shape {array.shape}")
    if array.size and not are_whole(array):
        raise ValueError(f"a board holds integers, got {array.tolist()}")
    rows = array.reshape(-1, SLOTS)
    own, opponent = np.maximum(rows, 0).sum(1), -np.minimum(rows, 0).sum(1)
    is_wrong = (own > CHECKERS) | (opponent > CHECKERS) | (own + opponent == 0)
    is_wrong |= (np.abs(rows.astype(float)) > CHECKERS).any(1)  # their sums may not fit
    is_wrong |= (rows[:, BAR] < 0) | (rows[:, OPPONENT_BAR] > 0)
    for row in rows[is_wrong]:
        _refuse_board([int(value) for value in row])
    return array.astype(np.int8)


def are_whole(numbers: npt.NDArray[Any]) -> bool:
    """Whether an array from outside holds integers only, as integers or as floats."""
    if np.issubdtype(numbers.dtype, np.floating):
        return bool((np.isfinite(numbers) & (numbers == np.rint(numbers))).all())
    return np.issubdtype(numbers.dtype, np.integer)


def _refuse_board(values: list[int]) -> None:
    """Say what is wrong with a board."""
    own = sum(value for value in values if value > 0)
    opponent = -sum(value for value in values if value < 0)
    if own > CHECKERS or opponent > CHECKERS:
        raise ValueError(
            f"a side has at most {CHECKERS} checkers, got {own} and {opponent}: {values}"
        )
    if values[BAR] < 0 or values[OPPONENT_BAR] > 0:
        raise ValueError(
            f"slot 25 is the own bar (>= 0) and slot 0 the opponent's (<= 0), "
            f"got {values[BAR]} and {values[OPPONENT_BAR]}"
        )
    raise ValueError(f"both sides have borne off all checkers: {values}")
