from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from bgai.engine import (
    ROLL_WEIGHTS,
    ROLLS,
    START,
    UNFINISHED,
    Board,
    Boards,
    Dice,
    Probs,
    equity,
    legal_afterstates,
    outcomes,
)
from bgai.search.luck import luck
from tests.engine.positions import board_of, random_positions
from tests.search.test_ply import fake_evaluator


def every_roll_luck(board: Board, opening: bool = False) -> npt.NDArray[np.float64]:
    rolls = ROLLS[ROLLS[:, 0] != ROLLS[:, 1]] if opening else ROLLS
    return luck(fake_evaluator, np.tile(board, (len(rolls), 1)), rolls, opening)


def test_the_mean_luck_of_all_rolls_is_0() -> None:
    boards, _ = random_positions(np.random.default_rng(1), games=6, plies=5)
    for board in [START, *boards]:
        assert every_roll_luck(board) @ ROLL_WEIGHTS == pytest.approx(0, abs=1e-6)


def test_the_mean_luck_of_the_15_opening_rolls_is_0() -> None:
    of_rolls = every_roll_luck(START, opening=True)
    assert len(of_rolls) == 15
    assert of_rolls.mean() == pytest.approx(0, abs=1e-6)
    assert np.abs(of_rolls).max() > 0.01


def test_luck_is_the_best_play_of_the_roll_less_the_mean_of_all_rolls() -> None:
    def best(dice: Dice) -> float:
        after, _ = legal_afterstates(START[None], dice[None])
        return float(-equity(fake_evaluator(after)).min())

    values = np.array([best(dice) for dice in ROLLS])
    for place, dice in enumerate(ROLLS):
        expected = values[place] - values @ ROLL_WEIGHTS
        assert luck(fake_evaluator, START[None], dice[None])[0] == pytest.approx(expected, abs=1e-6)


def test_the_order_of_the_dice_does_not_matter() -> None:
    boards, dice = random_positions(np.random.default_rng(2), games=5, plies=5)
    assert luck(fake_evaluator, boards, dice).tolist() == (
        luck(fake_evaluator, boards, dice[:, ::-1]).tolist()
    )


def test_a_batch_gives_what_each_roll_gives_alone() -> None:
    boards, dice = random_positions(np.random.default_rng(3), games=30, plies=10)
    together = luck(fake_evaluator, boards, dice)
    for row in range(0, len(boards), 29):
        one = slice(row, row + 1)
        assert luck(fake_evaluator, boards[one], dice[one])[0] == pytest.approx(
            together[row], abs=1e-6
        )
    assert len(luck(fake_evaluator, boards[:0], dice[:0])) == 0


def test_the_roll_that_wins_the_last_race_is_lucky_by_the_points_it_saves() -> None:
    # two checkers on the 1 and 6 points: 6-x and some doubles end it, else the opponent does
    board = board_of({6: 1, 1: 1}, {24: 1})

    def knows_the_end(boards: Boards) -> Probs:
        over = outcomes(boards)
        assert ((over != UNFINISHED) | (boards[:, 1] == 1)).all()
        over[over == UNFINISHED] = 0  # the next player, with one checker on the 1 point, wins
        return np.eye(6, dtype=np.float32)[over]

    wins = (ROLLS == 6).any(1) | ((ROLLS[:, 0] == ROLLS[:, 1]) & (ROLLS[:, 0] >= 2))
    chance = ROLL_WEIGHTS[wins].sum()
    of_rolls = luck(knows_the_end, np.tile(board, (21, 1)), ROLLS)
    expected = np.where(wins, 2 - 2 * chance, -2 * chance)
    np.testing.assert_allclose(of_rolls, expected, atol=1e-6)


def test_bad_dice_are_named() -> None:
    with pytest.raises(ValueError, match="1..6, got 7"):
        luck(fake_evaluator, START[None], np.array([[7, 1]]))
    with pytest.raises(ValueError, match=r"opening roll is not a double, got \[3 3\]"):
        luck(fake_evaluator, START[None], np.array([[3, 3]]), opening=True)
