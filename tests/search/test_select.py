"""Choosing among afterstates, with an evaluator that knows only what a test tells it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from bgai.engine import START, Board, Boards, Probs, legal_afterstates, outcomes, swap
from bgai.search import EvaluatorPlayer, best_afterstates, choose_plays


class FakeEvaluator:
    """Gives the next player the listed chance of a plain win; an unlisted board fails."""

    def __init__(self, win_chances: dict[bytes, float]) -> None:
        self._win_chances = win_chances

    def __call__(self, boards: Boards) -> Probs:
        win = np.array([self._win_chances[board.tobytes()] for board in boards], np.float32)
        probs = np.zeros((len(boards), 6), np.float32)
        probs[:, 0], probs[:, 3] = win, 1 - win
        return probs


def afterstates(board: Board, dice: tuple[int, int]) -> Boards:
    return legal_afterstates(board[None], np.array([dice]))[0]


def win_chances(boards: Boards, chances: npt.ArrayLike) -> dict[bytes, float]:
    pairs = zip(boards, np.broadcast_to(chances, len(boards)), strict=True)
    return {board.tobytes(): float(chance) for board, chance in pairs}


def test_best_afterstates_takes_the_highest_score_of_each_board() -> None:
    scores = np.array([0.1, 0.3, 0.2, 0.9, -0.5, -0.2])
    assert best_afterstates(scores, np.array([0, 3, 4, 6])).tolist() == [1, 3, 5]


def test_best_afterstates_takes_the_first_of_equals() -> None:
    scores = np.array([0.5, 0.5, 0.5, -1, 2, 2])
    assert best_afterstates(scores, np.array([0, 3, 6])).tolist() == [0, 4]


def test_choose_plays_leaves_the_next_player_the_least() -> None:
    after = afterstates(START, (3, 1))
    chances = np.full(len(after), 0.6)
    chances[5] = 0.2
    fake = FakeEvaluator(win_chances(after, chances))
    chosen, probs = choose_plays(fake, START[None], np.array([[3, 1]]))
    assert chosen.tolist() == [after[5].tolist()]
    assert probs[0].tolist() == pytest.approx([0.2, 0, 0, 0.8, 0, 0])


def test_choose_plays_asks_for_every_afterstate_and_no_other_board() -> None:
    after = afterstates(START, (6, 5))
    incomplete = FakeEvaluator(win_chances(after[:-1], 0.5))
    with pytest.raises(KeyError):
        choose_plays(incomplete, START[None], np.array([[6, 5]]))
    choose_plays(FakeEvaluator(win_chances(after, 0.5)), START[None], np.array([[6, 5]]))


def test_a_roll_that_cannot_be_played_leaves_the_swapped_board() -> None:
    board = np.zeros(26, np.int8)
    board[[25, 1]] = 1, 14
    board[19:25] = -2
    board[2] = -3
    fake = FakeEvaluator(win_chances(swap(board)[None], 0.9))
    chosen, _ = choose_plays(fake, board[None], np.array([[6, 3]]))
    assert chosen.tolist() == [swap(board).tolist()]


def test_a_batch_is_chosen_as_its_boards_one_by_one() -> None:
    dice = np.array([[3, 1], [6, 6], [5, 2]])
    boards = np.stack([START, START, START])
    rng = np.random.default_rng(4)
    fake_chances: dict[bytes, float] = {}
    for roll in dice:
        after = afterstates(START, (int(roll[0]), int(roll[1])))
        fake_chances |= win_chances(after, rng.random(len(after)))
    fake = FakeEvaluator(fake_chances)
    together, _ = choose_plays(fake, boards, dice)
    alone = [choose_plays(fake, START[None], roll[None])[0][0].tolist() for roll in dice]
    assert together.tolist() == alone


def test_an_evaluator_player_plays_the_choice_of_its_evaluator() -> None:
    after = afterstates(START, (4, 2))
    chances = np.linspace(0.9, 0.1, len(after))
    player = EvaluatorPlayer("fake", FakeEvaluator(win_chances(after, chances)))
    chosen = player.choose(START[None], np.array([[4, 2]]))
    assert player.name == "fake"
    assert chosen.tolist() == [after[-1].tolist()]
    assert outcomes(chosen).tolist() == [-1]
