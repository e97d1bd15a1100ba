"""Choosing among the afterstates of each board of a batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bgai.engine import Boards, Offsets, Probs, equity, legal_afterstates
from bgai.engine.compiled import kernel
from bgai.search.evaluator import Evaluator


@kernel
def _best_rows(scores, offsets):  # type: ignore[no-untyped-def]
    best = np.empty(len(offsets) - 1, np.int64)
    for board in range(len(best)):
        row = offsets[board]
        for other in range(row + 1, offsets[board + 1]):
            if scores[other] > scores[row]:
                row = other
        best[board] = row
    return best


def best_afterstates(scores: npt.NDArray[np.floating], offsets: Offsets) -> npt.NDArray[np.int64]:
    """The row with the highest score of each board, the first of equals.

    Args:
        scores: `[M]`, what the mover wants: minus the next player's equity at 0-ply.
        offsets: `[B + 1]`, as from `legal_afterstates`.

    Returns:
        `[B]` rows of the afterstates.
    """
    rows: npt.NDArray[np.int64] = _best_rows(scores, offsets)
    return rows


@dataclass(frozen=True)
class Scout:
    """Leaves the best few afterstates of each board to a better evaluator, one at least."""

    scores: Callable[[Boards], npt.NDArray[np.float32]]
    """`[M, 26]` afterstates -> `[M]`, higher where the player who leaves them is better off."""
    keep: int
    margin: float = np.inf
    """Points behind the best score beyond which an afterstate is left out."""


@kernel
def _shortlisted_rows(scores, offsets, keep, margin, rows, kept):  # type: ignore[no-untyped-def]
    best = np.empty(keep, np.int64)
    written = 0
    for board in range(len(offsets) - 1):
        found = 0
        for row in range(offsets[board], offsets[board + 1]):
            if found == keep and scores[row] <= scores[best[keep - 1]]:
                continue
            place = min(found, keep - 1)
            while place > 0 and scores[best[place - 1]] < scores[row]:
                best[place] = best[place - 1]
                place -= 1
            best[place] = row
            found = min(found + 1, keep)
        while scores[best[found - 1]] < scores[best[0]] - margin:
            found -= 1
        rows[written : written + found] = np.sort(best[:found])
        written += found
        kept[board + 1] = written
    return written


def shortlist(after: Boards, offsets: Offsets, scout: Scout) -> tuple[Boards, Offsets]:
    """The afterstates that a scout leaves of each board, in their order."""
    scores = scout.scores(after)
    rows = np.empty(len(after), np.int64)
    kept = np.zeros_like(offsets)
    written = _shortlisted_rows(scores, offsets, scout.keep, scout.margin, rows, kept)
    return after[rows[:written]], kept


@dataclass(frozen=True)
class ValuedPlays:
    """The plays of each board of a batch and their values at 0-ply, for the next player."""

    after: Boards
    """`[M, 26]`, seen by the next player."""
    probs: Probs
    """`[M, 6]`."""
    offsets: Offsets
    """`[B + 1]`, as from `legal_afterstates`."""

    def best(self) -> tuple[Boards, Probs]:
        """The best play of each board and its value, `[B, 26]` and `[B, 6]`."""
        rows = best_afterstates(-equity(self.probs), self.offsets)
        return self.after[rows], self.probs[rows]


def value_plays(
    evaluator: Evaluator,
    boards: Boards,
    dice: npt.NDArray[np.int64],
    scout: Scout | None = None,
) -> ValuedPlays:
    """All plays of each board, or those that a scout has left if there is one."""
    after, offsets = legal_afterstates(boards, dice)
    if scout is not None:
        after, offsets = shortlist(after, offsets, scout)
    return ValuedPlays(after, evaluator(after), offsets)


def choose_plays(
    evaluator: Evaluator,
    boards: Boards,
    dice: npt.NDArray[np.int64],
    scout: Scout | None = None,
) -> tuple[Boards, Probs]:
    """The best play of each board at 0-ply, of those that a scout has left if there is one.

    Returns:
        after: `[B, 26]` the chosen afterstates, seen by the next player.
        probs: `[B, 6]` their values, for the next player.
    """
    return value_plays(evaluator, boards, dice, scout).best()
