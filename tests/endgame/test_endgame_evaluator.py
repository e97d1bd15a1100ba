from __future__ import annotations

import numpy as np
import pytest

from bgai.endgame import EXAMPLES, ONE_SIDED, RACE, TWO_SIDED, UNKNOWN, EndgameEvaluator, Endgames
from bgai.engine import START, Boards, Probs, equity, outcomes
from bgai.search import Evaluator
from tests.endgame.bear_offs import bear_off, random_bear_offs

GUESS = np.array([0.3, 0.1, 0.05, 0.35, 0.15, 0.05], np.float32)
BOARDS = np.stack(
    [
        START,
        bear_off({1: 1}, {1: 1}),
        bear_off({6: 15}, {6: 15}),
        bear_off({7: 1}, {1: 1}),
        bear_off({6: 1, 1: 1}, {1: 2}),
    ]
)


class Guesser:
    """Says the same of every board, and remembers how many it was asked about."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, boards: Boards) -> Probs:
        self.asked += len(boards)
        return np.repeat(GUESS[None], len(boards), axis=0)


def test_the_best_that_is_known_answers(endgames: Endgames) -> None:
    probs, known = endgames.lookup(BOARDS)
    assert known.tolist() == [UNKNOWN, TWO_SIDED, ONE_SIDED, RACE, TWO_SIDED]
    assert np.isnan(probs).any(1).tolist() == [True, False, False, False, False]
    assert probs[4] == pytest.approx([15 / 36, 0, 0, 21 / 36, 0, 0])
    exact, _ = endgames.cube_equities(BOARDS)
    assert equity(probs[[1, 4]]) == pytest.approx(exact.cubeless[[1, 4]])


def test_the_examples_are_one_of_each_kind(endgames: Endgames) -> None:
    assert endgames.lookup(EXAMPLES)[1].tolist() == [RACE, ONE_SIDED, TWO_SIDED]


def test_boards_that_are_not_known_go_to_the_evaluator(endgames: Endgames) -> None:
    guesser = Guesser()
    evaluator: Evaluator = EndgameEvaluator(guesser, endgames)
    probs = evaluator(BOARDS)
    assert guesser.asked == 1
    assert probs.dtype == np.float32 and probs.shape == (5, 6)
    assert np.array_equal(probs[0], GUESS)
    assert np.array_equal(probs[1:], endgames.lookup(BOARDS[1:])[0])


def test_only_what_is_exact_replaces_the_evaluator_if_so_wished(endgames: Endgames) -> None:
    guesser = Guesser()
    probs = EndgameEvaluator(guesser, endgames, known_from=TWO_SIDED)(BOARDS)
    assert guesser.asked == 3
    assert np.array_equal(probs[2], GUESS)


@pytest.mark.parametrize("rows", [[], [0, 3], [1, 4]])
def test_a_batch_may_be_empty_or_of_one_kind(endgames: Endgames, rows: list[int]) -> None:
    probs = EndgameEvaluator(Guesser(), endgames)(BOARDS[rows])
    assert probs.shape == (len(rows), 6)
    assert not np.isnan(probs).any()


def test_rows_do_not_depend_on_the_batch(endgames: Endgames) -> None:
    boards = random_bear_offs(np.random.default_rng(8), 6000, 15)
    boards[:40, [6, 7]] = 0, 2  # neighbours that are equal on one side, too
    boards[20:30] = boards[20]
    probs, known = endgames.lookup(boards)
    assert set(known) == {RACE, ONE_SIDED, TWO_SIDED}
    for start in range(0, 60, 7):
        some, some_known = endgames.lookup(boards[start : start + 7])
        assert np.array_equal(some, probs[start : start + 7])
        assert np.array_equal(some_known, known[start : start + 7])


def test_finished_games_are_won_and_lost_as_the_rules_say(endgames: Endgames) -> None:
    boards = np.stack(
        [
            bear_off(own, opponent)
            for side in ({1: 1}, {6: 14}, {2: 15}, {6: 15})
            for own, opponent in ((side, {}), ({}, side))
        ]
    )
    probs, known = endgames.lookup(boards)
    assert known.all()
    assert np.array_equal(probs, np.eye(6)[outcomes(boards)])
