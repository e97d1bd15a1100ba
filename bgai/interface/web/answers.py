"""What the API answers: plays, evaluations and cube decisions as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict

from bgai.engine import (
    Board,
    Probs,
    equity,
    legal_afterstates,
    legal_plays,
    plays_to,
    position_id,
    position_ids,
    swap_probs,
)
from bgai.engine.move_text import format_play
from bgai.engine.moves import Play
from bgai.engine.xgid import RolledDice
from bgai.interface.bot import Bot
from bgai.interface.hints import cube_as_json, probs_as_json
from bgai.match import CubeState
from bgai.search.ply import PlyEvaluator


class Answer(BaseModel):
    """Answers are written as plain data, for speed; these models document them."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class ProbsAnswer(Answer):
    """Six disjoint chances: a gammon is not also a single win. They sum to 1."""

    win: float
    win_gammon: float
    win_backgammon: float
    lose: float
    lose_gammon: float
    lose_backgammon: float


class PlayAnswer(Answer):
    """A play. `moves` are `[from, to]` in the mover's numbering, 25 the bar and 0 off."""

    play: str
    moves: list[tuple[int, int]]
    after: str
    """The GNU position id that it leaves, seen by the next player."""


class BestPlayAnswer(PlayAnswer):
    """A play with its value for the mover: points, cube at 1."""

    equity: float
    difference: float
    """Minus what the play gives up beside the best; cubeful where a cube was asked about."""
    cubeful_equity: float | None
    """In points per current cube; null where no cube was asked about."""
    probs: ProbsAnswer


class LegalPlaysAnswer(Answer):
    position_id: str
    dice: RolledDice
    plays: list[PlayAnswer]
    """One for every position that the roll can leave; a dance is one play without moves."""


class BestPlaysAnswer(Answer):
    position_id: str
    bot: str
    plies: int
    dice: RolledDice
    plays: list[BestPlayAnswer]


class EvaluationAnswer(Answer):
    position_id: str
    bot: str
    plies: int
    equity: float
    probs: ProbsAnswer


class CubeAnswer(EvaluationAnswer):
    cube: dict[str, Any]
    """`nd`, `dt`, `dp` in points per current cube, `match_winning_chances`, the action with its
    response, text and reason, and the `state` that they are for."""


class DiceAnswer(Answer):
    dice: RolledDice


class BotAnswer(Answer):
    name: str
    version: str
    licence: str
    strength: list[dict[str, Any]]


class ErrorAnswer(Answer):
    """What comes with every status of 400 and above."""

    message: str
    field: str | None
    """The field of the request that is wrong, where it is one."""


def legal_plays_answer(board: Board, dice: RolledDice) -> dict[str, Any]:
    """A `LegalPlaysAnswer`."""
    return {
        "position_id": position_id(board),
        "dice": dice,
        "plays": _plays(board, legal_plays(board, dice)),
    }


def best_plays_answer(
    bot: Bot,
    board: Board,
    dice: RolledDice,
    plies: int,
    cube: CubeState | None = None,
    top: int | None = None,
) -> dict[str, Any]:
    """A `BestPlaysAnswer`, ranked with the cube if there is one, else by cubeless equity."""
    after, _ = legal_afterstates(board[None], np.array([dice]))
    theirs = PlyEvaluator(bot, plies)(after)
    probs: Probs = swap_probs(theirs)
    equities = equity(probs.astype(np.float64))
    cubeful = None
    if cube is not None:
        decisions = bot.cube_model.decide_batch(theirs, after, cube.swapped())
        cubeful = -decisions.equities
    ranked_by = equities if cubeful is None else cubeful
    order = np.argsort(-ranked_by, kind="stable")[:top]
    plays = plays_to(board, dice, after[order])  # only what is shown is named
    return {
        "position_id": position_id(board),
        "bot": bot.name,
        "plies": plies,
        "dice": dice,
        "plays": [
            {
                **play,
                "equity": round(float(equities[row]), 6),
                "difference": round(float(ranked_by[row] - ranked_by[order[0]]), 6),
                "cubeful_equity": None if cubeful is None else round(float(cubeful[row]), 6),
                "probs": probs_as_json(probs[row]),
            }
            for play, row in zip(_plays(board, plays), order, strict=True)
        ],
    }


def evaluation_answer(bot: Bot, board: Board, plies: int) -> dict[str, Any]:
    """An `EvaluationAnswer`."""
    return _evaluation(bot, board, plies, PlyEvaluator(bot, plies)(board[None])[0])


def cube_answer(bot: Bot, board: Board, plies: int, state: CubeState) -> dict[str, Any]:
    """A `CubeAnswer`.

    Raises:
        ValueError: the match equity table does not know the score.
    """
    probs = PlyEvaluator(bot, plies)(board[None])[0]
    decision = bot.cube_model.decide(probs, board, state)
    evaluation = _evaluation(bot, board, plies, np.array(decision.probs))
    return {**evaluation, "cube": cube_as_json(decision)}


def _evaluation(bot: Bot, board: Board, plies: int, probs: Probs) -> dict[str, Any]:
    return {
        "position_id": position_id(board),
        "bot": bot.name,
        "plies": plies,
        "equity": round(float(equity(probs)), 6),
        "probs": probs_as_json(probs),
    }


def _plays(board: Board, plays: Sequence[Play]) -> list[dict[str, Any]]:
    ids = position_ids(np.stack([play.after for play in plays]))
    return [
        {"play": format_play(board, play.moves), "moves": play.moves, "after": after}
        for play, after in zip(plays, ids, strict=True)
    ]
