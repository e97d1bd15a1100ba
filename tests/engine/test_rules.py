"""The worked examples of the rules, turn by turn."""

from __future__ import annotations

import numpy as np
import pytest

from bgai.engine import (
    BAR,
    OPPONENT_BAR,
    POINTS_WON,
    START,
    UNFINISHED,
    Board,
    borne_off,
    legal_plays,
    outcomes,
    parse_play,
    pip_counts,
    swap,
)
from tests.engine.positions import board_of


def pips(board: Board) -> tuple[int, int]:
    own, opponent = pip_counts(board)
    return int(own), int(opponent)


def test_the_start_has_167_pips_a_side() -> None:
    assert pips(START) == (167, 167)
    assert np.array_equal(swap(START), START)


def test_an_opening_31_makes_the_five_point_and_the_reply_65_runs() -> None:
    after = parse_play(START, (3, 1), "8/5 6/5").after
    assert pips(after) == (167, 163)
    then = parse_play(after, (6, 5), "24/13").after
    assert pips(then) == (163, 156)


def test_31_hits_and_the_hit_checker_enters() -> None:
    board = board_of({24: 2, 13: 5, 8: 3, 6: 4, 5: 1}, {1: 2, 10: 1, 12: 5, 17: 3, 19: 4})
    assert pips(board) == (166, 176)
    after = parse_play(board, (3, 1), "13/10* 6/5").after
    assert pips(after) == (186, 162)
    assert after[BAR] == 1
    then = parse_play(after, (6, 2), "bar/23 13/7").after
    assert pips(then) == (162, 178)
    assert then[OPPONENT_BAR] == 0


def test_65_bears_off_two_checkers() -> None:
    board = board_of(
        {6: 2, 5: 2, 4: 2, 3: 1, 2: 1, 1: 1}, {19: 3, 20: 3, 21: 3, 22: 2, 23: 2, 24: 2}
    )
    assert pips(board) == (36, 57)
    assert [int(off) for off in borne_off(board)] == [6, 0]
    after = parse_play(board, (6, 5), "6/off 5/off").after
    assert pips(after) == (57, 25)
    assert [int(off) for off in borne_off(after)] == [0, 8]


@pytest.mark.parametrize(
    ("loser", "cube", "points"),
    [
        ({19: 14}, 1, 1),
        ({19: 15}, 2, 4),
        ({19: 14, 1: 1}, 4, 12),
        ({19: 14, OPPONENT_BAR: 1}, 4, 12),
    ],
    ids=["single", "gammon", "backgammon in the winner's home", "backgammon on the bar"],
)
def test_a_win_counts_one_two_or_three_times_the_cube(
    loser: dict[int, int], cube: int, points: int
) -> None:
    won = board_of({}, loser)
    assert cube * POINTS_WON[outcomes(won)] == points
    assert cube * POINTS_WON[outcomes(swap(won))] == -points


def test_against_six_closed_points_a_checker_on_the_bar_cannot_move() -> None:
    board = board_of({BAR: 1, 13: 14}, dict.fromkeys(range(19, 25), 2))
    for first in range(1, 7):
        for second in range(1, 7):
            (play,) = legal_plays(board, (first, second))
            assert play.moves == ()
            assert np.array_equal(play.after, swap(board))


def test_one_checker_may_use_three_sixes_and_another_the_fourth() -> None:
    # as at the start, but nothing stands on 18 or 12
    board = board_of({24: 2, 13: 5, 8: 3, 6: 5}, {1: 2, 17: 3, 20: 10})
    after = parse_play(board, (6, 6), "24/6 13/7").after
    assert np.array_equal(
        swap(after), board_of({24: 1, 13: 4, 8: 3, 7: 1, 6: 6}, {1: 2, 17: 3, 20: 10})
    )
    with pytest.raises(ValueError, match="not legal with the roll 6-6"):
        parse_play(board, (6, 6), "24/off")


def test_a_game_is_over_only_when_a_side_has_no_checker_left() -> None:
    assert outcomes(START) == UNFINISHED
    assert outcomes(board_of({1: 1}, {24: 1})) == UNFINISHED
