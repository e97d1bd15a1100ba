"""Measure how fast boards are evaluated: a net of bgai's beside other engines, on the same boards.

    python scripts/benchmark_evaluator.py --boards 20000 --repeats 7
    python scripts/benchmark_evaluator.py --net runs/flagship/checkpoint.pt

Prints boards per second. The boards are all the afterstates of decisions drawn from games that the
net plays with itself, in the order in which the generator writes them. All contenders take turns in
every repeat, and a rate is the median over the repeats: boards per second of the clock, and per
second of processor time, which tells more on a machine that is busy with other things.

bgai: the nets alone, six probabilities a board. From one afterstate to the next it exchanges only
what has changed; `shuffled` has the same boards in random order, where that helps little. All at
once, or the plays of one roll in each call from Python, or one board. `best play` generates the
plays of a roll, too, and says which is best: of several nets, one looks at all of them, and the
others at those that it thinks near its best; the rate counts all plays.

The peers are the optional packages gnubg-nn and bgsage (Open Sage); those that are not installed
are left out. Boards are converted beforehand, but the packages read them from Python lists in each
call. Each is called in the fastest ways that it offers; its nets have other sizes than bgai's:

- gnubg-nn has no batch, and holds the GIL: one core. `probabilities` takes a board and gives five
  numbers; `best_move` takes a board and a roll, generates the plays, values all of them and says
  which is best. Its memory of positions is switched off, else a repeat would measure that alone.
- Open Sage has a batch on several cores (`batch_evaluate_post_move`), which also computes a cubeful
  equity and returns a dict for each board; `best_move_index` takes the plays of a roll and says
  which is best. Its memory is switched off, too.

How much of a call is not the nets: the same call with a finished game, whose value needs none, is
timed beside it, and its share of the time is the column `overhead` (the reading of the lists, the
results as Python objects, and in each engine what it does before it turns to its nets). Calls that
find the best play have no such twin. `off` is the median difference between the peer's equities
and the net's in points: a mistake in converting boards would make it large.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bgai.engine import (
    Boards,
    Dice,
    Offsets,
    equity,
    from_cumulative,
    legal_afterstates,
    swap,
)
from bgai.engine.compiled import thread_count
from bgai.evaluation.opponents.gnubg import forgetful_nets, gnubg_sides
from bgai.evaluation.opponents.sage import sage_boards
from bgai.search import PLAY_MARGIN, Evaluator, Panel, choose_plays

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # for what another script offers

from scripts.valued_decisions import draw_decisions  # noqa: E402 (after the path)

SHIPPED_NET = ROOT / "checkpoints" / "flagship" / "net.pt"
PLAYS_OF_A_ROLL = 10  # fewer than there are on average, so that enough decisions are drawn
BOARDS_PER_CALL = 20_000
SAGE_BOARDS_PER_CALL = 500  # larger batches are slower there: the results are Python objects
SHORTEST_SECONDS = 0.5  # a second core takes milliseconds to wake

Equities: TypeAlias = npt.NDArray[np.floating]


@dataclass(frozen=True)
class Positions:
    """The decisions and, as from `legal_afterstates`, the boards that are evaluated."""

    boards: Boards
    dice: Dice
    after: Boards
    offsets: Offsets


@dataclass(frozen=True)
class Contender:
    """A way to evaluate all boards.

    Attributes:
        run: evaluates all boards once.
        run_finished: the same calls with a finished game each time, if there are such.
        equities: the values `[M]`, for the player about to roll, where they can be had.
    """

    name: str
    run: Callable[[], object]
    run_finished: Callable[[], object] | None = None
    equities: Callable[[], Equities] | None = None


def draw_positions(evaluator: Evaluator, count: int, seed: int) -> Positions:
    """Decisions of the net's games, as many as have `count` afterstates or a few more."""
    boards, dice = draw_decisions(evaluator, max(2, count // PLAYS_OF_A_ROLL), seed)
    _, offsets = legal_afterstates(boards, dice)
    kept = min(int(np.searchsorted(offsets, count)), len(boards))
    return Positions(boards[:kept], dice[:kept], *legal_afterstates(boards[:kept], dice[:kept]))


def own_contenders(evaluator: Evaluator, positions: Positions, cores: int) -> Iterator[Contender]:
    """bgai in several ways."""
    after, offsets = positions.after, positions.offsets
    shuffled = after[np.random.default_rng(0).permutation(len(after))]

    def calls(threads: int, boards: Boards, bounds: Sequence[int]) -> Callable[[], None]:
        def run() -> None:
            os.environ["BGAI_THREADS"] = str(threads)
            for start, stop in zip(bounds, bounds[1:], strict=False):
                evaluator(boards[start:stop])

        return run

    batches = [*range(0, len(after), BOARDS_PER_CALL), len(after)]
    yield Contender("bgai, one core", calls(1, after, batches))
    yield Contender("bgai, all cores", calls(cores, after, batches))
    yield Contender("bgai, one core, shuffled", calls(1, shuffled, batches))
    yield Contender("bgai, one roll per call", calls(1, after, offsets.tolist()))
    yield Contender("bgai, one board per call", calls(1, after, range(len(after) + 1)))

    def plays(decisions: int) -> Callable[[], None]:
        boards, dice = positions.boards, positions.dice

        def run() -> None:
            os.environ["BGAI_THREADS"] = "1"
            for start in range(0, len(boards), decisions):
                part = slice(start, start + decisions)
                choose_plays(evaluator, boards[part], dice[part])

        return run

    yield Contender("bgai, best plays of all rolls", plays(len(positions.boards)))
    yield Contender("bgai, best play of a roll", plays(1))


def gnubg_contenders(positions: Positions) -> Iterator[Contender]:
    """GNU Backgammon's nets, on one core."""
    if not find_spec("gnubg_nn"):
        return
    gnubg = import_module("gnubg_nn")
    gnubg.net_use(forgetful_nets(gnubg))
    value, best_move = gnubg.probabilities, gnubg.best_move
    sides = gnubg_sides(positions.after).tolist()
    finished = [gnubg_sides(_finished_board()).tolist()[0]] * len(sides)
    before = gnubg_sides(positions.boards).tolist()
    rolls = list(zip(before, positions.dice.tolist(), strict=True))
    yield Contender(
        "gnubg-nn, one board per call",
        run=lambda: [value(board, 0) for board in sides],
        run_finished=lambda: [value(board, 0) for board in finished],
        equities=lambda: _equities([value(board, 0) for board in sides]),
    )
    yield Contender(
        "gnubg-nn, best play of a roll",
        run=lambda: [best_move(board, first, second, 0) for board, (first, second) in rolls],
    )


def sage_contenders(positions: Positions, cores: int) -> Iterator[Contender]:
    """Open Sage's nets, on one core and on all."""
    if not (find_spec("bgsage") and find_spec("bgbot_cpp")):
        return
    library = import_module("bgbot_cpp")
    weights = import_module("bgsage").default_weights()
    files = weights.strategy_type, weights.weight_paths_list, weights.hidden_sizes_list
    nets = library.create_strategy(*files)
    chooser = library.create_multipy(*files, n_plies=1)
    chooser.set_cache_enabled(False)
    evaluate, centred = library.batch_evaluate_post_move, library.CubeOwner.CENTERED
    # its boards are those of the player who has just moved
    after = sage_boards(swap(positions.after)).tolist()
    before = sage_boards(positions.boards).tolist()
    questions = [(board, centred) for board in after]
    finished_board = sage_boards(swap(_finished_board())).tolist()[0]
    finished = [(finished_board, centred)] * len(questions)
    bounds = positions.offsets.tolist()
    rolls = [
        (after[start:stop], board)
        for start, stop, board in zip(bounds, bounds[1:], before, strict=False)
    ]

    def batch(asked: list[Any], threads: int) -> Callable[[], list[dict[str, Any]]]:
        parts = [
            asked[start : start + SAGE_BOARDS_PER_CALL]
            for start in range(0, len(asked), SAGE_BOARDS_PER_CALL)
        ]
        return lambda: [
            result for part in parts for result in evaluate(part, nets, threads, jacoby=False)
        ]

    yield Contender(
        "Open Sage, one core",
        run=batch(questions, 1),
        run_finished=batch(finished, 1),
        equities=lambda: -_equities([result["probs"] for result in batch(questions, 1)()]),
    )
    yield Contender("Open Sage, all cores", batch(questions, cores), batch(finished, cores))
    yield Contender(
        "Open Sage, best play of a roll",
        run=lambda: [chooser.best_move_index(plays, board) for plays, board in rolls],
    )


def _finished_board() -> Boards:
    """`[1, 26]`: the player about to roll has lost, the other side has borne off everything."""
    boards = np.zeros((1, 26), np.int8)
    boards[0, 1] = 2
    return boards


def _equities(numbers: Sequence[Sequence[float]]) -> Equities:
    """Five cumulative numbers of each board -> equities."""
    return equity(from_cumulative(np.array(numbers)))


@dataclass(frozen=True)
class Rate:
    """Boards per second of the clock, and per second of processor time on all cores together."""

    of_clock: float
    of_processor: float


def measure(run: Callable[[], object], boards: int) -> Rate:
    """The rate of some runs that take half a second together, or of one that takes longer.

    Python's garbage collector rests meanwhile, as in timeit: it would hit those with most objects.
    """
    gc.collect()
    gc.disable()
    try:
        return _measured(run, boards)
    finally:
        gc.enable()


def _measured(run: Callable[[], object], boards: int) -> Rate:
    began, began_processor = time.perf_counter(), time.process_time()
    run()
    done = boards
    while (taken := time.perf_counter() - began) < SHORTEST_SECONDS:
        run()
        done += boards
    return Rate(done / taken, done / (time.process_time() - began_processor))


def measured_rates(
    contenders: Sequence[Contender], boards: int, repeats: int
) -> dict[str, dict[str, float]]:
    """The medians of each contender's rates, and what share of a call is overhead where known."""
    runs = {(contender.name, False): contender.run for contender in contenders}
    for contender in contenders:
        if contender.run_finished:
            runs[contender.name, True] = contender.run_finished
    for run in runs.values():
        run()  # compiles, loads and wakes what there is
    rates: dict[tuple[str, bool], list[Rate]] = {key: [] for key in runs}
    for _ in range(repeats):
        for key, run in runs.items():
            rates[key].append(measure(run, boards))
    medians = {
        key: Rate(
            median(rate.of_clock for rate in found), median(rate.of_processor for rate in found)
        )
        for key, found in rates.items()
    }
    result: dict[str, dict[str, float]] = {}
    for contender in contenders:
        rate, finished = medians[contender.name, False], medians.get((contender.name, True))
        result[contender.name] = {
            "boards_per_s": round(rate.of_clock),
            "boards_per_processor_s": round(rate.of_processor),
        }
        if finished:
            share = rate.of_processor / finished.of_processor
            result[contender.name]["overhead"] = round(share, 3)
    return result


def differences(contenders: Sequence[Contender], own: Equities) -> dict[str, float]:
    """The median difference of each peer's equities from the net's, in points."""
    return {
        contender.name: round(float(np.median(np.abs(contender.equities() - own))), 4)
        for contender in contenders
        if contender.equities
    }


def table(result: Mapping[str, Any]) -> str:
    """The result for people."""
    contenders = result["contenders"]
    first = contenders["bgai, one core"]["boards_per_processor_s"]
    lines = [
        f"{result['net']} ({result['size']}), {result['boards']} boards of {result['decisions']} "
        f"decisions, median of {result['repeats']} repeats; all cores = {result['cores']}",
        f"{'':32}{'boards/s':>12}{'/processor s':>14}{'bgai is':>10}{'overhead':>10}{'off':>8}",
    ]
    for name, rates in contenders.items():
        processor = rates["boards_per_processor_s"]
        overhead = f"{rates['overhead']:.0%}" if "overhead" in rates else ""
        off = f"{result['off'][name]:.3f}" if name in result["off"] else ""
        lines.append(
            f"{name:32}{rates['boards_per_s']:12,}{processor:14,}{first / processor:9.1f}x"
            f"{overhead:>10}{off:>8}"
        )
    lines.append("bgai is: bgai on one core, all boards at once, per second of processor time")
    return "\n".join(lines)


def benchmark(net: Path, boards: int, repeats: int, seed: int) -> dict[str, Any]:
    """Everything the command measures.

    Raises:
        ValueError: the net's file is damaged or no checkpoint.
        OSError: it cannot be read.
    """
    # here, so that the help needs no torch
    from bgai.model.checkpoint import load_nets, make_evaluator

    nets = load_nets(net)
    evaluator = Panel([make_evaluator(value_net) for value_net in nets], PLAY_MARGIN)
    cores = thread_count()
    positions = draw_positions(evaluator, boards, seed)
    contenders = [
        *own_contenders(evaluator, positions, cores),
        *gnubg_contenders(positions),
        *sage_contenders(positions, cores),
    ]
    off = differences(contenders, equity(evaluator(positions.after)))
    return {
        "net": str(net),
        "size": f"{len(nets)} x " * (len(nets) > 1) + "-".join(map(str, nets[0].config.hidden)),
        "boards": len(positions.after),
        "decisions": len(positions.boards),
        "repeats": repeats,
        "seed": seed,
        "cores": cores,
        "contenders": measured_rates(contenders, len(positions.after), repeats),
        "off": off,
    }


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--net", type=Path, default=Path(os.path.relpath(SHIPPED_NET)), help="(%(default)s)"
    )
    parser.add_argument("--boards", type=int, default=20_000, help="(%(default)s)")
    parser.add_argument("--repeats", type=int, default=7, help="(%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the games (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    options = parser.parse_args(argv)
    try:
        if options.boards < 1 or options.repeats < 1:
            raise ValueError(
                f"boards and repeats must be at least 1, got {options.boards}, {options.repeats}"
            )
        result = benchmark(options.net, options.boards, options.repeats, options.seed)
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, ValueError) else 1
    print(json.dumps(result) if options.json else table(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
