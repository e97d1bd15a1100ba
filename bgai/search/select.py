"""Choosing among the afterstates of each board of a batch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bgai.endgame import EndgameEvaluator, Endgames
from bgai.engine import Boards, Offsets, Probs, equity, legal_afterstates
from bgai.engine.compiled import kernel
from bgai.search.evaluator import Evaluator

PLAY_MARGIN = 0.06
"""Points behind which several nets that play do not look at a play together (`Panel.margin`): that
costs 0.03 to 0.05 millipoints a decision."""


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
    rows = np.empty(len(after), np.int64)
    kept = np.zeros_like(offsets)
    written = _shortlisted_rows(scout.scores(after), offsets, scout.keep, scout.margin, rows, kept)
    return after[rows[:written]], kept


def near_the_best(
    scores: npt.NDArray[np.floating], offsets: Offsets, margin: float
) -> tuple[npt.NDArray[np.int64], Offsets]:
    """The rows within a margin of each board's best, in their order, and where a board's begin.

    Args:
        scores: `[M]`, in points.
        offsets: `[B + 1]`, as from `legal_afterstates`.
    """
    best = scores[best_afterstates(scores, offsets)]
    near = scores >= np.repeat(best - scores.dtype.type(margin), np.diff(offsets))
    return np.flatnonzero(near), np.concatenate([[0], np.cumsum(near)])[offsets]


Worth: TypeAlias = Callable[[Probs, Boards, Offsets], npt.NDArray[np.floating]]
"""What plays are worth to who makes them: values `[M, 6]` and afterstates `[M, 26]`, both for the
next player, and offsets `[B + 1]` -> `[M]` in points per cube."""


def cubeless_worth(probs: Probs, after: Boards, offsets: Offsets) -> npt.NDArray[np.floating]:
    """The `Worth` where there is no cube and every point counts."""
    return -equity(probs)


@dataclass(frozen=True)
class ValuedPlays:
    """The plays of each board of a batch, their values for the next player, and their worths."""

    after: Boards
    """`[M, 26]`, seen by the next player."""
    probs: Probs
    """`[M, 6]`."""
    offsets: Offsets
    """`[B + 1]`, as from `legal_afterstates`."""
    worths: npt.NDArray[np.floating]
    """`[M]`, what each is worth to who makes it."""

    def best(self) -> tuple[Boards, Probs]:
        """The best play of each board and its value, `[B, 26]` and `[B, 6]`."""
        rows = best_afterstates(self.worths, self.offsets)
        return self.after[rows], self.probs[rows]


class PlaysEvaluator(ABC):
    """An `Evaluator` that can tell the best plays without a close look at all of them."""

    @abstractmethod
    def __call__(self, boards: Boards) -> Probs: ...

    @abstractmethod
    def value(self, after: Boards, offsets: Offsets, worth: Worth = cubeless_worth) -> ValuedPlays:
        """The plays of each board that may be its best, one at least, with their values.

        Args:
            after: `[M, 26]`, seen by the next player.
            offsets: `[B + 1]`, as from `legal_afterstates`.
            worth: what makes a play the best.
        """


def value_afterstates(
    evaluator: Evaluator, after: Boards, offsets: Offsets, worth: Worth = cubeless_worth
) -> ValuedPlays:
    """All afterstates with their values, or those that the evaluator has looked at closely."""
    if isinstance(evaluator, PlaysEvaluator):
        return evaluator.value(after, offsets, worth)
    probs = evaluator(after)
    return ValuedPlays(after, probs, offsets, worth(probs, after, offsets))


@dataclass(frozen=True)
class Panel(PlaysEvaluator):
    """Evaluators that are asked together: the mean of their chances, which errs less than each.

    Where they choose among plays, the first is asked before the others, who need not see what it
    thinks clearly worse.
    """

    evaluators: Sequence[Evaluator]
    margin: float = np.inf
    """Points behind the first one's best beyond which the others are not asked about a play."""
    endgames: Endgames | None = None
    """What they know is not left to the evaluators."""

    def __call__(self, boards: Boards) -> Probs:
        """`[N, 26]` int8 -> `[N, 6]` float32, for the player about to roll."""
        return self._ask(self.evaluators, boards)

    def value(self, after: Boards, offsets: Offsets, worth: Worth = cubeless_worth) -> ValuedPlays:
        """The plays of each board that all have seen, with their mean."""
        first, *others = self.evaluators
        if not others or self.margin == np.inf:
            probs = self(after)
        else:
            probs = self._ask([first], after)
            rows, offsets = near_the_best(worth(probs, after, offsets), offsets, self.margin)
            after, probs = after[rows], probs[rows]
            probs += (self._ask(others, after) - probs) * np.float32(1 - 1 / len(self.evaluators))
        return ValuedPlays(after, probs, offsets, worth(probs, after, offsets))

    def _ask(self, evaluators: Sequence[Evaluator], boards: Boards) -> Probs:
        """The mean of some of them, or what is known of an endgame."""
        mean: Evaluator = partial(_mean, evaluators)
        return with_endgames(mean, self.endgames)(boards)

    def led_by(self, number: int) -> Panel:
        """The same, another asked first: the `number`-th, counted on from the first at the end."""
        start = number % len(self.evaluators)
        return replace(self, evaluators=[*self.evaluators[start:], *self.evaluators[:start]])


def _mean(evaluators: Sequence[Evaluator], boards: Boards) -> Probs:
    first, *others = evaluators
    probs = first(boards)
    if not others:
        return probs
    total = probs.copy()
    for evaluator in others:
        total += evaluator(boards)
    total /= np.float32(len(evaluators))
    return total


def with_endgames(evaluator: Evaluator, endgames: Endgames | None) -> Evaluator:
    """An evaluator that leaves known endgames to those who know them, if there are any."""
    if endgames is None:
        return evaluator
    if isinstance(evaluator, Panel):
        return replace(evaluator, endgames=endgames)
    return EndgameEvaluator(evaluator, endgames)


def value_plays(
    evaluator: Evaluator,
    boards: Boards,
    dice: npt.NDArray[np.int64],
    scout: Scout | None = None,
) -> ValuedPlays:
    """The `value_afterstates` of all plays of each board, or of those that a scout has left."""
    after, offsets = legal_afterstates(boards, dice)
    if scout is not None:
        after, offsets = shortlist(after, offsets, scout)
    return value_afterstates(evaluator, after, offsets)


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
