"""The web application: the page, the JSON API, wildbg's calls and their documentation."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import FileResponse, JSONResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

import bgai
from bgai.interface.bot import Bot
from bgai.interface.web.answers import ErrorAnswer
from bgai.interface.web.api import api_calls, api_router
from bgai.interface.web.direct import DirectCalls
from bgai.interface.web.guard import Guard
from bgai.interface.web.problems import FieldError, check_query, problem_of, shown
from bgai.interface.web.table_api import table_router
from bgai.interface.web.wildbg import wildbg_calls, wildbg_router

STATIC = Path(__file__).parent / "static"

DESCRIPTION = """
Backgammon questions and answers, for programs. Boards are seen by the player about to roll;
equities are points for that player, cube at 1; the six chances are disjoint and sum to 1. 0-ply is
the net alone. Whatever is wrong with a question is answered with a status of 4xx, a message that
repeats the value that was sent, and the exact field that is wrong, such as cube.owner or dice.0.
"""


def create_app(
    bot: Bot,
    *,
    plies: int = 0,
    seed: int | None = None,
    hosts: Collection[str] | None = None,
    has_page: bool = True,
) -> ASGIApp:
    """The application.

    Args:
        plies: what the page proposes for the opponent's search.
        seed: of dice thrown for clients of the API; None for other dice each time.
        hosts: names under which it may be reached; None for any.
        has_page: with the page and its tables, which live in this process.
    """
    app = FastAPI(
        title="bgai",
        version=bgai.__version__,
        description=DESCRIPTION,
        docs_url=None,  # FastAPI's own pages load their scripts from elsewhere
        redoc_url=None,
        responses={400: {"model": ErrorAnswer}, 413: {"model": ErrorAnswer}},
    )
    routers = [api_router(bot, seed), wildbg_router(bot)]
    if has_page:
        routers.append(table_router(bot, plies, seed))
    for router in routers:
        app.include_router(router, dependencies=[Depends(check_query)])
    app.add_exception_handler(FieldError, _answer_field_error)
    app.add_exception_handler(RequestValidationError, _answer_validation_error)
    app.add_exception_handler(HTTPException, _answer_http_error)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]

    @app.get("/", include_in_schema=False)
    async def get_page() -> Response:
        return FileResponse(STATIC / "index.html") if has_page else RedirectResponse("/docs")

    @app.get("/docs", include_in_schema=False)
    async def get_docs() -> FileResponse:
        return FileResponse(STATIC / "docs.html")

    app.mount("/static", StaticFiles(directory=STATIC))
    return Guard(DirectCalls(app, {**api_calls(bot), **wildbg_calls(bot)}), hosts)


def _openapi(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, with the errors that are really given instead of FastAPI's."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
        )
        for operations in schema["paths"].values():
            for operation in operations.values():
                operation["responses"].pop("422", None)
        for name in ("HTTPValidationError", "ValidationError"):
            schema["components"]["schemas"].pop(name, None)
        app.openapi_schema = schema
    return app.openapi_schema


def _error(status: int, message: str, field: str | None = None) -> JSONResponse:
    named = message if field is None else f"{field}: {message}"
    return JSONResponse({"message": named, "field": field}, status)


def _answer_field_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, FieldError)
    return _error(error.status, str(error), error.field)


def _answer_validation_error(request: Request, error: Exception) -> JSONResponse:
    """The first thing that is wrong."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if isinstance(first.get("input"), bytes):  # the framework has not tried to read it
        sent = shown(request.headers.get("content-type"))
        return _error(400, f"the content type must be application/json, got {sent}")
    field, message = problem_of(first)
    if first["type"] == "json_invalid" or field is None:
        return _error(400, f"the body is not the JSON object that is asked for: {message}")
    return _error(400, message, field)


def _answer_http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return _error(error.status_code, str(error.detail))
