"""What a client of the API may ask, checked: every wrong value is an error that names its field."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    Tag,
)

from bgai.engine import UNFINISHED, outcomes
from bgai.engine.xgid import RolledDice
from bgai.interface.position import Position
from bgai.interface.web.problems import NUMBERS_TAG, TEXT_TAG, FieldError
from bgai.match import CubeState, Owner
from bgai.match.cube_state import DEFAULT_CAP

MOST_PLIES = 2  # a third takes minutes

PositionText = Annotated[
    StrictStr,
    Field(
        max_length=1000,
        description="a GNU position id, alone or as POSITION:MATCH, or an XGID",
        examples=["4HPwATDgc/ABMA"],
    ),
]
BoardNumbers = Annotated[
    list[Annotated[StrictInt, Field(ge=-15, le=15)]],
    Field(
        min_length=26,
        max_length=26,
        description=(
            "26 numbers, seen by the player about to roll: points 1-24 from that player's side, "
            "positive = their checkers, negative = the opponent's; 25 = their bar (0 or more), "
            "0 = the opponent's bar (0 or less)"
        ),
    ),
]


def _notation(position: Any) -> str | None:
    """Which notation a position is meant to be in; None: in none of them."""
    if isinstance(position, list):
        return NUMBERS_TAG
    return TEXT_TAG if isinstance(position, str) else None


AnyPosition = Annotated[
    Annotated[BoardNumbers, Tag(NUMBERS_TAG)] | Annotated[PositionText, Tag(TEXT_TAG)],
    Discriminator(_notation),
]
Die = Annotated[StrictInt, Field(ge=1, le=6)]
Plies = Annotated[
    StrictInt,
    Field(
        ge=0,
        le=MOST_PLIES,
        description="turns to look ahead; 0 is the net alone, which XG and wildbg call 1-ply",
    ),
]


class CubeQuestion(BaseModel):
    """Score and cube, seen by the player about to roll."""

    model_config = ConfigDict(extra="forbid")

    value: StrictInt = Field(1, description="what the cube shows: 1, 2, 4 ...")
    owner: Literal["centred", "player", "opponent"] = Field(
        "centred", description="who may turn it next"
    )
    away: tuple[StrictInt, StrictInt] | None = Field(
        None, description="points that the player and the opponent still need; null for money"
    )
    is_crawford: StrictBool = Field(False, description="the game of a match without the cube")
    jacoby: StrictBool = Field(False, description="gammons need a turned cube (money)")
    beavers: StrictBool = Field(False, description="beavers are allowed (money)")
    cap: StrictInt = Field(DEFAULT_CAP, description="the cube's largest value; 1 = no cube")

    def state(self) -> CubeState:
        """
        Raises:
            FieldError: no game has such a cube.
        """
        try:
            return CubeState(**{**dict(self), "owner": Owner(self.owner)})
        except ValueError as error:
            raise FieldError(_cube_field(str(error)), str(error)) from error


_CUBE_FIELDS = (
    ("cap", "cap"),
    ("owner", "in the middle, got owner"),
    ("is_crawford", "Crawford game is one of a match"),
    ("jacoby", "Jacoby rule"),
    ("beavers", "beaver"),
    ("away", "still need"),
    ("away", "a player is 1 away"),
    ("value", "cube"),
)
"""By words of `CubeState`'s messages, which speak of its fields."""


def _cube_field(message: str) -> str:
    """The field of a cube that a message is about."""
    return "cube." + next(field for field, words in _CUBE_FIELDS if words in message)


class PositionQuestion(BaseModel):
    """A position in any of three notations."""

    model_config = ConfigDict(extra="forbid")

    position: AnyPosition


class EvaluationQuestion(PositionQuestion):
    """What is a position worth?"""

    plies: Plies = 0


class CubeDecisionQuestion(EvaluationQuestion):
    """Should the player on roll double, and the opponent take?"""

    cube: CubeQuestion | None = Field(
        None, description="left out: what the position's text says, else money with the cube at 1"
    )


class PlaysQuestion(PositionQuestion):
    """Which plays does a roll allow?"""

    dice: tuple[Die, Die] | None = Field(
        None, description="left out: the dice in the position's text", examples=[[3, 1]]
    )


class BestPlaysQuestion(PlaysQuestion):
    """Which plays of a roll are best?"""

    cube: CubeQuestion | None = Field(
        None, description="given here or by the position's text, plays are ranked with the cube"
    )
    plies: Plies = 0
    top: Annotated[StrictInt, Field(ge=1)] | None = Field(
        None, description="so many of the best plays only"
    )


def read_position(position: list[int] | str) -> Position:
    """Understand a position in any notation.

    Returns:
        The position, its game not over; dice, score and cube where its text names them.

    Raises:
        FieldError: there is no such position, or its game is over.
    """
    try:
        if isinstance(position, str):
            asked = Position.from_id(position)
        else:
            asked = Position(np.array(position, np.int8))
        if int(outcomes(asked.board)) != UNFINISHED:
            raise ValueError("the game is over: nothing is left to decide")
        return asked
    except ValueError as error:
        raise FieldError("position", str(error)) from error


def cube_of(asked: Position, cube: CubeQuestion | None) -> CubeState | None:
    """The score and cube that are asked about; None where nothing names any.

    Raises:
        FieldError: both the text and the field name one, or no game has such a cube.
    """
    if cube is None:
        return None if asked.state is None else asked.state.cube_state()
    if asked.state is not None:
        raise FieldError("cube", "the position's text tells score and cube already")
    return cube.state()


def dice_of(asked: Position, dice: RolledDice | None) -> RolledDice:
    """The roll that is asked about.

    Raises:
        FieldError: nothing names one.
    """
    rolled = dice or asked.dice
    if rolled is None:
        raise FieldError("dice", "two dice are needed, such as [3, 1]")
    return rolled
