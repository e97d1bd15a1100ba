"""Compare the afterstate generator with the tests' slow oracle on very many positions.

    python scripts/check_afterstates.py --positions 1000000

Plays random games from ordinary and odd starts (deep bear-offs, many checkers on the bar,
scattered checkers) and compares, for every position and roll, the set of boards the turn may end
on. Prints a summary and exits with 0, or the first difference and exits with 1. The oracle and the
starts are the tests' own: `tests/engine/oracle.py`, `tests/engine/positions.py`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the folder that holds tests/

from bgai.engine import legal_afterstates, position_id  # noqa: E402 (after the path)
from tests.engine.oracle import sides_of_afterstates, sides_of_board, turn_ends  # noqa: E402
from tests.engine.positions import odd_starts, random_games  # noqa: E402

GAMES, PLIES = 50, 40
POSITIONS_PER_TASK = GAMES * PLIES


@dataclass(frozen=True)
class Checked:
    """What one task found: how much it compared, and the first difference if there was one."""

    positions: int
    afterstates: int
    difference: str = ""


def check_games(seed: int) -> Checked:
    """Compare along `GAMES` random games of `PLIES` plies; the seed decides all of it."""
    rng = np.random.default_rng(seed)
    positions = afterstates = 0
    for boards, dice in random_games(rng, odd_starts(rng, GAMES), PLIES):
        after, offsets = legal_afterstates(boards, dice)
        found = sides_of_afterstates(after)
        for row, (board, roll) in enumerate(zip(boards, dice.tolist(), strict=True)):
            own = found[offsets[row] : offsets[row + 1]]
            expected = turn_ends(*sides_of_board(board), roll)
            if len(own) != len(expected) or set(own) != expected:
                difference = (
                    f"seed {seed}: board {board.tolist()} (position id {position_id(board)}), "
                    f"roll {roll}: {len(own)} afterstates, {len(set(own))} of them distinct, "
                    f"the oracle has {len(expected)} and {len(set(own) & expected)} are in both"
                )
                return Checked(positions, afterstates, difference)
            positions += 1
            afterstates += len(own)
    return Checked(positions, afterstates)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--positions", type=int, default=100_000, help="at least so many")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1, help="the first task's; the next add one")
    arguments = parser.parse_args(argv)
    if arguments.positions < 1 or arguments.processes < 1:
        parser.error("--positions and --processes must be at least 1")
    tasks = -(-arguments.positions // POSITIONS_PER_TASK)
    seeds = range(arguments.seed, arguments.seed + tasks)
    positions_to_check = tasks * POSITIONS_PER_TASK
    positions = afterstates = 0
    began = time.perf_counter()
    context = multiprocessing.get_context("spawn")
    with (
        context.Pool(arguments.processes) as pool,
        # None: a bar on a terminal only
        tqdm(total=positions_to_check, unit="position", unit_scale=True, disable=None) as bar,
    ):
        for checked in pool.imap_unordered(check_games, seeds):
            if checked.difference:
                print(f"difference: {checked.difference}")
                return 1
            positions += checked.positions
            afterstates += checked.afterstates
            bar.update(checked.positions)
            if bar.disable and positions % (50 * POSITIONS_PER_TASK) == 0:
                print(f"{positions} of {positions_to_check} positions agree", file=sys.stderr)
    seconds = time.perf_counter() - began
    print(
        f"{positions} positions, {afterstates} afterstates: the generator and the oracle agree "
        f"(seeds {seeds[0]} to {seeds[-1]}, {seconds:.0f} s)"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
