"""GNU match ids and whole XGIDs, in and out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from bgai.engine import board_from_position_id
from bgai.match import (
    Decision,
    GnuMatchId,
    MatchState,
    Rules,
    beaver,
    double,
    format_match_id,
    gnu_id_of,
    money_rules,
    new_session,
    parse_match_id,
    pass_double,
    raccoon,
    resign,
    roll_dice,
    state_from_gnu_id,
    state_from_xgid,
    xgid_of,
)
from tests.match.states import MONEY, on_roll

# pairs that GNU Backgammon 1.07.001 converts into each other
PAIRS = [
    ("-aa---EBB---dDa--c-e----B-:0:0:1:16:0:0:3:0:8", "4HPkASjg2+ABMA:cAkHAAAAAAAA"),
    ("----abF-B--BbB-Bacbd----A-:0:0:1:41:1:0:0:11:10", "4O3CgAXgZ8wMIA:cAlmAQAACAAE"),
    ("--CBCBC------B--b--cabbcb-:1:1:1:21:0:0:0:0:8", "u61jAAButwMGAA:UQkFAAAAAAAE"),
]
TOP_ROLLS = "XGID=-A-Bb-DBB---bBa---bcbbaA-A:0:0:-1:00:4:0:0:0:8"
START_POINTS = "-b----E-C---eE---c-e----B-"


@pytest.mark.parametrize(("xgid", "gnu_id"), PAIRS)
def test_an_xgid_and_its_gnu_ids_convert_into_each_other(xgid: str, gnu_id: str) -> None:
    state = state_from_xgid(xgid)
    assert gnu_id_of(state) == gnu_id
    # gnubg writes the larger die first, and a match id knows neither beavers nor the cap
    told = state_from_gnu_id(gnu_id)
    assert state.dice is not None
    known = replace(told.rules, beavers=state.rules.beavers, cap=state.rules.cap)
    larger_first = (max(state.dice), min(state.dice))
    assert replace(told, rules=known) == replace(state, dice=larger_first)


@pytest.mark.parametrize(("xgid", "gnu_id"), PAIRS)
def test_players_exchanged_are_the_other_way_round_in_the_ids(xgid: str, gnu_id: str) -> None:
    state = state_from_xgid(xgid)
    exchanged = state.exchanged()
    assert exchanged.exchanged() == state
    assert exchanged.position == state.position  # seen by the player on roll all the same
    assert exchanged.cube_state() == state.cube_state()
    points, cube, owner, _, dice, bottom_score, top_score, *rest = xgid.split(":")
    mirrored = "".join(
        point.lower() if point.isupper() else point.upper() for point in reversed(points)
    )
    owner = str(-int(owner))
    fields = [mirrored, cube, owner, "-1", dice, top_score, bottom_score, *rest]
    assert xgid_of(exchanged) == "XGID=" + ":".join(fields)
    assert state_from_gnu_id(gnu_id_of(exchanged)) == state_from_gnu_id(gnu_id).exchanged()


@pytest.mark.parametrize("xgid", [*(xgid for xgid, _ in PAIRS), TOP_ROLLS])
def test_reading_and_writing_an_xgid_changes_nothing(xgid: str) -> None:
    assert xgid_of(state_from_xgid(xgid)) == "XGID=" + xgid.removeprefix("XGID=")


def test_scores_and_cube_of_an_xgid_do_not_turn_with_the_roller() -> None:
    state = state_from_xgid(TOP_ROLLS)
    assert state.turn == 0, "the top player"
    assert state.score == (0, 4), "the bottom player is 1 and has the 4 points"
    assert np.array_equal(state.board, board_from_position_id("GW+DAUi03ZABBg"))
    owned = state_from_xgid(TOP_ROLLS.replace("A:0:0:-1", "A:1:1:-1"))
    assert owned.cube_owner == 1
    assert owned.cube_state().owner.value == "opponent"


def test_a_match_id_has_67_bits_and_the_last_says_no_jacoby() -> None:
    assert parse_match_id("cAmlAAAAAAAE").is_without_jacoby == 1
    assert parse_match_id("cAmlAAAAAAAA").is_without_jacoby == 0, "an id of 66 bits"
    assert gnu_id_of(new_session(Rules(5))).endswith("E")
    assert state_from_gnu_id("4HPwATDgc/ABMA:cAkAAAAAAAAA").rules.jacoby
    assert not state_from_gnu_id("4HPwATDgc/ABMA:cAkAAAAAAAAE").rules.jacoby


def test_every_field_of_a_match_id_is_read_and_written() -> None:
    match_id = GnuMatchId(3, 1, 1, 0, 1, 0, 1, 0, 0, 0, 32_767, 257, 1_024, 1)
    assert parse_match_id(format_match_id(match_id)) == match_id
    rolled = GnuMatchId(first_die=6, second_die=4, match_length=9, score_0=8, is_crawford=1)
    assert parse_match_id(format_match_id(rolled)) == rolled


def test_an_xgid_may_stand_in_other_text() -> None:
    """As in what XG copies to the clipboard."""
    text = f"{TOP_ROLLS}\n\nX:Alice   O:Bob\nScore is X:4 O:0. Unlimited Game\n +13-14-15-"
    assert state_from_xgid(text) == state_from_xgid(TOP_ROLLS)


def test_a_largest_cube_of_0_is_a_game_without_the_cube() -> None:
    state = state_from_xgid(f"{START_POINTS}:0:0:1:00:0:0:0:7:0")
    assert state.rules.cap == 1
    assert not state.cube_state().may_double()


def test_an_xgid_of_9_fields_has_the_usual_cap() -> None:
    assert state_from_xgid(f"{START_POINTS}:0:0:1:00:0:0:0:7").rules.cap == 64


def test_money_may_have_a_cube_above_1_in_the_middle() -> None:
    state = state_from_xgid(f"{START_POINTS}:1:0:1:00:4:0:0:0:8")
    assert (state.cube_value, state.cube_owner) == (2, None)
    assert state.rules.automatic_doubles == 1
    match_id = gnu_id_of(state).partition(":")[2]
    assert match_id.startswith("cQk")
    assert state_from_gnu_id(gnu_id_of(state)).cube_state().value == 2


def test_crawford_and_post_crawford_are_told_apart() -> None:
    crawford = state_from_xgid(f"{START_POINTS}:0:0:1:00:6:2:1:7:6")
    assert crawford.is_crawford
    after = state_from_xgid(f"{START_POINTS}:0:0:1:00:6:2:0:7:6")
    assert not after.is_crawford
    assert after.is_post_crawford
    for state in (crawford, after):
        assert state_from_xgid(xgid_of(state)) == state
        assert state_from_gnu_id(gnu_id_of(state)) == state


BEAVERS = money_rules(beavers=True)


@pytest.mark.parametrize(
    ("state", "mark"),
    [
        (double(on_roll(BEAVERS, turn=1)), "D"),
        (beaver(double(on_roll(BEAVERS, cube_value=2, cube_owner=0))), "B"),
        (raccoon(beaver(double(on_roll(BEAVERS)))), "R"),
    ],
)
def test_an_unanswered_double_beaver_or_raccoon_is_read_back(state: MatchState, mark: str) -> None:
    assert f":{mark}:" in xgid_of(state)
    assert state_from_xgid(xgid_of(state)) == state


def test_a_match_id_tells_doubles_beavers_and_raccoons_by_owner_and_by_who_answers() -> None:
    doubled = double(on_roll(turn=1))
    beavered = beaver(double(on_roll(BEAVERS, cube_value=2, cube_owner=0)))
    for state in (doubled, beavered, raccoon(beavered), beaver(double(on_roll(BEAVERS)))):
        assert state_from_gnu_id(gnu_id_of(state)) == state


@pytest.mark.parametrize(
    ("answer", "match_id"),
    [
        (double, "cBEAAAAAAAAA"),
        (lambda state: beaver(double(state)), "QRkAAAAAAAAA"),
        (lambda state: raccoon(beaver(double(state))), "QhEAAAAAAAAA"),
    ],
)
def test_a_beavered_cube_is_written_as_the_doubled_players(
    answer: Callable[[MatchState], MatchState], match_id: str
) -> None:
    """As GNU Backgammon 1.07.001 shows them after `double` and `redouble`."""
    jacoby = money_rules(jacoby=True, beavers=True)
    assert gnu_id_of(answer(on_roll(jacoby, turn=1))).endswith(match_id)


def test_a_match_id_keeps_a_resignation_and_an_opening() -> None:
    for resigned in (resign(on_roll(turn=1), 2), resign(roll_dice(on_roll(), (6, 5)), 3)):
        assert state_from_gnu_id(gnu_id_of(resigned)) == resigned
    opening = new_session(Rules(7))
    assert state_from_gnu_id(gnu_id_of(opening)) == opening


@pytest.mark.parametrize(
    "state", [new_session(MONEY), resign(on_roll(), 1), pass_double(double(on_roll()))]
)
def test_what_an_xgid_cannot_say_is_refused(state: MatchState) -> None:
    with pytest.raises(ValueError, match=state.decision.value):
        xgid_of(state)


def test_a_match_id_of_a_game_that_is_over_is_neither_written_nor_read() -> None:
    with pytest.raises(ValueError, match="game over"):
        gnu_id_of(pass_double(double(on_roll())))
    dropped = format_match_id(GnuMatchId(game_state=4))
    with pytest.raises(ValueError, match="game_state 4"):
        state_from_gnu_id(f"4HPwATDgc/ABMA:{dropped}")


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        (":0:0:1:00:7:0:0:7:6", r"\(0, 7\)"),
        (":0:1:1:00:0:0:0:7:6", "owner 1"),
        (":1:0:1:00:0:0:0:7:6", "got 2"),
        (":1:1:1:00:6:2:1:7:6", "got 2"),
        (":0:0:1:00:2:2:1:7:6", r"\(5, 5\) away"),
        (":7:1:1:00:0:0:0:0:6", "got 128"),
        (":99:1:1:00:0:0:0:0:6", "got 99"),
        (":0:0:1:00:0:0:0:0:99", "got 99"),
        (":0:0:1:00:0:0:4:0:6", "got 4"),
        (":0:0:1:00:0:0:2:7:6", "got 2"),
        (":0:0:1:B:0:0:0:7:6", "no beavers|beavers is for money"),
        (":1:-1:1:D:0:0:0:7:6", "may not double"),
    ],
)
def test_an_xgid_that_no_game_can_come_to_is_refused(fields: str, named: str) -> None:
    with pytest.raises(ValueError, match=named) as error:
        state_from_xgid(START_POINTS + fields)
    assert "XGID" in str(error.value)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("cAmlAAAAAAA", "12 letters"),
        ("cAmlAAAAAAA!", "12 letters"),
        ("cAmlAAAAAA//", "67 bits"),
        ("YAmlAAAAAAAE", "cube_owner"),
    ],
)
def test_a_text_that_is_no_match_id_is_refused(text: str, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        parse_match_id(text)


@pytest.mark.parametrize(
    ("match_id", "named"),
    [
        (GnuMatchId(match_length=5, score_0=5), r"\(5, 0\)"),
        (GnuMatchId(actor=1), "player 1"),
        (GnuMatchId(is_doubled=1, resigned=1, actor=1), "both"),
        (GnuMatchId(match_length=5, is_crawford=1), r"\(5, 5\) away"),
        (GnuMatchId(match_length=5, cube_exponent=2), "got 4"),
        (GnuMatchId(is_doubled=1), "double of their own"),
        (GnuMatchId(is_doubled=1, cube_owner=1), "above 1"),
    ],
)
def test_a_match_id_that_no_game_can_come_to_is_refused(match_id: GnuMatchId, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        state_from_gnu_id(f"4HPwATDgc/ABMA:{format_match_id(match_id)}")


def test_a_position_id_without_a_match_id_is_no_state() -> None:
    with pytest.raises(ValueError, match="12 letters"):
        state_from_gnu_id("4HPwATDgc/ABMA")


@pytest.mark.parametrize(("fields", "value"), [({"first_die": 7}, 7), ({"score_1": 2**15}, 2**15)])
def test_what_a_match_id_has_no_room_for_is_refused(fields: dict[str, int], value: int) -> None:
    with pytest.raises(ValueError, match=str(value)):
        GnuMatchId(**fields)


def test_the_decision_of_an_id_is_that_of_its_dice() -> None:
    assert state_from_gnu_id("4HPwATDgc/ABMA:cAkAAAAAAAAE").decision is Decision.ROLL
    assert state_from_gnu_id("4HPkASjg2+ABMA:cAkHAAAAAAAA").decision is Decision.PLAY
