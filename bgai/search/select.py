"""Choosing among the afterstates of each board of a batch."""

from __future__ import annotations

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


def choose_plays(
    evaluator: Evaluator, boards: Boards, dice: npt.NDArray[np.int64]
) -> tuple[Boards, Probs]:
    """The best play of each board at 0-ply.

    Returns:
        after: `[B, 26]` the chosen afterstates, seen by the next player.
        probs: `[B, 6]` their values, for the next player.
    """
    after, offsets = legal_afterstates(boards, dice)
    probs = evaluator(after)
    best = best_afterstates(-equity(probs), offsets)
    return after[best], probs[best]
