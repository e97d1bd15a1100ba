"""Measure how many questions the JSON API answers.

    python scripts/benchmark_api.py --seconds 10 --connections 16

Starts a server of its own (`bgai serve http --workers 2`, 0-ply) and asks it over connections that
stay open, each sending its next question when the answer is there. Prints for each call the answers
per second, the median and the slowest answer, what was lost (no answer, or one that is not a 200),
and on Linux the processor time of an answer. The positions come from random games. Server and load
generator share the machine's cores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from bgai.engine import START, UNFINISHED, Board, legal_afterstates, outcomes, roll

POSITIONS = 500
CALLS = ("evaluation", "best-plays", "cube", "wildbg /eval", "wildbg /move", "dice")
START_SECONDS = 300
ANSWER_SECONDS = 30.0


@dataclass
class Tally:
    """What became of the questions of one kind; times in seconds."""

    times: list[float] = field(default_factory=list)
    lost: int = 0
    cpu_seconds: float | None = None

    def as_json(self, seconds: float) -> dict[str, Any]:
        times = self.times or [float("nan")]
        return {
            "per_second": len(self.times) / seconds,
            "answers": len(self.times),
            "lost": self.lost,
            "median_ms": 1000 * median(times),
            "slowest_ms": 1000 * max(times),
            "cpu_ms": None
            if self.cpu_seconds is None
            else 1000 * self.cpu_seconds / max(1, len(self.times)),
        }


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=10.0, help="for each call")
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--workers", type=int, default=2, help="processes that answer")
    parser.add_argument("--calls", nargs="+", choices=CALLS, default=list(CALLS), metavar="CALL")
    parser.add_argument("--bot", help="folder, zip, or name of a bot that ships")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args(argv)
    if arguments.seconds <= 0 or min(arguments.connections, arguments.workers) < 1:
        parser.error("--seconds must be positive, --connections and --workers at least 1")

    boards = random_boards(np.random.default_rng(arguments.seed))
    report = {}
    with serving(arguments.bot, arguments.workers) as server:
        for call in arguments.calls:
            asked = questions(call, boards, arguments.seed)
            tally = asyncio.run(ask_for(server, asked, arguments.connections, arguments.seconds))
            report[call] = tally.as_json(arguments.seconds)
    if arguments.json:
        print(json.dumps({"connections": arguments.connections, "calls": report}))
        return 0
    busy = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(
        f"{arguments.workers} workers, {arguments.connections} connections, "
        f"{os.cpu_count()} cores{busy}"
    )
    print(
        f"{'call':<14} {'answers/s':>10} {'answers':>9} {'lost':>5}"
        f" {'median ms':>10} {'slowest':>8} {'cpu ms':>7}"
    )
    for call, row in report.items():
        print(
            f"{call:<14} {row['per_second']:>10.0f} {row['answers']:>9,} {row['lost']:>5}"
            f" {row['median_ms']:>10.1f} {row['slowest_ms']:>8.1f}"
            + ("" if row["cpu_ms"] is None else f" {row['cpu_ms']:>7.2f}")
        )
    return 0


def random_boards(rng: np.random.Generator) -> list[Board]:
    """Positions of games that are played at random, none of them over."""
    boards = [START]
    while len(boards) < POSITIONS:
        after, _ = legal_afterstates(boards[-1][None], roll(rng, 1))
        chosen = after[rng.integers(len(after))]
        boards.append(chosen if int(outcomes(chosen)) == UNFINISHED else START)
    return boards


def questions(call: str, boards: Sequence[Board], seed: int) -> Iterator[bytes]:
    """Requests without end."""
    rng = np.random.default_rng(seed)
    for number in count():
        board = boards[number % len(boards)].tolist()
        dice = roll(rng, 1)[0].tolist()
        if call == "dice":
            yield request("GET", "/api/dice")
        elif call.startswith("wildbg"):
            points = "&".join(f"p{point}={checkers}" for point, checkers in enumerate(board))
            thrown = f"&die1={dice[0]}&die2={dice[1]}" if call.endswith("move") else ""
            yield request("GET", f"{call.split()[1]}?{points}{thrown}")
        else:
            question: dict[str, Any] = {"position": board}
            if call == "best-plays":
                question |= {"dice": dice, "top": 1}
            yield request("POST", f"/api/{call}", json.dumps(question).encode())


def request(method: str, path: str, body: bytes = b"") -> bytes:
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


@dataclass(frozen=True)
class Server:
    """A server in a process of its own."""

    port: int
    process: int

    def cpu_seconds(self) -> float | None:
        """Processor time so far, of all its workers; None where /proc does not tell it."""
        if not Path(f"/proc/{self.process}/stat").exists():
            return None
        children = Path(f"/proc/{self.process}/task/{self.process}/children")
        processes = [self.process, *map(int, children.read_text().split())]
        return sum(map(_cpu_seconds, processes))


def _cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(bot: str | None, workers: int) -> Iterator[Server]:
    """A server of our own."""
    command = [sys.executable, "-m", "bgai", "serve", "http", "--port", "0"]
    command += ["--workers", str(workers)]
    command += ["--bot", bot] if bot else []
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        told = re.search(r":(\d+)/", server.stdout.readline())
        if told is None:
            raise RuntimeError("the server did not start")
        yield Server(int(told[1]), server.pid)
    finally:
        server.terminate()
        server.wait(START_SECONDS)


async def ask_for(
    server: Server, asked: Iterator[bytes], connections: int, seconds: float
) -> Tally:
    """Keep so many connections busy for a time, after one answer each that does not count."""
    tally = Tally()
    await asyncio.gather(*(_ask(server.port, asked, 0, Tally()) for _ in range(connections)))
    cpu_before = server.cpu_seconds()
    end = time.perf_counter() + seconds
    await asyncio.gather(*(_ask(server.port, asked, end, tally) for _ in range(connections)))
    cpu_after = server.cpu_seconds()
    if cpu_before is not None and cpu_after is not None:
        tally.cpu_seconds = cpu_after - cpu_before
    return tally


async def _ask(port: int, asked: Iterator[bytes], end: float, tally: Tally) -> None:
    """Ask on one connection until the end, at least once."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while True:
        began = time.perf_counter()
        try:
            writer.write(next(asked))
            async with asyncio.timeout(ANSWER_SECONDS):
                is_good = await _answer(reader)
        except (OSError, EOFError, TimeoutError):
            tally.lost += 1
            break
        now = time.perf_counter()
        if is_good:
            tally.times.append(now - began)
        else:
            tally.lost += 1
        if now >= end:
            break
    writer.close()


async def _answer(reader: asyncio.StreamReader) -> bool:
    """Read one answer; whether it is a 200."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    assert length is not None
    await reader.readexactly(int(length[1]))
    return head.startswith(b"HTTP/1.1 200 ")


if __name__ == "__main__":
    sys.exit(main())
