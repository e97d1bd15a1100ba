"""The 8-9-12 rule: doubles and takes from the pip counts alone, the baseline of the value cube."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bgai.cube.state_rows import OWNER, PLAYER, StateRows, may_double
from bgai.engine import Boards, pip_counts

# shares of the pip count in percent, so that the comparison is exact
DOUBLE_PERCENT, REDOUBLE_PERCENT, TAKE_PERCENT = 8, 9, 12


def pip_cube(
    boards: Boards, states: StateRows
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Doubles and takes, `[N]` each.

    The player doubles when ahead by at least 8% of the own pip count, 9% to redouble; the opponent
    takes when behind by at most 12% of the player's count.

    Args:
        boards: `[N, 26]`, seen by the player about to roll.
        states: `[N, 9]`.
    """
    own, opponent = pip_counts(boards)
    lead = 100 * (opponent - own)
    needed = np.where(states[:, OWNER] == PLAYER, REDOUBLE_PERCENT, DOUBLE_PERCENT)
    return may_double(states) & (lead >= needed * own), lead <= TAKE_PERCENT * own
