"""Cubeful equities at money: Janowski's dead, live and general cube.

`bgai.cube.ladder` has the model; here are its money inputs and outputs, and the closed forms of
the article, which hold when the cube has no cap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bgai.cube.inputs import Numbers, check_efficiencies, check_probs, is_money
from bgai.cube.ladder import DP, DT, ND, cubeful_values, live_points
from bgai.cube.match_equity import kazaross_xg2
from bgai.cube.state_rows import StateRows, pack_states
from bgai.match.cube_state import CubeState


class Equities(NamedTuple):
    """`[N]` each, for the player about to roll, in points per current cube.

    `nd` no double, `dt` double and take, `dp` double and pass. Where the player may not double
    `dt` and `dp` say what doubling would bring if it were allowed.
    """

    nd: Numbers
    dt: Numbers
    dp: Numbers


def money_equities(
    probs: npt.ArrayLike,
    states: CubeState | Sequence[CubeState] | StateRows,
    efficiency: npt.ArrayLike,
) -> Equities:
    """ND, DT and DP at money.

    With the Jacoby rule gammons have no price as long as the cube stays in the middle; after a
    double they count, in the dead and in the live cube alike. A cube at its cap is dead.

    Args:
        probs: `[N, 6]`.
        states: one for all, or `[N]`; the player's side.
        efficiency: x in 0..1: one number, `[N]`, or `[N, 2]` before a double and after a take.

    Raises:
        ValueError: bad probabilities or efficiencies, or a state of a match; names the value.
    """
    rows = check_probs(probs)
    packed = pack_states(states, len(rows))
    efficiencies = check_efficiencies(efficiency, len(rows))
    if not is_money(packed).all():
        away = packed[~is_money(packed)][0, 2:4].tolist()
        raise ValueError(f"expected money play, got a match at {away} points away")
    _, equities = cubeful_values(rows, packed, efficiencies, kazaross_xg2().chances)
    return Equities(equities[:, ND], equities[:, DT], equities[:, DP])


def money_points(probs: npt.ArrayLike, state: CubeState | None = None) -> Numbers:
    """Take point and cash point of a live cube, `[N, 2]` win chances.

    Args:
        probs: `[N, 6]`; only their shares of gammons and backgammons matter.
    """
    rows = check_probs(probs)
    packed = pack_states(state or CubeState(), len(rows))
    return live_points(rows, packed, kazaross_xg2().chances)


def points_per_win(probs: npt.ArrayLike) -> tuple[Numbers, Numbers]:
    """W and L of the article, `[N]` each: mean points of the games won and of those lost.

    1 where no game is won or lost at all.
    """
    rows = check_probs(probs)
    wins, losses = rows[:, :3].sum(1), rows[:, 3:].sum(1)
    points = np.array([1.0, 2.0, 3.0])
    won = np.divide(rows[:, :3] @ points, wins, out=np.ones(len(rows)), where=wins > 0)
    lost = np.divide(rows[:, 3:] @ points, losses, out=np.ones(len(rows)), where=losses > 0)
    return won, lost


def take_point(won: Numbers, lost: Numbers, efficiency: float = 1) -> Numbers:
    """The win chance from which a double is taken, without a cap (Janowski 1993).

    Args:
        won, lost: W and L as from `points_per_win`, of the player who decides.
    """
    return (lost - 0.5) / (won + lost + 0.5 * efficiency)


def cash_point(won: Numbers, lost: Numbers, efficiency: float = 1) -> Numbers:
    """The win chance from which the opponent passes, without a cap (Janowski 1993)."""
    return 1 - take_point(lost, won, efficiency)


def redouble_point(won: Numbers, lost: Numbers, efficiency: float = 1) -> Numbers:
    """The win chance from which to redouble, without a cap (Janowski 1993)."""
    return (lost + efficiency) / (won + lost + 0.5 * efficiency)
