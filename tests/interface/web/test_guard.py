"""One client does not disturb the others: sizes, times, garbage and foreign hosts."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `web` is not installed")
pytest.importorskip("httpx2", reason="the extra `dev` is not installed")

import uvicorn  # noqa: E402
from fastapi.testclient import TestClient  # noqa: E402
from starlette.types import Message, Receive, Scope, Send  # noqa: E402

from bgai.interface.bot import load_bot  # noqa: E402
from bgai.interface.web import answers, guard, server, table_view  # noqa: E402
from bgai.interface.web.app import create_app  # noqa: E402
from bgai.interface.web.rehearsal import rehearse  # noqa: E402
from bgai.interface.web.server import LOOPBACK_NAMES, is_loopback, own_names, serve  # noqa: E402

SHORT = 0.3  # seconds
PATIENCE = 30.0

Address = tuple[str, int]


@pytest.fixture
def address(race_bot: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Address]:
    """A real server that waits for nobody."""
    monkeypatch.setattr(guard, "HEAD_SECONDS", SHORT)
    monkeypatch.setattr(guard, "BODY_SECONDS", SHORT)
    config = uvicorn.Config(
        create_app(load_bot(race_bot), hosts=LOOPBACK_NAMES),
        interface="asgi3",
        http=guard.GuardedProtocol,
        ws="none",
        log_level="critical",
        timeout_graceful_shutdown=1,
    )
    running = uvicorn.Server(config)
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=running.run, args=([listener],))
    thread.start()
    yield listener.getsockname()
    running.should_exit = True
    thread.join(PATIENCE)


def talk(address: Address, *sent: bytes) -> bytes:
    """What a client gets that sends these bytes and then listens until the server hangs up."""
    with socket.create_connection(address, PATIENCE) as connection:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for part in sent:
                connection.sendall(part)
        received = b""
        with contextlib.suppress(ConnectionResetError):
            while part := connection.recv(4096):
                received += part
        return received


def request(path: str = "/api/dice", *headers: str, host: str = "localhost") -> bytes:
    lines = [f"GET {path} HTTP/1.1", f"Host: {host}", *headers, "Connection: close", "", ""]
    return "\r\n".join(lines).encode()


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def test_a_client_that_never_finishes_its_head_is_hung_up_on(address: Address) -> None:
    assert talk(address, b"GET /api/dice HTTP/1.1\r\nHost: local") == b""
    assert talk(address) == b""


def test_a_client_that_never_sends_its_body_is_told_so(address: Address) -> None:
    head = b"POST /api/cube HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90\r\n\r\n{"
    assert status(talk(address, head)) == 408


def test_slow_and_garbage_clients_do_not_keep_others_waiting(address: Address) -> None:
    with contextlib.ExitStack() as slow:
        for _ in range(50):
            connection = slow.enter_context(socket.create_connection(address, PATIENCE))
            connection.sendall(b"GET / HT")
        assert status(talk(address, b"\x00\xff garbage \r\n\r\n")) == 400
        assert status(talk(address, request())) == 200


def test_an_endless_head_is_cut_off(address: Address) -> None:
    endless = b"GET / HTTP/1.1\r\n" + b"X-Long: " + b"x" * (2 * guard.LARGEST_HEAD)
    assert talk(address, endless) == b""


def test_an_endless_body_is_refused(address: Address) -> None:
    head = (
        b"POST /api/cube HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"100000\r\n"
    )
    answer = talk(address, head, b"x" * 2**20, b"\r\n100000\r\n", b"x" * 2**20)
    assert not answer or status(answer) == 413


def test_a_later_request_on_a_connection_is_under_the_same_limits(address: Address) -> None:
    first = request().replace(b"Connection: close\r\n", b"")
    answer = talk(address, first, b"GET / HTTP/1.1\r\nHost: lo")
    assert status(answer) == 200 and answer.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize("size", [guard.LARGEST_BODY + 1, 10**12])
def test_an_oversized_body_is_refused_by_its_length_alone(client: TestClient, size: int) -> None:
    response = client.post("/api/cube", content=b"{}", headers={"content-length": str(size)})
    assert response.status_code == 413
    assert "at most" in response.json()["message"]


def test_another_sites_name_does_not_reach_a_server_of_this_computer(client: TestClient) -> None:
    assert client.get("/api/dice", headers={"host": "evil.example"}).status_code == 403
    for host in ("localhost:8642", "127.0.0.1", "[::1]:80"):
        assert client.get("/api/dice", headers={"host": host}).status_code == 200


def test_a_loopback_address_is_known_as_one() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "::1", "localhost", "127.9.9.9")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.1.2", "example.org")))


@pytest.mark.parametrize(
    ("host", "name"), [("127.0.0.2", "127.0.0.2"), ("::1", "[::1]"), ("localhost", "localhost")]
)
def test_a_server_of_this_computer_answers_to_its_own_name(host: str, name: str) -> None:
    assert name in (own_names(host) or ())
    assert "evil.example" not in (own_names(host) or ())
    assert own_names("0.0.0.0") is None


def test_a_port_in_use_or_impossible_is_an_error(race_bot: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match="in use"):
            serve(load_bot(race_bot), port=port)
    with pytest.raises(ValueError, match="70000"):
        serve(load_bot(race_bot), port=70000)


def test_a_head_in_small_pieces_is_read_in_time(address: Address) -> None:
    with socket.create_connection(address, PATIENCE) as connection:
        for byte in request():
            connection.sendall(bytes([byte]))
            time.sleep(SHORT / 1000)
        assert status(connection.recv(4096)) == 200


class Broken:
    """An application that never answers, or fails."""

    def __init__(self, error: Exception | None) -> None:
        self.has_begun = asyncio.Event()
        self._error = error

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.has_begun.set()
        if self._error is not None:
            raise self._error
        await asyncio.Event().wait()


async def answer_of(app: Broken, is_cancelled: bool) -> tuple[int, dict[str, Any]]:
    """Status and body of what a guard answers for an application."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    task = asyncio.create_task(guard.Guard(app, None)(scope, receive, send))
    await app.has_begun.wait()
    if is_cancelled:
        task.cancel()
    with contextlib.suppress(ZeroDivisionError):
        await task
    return sent[0]["status"], json.loads(sent[1]["body"])


