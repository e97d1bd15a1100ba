"""All that is known of endgames, and an evaluator that asks it first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bgai.endgame.one_sided import OneSidedTable, build_one_sided
from bgai.endgame.plays import Report, bear_off_plays, no_report
from bgai.endgame.positions import are_races, bear_off_numbers
from bgai.endgame.race_net import RaceNet, load_race_net
from bgai.endgame.races import Races
from bgai.endgame.rolls import chances, in_blocks, sides_of
from bgai.endgame.two_sided import CubeEquities, TwoSidedTable, build_two_sided
from bgai.engine import CHECKERS, OUTCOMES, SLOTS, Boards, Probs

Known: TypeAlias = npt.NDArray[np.uint8]

UNKNOWN, RACE, ONE_SIDED, TWO_SIDED = range(4)
"""How a board is known: not at all; as a race, with the net's word for a side that is not home;
closely, from two one-sided distributions; exactly."""


def _examples() -> Boards:
    boards = np.zeros((3, SLOTS), np.int8)
    boards[:, [1, 24]] = 1, -1
    boards[:2, [6, 19]] = 14, -14
    boards[0, [6, 7]] = 13, 1
    return boards


EXAMPLES = _examples()
"""`[3, 26]`: a race, a bear-off of all checkers and one of few. What has been asked about them is
compiled for all others."""


@dataclass(frozen=True, eq=False)
class Endgames:
    """What is known of games in which the sides have passed each other."""

    one_sided: OneSidedTable
    two_sided: TwoSidedTable
    race_net: RaceNet | None = None
    """Without it, only sides that are home are known; it needs a table of all of those."""

    def __post_init__(self) -> None:
        if self.race_net is not None and self.one_sided.checkers < CHECKERS:
            raise ValueError(
                f"the race net needs a one-sided table of {CHECKERS} checkers, "
                f"got one of {self.one_sided.checkers}"
            )

    def lookup(self, boards: Boards) -> tuple[Probs, Known]:
        """The best that is known of the chances without a cube.

        Args:
            boards: `[N, 26]`.

        Returns:
            probs: `[N, 6]`, NaN where the board is not known; finished games are known if the
                loser's checkers are home.
            known: `[N]`: `UNKNOWN`, `RACE`, `ONE_SIDED` or `TWO_SIDED`.
        """
        numbers = bear_off_numbers(boards)
        known = np.full(len(boards), UNKNOWN, np.uint8)
        if self.race_net is not None:
            known[are_races(boards)] = RACE
        known[self.one_sided.knows(numbers)] = ONE_SIDED
        known[self.two_sided.knows(numbers)] = TWO_SIDED
        probs = np.full((len(boards), len(OUTCOMES)), np.nan, np.float32)
        if known.any():
            racing, closely, exactly = known == RACE, known == ONE_SIDED, known == TWO_SIDED
            probs[racing] = self._race_probs(boards[racing])
            probs[closely] = self.one_sided.probs(numbers[closely])
            probs[exactly] = self.two_sided.probs(numbers[exactly])
        return probs, known

    def _race_probs(self, boards: Boards) -> Probs:
        """`[N, 6]`."""
        if self.race_net is None:
            return np.empty((0, len(OUTCOMES)), np.float32)
        races = Races(self.one_sided, self.race_net)

        def probs(some: slice) -> Probs:
            own, opponent = sides_of(boards[some])
            return chances(races.rolls(own), races.rolls(opponent))

        return in_blocks(probs, len(boards))

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
    """An evaluator that asks the endgames first and another evaluator where they know nothing.

    Attributes:
        evaluator: `[N, 26]` int8 -> `[N, 6]` float32, for the player about to roll.
        known_from: how well a board must be known at least, else it is left to the evaluator.
    """

    evaluator: Callable[[Boards], Probs]
    endgames: Endgames
    known_from: int = RACE

    def __call__(self, boards: Boards) -> Probs:
        """`[N, 26]` int8 -> `[N, 6]` float32."""
        probs, known = self.endgames.lookup(boards)
        left = known < self.known_from
        if left.all():
            return self.evaluator(boards)
        if left.any():
            probs[left] = self.evaluator(boards[left])
        return probs


def build_endgames(report: Report = no_report) -> Endgames:
    """Compute both tables, in seconds; the race net has been learnt before (`load_race_net`)."""
    plays = bear_off_plays(CHECKERS, report)
    one_sided = build_one_sided(plays, report=report)
    return Endgames(one_sided, build_two_sided(plays, report=report), load_race_net())
