"""Positions as drawings: what is drawn is what is on the board, also for those who cannot see."""

from __future__ import annotations

from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
import pytest

import bgai
from bgai.engine import START, Board, borne_off, swap
from bgai.interface.drawing import HEIGHT, SHOWN_IN_STACK, SHOWN_ON_BAR, WIDTH, draw
from bgai.interface.position import Position
from bgai.match import MatchState, Rules
from tests.engine.positions import random_positions

SVG = "{http://www.w3.org/2000/svg}"
MONEY_CUBE = "XGID=aBBCCbb-------------------:2:-1:1:00:0:0:0:0:6"
DOUBLED = "XGID=-b----E-C---eE---c-e----B-:0:0:1:D:3:2:0:7:6"
CRAWFORD = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:2:0:1:3:6"


def drawn(position: Position) -> Element:
    return ElementTree.fromstring(position.svg())


def slots(picture: Element) -> dict[str, Element]:
    return {group.attrib["data-slot"]: group for group in picture.iter(f"{SVG}g")}


def counted(group: Element, most: int) -> int:
    """What is seen on a point, positive the player's; a number stands on a stack cut short."""
    circles = group.findall(f"{SVG}circle")
    rings = sum(circle.get("fill") == "none" for circle in circles)
    # every checker of the opponent has a ring, none of the player's
    assert rings in (0, len(circles) / 2)
    seen = len(circles) - rings
    number = group.findtext(f"{SVG}text")
    if number is not None:
        assert seen == most < int(number)
        seen = int(number)
    return -seen if rings else seen


def assert_drawn(board: Board) -> None:
    groups = slots(drawn(Position(board)))
    seen = [
        counted(groups[str(slot)], SHOWN_ON_BAR if slot in (0, 25) else SHOWN_IN_STACK)
        if str(slot) in groups
        else 0
        for slot in range(26)
    ]
    assert seen == board.tolist()
    for name, off in zip(("off-player", "off-opponent"), borne_off(board), strict=True):
        slabs = groups[name].findall(f"{SVG}rect") if name in groups else []
        assert len(slabs) == int(off)


def test_every_checker_of_a_board_is_drawn_where_it_stands() -> None:
    for board in [START, *random_positions(np.random.default_rng(1), 20, 10)[0]]:
        assert_drawn(board)


def test_every_checker_lies_inside_the_drawing_and_none_on_another() -> None:
    board = np.array([-15, *[0] * 24, 15], np.int8)
    for crowded in (board, np.array([0, 0, -15, *[0] * 22, 15], np.int8), START):
        circles = [
            (float(circle.attrib["cx"]), float(circle.attrib["cy"]))
            for circle in drawn(Position(crowded)).iter(f"{SVG}circle")
            if circle.get("fill") != "none"
        ]
        assert len(set(circles)) == len(circles)
        assert all(0 < x < WIDTH and 0 < y < HEIGHT for x, y in circles)


def test_a_point_and_its_opposite_face_each_other() -> None:
    for point in range(1, 13):
        centres = []
        for slot in (point, 25 - point):
            board = np.zeros(26, np.int8)
            board[slot], board[0] = 1, -1
            group = slots(drawn(Position(board)))[str(slot)]
            centres.append([float(group[0].attrib[name]) for name in ("cx", "cy")])
        assert centres[0][0] == centres[1][0]
        assert centres[0][1] > HEIGHT / 2 > centres[1][1], "the player's home is below"


def test_the_description_tells_everything_to_those_who_do_not_see_it() -> None:
    picture = drawn(Position.from_id(DOUBLED))
    assert picture.attrib["role"] == "img"
    assert picture[0].tag == f"{SVG}title" and picture[1].tag == f"{SVG}desc"
    told = picture[1].text or ""
    for part in ("Player on roll: 2 on 24, 5 on 13", "Opponent: 5 on 19", "pips 167"):
        assert part in told
    assert "The cube is offered at 2" in told and "Player on roll 4 away, opponent 5 away" in told


def test_dice_are_drawn_by_their_pips_and_told() -> None:
    picture = drawn(Position(START, (6, 3)))
    assert sum(circle.get("r") == "5.5" for circle in picture.iter(f"{SVG}circle")) == 9
    assert (picture[0].text or "").endswith("6-3 to play")


def texts_of(position: Position) -> list[str]:
    return [text.text or "" for text in drawn(position).iter(f"{SVG}text")]


def test_the_cube_shows_its_value_and_none_is_drawn_in_the_crawford_game() -> None:
    plain = texts_of(Position(START))
    assert texts_of(Position.from_id(CRAWFORD))[: len(plain)].count("64") == 0
    assert texts_of(Position(START, state=MatchState(Rules(5)))).count("64") == 1
    assert "The cube" not in drawn(Position(START)).findtext(f"{SVG}desc", "")
    assert "Cube 4, the opponent's" in drawn(Position.from_id(MONEY_CUBE)).findtext(
        f"{SVG}desc", ""
    )


def test_a_notebook_gets_the_drawing() -> None:
    position = bgai.Position.from_id("4HPwATDgc/ABMA")
    assert position._repr_svg_() == draw(START)
    assert repr(position) == "Position('4HPwATDgc/ABMA')"
    assert repr(bgai.Position(START, (3, 1))) == "Position('4HPwATDgc/ABMA', 3-1)"


def test_a_position_is_read_from_every_notation() -> None:
    plain = Position.from_id("4HPwATDgc/ABMA")
    assert plain.state is None and plain.dice is None
    with_match = Position.from_id("4HPwATDgc/ABMA:cAkAAAAAAAAE")
    assert with_match.state is not None
    xgid = Position.from_id("XGID=-b----E-C---eE---c-e----B-:0:0:-1:31:0:0:0:5:6")
    assert xgid.dice == (3, 1) and np.array_equal(xgid.board, swap(swap(START)))


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"board": np.zeros(25, np.int8)}, "25"),
        ({"board": np.array([START, START])}, r"\(2, 26\)"),
        ({"board": START, "dice": (3, 7)}, r"\(3, 7\)"),
        ({"board": START, "dice": (3,)}, r"\(3,\)"),
    ],
)
def test_what_is_no_position_is_refused(wrong: dict[str, object], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Position(**wrong)  # type: ignore[arg-type]  # on purpose


def test_what_is_no_id_is_refused() -> None:
    for text in ("4HPwATDgc/ABM", "XGID=abc", "", "4HPwATDgc/ABMA:xx"):
        with pytest.raises(ValueError):
            Position.from_id(text)
