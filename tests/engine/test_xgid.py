"""XGIDs are absolute; our boards are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bgai.engine import (
    BAR,
    OPPONENT_BAR,
    START,
    Xgid,
    format_xgid,
    parse_position,
    parse_xgid,
    position_id,
    swap,
)
from tests.engine.positions import board_of, random_positions

START_POINTS = "-b----E-C---eE---c-e----B-"
TOP_ROLLS = "XGID=-A-Bb-DBB---bBa---bcbbaA-A:0:0:-1:00:4:0:0:0:8"

# both ids name one position; checked with GNU Backgammon 1.07.001
PAIRS = [
    ("-aa---EBB---dDa--c-e----B-:0:0:1:16:0:0:3:0:8", "4HPkASjg2+ABMA"),
    ("----abF-B--BbB-Bacbd----A-:0:0:1:41:1:0:0:11:10", "4O3CgAXgZ8wMIA"),
    ("--CBCBC------B--b--cabbcb-:1:1:1:21:0:0:0:0:8", "u61jAAButwMGAA"),
    (TOP_ROLLS, "GW+DAUi03ZABBg"),
]


@pytest.mark.parametrize(("text", "gnu_id"), PAIRS)
def test_an_xgid_and_its_position_id_name_the_same_board(text: str, gnu_id: str) -> None:
    assert position_id(parse_xgid(text).board) == gnu_id
    xgid = parse_xgid(text)
    board, dice = parse_position(gnu_id)
    assert np.array_equal(board, xgid.board)
    assert dice is None


@pytest.mark.parametrize("text", [text for text, _ in PAIRS])
def test_reading_and_writing_changes_nothing(text: str) -> None:
    assert format_xgid(parse_xgid(text)) == "XGID=" + text.removeprefix("XGID=")


def test_the_points_do_not_turn_with_the_roller() -> None:
    """If they did, the player on roll would be on the bar here."""
    xgid = parse_xgid(TOP_ROLLS)
    assert xgid.turn == -1
    assert xgid.board[BAR] == 0
    assert xgid.board[OPPONENT_BAR] == -1, "the uppercase checker on the bar is the bottom's"
    bottom_rolls = parse_xgid(TOP_ROLLS.replace(":-1:", ":1:"))
    assert np.array_equal(bottom_rolls.board, swap(xgid.board))
    assert bottom_rolls.bottom_score == xgid.bottom_score == 4, "nor do the scores"


def test_every_field_is_read() -> None:
    xgid = parse_xgid(f"XGID={START_POINTS}:2:-1:1:63:6:4:1:7:10")
    assert np.array_equal(xgid.board, START)
    assert xgid.dice == (6, 3)
    assert xgid.mark == ""
    assert (xgid.cube_exponent, xgid.cube_owner, xgid.turn) == (2, -1, 1)
    assert (xgid.bottom_score, xgid.top_score, xgid.rules) == (6, 4, 1)
    assert (xgid.match_length, xgid.largest_cube_exponent) == (7, 10)


@pytest.mark.parametrize("mark", ["D", "B", "R"])
def test_a_double_a_beaver_and_a_raccoon_are_marks_in_place_of_dice(mark: str) -> None:
    text = f"XGID={START_POINTS}:0:0:-1:{mark}:0:0:3:0:10"
    xgid = parse_xgid(text)
    assert xgid.mark == mark
    assert xgid.dice is None
    assert format_xgid(xgid) == text


def test_the_dice_keep_their_order() -> None:
    assert parse_xgid(f"{START_POINTS}:0:0:1:16:0:0:0:0:10").dice == (1, 6)
    assert format_xgid(Xgid(START, dice=(1, 6))).split(":")[4] == "16"


def test_money_may_have_a_score_and_a_centred_cube_above_one() -> None:
    xgid = parse_xgid(f"XGID={START_POINTS}:1:0:1:00:4:0:0:0:8")
    assert (xgid.cube_exponent, xgid.cube_owner) == (1, 0)
    assert (xgid.bottom_score, xgid.match_length) == (4, 0)


def test_an_old_id_lacks_the_cap_of_the_cube() -> None:
    text = f"XGID={START_POINTS}:0:0:1:52:0:0:0:3"
    assert parse_xgid(text).largest_cube_exponent is None
    assert format_xgid(parse_xgid(text)) == text


def test_a_cap_of_zero_is_kept() -> None:
    assert parse_xgid(f"XGID={START_POINTS}:0:0:1:52:0:0:0:3:0").largest_cube_exponent == 0


CLIPBOARD = f"""XGID={START_POINTS}:0:0:1:31:0:0:0:0:10

X:Player 1   O:Player 2
Score is X:0 O:0. Unlimited Game
 +13-14-15-16-17-18------19-20-21-22-23-24-+
 | X           O    |   | O              X |
 +12-11-10--9--8--7-------6--5--4--3--2--1-+
