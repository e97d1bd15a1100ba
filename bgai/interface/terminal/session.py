"""The conversation of a terminal session: asks, and obeys what is typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from os.path import expanduser
from pathlib import Path

from bgai.engine import legal_plays, parse_play
from bgai.engine.gnu_id import position_id
from bgai.engine.moves import Move
from bgai.interface.loading import gaps_text, load_table
from bgai.interface.table import Coach, Event, Table, keep_session, save_session
from bgai.interface.terminal.advice import cube_lines, hint_lines, report_lines
from bgai.interface.terminal.board_text import BoardView
from bgai.interface.terminal.console import Console
from bgai.interface.terminal.entry import looks_like_moves, parse_roll, parse_some_moves
from bgai.interface.terminal.screen import Screen
from bgai.interface.texts import load_texts
from bgai.interface.texts.announce import dice_text, play_text
from bgai.interface.texts.verdicts import remark
from bgai.match import Action, Decision, gnu_id_of, points_won, xgid_of
from bgai.match.state import CUBE_ANSWERS
from bgai.search import EvaluatorPlayer

HINTS_SHOWN = 5

_Command = Callable[[str], None]


class TerminalSession:
    """A table at the console: persons type, bots are announced."""

    def __init__(
        self,
        console: Console,
        table: Table,
        player: EvaluatorPlayer,
        view: BoardView,
        is_coaching: bool = False,
        is_kept: bool = False,
    ) -> None:
        """
        Args:
            player: gives the hints, judges, and takes the bots' seats of a session that is loaded.
            is_coaching: errors are told at once and summed up at the end.
            is_kept: a session that is left before its end is saved in the cache folder.
        """
        self._console = console
        self._table = table
        self._player = player
        self._coach = Coach(player)
        self._screen = Screen(console, view, table)
        self._texts = view.texts
        self._is_coaching = is_coaching
        self._is_kept = is_kept
        self._saved = tuple(table.steps)
        self._is_stopped = False
        self._offered: list[tuple[Move, ...]] = []  # what a number means
        self._commands = self._find_commands()
        self._words = self._find_words()

    def _find_commands(self) -> dict[str, _Command]:
        actions = {
            "double": (Action.DOUBLE, lambda: self._table.double()),
            "take": (Action.TAKE, lambda: self._table.take()),
            "pass": (Action.PASS, lambda: self._table.pass_()),
            "beaver": (Action.BEAVER, lambda: self._table.beaver()),
            "raccoon": (Action.RACCOON, lambda: self._table.raccoon()),
            "accept": (Action.ACCEPT, lambda: self._table.accept()),
            "decline": (Action.DECLINE, lambda: self._table.decline()),
            "next": (Action.NEXT_GAME, lambda: self._table.next_game()),
        }
        return {
            **{name: self._acting(name, *action) for name, action in actions.items()},
            "roll": self._roll,
            "resign": self._resign,
            "list": self._list,
            "hint": self._hint,
            "coach": self._set_coaching,
            "report": self._report,
            "undo": self._undo,
            "board": lambda rest: self._screen.show_board(),
            "score": self._score,
            "describe": lambda rest: self._screen.describe(),
            "id": self._id,
            "save": self._save,
            "load": self._load,
            "help": lambda rest: self._screen.say("terminal.help"),
            "quit": self._quit,
        }

    def _find_words(self) -> dict[str, str]:
        """The command that each word means, in English and in the person's language."""
        return {
            word: name
            for texts in (load_texts("en"), self._texts)
            for name in self._commands
            for word in texts.words(f"terminal.words.{name}")
        }

    def run(self) -> None:
        """Play until the session is over, the person stops it or the input ends."""
        self._screen.welcome()
        try:
            while not self._is_stopped and not self._table.is_over:
                self._step()
        except EOFError:
            self._console.say()
            self._screen.say("terminal.ended")
        finally:
            self._keep()
        if self._is_coaching:
            self._report("")

    def _keep(self) -> None:
        """Save what has been played and is neither over nor saved."""
        steps = tuple(self._table.steps)
        is_begun = any(step.action is Action.PLAY for step in steps)
        if not self._is_kept or not is_begun or self._table.is_over or steps == self._saved:
            return
        with suppress(ValueError, OSError):
            self._screen.say("terminal.saved", file=str(keep_session(self._table)))

    def _step(self) -> None:
        """The next thing that has to happen: what goes on by itself, or a question."""
        table = self._table
        if events := table.advance_once():
            self._screen.tell(events)
            return
        is_between_games = table.state.decision is Decision.GAME_OVER
        if is_between_games and not any(seat.is_person for seat in table.seats):
            self._screen.tell(table.next_game())
            return
        is_first_throw = table.state.decision is Decision.OPENING
        if self._screen.is_board_due and not is_between_games and not is_first_throw:
            self._screen.show_board()
        self._obey(self._console.ask(self._screen.question()))

    def _obey(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        name = self._words.get(word.lower())
        try:
            if not line:
                self._enter()
            elif name is not None:
                self._commands[name](rest.strip())
            elif looks_like_moves(line):
                self._move(line)
            elif line[0].isdigit():
                self._number(line)
            else:
                self._screen.say("terminal.error.unknown", text=line)
        except ValueError as error:
            self._screen.say("terminal.error.other", message=str(error))
        except OSError as error:
            self._screen.say(
                "terminal.error.file", file=str(error.filename), problem=str(error.strerror)
            )

    def _enter(self) -> None:
        """Enter alone rolls or starts the next game: what costs nothing to do by mistake."""
        if self._table.state.decision is Decision.GAME_OVER:
            self._done(self._table.next_game())
        elif Action.ROLL in self._table.allowed and not self._table.manual_dice:
            self._done(self._table.roll())

    def _done(self, events: Iterable[Event]) -> None:
        """A person has done something."""
        self._offered = []
        was_due = self._screen.is_board_due
        self._screen.tell(events)
        step = self._table.steps[-1]
        if step.action is Action.ROLL:
            self._screen.is_board_due = was_due  # nothing on the board has changed
        if self._is_coaching and self._table.is_decision(step):
            said = remark(self._texts, self._coach, step, self._screen.is_spoken)
            if said is not None:
                self._console.say(said)

    def _acting(self, name: str, action: Action, act: Callable[[], Iterable[Event]]) -> _Command:
        def command(rest: str) -> None:
            if self._may(name, action):
                self._done(act())

        return command

    def _may(self, name: str, *actions: Action) -> bool:
        """Whether a command is possible now; else says so."""
        if not set(actions).isdisjoint(self._table.allowed):
            return True
        self._screen.say("terminal.error.not_now", command=name)
        return False

    # -- dice, plays and resignations

    def _roll(self, rest: str) -> None:
        if not self._may("roll", Action.ROLL, Action.THROW_OPENING):
            return
        if self._table.manual_dice:
            self._screen.say("terminal.error.type_dice")
        else:
            self._done(self._table.roll())

    def _number(self, line: str) -> None:
        table = self._table
        may_throw = Action.ROLL in table.allowed or Action.THROW_OPENING in table.allowed
        if table.manual_dice and may_throw:
            try:
                dice = parse_roll(line)
            except ValueError:
                self._screen.say("terminal.error.dice", text=line)
                return
            self._done(table.roll(dice))
        elif line.isdecimal():
            self._pick(int(line))
        else:
            self._screen.say("terminal.error.unknown", text=line)

    def _pick(self, number: int) -> None:
        if not self._offered:
            self._screen.say("terminal.error.list_first")
        elif not 1 <= number <= len(self._offered):
            most = len(self._offered)
            self._screen.say("terminal.error.number", most=most, number=number)
        else:
            self._done(self._table.play(self._offered[number - 1]))

    def _move(self, line: str) -> None:
        table, turn = self._table, self._table.turn
        if turn is None or Action.PLAY not in table.allowed:
            self._screen.say("terminal.error.no_dice")
            return
        try:
            moves = self._moves_of(line)
        except ValueError:
            dice = dice_text(self._texts, turn.dice)
            self._screen.say("terminal.error.illegal", text=line, dice=dice)
            return
        for move in moves:
            table.move(move.start, move.end)
        if table.may_confirm:
            self._done(table.confirm())
        self._offered, self._screen.is_board_due = [], True

    def _moves_of(self, line: str) -> Iterable[Move]:
        """The moves typed: a whole play, or some moves of the turn in progress."""
        turn = self._table.turn
        assert turn is not None
        if not turn.moves:
            try:
                return parse_play(turn.board, turn.dice, line).moves
            except ValueError:
                pass  # it may be the first part of a play
        return parse_some_moves(turn, line)

    def _resign(self, rest: str) -> None:
        if not self._may("resign", Action.RESIGN):
            return
        if rest not in ("", "1", "2", "3"):
            self._screen.say("terminal.error.resign", text=rest)
            return
        levels = self._table.resignation_levels
        level = int(rest) if rest else levels[0]
        told = self._texts(f"level.{level}")
        if level not in levels:
            self._screen.say("terminal.error.level", level=told)
            return
        points = self._texts("count.points", count=points_won(self._table.state, level))
        answer = self._console.ask(self._texts("terminal.ask.resign", level=told, points=points))
        yes = {*load_texts("en").words("terminal.words.yes")}
        if answer.lower() in yes | {*self._texts.words("terminal.words.yes")}:
            self._done(self._table.resign(level))
        elif self._words.get(answer.lower()) == "quit":
            self._quit("")
        else:
            self._screen.say("terminal.play_on")

    # -- advice

    def _list(self, rest: str) -> None:
        if not self._may("list", Action.PLAY):
            return
        turn, state = self._table.turn, self._table.state
        assert turn is not None
        plays = sorted(legal_plays(state.board, turn.dice), key=lambda play: play.moves)
        self._offered = [play.moves for play in reversed(plays)]  # by notation, not by merit
        for number, moves in enumerate(self._offered, start=1):
            self._console.say(f"{number:3d}. {self._play_text(moves)}")

    def _play_text(self, moves: tuple[Move, ...]) -> str:
        board = self._table.state.board
        return play_text(self._texts, board, moves, self._screen.is_spoken)

    def _hint(self, rest: str) -> None:
        if rest and rest != "all" and not (rest.isdecimal() and int(rest) > 0):
            self._screen.say("terminal.error.hint", text=rest)
            return
        state = self._table.state
        if Action.PLAY in self._table.allowed:
            ranked = self._coach.ranking(state)
            shown = ranked[: len(ranked) if rest == "all" else int(rest or HINTS_SHOWN)]
            self._offered = [item.play.moves for item in shown]
            self._screen.lines(hint_lines(self._texts, state, shown, self._screen.is_spoken))
        elif state.decision is Decision.ANSWER_RESIGNATION:
            is_enough = self._coach.accepts(state)
            self._screen.say(f"terminal.hint.{'accept' if is_enough else 'decline'}")
        elif state.decision is Decision.ROLL or state.decision in CUBE_ANSWERS:
            self._screen.lines(cube_lines(self._texts, self._coach.cube(state)))
            if state.decision in CUBE_ANSWERS:
                best = self._texts(f"action.{self._coach.best_answer(state).value}")
                self._screen.say("terminal.hint.answer", action=best)
        else:
            self._screen.say("terminal.error.not_now", command="hint")

    def _set_coaching(self, rest: str) -> None:
        if rest not in ("on", "off", ""):
            self._screen.say("terminal.error.coach", text=rest)
            return
        if rest:
            self._is_coaching = rest == "on"
        self._screen.say(f"terminal.coach.{'on' if self._is_coaching else 'off'}")

    def _report(self, rest: str) -> None:
        names = self._screen.names
        self._screen.lines(report_lines(self._texts, self._coach, self._table, names))

    # -- everything else

    def _undo(self, rest: str) -> None:
        try:
            self._table.undo_turn()
        except ValueError:
            self._screen.say("terminal.error.nothing_to_undo")
            return
        self._offered, self._screen.is_board_due = [], True
        self._screen.say("terminal.taken_back")

    def _score(self, rest: str) -> None:
        state, screen = self._table.state, self._screen
        scores = self._texts("board.scores", **screen.announcer.scores(state.score))
        screen.lines([scores, screen.session_text(state), screen.cube_text(state)])

    def _id(self, rest: str) -> None:
        state = self._table.state
        if state.is_over:
            self._console.say(position_id(state.board))
            return
        if self._screen.viewer == 0:  # ids have player 1 at the bottom of the board
            state = state.exchanged()
        lines = [gnu_id_of(state)]
        if state.decision not in (Decision.OPENING, Decision.ANSWER_RESIGNATION):
            lines.append(xgid_of(state))
        self._screen.lines(lines)

    def _save(self, rest: str) -> None:
        if not rest:
            self._screen.say("terminal.error.needs_file", command="save")
            return
        save_session(Path(expanduser(rest)), self._table)
        self._saved = tuple(self._table.steps)
        self._screen.say("terminal.saved", file=rest)

    def _load(self, rest: str) -> None:
        if not rest:
            self._screen.say("terminal.error.needs_file", command="load")
            return
        loaded = load_table(Path(expanduser(rest)), self._player)
        table = loaded.table
        table.automatic = self._table.automatic
        self._table, self._offered = table, []
        self._saved = tuple(table.steps)
        self._screen.watch(table)
        played = sum(step.action is Action.PLAY for step in table.steps)
        turns = self._texts("count.turns", count=played)
        if loaded.other is not None:
            self._screen.say("terminal.loaded_other", turns=turns, name=loaded.other)
        else:
            self._screen.say("terminal.loaded", turns=turns)
        if gaps := gaps_text(self._texts, loaded.record):
            self._console.say(gaps)

    def _quit(self, rest: str) -> None:
        self._is_stopped = True
        self._screen.say("terminal.stopped")
