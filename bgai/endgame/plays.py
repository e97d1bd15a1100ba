"""What every roll may leave of every bear-off position, from the engine's own rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bgai.endgame.positions import bear_off_numbers, position_count, position_counts
from bgai.engine import ROLLS, SLOTS, legal_afterstates
from bgai.engine.board import HOME

Report: TypeAlias = Callable[[str, float], None]
"""Called now and then during long work with what is being done and the share of it done, 0..1."""

_POSITIONS_AT_ONCE = 2048


def no_report(work: str, share: float) -> None:
    """The `Report` of who does not want to know."""


@dataclass(frozen=True, eq=False)
class BearOffPlays:
    """All plays of all bear-off positions of up to some number of checkers.

    Attributes:
        after: `[M]` int32, the numbers of the positions left, distinct for each roll.
        offsets: `[positions * 21 + 1]` int64; what the roll `ROLLS[r]` may leave of position p is
            `after[offsets[p * 21 + r]:offsets[p * 21 + r + 1]]`. The empty position has no plays.
    """

    after: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]


def bear_off_plays(checkers: int, report: Report = no_report) -> BearOffPlays:
    """The plays of all positions of up to that many checkers."""
    positions, rolls = position_count(checkers), len(ROLLS)
    after, counts = [np.empty(0, np.int32)], [np.zeros(rolls, np.int64)]
    for start in range(1, positions, _POSITIONS_AT_ONCE):
        stop = min(start + _POSITIONS_AT_ONCE, positions)
        boards = np.zeros((stop - start, SLOTS), np.int8)
        boards[:, 1 : HOME + 1] = position_counts(np.arange(start, stop))
        boards[:, -2] = -1  # an opponent out of the way, so that the game is not over
        dice = np.tile(ROLLS, (len(boards), 1))
        left, offsets = legal_afterstates(np.repeat(boards, rolls, axis=0), dice)
        after.append(bear_off_numbers(left)[:, 1])
        counts.append(np.diff(offsets))
        report("plays", stop / positions)
    ends = np.cumsum(np.concatenate(counts))
    return BearOffPlays(np.concatenate(after), np.concatenate([[0], ends]))


def in_order_of(pips: npt.NDArray[np.int64]) -> list[npt.NDArray[np.int64]]:
    """Indices grouped by ascending pips: any play leads from a group to an earlier one."""
    order = np.argsort(pips, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(pips[order])) + 1)
