"""GNU Backgammon itself, run without its windows; tests that need it are skipped without it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

GNUBG = shutil.which("gnubg", path=f"{os.environ.get('PATH', '')}:/usr/games")

needs_gnubg = pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed")

TWO_PERSONS = [
    "set player 0 human",
    "set player 1 human",
    "set rng manual",
    "set automatic roll off",
    "set automatic game off",
    "set automatic move off",
    "set automatic bearoff off",
    "set confirm new off",
    "set confirm save off",
]
"""Commands after which dice and decisions are typed for both sides."""

_IDS = re.compile(r"Position ID: (\S+)\s+Match ID   : (\S+)")
_MARK, _MARKED = "show prompt", "The prompt is set to"
_SECONDS = 300  # a busy machine needs long


def run_gnubg(home: Path, commands: Sequence[str]) -> str:
    """What the program prints when it is given these commands.

    Args:
        home: an empty folder, where it keeps its settings and runs.
    """
    assert GNUBG is not None
    finished = subprocess.run(
        [GNUBG, "-t", "-q"],
        input="\n".join([*commands, "quit", "y", ""]),
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        cwd=home,
        env={"PATH": os.environ.get("PATH", ""), "HOME": str(home), "LC_ALL": "C"},
    )
    assert finished.returncode == 0, finished.stdout[-2000:] + finished.stderr
    return finished.stdout


def ids_after(home: Path, steps: Sequence[Sequence[str]]) -> list[str]:
    """The `POSITION:MATCH` ids that the program shows after each of some groups of commands."""
    # the answer to the last command is a mark between the parts
    commands = [line for step in steps for line in (*step, "show board", _MARK)]
    parts = run_gnubg(home, [*TWO_PERSONS, *commands]).split(_MARKED)[:-1]
    assert len(parts) == len(steps)
    return [":".join(_IDS.findall(part)[-1]) for part in parts]
