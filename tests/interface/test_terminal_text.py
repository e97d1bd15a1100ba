"""What is typed and what is drawn in the terminal: dice, moves and boards as text."""

from __future__ import annotations

import numpy as np
import pytest

from bgai.cube import CubeModel
from bgai.engine import START
from bgai.engine.moves import Move
from bgai.interface.table import Turn
from bgai.interface.terminal.advice import cube_lines
from bgai.interface.terminal.board_text import BoardView
from bgai.interface.terminal.entry import parse_roll, parse_some_moves
from bgai.interface.texts import load_texts
from bgai.interface.texts.board_words import Side, describe_board
from bgai.match import CubeState, position_of
from bgai.match.state import START_POSITION
from tests.engine.positions import board_of

ENGLISH = load_texts("en")
YOU, BOT = Side("You", is_you=True), Side("Bot")

# -- what is typed


@pytest.mark.parametrize(
    "text", ["31", "3-1", "3 1", " 3,1 ", "\u0663\u0661", "\u0663\u060c \u0661", "\u06f3-\u06f1"]
)
def test_dice_are_typed_as_people_write_them(text: str) -> None:
    assert parse_roll(text) == (3, 1)


@pytest.mark.parametrize("text", ["", "3", "37", "331", "three one", "\u0663\u0667"])
def test_other_dice_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="dice are written like"):
        parse_roll(text)


def test_some_moves_of_a_turn_are_read_in_order() -> None:
    turn = Turn(START_POSITION, (6, 1))
    assert parse_some_moves(turn, "24/18") == (Move(24, 18),)
    assert parse_some_moves(turn, "13/6") == (Move(13, 7), Move(7, 6))
    assert parse_some_moves(turn.with_move(Move(13, 7)), "7/6") == (Move(7, 6),)
    twos = Turn(START_POSITION, (2, 2))
    assert parse_some_moves(twos, "6/4(2)") == (Move(6, 4), Move(6, 4))
    on_bar = Turn(position_of(board_of({25: 1, 24: 1, 6: 13}, {1: 15})), (6, 3))
    assert parse_some_moves(on_bar, "bar/22") == (Move(25, 22),)


@pytest.mark.parametrize("text", ["24/19", "5/4", "x/3", "8/7*/6", "24/18 24/18"])
def test_moves_that_cannot_be_made_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"got|cannot be played"):
        parse_some_moves(Turn(START_POSITION, (6, 1)), text)


# -- what is shown


def busy_board() -> np.ndarray:
    board = np.zeros(26, np.int8)
    board[[25, 6, 24]] = 2, 9, 2
    board[[0, 1, 12, 19]] = -1, -3, -6, -4
    return board


def test_the_drawn_board_fits_80_columns_and_counts_tall_points() -> None:
    for style in ("unicode", "ascii"):
        view = BoardView(ENGLISH, style)
        long = Side("a bot with a very long name " * 3, 12345)
        text = view.show(busy_board(), YOU, long, ["x" * 40] * 5)
        lines = text.splitlines()
        assert len(lines) == 13
        assert max(map(len, lines)) <= 80
        own_row = lines[7]
        assert " 9 " in own_row and " 6 " in own_row
        assert "pips" in text and "off 2" in text and "score 12345" in text


def test_ascii_is_ascii_and_colour_is_optional() -> None:
    board = busy_board()
    assert BoardView(ENGLISH, "ascii").show(board, YOU, BOT).isascii()
    assert "\x1b" not in BoardView(ENGLISH, "unicode").show(board, YOU, BOT)
    assert "\x1b[" in BoardView(ENGLISH, "unicode", colour=True).show(board, YOU, BOT)


def test_home_on_the_left_mirrors_the_columns() -> None:
    right = BoardView(ENGLISH, "ascii").show(START, YOU, BOT).splitlines()
    left = BoardView(ENGLISH, "ascii", home="left").show(START, YOU, BOT).splitlines()
    assert right[0].index("13") < right[0].index("24")
    assert left[0].index("13") > left[0].index("24")
    assert [sorted(line[:44]) for line in left] == [sorted(line[:44]) for line in right]


def test_the_board_of_a_language_from_the_right_is_drawn_as_any_other() -> None:
    rows = BoardView(load_texts("ar"), "ascii").show(START, YOU, BOT).splitlines()[1:14]
    english = BoardView(ENGLISH, "ascii").show(START, YOU, BOT).splitlines()
    assert rows == [line[: len(rows[0])].rstrip() for line in english]


def test_the_board_in_words_names_bar_and_off_of_both_sides() -> None:
    told = describe_board(ENGLISH, busy_board(), YOU, BOT).splitlines()
    assert told[0] == "Yours: 2 on 24, 9 on 6, bar 2, off 2, pips 152."
    assert told[1] == "Bot: 4 on 19, 6 on 12, 3 on 1, bar 1, off 1, pips 199."


def test_signed_numbers_keep_their_order_in_a_line_from_the_right() -> None:
    probs = np.array([0.4, 0.1, 0.01, 0.38, 0.1, 0.01], np.float32)
    decision = CubeModel().decide(probs, START, CubeState(away=(3, 5)))
    lines = cube_lines(load_texts("ar"), decision)
    assert f"\u2068{decision.nd:+8.3f}\u2069" in lines[1] and lines[1].endswith("%\u2069")
    assert "\u2068" not in "".join(cube_lines(ENGLISH, decision))
