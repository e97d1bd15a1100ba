from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from bgai.endgame import EndgameEvaluator, load_or_build
from bgai.engine import (
    START,
    UNFINISHED,
    Boards,
    Probs,
    equity,
    legal_afterstates,
    outcomes,
    roll,
    swap,
)
from bgai.search.ply import PlyEvaluator
from bgai.search.rollout import Rollout, RolloutSettings, rollout
from bgai.search.select import choose_plays
from tests.engine.positions import board_of
from tests.search.test_ply import OVER, fake_evaluator

RACE = board_of({6: 3, 5: 3, 4: 3, 7: 2}, {19: 3, 20: 3, 21: 3, 18: 2})
CLOSING = board_of({1: 2, 3: 2}, {24: 2, 22: 2})
"""Both sides need two rolls or so: trials end soon."""


def rough_evaluator(boards: Boards) -> Probs:
    """Chances from the pip count, so that plays make sense; exact where the game is over."""
    points = np.arange(26)
    lead = np.where(boards < 0, -boards * (25 - points), -boards * points).sum(1)
    chance = 1 / (1 + np.exp(-(lead + 4) / 10))
    probs = np.zeros((len(boards), 6), np.float32)
    probs[:, 0], probs[:, 3] = chance, 1 - chance
    over = outcomes(boards) != UNFINISHED
    probs[over] = np.eye(6, dtype=np.float32)[outcomes(boards[over])]
    return probs


def plain_equities(board: npt.NDArray[np.int8], plies: int, trials: int, seed: int) -> np.ndarray:
    """What each of some games is worth that are played and then valued, luck and all."""
    rng = np.random.default_rng(seed)
    boards = np.tile(board, (trials, 1))
    result = np.zeros(trials)
    rows = np.arange(trials)
    for ply in range(plies):
        boards, probs = choose_plays(rough_evaluator, boards, roll(rng, len(boards)))
        running = outcomes(boards) == UNFINISHED
        result[rows] = equity(probs) * (1 if ply % 2 else -1)
        boards, rows = boards[running], rows[running]
    return result


def one(board: npt.NDArray[np.int8], trials: int = 36, plies: int = 4, seed: int = 1) -> Rollout:
    return rollout(rough_evaluator, board[None], RolloutSettings(trials, plies), seed)


def test_the_mean_is_that_of_plain_rollouts_and_the_spread_far_smaller() -> None:
    for board in (START, RACE):
        plain = plain_equities(board, 4, 20_000, seed=2)
        found = one(board, trials=720)
        plain_error = plain.std() / np.sqrt(len(plain))
        error = float(found.standard_errors[0])
        difference = float(equity(found.probs)[0]) - plain.mean()
        assert abs(difference) < 4 * np.hypot(error, plain_error)
        assert 0 < error * np.sqrt(720) < 0.6 * plain.std()


def test_the_standard_error_is_not_below_the_spread_of_the_results() -> None:
    found = [one(RACE, trials=36, plies=5, seed=seed) for seed in range(20)]
    spread = np.std([float(equity(result.probs)[0]) for result in found], ddof=1)
    claimed = np.mean([float(result.standard_errors[0]) for result in found])
    assert 0 < spread < 1.2 * claimed


@pytest.mark.parametrize("plies", [1, 2])
def test_short_rollouts_are_the_exact_lookahead(plies: int) -> None:
    boards = np.stack([START, RACE, swap(RACE)])
    found = rollout(fake_evaluator, boards, RolloutSettings(36, plies), seed=1)
    expected = PlyEvaluator(fake_evaluator, plies)(boards)
    np.testing.assert_allclose(found.probs, expected, atol=1e-5)
    assert not found.standard_errors.any()


def test_a_finished_game_keeps_its_outcome_without_error() -> None:
    found = rollout(fake_evaluator, np.stack([OVER, START]), RolloutSettings(36, 4), seed=1)
    np.testing.assert_array_equal(found.probs[0], fake_evaluator(OVER[None])[0])
    assert found.standard_errors[0] == 0 < found.standard_errors[1]


def test_what_the_tables_know_is_exact() -> None:
    endgames = load_or_build()
    settings = RolloutSettings(36, 6)
    found = rollout(rough_evaluator, CLOSING[None], settings, 1, endgames)
    expected = EndgameEvaluator(rough_evaluator, endgames)(CLOSING[None])
    np.testing.assert_array_equal(found.probs, expected)
    assert found.standard_errors[0] == 0


def test_trials_that_reach_the_end_tell_the_true_chances() -> None:
    # with V exact at the end only, a long rollout still tells the true chances
    def knows_the_end(boards: Boards) -> Probs:
        probs = np.full((len(boards), 6), [0.5, 0, 0, 0.5, 0, 0], np.float32)
        over = outcomes(boards) != UNFINISHED
        probs[over] = np.eye(6, dtype=np.float32)[outcomes(boards[over])]
        return probs

    board = board_of({1: 3}, {24: 3})  # three checkers each: only a double wins at once
    found = rollout(knows_the_end, board[None], RolloutSettings(7200, 8), seed=3)
    # the roller wins with a double now, or if the opponent then throws none: 1/6 + 5/6 * 5/6
    error = float(found.standard_errors[0])
    assert float(found.probs[0, 0]) == pytest.approx(1 / 6 + 25 / 36, abs=max(2 * error, 1e-6))


def test_the_result_depends_on_the_seed_and_the_board_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    after, _ = legal_afterstates(START[None], np.array([[4, 2]]))
    boards = np.concatenate([after, RACE[None], after[::-1]])
    settings = RolloutSettings(36, 4)
    together = rollout(rough_evaluator, boards, settings, seed=5)
    monkeypatch.setenv("BGAI_THREADS", "1")
    for row in range(0, len(boards), 7):
        alone = rollout(rough_evaluator, boards[row : row + 1], settings, seed=5)
        np.testing.assert_array_equal(alone.probs[0], together.probs[row])
        assert alone.standard_errors[0] == together.standard_errors[row]
    other = rollout(rough_evaluator, boards, settings, seed=6)
    assert (other.probs != together.probs).any()
    assert len(rollout(rough_evaluator, boards[:0], settings, seed=5).probs) == 0


@pytest.mark.parametrize(
    ("trials", "plies", "message"),
    [
        (35, 4, "multiple of 36, got 35"),
        (0, 4, "got 0"),
        (36, 0, "plies must be at least 1, got 0"),
    ],
)
def test_wrong_settings_are_named(trials: int, plies: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RolloutSettings(trials, plies)
