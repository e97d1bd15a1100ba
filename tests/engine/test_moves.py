"""Turns made one move at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bgai.engine import (
    BAR,
    OFF,
    ROLLS,
    START,
    Board,
    Move,
    board_from_position_id,
    dice_after_move,
    dice_of_roll,
    is_hit,
    legal_afterstates,
    legal_moves,
    legal_plays,
    make_move,
    plays_to,
    swap,
)
from bgai.engine.moves import Position, _moved, _moves_of_die, _without, as_position
from tests.engine.positions import board_of, random_positions

AWAY = {24: 1}  # an opponent who is in nobody's way


def boards_at_the_end_of_the_turn(board: Board, dice: tuple[int, ...]) -> set[bytes]:
    """Where offering `legal_moves` until there are none leads, seen by the mover."""
    states = {(board.tobytes(), dice)}
    ends = set()
    while states:
        data, left = states.pop()
        reached = np.frombuffer(data, np.int8)
        moves = legal_moves(reached, left)
        if not moves:
            ends.add(data)
        for move in moves:
            states.add((make_move(reached, move).tobytes(), dice_after_move(left, move)))
    return ends


def test_moves_made_until_none_is_left_reach_the_afterstates_and_nothing_else() -> None:
    boards, dice = random_positions(np.random.default_rng(11), games=30, plies=8)
    for board, roll in zip(boards, dice, strict=True):
        after, _ = legal_afterstates(board[None], roll[None])
        expected = {row.tobytes() for row in swap(after)}
        found = boards_at_the_end_of_the_turn(board, dice_of_roll(roll))
        assert found == expected, f"{board.tolist()} with {roll.tolist()}"


def test_there_is_one_play_for_every_afterstate_in_the_same_order() -> None:
    boards, dice = random_positions(np.random.default_rng(12), games=30, plies=8)
    for board, roll in zip(boards, dice, strict=True):
        after, _ = legal_afterstates(board[None], roll[None])
        plays = legal_plays(board, roll)
        context = f"{board.tolist()} with {roll.tolist()}"
        assert np.array_equal(np.stack([play.after for play in plays]), after), context
        for play in plays[:: max(1, len(plays) // 8)]:
            reached, left = board, dice_of_roll(roll)
            for move in play.moves:
                assert move in legal_moves(reached, left), context
                left = dice_after_move(left, move)
                reached = make_move(reached, move)
            assert legal_moves(reached, left) == [], context
            assert np.array_equal(swap(reached), play.after), context


def test_a_play_shows_the_larger_die_and_the_rearmost_checker_first() -> None:
    by_after = {play.after.tobytes(): play.moves for play in legal_plays(START, (1, 3))}
    made = make_move(make_move(START, Move(8, 5)), Move(6, 5))
    assert by_after[swap(made).tobytes()] == (Move(8, 5), Move(6, 5))
    run = make_move(START, Move(24, 20))
    assert by_after[swap(run).tobytes()] == (Move(24, 21), Move(21, 20))


def test_the_plays_to_some_boards_are_those_of_the_whole_list() -> None:
    boards, rolls = random_positions(np.random.default_rng(7), 40, 10)
    for board, roll in zip(boards, rolls, strict=True):
        plays = legal_plays(board, roll)
        some = plays[::-2]
        found = plays_to(board, roll, np.stack([play.after for play in some]))
        assert [play.moves for play in found] == [play.moves for play in some]


def test_a_play_is_the_first_of_its_ways_larger_die_and_rearmost_checkers_first() -> None:
    boards, rolls = random_positions(np.random.default_rng(8), 40, 10)
    for board, roll in zip(boards, rolls, strict=True):
        ways = first_ways(board, dice_of_roll(roll))
        for play in legal_plays(board, roll):
            assert play.moves == ways[tuple(swap(play.after).tolist())]


def first_ways(board: Board, dice: tuple[int, ...]) -> dict[Position, tuple[Move, ...]]:
    """By every board that a turn can leave, the mover's view, the first way there."""
    ways: dict[tuple[Position, tuple[int, ...]], tuple[Move, ...]]
    longer = {(as_position(board), dice): tuple[Move, ...]()}
    while longer:
        ways, longer = longer, {}
        for (reached, left), moves in ways.items():
            for die in dict.fromkeys(left):  # the larger first
                for move in _moves_of_die(reached, die):
                    state = _moved(reached, move), _without(left, die)
                    longer.setdefault(state, (*moves, move))
    # of one die left over, the smaller: the larger is played
    fewest = min(left for _, left in ways)
    return {reached: moves for (reached, left), moves in ways.items() if left == fewest}


