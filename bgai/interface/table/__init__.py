"""The table: a whole session between persons and bots, the core that every interface shares.

It knows the rules and who sits where, and no language: what happens is told as `Event`s.
"""

from bgai.interface.table.automatic import Automatic
from bgai.interface.table.coach import Coach, JudgedPlay, Judgement, Outlook
from bgai.interface.table.events import Event, EventKind
from bgai.interface.table.reasons import REASONS, reason_of
from bgai.interface.table.report import SideReport, report
from bgai.interface.table.saved import (
    keep_session,
    load_session,
    save_session,
    steps_to_json,
    table_from_json,
    table_to_json,
)
from bgai.interface.table.step import Step
from bgai.interface.table.table import Seat, Table
from bgai.interface.table.turn import Turn

__all__ = [
    "REASONS",
    "Automatic",
    "Coach",
    "Event",
    "EventKind",
    "JudgedPlay",
    "Judgement",
    "Outlook",
    "Seat",
    "SideReport",
    "Step",
    "Table",
    "Turn",
    "keep_session",
    "load_session",
    "reason_of",
    "report",
    "save_session",
    "steps_to_json",
    "table_from_json",
    "table_to_json",
]
