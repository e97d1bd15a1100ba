"""Measure how fast one process and several train the same run, on this machine.

    python scripts/benchmark_distributed.py configs/fast.toml --minutes 1 --rounds 3

The numbers of processes take turns (1, 2, 1, 2 ...). The cores are always the same, those there
are, shared out: on two cores one process with two threads meets two with one thread each. So this
shows what sharing costs or gains on one machine, not what more machines bring. Games per second are
those of the second half of each run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for what another script offers

from scripts.benchmark_training import (  # noqa: E402 (after the path)
    BUSY_LOAD,
    START_UP_LIMIT_S,
    read_progress,
    second_half_rate,
)

_STOP_LIMIT_S = 60.0


def start_command(config: Path, processes: int, minutes: float) -> list[str]:
    """What starts a run; the folder for its files is to be appended."""
    train = ["bgai", "train", str(config), "--minutes", str(minutes), "--run"]
    if processes == 1:
        return [sys.executable, "-m", *train]
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes)]
    # without the -- some versions take --run for an option of torchrun
    return [sys.executable, *torchrun, "-m", "--", *train]


def threads_of_each(processes: int) -> int:
    """Threads of each process, so that all together have a thread for each core."""
    return max(1, (os.cpu_count() or 1) // processes)


def train(command: Sequence[str], threads: int, limit_s: float) -> None:
    """Run a training to its end.

    Raises:
        RuntimeError: it failed, or was stopped after `limit_s` seconds.
    """
    environment = {**os.environ, "BGAI_THREADS": str(threads)}
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as words:
        with subprocess.Popen(
            command, stdout=words, stderr=subprocess.STDOUT, env=environment
        ) as process:
            try:
                process.wait(limit_s)
            except subprocess.TimeoutExpired:
                raise RuntimeError(f"{command[1:]} did not end within {limit_s:.0f} s") from None
            finally:
                _end(process)
        words.seek(0)
        if process.returncode != 0:
            last = "\n".join(words.read().splitlines()[-5:])
            raise RuntimeError(f"{command[1:]} failed with {process.returncode}:\n{last}")


def _end(process: subprocess.Popen[Any]) -> None:
    """Stop what may still run; torchrun passes on a SIGTERM, but not a SIGKILL."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()


def compare(
    config: Path, processes: Sequence[int], minutes: float, rounds: int
) -> dict[int, list[float]]:
    """Games per second of every round, by number of processes, which take turns.

    Raises:
        RuntimeError: a run failed.
        ValueError: the runs are too short for a rate.
    """
    rates: dict[int, list[float]] = {number: [] for number in processes}
    for turn in range(1, rounds + 1):
        for number in processes:
            with tempfile.TemporaryDirectory() as folder:
                command = [*start_command(config, number, minutes), folder]
                train(command, threads_of_each(number), minutes * 60 + START_UP_LIMIT_S)
                rate = second_half_rate(read_progress(Path(folder)))
            if rate == 0:
                raise ValueError(
                    f"give more --minutes: no game ended in the second half of {minutes}"
                )
            rates[number].append(rate)
            words = f"{number} process(es) {rate:.1f} games/s"
            print(f"round {turn}/{rounds}: {words}", file=sys.stderr, flush=True)
    return rates


def markdown_table(rates: Mapping[int, Sequence[float]]) -> str:
    """Medians over the rounds, one row for each number of processes."""
    first = median(next(iter(rates.values())))
    lines = [
        f"The same {os.cpu_count()} cores for each number of processes:",
        "",
        "| processes | threads each | games/s | lowest - highest | times the first |",
        "|---:|---:|---:|---:|---:|",
    ]
    for number, values in rates.items():
        middle = median(values)
        lines.append(
            f"| {number} | {threads_of_each(number)} | {middle:.1f} "
            f"| {min(values):.1f} - {max(values):.1f} | {middle / first:.2f} |"
        )
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("config", type=Path, metavar="CONFIG", help="the training config")
    parser.add_argument("--minutes", type=float, default=1.0, help="of training, each run")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each number of processes")
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2], metavar="N")
    parser.add_argument("--json", action="store_true", help="every run, as JSON")
    return parser


def _check(arguments: argparse.Namespace) -> None:
    if not arguments.minutes > 0:
        raise ValueError(f"minutes must be positive, got {arguments.minutes}")
    for name in ("rounds", "processes"):
        value = getattr(arguments, name)
        if min([value] if name == "rounds" else value) < 1:
            raise ValueError(f"{name} must be 1 or more, got {value}")
    if not arguments.config.exists():
        raise ValueError(f"there is no {arguments.config}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the comparison."""
    arguments = _parser().parse_args(argv)
    try:
        _check(arguments)
        if (load := os.getloadavg()[0]) > BUSY_LOAD:
            print(f"the machine is busy (load {load:.1f}): speeds will be too low", file=sys.stderr)
        rates = compare(arguments.config, arguments.processes, arguments.minutes, arguments.rounds)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(rates) if arguments.json else markdown_table(rates))
    return 0


if __name__ == "__main__":
    sys.exit(main())