def test_a_dance_is_one_play_without_moves() -> None:
    board = board_of({BAR: 1, 6: 14}, dict.fromkeys(range(19, 25), 2))
    (play,) = legal_plays(board, (4, 2))
    assert play.moves == ()
    assert np.array_equal(play.after, swap(board))
    assert legal_moves(board, (4, 2)) == []


def test_a_first_move_that_would_lose_the_other_die_is_not_offered() -> None:
    board = board_from_position_id("MAADAAABQAAAAA")  # after bar/22 no two could be played
    assert legal_moves(board, (3, 2)) == [Move(BAR, 23)]
    assert legal_moves(board, (3,)) == [Move(BAR, 22)]
    assert legal_moves(make_move(board, Move(BAR, 23)), (3,)) == [Move(12, 9)]


def test_of_two_dice_that_exclude_each_other_only_the_larger_is_offered() -> None:
    board = board_from_position_id("MAAAAAAACAAAAA")
    assert [move.start - move.end for move in legal_moves(board, (3, 2))] == [3]
    assert [move.start - move.end for move in legal_moves(board, (2,))] == [2]


def test_the_smaller_die_is_offered_where_it_alone_can_be_played() -> None:
    board = board_from_position_id("AADAAAYAAAAAAA")
    assert [move.start - move.end for move in legal_moves(board, (5, 2))] == [2]


def test_after_the_first_die_only_the_other_is_offered() -> None:
    made = make_move(START, Move(8, 5))
    left = dice_after_move((3, 1), Move(8, 5))
    assert left == (1,)
    assert {move.start - move.end for move in legal_moves(made, left)} == {1}


def test_a_checker_on_the_bar_must_enter_first() -> None:
    board = board_of({BAR: 2, 6: 13}, AWAY)
    assert legal_moves(board, (3, 1)) == [Move(BAR, 24), Move(BAR, 22)]
    entered = make_move(board, Move(BAR, 24))
    assert legal_moves(entered, (3,)) == [Move(BAR, 22)]
    assert legal_moves(make_move(entered, Move(BAR, 22)), (3,)) == [
        Move(24, 21),
        Move(22, 19),
        Move(6, 3),
    ]


def test_bearing_off_is_offered_only_with_all_checkers_home() -> None:
    board = board_of({7: 1, 6: 2, 2: 1}, AWAY)
    assert Move(6, OFF) not in legal_moves(board, (6, 1))
    assert Move(6, OFF) in legal_moves(make_move(board, Move(7, 6)), (6,))


def test_a_larger_die_bears_off_only_from_the_highest_point() -> None:
    board = board_of({4: 1, 2: 1}, AWAY)
    assert legal_moves(board, (5,)) == [Move(4, OFF)]
    assert legal_moves(board, (3,)) == [Move(4, 1)]
    assert legal_moves(board, (2,)) == [Move(4, 2), Move(2, OFF)]


def test_the_last_checker_uses_both_dice_where_it_can() -> None:
    board = board_of({4: 1}, AWAY)
    assert legal_moves(board, (6, 2)) == [Move(4, 2)]
    assert legal_moves(board, (6, 5)) == [Move(4, OFF)]


