"""The board and what is counted on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bgai.engine import START, borne_off, check_boards, has_contact, pip_counts, swap
from tests.engine.positions import board_of, random_positions

BOARDS, _ = random_positions(np.random.default_rng(3), games=40, plies=20)


def test_swapping_twice_gives_the_board_back() -> None:
    assert np.array_equal(swap(swap(BOARDS)), BOARDS)
    assert swap(BOARDS).dtype == np.int8


def test_swapping_exchanges_the_sides() -> None:
    own_off, opponent_off = borne_off(BOARDS)
    assert np.array_equal(borne_off(swap(BOARDS)), (opponent_off, own_off))
    own_pips, opponent_pips = pip_counts(BOARDS)
    assert np.array_equal(pip_counts(swap(BOARDS)), (opponent_pips, own_pips))
    assert np.array_equal(has_contact(swap(BOARDS)), has_contact(BOARDS))


def test_point_p_is_the_opponents_point_25_minus_p() -> None:
    board = board_of({24: 2, 25: 1}, {3: 1, 0: 2})
    assert np.array_equal(swap(board), board_of({22: 1, 25: 2}, {1: 2, 0: 1}))


def test_the_start_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        START[6] = 0


def test_a_checker_on_the_bar_has_25_pips_to_go() -> None:
    assert [int(pips) for pips in pip_counts(board_of({25: 2, 1: 1}, {0: 1, 24: 3}))] == [51, 28]


def test_what_is_not_on_the_board_has_been_borne_off() -> None:
    assert [int(off) for off in borne_off(board_of({25: 1, 6: 2}, {0: 4, 20: 1}))] == [12, 10]


@pytest.mark.parametrize(
    ("own", "opponent", "contact"),
    [
        ({12: 1}, {20: 1, 2: 1}, True),
        ({20: 1, 2: 1}, {12: 1}, True),
        ({6: 15}, {19: 15}, False),
        ({6: 15}, {0: 1, 19: 14}, True),
        ({25: 1, 6: 14}, {24: 1}, True),
        ({13: 1}, {12: 1}, True),
        ({12: 1}, {13: 1}, False),
        ({}, {12: 1}, False),
        ({12: 1}, {}, False),
    ],
)
def test_there_is_contact_while_an_own_checker_is_behind_an_opposing_one(
    own: dict[int, int], opponent: dict[int, int], contact: bool
) -> None:
    assert has_contact(board_of(own, opponent)) == contact
    assert has_contact(board_of(own, opponent)[None]).tolist() == [contact]


def test_checked_boards_are_int8_of_the_same_shape() -> None:
    assert np.array_equal(check_boards(START.tolist()), START)
    many = check_boards(BOARDS.astype(np.int64))
    assert many.dtype == np.int8
    assert np.array_equal(many, BOARDS)
    assert np.array_equal(check_boards(START.astype(np.float64)), START)
    assert check_boards(np.empty((0, 26), np.int8)).shape == (0, 26)


@pytest.mark.parametrize(
    ("board", "message"),
    [
        ([0] * 25, r"a board has 26 numbers, got shape \(25,\)"),
        (np.zeros((1, 1, 26), np.int8), "got shape"),
        (START + 0.5, "a board holds integers"),
        (["x"] * 26, "a board holds integers"),
        ([float("inf")] + [0] * 25, "a board holds integers, got .*inf"),
        (board_of({6: 16}, {19: 15}), "at most 15 checkers, got 16 and 15"),
        (board_of({6: 15}, {19: 16}), "at most 15 checkers, got 15 and 16"),
        (board_of({6: 15}, {25: 1}), "slot 25 is the own bar"),
        (board_of({0: 1}, {19: 15}), "slot 0 the opponent's"),
        (board_of({}, {}), "both sides have borne off all"),
        ([300] + [0] * 25, "300"),
        ([0, -(2**62), -(2**62)] + [1] * 23, "at most 15 checkers"),
        ([0, -(2**63)] + [0] * 23 + [1], "at most 15 checkers"),
    ],
)
def test_a_board_that_cannot_be_is_named(board: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_boards(board)
