"""Rolls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bgai.engine import ROLL_WEIGHTS, ROLLS, check_dice, opening_roll, roll, roll_numbers


def test_there_are_21_rolls_and_doubles_are_half_as_likely() -> None:
    assert len({tuple(sorted(pair)) for pair in ROLLS.tolist()}) == len(ROLLS) == 21
    doubles = ROLLS[:, 0] == ROLLS[:, 1]
    assert np.allclose(ROLL_WEIGHTS[doubles], 1 / 36)
    assert np.allclose(ROLL_WEIGHTS[~doubles], 2 / 36)
    assert np.isclose(ROLL_WEIGHTS.sum(), 1)


def test_a_roll_has_its_place_whichever_die_comes_first() -> None:
    assert roll_numbers(ROLLS).tolist() == roll_numbers(ROLLS[:, ::-1]).tolist() == list(range(21))


def test_every_roll_comes_up_as_often_as_it_should() -> None:
    dice = roll(np.random.default_rng(1), 36_000)
    counts = np.bincount(dice[:, 0] * 6 + dice[:, 1] - 7, minlength=36)
    chi_square = ((counts - 1000) ** 2 / 1000).sum()
    assert dice.shape == (36_000, 2)
    assert chi_square < 66.6, "35 degrees of freedom: 66.6 is exceeded once in 1,000 seeds"


def test_an_opening_roll_is_never_a_double_and_otherwise_fair() -> None:
    dice = opening_roll(np.random.default_rng(2), 30_000)
    counts = np.bincount(dice[:, 0] * 6 + dice[:, 1] - 7, minlength=36).reshape(6, 6)
    assert np.all(np.diag(counts) == 0)
    assert ((counts[~np.eye(6, dtype=bool)] - 1000) ** 2 / 1000).sum() < 58.3, "29 degrees"


def test_the_same_seed_rolls_the_same_dice() -> None:
    first, second = (roll(np.random.default_rng(5), 10) for _ in range(2))
    assert np.array_equal(first, second)


@pytest.mark.parametrize(
    ("dice", "message"),
    [
        ([0, 1], "a die must be 1..6, got 0"),
        ([[1, 2], [3, 7]], "a die must be 1..6, got 7"),
        ([1.5, 2], r"a die must be 1..6, got \[1.5, 2.0\]"),
        ([float("nan"), 2], "a die must be 1..6, got .*nan"),
        (["a", "b"], "a die must be 1..6, got .*a"),
        ([None, 1], "a die must be 1..6, got .*None"),
        ([1, 2, 3], r"a roll is two dice, got shape \(3,\)"),
        (4, r"a roll is two dice, got shape \(\)"),
    ],
)
def test_dice_that_cannot_be_are_named(dice: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_dice(dice)


def test_checked_dice_are_int64() -> None:
    assert check_dice([3.0, 1.0]).tolist() == [3, 1]
    assert check_dice(np.array([[3, 1]], np.int8)).dtype == np.int64
