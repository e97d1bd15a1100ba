"""GNU Backgammon's net, through the optional package gnubg-nn (import name gnubg_nn).

gnubg chooses cubeless for money, with its bear-off databases; our rules check its choice. At
0-ply its choice is the best cubeless equity among our afterstates; deeper it looks only at the
plays that its own move filters keep.

The package holds the GIL and one global state: a process uses one core for it, whatever the
number of threads.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bgai.engine import Boards, legal_afterstates, swap
from bgai.evaluation.opponents.optional import import_optional


class GnubgPlayer:
    """Plays what gnubg plays at `plies` (0 = its net alone)."""

    def __init__(self, plies: int) -> None:
        """
        Raises:
            ValueError: `plies` is negative, or gnubg-nn is not installed.
        """
        if plies < 0:
            raise ValueError(f"gnubg's plies must be at least 0 (its net alone), got {plies}")
        self.name = f"gnubg:{plies}"
        self._plies = plies
        self._gnubg = import_optional("gnubg_nn", "gnubg")

    def choose(self, boards: Boards, dice: npt.NDArray[np.int64]) -> Boards:
        """`[B, 26]`, `[B, 2]` -> `[B, 26]` afterstates, seen by the next player."""
        after, offsets = legal_afterstates(boards, dice)
        chosen = after[offsets[:-1]]
        asked = np.flatnonzero(np.diff(offsets) > 1)
        if len(asked):
            chosen[asked] = self._best_plays(boards[asked], dice[asked])
        is_chosen = (after == np.repeat(chosen, np.diff(offsets), axis=0)).all(1)
        legal = np.add.reduceat(is_chosen, offsets[:-1], dtype=np.int64) == 1
        if not legal.all():
            game = np.flatnonzero(~legal)[0]
            raise RuntimeError(
                f"gnubg played {dice[game].tolist()} on {boards[game].tolist()} "
                f"against the rules: {chosen[game].tolist()}"
            )
        return chosen

    def _best_plays(self, boards: Boards, dice: npt.NDArray[np.int64]) -> Boards:
        best_move, board_of = self._gnubg.best_move, self._gnubg.board_from_position_key
        sides = gnubg_sides(boards).tolist()
        plays = [
            board_of(best_move(board, first, second, self._plies, b=1)[1])
            for board, (first, second) in zip(sides, dice.tolist(), strict=True)
        ]
        return from_gnubg_sides(np.array(plays, np.int8))


def gnubg_sides(boards: Boards) -> npt.NDArray[np.int8]:
    """Boards as gnubg wants them.

    Args:
        boards: `[N, 26]`, seen by the player on roll.

    Returns:
        `[N, 2, 25]` counts of the opponent and of the player on roll, each on their own
        points 1 to 24 and then the bar.
    """
    sides = np.stack([swap(boards)[:, 1:], boards[:, 1:]], axis=1)
    return np.maximum(sides, 0)


def from_gnubg_sides(sides: npt.NDArray[np.int8]) -> Boards:
    """The inverse of `gnubg_sides`: `[N, 2, 25]` -> `[N, 26]`."""
    boards = np.zeros((len(sides), 26), np.int8)
    boards[:, :25] = -sides[:, 0, ::-1]
    boards[:, 1:] += sides[:, 1]
    return boards
