"""The JSON API: questions in, answers out."""

from __future__ import annotations

from collections.abc import Callable
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
from bgai.interface.web.questions import FieldError
from bgai.match import CubeState

DEEP_SEARCHES_AT_ONCE = 2


def api_router(bot: Bot, seed: int | None = None) -> APIRouter:
    """Everything under `/api`.

    Args:
        seed: of the dice thrown for clients; None for other dice each time.
    """
    router = APIRouter(prefix="/api", tags=["bgai"])
    generator = np.random.default_rng(seed)
    deep_searches = CapacityLimiter(DEEP_SEARCHES_AT_ONCE)

    async def computed(plies: int, work: Callable[[], dict[str, Any]]) -> JSONResponse:
        """Answer at once at 0-ply; look ahead beside the loop, so that others need not wait."""
        if plies:
            return JSONResponse(await anyio.to_thread.run_sync(work, limiter=deep_searches))
        return JSONResponse(work())

    # an answer that is a response already is not checked again: `answers` only documents it

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

    @router.post("/legal-plays", response_model=answers.LegalPlaysAnswer)
    async def post_legal_plays(question: questions.PlaysQuestion) -> JSONResponse:
        """Every play of a roll, one for each position that it can leave."""
        asked = questions.read_position(question.position)
        dice = questions.dice_of(asked, question.dice)
        return JSONResponse(answers.legal_plays_answer(asked.board, dice))

    @router.post("/best-plays", response_model=answers.BestPlaysAnswer)
    async def post_best_plays(question: questions.BestPlaysQuestion) -> JSONResponse:
        """The plays of a roll, the best first."""
        asked = questions.read_position(question.position)
        dice = questions.dice_of(asked, question.dice)
        cube, plies, top = questions.cube_of(asked, question.cube), question.plies, question.top
        return await computed(
            plies,
            lambda: _about_cube(
                lambda: answers.best_plays_answer(bot, asked.board, dice, plies, cube, top)
            ),
        )

    @router.post("/evaluation", response_model=answers.EvaluationAnswer)
    async def post_evaluation(question: questions.EvaluationQuestion) -> JSONResponse:
        """What a position is worth to the player about to roll."""
        asked, plies = questions.read_position(question.position), question.plies
        return await computed(plies, lambda: answers.evaluation_answer(bot, asked.board, plies))

    @router.post("/cube", response_model=answers.CubeAnswer)
    async def post_cube(question: questions.CubeDecisionQuestion) -> JSONResponse:
        """Whether the player about to roll should double, and how to answer a double."""
        asked, plies = questions.read_position(question.position), question.plies
        state = questions.cube_of(asked, question.cube) or CubeState()
        return await computed(
            plies, lambda: _about_cube(lambda: answers.cube_answer(bot, asked.board, plies, state))
        )

    return router


def _about_cube(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Of positions that are understood, only a score beyond the match equity table is refused."""
    try:
        return work()
    except ValueError as error:
        raise FieldError("cube", str(error)) from error
