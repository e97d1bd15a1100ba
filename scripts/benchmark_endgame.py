"""Measure how fast the endgame tables are built, and endgames looked up.

    python scripts/benchmark_endgame.py --boards 1000000 --repeats 5

Prints the seconds of a build (kernels compiled before), and boards looked up per second, the median
over the repeats: races that the race net knows, those that only the one-sided table knows, those
that the two-sided table knows, and those that nothing does. Boards are drawn at random.
`BGAI_THREADS` limits the cores.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Sequence
from statistics import median

import numpy as np

from bgai.endgame import (
    Endgames,
    bear_off_plays,
    build_endgames,
    build_one_sided,
    build_two_sided,
    position_count,
    position_counts,
)
from bgai.engine import CHECKERS, SLOTS, START, Boards, swap
from bgai.engine.board import HOME
from bgai.engine.compiled import thread_count


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--boards", type=int, default=1_000_000, help="in one batch")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args(argv)
    if arguments.boards < 1 or arguments.repeats < 1:
        parser.error("--boards and --repeats must be at least 1")

    seconds, endgames = _build()
    rng = np.random.default_rng(arguments.seed)
    few = position_count(endgames.two_sided.checkers)
    batches = {
        "races": _races(rng, arguments.boards),
        "one-sided": _bear_offs(rng, arguments.boards, few, position_count(CHECKERS)),
        "two-sided": _bear_offs(rng, arguments.boards, 1, few),
        "unknown": np.repeat(START[None], arguments.boards, axis=0),
    }
    rates = {
        name: _rate(endgames.lookup, boards, arguments.repeats) for name, boards in batches.items()
    }
    rates["cube equities"] = _rate(endgames.cube_equities, batches["two-sided"], arguments.repeats)
    if arguments.json:
        report = {"threads": thread_count(), "build_s": seconds, "boards_per_second": rates}
        print(json.dumps(report))
        return 0
    busy = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"{thread_count()} threads{busy}")
    print(f"both tables built in {seconds:.1f} seconds")
    for name, rate in rates.items():
        print(f"{name:>13}: {rate:>12,.0f} boards/s")
    return 0


def _races(rng: np.random.Generator, boards: int) -> Boards:
    """Boards without contact: all checkers of each side on its own half."""
    found = np.zeros((boards, SLOTS), np.int8)
    for slots, sign in ((slice(1, 13), 1), (slice(13, 25), -1)):
        found[:, slots] = sign * rng.multinomial(CHECKERS, np.full(12, 1 / 12), boards)
    return found


def _build() -> tuple[float, Endgames]:
    """Seconds of a build, and the tables."""
    plays = bear_off_plays(2)
    build_one_sided(plays, 2), build_two_sided(plays, 2)  # compiles
    start = time.perf_counter()
    endgames = build_endgames()
    return time.perf_counter() - start, endgames


def _bear_offs(rng: np.random.Generator, boards: int, first: int, end: int) -> Boards:
    """Boards `[N, 26]` of two positions, each with a number in `first..end - 1`."""
    sides = np.zeros((2, boards, SLOTS), np.int8)
    sides[:, :, 1 : HOME + 1] = position_counts(rng.integers(first, end, (2, boards)))
    boards_of_both: Boards = sides[0] + swap(sides[1])
    return boards_of_both


def _rate(lookup: Callable[[Boards], object], boards: Boards, repeats: int) -> float:
    """Boards per second, the median."""
    lookup(boards[:2])
    rates = []
    for _ in range(repeats):
        start = time.perf_counter()
        lookup(boards)
        rates.append(len(boards) / (time.perf_counter() - start))
    return median(rates)


if __name__ == "__main__":
    raise SystemExit(main())
