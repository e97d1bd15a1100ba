"""Cube states as rows of integers, the form in which a batch of them is computed with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bgai.match.cube_state import CubeState, Owner

StateRows: TypeAlias = npt.NDArray[np.int64]
"""`[N, 9]`; the columns are named below."""

# compiled into the kernels of ladder.py, whose cache on disk sees changes of its own file only
COLUMNS = 9
(VALUE, OWNER, AWAY, OPPONENT_AWAY, AFTER_CRAWFORD, IS_CRAWFORD, JACOBY, BEAVERS, CAP) = range(
    COLUMNS
)
MONEY = 0  # in the away columns

CENTRED, PLAYER, OPPONENT = range(3)
_SWAPPED_OWNER = np.array([CENTRED, OPPONENT, PLAYER])
OWNERS = (Owner.CENTRED, Owner.PLAYER, Owner.OPPONENT)
"""The owner of each code."""


def pack_states(states: CubeState | Sequence[CubeState] | StateRows, rows: int) -> StateRows:
    """States as rows of integers.

    Args:
        states: one for all rows, one for each row, or rows that are packed already.

    Returns:
        `[rows, 9]`: cube value, owner's code, points away of the player and of the opponent (0 for
        money), whether the next game comes after the Crawford game, the three flags, and the cap.

    Raises:
        ValueError: they are no states, or not `rows` of them.
    """
    if isinstance(states, CubeState):
        return np.broadcast_to(np.array(_row(states), np.int64), (rows, COLUMNS))
    if not isinstance(states, np.ndarray):
        if not isinstance(states, Sequence) or not all(isinstance(s, CubeState) for s in states):
            raise ValueError(f"expected a CubeState or a sequence of them, got {states!r:.80}")
        states = np.array([_row(state) for state in states], np.int64).reshape(-1, COLUMNS)
    if states.shape != (rows, COLUMNS):
        raise ValueError(f"expected {rows} states of {COLUMNS} numbers, got shape {states.shape}")
    return states.astype(np.int64, copy=False)


def _row(state: CubeState) -> tuple[int, ...]:
    away, opponent_away = state.away or (MONEY, MONEY)
    return (
        state.value,
        OWNERS.index(state.owner),
        away,
        opponent_away,
        int(state.away is not None and 1 in state.away),
        int(state.is_crawford),
        int(state.jacoby),
        int(state.beavers),
        state.cap,
    )


def unpack_state(row: npt.NDArray[np.int64]) -> CubeState:
    """The state of one row, `[9]`."""
    away = (int(row[AWAY]), int(row[OPPONENT_AWAY]))
    return CubeState(
        value=int(row[VALUE]),
        owner=OWNERS[row[OWNER]],
        away=None if away == (MONEY, MONEY) else away,
        is_crawford=bool(row[IS_CRAWFORD]),
        jacoby=bool(row[JACOBY]),
        beavers=bool(row[BEAVERS]),
        cap=int(row[CAP]),
    )


def swap_states(states: StateRows) -> StateRows:
    """The same states seen by the other player, `[N, 9]`."""
    swapped = states.copy()
    swapped[:, AWAY], swapped[:, OPPONENT_AWAY] = states[:, OPPONENT_AWAY], states[:, AWAY]
    swapped[:, OWNER] = _SWAPPED_OWNER[states[:, OWNER]]
    return swapped


def may_double(states: StateRows) -> npt.NDArray[np.bool_]:
    """`CubeState.may_double` of each row, `[N]`."""
    may: npt.NDArray[np.bool_] = (
        (states[:, OWNER] != OPPONENT)
        & (states[:, IS_CRAWFORD] == 0)
        & (2 * states[:, VALUE] <= states[:, CAP])
        & ((states[:, AWAY] == MONEY) | (states[:, AWAY] > states[:, VALUE]))
    )
    return may


def is_free_double(states: StateRows) -> npt.NDArray[np.bool_]:
    """Whether a double by the player would risk nothing, `[N]`.

    The player loses the match with the points at stake already and could use more: the trailer
    after the Crawford game, or whoever has taken a cube that wins the match for the other.
    """
    free: npt.NDArray[np.bool_] = may_double(states) & (
        (states[:, AWAY] != MONEY) & (states[:, OPPONENT_AWAY] <= states[:, VALUE])
    )
    return free
