"""GNU position ids: the player about to roll is the second block."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from bgai.engine import (
    BAR,
    OPPONENT_BAR,
    START,
    Board,
    board_from_position_id,
    position_id,
    position_ids,
    swap,
)
from tests.engine.positions import board_of, random_positions

# checked with GNU Backgammon 1.07.001; none of them is symmetric
KNOWN = {
    "HC/wATDg8+AxAA": board_of({16: 2, 13: 4, 8: 4, 6: 5}, {22: 3, 19: 4, 18: 1, 12: 5, 1: 2}),
    "omfwESDgc/ARQA": board_of(
        {BAR: 1, 16: 1, 13: 5, 8: 3, 6: 5}, {1: 1, 9: 1, 12: 5, 17: 2, 19: 4, 20: 1, 23: 1}
    ),
    "mxmAQ4PbAQAAAA": board_of({3: 3, 2: 2, 1: 3}, {4: 2, 5: 1, 9: 3, 19: 2, 21: 2, 23: 2, 24: 2}),
}


@pytest.mark.parametrize("text", KNOWN)
def test_the_first_block_is_the_player_not_on_roll(text: str) -> None:
    assert np.array_equal(board_from_position_id(text), KNOWN[text])
    assert position_id(KNOWN[text]) == text


def test_the_other_reading_gives_another_board_without_any_error() -> None:
    text = "HC/wATDg8+AxAA"
    turned = position_id(swap(board_from_position_id(text)))
    assert turned != text
    assert len(turned) == len(text)


def test_the_start_is_the_same_from_both_sides() -> None:
    assert position_id(START) == "4HPwATDgc/ABMA"
    assert np.array_equal(board_from_position_id("4HPwATDgc/ABMA"), START)


@pytest.mark.parametrize(
    "board",
    [
        board_of({24: 1, BAR: 2}, {1: 3, OPPONENT_BAR: 4}),
        board_of({BAR: 15}, {OPPONENT_BAR: 15}),
        board_of({1: 1}, {24: 15}),
        board_of({}, {24: 1}),
    ],
)
def test_checkers_on_either_bar_survive_writing_and_reading(board: Board) -> None:
    assert np.array_equal(board_from_position_id(position_id(board)), board)


@pytest.mark.parametrize("text", ["zGbiIQgxH/AAWA", "zGbiIYCYD3gALA"])
def test_ids_with_checkers_on_the_bar_survive_reading_and_writing(text: str) -> None:
    assert position_id(board_from_position_id(text)) == text


def test_a_checker_borne_off_is_not_in_the_id() -> None:
    board = board_from_position_id("zGbiIYCYD3gALA")
    assert board[BAR] == 1
    assert board[board < 0].sum() == -14


def test_writing_and_reading_changes_nothing() -> None:
    boards, _ = random_positions(np.random.default_rng(5), games=40, plies=10)
    for board in boards:
        text = position_id(board)
        assert len(text) == 14
        assert np.array_equal(board_from_position_id(text), board), board.tolist()


def test_many_boards_get_their_ids_at_once() -> None:
    boards = np.stack(list(KNOWN.values()))
    assert position_ids(boards) == list(KNOWN)
    assert position_ids(boards[:0]) == []
    with pytest.raises(ValueError, match="at most 15 checkers"):
        position_ids(np.array([START, [0, *[1] * 24, 0]]))


def test_a_match_id_after_the_colon_is_left_alone() -> None:
    assert np.array_equal(board_from_position_id(" 4HPwATDgc/ABMA:cAkHAAAAAAAA "), START)


def id_of_counts(opponent: list[int], own: list[int]) -> str:
    """An id with counts that no board has, built by hand: 25 counts a side."""
    bits = "".join("1" * count + "0" for count in opponent + own).ljust(80, "0")
    data = bytes(int(bits[at : at + 8][::-1], 2) for at in range(0, 80, 8))
    return base64.b64encode(data).decode().rstrip("=")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has 14 characters, got 0"),
        ("4HPwATDgc/ABM", "has 14 characters, got 13: '4HPwATDgc/ABM'"),
        ("4HPwATDgc/ABMAA", "got 15"),
        ("4HPwATDgc-ABMA", r"only letters, digits, \+ and /, got '4HPwATDgc-ABMA'"),
        ("4HPwATDgc/AB A", "only letters"),
        ("4HPwATDgc/ABMé", "only letters"),
        ("4HPwATDgc/ABMB", "the last character of a position id is A, Q, g or w"),
        ("//////////////", "the last character"),
        ("/////////////w", "50 counts and then zeros"),
        (id_of_counts([16] + [0] * 24, [1] + [0] * 24), "at most 15 checkers.*1 and the other 16"),
        (id_of_counts([1] + [0] * 24, [16] + [0] * 24), "at most 15 checkers.*16 and the other 1"),
        (id_of_counts([0] * 18 + [2] + [0] * 6, [0] * 5 + [3] + [0] * 19), r"both sides.*\[6\]"),
        ("AAAAAAAAAAAAAA", "both sides have borne off all"),
    ],
)
def test_an_id_that_is_none_is_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        board_from_position_id(text)


def test_a_board_that_no_game_has_gets_no_id() -> None:
    with pytest.raises(ValueError, match="at most 15 checkers, got 45 and 45"):
        position_id(START * 3)
