"""How games end, and arithmetic on the six chances."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from bgai.engine import (
    OUTCOMES,
    POINTS_WON,
    START,
    UNFINISHED,
    cumulative,
    equity,
    from_cumulative,
    outcomes,
    possible_outcomes,
    swap,
    swap_probs,
)
from tests.engine.positions import board_of, random_positions

MIXED = np.array([0.40, 0.15, 0.05, 0.30, 0.08, 0.02])
LISTED_CUMULATIVE = np.array([0.6, 0.2, 0.05, 0.1, 0.02])  # the same with inclusive classes


@pytest.mark.parametrize(
    ("loser", "outcome"),
    [
        ({24: 14}, "win"),
        ({1: 14}, "win"),
        ({0: 1}, "win"),
        ({24: 15}, "win_gammon"),
        ({7: 15}, "win_gammon"),
        ({6: 1, 24: 14}, "win_backgammon"),
        ({1: 1, 24: 14}, "win_backgammon"),
        ({0: 1, 24: 14}, "win_backgammon"),
    ],
)
def test_the_loser_pays_by_checkers_off_and_by_where_the_rest_stands(
    loser: dict[int, int], outcome: str
) -> None:
    won = board_of({}, loser)
    assert OUTCOMES[outcomes(won)] == outcome
    assert OUTCOMES[outcomes(swap(won))] == outcome.replace("win", "lose")
    assert outcomes(np.stack([START, won])).tolist() == [UNFINISHED, OUTCOMES.index(outcome)]


def test_the_six_unit_vectors_are_worth_one_two_three_points_either_way() -> None:
    assert equity(np.eye(6)).tolist() == [1, 2, 3, -1, -2, -3]
    assert equity(np.eye(6, dtype=np.float32)).dtype == np.float32
    assert POINTS_WON.tolist() == [1, 2, 3, -1, -2, -3]


def test_equity_from_cumulative_numbers_is_2w_minus_1_plus_gammons() -> None:
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = LISTED_CUMULATIVE
    expected = 2 * win - 1 + win_gammon + win_backgammon - lose_gammon - lose_backgammon
    assert np.isclose(equity(from_cumulative(LISTED_CUMULATIVE)), expected)


def test_gammon_numbers_exclude_backgammons_here_and_include_them_at_the_border() -> None:
    assert np.allclose(from_cumulative(LISTED_CUMULATIVE), MIXED)
    assert np.allclose(cumulative(MIXED), LISTED_CUMULATIVE)


def test_cumulative_and_back_changes_nothing() -> None:
    probs = np.random.default_rng(0).dirichlet(np.ones(6), (7, 5))
    assert cumulative(probs).shape == (7, 5, 5)
    assert np.allclose(from_cumulative(cumulative(probs)), probs)


def test_swapping_sides_turns_wins_into_losses() -> None:
    assert swap_probs(MIXED).tolist() == [0.30, 0.08, 0.02, 0.40, 0.15, 0.05]
    assert np.array_equal(swap_probs(swap_probs(MIXED)), MIXED)
    assert np.isclose(equity(swap_probs(MIXED)), -equity(MIXED))
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = LISTED_CUMULATIVE
    assert np.allclose(
        cumulative(swap_probs(MIXED)),
        [1 - win, lose_gammon, lose_backgammon, win_gammon, win_backgammon],
    )


def test_every_outcome_is_possible_from_the_start() -> None:
    assert possible_outcomes(START).all()


@pytest.mark.parametrize(
    ("own", "opponent", "impossible"),
    [
        ({24: 1, 6: 13}, {1: 1, 19: 14}, ["lose_gammon", "lose_backgammon"]),
        ({24: 1, 6: 14}, {1: 1, 19: 13}, ["win_gammon", "win_backgammon"]),
        ({24: 1, 6: 14}, {1: 1, 19: 14}, []),
    ],
    ids=["own checker off", "opposing checker off", "none off"],
)
def test_with_contact_only_a_checker_off_saves_the_gammon(
    own: dict[int, int], opponent: dict[int, int], impossible: list[str]
) -> None:
    allowed = possible_outcomes(board_of(own, opponent))
    assert [name for name, may in zip(OUTCOMES, allowed, strict=True) if not may] == impossible


@pytest.mark.parametrize(
    ("own", "opponent", "win_backgammon", "lose_backgammon"),
    [
        ({6: 15}, {7: 15}, False, False),
        ({5: 15}, {6: 1, 8: 14}, True, False),
        ({19: 1, 10: 14}, {20: 15}, False, True),
        ({18: 15}, {20: 15}, False, False),
        ({4: 15}, {0: 1, 20: 14}, True, True),
    ],
)
def test_past_contact_a_backgammon_needs_a_checker_in_the_winners_home(
    own: dict[int, int], opponent: dict[int, int], win_backgammon: bool, lose_backgammon: bool
) -> None:
    allowed = possible_outcomes(board_of(own, opponent))
    assert allowed[[0, 1, 3, 4]].all()
    assert allowed[2] == win_backgammon
    assert allowed[5] == lose_backgammon


def test_a_position_whose_side_has_checkers_off_and_is_past_contact_can_lose_no_gammon() -> None:
    # a published reference set lost checkers on the bar and listed backgammons for such positions
    board = board_of({3: 3, 2: 2, 1: 3}, {4: 2, 5: 1, 9: 3, 19: 2, 21: 2, 23: 2, 24: 2})
    assert possible_outcomes(board).tolist() == [True, False, False, True, False, False]


def test_when_the_game_is_over_only_its_outcome_is_possible() -> None:
    won = board_of({}, {0: 1, 24: 14})
    both = np.stack([won, swap(won), START])
    assert possible_outcomes(both)[0].tolist() == [False, False, True, False, False, False]
    assert possible_outcomes(both)[1].tolist() == [False, False, False, False, False, True]
    assert possible_outcomes(both)[2].all()


def test_what_is_possible_is_the_same_from_the_other_side() -> None:
    boards, _ = random_positions(np.random.default_rng(4), games=50, plies=20)
    assert np.array_equal(
        possible_outcomes(swap(boards)), np.roll(possible_outcomes(boards), 3, axis=-1)
    )


@pytest.mark.parametrize("function", [equity, swap_probs])
def test_chances_that_are_not_six_are_refused(
    function: Callable[[np.ndarray], np.ndarray],
) -> None:
    with pytest.raises(ValueError, match=r"six chances are needed, got shape \(2,\)"):
        function(np.array([0.5, 0.5]))
