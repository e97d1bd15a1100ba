"""The dead, the live and the general cube of Janowski, at money and at any score: one kernel.

After Rick Janowski, "Take-Points in Money Games" (1993), carried over to match scores. All values
are for the player about to roll; at money in points per current cube, in a match as the chance of
winning it.

A cube that can still be doubled is a *ladder* of stakes: rung 0 is the stake now, rung k the stake
after k more doubles. Each rung has four payoffs: `WIN` and `LOSE`, the mean result of games won and
lost there, gammons included, and `CASH` and `DROP`, what a pass brings when the player or the
opponent has doubled. On a rung without further cube use the value is a straight line from `LOSE`
(win chance 0) to `WIN` (win chance 1): the *dead* cube.

With a *live* cube every double comes exactly where the other side may just as well take as pass:
the *cash point* of the player, where the value after double and take equals `CASH`, and the *take
point*, where that after the opponent's double equals `DROP`. The value of a rung is piecewise
straight through those points; they follow from the rung above, and on the highest rung, where the
cube is at its cap or dead at the score for both sides, the cube is dead. Without a cap the ladder
of money converges to Janowski's closed forms: take point (L - 1/2) / (W + L + 1/2), cash point
(L + 1) / (W + L + 1/2), with W and L the mean points of games won and lost.

The *general* cube mixes both: x live + (1 - x) dead, x being the cube's efficiency.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from bgai.cube.state_rows import (
    AFTER_CRAWFORD,
    AWAY,
    CAP,
    CENTRED,
    IS_CRAWFORD,
    JACOBY,
    MONEY,
    OPPONENT,
    OPPONENT_AWAY,
    OWNER,
    PLAYER,
    VALUE,
    StateRows,
)
from bgai.engine.compiled import kernel, map_slices

RUNGS = 32  # more doublings than that change no digit
LADDER_COLUMNS = 9
(
    WIN,
    LOSE,
    CASH,
    DROP,
    PLAYER_MAY,
    OPPONENT_MAY,
    OPPONENT_RISKS_NOTHING,
    CASH_POINT,
    TAKE_POINT,
) = range(LADDER_COLUMNS)

ND, DT, DP = range(3)
SMALLEST_SLICE = 4096


@kernel
def _write_money_payoffs(probs, state, rung, payoffs):  # type: ignore[no-untyped-def]
    wins = probs[0] + probs[1] + probs[2]
    losses = probs[3] + probs[4] + probs[5]
    stake = 2.0**rung
    # under the Jacoby rule a gammon is worth one point until the cube has been turned
    counts_once = state[JACOBY] and state[OWNER] == CENTRED and rung == 0
    won = lost = 1.0
    if wins > 0 and not counts_once:
        won = (probs[0] + 2 * probs[1] + 3 * probs[2]) / wins
    if losses > 0 and not counts_once:
        lost = (probs[3] + 2 * probs[4] + 3 * probs[5]) / losses
    payoffs[WIN] = stake * won
    payoffs[LOSE] = -stake * lost
    payoffs[CASH] = stake
    payoffs[DROP] = -stake
    payoffs[OPPONENT_RISKS_NOTHING] = 0


@kernel
def _write_match_payoffs(probs, state, rung, table, payoffs):  # type: ignore[no-untyped-def]
    wins = probs[0] + probs[1] + probs[2]
    losses = probs[3] + probs[4] + probs[5]
    stake = state[VALUE] * 2**rung
    away, opponent_away = state[AWAY], state[OPPONENT_AWAY]
    after = table[state[AFTER_CRAWFORD]]
    won = lost = 0.0
    for kind in range(3):
        points = stake * (kind + 1)
        won += probs[kind] * after[max(away - points, 0), opponent_away]
        lost += probs[kind + 3] * after[away, max(opponent_away - points, 0)]
    payoffs[CASH] = after[max(away - stake, 0), opponent_away]
    payoffs[DROP] = after[away, max(opponent_away - stake, 0)]
    payoffs[WIN] = won / wins if wins > 0 else payoffs[CASH]
    payoffs[LOSE] = lost / losses if losses > 0 else payoffs[DROP]
    # who has lost the match with this stake anyway doubles as soon as possible
    payoffs[OPPONENT_RISKS_NOTHING] = away <= stake


@kernel
def _climb(probs, state, table, ladder):  # type: ignore[no-untyped-def]
    """Write the payoffs of every rung that the cube can reach, two at least; returns how many."""
    is_money = state[AWAY] == MONEY
    for rung in range(RUNGS):
        payoffs = ladder[rung]
        if is_money:
            _write_money_payoffs(probs, state, rung, payoffs)
        else:
            _write_match_payoffs(probs, state, rung, table, payoffs)
        stake = state[VALUE] * 2**rung
        is_free = rung < RUNGS - 1 and 2 * stake <= state[CAP] and not state[IS_CRAWFORD]
        payoffs[PLAYER_MAY] = is_free and (is_money or state[AWAY] > stake)
        payoffs[OPPONENT_MAY] = is_free and (is_money or state[OPPONENT_AWAY] > stake)
        if rung > 0 and not payoffs[PLAYER_MAY] and not payoffs[OPPONENT_MAY]:
            return rung + 1
    return RUNGS


@kernel
def _write_points(ladder, rungs):  # type: ignore[no-untyped-def]
    """Write the cash point and the take point of every rung, from the top down."""
    for rung in range(rungs - 2, -1, -1):
        here, above = ladder[rung], ladder[rung + 1]
        if here[PLAYER_MAY]:  # after double and take the opponent owns the cube
            if above[OPPONENT_MAY]:
                share = (here[CASH] - above[DROP]) / (above[WIN] - above[DROP])
                here[CASH_POINT] = above[TAKE_POINT] + share * (1 - above[TAKE_POINT])
            else:
                here[CASH_POINT] = (here[CASH] - above[LOSE]) / (above[WIN] - above[LOSE])
        if here[OPPONENT_MAY]:  # after double and take the player owns it
            if above[PLAYER_MAY]:
                share = (here[DROP] - above[LOSE]) / (above[CASH] - above[LOSE])
                here[TAKE_POINT] = share * above[CASH_POINT]
            else:
                here[TAKE_POINT] = (here[DROP] - above[LOSE]) / (above[WIN] - above[LOSE])


@kernel
def _line(win_chance, payoffs):  # type: ignore[no-untyped-def]
    """A rung's value without cube use."""
    return payoffs[LOSE] + win_chance * (payoffs[WIN] - payoffs[LOSE])


