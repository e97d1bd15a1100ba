"""Races: the sides have passed each other, and each runs home alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bgai.endgame.one_sided import OneSidedTable
from bgai.endgame.positions import position_numbers
from bgai.endgame.race_net import RaceNet
from bgai.endgame.rolls import COLUMNS, Rolls, Sides, mean_rolls
from bgai.engine.board import HOME


@dataclass(frozen=True, eq=False)
class Races:
    """How many rolls a side takes: from the one-sided table where it knows, else from the net."""

    table: OneSidedTable
    net: RaceNet

    def rolls(self, sides: Sides) -> Rolls:
        """`[M, 24]` -> `[M, 128]`; sides that follow their equals cost nothing."""
        is_new = np.ones(len(sides), np.bool_)
        is_new[1:] = (sides[1:] != sides[:-1]).any(1)
        new = sides[is_new]
        at_home = are_home(new)
        rolls = np.empty((len(new), COLUMNS), np.float32)
        rolls[at_home] = self._table_rolls(new[at_home])
        rolls[~at_home] = self.net.rolls(new[~at_home])
        place = np.cumsum(is_new) - 1
        found: Rolls = rolls[place]
        return found

    def mean_rolls(self, sides: Sides) -> npt.NDArray[np.float32]:
        """The mean number of rolls for each aim, `[M, 24]` -> `[M, 3]`, quickly."""
        means = self.net.mean_rolls(sides)
        at_home = are_home(sides)
        means[at_home] = mean_rolls(self._table_rolls(sides[at_home]))
        return means

    def _table_rolls(self, sides: Sides) -> Rolls:
        return self.table.rolls(position_numbers(sides[:, :HOME]))


def are_home(sides: Sides) -> npt.NDArray[np.bool_]:
    """Which sides `[M, 24]` have no checker outside their home, `[M]`."""
    return ~np.asarray(sides[:, HOME:].any(1))
