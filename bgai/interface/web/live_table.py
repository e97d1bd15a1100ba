"""A table that a person and the bot sit at, and the coach beside it."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bgai.interface.bot import Bot
from bgai.interface.mat import format_mat, record_of_table
from bgai.interface.mat_reader import parse_mat
from bgai.interface.table import (
    Coach,
    Event,
    Outlook,
    Seat,
    Step,
    Table,
    table_from_json,
    table_to_json,
)
from bgai.interface.table.dice import thrown_opening
from bgai.interface.table.events import events_of
from bgai.interface.table.step import make_step
from bgai.interface.web.questions import FieldError
from bgai.interface.web.table_questions import ActionQuestion, NewTableQuestion, SavedQuestion
from bgai.match import Action
from bgai.search import EvaluatorPlayer


@dataclass(frozen=True)
class Shown:
    """Something that has happened and the checkers after it, seen by the person."""

    event: Event
    board: tuple[int, ...]


class LiveTable:
    """A table in use; one request at a time (`lock`).

    Attributes:
        you: the person's seat.
    """

    def __init__(self, bot: Bot, table: Table, you: int, plies: int) -> None:
        self.table = table
        self.you = you
        self.plies = plies
        self.lock = threading.Lock()
        self.coach = Coach(_player(bot, plies))
        self._lookout = self.coach if plies == 0 else Coach(_player(bot, 0))
        self._outlooks: dict[Step, Outlook | None] = {}

    @property
    def bot_seat(self) -> int:
        return 1 - self.you

    def log(self) -> list[Shown]:
        """Everything that has happened, oldest first."""
        return [shown for step in self.table.steps for shown in self._shown(step)]

    def log_length(self) -> int:
        return len(self.table.events)

    def act(self, question: ActionQuestion) -> list[Shown]:
        """Do what the person wants and let the rest go on; what happened, in order.

        Raises:
            ValueError: it is not possible now.
        """
        known = len(self.table.steps)
        _ACTIONS[question.action](self.table, question)
        if question.action.startswith("undo"):
            return []
        return self._advanced(known)

    def advance(self) -> list[Shown]:
        """Let the bot, the dice and what is automatic go on."""
        return self._advanced(len(self.table.steps))

    def _advanced(self, known: int) -> list[Shown]:
        self.table.advance()
        return [shown for step in self.table.steps[known:] for shown in self._shown(step)]

    def _shown(self, step: Step) -> list[Shown]:
        state = step.after
        board = tuple(state.position)
        if state.turn != self.you:
            board = tuple(-count for count in reversed(board))
        return [Shown(event, board) for event in events_of(step)]

    def outlooks(self) -> list[tuple[int, Outlook]]:
        """The number of each step that was a decision or a roll, and how things looked after it."""
        steps = self.table.steps
        self._outlooks = {
            step: self._outlooks[step]
            if step in self._outlooks
            else self._lookout.outlook(step.after, self.you)
            for step in steps
        }
        found = [(number, self._outlooks[step]) for number, step in enumerate(steps, start=1)]
        return [(number, outlook) for number, outlook in found if outlook is not None]

    def last_judged(self) -> Step | None:
        """The person's last play or cube decision."""
        for step in reversed(self.table.steps):
            if step.seat == self.you and not step.is_automatic and self.coach.judge([step])[0]:
                return step
        return None

    def session(self) -> dict[str, Any]:
        """All of it, to be kept."""
        return table_to_json(self.table)

    def mat(self) -> str:
        """The session as a .mat file.

        Raises:
            ValueError: the format cannot tell it.
        """
        return format_mat(record_of_table(self.table))


def _player(bot: Bot, plies: int) -> EvaluatorPlayer:
    # by its plain name, so that a session that was kept is known again at any depth
    return replace(bot.player(plies), name=bot.name)


def _moves(table: Table, question: ActionQuestion) -> None:
    if not question.moves:
        raise FieldError("moves", "a move needs `moves`, such as [[13, 7]]")
    made = len(table.moves)
    try:
        for start, end in question.moves:
            table.move(start, end)
    except ValueError:
        while len(table.moves) > made:  # all of them or none
            table.undo_move()
        raise


def _resign(table: Table, question: ActionQuestion) -> None:
    if question.level is None:
        raise FieldError("level", "a resignation needs a level: 1, gammon 2, backgammon 3")
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


def new_table(bot: Bot, question: NewTableQuestion) -> LiveTable:
    """A session that has just begun.

    Raises:
        FieldError: it cannot be played like this.
    """
    start = question.start()
    you = 0 if start is None or start.actor is None else start.actor
    seed = secrets.randbits(32) if question.seed is None else question.seed
    table = Table(
        _seats(Seat(question.name), Seat(bot.name, _player(bot, question.plies)), you),
        question.rules() if start is None else None,
        seed,
        manual_dice=question.manual_dice,
        automatic=question.automatic.automatic(),
        start=start,
    )
    if start is None and question.starts != "dice":
        if question.manual_dice:
            raise FieldError("starts", "dice that are thrown by hand decide who starts")
        starter = you if question.starts == "you" else 1 - you
        _open_for(table, starter)
    return LiveTable(bot, table, you, question.plies)


def _seats(person: Seat, bot: Seat, you: int) -> tuple[Seat, Seat]:
    return (person, bot) if you == 0 else (bot, person)


def _open_for(table: Table, starter: int) -> None:
    """Make the opening throw so that a seat starts: the first unequal dice in its favour."""
    throw = 0
    while (dice := thrown_opening(table.seed, 0, throw))[0] == dice[1]:
        throw += 1
    high, low = max(dice), min(dice)
    favoured = (high, low) if starter == 0 else (low, high)
    table.add(make_step(table.state, Action.THROW_OPENING, dice=favoured))


def saved_table(bot: Bot, question: SavedQuestion) -> LiveTable:
    """A session that was kept, to go on with.

    Raises:
        FieldError: it is damaged, not one of a person and a bot, or over the rules.
    """
    player = _player(bot, question.plies)
    if (question.session is None) == (question.mat is None):
        raise FieldError("session", "either `session` or `mat` is needed")
    if question.mat is not None:
        table, you = _read_mat(question.mat, player)
    else:
        try:
            table = table_from_json(question.session, lambda _: player)
        except ValueError as error:
            raise FieldError("session", str(error)) from error
        persons = [number for number, seat in enumerate(table.seats) if seat.is_person]
        if len(persons) != 1:
            raise FieldError("session", f"one person sits at a table here, got {len(persons)}")
        you = persons[0]
    table.automatic = question.automatic.automatic()
    return LiveTable(bot, table, you, question.plies)


def _read_mat(text: str, player: EvaluatorPlayer) -> tuple[Table, int]:
    """The table of a .mat file; whoever is called like the bot is the bot, else player 1."""
    try:
        record = parse_mat(text)
        you = 1 if record.names[0] == player.name else 0
        table = Table(
            _seats(Seat(record.names[you]), Seat(player.name, player), you),
            seed=secrets.randbits(32),
            start=record.start,
        )
        _add_steps(table, record.steps)
    except ValueError as error:
        raise FieldError("mat", str(error)) from error
    return table, you


def _add_steps(table: Table, steps: Sequence[Step]) -> None:
    for step in steps:
        table.add(step)
