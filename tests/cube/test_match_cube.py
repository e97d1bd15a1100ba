"""The cube at match scores."""

from __future__ import annotations

import numpy as np
import pytest

from bgai.cube import kazaross_xg2
from bgai.cube.match_cube import gammon_prices, match_equities, match_points
from bgai.cube.money import money_equities
from bgai.engine import swap_probs
from bgai.match.cube_state import CubeState, Owner
from tests.cube.examples import START_PROBS, random_probs, random_state, singles, with_win_chance

TABLE = kazaross_xg2()
ANY_PROBS = random_probs(np.random.default_rng(2), 50)


def match_states(count: int, seed: int) -> list[CubeState]:
    rng = np.random.default_rng(seed)
    states = (random_state(rng) for _ in range(20 * count))
    return [state for state in states if state.away is not None][:count]


def test_a_dead_cube_after_a_double_plays_for_two_four_or_six_points() -> None:
    state = CubeState(away=(9, 8))
    chances, _ = match_equities(np.eye(6), state, 0)
    won = [TABLE.chance(9 - points, 8) for points in (2, 4, 6)]
    lost = [TABLE.chance(9, 8 - points) for points in (2, 4, 6)]
    assert chances.dt == pytest.approx([*won, *lost])
    assert chances.dp == pytest.approx([TABLE.chance(8, 8)] * 6)
    assert chances.nd[:3] == pytest.approx([TABLE.chance(9 - points, 8) for points in (1, 2, 3)])


def test_the_normalised_scale_has_the_present_stake_at_plus_and_minus_one() -> None:
    state = CubeState(value=2, owner=Owner.PLAYER, away=(7, 5))
    _, equities = match_equities(np.array([singles(1), singles(0)]), state, 0)
    assert equities.nd == pytest.approx([1, -1])
    assert equities.dp == pytest.approx([1, 1])


def test_in_the_crawford_game_there_is_no_cube() -> None:
    for away in ((1, 4), (4, 1)):
        state = CubeState(away=away, is_crawford=True)
        chances, _ = match_equities(START_PROBS, state, 2 / 3)
        after = [
            *(TABLE.chances[1, max(away[0] - points, 0), away[1]] for points in (1, 2, 3)),
            *(TABLE.chances[1, away[0], max(away[1] - points, 0)] for points in (1, 2, 3)),
        ]
        assert chances.nd[0] == pytest.approx(float(START_PROBS @ after))
        assert np.isnan(match_points(START_PROBS, state)).all()


def test_after_the_crawford_game_the_trailer_needs_half_the_games_at_two_away() -> None:
    # gnubg, start position, roller trails 3-4 to 5: ND +0.809, DT +1.086
    chances, equities = match_equities(START_PROBS, CubeState(away=(2, 1)), 0.68)
    assert chances.dt[0] == pytest.approx(0.521483)
    assert chances.dp[0] == 0.5
    assert equities.dt[0] == pytest.approx(1.086, abs=1e-3)
    assert equities.nd[0] == pytest.approx(0.809, abs=1e-3)


def test_the_leader_has_a_free_drop_at_an_even_score_only() -> None:
    two_away = match_points(START_PROBS, CubeState(away=(2, 1)))[0]
    three_away = match_points(START_PROBS, CubeState(away=(3, 1)))[0]
    assert two_away[1] == 0.5  # the leader drops whenever behind
    assert three_away[1] > 0.7
    assert np.isnan(two_away[0]), "the leader's own cube is dead"


def test_a_cube_that_wins_the_match_already_is_dead_for_its_owner() -> None:
    state = CubeState(value=2, owner=Owner.PLAYER, away=(2, 6))
    probs = with_win_chance(START_PROBS, 0.7)
    live, _ = match_equities(probs, state, 1)
    dead, _ = match_equities(probs, state, 0)
    assert live.nd == pytest.approx(dead.nd)
    assert np.isnan(match_points(probs, state)[0, 1])


