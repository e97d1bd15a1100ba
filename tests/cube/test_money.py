"""Janowski's dead, live and general cube at money."""

from __future__ import annotations

import numpy as np
import pytest

from bgai.cube.money import (
    cash_point,
    money_equities,
    money_points,
    points_per_win,
    redouble_point,
    take_point,
)
from bgai.engine import equity, swap_probs
from bgai.match.cube_state import CubeState, Owner
from tests.cube.examples import NO_CAP, START_PROBS, random_probs, singles, with_win_chance

CENTRED = CubeState(cap=NO_CAP)
OWNED = CubeState(value=2, owner=Owner.PLAYER, cap=NO_CAP)
OPPONENTS = CubeState(value=2, owner=Owner.OPPONENT, cap=NO_CAP)
JACOBY = CubeState(jacoby=True, cap=NO_CAP)
ANY_PROBS = random_probs(np.random.default_rng(1), 200)


def test_a_dead_cube_is_worth_the_cubeless_equity_and_twice_that_after_a_double() -> None:
    for state in (CENTRED, OWNED, OPPONENTS):
        nd, dt, dp = money_equities(ANY_PROBS, state, 0)
        assert nd == pytest.approx(equity(ANY_PROBS))
        assert dt == pytest.approx(2 * equity(ANY_PROBS))
        assert (dp == 1).all()


def test_without_gammons_a_live_cube_is_taken_from_20_percent_and_a_dead_one_from_25() -> None:
    assert money_points(singles(0.5), CENTRED)[0] == pytest.approx([0.2, 0.8])
    last_turn = CubeState(value=32, owner=Owner.PLAYER)  # the cap is 64
    assert money_points(singles(0.5), last_turn)[0] == pytest.approx([0.25, 0.75])


def test_a_live_centred_cube_is_straight_between_take_point_and_cash_point() -> None:
    wins = [0.0, 0.1, 0.2, 0.35, 0.5, 0.8, 0.9, 1.0]
    nd = money_equities(np.array([singles(win) for win in wins]), CENTRED, 1).nd
    assert nd == pytest.approx([-1, -1, -1, -0.5, 0, 1, 1, 1])


def test_without_a_cap_the_live_points_are_janowskis() -> None:
    won, lost = points_per_win(ANY_PROBS)
    points = money_points(ANY_PROBS, CENTRED)
    assert points[:, 0] == pytest.approx(take_point(won, lost))
    assert points[:, 1] == pytest.approx(cash_point(won, lost))
    assert points[:, 1] == pytest.approx((lost + 1) / (won + lost + 0.5))


@pytest.mark.parametrize("efficiency", [0.0, 0.4, 2 / 3, 1.0])
def test_an_owned_cube_follows_janowskis_general_formula_below_the_cash_point(
    efficiency: float,
) -> None:
    won, lost = points_per_win(ANY_PROBS)
    wins = ANY_PROBS[:, :3].sum(1)
    expected = wins * (won + lost + efficiency / 2) - lost
    is_below = wins < cash_point(won, lost)
    nd = money_equities(ANY_PROBS, OWNED, efficiency).nd
    assert nd[is_below] == pytest.approx(expected[is_below])


@pytest.mark.parametrize("efficiency", [0.3, 2 / 3, 1.0])
def test_at_janowskis_points_doubling_and_taking_are_a_toss_up(efficiency: float) -> None:
    probs = START_PROBS
    won, lost = points_per_win(probs)
    redouble = float(redouble_point(won, lost, efficiency)[0])
    nd, dt, _ = money_equities(with_win_chance(probs, redouble), OWNED, efficiency)
    assert nd == pytest.approx(dt)
    passed = float(cash_point(won, lost, efficiency)[0])
    _, dt, dp = money_equities(with_win_chance(probs, passed), OWNED, efficiency)
    assert dt == pytest.approx(dp)


def test_a_cube_at_its_cap_is_dead_and_so_is_one_that_reaches_it() -> None:
    at_cap = CubeState(value=64, owner=Owner.PLAYER)
    assert money_equities(ANY_PROBS, at_cap, 1).nd == pytest.approx(equity(ANY_PROBS))
    below = CubeState(value=32, owner=Owner.PLAYER)
    assert money_equities(ANY_PROBS, below, 1).dt == pytest.approx(2 * equity(ANY_PROBS))
    no_cube = CubeState(cap=1)
    assert money_equities(ANY_PROBS, no_cube, 1).nd == pytest.approx(equity(ANY_PROBS))


def test_the_start_position_has_gnubgs_cubeful_equity_under_the_jacoby_rule() -> None:
    # GNU Backgammon 0-ply gives ND 0.084256 at its x of 0.68 for contact
    nd, dt, dp = money_equities(START_PROBS, CubeState(jacoby=True), 0.68)
    assert nd[0] == pytest.approx(0.084256, abs=2e-4)
    assert dt[0] == pytest.approx(-0.191, abs=5e-3)
    assert dp[0] == 1


