"""Open Sage, through the optional package bgsage.

Sage counts as XG does: 1-ply is its nets alone, what bgai and gnubg call 0-ply. It ranks our
afterstates by cubeless money equity; from 2-ply on it looks only at those that its move filter
keeps (its analyzer filters by cubeful equity, so that now and then the two differ). The nets play
alone: its bear-off database, which its analyzer adds, is left out.

Sage's nets are chosen by the board before the play, so its equities of afterstates alone (as its
batch functions give) would be others. Choosing holds the GIL for about half of its time, and
threads make it no faster.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bgai.engine import OPPONENT_BAR, Boards, legal_afterstates, swap
from bgai.evaluation.opponents.optional import import_optional

MOST_PLIES = 4


class SagePlayer:
    """Plays what Sage plays at `plies` (1 = its nets alone)."""

    def __init__(self, plies: int) -> None:
        """
        Raises:
            ValueError: `plies` is not 1..4, or bgsage is not installed.
        """
        if not 1 <= plies <= MOST_PLIES:
            raise ValueError(
                f"sage's plies must be 1 (its nets alone) to {MOST_PLIES}, got {plies}"
            )
        self.name = f"sage:{plies}"
        weights = import_optional("bgsage", "sage").default_weights()
        self._strategy = import_optional("bgbot_cpp", "sage").create_multipy(
            weights.strategy_type,
            weights.weight_paths_list,
            weights.hidden_sizes_list,
            n_plies=plies,
        )
        # without the cache a choice depends on nothing but its position, and is no slower
        self._strategy.set_cache_enabled(False)

    def choose(self, boards: Boards, dice: npt.NDArray[np.int64]) -> Boards:
        """`[B, 26]`, `[B, 2]` -> `[B, 26]` afterstates, seen by the next player."""
        after, offsets = legal_afterstates(boards, dice)
        candidates = sage_boards(swap(after)).tolist()
        before = sage_boards(boards).tolist()
        rows = offsets[:-1].copy()
        for game in np.flatnonzero(np.diff(offsets) > 1):
            plays = candidates[offsets[game] : offsets[game + 1]]
            rows[game] += self._strategy.best_move_index(plays, before[game])
        return after[rows]


def sage_boards(boards: Boards) -> Boards:
    """`[N, 26]` boards as Sage wants them: the opponent's bar as a positive count."""
    converted = boards.copy()
    converted[:, OPPONENT_BAR] *= -1
    return converted
