from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from bgai.engine import (
    ROLL_WEIGHTS,
    ROLLS,
    START,
    Board,
    Boards,
    Probs,
    equity,
    legal_afterstates,
    outcomes,
    swap_probs,
)
from bgai.engine.outcomes import UNFINISHED
from bgai.search.ply import PlyEvaluator
from bgai.search.select import choose_plays

OVER = np.zeros(26, np.int8)
OVER[1] = -2


def fake_evaluator(boards: Boards) -> Probs:
    """Deterministic numbers that differ from board to board."""
    mixed = boards.astype(np.float64) @ np.sin(np.arange(26 * 6)).reshape(26, 6)
    chances = np.exp(np.sin(mixed))
    probs: Probs = (chances / chances.sum(1, keepdims=True)).astype(np.float32)
    over = outcomes(boards) != UNFINISHED
    probs[over] = np.eye(6, dtype=np.float32)[outcomes(boards[over])]
    return probs


def listed_value(board: Board, plies: int) -> Probs:
    """The mean over the rolls, one roll and one play at a time."""
    if plies == 0 or int(outcomes(board)) != UNFINISHED:
        value: Probs = fake_evaluator(board[None])[0]
        return value
    total = np.zeros(6)
    for dice, weight in zip(ROLLS, ROLL_WEIGHTS, strict=True):
        after, _ = legal_afterstates(board[None], dice[None])
        best = min(after, key=lambda row: float(equity(fake_evaluator(row[None]))[0]))
        total += weight * swap_probs(listed_value(best, plies - 1))
    return total.astype(np.float32)


@pytest.mark.parametrize("plies", [1, 2])
def test_n_ply_is_the_weighted_mean_of_listed_values(plies: int) -> None:
    value = PlyEvaluator(fake_evaluator, plies)(START[None])[0]
    np.testing.assert_allclose(value, listed_value(START, plies), atol=1e-6)


def test_0_ply_is_the_evaluator_alone() -> None:
    np.testing.assert_array_equal(
        PlyEvaluator(fake_evaluator, 0)(START[None]), fake_evaluator(START[None])
    )


def test_a_finished_game_keeps_its_exact_value_at_any_ply() -> None:
    boards = np.stack([OVER, START, OVER])
    values = PlyEvaluator(fake_evaluator, 1)(boards)
    np.testing.assert_array_equal(values[[0, 2]], fake_evaluator(boards[[0, 2]]))
    np.testing.assert_allclose(values[1], listed_value(START, 1), atol=1e-6)


def test_whoever_rolls_with_one_checker_on_the_ace_point_wins() -> None:
    last = np.zeros(26, np.int8)
    last[1], last[24] = 1, -1

    def knows_the_end(boards: Boards) -> Probs:
        assert (outcomes(boards) != UNFINISHED).all()
        return np.eye(6, dtype=np.float32)[outcomes(boards)]

    np.testing.assert_allclose(
        PlyEvaluator(knows_the_end, 1)(last[None]), [[1, 0, 0, 0, 0, 0]], atol=1e-7
    )


def test_a_batch_gives_what_each_board_gives_alone() -> None:
    after, _ = legal_afterstates(START[None], np.array([[6, 4]]))
    many = np.concatenate([after] * 20)
    together = PlyEvaluator(fake_evaluator, 1)(many)
    for row in range(len(after)):
        alone = PlyEvaluator(fake_evaluator, 1)(after[row][None])[0]
        np.testing.assert_allclose(together[row], alone, atol=1e-6)
        np.testing.assert_allclose(together[-len(after) + row], alone, atol=1e-6)


def test_plays_near_the_best_at_0_ply_are_looked_ahead_from() -> None:
    dice = np.array([[3, 1], [6, 5], [4, 2]])
    boards = np.stack([START] * 3)
    after, offsets = legal_afterstates(boards, dice)
    evaluator = PlyEvaluator(fake_evaluator, 1)
    chosen, probs = choose_plays(evaluator, boards, dice)
    flat, deep = -equity(fake_evaluator(after)), -equity(evaluator(after))
    changed = 0
    for board, (start, stop) in enumerate(pairwise(offsets)):
        near = np.flatnonzero(flat[start:stop] >= flat[start:stop].max() - 0.16)
        best = start + near[np.argmax(deep[start:stop][near])]
        assert (chosen[board] == after[best]).all()
        np.testing.assert_allclose(-equity(probs[board]), deep[best], atol=1e-6)
        changed += best != start + np.argmax(flat[start:stop])
    assert changed > 0


def test_negative_plies_are_refused() -> None:
    with pytest.raises(ValueError, match="plies must be 0 to 4, got -2"):
        PlyEvaluator(fake_evaluator, -2)
