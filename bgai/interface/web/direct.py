"""Plain questions answered at once, without the framework, whose routing costs more than a net.

Only what is plainly right is answered here: a wrong value, a look ahead or an unusual request goes
on to the application behind, which asks the same functions, or says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar
from urllib.parse import parse_qsl

from pydantic import BaseModel
from pydantic_core import to_json
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from bgai.interface.web.guard import replay

Call: TypeAlias = Callable[[Scope, bytes], dict[str, Any] | None]
"""From a request and its body to the answer; None where it is not plainly right."""

Question = TypeVar("Question", bound=BaseModel)


class DirectCalls:
    """Answers some calls, by method and path, before an application; it stands behind a `Guard`."""

    def __init__(self, app: ASGIApp, calls: Mapping[tuple[str, str], Call]) -> None:
        self._app = app
        self._calls = calls

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_http = scope["type"] == "http"
        call = self._calls.get((scope["method"], scope["path"])) if is_http else None
        if call is None:
            await self._app(scope, receive, send)
            return
        body = (await receive()).get("body", b"")  # whole: the guard has waited for it
        answer = call(scope, body)
        if answer is None:
            await self._app(scope, replay(body, receive), send)
        else:
            response = Response(to_json(answer), media_type="application/json")
            await response(scope, receive, send)


def asked_in_body(question: type[Question], answer: Callable[[Question], dict[str, Any]]) -> Call:
    """A call whose question is the JSON body; one that looks ahead is left to the application."""

    def call(scope: Scope, body: bytes) -> dict[str, Any] | None:
        is_plain = (b"content-type", b"application/json") in scope["headers"]
        if not is_plain or scope["query_string"]:
            return None
        try:
            asked = question.model_validate_json(body)
            return None if getattr(asked, "plies", 0) else answer(asked)
        except ValueError:
            return None  # the application finds the same mistake and words it

    return call


def asked_in_query(question: type[Question], answer: Callable[[Question], dict[str, Any]]) -> Call:
    """A call whose question is the query."""

    def call(scope: Scope, body: bytes) -> dict[str, Any] | None:
        pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        values = dict(pairs)
        if len(values) < len(pairs):
            return None
        try:
            return answer(question.model_validate(values))
        except ValueError:
            return None  # the application finds the same mistake and words it

    return call
