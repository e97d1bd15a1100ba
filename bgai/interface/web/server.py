"""Runs the web application on this computer, in one process or, the API alone, in several."""

from __future__ import annotations

import ipaddress
import multiprocessing
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection

import uvicorn
from starlette.types import ASGIApp

from bgai.interface.bot import Bot
from bgai.interface.web.app import create_app
from bgai.interface.web.guard import GuardedProtocol
from bgai.interface.web.questions import MOST_PLIES
from bgai.interface.web.rehearsal import rehearse

LOOPBACK = "127.0.0.1"
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
DEFAULT_PORT = 8642
MOST_CONNECTIONS = 1000
KEEP_ALIVE_SECONDS = 15
EXIT_INTERRUPTED = 130


def serve(
    bot: Bot,
    host: str = LOOPBACK,
    port: int = DEFAULT_PORT,
    *,
    plies: int = 0,
    seed: int | None = None,
    opens_browser: bool = False,
) -> None:
    """Serve the page and the API until interrupted.

    Args:
        host: the address to listen at; other than a loopback address the whole network may reach
            it.
        port: 0 for any that is free.
        plies: what the page proposes for the opponent's search.
        seed: of the dice; None for other dice each time.
        opens_browser: show the page in the person's browser.

    Raises:
        ValueError: `port` is no port, or the page does not propose so many `plies`.
        OSError: the address is taken or not this computer's.
    """
    if not 0 <= plies <= MOST_PLIES:
        raise ValueError(f"the page has 0..{MOST_PLIES} plies, got {plies}")
    listener = _listener(host, port)
    rehearse(bot)
    app = create_app(bot, seed=seed, hosts=own_names(host), plies=plies)

    def announce() -> None:
        address = _announce(host, listener)
        if opens_browser:
            threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()

    _run(app, listener, announce)


def serve_api(
    load: Callable[[], Bot], host: str = LOOPBACK, port: int = DEFAULT_PORT, *, workers: int
) -> None:
    """Serve the API without the page, whose tables live in one process, until interrupted.

    Args:
        load: makes the bot, in each process anew; can be pickled.
        host, port: as for `serve`.
        workers: processes that answer.

    Raises:
        ValueError: `port` or `workers` is not possible.
        OSError: the address is taken or not this computer's; or a worker ended before it answered.
    """
    if workers < 1:
        raise ValueError(f"at least 1 worker is needed, got {workers}")
    listener = _listener(host, port)
    bot = load()
    rehearse(bot, has_page=False)
    app = create_app(bot, hosts=own_names(host), has_page=False)
    for started in [_start_worker(load, listener, host) for _ in range(workers - 1)]:
        try:
            started.recv()
        except EOFError:
            raise ChildProcessError("a worker ended while it was starting") from None
    _run(app, listener, lambda: _announce(host, listener))


def _start_worker(
    load: Callable[[], Bot], listener: socket.socket, host: str
) -> Connection[None, None]:
    """One more process; what it returns receives something once the process answers."""
    spawning = multiprocessing.get_context("spawn")  # threads and runtimes do not survive a fork
    receiver, sender = spawning.Pipe(duplex=False)
    worker = spawning.Process(target=_work, args=(load, listener, host, sender), daemon=True)
    # Ctrl-C reaches both: the worker, which inherits this, goes with the first process
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
    worker.start()
    signal.signal(signal.SIGINT, usual)
    sender.close()  # the worker has its own, and its death is noticed
    return receiver


def _work(
    load: Callable[[], Bot], listener: socket.socket, host: str, ready: Connection[None, None]
) -> None:
    """Answer for as long as the first process lives."""
    bot = load()
    server = _server(create_app(bot, hosts=own_names(host), has_page=False))
    parent = multiprocessing.parent_process()
    assert parent is not None

    def stop_with_parent() -> None:
        parent.join()
        server.should_exit = True

    threading.Thread(target=stop_with_parent, daemon=True).start()
    rehearse(bot, has_page=False, is_announced=False)
    with suppress(BrokenPipeError):  # the first process may have ended already
        ready.send(None)
        server.run(sockets=[listener])
    os._exit(0)  # whatever is still computed, nobody waits for it


def _run(app: ASGIApp, listener: socket.socket, announce: Callable[[], object]) -> None:
    """Answer until interrupted, once announced.

    A search that nobody waits for any more does not keep the program from ending.
    """
    try:
        _server(app, announce).run(sockets=[listener])
    except KeyboardInterrupt:
        threads = [thread for thread in threading.enumerate() if not thread.daemon]
        if threads == [threading.main_thread()]:
            raise
        print(file=sys.stderr, flush=True)
        os._exit(EXIT_INTERRUPTED)


class _Server(uvicorn.Server):
    """A server that is announced when it answers, and so when it knows how to end at Ctrl-C."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], object]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._announce()


def _server(app: ASGIApp, announce: Callable[[], object] = lambda: None) -> uvicorn.Server:
    return _Server(
        uvicorn.Config(
            app,
            interface="asgi3",
            http=GuardedProtocol,
            ws="none",
            log_level="error",
            access_log=False,
            server_header=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=2,
        ),
        announce,
    )


def _announce(host: str, listener: socket.socket) -> str:
    """Say where the server is; returns its address."""
    address = f"http://{_in_address(host)}:{listener.getsockname()[1]}/"
    print(f"bgai is at {address} (its JSON API: {address}docs). Ctrl-C stops it.", flush=True)
    return address


def own_names(host: str) -> tuple[str, ...] | None:
    """The names that a request may ask for, where only this computer can."""
    return (*LOOPBACK_NAMES, _in_address(host)) if is_loopback(host) else None


def _in_address(host: str) -> str:
    """The host as it stands before a port."""
    return f"[{host}]" if ":" in host else host


def _listener(host: str, port: int) -> socket.socket:
    """A socket of our own: uvicorn's would end the program where the address is taken."""
    if not 0 <= port <= 65535:
        raise ValueError(f"a port is 0..65535, got {port}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise OSError(error.errno, error.strerror, f"{host} port {port}") from None


def is_loopback(host: str) -> bool:
    """Whether only this computer can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
