"""What a person reads: events, the board with score and cube, and the question asked now."""

from __future__ import annotations

from collections.abc import Iterable

from bgai.interface.table import Event, EventKind, Table
from bgai.interface.terminal.board_text import BoardView
from bgai.interface.terminal.console import Console
from bgai.interface.texts.announce import Announcer
from bgai.interface.texts.board_words import Side
from bgai.match import Action, Decision, Ending, MatchState
from bgai.match.state import CUBE_ANSWERS

_UNTOLD = (EventKind.ROLL, EventKind.HIT)
"""Told along with the play that follows or goes before."""


class Screen:
    """Everything that is printed about a table."""

    def __init__(self, console: Console, view: BoardView, table: Table) -> None:
        self.console = console
        self.view = view
        self.texts = view.texts
        self.is_board_due = True
        self.watch(table)

    def watch(self, table: Table) -> None:
        """Look at a table from now on."""
        self.table = table
        persons = [seat for seat in (0, 1) if table.seats[seat].is_person]
        self.announcer = Announcer(
            self.texts,
            (table.seats[0].name, table.seats[1].name),
            persons[0] if len(persons) == 1 else None,
            not table.state.rules.is_money,
            self.is_spoken,
        )
        self.is_board_due = True

    @property
    def is_spoken(self) -> bool:
        """Whether everything is told in words."""
        return self.view.style == "words"

    @property
    def you(self) -> int | None:
        """The seat of the only person at the table, who is addressed as "you"."""
        return self.announcer.you

    @property
    def viewer(self) -> int:
        """The seat from whose side the board is shown."""
        if self.you is not None:
            return self.you
        return 0 if self.table.actor is None else self.table.actor

    @property
    def names(self) -> tuple[str, str]:
        """Both seats as they are called in a table."""
        return self.announcer.name(0), self.announcer.name(1)

    def say(self, key: str, **values: object) -> None:
        """Print a text."""
        self.console.say(self.texts(key, **values))

    def lines(self, lines: Iterable[str]) -> None:
        """Print lines that are ready."""
        self.console.say("\n".join(lines))

    def welcome(self) -> None:
        session = self.session_text(self.table.state)
        if self.you is None:
            first, second = self.names
            self.say("terminal.welcome.others", first=first, second=second, session=session)
        else:
            self.say(
                "terminal.welcome.bot", name=self.announcer.names[1 - self.you], session=session
            )

    def tell(self, events: Iterable[Event]) -> None:
        """Announce what has happened; the board at the end of a game is shown as it was left."""
        for event in events:
            if event.kind in _UNTOLD:
                continue
            if event.kind is EventKind.GAME_OVER and event.ending is Ending.BORNE_OFF:
                self.show_board()
            self.console.say(self.announcer(event))
            self.is_board_due = True

    def show_board(self) -> None:
        state, viewer = self.table.state, self.viewer
        own, opponent = (
            Side(self.announcer.name(seat), state.score[seat], seat == self.you)
            for seat in (viewer, 1 - viewer)
        )
        self.console.say(self.view.show(self.table.board_for(viewer), own, opponent, self.status()))
        self.is_board_due = False

    def describe(self) -> None:
        """The board in words, whatever the style of the view."""
        viewer = self.viewer
        own, opponent = (
            Side(self.announcer.name(seat), is_you=seat == self.you)
            for seat in (viewer, 1 - viewer)
        )
        words = BoardView(self.texts, "words")
        board = self.table.board_for(viewer)
        self.console.say(words.show(board, own, opponent, self.status()))

    def status(self) -> list[str]:
        """Short lines beside the board: what is played for, the cube, the dice to play."""
        state = self.table.state
        lines = [self.session_text(state), self.cube_text(state)]
        if self.is_spoken or self.texts.direction == "rtl":
            lines.insert(0, self.texts("board.scores", **self.announcer.scores(state.score)))
        actor = self.table.actor
        if actor is not None and self.table.seats[actor].is_person and self.table.dice_left:
            lines.append(self.texts("board.to_play", dice=_dice_text(self.table.dice_left)))
        return lines

    def session_text(self, state: MatchState) -> str:
        """`match to 7, Crawford game`."""
        length = state.rules.match_length
        if length is None:
            return self.texts("board.money")
        text = self.texts("board.match", length=length)
        if state.is_crawford:
            text += self.texts("moves.separator") + self.texts("board.crawford")
        return text

    def cube_text(self, state: MatchState) -> str:
        """Where the cube is and what it shows."""
        if not state.rules.has_cube:
            return self.texts("board.cube.none")
        if state.decision in CUBE_ANSWERS:
            return self.texts("board.cube.offered", value=2 * state.stake_if_passed)
        if state.cube_owner is None:
            return self.texts("board.cube.middle", value=state.cube_value)
        if state.cube_owner == self.you:
            return self.texts("board.cube.yours", value=state.cube_value)
        name = self.announcer.names[state.cube_owner]
        return self.texts("board.cube.theirs", value=state.cube_value, name=name)

    def question(self) -> str:
        """What is asked of the person who has to decide, or to type dice."""
        question, actor = self._question(), self.table.actor
        is_addressed = actor is not None and self.table.seats[actor].is_person
        if self.you is not None or not is_addressed:
            return question
        assert actor is not None
        return self.texts("terminal.ask.who", name=self.announcer.names[actor], question=question)

    def _question(self) -> str:
        state, table = self.table.state, self.table
        if table.awaits_dice:
            return self._dice_question(state)
        if state.decision is Decision.ROLL:
            kind = "your_dice" if table.manual_dice else "roll"
            only = "" if Action.DOUBLE in table.allowed else "_only"
            return self.texts(f"terminal.ask.{kind}{only}")
        if state.decision is Decision.PLAY:
            key = "terminal.ask.move_left" if table.moves else "terminal.ask.move"
            return self.texts(key, dice=_dice_text(table.dice_left))
        if state.decision in CUBE_ANSWERS:
            return self._answer_question(state)
        if state.decision is Decision.ANSWER_RESIGNATION:
            level = self.texts(f"level.{state.resigned}")
            name = self.announcer.names[state.turn]
            return self.texts("terminal.ask.resigned", name=name, level=level)
        return self.texts("terminal.ask.another")

    def _dice_question(self, state: MatchState) -> str:
        names = self.announcer.names
        if state.decision is not Decision.OPENING:
            return self.texts("terminal.ask.their_dice", name=names[state.turn])
        if self.you == 0:
            return self.texts("terminal.ask.opening", name=names[1])
        first, second = self.names
        return self.texts("terminal.ask.opening_both", first=first, second=second)

    def _answer_question(self, state: MatchState) -> str:
        actor = state.actor
        assert actor is not None
        kind = {
            Decision.ANSWER_DOUBLE: "double",
            Decision.ANSWER_BEAVER: "beaver",
            Decision.ANSWER_RACCOON: "raccoon",
        }[state.decision]
        if Action.BEAVER in self.table.allowed:
            kind = "double_beaver"
        elif kind == "beaver" and Action.RACCOON not in self.table.allowed:
            kind = "beaver_capped"
        return self.texts(
            f"terminal.ask.{kind}",
            name=self.announcer.names[1 - actor],
            cube=2 * state.stake_if_passed,
        )


def _dice_text(dice_left: Iterable[int]) -> str:
    return " ".join(str(die) for die in dice_left)
