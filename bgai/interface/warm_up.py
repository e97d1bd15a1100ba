"""The wait when the engine is compiled for the first time on a machine."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from bgai.engine import ROLLS, START, equity, legal_afterstates
from bgai.search.select import best_afterstates

_PATIENCE = 1.0  # seconds without a sign of life


def warm_up() -> None:
    """Compile what choosing a play needs; if that takes long, say so on a terminal's stderr."""
    with announced_compilation():
        boards = np.repeat(START[None], len(ROLLS), axis=0)
        after, offsets = legal_afterstates(boards, ROLLS)
        best_afterstates(-equity(np.zeros((len(after), 6), np.float32)), offsets)


@contextmanager
def announced_compilation(even_to_a_file: bool = False) -> Iterator[None]:
    """Say that something is being compiled if what is done inside takes long.

    Args:
        even_to_a_file: say so where stderr is not a terminal, too.
    """
    notice = threading.Timer(_PATIENCE, _announce, [even_to_a_file])
    notice.daemon = True
    notice.start()
    try:
        yield
    finally:
        notice.cancel()


def _announce(even_to_a_file: bool) -> None:
    if even_to_a_file or sys.stderr.isatty():
        print("compiling the engine (first run only) ...", file=sys.stderr, flush=True)
