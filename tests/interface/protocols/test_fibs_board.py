"""FIBS board lines, in and out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bgai.engine import START, swap
from bgai.interface.protocols.fibs_board import (
    ASCENDING,
    DESCENDING,
    O_SIDE,
    X_SIDE,
    fibs_board_of,
    format_fibs_board,
    parse_fibs_board,
    state_from_fibs_board,
)
from bgai.match import (
    Decision,
    MatchState,
    Rules,
    beaver,
    double,
    money_rules,
    new_session,
    resign,
    roll_dice,
)
from tests.interface.protocols.sessions import wild_record
from tests.match.states import on_roll

# the example of the FIBS client protocol specification, rolled 6 2 by O, who plays 24 to 1
FIBS_EXAMPLE = (
    "board:You:someplayer:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:"
    "1:6:2:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0"
)
WRITABLE = (Decision.ROLL, Decision.PLAY, Decision.ANSWER_DOUBLE)


def random_states() -> list[MatchState]:
    """States of wild sessions that a line can tell."""
    rules = [Rules(3), Rules(7), Rules(5, crawford=False), Rules(1), money_rules()]
    return [
        step.after
        for seed, kind in enumerate(rules)
        for step in wild_record(seed, kind, most_games=4).steps
        if step.after.decision in WRITABLE
    ]


def test_the_example_of_the_specification_is_the_start_with_6_2() -> None:
    state = state_from_fibs_board(parse_fibs_board(FIBS_EXAMPLE))
    assert np.array_equal(state.board, START)
    assert (state.turn, state.dice, state.decision) == (0, (6, 2), Decision.PLAY)
    assert state.rules == Rules(3)
    assert state_from_fibs_board(parse_fibs_board(FIBS_EXAMPLE), viewer=1).turn == 1


def test_reading_and_writing_a_line_changes_nothing() -> None:
    assert format_fibs_board(parse_fibs_board(FIBS_EXAMPLE)) == FIBS_EXAMPLE
    told = fibs_board_of(
        state_from_fibs_board(parse_fibs_board(FIBS_EXAMPLE)), names=("You", "someplayer")
    )
    assert format_fibs_board(told) == FIBS_EXAMPLE


@pytest.mark.parametrize("direction", [DESCENDING, ASCENDING])
@pytest.mark.parametrize("color", [O_SIDE, X_SIDE])
@pytest.mark.parametrize("viewer", [0, 1])
def test_states_of_random_matches_are_read_back(viewer: int, color: int, direction: int) -> None:
    states = random_states()
    assert {state.decision for state in states} == set(WRITABLE)
    for state in states:
        line = format_fibs_board(fibs_board_of(state, viewer, color=color, direction=direction))
        read = state_from_fibs_board(parse_fibs_board(line), viewer)
        # a line tells no Crawford rule before a player is 1 away
        rules = read.rules if 1 not in (state.away or ()) else state.rules
        assert read == replace(state, rules=rules, games_played=0, declined=0), line


def test_the_other_player_sees_the_same_state() -> None:
    for state in random_states()[::7]:
        mine, theirs = (fibs_board_of(state, viewer) for viewer in (0, 1))
        rules = state_from_fibs_board(mine).rules
        assert state_from_fibs_board(mine, 0) == state_from_fibs_board(theirs, 1)
        assert state_from_fibs_board(theirs, 1).rules == rules
        assert mine.points == tuple(np.negative(theirs.points)[::-1])


def test_a_line_of_the_other_sides_turn_is_seen_by_the_mover() -> None:
    text = FIBS_EXAMPLE.replace(":1:6:2:0:0:", ":-1:0:0:6:2:").replace("5:0:3:0:0", "6:0:2:0:0")
    state = state_from_fibs_board(parse_fibs_board(text))
    assert (state.turn, state.dice) == (1, (6, 2))
    viewed = START.copy()
    viewed[6], viewed[8] = 6, 2
    assert np.array_equal(state.board, swap(viewed))


def test_dice_of_the_last_turn_are_not_to_be_played() -> None:
    text = FIBS_EXAMPLE.replace(":1:6:2:0:0:", ":1:0:0:5:3:")
    assert state_from_fibs_board(parse_fibs_board(text)).decision is Decision.ROLL


def test_9999_points_and_0_points_are_money() -> None:
    for length in ("9999", "0"):
        text = FIBS_EXAMPLE.replace(":3:0:0:", f":{length}:4:1:", 1)
        state = state_from_fibs_board(parse_fibs_board(text), jacoby=True, beavers=True)
        assert state.rules == money_rules(jacoby=True, beavers=True)
        assert state.score == (4, 1)


@pytest.mark.parametrize(
    ("last_fields", "is_crawford"),
    [("0:0:0", True), ("0:1:0", False), ("3:0:0", False), ("0:0:1", False)],
)
def test_crawford_is_read_from_the_last_fields(last_fields: str, is_crawford: bool) -> None:
    text = FIBS_EXAMPLE.replace(":3:0:0:", ":3:2:0:", 1).removesuffix("0:0:0") + last_fields
    state = state_from_fibs_board(parse_fibs_board(text))
    assert state.is_crawford is is_crawford
    assert state.rules.crawford is (last_fields != "3:0:0")


def test_the_doubler_is_told_of_the_double_by_two_flags_of_0() -> None:
    state = double(on_roll(Rules(7), score=(2, 1), cube_value=2, cube_owner=0))
    doubler, doubled = fibs_board_of(state, 0), fibs_board_of(state, 1)
    assert (doubler.player_may_double, doubler.opponent_may_double) == (0, 0)
    assert (doubler.was_doubled, doubled.was_doubled) == (0, 1)
    assert state_from_fibs_board(doubler, 0) == state == state_from_fibs_board(doubled, 1)


def test_a_bar_without_its_sign_is_read() -> None:
    entering = "board:You:o:0:0:0:1:" + FIBS_EXAMPLE.split(":3:0:0:0:", 1)[1].replace("-2", "-1", 1)
    state = state_from_fibs_board(parse_fibs_board(entering))
    assert state.position[0] == -1


@pytest.mark.parametrize(
    "state",
    [
        new_session(Rules()),
        resign(on_roll(), 1),
        resign(roll_dice(on_roll(), (6, 5)), 1),
        beaver(double(on_roll(money_rules(beavers=True)))),
    ],
)
def test_what_a_line_cannot_say_is_refused(state: MatchState) -> None:
    with pytest.raises(ValueError, match=state.decision.value):
        fibs_board_of(state)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "0 values"),
        ("bard:You", "'bard'"),
        (FIBS_EXAMPLE + ":0", "53 values"),
        (FIBS_EXAMPLE.replace(":6:2:", ":6:x:"), "'x'"),
        (FIBS_EXAMPLE.replace(":6:2:", ":6:7:"), r"\(6, 7\)"),
        (FIBS_EXAMPLE.replace(":6:2:", ":6:0:"), r"\(6, 0\)"),
        (FIBS_EXAMPLE.replace(":1:6:2:", ":2:6:2:"), "got 2"),
        (FIBS_EXAMPLE.replace(":0:1:-1:0:25", ":0:0:-1:0:25"), "color"),
        (FIBS_EXAMPLE.replace(":0:1:-1:0:25", ":0:1:3:0:25"), "direction"),
        (FIBS_EXAMPLE.replace(":1:6:2:", ":0:6:2:"), "turn 0"),
        (FIBS_EXAMPLE.replace(":5:0:3:", ":9:0:3:"), "15 checkers"),
        (FIBS_EXAMPLE.replace(":3:0:0:", ":3:3:0:", 1), r"\(3, 0\)"),
        (FIBS_EXAMPLE.replace(":1:1:1:0:1:-1:", ":3:1:1:0:1:-1:"), "got 3"),
    ],
)
def test_a_line_that_no_game_can_come_to_is_refused(text: str, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        state_from_fibs_board(parse_fibs_board(text))


def test_a_colon_in_a_name_does_not_break_the_line() -> None:
    line = format_fibs_board(fibs_board_of(on_roll(), names=("a:b", "c")))
    assert parse_fibs_board(line).player == "a_b"