def test_nothing_is_offered_when_the_game_is_over_in_mid_turn() -> None:
    board = make_move(board_of({1: 1}, AWAY), Move(1, OFF))
    assert legal_moves(board, (1, 1, 1)) == []


def test_all_four_of_a_double_or_as_many_as_can_be_are_played() -> None:
    board = board_of({13: 2, 6: 2}, {5: 2, 24: 2})
    assert {len(play.moves) for play in legal_plays(board, (4, 4))} == {4}
    blocked = board_of({13: 1, 6: 2}, {5: 2, 2: 2, 24: 2})
    assert [play.moves for play in legal_plays(blocked, (4, 4))] == [(Move(13, 9),)]


def test_a_move_onto_a_blot_hits_it() -> None:
    board = board_of({13: 1, 6: 1}, {10: 1, 24: 2})
    assert is_hit(board, Move(13, 10))
    assert not is_hit(board, Move(13, 9))
    assert np.array_equal(make_move(board, Move(13, 10)), board_of({10: 1, 6: 1}, {0: 1, 24: 2}))


def test_bearing_off_hits_nobody() -> None:
    board = board_of({1: 1}, {0: 1, 24: 1})
    assert not is_hit(board, Move(1, OFF))
    assert np.array_equal(make_move(board, Move(1, OFF)), board_of({}, {0: 1, 24: 1}))


def test_a_move_does_not_change_the_board_it_is_made_on() -> None:
    board = START.copy()
    make_move(board, Move(24, 23))
    assert np.array_equal(board, START)


@pytest.mark.parametrize(
    ("move", "message"),
    [
        (Move(7, 6), "no checker to move on 7"),
        (Move(12, 11), "no checker to move on 12"),
        (Move(6, 1), "6/1 lands on a point the opponent holds"),
        (Move(6, 8), "from 25..1 down to 24..0, got 6/8"),
        (Move(6, 6), "got 6/6"),
        (Move(26, 20), "got 26/20"),
        (Move(6, -1), "got 6/-1"),
    ],
)
def test_a_move_that_cannot_be_made_is_named(move: Move, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_move(START.copy() if move != Move(6, 1) else board_of({6: 1}, {1: 2}), move)


@pytest.mark.parametrize(
    ("dice", "move", "left"),
    [
        ((6, 5), Move(24, 18), (5,)),
        ((5, 6), Move(24, 19), (6,)),
        ((3, 3, 3, 3), Move(8, 5), (3, 3, 3)),
        ((6, 4), Move(4, OFF), (6,)),
        ((6, 4), Move(3, OFF), (6,)),
        ((6, 2), Move(3, OFF), (2,)),
        ((6,), Move(BAR, 19), ()),
    ],
)
def test_a_move_uses_the_die_of_its_distance_or_a_larger_one_to_bear_off(
    dice: tuple[int, ...], move: Move, left: tuple[int, ...]
) -> None:
    assert dice_after_move(dice, move) == left


@pytest.mark.parametrize("move", [Move(8, 4), Move(5, OFF)])
def test_a_move_that_no_die_makes_is_named(move: Move) -> None:
    with pytest.raises(ValueError, match=rf"{move.start}/{move.end} is not a move of the dice"):
        dice_after_move((3, 1), move)


@pytest.mark.parametrize(
    ("board", "dice", "message"),
    [
        (START, (7,), "a die must be 1..6"),
        (START, (0, 3), "a die must be 1..6"),
        (START, (3, 2, 1), "two dice, or up to four equal ones"),
        (START, (2, 2, 2, 2, 2), "two dice, or up to four equal ones"),
        (START[:25], (3, 1), "a board has 26 numbers"),
    ],
)
def test_what_cannot_be_left_of_a_roll_is_named(board: Any, dice: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        legal_moves(board, dice)


def test_a_roll_lets_a_player_move_two_dice_or_four_equal_ones() -> None:
    for first, second in ROLLS.tolist():
        expected = (first,) * 4 if first == second else (first, second)
        assert dice_of_roll((second, first)) == expected
