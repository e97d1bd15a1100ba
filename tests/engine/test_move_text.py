"""Reading and writing plays."""

from __future__ import annotations

import numpy as np
import pytest

from bgai.engine import (
    BAR,
    OPPONENT_BAR,
    START,
    Board,
    Move,
    format_play,
    legal_plays,
    parse_play,
    swap,
)
from tests.engine.positions import board_of, random_positions

HIT_ON_THE_WAY = board_of({24: 2, 6: 5}, {18: 1, 1: 2})
RUN = board_of({24: 1, 6: 5}, {3: 2})


def same_board(text: str, other: str, board: Board, dice: tuple[int, int]) -> bool:
    return np.array_equal(parse_play(board, dice, text).after, parse_play(board, dice, other).after)


@pytest.mark.parametrize(
    ("board", "moves", "text"),
    [
        (START, [(8, 5), (6, 5)], "8/5 6/5"),
        (START, [(6, 5), (8, 5)], "8/5 6/5"),
        (START, [(24, 18), (18, 13)], "24/13"),
        (START, [(13, 8), (8, 7)], "13/7"),
        (START, [(8, 7), (13, 8)], "13/7"),
        (START, [(13, 7), (13, 7), (8, 2), (8, 2)], "13/7(2) 8/2(2)"),
        (START, [(24, 22), (24, 22), (22, 20), (22, 20)], "24/20(2)"),
        (START, [(6, 4), (24, 22), (22, 20), (20, 18)], "24/18 6/4"),
        (HIT_ON_THE_WAY, [(24, 18), (18, 13)], "24/18*/13"),
        (HIT_ON_THE_WAY, [(24, 19), (19, 13)], "24/13"),
        (HIT_ON_THE_WAY, [(24, 18), (24, 18)], "24/18*(2)"),
        (HIT_ON_THE_WAY, [(24, 18), (24, 18), (18, 12)], "24/18*/12 24/18"),
        (board_of({BAR: 2, 6: 3}, {22: 1, 3: 2}), [(BAR, 22), (BAR, 23)], "bar/23 bar/22*"),
        (board_of({BAR: 1, 6: 3}, {3: 2}), [(BAR, 22), (22, 20)], "bar/20"),
        (board_of({6: 2, 5: 2}, {24: 2}), [(6, 0), (5, 0)], "6/off 5/off"),
        (board_of({6: 4}, {24: 2}), [(6, 0)] * 4, "6/off(4)"),
        (board_of({9: 1}, {24: 2}), [(9, 4), (4, 0)], "9/off"),
        (START, [], "cannot move"),
    ],
)
def test_plays_are_written_as_players_do(
    board: Board, moves: list[tuple[int, int]], text: str
) -> None:
    assert format_play(board, [Move(*move) for move in moves]) == text


