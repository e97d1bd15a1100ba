"""The JSON API: questions in, answers out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import anyio.to_thread
import numpy as np
from anyio import CapacityLimiter
from fastapi import APIRouter
from fastapi.responses import JSONResponse

import bgai
from bgai.engine import opening_roll, roll
from bgai.interface.bot import Bot
from bgai.interface.web import answers, questions
from bgai.interface.web.direct import Call, asked_in_body
from bgai.interface.web.problems import FieldError
from bgai.match import CubeState

DEEP_SEARCHES_AT_ONCE = 2


def legal_plays(question: questions.PlaysQuestion) -> dict[str, Any]:
    """A `LegalPlaysAnswer`; this and the next raise FieldErrors."""
    asked = questions.read_position(question.position)
    return answers.legal_plays_answer(asked.board, questions.dice_of(asked, question.dice))


def best_plays(bot: Bot, question: questions.BestPlaysQuestion) -> dict[str, Any]:
    """A `BestPlaysAnswer`."""
    asked = questions.read_position(question.position)
    dice = questions.dice_of(asked, question.dice)
    cube = questions.cube_of(asked, question.cube)
    answer = partial(answers.best_plays_answer, bot, asked.board, dice, question.plies)
    return _about_cube(partial(answer, cube, question.top))


def evaluation(bot: Bot, question: questions.EvaluationQuestion) -> dict[str, Any]:
    """An `EvaluationAnswer`."""
    board = questions.read_position(question.position).board
    return answers.evaluation_answer(bot, board, question.plies)


def cube_decision(bot: Bot, question: questions.CubeDecisionQuestion) -> dict[str, Any]:
    """A `CubeAnswer`."""
    asked = questions.read_position(question.position)
    state = questions.cube_of(asked, question.cube) or CubeState()
    return _about_cube(partial(answers.cube_answer, bot, asked.board, question.plies, state))


def _about_cube(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Of positions that are understood, only a score beyond the match equity table is refused."""
    try:
        return work()
    except ValueError as error:
        raise FieldError("cube.away", str(error)) from error


def api_calls(bot: Bot) -> dict[tuple[str, str], Call]:
    """The questions that `DirectCalls` may answer."""
    return {
        ("POST", "/api/legal-plays"): asked_in_body(questions.PlaysQuestion, legal_plays),
        ("POST", "/api/best-plays"): asked_in_body(
            questions.BestPlaysQuestion, partial(best_plays, bot)
        ),
        ("POST", "/api/evaluation"): asked_in_body(
            questions.EvaluationQuestion, partial(evaluation, bot)
        ),
        ("POST", "/api/cube"): asked_in_body(
            questions.CubeDecisionQuestion, partial(cube_decision, bot)
        ),
    }


def api_router(bot: Bot, seed: int | None = None) -> APIRouter:
    """Everything under `/api`.

    Args:
        seed: of the dice thrown for clients; None for other dice each time.
    """
    router = APIRouter(prefix="/api", tags=["bgai"])
    _add_questions(router, bot)
    _add_small_calls(router, bot, np.random.default_rng(seed))
    return router


# an answer that is a response already is not checked again: `answers` only documents it


def _add_questions(router: APIRouter, bot: Bot) -> None:
    deep_searches = CapacityLimiter(DEEP_SEARCHES_AT_ONCE)

    async def computed(plies: int, work: Callable[[], dict[str, Any]]) -> JSONResponse:
        """Answer at once at 0-ply; look ahead beside the loop, so that others need not wait."""
        if plies:
            return JSONResponse(await anyio.to_thread.run_sync(work, limiter=deep_searches))
        return JSONResponse(work())

    @router.post("/legal-plays", response_model=answers.LegalPlaysAnswer)
    async def post_legal_plays(question: questions.PlaysQuestion) -> JSONResponse:
        """Every play of a roll, one for each position that it can leave."""
        return JSONResponse(legal_plays(question))

    @router.post("/best-plays", response_model=answers.BestPlaysAnswer)
    async def post_best_plays(question: questions.BestPlaysQuestion) -> JSONResponse:
        """The plays of a roll, the best first."""
        return await computed(question.plies, partial(best_plays, bot, question))

    @router.post("/evaluation", response_model=answers.EvaluationAnswer)
    async def post_evaluation(question: questions.EvaluationQuestion) -> JSONResponse:
        """What a position is worth to the player about to roll."""
        return await computed(question.plies, partial(evaluation, bot, question))

    @router.post("/cube", response_model=answers.CubeAnswer)
    async def post_cube(question: questions.CubeDecisionQuestion) -> JSONResponse:
        """Whether the player about to roll should double, and how to answer a double."""
        return await computed(question.plies, partial(cube_decision, bot, question))


def _add_small_calls(router: APIRouter, bot: Bot, generator: np.random.Generator) -> None:
    @router.get("/bot", response_model=answers.BotAnswer)
    async def get_bot() -> JSONResponse:
        """The bot that answers here."""
        card = bot.card
        return JSONResponse(
            {
                "name": card.name,
                "version": bgai.__version__,
                "licence": card.licence,
                "strength": card.strength,
            }
        )

    @router.get("/dice", response_model=answers.DiceAnswer)
    async def get_dice(opening: bool = False) -> JSONResponse:
        """Two random dice; in an `opening` one of each player, never equal."""
        dice = (opening_roll if opening else roll)(generator, 1)[0]
        return JSONResponse({"dice": dice.tolist()})
