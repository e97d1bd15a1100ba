"""A table that a person and the bot sit at, and the coach beside it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bgai.interface.bot import Bot
from bgai.interface.mat import format_mat, record_of_table
from bgai.interface.table import (
    Coach,
    Event,
    Outlook,
    Step,
    Table,
    steps_to_json,
    table_to_json,
)
from bgai.interface.table.events import events_of
from bgai.interface.web.problems import FieldError
from bgai.interface.web.table_questions import ActionQuestion
from bgai.match import Action
from bgai.search import EvaluatorPlayer


@dataclass(frozen=True)
class Shown:
    """Something that has happened and the checkers after it, seen by the person."""

    event: Event
    board: tuple[int, ...]


@dataclass(frozen=True)
class Change:
    """What an action has changed.

    Attributes:
        kept_steps: so many of the table's steps were there before.
        happened: what the others are, in order.
    """

    kept_steps: int
    happened: list[Shown]


class LiveTable:
    """A table in use; one request at a time (`lock`).

    Attributes:
        you: the person's seat.
        version: another number after each change, so that nobody acts on what is no longer there.
        is_seeded: whether the dice so far are those of the table's seed.
        notes: what the person should know of how the table came to be, by language.
    """

    def __init__(self, bot: Bot, table: Table, you: int, plies: int) -> None:
        self.table = table
        self.you = you
        self.plies = plies
        self.lock = threading.Lock()
        self.version = 0
        self.is_seeded = not table.manual_dice
        self.notes: list[dict[str, str]] = []
        self.coach = Coach(bot_player(bot, plies))
        self._lookout = self.coach if plies == 0 else Coach(bot_player(bot, 0))
        self._outlooks: dict[Step, Outlook | None] = {}

    @property
    def bot_seat(self) -> int:
        return 1 - self.you

    def log(self) -> list[Shown]:
        """Everything that has happened, oldest first."""
        return self._shown(self.table.steps)

    def log_length(self) -> int:
        return len(self.table.events)

    def act(self, question: ActionQuestion) -> Change:
        """Do what the person wants and let the rest go on.

        Raises:
            FieldError: it is not possible now, or was meant for another state of the table.
        """
        question.check_fields()
        self.check_version(question.version)
        known = len(self.table.steps)
        try:
            _ACTIONS[question.action](self.table, question)
        except ValueError as error:
            raise FieldError(self._wrong_field(question), str(error), status=409) from error
        if question.action.startswith("undo"):
            self.version += 1
            return Change(len(self.table.steps), [])
        return self._advanced(known)

    def advance(self) -> Change:
        """Let the bot, the dice and what is automatic go on."""
        return self._advanced(len(self.table.steps))

    def check_version(self, version: int | None) -> None:
        """
        Raises:
            FieldError: the table has changed since it was in this version.
        """
        if version is not None and version != self.version:
            raise FieldError(
                "version",
                f"the table has changed meanwhile, as from another window: it is at version "
                f"{self.version}, got {version}",
                status=409,
            )

    def _wrong_field(self, question: ActionQuestion) -> str:
        """What is wrong with a question that is not possible now: its action, or what it gives."""
        allowed = self.table.allowed
        fields = {
            "move": ("moves", (Action.PLAY,)),
            "resign": ("level", (Action.RESIGN,)),
            "roll": ("dice", (Action.ROLL, Action.THROW_OPENING)),
        }
        field, actions = fields.get(question.action, ("action", ()))
        return field if set(actions) & set(allowed) else "action"

    def _advanced(self, known: int) -> Change:
        self.table.advance()
        self.version += 1
        return Change(known, self._shown(self.table.steps[known:]))

    def _shown(self, steps: Sequence[Step]) -> list[Shown]:
        shown = []
        for step in steps:
            board = tuple(step.after.position)
            if step.after.turn != self.you:
                board = tuple(-count for count in reversed(board))
            shown += [Shown(event, board) for event in events_of(step)]
        return shown

    def outlooks(self) -> list[tuple[int, Outlook]]:
        """The turns that had begun by each decision or roll, and how things looked after it."""
        steps = self.table.steps
        self._outlooks = {
            step: self._outlooks[step]
            if step in self._outlooks
            else self._lookout.outlook(step.after, self.you)
            for step in steps
        }
        found, turn = [], 1
        for step in steps:
            outlook = self._outlooks[step]
            if outlook is not None:
                found.append((turn, outlook))
            turn += step.action is Action.PLAY
        return found

    def last_judged(self) -> Step | None:
        """The person's last play or cube decision."""
        for step in reversed(self.table.steps):
            if step.seat == self.you and not step.is_automatic and self.coach.judge([step])[0]:
                return step
        return None

    def session_changes(self, kept_steps: int) -> dict[str, Any]:
        """What to put into the `session` of before, so that a page keeps it whole."""
        return {
            "kept_steps": kept_steps,
            "steps": steps_to_json(self.table.steps[kept_steps:]),
            "moves": [list(move) for move in self.table.moves],
        }

    def session(self) -> dict[str, Any]:
        """All of it, to be kept."""
        return table_to_json(self.table)

    def mat(self) -> str:
        """The session as a .mat file.

        Raises:
            ValueError: the format cannot tell it.
        """
        return format_mat(record_of_table(self.table))


def bot_player(bot: Bot, plies: int) -> EvaluatorPlayer:
    """The bot as it sits at a table."""
    # by its plain name, so that a session that was kept is known again at any depth
    return replace(bot.player(plies), name=bot.name)


def _moves(table: Table, question: ActionQuestion) -> None:
    made = len(table.moves)
    try:
        for start, end in question.moves or ():
            table.move(start, end)
    except ValueError:
        while len(table.moves) > made:  # all of them or none
            table.undo_move()
        raise


def _resign(table: Table, question: ActionQuestion) -> None:
    assert question.level is not None
    table.resign(question.level)


_ACTIONS: dict[str, Callable[[Table, ActionQuestion], object]] = {
    "roll": lambda table, question: table.roll(question.dice),
    "double": lambda table, _: table.double(),
    "take": lambda table, _: table.take(),
    "pass": lambda table, _: table.pass_(),
    "beaver": lambda table, _: table.beaver(),
    "raccoon": lambda table, _: table.raccoon(),
    "resign": _resign,
    "accept": lambda table, _: table.accept(),
    "decline": lambda table, _: table.decline(),
    "next_game": lambda table, _: table.next_game(),
    "move": _moves,
    "undo_move": lambda table, _: table.undo_move(),
    "undo_moves": lambda table, _: table.undo_moves(),
    "undo_turn": lambda table, _: table.undo_turn(),
    "confirm": lambda table, _: table.confirm(),
}
