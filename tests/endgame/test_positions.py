from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from bgai.endgame import bear_off_numbers, position_count, position_counts, position_numbers
from bgai.engine import START, swap
from tests.endgame.bear_offs import bear_off, random_bear_offs


def test_there_are_54264_positions_and_924_of_six_checkers() -> None:
    assert position_count(15) == 54264
    assert position_count(6) == 924


def test_numbers_and_counts_are_inverse() -> None:
    counts = position_counts(np.arange(position_count(15)))
    assert counts.min() == 0 and counts.sum(1).max() == 15
    assert np.array_equal(position_numbers(counts), np.arange(position_count(15)))


def test_every_position_has_its_own_number() -> None:
    counts = [row for row in product(range(4), repeat=6) if sum(row) <= 3]
    assert sorted(position_numbers(counts).tolist()) == list(range(position_count(3)))


def test_positions_of_fewer_checkers_come_first() -> None:
    checkers = position_counts(np.arange(position_count(15))).sum(1)
    assert np.all(np.diff(checkers) >= 0)


def test_a_move_leads_to_a_smaller_number() -> None:
    counts = position_counts(np.arange(position_count(15)))
    for start in range(6):
        movable = counts[counts[:, start] > 0]
        for target in range(-1, start):  # -1 = off
            moved = movable.copy()
            moved[:, start] -= 1
            if target >= 0:
                moved[:, target] += 1
            assert np.all(position_numbers(moved) < position_numbers(movable))


def test_numbers_of_both_sides_of_a_board() -> None:
    board = bear_off({1: 2, 6: 1}, {3: 4})
    numbers = bear_off_numbers(np.stack([board, swap(board)]))
    own, opponent = position_numbers([[2, 0, 0, 0, 0, 1], [0, 0, 4, 0, 0, 0]])
    assert numbers.tolist() == [[own, opponent], [opponent, own]]


def test_a_side_with_a_checker_outside_has_no_number() -> None:
    home = bear_off({6: 1}, {6: 1})
    boards = np.stack([home] * 6)
    boards[0, 7] = boards[1, 25] = 1
    boards[2, 18] = boards[3, 0] = boards[4, 3] = -1
    assert (bear_off_numbers(boards) == -1).tolist() == [
        [True, False],
        [True, False],
        [False, True],
        [False, True],
        [False, True],
        [False, False],
    ]
    assert bear_off_numbers(START[None]).tolist() == [[-1, -1]]


def test_a_large_batch_is_numbered_like_single_boards() -> None:
    boards = np.repeat(random_bear_offs(np.random.default_rng(1), 500, 15), 100, axis=0)
    counts = np.stack([boards[:, 1:7], -boards[:, 24:18:-1]], axis=1)
    assert np.array_equal(bear_off_numbers(boards), position_numbers(counts))


@pytest.mark.parametrize(
    ("counts", "named"),
    [([1, 2, 3], "(3,)"), ([16, 0, 0, 0, 0, 0], "[16, 0"), ([0, -1, 0, 0, 0, 0], "[0, -1")],
)
def test_counts_that_are_no_position_are_refused(counts: list[int], named: str) -> None:
    with pytest.raises(ValueError, match="bear-off position") as caught:
        position_numbers(counts)
    assert named in str(caught.value)


@pytest.mark.parametrize("number", [-1, 54264])
def test_numbers_of_no_position_are_refused(number: int) -> None:
    with pytest.raises(ValueError, match=f"got {number}"):
        position_counts([0, number])


def test_boards_of_another_kind_are_refused() -> None:
    with pytest.raises(ValueError, match="int64"):
        bear_off_numbers(START[None].astype(np.int64))
