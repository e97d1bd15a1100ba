"""One-sided bear-off: in how many rolls a side that is left alone bears off.

For every position of up to 15 checkers at home there is the distribution of the rolls until the
last checker is off, and for those of 15 also until the first is off, which saves the gammon. Plays
minimise the mean number of rolls to that aim, as is customary. The distributions are exact for such
plays; what follows from two of them is a close approximation, since it leaves out that a player who
is behind may do better with other plays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bgai.endgame.plays import BearOffPlays, Report, in_order_of, no_report
from bgai.endgame.positions import (
    are_games,
    bear_off_numbers,
    pips_of_positions,
    position_count,
)
from bgai.endgame.rolls import COLUMNS, TO_FIRST, TO_LAST, TO_LEAVE, Rolls, chances, in_blocks
from bgai.engine import CHECKERS, OUTCOMES, ROLL_WEIGHTS, Boards, Probs
from bgai.engine.compiled import kernel, map_slices

Distributions = npt.NDArray[np.float32]

MOST_ROLLS = 31
MOST_ROLLS_TO_FIRST = 8
ROUNDING = 1e-6
"""The largest error of a chance that comes from storing float32."""

_FIRST_OF_ALL_CHECKERS = position_count(CHECKERS - 1)  # the numbers from here on have 15
_POSITIONS_PER_THREAD = 128


@dataclass(frozen=True, eq=False)
class OneSidedTable:
    """Distributions of the number of rolls.

    Attributes:
        checkers: the most that a position may have.
        to_last: `[positions, 32]`, at `[p, t]` the chance that position p needs exactly t rolls to
            bear off all.
        to_first: `[15-checker positions, 9]`, the same for the first checker; with fewer checkers
            that has been done.
    """

    checkers: int
    to_last: Distributions
    to_first: Distributions

    def __post_init__(self) -> None:
        positions = position_count(self.checkers)
        expected = [
            (positions, MOST_ROLLS + 1),
            (max(0, positions - _FIRST_OF_ALL_CHECKERS), MOST_ROLLS_TO_FIRST + 1),
        ]
        got = [self.to_last.shape, self.to_first.shape]
        if got != expected:
            raise ValueError(
                f"the one-sided table of {self.checkers} checkers has the shapes {expected}, "
                f"got {got}"
            )

    def mean_rolls(self, numbers: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
        """The mean number of rolls to bear off all, for positions by number; `[...]`."""
        rolls = np.arange(MOST_ROLLS + 1, dtype=np.float64)
        mean: npt.NDArray[np.float64] = self.to_last[numbers] @ rolls
        return mean

    def rolls(self, numbers: npt.NDArray[np.integer]) -> Rolls:
        """`[M, 128]` of positions by number, `[M]`."""
        rolls = np.zeros((len(numbers), COLUMNS), np.float32)
        rolls[:, TO_LAST][:, : MOST_ROLLS + 1] = self.to_last[numbers]
        rolls[:, TO_FIRST.start] = rolls[:, TO_LEAVE.start] = 1
        have_all = numbers >= _FIRST_OF_ALL_CHECKERS
        to_first = self.to_first[numbers[have_all] - _FIRST_OF_ALL_CHECKERS]
        rolls[have_all, TO_FIRST.start : TO_FIRST.start + MOST_ROLLS_TO_FIRST + 1] = to_first
        return rolls

    def lookup(self, boards: Boards) -> tuple[Probs, npt.NDArray[np.bool_]]:
        """Chances where both sides are home, as if neither cared what the other does.

        Args:
            boards: `[N, 26]`.

        Returns:
            probs: `[N, 6]`, NaN where the table does not know the board.
            known: `[N]`.
        """
        numbers = bear_off_numbers(boards)
        known = self.knows(numbers)
        probs = np.full((len(boards), len(OUTCOMES)), np.nan, np.float32)
        probs[known] = self.probs(numbers[known])
        return probs, known

    def knows(self, numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """Which pairs of positions `[N, 2]` the table has."""
        return are_games(numbers, self.checkers)

    def probs(self, numbers: npt.NDArray[np.int32]) -> Probs:
        """Chances `[N, 6]` of pairs of positions `[N, 2]`, the player's first."""

        def probs(some: slice) -> Probs:
            own, opponent = numbers[some].T
            return chances(self.rolls(own), self.rolls(opponent))

        return in_blocks(probs, len(numbers))


def build_one_sided(
    plays: BearOffPlays, checkers: int = CHECKERS, report: Report = no_report
) -> OneSidedTable:
    """Compute the table from `bear_off_plays(checkers)`."""
    positions = position_count(checkers)
    of_all = min(_FIRST_OF_ALL_CHECKERS, positions)
    to_last = _distributions(plays, checkers, 1, MOST_ROLLS, report)
    to_first = _distributions(plays, checkers, of_all, MOST_ROLLS_TO_FIRST, report)[of_all:]
    return OneSidedTable(checkers, to_last.astype(np.float32), to_first.astype(np.float32))


def _distributions(
    plays: BearOffPlays, checkers: int, unfinished: int, most_rolls: int, report: Report
) -> npt.NDArray[np.float64]:
    """Rolls until the position's number is below `unfinished`, `[positions, most_rolls + 1]`."""
    pips = pips_of_positions(checkers)
    mean = np.zeros(len(pips))
    chances = np.zeros((len(pips), most_rolls + 1))
    chances[:unfinished, 0] = 1
    done = unfinished
    for group in in_order_of(pips[unfinished:]):
        _solve(group + unfinished, plays, mean, chances)
        done += len(group)
        report("one-sided table", done / len(pips))
    if not np.allclose(chances.sum(1), 1, rtol=0, atol=1e-9):
        raise AssertionError(f"a position needs more than {most_rolls} rolls")
    return chances


def _solve(
    group: npt.NDArray[np.int64],
    plays: BearOffPlays,
    mean: npt.NDArray[np.float64],
    chances: npt.NDArray[np.float64],
) -> None:
    """Write means and chances of positions whose plays all lead to solved ones."""
    map_slices(
        lambda start, stop: _write_chances(
            group[start:stop], plays.after, plays.offsets, ROLL_WEIGHTS, mean, chances
        ),
        len(group),
        _POSITIONS_PER_THREAD,
    )


@kernel
def _write_chances(group, after, offsets, weights, mean, chances):  # type: ignore[no-untyped-def]
    rolls = len(weights)
    for position in group:
        mean[position] = 1
        for roll in range(rolls):
            first, end = offsets[position * rolls + roll], offsets[position * rolls + roll + 1]
            best = after[first]
            for place in range(first + 1, end):
                if mean[after[place]] < mean[best]:
                    best = after[place]
            mean[position] += weights[roll] * mean[best]
            for count in range(1, chances.shape[1]):
                chances[position, count] += weights[roll] * chances[best, count - 1]
