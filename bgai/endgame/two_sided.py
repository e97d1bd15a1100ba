"""Two-sided bear-off: exact equities where each side has few checkers left, all at home.

With six checkers or fewer a side has borne some off, so there are no gammons, and the Jacoby rule
and beavers change nothing. Cubeful equities are for money with a cube that has no highest value;
both players double, take, pass and play their checkers at their best for the cube as it stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bgai.endgame.plays import BearOffPlays, Report, in_order_of, no_report
from bgai.endgame.positions import (
    are_games,
    bear_off_numbers,
    pips_of_positions,
    position_count,
)
from bgai.engine import CHECKERS, OUTCOMES, ROLL_WEIGHTS, Boards, Probs
from bgai.engine.compiled import kernel, map_slices
from bgai.engine.outcomes import LOSE, WIN

Equities = npt.NDArray[np.floating]

TWO_SIDED_CHECKERS = 6
ROUNDING = 1e-7
"""The largest error of a stored equity, which is a float32."""

# the columns of the table; the last three are also bgai.cube's codes of the owners, plus one
CUBELESS, CENTRED, PLAYER, OPPONENT = range(4)

_ENTRIES_PER_THREAD = 256


class CubeEquities(NamedTuple):
    """Equities before the roll, for the player on roll, in units of the cube as it stands.

    Owners come in the order of `bgai.cube`: centred, the player, the opponent.
    """

    cubeless: Equities
    """`[N]`, twice the chance to win less one."""
    no_double: Equities
    """`[N, 3]` by owner: ND, with no double this turn and the best ones later."""

    @property
    def double_take(self) -> Equities:
        """DT, `[N]`: after a double the opponent owns a cube of twice the value."""
        return 2 * self.no_double[:, OPPONENT - CENTRED]

    @property
    def best(self) -> Equities:
        """`[N, 3]` by owner: with the right cube action now; the player may double unless the
        opponent owns the cube, and the opponent passes what costs more than 1."""
        doubled = np.minimum(self.double_take, 1)
        best = np.maximum(self.no_double, doubled[:, None])
        best[:, OPPONENT - CENTRED] = self.no_double[:, OPPONENT - CENTRED]
        return best


@dataclass(frozen=True, eq=False)
class TwoSidedTable:
    """Exact equities of all pairs of positions.

    Attributes:
        checkers: the most that either side may have.
        equities: `[positions, positions, 4]` float32: by the number of the player's position and of
            the opponent's; cubeless, then ND with the cube centred, the player's, the opponent's.
    """

    checkers: int
    equities: Equities

    def __post_init__(self) -> None:
        if not 1 <= self.checkers < CHECKERS:  # with all of them there would be gammons
            raise ValueError(f"checkers must be in [1, {CHECKERS}), got {self.checkers}")
        positions = position_count(self.checkers)
        expected = (positions, positions, OPPONENT + 1)
        if self.equities.shape != expected:
            raise ValueError(
                f"the two-sided table of {self.checkers} checkers has the shape {expected}, "
                f"got {self.equities.shape}"
            )

    def lookup(self, boards: Boards) -> tuple[CubeEquities, npt.NDArray[np.bool_]]:
        """What the table knows of the boards.

        Args:
            boards: `[N, 26]`.

        Returns:
            equities: NaN where the table does not know the board; +1 or -1 where the game is over.
            known: `[N]`.
        """
        numbers = bear_off_numbers(boards)
        known = self.knows(numbers)
        rows = np.full((len(boards), OPPONENT + 1), np.nan, self.equities.dtype)
        rows[known] = self.equities[numbers[known, 0], numbers[known, 1]]
        return CubeEquities(rows[:, CUBELESS], rows[:, CENTRED:]), known

    def knows(self, numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """Which pairs of positions `[N, 2]` the table has."""
        return are_games(numbers, self.checkers)

    def probs(self, numbers: npt.NDArray[np.int32]) -> Probs:
        """Chances `[N, 6]` of pairs of positions `[N, 2]`, the player's first."""
        equities = self.equities[numbers[:, 0], numbers[:, 1], CUBELESS]
        probs = np.zeros((len(numbers), len(OUTCOMES)), np.float32)
        probs[:, WIN], probs[:, LOSE] = (1 + equities) / 2, (1 - equities) / 2
        return probs


def build_two_sided(
    plays: BearOffPlays, checkers: int = TWO_SIDED_CHECKERS, report: Report = no_report
) -> TwoSidedTable:
    """Compute the table from the plays of positions of at least `checkers` checkers.

    In order of the pips of both sides together, so that whatever a roll may leave is done before.
    """
    equities = solve_two_sided(plays, checkers, report)
    return TwoSidedTable(checkers, equities.astype(np.float32))


def solve_two_sided(
    plays: BearOffPlays, checkers: int, report: Report = no_report
) -> npt.NDArray[np.float64]:
    """The table's `equities` before they are rounded."""
    positions = position_count(checkers)
    equities = np.zeros((positions, positions, OPPONENT + 1))
    equities[0] = 1
    equities[1:, 0] = -1
    pips = pips_of_positions(checkers)[1:]
    done = 0
    for group in in_order_of(np.add.outer(pips, pips).ravel()):
        entries = np.stack(np.divmod(group, positions - 1), axis=1) + 1
        _solve(entries, plays, equities)
        done += len(group)
        report("two-sided table", done / (positions - 1) ** 2)
    return equities


def _solve(
    entries: npt.NDArray[np.int64], plays: BearOffPlays, equities: npt.NDArray[np.float64]
) -> None:
    """Write the equities of pairs of positions, `[E, 2]`, whose plays lead to solved pairs."""
    map_slices(
        lambda start, stop: _write_equities(
            entries[start:stop], plays.after, plays.offsets, ROLL_WEIGHTS, equities
        ),
        len(entries),
        _ENTRIES_PER_THREAD,
    )


@kernel
def _write_equities(entries, after, offsets, weights, equities):  # type: ignore[no-untyped-def]
    rolls = len(weights)
    for entry in range(len(entries)):
        own, opponent = entries[entry]
        ways = equities[opponent]  # the next player's, by what is left of the mover's position
        cubeless = centred = player = opponents = 0.0
        for roll in range(rolls):
            best_cubeless = best_centred = best_player = best_opponents = -np.inf
            for place in range(offsets[own * rolls + roll], offsets[own * rolls + roll + 1]):
                reply = ways[after[place]]
                doubled = min(2 * reply[OPPONENT], 1.0)
                best_cubeless = max(best_cubeless, -reply[CUBELESS])
                best_centred = max(best_centred, -max(reply[CENTRED], doubled))
                # the player's cube is the opponent's to the next player, who may not double
                best_player = max(best_player, -reply[OPPONENT])
                best_opponents = max(best_opponents, -max(reply[PLAYER], doubled))
            cubeless += weights[roll] * best_cubeless
            centred += weights[roll] * best_centred
            player += weights[roll] * best_player
            opponents += weights[roll] * best_opponents
        equities[own, opponent, CUBELESS] = cubeless
        equities[own, opponent, CENTRED] = centred
        equities[own, opponent, PLAYER] = player
        equities[own, opponent, OPPONENT] = opponents
