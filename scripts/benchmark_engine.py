"""Measure how fast legal plays are generated: bgai beside other engines, on the same positions.

    python scripts/benchmark_engine.py --positions 20000 --repeats 7

Prints distinct afterstates per second. The positions are those of whole games that pubeval plays
against itself, each with the roll that was thrown. All contenders take turns in every repeat, and a
rate is the median over the repeats.

The peers are the optional packages bgsage (Open Sage: `bgbot_cpp.possible_moves`, lists of numbers)
and gnubg-nn (`moves`, board keys); those that are not installed are left out. They offer no batch:
they are called once per position from Python, on one core, with boards converted beforehand, and
the cost of that call and of the lists it returns is in their rates. `bgai, one board per call` pays
the same toll and is there for comparison. Before anything is timed each peer must return the same
set of afterstates as bgai on a sample, else the command exits with 1.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from statistics import median
from typing import Any

import numpy as np

from bgai.engine import (
    OPPONENT_BAR,
    START,
    UNFINISHED,
    Boards,
    Dice,
    legal_afterstates,
    opening_roll,
    outcomes,
    position_id,
    roll,
    swap,
)
from bgai.engine.compiled import thread_count

GAMES_AT_ONCE = 256
BOARDS_PER_CALL = 20_000
SHORTEST_SECONDS = 0.5  # a second core takes milliseconds to wake
AfterstateSet = set[bytes]


@dataclass(frozen=True)
class Contender:
    """A generator of afterstates, ready to be timed on all positions."""

    name: str
    run: Callable[[], int]
    """Generates all afterstates of all positions; returns how many there were."""


@dataclass(frozen=True)
class Peer:
    """Another engine behind one interface: its own boards in, its own boards out."""

    name: str
    convert: Callable[[Boards], list[Any]]
    """Our boards `[B, 26]`, seen by the player on roll, to the peer's."""
    generate: Callable[[Any, int, int], Sequence[Any]]
    """The peer's afterstates; some return none where the roll cannot be played."""
    read: Callable[[Sequence[Any]], Boards]
    """They as ours, `[M, 26]` seen by the next player."""


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--positions", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--sample", type=int, default=2_000, help="positions compared with a peer")
    parser.add_argument("--seed", type=int, default=1, help="of the dice of the games")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    arguments = parser.parse_args(argv)
    if min(arguments.positions, arguments.repeats, arguments.sample) < 1:
        parser.error("--positions, --repeats and --sample must be at least 1")
    boards, dice = positions_of_games(arguments.seed, arguments.positions)
    peers = list(installed_peers())
    for peer in peers:
        difference = first_difference(peer, boards[: arguments.sample], dice[: arguments.sample])
        if difference:
            print(f"{peer.name} and bgai differ: {difference}", file=sys.stderr)
            return 1
    cores = thread_count()
    timed = contenders(boards, dice, peers, cores)
    rates, afterstates = measured_rates(timed, arguments.repeats)
    result = {
        "positions": len(boards),
        "afterstates": afterstates,
        "repeats": arguments.repeats,
        "seed": arguments.seed,
        "cores": cores,
        "afterstates_per_s": {name: round(rate) for name, rate in rates.items()},
    }
    print(json.dumps(result) if arguments.json else table(result))
    return 0


def positions_of_games(seed: int, count: int) -> tuple[Boards, Dice]:
    """`count` positions of pubeval's games against itself, and the rolls that were thrown there."""
    # here, because the other functions need nothing but the engine
    from bgai.evaluation.opponents import PubevalPlayer

    rng = np.random.default_rng(seed)
    player = PubevalPlayer()
    boards = np.repeat(START[None], GAMES_AT_ONCE, axis=0)
    dice = opening_roll(rng, GAMES_AT_ONCE)
    met: list[tuple[Boards, Dice]] = []
    while sum(len(rolls) for _, rolls in met) < count:
        met.append((boards, dice))
        boards = player.choose(boards, dice)
        dice = roll(rng, GAMES_AT_ONCE)
        over = outcomes(boards) != UNFINISHED
        boards[over] = START
        dice[over] = opening_roll(rng, int(over.sum()))
    # shuffled, so that a sample is not of openings only
    order = rng.permutation(count)
    return (
        np.concatenate([part for part, _ in met])[:count][order],
        np.concatenate([part for _, part in met])[:count][order],
    )


