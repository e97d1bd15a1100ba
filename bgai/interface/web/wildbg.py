"""The two calls of wildbg's HTTP API, with its parameters and fields.

Documented at https://github.com/carsten-wenderdel/wildbg (crates/web). Its counts are those of
`bgai`: `p1`..`p24` seen by the player on roll, `p25` that player's bar, `p0` the opponent's; a
missing one is 0. Its chances are cumulative: a win counts gammons, too.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, create_model

from bgai.cube import Action, Response
from bgai.engine import Board, cumulative, equity, legal_afterstates, plays_to, swap_probs
from bgai.interface.bot import Bot
from bgai.interface.web.direct import Call, asked_in_query
from bgai.interface.web.problems import FieldError
from bgai.interface.web.questions import read_position
from bgai.match import CubeState

EXAMPLE = {1: -2, 6: 5, 8: 3, 12: -5, 13: 5, 17: -3, 19: -5, 24: 2}
FIELDS = ("win", "winG", "winBg", "loseG", "loseBg")

MONEY, ONE_POINTER = 0, 1


def _points() -> dict[str, Any]:
    """The parameters `p0`..`p25`."""
    bounds = {0: (-15, 0), 25: (0, 15)}
    return {
        f"p{point}": (
            int,
            Field(
                0,
                ge=bounds.get(point, (-15, 15))[0],
                le=bounds.get(point, (-15, 15))[1],
                examples=[EXAMPLE[point]] if point in EXAMPLE else None,
            ),
        )
        for point in range(26)
    }


class Parameters(BaseModel):
    """wildbg knows no others."""

    model_config = ConfigDict(extra="forbid")


class Score(Parameters):
    """Both 0 for money, both 1 for a game to one point; wildbg knows no other scores."""

    x_away: int = Field(MONEY, description="points that `x`, on roll, needs: 0 money, 1")
    o_away: int = Field(MONEY, description="points that `o` needs: 0 money, 1")


Points: Any = create_model("Points", __base__=Score, **_points())


class Dice(Parameters):
    die1: int = Field(ge=1, le=6, examples=[3])
    die2: int = Field(ge=1, le=6, examples=[1])


class UnusedDice(Parameters):
    """Clients of wildbg that ask both calls alike give dice here, too."""

    die1: int | None = Field(None, ge=1, le=6, description="not used")
    die2: int | None = Field(None, ge=1, le=6, description="not used")


MoveParameters: Any = create_model("MoveParameters", __base__=(Dice, Points))
EvalParameters: Any = create_model("EvalParameters", __base__=(UnusedDice, Points))


class WildbgAnswer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class MoveDetail(WildbgAnswer):
    """One checker: from 25 (the bar) or a point, to a point or 0 (off)."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    from_: int = Field(alias="from")
    to: int


class Probabilities(WildbgAnswer):
    """`win` includes gammons, `winG` backgammons; losing is 1 - `win`."""

    win: float
    winG: float
    winBg: float
    loseG: float
    loseBg: float


class MoveInfo(WildbgAnswer):
    play: list[MoveDetail]
    probabilities: Probabilities


class MoveResponse(WildbgAnswer):
    """Every play, the best first; where none is possible one with an empty `play`."""

    moves: list[MoveInfo]


class CubeInfo(WildbgAnswer):
    """Whether `x` should double, and whether `o` should accept."""

    double: bool
    accept: bool


class EvalResponse(WildbgAnswer):
    cube: CubeInfo
    probabilities: Probabilities


def wildbg_router(bot: Bot) -> APIRouter:
    """`/move` and `/eval`, at 0-ply."""
    router = APIRouter(tags=["wildbg"])

    @router.get("/move", response_model=MoveResponse)
    async def get_move(parameters: Annotated[MoveParameters, Query()]) -> JSONResponse:
        """The plays of a roll, the best first."""
        return JSONResponse(move_answer(bot, parameters))

    @router.get("/eval", response_model=EvalResponse)
    async def get_eval(parameters: Annotated[EvalParameters, Query()]) -> JSONResponse:
        """What a position is worth, and whether to double."""
        return JSONResponse(eval_answer(bot, parameters))

    return router


def wildbg_calls(bot: Bot) -> dict[tuple[str, str], Call]:
    """The questions that `DirectCalls` may answer."""
    return {
        ("GET", "/move"): asked_in_query(MoveParameters, partial(move_answer, bot)),
        ("GET", "/eval"): asked_in_query(EvalParameters, partial(eval_answer, bot)),
    }


def move_answer(bot: Bot, parameters: Any) -> dict[str, Any]:
    """A `MoveResponse`.

    Raises:
        FieldError: no such position or score.
    """
    board, is_money = _read(parameters)
    dice = parameters.die1, parameters.die2
    after, _ = legal_afterstates(board[None], np.array([dice]))
    probs = swap_probs(bot(after))
    worth = equity(probs.astype(np.float64)) if is_money else probs[:, :3].sum(-1)
    order = np.argsort(-worth, kind="stable")
    plays = plays_to(board, dice, after[order])
    return {
        "moves": [
            {
                "play": [{"from": start, "to": end} for start, end in play.moves],
                "probabilities": dict(zip(FIELDS, chances, strict=True)),
            }
            for play, chances in zip(plays, cumulative(probs[order]).tolist(), strict=True)
        ]
    }


def eval_answer(bot: Bot, parameters: Any) -> dict[str, Any]:
    """An `EvalResponse`; errors as of `move_answer`."""
    board, is_money = _read(parameters)
    state = CubeState() if is_money else CubeState(away=(1, 1))
    decision = bot.cube_model.decide(bot(board[None])[0], board, state)
    chances = cumulative(np.array(decision.probs)).tolist()
    return {
        "cube": {
            "double": decision.action is Action.DOUBLE,
            "accept": decision.response is not Response.PASS,
        },
        "probabilities": dict(zip(FIELDS, chances, strict=True)),
    }


def _read(parameters: Any) -> tuple[Board, bool]:
    """The board, and whether gammons count.

    Raises:
        FieldError: no such position or score.
    """
    score = parameters.x_away, parameters.o_away
    if score not in ((MONEY, MONEY), (ONE_POINTER, ONE_POINTER)):
        raise FieldError(
            "x_away", f"x_away and o_away are both 0 (money) or both 1, got {score[0]}, {score[1]}"
        )
    counts = [getattr(parameters, f"p{point}") for point in range(26)]
    for is_there, side, sign in (
        (max(counts) > 0, "player on roll", "positive"),
        (min(counts) < 0, "opponent", "negative"),
    ):
        if not is_there:
            raise FieldError(
                "position",
                f"p0 to p25 say where the checkers are, and none has a {sign} number, "
                f"which the {side} needs; got {_told(parameters)}",
            )
    board = read_position(counts).board
    return board, score[0] == MONEY


def _told(parameters: Any) -> str:
    """Which points were given."""
    told = [
        f"{name}={getattr(parameters, name)}"
        for name in Points.model_fields
        if name in parameters.model_fields_set and name.startswith("p")
    ]
    return ", ".join(told) or "none of them"
