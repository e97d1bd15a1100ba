"""Measure how fast positions are labelled with each kind of target.

    python scripts/benchmark_labels.py checkpoints/flagship/net.pt --seconds 10

Positions come from games that the net plays with itself; choosing them is measured too. Prints
positions per second, and per second of processor time, of which two busy cores have two a second:
that number changes less when the machine does other work. For rollouts also the mean standard error
of the equity. The scout of a checkpoint that has one shortlists the plays; `--no-scout` looks at
all. The first call of each kind, which compiles, is not counted. `BGAI_THREADS` limits the cores.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from bgai.endgame import load_or_build
from bgai.engine import Boards
from bgai.engine.compiled import thread_count
from bgai.search.rollout import RolloutSettings
from bgai.training.generation import Labeller, load_labeller
from bgai.training.labels import LabelSettings
from bgai.training.positions import PositionSettings, choose_positions

POSITIONS = PositionSettings()
TARGETS = {
    "plies:1": LabelSettings(POSITIONS, plies=1),
    "plies:2": LabelSettings(POSITIONS, plies=2),
    "plies:3": LabelSettings(POSITIONS, plies=3),
    "rollout of 36, 4 plies": LabelSettings(POSITIONS, rollout=RolloutSettings(36, 4)),
    "rollout of 36, 7 plies": LabelSettings(POSITIONS, rollout=RolloutSettings(36, 7)),
    "rollout of 72, 11 plies": LabelSettings(POSITIONS, rollout=RolloutSettings(72, 11)),
}
_LOOKS_AT_ONCE = 4096


@dataclass(frozen=True)
class Rate:
    """How fast one kind of work went."""

    work: str
    positions: int
    seconds: float
    processor_seconds: float
    standard_error_mp: float
    """Mean standard error of the labels' equities, in millipoints."""


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("net", type=Path, help="a checkpoint")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each kind, at least")
    parser.add_argument("--no-scout", action="store_true", help="look at every play")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args(argv)
    if arguments.seconds <= 0:
        parser.error("--seconds must be positive")
    labeller = load_labeller(arguments.net, load_or_build(), None, not arguments.no_scout)
    boards, choosing = choose(labeller, arguments.seed)
    rates = [choosing]
    for name, settings in TARGETS.items():
        rates.append(measure(name, labeller, settings, boards, arguments.seconds))
    if arguments.json:
        report = {"threads": thread_count(), "scout": labeller.scout is not None}
        print(json.dumps({**report, "rates": [asdict(rate) for rate in rates]}))
        return 0
    busy = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    scout = "with" if labeller.scout is not None else "without"
    print(f"{thread_count()} threads{busy}, {scout} a scout")
    for rate in rates:
        error = f", error {rate.standard_error_mp:.1f} mp" if rate.standard_error_mp else ""
        print(
            f"{rate.work:>24}: {rate.positions / rate.seconds:>9,.1f} positions/s, "
            f"{rate.positions / rate.processor_seconds:>9,.1f} per processor second{error}"
        )
    return 0


def choose(labeller: Labeller, seed: int) -> tuple[Boards, Rate]:
    """Positions `[N, 26]` of self-play, and how fast they were found."""
    for count in (64, 8192):  # the first compiles
        start, processor = time.perf_counter(), time.process_time()
        boards = choose_positions(
            POSITIONS,
            labeller.player,
            count,
            np.random.SeedSequence(seed),
            lambda: False,
            labeller.scout,
        )
        seconds, used = time.perf_counter() - start, time.process_time() - processor
    assert boards is not None
    return boards, Rate("choosing, self-play", len(boards), seconds, used, 0.0)


def measure(
    name: str, labeller: Labeller, settings: LabelSettings, boards: Boards, seconds: float
) -> Rate:
    """Label boards, again from the first when there are no more, for at least some seconds."""
    dice = np.random.SeedSequence(1)
    at_once = max(8, min(len(boards), _LOOKS_AT_ONCE // settings.looks))
    labeller.label(settings, boards[:2], dice)
    done = 0
    errors: list[float] = []
    start, processor = time.perf_counter(), time.process_time()
    while not errors or time.perf_counter() - start < seconds:
        rows = np.arange(done, done + at_once) % len(boards)
        errors.append(labeller.label(settings, boards[rows], dice).standard_errors.mean())
        done += at_once
    return Rate(
        name,
        done,
        time.perf_counter() - start,
        time.process_time() - processor,
        1000 * float(np.mean(errors)),
    )


if __name__ == "__main__":
    raise SystemExit(main())
