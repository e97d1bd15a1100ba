"""In how many rolls a side that is left alone does what, and the chances that follow for two sides.

`Rolls` are `[..., 128]` chances of a side: that it needs exactly t rolls to bear off its last
checker, at `TO_LAST[t]`; to bear off its first, which saves the gammon; and to have left the
opponent's home, which saves the backgammon. What is done already needs 0 rolls.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bgai.engine import OUTCOMES, Boards, Probs
from bgai.engine.board import POINTS
from bgai.engine.compiled import kernel, run_tasks

Rolls: TypeAlias = npt.NDArray[np.float32]
Sides: TypeAlias = npt.NDArray[np.int8]
"""`[..., 24]`: a side's checkers on each point, in its own numbering; the rest are off."""

TO_LAST, TO_FIRST, TO_LEAVE = slice(0, 64), slice(64, 104), slice(104, 128)
AIMS = (TO_LAST, TO_FIRST, TO_LEAVE)
COLUMNS = TO_LEAVE.stop

_BOARDS_AT_ONCE = 512
_LAST, _FIRST, _LEAVE = (aim.start for aim in AIMS)


def sides_of(boards: Boards) -> tuple[Sides, Sides]:
    """The player's side and the opponent's, `[N, 24]` each, of boards `[N, 26]`."""
    own = np.maximum(boards[:, 1 : POINTS + 1], 0)
    return own, np.maximum(-boards[:, POINTS:0:-1], 0)


def mean_rolls(rolls: Rolls) -> npt.NDArray[np.float32]:
    """The mean number of rolls for each aim, `[..., 128]` -> `[..., 3]`."""
    return np.stack(
        [rolls[..., aim] @ np.arange(aim.stop - aim.start, dtype=np.float32) for aim in AIMS], -1
    )


def chances(own: Rolls, opponent: Rolls) -> Probs:
    """Chances `[N, 6]` of races, as if neither side cared what the other does.

    Args:
        own: `[N, 128]`, the player's.
        opponent: `[N, 128]`.
    """
    probs = np.empty((len(own), len(OUTCOMES)), np.float32)
    _write_chances(own, opponent, probs)
    return probs


def in_blocks(probs: Callable[[slice], Probs], boards: int) -> Probs:
    """`[N, 6]`, found for some boards at a time: their rolls take more room than all the rest."""
    if not boards:
        return np.empty((0, len(OUTCOMES)), np.float32)
    blocks = [slice(start, start + _BOARDS_AT_ONCE) for start in range(0, boards, _BOARDS_AT_ONCE)]
    return np.concatenate(run_tasks([partial(probs, block) for block in blocks]))


@kernel
def _is_in_time(mine, start, stop, theirs, their_start, their_stop):  # type: ignore[no-untyped-def]
    """The chance that who rolls first does its own in no more rolls than the other."""
    chance = 0.0
    not_before = 1.0  # the chance that the other needs this many rolls or more
    for count in range(stop - start):
        chance += mine[start + count] * not_before
        if their_start + count < their_stop:
            not_before -= theirs[their_start + count]
    return min(max(chance, 0.0), 1.0)


@kernel
def _write_chances(own, opponent, probs):  # type: ignore[no-untyped-def]
    for row in range(len(probs)):
        mine, theirs = own[row], opponent[row]
        win = _is_in_time(mine, _LAST, _FIRST, theirs, _LAST, _FIRST)
        # Each is at most the one before; rounding must not make it more. What the other has done
        # already cannot be prevented, even by who has no rolls left to need.
        win_gammon = _is_in_time(mine, _LAST, _FIRST, theirs, _FIRST, _LEAVE)
        win_gammon = min(win, win_gammon * (1 - theirs[_FIRST]))
        win_backgammon = _is_in_time(mine, _LAST, _FIRST, theirs, _LEAVE, 128)
        win_backgammon = min(win_gammon, win_backgammon * (1 - theirs[_LEAVE]))
        lose = 1 - win
        lose_gammon = min(lose, 1 - _is_in_time(mine, _FIRST, _LEAVE, theirs, _LAST, _FIRST))
        lose_backgammon = min(
            lose_gammon, 1 - _is_in_time(mine, _LEAVE, 128, theirs, _LAST, _FIRST)
        )
        probs[row, 0] = win - win_gammon
        probs[row, 1] = win_gammon - win_backgammon
        probs[row, 2] = win_backgammon
        probs[row, 3] = lose - lose_gammon
        probs[row, 4] = lose_gammon - lose_backgammon
        probs[row, 5] = lose_backgammon
