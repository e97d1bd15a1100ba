"""What keeps one client from disturbing the others: limits of size, time and origin."""

from __future__ import annotations

import asyncio
from asyncio import Transport
from collections.abc import Collection

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LARGEST_BODY = 2**20  # bytes; a saved session of a long match has about 100,000
LARGEST_HEAD = 2**14  # bytes of request line and headers
HEAD_SECONDS = 10.0
BODY_SECONDS = 10.0

SECURITY_HEADERS = (
    (b"content-security-policy", b"default-src 'self'; frame-ancestors 'none'; base-uri 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-cache"),
)


class Guard:
    """Lets a request through once its body is there, whole, small and from an allowed host."""

    def __init__(self, app: ASGIApp, hosts: Collection[str] | None) -> None:
        """
        Args:
            hosts: names that the `Host` header may have; None for any. On a server that only this
                computer reaches they keep other sites' pages from it (DNS rebinding).
        """
        self._app = app
        self._hosts = None if hosts is None else frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        if self._hosts is not None and _host_name(headers) not in self._hosts:
            await _refuse(scope, send, 403, "this server is for this computer alone")
            return
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await _whole_body(headers, receive)
        except TimeoutError:
            await _refuse(scope, send, 408, f"the body did not arrive in {BODY_SECONDS:g} seconds")
            return
        if body is None:
            await _refuse(scope, send, 413, f"a body has at most {LARGEST_BODY} bytes")
            return
        await self._answer(scope, replay(body, receive), send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer; where it cannot, say so in JSON as well."""
        has_begun = False

        async def noting(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, _with_headers(noting))
        except asyncio.CancelledError:  # the server is stopped while it computes
            if not has_begun:
                await _refuse(scope, send, 503, "the server has been stopped")
        except Exception:
            if not has_begun:
                await _refuse(scope, send, 500, "the server has made a mistake; its log says more")
            raise


def _host_name(headers: dict[bytes, bytes]) -> str:
    """The `Host` header without its port."""
    host = headers.get(b"host", b"").decode("latin-1").lower()
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() else host


async def _whole_body(headers: dict[bytes, bytes], receive: Receive) -> bytes | None:
    """The body, or None if it is too large."""
    told = headers.get(b"content-length", b"0")
    if len(told) > 12 or (told.isdigit() and int(told) > LARGEST_BODY):
        return None
    body = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return body
        body += bytes(message.get("body", b""))
        if len(body) > LARGEST_BODY:
            return None
        if not message.get("more_body", False):
            return body


def replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that hands the body on, and then what else comes."""
    is_told = False

    async def told() -> Message:
        nonlocal is_told
        if is_told:
            return await receive()
        is_told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return told


def _with_headers(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *SECURITY_HEADERS]}
        await send(message)

    return with_headers


async def _refuse(scope: Scope, send: Send, status: int, message: str) -> None:
    """Answer and hang up: the rest of the request is not wanted."""
    response = JSONResponse({"message": message, "field": None}, status)
    response.headers["connection"] = "close"

    async def nothing() -> Message:
        return {"type": "http.disconnect"}

    await response(scope, nothing, send)


class GuardedProtocol(HttpToolsProtocol):
    """Uvicorn's connection that hangs up on a client whose request does not arrive.

    The head of a request, the first on a connection or a later one that has begun, must arrive in
    time and be small; `Guard` sees to bodies, uvicorn's `timeout_keep_alive` to silence between
    requests.
    """

    _head_timer: asyncio.TimerHandle | None = None
    _head_bytes = 0
    _is_in_head = True

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        if self._is_in_head:
            self._head_bytes += len(data)
            if self._head_timer is None:
                self._start_timer()
        super().data_received(data)
        if self._is_in_head and self._head_bytes > LARGEST_HEAD:
            self._hang_up()

    def on_headers_complete(self) -> None:
        self._is_in_head, self._head_bytes = False, 0
        self._stop_timer()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._is_in_head = True
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _start_timer(self) -> None:
        self._head_timer = self.loop.call_later(HEAD_SECONDS, self._hang_up)

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _hang_up(self) -> None:
        self._stop_timer()
        if not self.transport.is_closing():
            self.transport.close()
