"""Both tables together, and an evaluator that asks them first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bgai.endgame.one_sided import OneSidedTable, build_one_sided
from bgai.endgame.plays import Report, bear_off_plays, no_report
from bgai.endgame.positions import OUTSIDE, bear_off_numbers
from bgai.endgame.two_sided import CubeEquities, TwoSidedTable, build_two_sided
from bgai.engine import CHECKERS, OUTCOMES, Boards, Probs

Known: TypeAlias = npt.NDArray[np.uint8]

UNKNOWN, ONE_SIDED, TWO_SIDED = range(3)
"""How a board is known: not at all; closely, from two one-sided distributions; exactly."""


@dataclass(frozen=True, eq=False)
class ExactEndgames:
    """What is known of endings in which both sides have all their checkers home."""

    one_sided: OneSidedTable
    two_sided: TwoSidedTable

    def lookup(self, boards: Boards) -> tuple[Probs, Known]:
        """The best that the tables know of the chances without a cube.

        Args:
            boards: `[N, 26]`.

        Returns:
            probs: `[N, 6]`, NaN where neither table knows the board; finished games are known if
                the loser's checkers are home.
            known: `[N]`: `UNKNOWN`, `ONE_SIDED` or `TWO_SIDED`.
        """
        numbers = bear_off_numbers(boards)
        known = np.full(len(boards), UNKNOWN, np.uint8)
        probs = np.full((len(boards), len(OUTCOMES)), np.nan, np.float32)
        if (numbers == OUTSIDE).any(1).all():
            return probs, known
        known[self.one_sided.knows(numbers)] = ONE_SIDED
        known[self.two_sided.knows(numbers)] = TWO_SIDED
        closely, exactly = known == ONE_SIDED, known == TWO_SIDED
        probs[closely] = self.one_sided.probs(numbers[closely])
        probs[exactly] = self.two_sided.probs(numbers[exactly])
        return probs, known

    def cube_equities(self, boards: Boards) -> tuple[CubeEquities, npt.NDArray[np.bool_]]:
        """Exact equities for money, cubeless and by owner of the cube.

        Args:
            boards: `[N, 26]`.

        Returns:
            equities: NaN where the two-sided table does not know the board.
            known: `[N]`.
        """
        return self.two_sided.lookup(boards)


@dataclass(frozen=True, eq=False)
class EndgameEvaluator:
    """An evaluator that asks the tables first and another evaluator where they know nothing.

    Attributes:
        evaluator: `[N, 26]` int8 -> `[N, 6]` float32, for the player about to roll; it is not
            called for an empty batch.
        exact_only: leave to it also what is known only closely.
    """

    evaluator: Callable[[Boards], Probs]
    endgames: ExactEndgames
    exact_only: bool = False

    def __call__(self, boards: Boards) -> Probs:
        """`[N, 26]` int8 -> `[N, 6]` float32."""
        probs, known = self.endgames.lookup(boards)
        left = known < (TWO_SIDED if self.exact_only else ONE_SIDED)
        if left.all():
            return self.evaluator(boards)
        if left.any():
            probs[left] = self.evaluator(boards[left])
        return probs


def build_endgames(report: Report = no_report) -> ExactEndgames:
    """Compute both tables, in seconds."""
    plays = bear_off_plays(CHECKERS, report)
    return ExactEndgames(
        build_one_sided(plays, report=report), build_two_sided(plays, report=report)
    )