Pip count  X: 167  O: 167 X-O: 0-0
Cube: 1
X to play 31
"""


@pytest.mark.parametrize("text", [CLIPBOARD, CLIPBOARD.replace("\n", "\r\n"), "See\n" + CLIPBOARD])
def test_the_text_that_xg_copies_is_read(text: str) -> None:
    xgid = parse_xgid(text)
    assert np.array_equal(xgid.board, START)
    assert xgid.dice == (3, 1)
    board, dice = parse_position(text)
    assert np.array_equal(board, START)
    assert dice == (3, 1)


def test_boards_of_both_turns_survive_writing_and_reading() -> None:
    boards, _ = random_positions(np.random.default_rng(6), games=30, plies=5)
    for board in boards:
        for turn in (1, -1):
            read = parse_xgid(format_xgid(Xgid(board, turn=turn)))
            assert np.array_equal(read.board, board), board.tolist()
            assert read.turn == turn


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "9 or 10 fields, got 1"),
        ("XGID=", "9 or 10 fields"),
        (f"XGID={START_POINTS}:0:0:1:52:0:0:0", "9 or 10 fields, got 8"),
        (f"XGID={START_POINTS}:0:0:1:52:0:0:0:3:10:1", "got 11"),
        (f"XGID={START_POINTS[:-1]}:0:0:1:52:0:0:0:3:10", "26 characters, got 25"),
        (f"XGID={START_POINTS.replace('C', 'P')}:0:0:1:52:0:0:0:3:10", "A..O or a..o, got 'P'"),
        (f"XGID={START_POINTS.replace('C', '3')}:0:0:1:52:0:0:0:3:10", "got '3'"),
        (f"XGID={START_POINTS.replace('C', 'F')}:0:0:1:52:0:0:0:3:10", "at most 15 checkers"),
        (f"XGID=A{START_POINTS[1:]}:0:0:1:52:0:0:0:3:10", "at most 15 checkers, got 16"),
        (f"XGID={'A' + '-' * 24 + 'a'}:0:0:1:52:0:0:0:3:10", "slot 25 is the own bar"),
        (f"XGID={START_POINTS}:0:0:0:52:0:0:0:3:10", "turn of an XGID is 1 or -1, got 0"),
        (f"XGID={START_POINTS}:0:2:1:52:0:0:0:3:10", "owner of an XGID is 1, 0 or -1, got 2"),
        (f"XGID={START_POINTS}:-1:0:1:52:0:0:0:3:10", "cube_exponent .* not negative: -1"),
        (f"XGID={START_POINTS}:0:0:1:52:0:0:0:3:-1", "largest cube exponent is -1"),
        (f"XGID={START_POINTS}:0:0:1:70:0:0:0:3:10", "two digits 1..6, D, B or R, got '70'"),
        (f"XGID={START_POINTS}:0:0:1:5:0:0:0:3:10", "got '5'"),
        (f"XGID={START_POINTS}:0:0:1:52:x:0:0:3:10", "bottom score must be a number, got 'x'"),
        (f"XGID={START_POINTS}:0:0:1:52:0:0::3:10", "rules must be a number, got ''"),
    ],
)
def test_an_xgid_with_a_mistake_is_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_xgid(text)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"dice": (3, 1), "mark": "D"}, "dice or a mark"),
        ({"dice": (0, 1)}, "a die must be 1..6"),
        ({"mark": "X"}, "mark of an XGID is D, B or R, got 'X'"),
        ({"match_length": -1}, "match_length .* not negative: -1"),
    ],
)
def test_an_xgid_that_cannot_be_written_is_named(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Xgid(START, **fields)


@pytest.mark.parametrize("text", ["", "start", "4HPwATDgc/ABM", "8/5 6/5", "4HPwATDgc-ABMA"])
def test_a_position_that_is_neither_notation_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="a GNU position id .* or an XGID .*, got"):
        parse_position(text)


def test_a_position_is_read_from_either_notation() -> None:
    for text in (
        "4HPwATDgc/ABMA",
        "4HPwATDgc/ABMA:cAkHAAAAAAAA",
        f"XGID={START_POINTS}:0:0:1:00:0:0:0:0:10",
        f"{START_POINTS}:0:0:-1:00:0:0:0:0:10",
    ):
        board, dice = parse_position(text)
        assert np.array_equal(board, START)
        assert dice is None
    board, dice = parse_position(PAIRS[1][0])
    assert dice == (4, 1)
    own = {24: 1, 15: 2, 13: 2, 11: 2, 8: 2, 6: 6}
    opponent = {4: 1, 5: 2, 12: 2, 16: 1, 17: 3, 18: 2, 19: 4}
    assert np.array_equal(board, board_of(own, opponent))
