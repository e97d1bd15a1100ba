"""Measure how fast training runs: bgai beside Open Sage's own TD trainers, on this machine.

    python scripts/benchmark_training.py configs/demo.toml --minutes 1 --rounds 3

The trainers take turns (bgai, peers, bgai, peers ...), each in a process of its own; the table
gives the median over the rounds. Games per second are those of the second half of each run, when
the games that all start together no longer end together and play is past its first random moves.
The peers come from the optional package bgsage (`pip install '.[sage]'`): `sage-120` is TD(0) with
one net of 196 inputs and 120 hidden units, `sage-gameplan` with five nets (196-100 for pure races,
244-200 for racing, attacking, priming and anchoring). They learn after every ply on one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

START_UP_LIMIT_S = 600.0
"""Seconds a trainer may take beyond its time: imports, compilation, writing the checkpoint."""

BUSY_LOAD = 0.5
"""Mean number of running processes from which a measurement of speed is not worth much."""


@dataclass(frozen=True)
class SageTrainer:
    """A training function of bgsage, which takes a number of games, not a time."""

    function: str
    arguments: Mapping[str, int]
    resume: Mapping[str, str]
    """Argument that names a file of weights to go on from -> how that file's name ends."""
    games_per_call: int


GAMEPLANS = ("purerace", "racing", "attacking", "priming", "anchoring")
PEERS = {
    "sage-120": SageTrainer(
        function="td_train",
        arguments={"n_hidden": 120},
        resume={"resume_from": ""},
        games_per_call=500,
    ),
    "sage-gameplan": SageTrainer(
        function="td_train_gameplan",
        arguments={f"n_hidden_{plan}": 100 if plan == "purerace" else 200 for plan in GAMEPLANS},
        resume={f"resume_{plan}": f"_{plan}" for plan in GAMEPLANS},
        games_per_call=50,
    ),
}


@dataclass(frozen=True)
class Measurement:
    """One trainer in one round."""

    games_per_s: float
    games: int
    cores: float
    """Processor seconds per second, start-up included."""
    peak_mb: float


def read_progress(folder: Path) -> list[tuple[float, int]]:
    """`(time_s, games)` of each line of a run's `metrics.jsonl`."""
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    values = [json.loads(line) for line in lines]
    return [(value["time_s"], value["games"]) for value in values]


def second_half_rate(progress: Sequence[tuple[float, int]]) -> float:
    """Games per second between the middle of a run (the line nearest to it) and its end.

    Args:
        progress: `(time_s, games)`, in the order of time.

    Raises:
        ValueError: no time passed between two lines, so there is no rate.
    """
    end_s, end_games = progress[-1] if progress else (0.0, 0)
    earlier = [point for point in progress if point[0] < end_s]
    if not earlier:
        raise ValueError(f"give more --minutes: {len(progress)} line(s) of metrics give no rate")
    start_s, start_games = min(earlier, key=lambda point: abs(point[0] - end_s / 2))
    return (end_games - start_games) / (end_s - start_s)


def run_measured(command: Sequence[str], limit_s: float) -> tuple[float, float]:
    """Run a command to its end.

    Returns:
        cores: processor seconds per second.
        peak_mb: the largest memory in use at one time; Linux counts this process's own where
            that is larger, so nothing large may be imported here.

    Raises:
        RuntimeError: the command failed, or was stopped after `limit_s` seconds.
    """
    started = time.perf_counter()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as words:
        process = subprocess.Popen(command, stdout=words, stderr=subprocess.STDOUT)
        try:
            # wait4 and not wait: it tells what this one child used
            while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
                if time.perf_counter() - started > limit_s:
                    raise RuntimeError(f"{command[1:]} did not end within {limit_s:.0f} s")
                time.sleep(0.05)
        except BaseException:
            process.kill()
            process.wait()
            raise
        process.returncode = os.waitstatus_to_exitcode(ended[1])
        words.seek(0)
        if process.returncode != 0:
            last = "\n".join(words.read().splitlines()[-5:])
            raise RuntimeError(f"{command[1:]} failed with {process.returncode}:\n{last}")
    usage = ended[2]
    seconds = time.perf_counter() - started
    unit = 2**20 if sys.platform == "darwin" else 2**10  # bytes on macOS, KiB on Linux
    return (usage.ru_utime + usage.ru_stime) / seconds, usage.ru_maxrss / unit


def measure(command: Sequence[str], folder: Path, minutes: float) -> Measurement:
    """Run a trainer that writes `metrics.jsonl` into `folder`."""
    cores, peak_mb = run_measured(command, minutes * 60 + START_UP_LIMIT_S)
    progress = read_progress(folder)
    return Measurement(second_half_rate(progress), progress[-1][1], cores, peak_mb)


