"""Players: what the arena and the interfaces ask for a play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from bgai.engine import Boards
from bgai.search.evaluator import Evaluator
from bgai.search.select import choose_plays


class Player(Protocol):
    """Chooses plays for a batch of games."""

    @property
    def name(self) -> str: ...

    def choose(self, boards: Boards, dice: npt.NDArray[np.int64]) -> Boards:
        """The afterstate this player leaves on each board, seen by the next player.

        Args:
            boards: `[B, 26]` seen by this player, about to play `dice` `[B, 2]`.
        """
        ...


@dataclass(frozen=True)
class EvaluatorPlayer:
    """Plays the afterstate that its evaluator likes best (0-ply)."""

    name: str
    evaluator: Evaluator

    def choose(self, boards: Boards, dice: npt.NDArray[np.int64]) -> Boards:
        return choose_plays(self.evaluator, boards, dice)[0]