def test_every_written_play_is_read_back() -> None:
    boards, dice = random_positions(np.random.default_rng(13), games=30, plies=8)
    for board, roll in zip(boards, dice, strict=True):
        plays = legal_plays(board, roll)
        texts = [format_play(board, play.moves) for play in plays]
        context = f"{board.tolist()} with {roll.tolist()}"
        assert len(set(texts)) == len(texts), f"two plays are written alike: {context}"
        for play, text in list(zip(plays, texts, strict=True))[:: max(1, len(plays) // 4)]:
            read = parse_play(board, roll, text)
            assert np.array_equal(read.after, play.after), f"{text}: {context}"


@pytest.mark.parametrize(
    ("dice", "text", "usual"),
    [
        ((3, 1), "6/5 8/5", "8/5 6/5"),
        ((3, 1), "  8/5,6/5 ", "8/5 6/5"),
        ((6, 5), "24/18 18/13", "24/13"),
        ((6, 5), "24/18/13", "24/13"),
        ((5, 5), "13/3(2)", "13/8 13/8 8/3 8/3"),
        ((5, 5), "13/8(2) 8/3(2)", "13/3(2)"),
        ((5, 5), "13/8(2) 13/3", "13/8(3) 8/3"),
        ((6, 1), "13/7 8/7", "8/7 13/7"),
    ],
)
def test_order_and_legs_do_not_matter(dice: tuple[int, int], text: str, usual: str) -> None:
    assert same_board(text, usual, START, dice)


def test_two_ways_to_the_same_board_are_the_same_play() -> None:
    board = board_of({7: 2, 6: 2, 2: 2}, {24: 2})
    assert same_board("7/2 2/1", "7/6 6/1", board, (5, 1))
    assert same_board("7/1", "7/6 6/1", board, (5, 1))


@pytest.mark.parametrize("text", ["bar/22 24/23", "25/22 24/23", "Bar/22 24/23", "BAR/22 24/23"])
def test_the_bar_is_the_movers_own_bar(text: str) -> None:
    board = board_of({BAR: 1, 24: 1, 6: 5}, {OPPONENT_BAR: 1, 1: 2})
    assert np.array_equal(
        swap(parse_play(board, (3, 1), text).after),
        board_of({22: 1, 23: 1, 6: 5}, {OPPONENT_BAR: 1, 1: 2}),
    )


def test_both_players_enter_from_their_own_bar() -> None:
    board = board_of({BAR: 1, 6: 5}, {OPPONENT_BAR: 1, 19: 5})
    after = parse_play(board, (5, 2), "bar/20 6/4").after
    assert after[BAR] == 1
    assert parse_play(after, (5, 2), "bar/20 6/4").after[OPPONENT_BAR] == 0


@pytest.mark.parametrize("text", ["4/off 3/off", "4/0 3/0", "4/Off 3/OFF", "3/0 4/off"])
def test_off_may_be_written_as_zero(text: str) -> None:
    board = board_of({4: 1, 3: 2}, {24: 2})
    assert parse_play(board, (4, 3), text).moves == (Move(4, 0), Move(3, 0))


def test_a_merged_move_may_bear_off_with_pips_to_spare() -> None:
    board = board_of({9: 1, 1: 1}, {24: 2})
    assert parse_play(board, (6, 5), "9/Off").moves in (
        (Move(9, 3), Move(3, 0)),
        (Move(9, 4), Move(4, 0)),
    )


def test_a_merged_move_does_not_hit_on_the_way_unless_that_is_written() -> None:
    assert parse_play(HIT_ON_THE_WAY, (6, 5), "24/13").after[BAR] == 0
    assert parse_play(HIT_ON_THE_WAY, (6, 5), "24/18*/13").after[BAR] == 1
    assert parse_play(HIT_ON_THE_WAY, (6, 5), "24/18/13").after[BAR] == 1
    assert parse_play(HIT_ON_THE_WAY, (6, 5), "24/18* 18/13").after[BAR] == 1


def test_a_merged_move_hits_on_the_way_where_there_is_no_other() -> None:
    board = board_of({24: 1, 6: 5}, {18: 1, 19: 2})
    play = parse_play(board, (6, 5), "24/13")
    assert play.moves == (Move(24, 18), Move(18, 13))
    assert play.after[BAR] == 1
    both_hit = board_of({24: 1, 6: 5}, {18: 1, 19: 1, 1: 2})
    assert parse_play(both_hit, (6, 5), "24/13").moves == (Move(24, 18), Move(18, 13))
    assert parse_play(both_hit, (6, 5), "24/19/13").moves == (Move(24, 19), Move(19, 13))


@pytest.mark.parametrize(
    "text", ["24/18", "24/18*", "24/18(1)"], ids=["star left out", "star", "counted once"]
)
def test_a_missing_star_changes_nothing(text: str) -> None:
    board = board_of({24: 1, 6: 2}, {18: 1, 1: 2, 13: 2, 4: 2, 5: 2, 7: 2, 12: 2})
    assert parse_play(board, (6, 5), text).after[BAR] == 1


@pytest.mark.parametrize("text", ["24/18*(2)", "24/18(2)*", "24/18* 24/18", "24/18 24/18*"])
def test_the_star_of_two_checkers_may_stand_at_either(text: str) -> None:
    board = board_of({24: 2}, {18: 1, 12: 2})
    assert parse_play(board, (6, 6), text).moves == (Move(24, 18), Move(24, 18))


def test_a_star_where_nothing_is_hit_is_not_legal() -> None:
    with pytest.raises(ValueError, match=r"'24/13\*' is not legal with the roll 6-5"):
        parse_play(HIT_ON_THE_WAY, (6, 5), "24/13*")


@pytest.mark.parametrize(
    "text", ["", " ", "cannot move", "Cannot Move", "pass", "(no play)", "dance"]
)
def test_a_dance_is_a_play_without_moves(text: str) -> None:
    board = board_of({BAR: 1, 6: 14}, dict.fromkeys(range(19, 25), 2))
    play = parse_play(board, (6, 5), text)
    assert play.moves == ()
    assert np.array_equal(play.after, swap(board))


def test_the_word_pass_after_moves_is_ignored() -> None:
    board = board_of({BAR: 2, 6: 3}, {22: 2, 1: 2})
    assert parse_play(board, (3, 1), "Bar/24 Pass").moves == (Move(BAR, 24),)


def test_a_dance_is_not_legal_where_a_move_can_be_made() -> None:
    with pytest.raises(ValueError, match=r"a dance \('pass'\) is not legal with the roll 3-1"):
        parse_play(START, (3, 1), "pass")


@pytest.mark.parametrize(
    ("text", "dice"),
    [
        ("8/5", (3, 1)),
        ("8/5 8/5", (3, 1)),
        ("8/4 6/5", (3, 1)),
        ("8/5 6/3", (5, 1)),
        ("24/18 18/12", (6, 6)),
        ("24/19 19/13", (6, 5)),
        ("7/4 6/5", (3, 1)),
        ("bar/22 6/5", (3, 1)),
        ("6/off", (6, 5)),
        ("8/7 7/6 6/5 5/4", (2, 1)),
    ],
)
def test_a_play_that_the_rules_forbid_is_named(text: str, dice: tuple[int, int]) -> None:
    message = f"'{text}' is not legal with the roll {dice[0]}-{dice[1]}"
    with pytest.raises(ValueError, match=message):
        parse_play(START, dice, text)


def test_a_way_over_a_held_point_is_not_legal_as_written() -> None:
    assert parse_play(RUN, (5, 2), "6/4 24/19").after.any()
    board = board_of({7: 2, 6: 2, 1: 1}, {2: 2})
    with pytest.raises(ValueError, match="'7/2 2/1' is not legal"):
        parse_play(board, (5, 1), "7/2 2/1")
    assert parse_play(board, (5, 1), "7/6 6/1").moves


@pytest.mark.parametrize(
    "text",
    ["8-5", "8/5 x", "8", "8/", "/5", "8/5(0)", "8/5(a)", "5/8", "8/8", "8*/5", "26/20", "99/3"]
    + ["off/3", "8/bar", "0/3", "8//5", "bar/bar", "31: 8/5 6/5", "????"],
)
def test_text_that_is_no_play_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="cannot read"):
        parse_play(START, (3, 1), text)


def test_more_than_four_moves_are_no_play() -> None:
    with pytest.raises(ValueError, match=r"at most 4 moves, got '8/7\(9\)'"):
        parse_play(START, (1, 1), "8/7(9)")


def test_wrong_dice_are_named() -> None:
    with pytest.raises(ValueError, match="a die must be 1..6, got 7"):
        parse_play(START, (7, 1), "8/7")
