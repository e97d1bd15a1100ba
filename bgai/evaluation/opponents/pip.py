"""The pip-count computer: what a plain app plays without a net.

It judges each afterstate by rules of thumb, in pips:

* the race: the opponent's pip count minus its own, and a little for every checker borne off;
* hits: the pips sent back, and something for every opposing checker that has to enter;
* safety: every blot costs the pips it would lose times the chance of being hit, by the usual table
  of shots (blocked points are not looked at);
* ahead in the race before the roll, it runs: checkers in the opponent's half that can still be met
  cost something each;
* behind, it waits: points in its home board and the bar point earn something while they block.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bgai.engine import Boards, Offsets, legal_afterstates, pip_counts
from bgai.engine.compiled import kernel, map_slices
from bgai.search import best_afterstates

BORNE_OFF_PIPS = 2.0
ON_BAR_PIPS = 2.0
STRAGGLER_PIPS = 1.0
POINT_PIPS = 2.0

# Of 36 rolls, those that hit a blot so many pips away when nothing is in between.
_SHOTS = np.zeros(26)
_SHOTS[1:13] = 11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3
_SHOTS[[15, 16, 18, 20, 24]] = 1
_SHOTS /= 36

_BOARDS_PER_THREAD = 256


class PipPlayer:
    """Plays the afterstate with the best sum of race, safety and a few rules of thumb."""

    name = "pip"

    def choose(self, boards: Boards, dice: npt.NDArray[np.int64]) -> Boards:
        """`[B, 26]`, `[B, 2]` -> `[B, 26]` afterstates, seen by the next player."""
        after, offsets = legal_afterstates(boards, dice)
        own, opponent = pip_counts(boards)
        scores = pip_scores(after, offsets, is_ahead=own < opponent)
        return after[best_afterstates(scores, offsets)]


def pip_scores(
    after: Boards, offsets: Offsets, is_ahead: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """How good each afterstate is for the player who has just moved, in pips.

    Args:
        after: `[M, 26]`, seen by the *next* player.
        offsets: `[B + 1]`: which rows belong to which board.
        is_ahead: `[B]`, whether the player's pip count was lower *before* the play.

    Returns:
        `[M]`, in pips; only differences between the plays of one board mean something.
    """
    scores = np.empty(len(after))
    map_slices(
        lambda start, stop: _write_scores(
            after, offsets[start : stop + 1], is_ahead[start:stop], scores
        ),
        len(is_ahead),
        _BOARDS_PER_THREAD,
    )
    return scores


@kernel
def _shot_chance(board, blot, rearmost):  # type: ignore[no-untyped-def]
    """The chance that the next player, who moves down, hits the blot on slot `blot`."""
    missed = 1.0
    for slot in range(blot + 1, rearmost + 1):
        if board[slot] > 0:
            missed *= 1.0 - _SHOTS[slot - blot]
    return 1.0 - missed


@kernel
def _write_scores(after, offsets, is_ahead, scores):  # type: ignore[no-untyped-def]
    for board in range(len(is_ahead)):
        for row in range(offsets[board], offsets[board + 1]):
            scores[row] = _score(after[row], is_ahead[board])


@kernel
def _score(board, is_ahead):  # type: ignore[no-untyped-def]
    """The mover's checkers are negative here, and slot s is the mover's point 25 - s."""
    score = ON_BAR_PIPS * board[25]
    left = 0
    rearmost = -1  # of the next player's checkers
    for slot in range(26):
        if board[slot] > 0:
            score += board[slot] * slot
            rearmost = slot
        else:
            score += board[slot] * (25 - slot)
            left -= board[slot]
    score += BORNE_OFF_PIPS * (15 - left)
    for slot in range(min(rearmost, 25)):  # what the next player can still meet
        if board[slot] == -1:
            score -= slot * _shot_chance(board, slot, rearmost)
        if is_ahead and slot <= 12 and board[slot] < 0:
            score += STRAGGLER_PIPS * board[slot]
        if not is_ahead and slot >= 18 and board[slot] <= -2:
            score += POINT_PIPS
    return score
