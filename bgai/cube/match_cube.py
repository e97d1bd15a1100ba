"""The cube at a match score: winning chances and normalised equities, gammon prices, points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bgai.cube.inputs import Numbers, check_efficiencies, check_probs, check_scores, is_money
from bgai.cube.ladder import DP, DT, ND, cubeful_values, live_points
from bgai.cube.match_equity import MatchEquityTable, kazaross_xg2
from bgai.cube.money import Equities
from bgai.cube.state_rows import StateRows, pack_states
from bgai.match.cube_state import CubeState


@dataclass(frozen=True)
class GammonPrices:
    """What the extra points are worth at a score, in units of the step from losing to winning.

    Attributes:
        gammon: of a win of two instead of one point; at money 0.5.
        backgammon: of a win of three instead of two; at money 0.5.
        opponent_gammon, opponent_backgammon: of the opponent's.
    """

    gammon: float
    backgammon: float
    opponent_gammon: float
    opponent_backgammon: float


def match_equities(
    probs: npt.ArrayLike,
    states: CubeState | Sequence[CubeState] | StateRows,
    efficiency: npt.ArrayLike,
    table: MatchEquityTable | None = None,
) -> tuple[Equities, Equities]:
    """ND, DT and DP at a score.

    A cube that brings its turner nothing is dead; who has nothing left to lose redoubles at once;
    in the Crawford game nobody doubles, and after it the trailer may as long as that helps.

    Args:
        probs: `[N, 6]`.
        states: one for all, or `[N]`.
        efficiency: x as in `money_equities`.
        table: Kazaross XG2 unless given.

    Returns:
        chances: of winning the match.
        equities: the same normalised: winning the present stake is +1, losing it is -1.

    Raises:
        ValueError: bad probabilities or efficiencies, money play, or a score that the table does
            not know; names the value.
    """
    table = table or kazaross_xg2()
    rows = check_probs(probs)
    packed = pack_states(states, len(rows))
    efficiencies = check_efficiencies(efficiency, len(rows))
    if is_money(packed).any():
        raise ValueError("expected match scores, got money play")
    check_scores(packed, table)
    values, equities = cubeful_values(rows, packed, efficiencies, table.chances)
    return (
        Equities(values[:, ND], values[:, DT], values[:, DP]),
        Equities(equities[:, ND], equities[:, DT], equities[:, DP]),
    )


def match_points(
    probs: npt.ArrayLike, state: CubeState, table: MatchEquityTable | None = None
) -> Numbers:
    """Take point and cash point of a live cube at a score, `[N, 2]`; NaN where it is dead."""
    table = table or kazaross_xg2()
    rows = check_probs(probs)
    packed = pack_states(state, len(rows))
    check_scores(packed, table)
    return live_points(rows, packed, table.chances)


def gammon_prices(state: CubeState, table: MatchEquityTable | None = None) -> GammonPrices:
    """Gammon and backgammon prices of both sides at the present cube.

    Money: 0.5 throughout, and 0 under the Jacoby rule while the cube is in the middle.

    Raises:
        ValueError: the table does not know the score.
    """
    table = table or kazaross_xg2()
    packed = pack_states(state, 1)
    check_scores(packed, table)
    chances = [
        cubeful_values(row[None], packed, np.zeros((1, 2)), table.chances)[0][0, ND]
        for row in np.eye(6)
    ]
    single, gammon, backgammon, lost, lost_gammon, lost_backgammon = chances
    step = single - lost
    return GammonPrices(
        gammon=float((gammon - single) / step),
        backgammon=float((backgammon - gammon) / step),
        opponent_gammon=float((lost - lost_gammon) / step),
        opponent_backgammon=float((lost_gammon - lost_backgammon) / step),
    )
