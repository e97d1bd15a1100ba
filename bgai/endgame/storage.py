"""Where the endgame tables are kept, and how they get there."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from bgai.endgame.endgames import Endgames, build_endgames
from bgai.endgame.one_sided import OneSidedTable
from bgai.endgame.plays import Report, no_report
from bgai.endgame.race_net import load_race_net
from bgai.endgame.table_files import StoredTable, read_table, save_table
from bgai.endgame.two_sided import TwoSidedTable
from bgai.engine import CHECKERS
from bgai.engine.files import cache_folder

FOLDER_VARIABLE = "BGAI_ENDGAME"
ONE_SIDED_FILE, TWO_SIDED_FILE = "one_sided.table", "two_sided.table"

_ONE_SIDED, _TWO_SIDED = "one-sided", "two-sided"


def default_folder() -> Path:
    """`BGAI_ENDGAME`, else `endgame` in bgai's `cache_folder`; errors as of that."""
    folder = os.environ.get(FOLDER_VARIABLE)
    if folder:
        return Path(folder)
    return cache_folder() / "endgame"


def save_endgames(endgames: Endgames, folder: Path) -> None:
    """Write both tables to a folder, which is made.

    Raises:
        OSError: naming the path that cannot be written.
    """
    one_sided, two_sided = endgames.one_sided, endgames.two_sided
    distributions = {"to_last": one_sided.to_last, "to_first": one_sided.to_first}
    save_table(folder / ONE_SIDED_FILE, StoredTable(_ONE_SIDED, one_sided.checkers, distributions))
    save_table(
        folder / TWO_SIDED_FILE,
        StoredTable(_TWO_SIDED, two_sided.checkers, {"equities": two_sided.equities}),
    )


def load_one_sided(folder: Path) -> OneSidedTable:
    """Raises like `load_endgames`."""
    stored = read_table(folder / ONE_SIDED_FILE, _ONE_SIDED)
    return OneSidedTable(stored.checkers, stored.arrays["to_last"], stored.arrays["to_first"])


def load_two_sided(folder: Path) -> TwoSidedTable:
    """Raises like `load_endgames`."""
    stored = read_table(folder / TWO_SIDED_FILE, _TWO_SIDED)
    return TwoSidedTable(stored.checkers, stored.arrays["equities"])


LOADERS: dict[str, Callable[[Path], OneSidedTable | TwoSidedTable]] = {
    ONE_SIDED_FILE: load_one_sided,
    TWO_SIDED_FILE: load_two_sided,
}
"""What reads each file of a folder."""


def load_endgames(folder: Path | None = None) -> Endgames:
    """Both tables from a folder, the default one if None, and the race net if it goes with them.

    Raises:
        ValueError: a file is damaged, of another format, or no table; names it.
        OSError: a file is missing or cannot be read.
    """
    folder = folder or default_folder()
    one_sided, two_sided = load_one_sided(folder), load_two_sided(folder)
    has_all = one_sided.checkers == CHECKERS
    return Endgames(one_sided, two_sided, load_race_net() if has_all else None)


def load_or_build(folder: Path | None = None, report: Report = no_report) -> Endgames:
    """Both tables from a folder; if one is missing or damaged, both are built and saved there.

    A folder that cannot be read or written costs the seconds of building at every start, no more.
    """
    load_race_net()  # comes with the package: building the tables would not mend it
    try:
        return load_endgames(folder)
    except (ValueError, OSError):
        endgames = build_endgames(report)
        with suppress(OSError):
            save_endgames(endgames, folder or default_folder())
        return endgames
