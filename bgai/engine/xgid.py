"""eXtreme Gammon's XGID, and reading a position in whichever notation it comes.

An XGID is absolute: uppercase checkers, the sign of the cube's owner and the first score belong to
the player at the bottom whoever rolls; only the turn says from whose side the board is to be seen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from bgai.engine.board import SLOTS, Board, check_boards, swap
from bgai.engine.gnu_id import board_from_position_id

RolledDice: TypeAlias = tuple[int, int]

BOTTOM, NOBODY, TOP = 1, 0, -1
"""Whose turn or whose cube, as an XGID writes it."""

MARKS = ("D", "B", "R")
"""What an XGID has instead of dice when a double, a beaver or a raccoon is to be answered."""

_CHECKERS_TEXT = "-ABCDEFGHIJKLMNO"
_IN_TEXT = re.compile(r"XGID\s*=\s*(\S+)", re.IGNORECASE)
_FIELD_NAMES = (
    "cube exponent",
    "cube owner",
    "turn",
    "dice",
    "bottom score",
    "top score",
    "rules",
    "match length",
    "largest cube exponent",
)


@dataclass(frozen=True, eq=False)
class Xgid:
    """A position as XG writes it. Only the board is turned to the player about to roll.

    Attributes:
        board: `[26]` int8, seen by the player whom `turn` names (after a double: the doubler).
        dice: as written, or None while there are none.
        mark: `D` doubled, `B` beavered, `R` raccooned: the other player is to answer; else empty.
        cube_exponent: the cube shows 2 to the power of this; before the double with a `mark`.
        cube_owner: 1 bottom, -1 top, 0 the middle.
        turn: 1 bottom, -1 top.
        bottom_score, top_score: points; a money session may have some.
        rules: in a match 1 in the Crawford game; for money 1 (Jacoby) + 2 (beavers).
        match_length: points, 0 for money.
        largest_cube_exponent: the cap of the cube; None in an id of 9 fields, 0 means no cube.
    """

    board: Board
    dice: RolledDice | None = None
    mark: str = ""
    cube_exponent: int = 0
    cube_owner: int = NOBODY
    turn: int = BOTTOM
    bottom_score: int = 0
    top_score: int = 0
    rules: int = 0
    match_length: int = 0
    largest_cube_exponent: int | None = 10

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            ValueError: a field cannot be written in an XGID.
        """
        if self.turn not in (BOTTOM, TOP):
            raise ValueError(f"the turn of an XGID is 1 or -1, got {self.turn}")
        if self.cube_owner not in (BOTTOM, NOBODY, TOP):
            raise ValueError(f"the cube owner of an XGID is 1, 0 or -1, got {self.cube_owner}")
        if self.mark not in ("", *MARKS):
            raise ValueError(f"the mark of an XGID is D, B or R, got {self.mark!r}")
        if self.mark and self.dice is not None:
            raise ValueError(f"an XGID has dice or a mark, got {self.dice} and {self.mark!r}")
        if self.dice is not None and any(not 1 <= die <= 6 for die in self.dice):
            raise ValueError(f"a die must be 1..6, got {self.dice}")
        for name in ("cube_exponent", "bottom_score", "top_score", "rules", "match_length"):
            if getattr(self, name) < 0:
                raise ValueError(f"the {name} of an XGID is not negative: {getattr(self, name)}")
        if self.largest_cube_exponent is not None and self.largest_cube_exponent < 0:
            raise ValueError(f"the largest cube exponent is {self.largest_cube_exponent}")