def test_under_the_jacoby_rule_gammons_count_after_a_double_only() -> None:
    for efficiency in (0.0, 0.5, 1.0):
        plain = money_equities(ANY_PROBS, CENTRED, efficiency)
        jacoby = money_equities(ANY_PROBS, JACOBY, efficiency)
        assert jacoby.dt == pytest.approx(plain.dt)
        assert (np.abs(jacoby.nd) <= 1 + 1e-12).all()
    wins = ANY_PROBS[:, :3].sum(1)
    assert money_equities(ANY_PROBS, JACOBY, 0).nd == pytest.approx(2 * wins - 1)
    turned = CubeState(value=2, owner=Owner.PLAYER, jacoby=True, cap=NO_CAP)
    assert money_equities(ANY_PROBS, turned, 0.5).nd == pytest.approx(
        money_equities(ANY_PROBS, OWNED, 0.5).nd
    )


def test_gammons_move_the_points_of_a_live_cube_under_the_jacoby_rule_too() -> None:
    # between the points the live cube is the same, since a double will come before the game ends
    probs = with_win_chance(START_PROBS, 0.5)
    assert money_equities(probs, JACOBY, 1).nd == pytest.approx(
        money_equities(probs, CENTRED, 1).nd
    )


@pytest.mark.parametrize("state", [CENTRED, OWNED, OPPONENTS, JACOBY])
def test_what_one_player_gains_the_other_loses(state: CubeState) -> None:
    own = money_equities(ANY_PROBS, state, 0.6).nd
    others = money_equities(swap_probs(ANY_PROBS), state.swapped(), 0.6).nd
    assert own == pytest.approx(-others)


def test_no_gammons_at_all_and_sure_results_have_values() -> None:
    probs = np.eye(6)
    nd, dt, _ = money_equities(probs, CENTRED, 0.5)
    assert nd == pytest.approx(equity(probs))
    assert dt == pytest.approx(2 * equity(probs))


def test_the_cube_is_worth_most_to_its_owner() -> None:
    owned, centred, opponents = (
        money_equities(ANY_PROBS, state, 0.7).nd for state in (OWNED, CENTRED, OPPONENTS)
    )
    assert (owned >= centred - 1e-12).all()
    assert (centred >= opponents - 1e-12).all()
    wins, points = ANY_PROBS[:, :3].sum(1), money_points(ANY_PROBS, CENTRED)
    is_between = (wins > points[:, 0]) & (wins < points[:, 1])
    assert (owned > centred)[is_between].all()
    assert (centred > opponents)[is_between].all()


def test_efficiency_may_differ_before_and_after_the_double() -> None:
    both = money_equities(ANY_PROBS, CENTRED, np.tile([0.2, 0.9], (200, 1)))
    assert both.nd == pytest.approx(money_equities(ANY_PROBS, CENTRED, 0.2).nd)
    assert both.dt == pytest.approx(money_equities(ANY_PROBS, CENTRED, 0.9).dt)


BAD_PROBS = {
    "NaN": [0.5, 0, 0, float("nan"), 0, 0],
    "too little": [0.5, 0, 0, 0.4, 0, 0],
    "too much": [0.5, 0.1, 0, 0.5, 0, 0],
    "negative": [0.6, -0.1, 0, 0.5, 0, 0],
    "infinite": [float("inf"), 0, 0, 0, 0, 0],
}


@pytest.mark.parametrize("bad", BAD_PROBS.values(), ids=BAD_PROBS.keys())
def test_numbers_that_are_no_probabilities_are_refused_with_their_row(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="sum to 1, got .* in row 1") as caught:
        money_equities(np.array([singles(0.5), bad]), CENTRED, 0.5)
    assert str([float(number) for number in bad]) in str(caught.value)


def test_other_bad_input_is_refused_with_its_value() -> None:
    with pytest.raises(ValueError, match=r"rows of 6 numbers, got shape \(1, 5\)"):
        money_equities(np.full(5, 0.2), CENTRED, 0.5)
    for bad in (1.2, -0.1, float("nan")):
        with pytest.raises(ValueError, match=rf"x must be in \[0, 1\], got {bad}"):
            money_equities(singles(0.5), CENTRED, bad)
    with pytest.raises(ValueError, match=r"got shape \(3, 1\)"):
        money_equities(singles(0.5), CENTRED, [0.5, 0.5, 0.5])
    with pytest.raises(ValueError, match=r"got a match at \[3, 5\] points away"):
        money_equities(singles(0.5), CubeState(away=(3, 5)), 0.5)
    with pytest.raises(ValueError, match="expected 1 states"):
        money_equities(singles(0.5), [CENTRED, CENTRED], 0.5)
