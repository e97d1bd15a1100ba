"""A match equity table computed from the gammon rates of a bot's own games."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bgai.cube.ladder import ND, cubeful_values
from bgai.cube.match_equity import (
    AFTER_CRAWFORD,
    BEFORE_CRAWFORD,
    MatchEquityTable,
    table_from_figures,
)
from bgai.cube.state_rows import pack_states
from bgai.match.cube_state import CubeState

OPENING_SPREAD = 0.025  # guessed: how far an opening exchange moves the win chance, on average


def table_from_rates(
    gammons: float,
    backgammons: float,
    points: int,
    efficiency: float = 2 / 3,
    opening_spread: float = OPENING_SPREAD,
) -> MatchEquityTable:
    """A table from how often games end as gammons.

    Both sides are taken to win half the games, `gammons` of their wins being gammons or better
    and `backgammons` backgammons. The chance at a score is then the value of that game with the
    cube in the middle, by the general cube of `bgai.cube.ladder`, its payoffs being chances at
    scores with fewer points to go, which are known already. In the Crawford game there is no cube.
    After it the trailer doubles at the first chance and the leader takes or passes: the mean over
    win chances of 0.5 + `opening_spread` and 0.5 - `opening_spread`, since the leader has seen the
    opening (this is what the free drop is worth).

    Raises:
        ValueError: a rate is not one, or there are fewer than 2 points; names the value.
    """
    if not 0 <= backgammons <= gammons <= 1:
        raise ValueError(
            f"shares must be 0 <= backgammons <= gammons <= 1, got {backgammons} and {gammons}"
        )
    if points < 2:
        raise ValueError(f"points must be at least 2, got {points}")
    for name, value in (("efficiency", efficiency), ("opening_spread", opening_spread)):
        if not 0 <= value < 1:
            raise ValueError(f"{name} must be in [0, 1), got {value}")
    wins = np.array([1 - gammons, gammons - backgammons, backgammons])
    chances = np.zeros((2, points + 1, points + 1))
    chances[:, 0, :] = 1
    chances[:, 1, 1] = 0.5
    for away in range(2, points + 1):
        post = _after_crawford(away, wins, opening_spread, chances)
        chances[AFTER_CRAWFORD, away, 1], chances[AFTER_CRAWFORD, 1, away] = post, 1 - post
    for away in range(2, points + 1):
        for other in range(1, away):
            chance = _before_crawford(away, other, wins, efficiency, chances)
            chances[BEFORE_CRAWFORD, away, other] = chance
            chances[BEFORE_CRAWFORD, other, away] = 1 - chance
        chances[BEFORE_CRAWFORD, away, away] = 0.5
    return table_from_figures(
        name=f"computed, {points} points",
        source=f"gammons {gammons}, backgammons {backgammons}, x {efficiency:.4g}",
        pre=chances[BEFORE_CRAWFORD, 1:, 1:],
        post=chances[AFTER_CRAWFORD, 1:, 1],
    )


def _row(win_chance: float, wins: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.concatenate([win_chance * wins, (1 - win_chance) * wins])[None]


def _before_crawford(
    away: int,
    other: int,
    wins: npt.NDArray[np.float64],
    efficiency: float,
    chances: npt.NDArray[np.float64],
) -> float:
    state = CubeState(away=(away, other), is_crawford=other == 1)
    values, _ = cubeful_values(
        _row(0.5, wins), pack_states(state, 1), np.full((1, 2), efficiency), chances
    )
    return float(values[0, ND])


def _after_crawford(
    away: int,
    wins: npt.NDArray[np.float64],
    opening_spread: float,
    chances: npt.NDArray[np.float64],
) -> float:
    after = chances[AFTER_CRAWFORD, :, 1]
    taken = float(wins @ [after[max(away - 2 * points, 0)] for points in (1, 2, 3)])
    passed = float(after[away - 1])
    return sum(min((0.5 + side * opening_spread) * taken, passed) / 2 for side in (-1, 1))