@kernel
def _live(win_chance, payoffs, owner):  # type: ignore[no-untyped-def]
    left, low, right, high = 0.0, payoffs[LOSE], 1.0, payoffs[WIN]
    if owner != OPPONENT and payoffs[PLAYER_MAY]:
        if win_chance >= payoffs[CASH_POINT]:
            left, low = payoffs[CASH_POINT], payoffs[CASH]
        else:
            right, high = payoffs[CASH_POINT], payoffs[CASH]
    if owner != PLAYER and payoffs[OPPONENT_MAY]:
        if win_chance < payoffs[TAKE_POINT]:
            right, high = payoffs[TAKE_POINT], payoffs[DROP]
        elif left < payoffs[TAKE_POINT]:
            left, low = payoffs[TAKE_POINT], payoffs[DROP]
    if right <= left:
        return high
    return low + (win_chance - left) / (right - left) * (high - low)


@kernel
def _general(win_chance, ladder, rung, owner, efficiency):  # type: ignore[no-untyped-def]
    payoffs = ladder[rung]
    dead = _line(win_chance, payoffs)
    if efficiency == 0:
        return dead
    if owner != PLAYER and payoffs[OPPONENT_MAY] and payoffs[OPPONENT_RISKS_NOTHING]:
        # the cube is dead only after the opponent's automatic double, which one may pass; an own
        # automatic double is not looked ahead to, since it is the very decision at hand
        doubled = max(payoffs[DROP], _line(win_chance, ladder[rung + 1]))
        dead = min(dead, doubled)
    return (1 - efficiency) * dead + efficiency * _live(win_chance, payoffs, owner)


