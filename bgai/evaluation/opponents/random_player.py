"""The weakest player: any afterstate is as good as any other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bgai.engine import Boards, legal_afterstates


class RandomPlayer:
    """Chooses uniformly among the distinct afterstates of each board.

    It draws one number per board, in the order of the boards: how a sequence of boards is cut
    into calls does not matter, their order does. (So the arena's batch size changes which games
    a random player plays, not how strong it is.)
    """

    name = "random"

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def choose(self, boards: Boards, dice: npt.NDArray[np.int64]) -> Boards:
        """`[B, 26]`, `[B, 2]` -> `[B, 26]` afterstates, seen by the next player."""
        after, offsets = legal_afterstates(boards, dice)
        rows = offsets[:-1] + (self._rng.random(len(boards)) * np.diff(offsets)).astype(np.int64)
        return after[rows]