def parse_xgid(text: str) -> Xgid:
    """Read an XGID.

    Args:
        text: the id with or without `XGID=`, of 10 fields or of 9 (no cap of the cube); with
            `XGID=` any text may stand around it, as in what XG copies to the clipboard.

    Raises:
        ValueError: there is no XGID in the text, or a field of it is wrong.
    """
    found = _IN_TEXT.search(text)
    fields = (found.group(1) if found else text.strip()).split(":")
    if len(fields) not in (9, 10):
        raise ValueError(f"an XGID has 9 or 10 fields, got {len(fields)}: {text!r}")
    points, *values = fields
    numbers = {
        name: _number(value, name, text)
        for name, value in zip(_FIELD_NAMES, values, strict=False)
        if name != "dice"
    }
    dice, mark = _read_dice(values[3], text)
    try:
        bottom_view = _read_points(points)
        return Xgid(
            board=bottom_view if numbers["turn"] != TOP else swap(bottom_view),
            dice=dice,
            mark=mark,
            cube_exponent=numbers["cube exponent"],
            cube_owner=numbers["cube owner"],
            turn=numbers["turn"],
            bottom_score=numbers["bottom score"],
            top_score=numbers["top score"],
            rules=numbers["rules"],
            match_length=numbers["match length"],
            largest_cube_exponent=numbers.get("largest cube exponent"),
        )
    except ValueError as error:
        raise ValueError(f"{error} in the XGID {text!r}") from error


def format_xgid(xgid: Xgid) -> str:
    """Write an XGID, with `XGID=` in front; 9 fields where the cap of the cube is None."""
    bottom_view = xgid.board if xgid.turn == BOTTOM else swap(xgid.board)
    dice = xgid.mark or ("00" if xgid.dice is None else "".join(map(str, xgid.dice)))
    fields = [
        _points_text(bottom_view),
        xgid.cube_exponent,
        xgid.cube_owner,
        xgid.turn,
        dice,
        xgid.bottom_score,
        xgid.top_score,
        xgid.rules,
        xgid.match_length,
    ]
    if xgid.largest_cube_exponent is not None:
        fields.append(xgid.largest_cube_exponent)
    return "XGID=" + ":".join(map(str, fields))


def parse_position(text: str) -> tuple[Board, RolledDice | None]:
    """A position in either notation.

    Args:
        text: an XGID (`parse_xgid`) or a GNU position id, alone or with its match id.

    Returns:
        board: `[26]`, seen by the player about to roll.
        dice: the roll where an XGID has one.

    Raises:
        ValueError: the text is neither, or it is one with a mistake in it.
    """
    stripped = text.strip()
    if _IN_TEXT.search(text) or len(stripped.partition(":")[0]) == SLOTS:
        xgid = parse_xgid(text)
        return xgid.board, xgid.dice
    if re.fullmatch(r"[A-Za-z0-9+/]{14}(:\S*)?", stripped):
        return board_from_position_id(stripped), None
    raise ValueError(
        f"a position is a GNU position id (14 characters) or an XGID (XGID=...), got {text!r}"
    )


def _number(value: str, name: str, text: str) -> int:
    if re.fullmatch(r"-?[0-9]{1,5}", value) is None:
        raise ValueError(f"the {name} must be a number, got {value!r} in the XGID {text!r}")
    return int(value)


def _read_dice(value: str, text: str) -> tuple[RolledDice | None, str]:
    """The dice field as dice and mark."""
    if value in MARKS:
        return None, value
    if value == "00":
        return None, ""
    if re.fullmatch(r"[1-6][1-6]", value) is None:
        raise ValueError(
            f"the dice must be 00, two digits 1..6, D, B or R, got {value!r} in the XGID {text!r}"
        )
    return (int(value[0]), int(value[1])), ""


def _read_points(points: str) -> Board:
    """The board seen from the bottom: slot 0 is the top player's bar, 25 the bottom's."""
    if len(points) != SLOTS:
        raise ValueError(f"the points must be {SLOTS} characters, got {len(points)}")
    board = np.zeros(SLOTS, np.int8)
    for slot, character in enumerate(points):
        count = _CHECKERS_TEXT.find(character.upper())
        if count < 0:
            raise ValueError(f"a point must be -, A..O or a..o, got {character!r}")
        board[slot] = count if character.isupper() else -count
    return check_boards(board)


def _points_text(board: Board) -> str:
    return "".join(
        _CHECKERS_TEXT[count] if count >= 0 else _CHECKERS_TEXT[-count].lower()
        for count in board.tolist()
    )
