"""Looking plies ahead: the exact mean over the 21 rolls of the best reply.

One ply is one player's turn, and 0-ply is the evaluator alone (gnubg's count; XG calls it 1-ply).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bgai.engine import (
    OUTCOMES,
    ROLL_WEIGHTS,
    ROLLS,
    SLOTS,
    Boards,
    Offsets,
    Probs,
    outcomes,
    swap_probs,
)
from bgai.engine.outcomes import UNFINISHED
from bgai.search.evaluator import Evaluator
from bgai.search.select import (
    PlaysEvaluator,
    Scout,
    ValuedPlays,
    Worth,
    choose_plays,
    cubeless_worth,
    near_the_best,
    value_afterstates,
)

MOST_PLIES = 4  # each ply after the first takes 21 times longer
LOOKAHEAD_MARGIN = 0.16
"""Points behind the best play at 0-ply beyond which a play is not looked ahead from (as in gnubg's
normal filter)."""

_BOARDS_AT_ONCE = 256  # with 21 rolls of about 20 plays each: 100,000 afterstates


def check_plies(plies: int) -> None:
    """Whether a search can look so many turns ahead.

    Raises:
        ValueError: it cannot; names the number.
    """
    if not 0 <= plies <= MOST_PLIES:
        raise ValueError(f"plies must be 0 to {MOST_PLIES}, got {plies}")


@dataclass(frozen=True)
class PlyEvaluator(PlaysEvaluator):
    """An evaluator that looks `plies` turns ahead with another one.

    The value of a board is the mean over its 21 rolls, by their chances, of the value of the
    position that the best reply leaves. Replies are chosen at 0-ply and followed with the plies
    that remain, as gnubg does: each ply after the first then costs 21 times more, not 420 times.
    """

    evaluator: Evaluator
    plies: int
    scout: Scout | None = None
    """Shortlists the replies, if there is one."""

    def __post_init__(self) -> None:
        check_plies(self.plies)

    def __call__(self, boards: Boards) -> Probs:
        """`[N, 26]` int8 -> `[N, 6]` float32, exact where the game is over."""
        return _look_ahead(self.evaluator, boards, self.plies, self.scout)

    def value(self, after: Boards, offsets: Offsets, worth: Worth = cubeless_worth) -> ValuedPlays:
        """At 0-ply what the evaluator looks at closely, else the plays near the best at 0-ply."""
        if self.plies == 0:
            return value_afterstates(self.evaluator, after, offsets, worth)
        at_0_ply = worth(self.evaluator(after), after, offsets)
        rows, offsets = near_the_best(at_0_ply, offsets, LOOKAHEAD_MARGIN)
        after = after[rows]
        probs = self(after)
        return ValuedPlays(after, probs, offsets, worth(probs, after, offsets))


def _look_ahead(evaluator: Evaluator, boards: Boards, plies: int, scout: Scout | None) -> Probs:
    if plies == 0:
        return evaluator(boards)
    running = outcomes(boards) == UNFINISHED
    probs = np.empty((len(boards), 6), np.float32)
    if not running.all():
        probs[~running] = evaluator(boards[~running])
    rows = np.flatnonzero(running)
    for start in range(0, len(rows), _BOARDS_AT_ONCE):
        part = rows[start : start + _BOARDS_AT_ONCE]
        probs[part] = _mean_over_rolls(evaluator, boards[part], plies, scout)
    return probs


def _mean_over_rolls(
    evaluator: Evaluator, boards: Boards, plies: int, scout: Scout | None
) -> Probs:
    """`[N, 26]` boards, none finished -> `[N, 6]`, for the player about to roll."""
    after, replies = best_replies(evaluator, boards, scout)
    if plies > 1:
        deeper = _look_ahead(evaluator, after.reshape(-1, SLOTS), plies - 1, scout)
        replies = deeper.reshape(replies.shape)
    return mean_of_rolls(replies)


def best_replies(
    evaluator: Evaluator, boards: Boards, scout: Scout | None = None
) -> tuple[Boards, Probs]:
    """The best play of each of the 21 rolls, in the order of `ROLLS`.

    Args:
        boards: `[N, 26]`, none finished.
        scout: shortlists the plays, if there is one.

    Returns:
        after: `[N, 21, 26]`, seen by the next player.
        probs: `[N, 21, 6]`, their values for the next player.
    """
    dice = np.tile(ROLLS, (len(boards), 1))
    every = np.repeat(boards, len(ROLLS), axis=0)
    after, probs = choose_plays(evaluator, every, dice, scout)
    return after.reshape(-1, len(ROLLS), SLOTS), probs.reshape(-1, len(ROLLS), len(OUTCOMES))


def mean_of_rolls(replies: Probs) -> Probs:
    """`[N, 21, 6]` values of the replies, for the next player -> `[N, 6]` before the roll."""
    mean: Probs = np.einsum("r,nro->no", ROLL_WEIGHTS, swap_probs(replies)).astype(np.float32)
    return mean
