"""A TCP server for protocols of one line in, one answer out; every connection has its thread."""

from __future__ import annotations

import socket
import socketserver
from collections.abc import Callable, Iterator
from typing import Protocol

from bgai.interface.protocols.gnubg_external import Goodbye

LONGEST_LINE = 4096
_READ_AT_ONCE = 4096


class Conversation(Protocol):
    """What answers the lines of one connection."""

    def answer(self, line: str, from_gnubg: bool) -> str:
        """The reply to one line, without a newline; raises `Goodbye` to end."""
        ...


class LineServer(socketserver.ThreadingTCPServer):
    """Listens until `shutdown`, and lets go of its connections then."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, host: str, port: int, start: Callable[[], Conversation]) -> None:
        """
        Args:
            port: 0 takes a free one (`server_address` tells which).
            start: makes the conversation of a new connection.

        Raises:
            OSError: it cannot listen there, naming host and port.
        """
        self.start_conversation = start
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            super().__init__((host, port), _Connection)
        except OSError as error:
            raise OSError(error.errno, error.strerror, f"{host}:{port}") from None


class _Connection(socketserver.BaseRequestHandler):
    server: LineServer

    def handle(self) -> None:
        """Answer lines until the other side ends or goes away."""
        conversation = self.server.start_conversation()
        try:
            for line, from_gnubg in self._lines():
                reply = conversation.answer(line, from_gnubg)
                self.request.sendall(reply.encode() + b"\n")
        except (Goodbye, ConnectionError):
            return

    def _lines(self) -> Iterator[tuple[str, bool]]:
        """The lines that arrive, and whether GNU Backgammon sends them.

        It ends each with a newline and a NUL, which arrive together.
        """
        waiting, from_gnubg = b"", False
        while received := self.request.recv(_READ_AT_ONCE):
            from_gnubg = from_gnubg or b"\0" in received
            *lines, waiting = (waiting + received.replace(b"\0", b"")).split(b"\n")
            for line in lines:
                yield line[:LONGEST_LINE].decode(errors="replace"), from_gnubg
            # the head of an endless line is answered as one when its end comes
            waiting = waiting[:LONGEST_LINE]