def train_peer(peer: str, folder: Path, minutes: float) -> None:
    """Train in this process, a call after the other, and write metrics as bgai does."""
    trainer = PEERS[peer]
    train = getattr(import_module("bgbot_cpp"), trainer.function)
    resume: dict[str, str] = {}
    games, seconds, call = 0, 0.0, 0
    with open(folder / "metrics.jsonl", "w", encoding="utf-8") as metrics:
        while seconds < minutes * 60:
            call += 1
            started = time.perf_counter()
            train(
                n_games=trainer.games_per_call,
                benchmark_interval=trainer.games_per_call,
                seed=call,
                model_name=peer,
                models_dir=str(folder),
                **trainer.arguments,
                **resume,
            )
            seconds += time.perf_counter() - started
            games += trainer.games_per_call
            metrics.write(json.dumps({"games": games, "time_s": seconds}) + "\n")
            resume = {
                name: str(folder / f"{peer}{ending}.weights")
                for name, ending in trainer.resume.items()
            }


def commands(config: Path, peers: Sequence[str], minutes: float) -> dict[str, list[str]]:
    """What starts each trainer; the folder for its files is to be appended."""
    own = [sys.executable, "-m", "bgai", "train", str(config), "--minutes", str(minutes), "--run"]
    started = {"bgai": own}
    for peer in peers:
        peer_options = ["--minutes", str(minutes), "--train-peer", peer]
        started[peer] = [sys.executable, __file__, *peer_options]
    return started


def compare(
    config: Path, peers: Sequence[str], minutes: float, rounds: int
) -> dict[str, list[Measurement]]:
    """Let the trainers take turns.

    Raises:
        RuntimeError: a trainer failed.
        ValueError: the run is too short for a rate.
    """
    if (load := os.getloadavg()[0]) > BUSY_LOAD:
        print(f"the machine is busy (load {load:.1f}): speeds will be too low", file=sys.stderr)
    started = commands(config, peers, minutes)
    measured: dict[str, list[Measurement]] = {name: [] for name in started}
    for number in range(1, rounds + 1):
        for name, command in started.items():
            with tempfile.TemporaryDirectory() as folder:
                run = Path(folder) / name
                if name != "bgai":
                    run.mkdir()
                result = measure([*command, str(run)], run, minutes)
            measured[name].append(result)
            print(
                f"round {number}/{rounds}: {name} {result.games_per_s:.1f} games/s",
                file=sys.stderr,
                flush=True,
            )
    return measured


def markdown_table(measured: Mapping[str, Sequence[Measurement]]) -> str:
    """Medians over the rounds, one row a trainer, with bgai's speed as a multiple of each."""
    own = median(result.games_per_s for result in measured["bgai"])
    lines = [
        "| trainer | games/s | lowest - highest | bgai is ... times as fast | cores | peak MB |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, results in measured.items():
        rates = [result.games_per_s for result in results]
        lines.append(
            f"| {name} | {median(rates):.1f} | {min(rates):.1f} - {max(rates):.1f} "
            f"| {own / median(rates):.2f} "
            f"| {median(result.cores for result in results):.2f} "
            f"| {median(result.peak_mb for result in results):.0f} |"
        )
    return "\n".join(lines)


def to_json(measured: Mapping[str, Sequence[Measurement]]) -> str:
    """Every measurement, by trainer."""
    return json.dumps(
        {name: [asdict(one) for one in results] for name, results in measured.items()}
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("config", type=Path, metavar="CONFIG", help="bgai's training config")
    parser.add_argument("--minutes", type=float, default=1.0, help="of training, each run")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each trainer")
    parser.add_argument(
        "--peers", nargs="*", choices=list(PEERS), default=list(PEERS), help="all if left out"
    )
    parser.add_argument("--json", action="store_true", help="every run, as JSON")
    # how the script starts a peer in a process of its own; CONFIG is then the peer's folder
    parser.add_argument("--train-peer", choices=list(PEERS), help=argparse.SUPPRESS)
    return parser


def _check(arguments: Any) -> None:
    if not arguments.minutes > 0:
        raise ValueError(f"minutes must be positive, got {arguments.minutes}")
    if arguments.rounds < 1:
        raise ValueError(f"rounds must be 1 or more, got {arguments.rounds}")
    if not arguments.config.exists():
        raise ValueError(f"there is no {arguments.config}")
    if arguments.peers and find_spec("bgbot_cpp") is None:
        raise ValueError("the peers need bgsage: pip install '.[sage]', or give --peers no name")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the comparison, or one peer where the script was started for that."""
    arguments = _parser().parse_args(argv)
    try:
        _check(arguments)
        if arguments.train_peer:
            train_peer(arguments.train_peer, arguments.config, arguments.minutes)
            return 0
        measured = compare(arguments.config, arguments.peers, arguments.minutes, arguments.rounds)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    print(to_json(measured) if arguments.json else markdown_table(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