def answered(app: Broken, is_cancelled: bool) -> tuple[int, dict[str, Any]]:
    with ThreadPoolExecutor(1) as other:  # in this thread, a browser's event loop may be running
        return other.submit(asyncio.run, answer_of(app, is_cancelled)).result()


def test_a_request_that_is_cut_short_by_the_end_of_the_server_gets_a_503_in_json() -> None:
    status, answer = answered(Broken(None), is_cancelled=True)
    assert status == 503 and answer == {"message": "the server has been stopped", "field": None}


def test_a_mistake_of_the_server_is_answered_in_json_and_not_hidden() -> None:
    status, answer = answered(Broken(ZeroDivisionError()), is_cancelled=False)
    assert status == 500 and answer["field"] is None


def test_the_server_says_where_it_is_once_all_is_compiled(
    race_bot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    happened: list[str] = []
    monkeypatch.setattr(server, "rehearse", lambda *_, **__: happened.append("rehearsed"))
    monkeypatch.setattr(server, "_announce", lambda *_: happened.append("announced"))
    monkeypatch.setattr(server, "_run", lambda app, listener, announce: announce())
    serve(load_bot(race_bot), port=0)
    assert happened == ["rehearsed", "announced"]


def test_the_rehearsal_asks_every_kind_of_question(
    race_bot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: set[str] = set()

    def noting(name: str, answer: Callable[..., Any]) -> Callable[..., Any]:
        def note_and_answer(*args: Any, **options: Any) -> Any:
            asked.add(name)
            return answer(*args, **options)

        return note_and_answer

    of_table = {"view", "events", "hints", "judgement", "account"}
    of_programs = {"best_plays_answer", "cube_answer"}
    for module, names in ((table_view, of_table), (answers, of_programs)):
        for name in names:
            monkeypatch.setattr(module, name, noting(name, getattr(module, name)))
    rehearse(load_bot(race_bot), has_page=False)
    assert asked == of_programs
    rehearse(load_bot(race_bot))
    assert asked == of_programs | of_table