@kernel
def _write_values(probs, states, table, efficiencies, values, equities):  # type: ignore[no-untyped-def]
    ladder = np.empty((RUNGS, LADDER_COLUMNS))
    for row in range(len(probs)):
        state = states[row]
        rungs = _climb(probs[row], state, table, ladder)
        _write_points(ladder, rungs)
        win_chance = probs[row, 0] + probs[row, 1] + probs[row, 2]
        no_double, take = efficiencies[row, 0], efficiencies[row, 1]
        values[row, ND] = _general(win_chance, ladder, 0, state[OWNER], no_double)
        values[row, DT] = _general(win_chance, ladder, 1, OPPONENT, take)
        values[row, DP] = ladder[0, CASH]
        middle = (ladder[0, CASH] + ladder[0, DROP]) / 2
        for column in range(3):
            equities[row, column] = (values[row, column] - middle) / (ladder[0, CASH] - middle)


@kernel
def _write_points_of_rows(probs, states, table, points):  # type: ignore[no-untyped-def]
    ladder = np.empty((RUNGS, LADDER_COLUMNS))
    for row in range(len(probs)):
        rungs = _climb(probs[row], states[row], table, ladder)
        _write_points(ladder, rungs)
        points[row, 0] = ladder[0, TAKE_POINT] if ladder[0, OPPONENT_MAY] else np.nan
        points[row, 1] = ladder[0, CASH_POINT] if ladder[0, PLAYER_MAY] else np.nan


Numbers = npt.NDArray[np.float64]
Row = TypeVar("Row", np.float64, np.int64)


# Kernels are compiled anew for every memory layout; these two keep it at one.
def _plain(rows: npt.NDArray[Row]) -> npt.NDArray[Row]:
    return np.require(rows, requirements=["C", "W"])


def _read_only(table: Numbers) -> Numbers:
    view = table.view()
    view.flags.writeable = False
    return view


def cubeful_values(
    probs: Numbers, states: StateRows, efficiencies: Numbers, table: Numbers
) -> tuple[Numbers, Numbers]:
    """The general cube on a batch.

    Args:
        probs: `[N, 6]`, for the player about to roll.
        states: `[N, 9]`; the values after a double are computed even where none is allowed.
        efficiencies: `[N, 2]`, x before a double and after a double and a take. An x of exactly 0
            says that nobody turns the cube again, not even automatically: a last roll.
        table: `[2, points + 1, points + 1]` match equities, as in `MatchEquityTable.chances`.

    Returns:
        values: `[N, 3]` of no double, double and take, double and pass: points per current cube
            at money, match winning chances in a match.
        equities: `[N, 3]` the same in points per current cube; in a match so scaled that winning
            and losing the present stake are +1 and -1.
    """
    probs, states, efficiencies = _plain(probs), _plain(states), _plain(efficiencies)
    table = _read_only(table)
    values, equities = np.empty((len(probs), 3)), np.empty((len(probs), 3))

    def write(start: int, stop: int) -> None:
        rows = slice(start, stop)
        _write_values(
            probs[rows], states[rows], table, efficiencies[rows], values[rows], equities[rows]
        )

    map_slices(write, len(probs), SMALLEST_SLICE)
    return values, equities


def live_points(probs: Numbers, states: StateRows, table: Numbers) -> Numbers:
    """The take point and the cash point of a live cube at the present stake.

    Returns:
        `[N, 2]` win chances: below the first the player passes a double, above the second the
        opponent does; NaN where that side's cube is dead, in the Crawford game, or at the cap.
    """
    points = np.empty((len(probs), 2))
    _write_points_of_rows(_plain(probs), _plain(states), _read_only(table), points)
    return points
