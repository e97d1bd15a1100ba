"""What the players of other engines have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from bgai.engine import Boards, Offsets
from bgai.match import MatchState
from bgai.search.player import accepts_the_most


class NeverResigns:
    """Plays every game to its end and lets the opponent go when nothing more can be won."""

    def resignations(self, states: Sequence[MatchState]) -> list[int]:
        return [0] * len(states)

    def accepts(self, state: MatchState) -> bool:
        return accepts_the_most(state)


def alike(rows: npt.NDArray[np.int64]) -> Iterator[npt.NDArray[np.int64]]:
    """The places `[G]` of every set of equal rows of `[N, K]`."""
    _, group_of = np.unique(rows, axis=0, return_inverse=True)
    group_of = group_of.ravel()  # some releases of numpy keep a second axis
    for group in range(group_of.max(initial=-1) + 1):
        yield np.flatnonzero(group_of == group)


def check_plays(
    name: str,
    boards: Boards,
    dice: npt.NDArray[np.int64],
    after: Boards,
    offsets: Offsets,
    chosen: Boards,
) -> None:
    """Hold an engine to our rules.

    Args:
        boards: `[B, 26]`, about to play `dice` `[B, 2]`.
        after, offsets: what is legal, as from `legal_afterstates`.
        chosen: `[B, 26]` what the engine played, seen by the next player.

    Raises:
        RuntimeError: one of them is not legal.
    """
    is_chosen = (after == np.repeat(chosen, np.diff(offsets), axis=0)).all(1)
    legal = np.add.reduceat(is_chosen, offsets[:-1], dtype=np.int64) == 1
    if not legal.all():
        game = np.flatnonzero(~legal)[0]
        raise RuntimeError(
            f"{name} played {dice[game].tolist()} on {boards[game].tolist()} "
            f"against the rules: {chosen[game].tolist()}"
        )