def contenders(boards: Boards, dice: Dice, peers: Sequence[Peer], cores: int) -> list[Contender]:
    """All that is timed, bgai in three ways first."""

    def batches(threads: int, size: int) -> Callable[[], int]:
        def run() -> int:
            os.environ["BGAI_THREADS"] = str(threads)
            found = 0
            for start in range(0, len(boards), size):
                part = slice(start, start + size)
                found += len(legal_afterstates(boards[part], dice[part])[0])
            return found

        return run

    def calls(peer: Peer) -> Callable[[], int]:
        given = list(zip(peer.convert(boards), dice.tolist(), strict=True))

        def run() -> int:
            # one afterstate where the roll cannot be played, even if a peer returns none
            return sum(max(1, len(peer.generate(board, *pair))) for board, pair in given)

        return run

    return [
        Contender("bgai, one core", batches(1, BOARDS_PER_CALL)),
        Contender("bgai, all cores", batches(cores, BOARDS_PER_CALL)),
        Contender("bgai, one board per call", batches(1, 1)),
        *(Contender(peer.name, calls(peer)) for peer in peers),
    ]


def measured_rates(contenders: Sequence[Contender], repeats: int) -> tuple[dict[str, float], int]:
    """The median rate of each contender, and how many afterstates all of them found.

    Raises:
        RuntimeError: they did not find the same number.
    """
    found = {contender.name: contender.run() for contender in contenders}  # also warms up
    if len(set(found.values())) != 1:
        raise RuntimeError(f"the engines found different numbers of afterstates: {found}")
    rates: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    for _ in range(repeats):
        for contender in contenders:
            began = time.perf_counter()
            afterstates = contender.run()
            while (taken := time.perf_counter() - began) < SHORTEST_SECONDS:
                afterstates += contender.run()
            rates[contender.name].append(afterstates / taken)
    return {name: median(values) for name, values in rates.items()}, found[contenders[0].name]


def table(result: dict[str, Any]) -> str:
    """The result for people."""
    rates = result["afterstates_per_s"]
    first = rates["bgai, one core"]
    lines = [
        f"{result['positions']} positions, {result['afterstates']} distinct afterstates, "
        f"median of {result['repeats']} repeats; all cores = {result['cores']}",
        f"{'':36}{'afterstates/s':>14}{'bgai, one core, is':>20}",
    ]
    lines += [f"{name:36}{rate:14,.0f}{first / rate:19.1f}x" for name, rate in rates.items()]
    return "\n".join(lines)


def first_difference(peer: Peer, boards: Boards, dice: Dice) -> str:
    """Where the peer's afterstates are not ours, in words; empty if they agree everywhere."""
    given = peer.convert(boards)
    for row, (first, second) in enumerate(dice.tolist()):
        own, _ = legal_afterstates(boards[row : row + 1], dice[row : row + 1])
        returned = peer.generate(given[row], first, second)
        theirs = peer.read(returned) if returned else swap(boards[row : row + 1])
        if as_set(own) != as_set(theirs) or len(own) != len(theirs):
            return (
                f"position {position_id(boards[row])}, roll {first}-{second}: "
                f"{len(own)} afterstates here, {len(theirs)} there, "
                f"{len(as_set(own) & as_set(theirs))} in both"
            )
    return ""


def as_set(boards: Boards) -> AfterstateSet:
    return {row.tobytes() for row in boards}


def installed_peers() -> Iterator[Peer]:
    """The peers whose packages can be imported."""
    if find_spec("bgbot_cpp"):
        possible_moves = import_module("bgbot_cpp").possible_moves
        yield Peer(
            "Open Sage, one board per call",
            convert=lambda boards: sage_boards(boards).tolist(),
            generate=possible_moves,
            read=lambda rows: swap(sage_boards(np.array(rows, np.int8))),
        )
    if find_spec("gnubg_nn"):
        gnubg = import_module("gnubg_nn")
        yield Peer(
            "gnubg-nn, one board per call",
            convert=gnubg_boards,
            generate=gnubg.moves,
            read=lambda keys: boards_from_gnubg([gnubg.board_from_position_key(k) for k in keys]),
        )


def sage_boards(boards: Boards) -> Boards:
    """To and from Open Sage's boards: ours, but the opponent's bar is a positive count."""
    converted = boards.copy()
    converted[:, OPPONENT_BAR] *= -1
    return converted


def gnubg_boards(boards: Boards) -> list[Any]:
    """gnubg's boards: the opponent, then the player on roll; 25 own counts each, the bar last."""
    opponent = np.maximum(swap(boards), 0)[:, 1:].tolist()
    own = np.maximum(boards, 0)[:, 1:].tolist()
    return [list(sides) for sides in zip(opponent, own, strict=True)]


def boards_from_gnubg(sides: Sequence[Sequence[Sequence[int]]]) -> Boards:
    """gnubg's boards after the play (opponent, mover) as ours, seen by the opponent: the next."""
    counts = np.array(sides, np.int8)  # [M, 2, 25]
    next_player, mover = (
        np.concatenate([np.zeros((len(counts), 1), np.int8), counts[:, side]], axis=1)
        for side in (0, 1)
    )
    return next_player + swap(mover)


if __name__ == "__main__":
    raise SystemExit(main())
