"""The wait before the first answer: a bot is loaded, and the engine compiled on a new machine."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from bgai.cube import pack_states
from bgai.endgame import EXAMPLES
from bgai.engine import ROLLS, START, equity, legal_afterstates
from bgai.match import CubeState
from bgai.search.select import best_afterstates

if TYPE_CHECKING:
    from bgai.interface.bot import Bot

NOTICE = "getting ready: the first run on a machine compiles the engine ..."

_PATIENCE = 2.0  # seconds without a sign of life


def find_bot(name: str | None) -> Bot:
    """A bot, loaded; if that takes long, a line on stderr says so.

    Args:
        name: a folder, a zip, or the name of a bot that ships; None for the default one.

    Raises:
        ValueError: there is no such bot, or what is there is not a sound one.
        OSError: a file of it cannot be read.
    """
    from bgai.interface.bot import default_bot, load_bot

    with announced_compilation():
        return default_bot() if name is None else load_bot(name)


def ready_bot(name: str | None) -> Bot:
    """`find_bot`, and what it plays with is compiled, so that it answers at once."""
    bot = find_bot(name)
    with announced_compilation():
        boards = np.concatenate([START[None], EXAMPLES])
        states = pack_states(CubeState(), len(boards))
        bot.player().choose_cubeful(boards, ROLLS[: len(boards)], states)
    return bot


def warm_up() -> None:
    """Compile what choosing a play needs; if that takes long, a line on stderr says so."""
    with announced_compilation():
        boards = np.repeat(START[None], len(ROLLS), axis=0)
        after, offsets = legal_afterstates(boards, ROLLS)
        best_afterstates(-equity(np.zeros((len(after), 6), np.float32)), offsets)


@contextmanager
def announced_compilation(is_announced: bool = True) -> Iterator[None]:
    """Say on stderr that something is being compiled if what is done inside takes long.

    Args:
        is_announced: False where another process says it for all.
    """
    notice = threading.Timer(_PATIENCE, _announce)
    notice.daemon = True
    if is_announced:
        notice.start()
    try:
        yield
    finally:
        notice.cancel()


def _announce() -> None:
    print(NOTICE, file=sys.stderr, flush=True)
