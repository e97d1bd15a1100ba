"""Compute a match equity table from gammon rates and compare it with Kazaross's for XG2.

    python scripts/compare_match_equities.py --gammons 0.27 --backgammons 0.012 --points 9

`--gammons` is the share of won games that are gammons or backgammons, `--backgammons` that of
backgammons. Prints the differences in percent, rows and columns being the points that the player
and the opponent need; `--out FILE` saves the computed table as JSON, to be loaded as one's own.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bgai.cube import extended, kazaross_xg2, table_from_rates
from bgai.cube.match_equity import table_to_json


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gammons", type=float, required=True)
    parser.add_argument("--backgammons", type=float, required=True)
    parser.add_argument("--points", type=int, default=9)
    parser.add_argument("--out", type=Path, help="save the computed table")
    arguments = parser.parse_args(argv)
    try:
        computed = table_from_rates(arguments.gammons, arguments.backgammons, arguments.points)
    except ValueError as error:
        parser.error(str(error))
    published = extended(kazaross_xg2(), arguments.points)
    size = arguments.points + 1
    difference = 100 * (computed.chances - published.chances[:, :size, :size])[:, 1:, 1:]

    print(f"{computed.source}; computed minus published, percent")
    print("before the Crawford game (row and column 1: at it)")
    print("away " + "".join(f"{away:7d}" for away in range(1, size)))
    for away, row in enumerate(difference[0], start=1):
        print(f"{away:4d} " + "".join(f"{value:+7.2f}" for value in row))
    print("after it, the trailer's")
    print("     " + "".join(f"{value:+7.2f}" for value in difference[1, :, 0]))
    print(
        f"largest difference {np.abs(difference).max():.2f}, "
        f"root of the mean square {np.sqrt((difference[0] ** 2).mean()):.2f}"
    )
    if arguments.out:
        arguments.out.write_text(json.dumps(table_to_json(computed)) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
