"""Tables to go on with from files: saved sessions and .mat files."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

from bgai.interface.mat import MatchRecord
from bgai.interface.mat_reader import read_mat
from bgai.interface.table import Seat, Table, load_session
from bgai.interface.texts import Texts
from bgai.search import EvaluatorPlayer


@dataclass(frozen=True)
class Loaded:
    """A table that goes on, and where it comes from.

    Attributes:
        other: who sat where the bot now sits, if it was somebody else.
        record: what a .mat file held; None of a saved session.
    """

    table: Table
    other: str | None = None
    record: MatchRecord | None = None


def load_table(path: Path, player: EvaluatorPlayer) -> Loaded:
    """The table in a file: a .mat file by its name, else a saved session.

    Args:
        player: takes the bots' seats.

    Raises:
        ValueError: the file is damaged, or holds something else.
        OSError: it cannot be read.
    """
    if path.suffix.lower() == ".mat":
        return loaded_record(read_mat(path), player)
    others: list[str] = []

    def find_player(name: str) -> EvaluatorPlayer:
        if name != player.name:
            others.append(name)
        return player

    table = load_session(path, find_player)
    return Loaded(table, others[0] if others else None)


def loaded_record(record: MatchRecord, player: EvaluatorPlayer) -> Loaded:
    """A match to go on with; whoever is called like the bot is the bot, else player 2."""
    bot = 0 if record.names[0] == player.name else 1
    seats = [Seat(name) for name in record.names]
    seats[bot] = Seat(player.name, player)
    table = Table((seats[0], seats[1]), seed=secrets.randbits(32), start=record.start)
    for step in record.steps:
        table.add(step)
    other = record.names[bot]
    return Loaded(table, None if other == player.name else other, record)


def gaps_text(texts: Texts, record: MatchRecord | None) -> str | None:
    """What a .mat file lacks, in a sentence or two; None where it is whole."""
    if record is None:
        return None
    told = []
    if record.breaks_off is not None:
        told.append(texts("file.breaks_off", line=record.breaks_off))
    if record.steps and not record.state.is_over:
        told.append(texts("file.unfinished"))
    return " ".join(told) or None
