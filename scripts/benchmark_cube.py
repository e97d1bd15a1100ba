"""Measure how fast cube decisions are made from given probabilities.

    python scripts/benchmark_cube.py --decisions 1000000 --repeats 5

Prints decisions (ND, DT, DP, action and response) per second, the median over the repeats: at
money, and at scores of a 7-point match; and the processor time of one decision, which other
programs on a busy machine hardly change. Probabilities, cubes and scores are drawn at random; the
first call, which compiles, is not timed. `BGAI_THREADS` limits the cores.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from bgai.cube import StateRows, decide_batch, pack_states
from bgai.engine.compiled import thread_count
from bgai.match.cube_state import CubeState, Owner

MATCH_LENGTH = 7
EFFICIENCY = 2 / 3
DISTINCT_STATES = 1000


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--decisions", type=int, default=1_000_000, help="in one batch")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args(argv)
    if arguments.decisions < 1 or arguments.repeats < 1:
        parser.error("--decisions and --repeats must be at least 1")

    rng = np.random.default_rng(arguments.seed)
    probs = rng.dirichlet([5, 2, 0.2, 5, 2, 0.2], arguments.decisions)
    speeds = {
        kind: _measure(probs, _random_states(rng, kind, arguments.decisions), arguments.repeats)
        for kind in ("money", "match")
    }
    if arguments.json:
        report: dict[str, Any] = {"threads": thread_count(), "decisions": arguments.decisions}
        report |= {
            kind: {"per_second": rate, "cpu_ns": cpu_ns} for kind, (rate, cpu_ns) in speeds.items()
        }
        print(json.dumps(report))
        return 0
    busy = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"{arguments.decisions} decisions a call, {thread_count()} threads{busy}")
    for kind, (rate, cpu_ns) in speeds.items():
        print(f"{kind:>6}: {rate:>12,.0f} decisions/s, {cpu_ns:.0f} ns of processor time each")
    return 0


def _measure(
    probs: npt.NDArray[np.float64], states: StateRows, repeats: int
) -> tuple[float, float]:
    """Decisions per second and nanoseconds of processor time per decision, medians."""
    decide_batch(probs[:2], states[:2], EFFICIENCY)
    rates, cpu_ns = [], []
    for _ in range(repeats):
        start, cpu_start = time.perf_counter(), time.process_time()
        decide_batch(probs, states, EFFICIENCY)
        rates.append(len(probs) / (time.perf_counter() - start))
        cpu_ns.append(1e9 * (time.process_time() - cpu_start) / len(probs))
    return median(rates), median(cpu_ns)


def _random_states(rng: np.random.Generator, kind: str, count: int) -> StateRows:
    few = pack_states([_random_state(rng, kind) for _ in range(DISTINCT_STATES)], DISTINCT_STATES)
    return few[rng.integers(DISTINCT_STATES, size=count)]


def _random_state(rng: np.random.Generator, kind: str) -> CubeState:
    value = int(2 ** rng.integers(0, 4))
    owner = Owner.CENTRED if value == 1 else (Owner.PLAYER, Owner.OPPONENT)[rng.integers(2)]
    if kind == "money":
        return CubeState(value=value, owner=owner, jacoby=bool(rng.integers(2)), beavers=True)
    while True:
        away = (int(rng.integers(1, MATCH_LENGTH + 1)), int(rng.integers(1, MATCH_LENGTH + 1)))
        with suppress(ValueError):  # the score at which that cube would have been dead
            return CubeState(value=value, owner=owner, away=away)


if __name__ == "__main__":
    raise SystemExit(main())
