"""Learn how many rolls a side takes in a race: the net that comes with the package.

    python scripts/learn_races.py --to races.npz

The net learns from nothing but the rules and the one-sided table: random sides run home alone, and
each learns the mean over the 21 rolls of the best play. It takes about half an hour of one core.
Every line tells the sides looked ahead from, how far the net's chances were from what they should
have been (Kullback-Leibler divergence of all three aims, in nats), and by how many rolls its mean
to the last checker was off (root mean square).
"""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path
from time import monotonic

import numpy as np

from bgai.endgame import load_or_build
from bgai.engine.files import check_writable, write_whole
from bgai.training.races import LESSONS_AT_ONCE, learn_races

_LINE_SECONDS = 30.0


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--to", type=Path, required=True, metavar="FILE", help="an .npz file")
    parser.add_argument("--sides", type=int, default=1_000_000, help="how many to look ahead from")
    parser.add_argument("--hidden", type=int, nargs=2, default=(128, 64), help="units by layer")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    if args.sides < LESSONS_AT_ONCE:
        parser.error(f"--sides must be at least {LESSONS_AT_ONCE}, got {args.sides}")
    if min(args.hidden) < 1:
        parser.error(f"--hidden must be positive, got {args.hidden}")
    if args.seed < 0:
        parser.error(f"--seed must be 0 or more, got {args.seed}")
    try:
        args.to.parent.mkdir(parents=True, exist_ok=True)
        check_writable(args.to)
    except OSError as error:
        parser.error(str(error))
    try:
        _learn(args)
    except (RuntimeError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; what was learnt until the last line is written", file=sys.stderr)
        return 130
    return 0


def _learn(args: argparse.Namespace) -> None:
    line_at = monotonic()
    for done in learn_races(load_or_build(), tuple(args.hidden), args.sides, args.seed):
        if monotonic() - line_at < _LINE_SECONDS and done.sides < args.sides:
            continue
        line_at = monotonic()
        arrays = done.net().arrays()
        content = io.BytesIO()
        np.savez(content, sides=done.sides, seed=args.seed, **arrays)  # type: ignore[arg-type]
        write_whole(args.to, content.getvalue())
        print(
            f"{done.sides} sides, divergence {done.divergence:.5f} nats, "
            f"mean off by {done.error_rolls:.3f} rolls",
            file=sys.stderr,
        )


if __name__ == "__main__":
    raise SystemExit(main())
