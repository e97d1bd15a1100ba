"""The cube as a decision sees it."""

from __future__ import annotations

from typing import Any

import pytest

from bgai.match import CubeState, Owner


def test_anyone_may_double_a_cube_in_the_middle() -> None:
    assert CubeState().may_double()
    assert CubeState().swapped().may_double()


def test_only_the_owner_may_redouble() -> None:
    assert CubeState(2, Owner.PLAYER).may_double()
    assert not CubeState(2, Owner.OPPONENT).may_double()


def test_there_is_no_double_in_the_crawford_game_and_there_is_after_it() -> None:
    crawford = CubeState(away=(3, 1), is_crawford=True)
    assert not crawford.may_double()
    assert not crawford.is_post_crawford
    after = CubeState(away=(3, 1))
    assert after.may_double()
    assert after.is_post_crawford


@pytest.mark.parametrize(
    ("away", "value", "may"), [((2, 5), 2, False), ((1, 5), 1, False), ((3, 5), 2, True)]
)
def test_a_dead_cube_is_not_turned(away: tuple[int, int], value: int, may: bool) -> None:
    owner = Owner.CENTRED if value == 1 else Owner.PLAYER
    assert CubeState(value, owner, away).may_double() is may


def test_the_cube_stops_at_its_cap() -> None:
    assert CubeState(32, Owner.PLAYER).may_double()
    assert not CubeState(64, Owner.PLAYER).may_double()
    assert CubeState(64, Owner.PLAYER, cap=128).may_double()


def test_a_cap_of_1_is_a_game_without_the_cube() -> None:
    assert not CubeState(cap=1).may_double()


def test_a_take_gives_the_cube_at_twice_the_value_to_the_other_player() -> None:
    assert CubeState(2, Owner.PLAYER, (5, 7)).doubled() == CubeState(4, Owner.OPPONENT, (5, 7))


def test_what_may_not_be_doubled_is_not_doubled() -> None:
    with pytest.raises(ValueError, match="may not double"):
        CubeState(2, Owner.OPPONENT).doubled()


def test_the_other_player_sees_owner_and_scores_the_other_way_round() -> None:
    state = CubeState(2, Owner.PLAYER, (3, 5))
    assert state.swapped() == CubeState(2, Owner.OPPONENT, (5, 3))
    assert state.swapped().swapped() == state


def test_a_cube_in_the_middle_may_be_above_1_for_money() -> None:
    assert CubeState(4).may_double()


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"value": 3, "owner": Owner.PLAYER}, "got 3"),
        ({"value": 0}, "got 0"),
        ({"value": 128, "owner": Owner.PLAYER}, "got 128"),
        ({"cap": 48}, "got 48"),
        ({"owner": Owner.OPPONENT}, "opponent"),
        ({"away": (0, 3)}, r"\(0, 3\)"),
        ({"away": (4, -1)}, r"\(4, -1\)"),
        ({"value": 2, "away": (4, 4)}, "got 2 in the middle"),
        ({"is_crawford": True}, "money"),
        ({"is_crawford": True, "away": (2, 3)}, r"\(2, 3\)"),
        ({"is_crawford": True, "away": (1, 3), "value": 2, "owner": Owner.PLAYER}, "got 2"),
        ({"jacoby": True, "away": (3, 3)}, "Jacoby"),
        ({"beavers": True, "away": (3, 3)}, "beaver"),
    ],
)
def test_a_cube_that_no_game_can_have_is_refused(fields: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        CubeState(**fields)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"value": 4, "owner": Owner.PLAYER, "away": (2, 2)}, "a cube to 4 at .2, 2. away"),
        ({"value": 64, "owner": Owner.OPPONENT, "away": (7, 7)}, "a cube to 64"),
        ({"value": 2, "owner": Owner.PLAYER, "away": (2, 1)}, "a cube to 2"),
        ({"away": (1.5, 2)}, "got .1.5, 2."),
        ({"away": (3,)}, "got .3,."),
        ({"away": 3}, "got 3"),
        ({"value": 2.0, "owner": Owner.PLAYER}, "got 2.0"),
        ({"owner": "player"}, "got 'player'"),
        ({"beavers": 5}, "beavers is True or False, got 5"),
        ({"cap": 2**70}, "is at most"),
    ],
)
def test_what_no_game_can_have_is_refused_by_value(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CubeState(**values)


def test_a_cube_that_was_alive_when_it_was_turned_may_be_dead_now() -> None:
    assert not CubeState(2, Owner.PLAYER, away=(2, 2)).may_double()
    assert not CubeState(4, Owner.OPPONENT, away=(3, 2)).may_double()
