"""Runs the web application on this computer."""

from __future__ import annotations

import ipaddress
import socket
import threading
import webbrowser

import uvicorn

from bgai.interface.bot import Bot
from bgai.interface.warm_up import warm_up
from bgai.interface.web.app import create_app
from bgai.interface.web.guard import GuardedProtocol
from bgai.interface.web.questions import MOST_PLIES

LOOPBACK = "127.0.0.1"
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
DEFAULT_PORT = 8642
MOST_CONNECTIONS = 1000
KEEP_ALIVE_SECONDS = 15


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
    if not 0 <= port <= 65535:
        raise ValueError(f"a port is 0..65535, got {port}")
    listener = _listener(host, port)
    warm_up()
    hosts = LOOPBACK_NAMES if is_loopback(host) else None
    config = uvicorn.Config(
        create_app(bot, seed=seed, hosts=hosts, plies=plies),
        interface="asgi3",
        http=GuardedProtocol,
        ws="none",
        log_level="error",
        access_log=False,
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=2,
    )
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listener.getsockname()[1]}/"
    print(f"bgai is at {address} (its JSON API: {address}docs). Ctrl-C stops it.", flush=True)
    if opens_browser:
        threading.Timer(0.5, webbrowser.open, [address]).start()
    uvicorn.Server(config).run(sockets=[listener])


def _listener(host: str, port: int) -> socket.socket:
    """A socket of our own: uvicorn's would end the program where the address is taken."""
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
