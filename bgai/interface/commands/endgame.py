"""`bgai endgame`: builds the tables of exact endgames, or checks those that are there."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bgai.endgame import Report

HELP = """
Example:
  bgai endgame build

`build` computes two tables of positions in which all checkers are home, in seconds: how many rolls
any position of up to 15 checkers takes, and the exact equities, without a cube and for each owner
of it, where both sides have six checkers at most. `check` reads the tables that are there; exit
code 1 says that one is missing or damaged.
"""

_LINE_SECONDS = 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("build", "check"), help="what to do")
    parser.add_argument(
        "--to",
        type=Path,
        metavar="FOLDER",
        help="where the tables are kept ($BGAI_ENDGAME, else bgai/endgame in the cache folder)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    from bgai.endgame import build_endgames, default_folder, save_endgames
    from bgai.endgame.storage import LOADERS
    from bgai.engine.files import check_writable

    folder = default_folder() if args.to is None else args.to
    report: dict[str, Any] = {"folder": str(folder)}
    if args.action == "build":
        for name in LOADERS:
            check_writable(folder / name)
        start = monotonic()
        with _progress() as progress:
            endgames = build_endgames(progress)
        save_endgames(endgames, folder)
        report["seconds"] = round(monotonic() - start, 1)
    report["tables"] = _tables(folder)
    if args.json:
        print(json.dumps(report))
    else:
        for table in report["tables"]:
            print(_line(table))
        if args.action == "build":
            print(f"built in {report['seconds']} seconds")
    return 0 if all(table["error"] is None for table in report["tables"]) else 1


def _tables(folder: Path) -> list[dict[str, Any]]:
    """What each file holds, or what is wrong with it."""
    from bgai.endgame.storage import LOADERS

    tables = []
    for name, load in LOADERS.items():
        path = folder / name
        found: dict[str, Any] = {"file": str(path), "checkers": None, "bytes": None, "error": None}
        try:
            found["checkers"] = load(folder).checkers
            found["bytes"] = path.stat().st_size
        except ValueError as error:
            found["error"] = str(error)
        except OSError as error:
            found["error"] = f"{path}: {error.strerror}"
        tables.append(found)
    return tables


def _line(table: dict[str, Any]) -> str:
    if table["error"] is not None:
        return f"{table['error']} (`bgai endgame build` makes it anew)"
    return (
        f"{table['file']}: up to {table['checkers']} checkers a side, "
        f"{table['bytes'] / 1e6:.1f} MB, checksum right"
    )


@contextmanager
def _progress() -> Iterator[Report]:
    """A bar on a terminal, a line now and then elsewhere; both on stderr."""
    from tqdm import tqdm

    is_terminal = sys.stderr.isatty()
    line_at = monotonic()
    shown = ""
    bar = tqdm(
        total=100.0,
        disable=not is_terminal,
        bar_format="{desc:<16} {percentage:3.0f}%|{bar}| {elapsed}<{remaining}",
        file=sys.stderr,
    )

    def report(work: str, share: float) -> None:
        nonlocal line_at, shown
        if work != shown:
            shown = work
            bar.reset()
            bar.set_description(work)
        bar.update(100 * share - bar.n)
        if not is_terminal and monotonic() - line_at >= _LINE_SECONDS:
            line_at = monotonic()
            print(f"{work}: {100 * share:.0f}%", file=sys.stderr)

    with bar:
        yield report