def test_who_loses_the_match_anyway_redoubles_at_once() -> None:
    # 2 away against 4 away: after a double the stake of 2 wins the match for the doubler, so the
    # taker turns the cube to 4 and the game is for the match
    state = CubeState(away=(2, 4))
    for win in (0.55, 0.7, 0.8):
        chances, _ = match_equities(singles(win), state, 2 / 3)
        assert chances.dt[0] == pytest.approx(win)
    # behind, the doubler passes the redouble and loses 2 points: 2 away each
    for efficiency in (0.5, 1):
        chances, _ = match_equities(singles(0.3), state, efficiency)
        assert chances.dt[0] == pytest.approx(TABLE.chance(2, 2))
    assert match_points(singles(0.5), state)[0, 1] == pytest.approx(TABLE.chance(1, 4))


def test_on_a_last_roll_nobody_redoubles() -> None:
    chances, _ = match_equities(singles(0.7), CubeState(away=(2, 4)), 0)
    assert chances.dt[0] == pytest.approx(0.7 + 0.3 * TABLE.chance(2, 2))


def test_at_two_away_each_the_first_double_plays_for_the_match() -> None:
    chances, _ = match_equities(singles(0.6), CubeState(away=(2, 2)), 2 / 3)
    assert chances.dt[0] == pytest.approx(0.6)
    points = match_points(singles(0.6), CubeState(away=(2, 2)))[0]
    assert points == pytest.approx([TABLE.chance(2, 1), TABLE.chance(1, 2)])


def test_at_double_match_point_the_cube_means_nothing() -> None:
    chances, _ = match_equities(ANY_PROBS, CubeState(away=(1, 1)), 2 / 3)
    assert chances.nd == pytest.approx(ANY_PROBS[:, :3].sum(1))


def test_what_one_player_gains_the_other_loses() -> None:
    for state in match_states(60, seed=3):
        assert state.away is not None
        if min(state.away) <= state.value:
            continue  # only the opponent's automatic double is looked ahead to
        own, _ = match_equities(ANY_PROBS, state, 0.6)
        others, _ = match_equities(swap_probs(ANY_PROBS), state.swapped(), 0.6)
        assert own.nd == pytest.approx(1 - others.nd), state


def test_more_wins_never_mean_fewer_chances() -> None:
    wins = np.linspace(0, 1, 41)
    for state in match_states(80, seed=4):
        probs = np.stack([with_win_chance(START_PROBS, win) for win in wins])
        for efficiency in (0.0, 0.5, 1.0):
            chances, equities = match_equities(probs, state, efficiency)
            for numbers in chances:
                assert (numbers >= -1e-12).all() and (numbers <= 1 + 1e-12).all(), state
                assert (np.diff(numbers) >= -1e-12).all(), state
            assert (np.diff(equities.nd) >= -1e-12).all(), state


def test_far_from_the_end_a_match_is_like_money() -> None:
    match_state = CubeState(away=(50, 50), cap=4)
    _, equities = match_equities(ANY_PROBS, match_state, 0.6)
    money = money_equities(ANY_PROBS, CubeState(cap=4), 0.6)
    for at_score, at_money in zip(equities, money, strict=True):
        assert at_score == pytest.approx(at_money, abs=0.08)


def test_gammon_prices() -> None:
    money = gammon_prices(CubeState())
    assert (money.gammon, money.opponent_backgammon) == (0.5, 0.5)
    jacoby = gammon_prices(CubeState(jacoby=True))
    assert (jacoby.gammon, jacoby.backgammon, jacoby.opponent_gammon) == (0, 0, 0)
    leader = gammon_prices(CubeState(away=(1, 3), is_crawford=True))
    assert (leader.gammon, leader.backgammon) == (0, 0)
    assert leader.opponent_gammon == pytest.approx(
        (0.5 - TABLE.chances[1, 2, 1]) / TABLE.chances[1, 2, 1]
    )
    two_away = gammon_prices(CubeState(value=2, owner=Owner.PLAYER, away=(4, 4)))
    step = TABLE.chance(2, 4) - TABLE.chance(4, 2)
    assert two_away.gammon == pytest.approx((1 - TABLE.chance(2, 4)) / step)


def test_money_and_scores_beyond_the_table_are_refused() -> None:
    with pytest.raises(ValueError, match="expected match scores, got money play"):
        match_equities(singles(0.5), CubeState(), 0.5)
    with pytest.raises(ValueError, match="knows up to 64 points away, got 65"):
        match_equities(singles(0.5), CubeState(away=(3, 65)), 0.5)
    with pytest.raises(ValueError, match="sum to 1"):
        match_equities(singles(0.5) * 2, CubeState(away=(3, 6)), 0.5)
