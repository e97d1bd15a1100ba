"""The conversation of a terminal game: shows, asks, obeys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bgai.engine import possible_outcomes
from bgai.engine.gnu_id import position_id
from bgai.engine.move_text import parse_play
from bgai.engine.moves import Play, legal_plays
from bgai.engine.outcomes import LOSE
from bgai.interface.hints import rank_plays, ranking_lines
from bgai.interface.terminal.board_text import BoardView, describe_moves
from bgai.interface.terminal.console import Console
from bgai.interface.terminal.entry import looks_like_moves, parse_roll, parse_some_moves
from bgai.interface.terminal.game import Game, Side, Turn, load_game, save_game, thrown_opening
from bgai.search.evaluator import Evaluator

HINTS_SHOWN = 5

HELP = """\
Type a play in the usual notation, whole or one checker at a time, and press Enter:
  8/5 6/5    24/18/13    bar/22    6/off(2)    13/7*
Points are numbered from your side: you move from 24 down to 1 and bear off from 6 to 1. What the
bot plays is written from its own side, as usual: its 13/8 is your 12 and 17.

  list          number all plays; a number then plays one
  hint [N]      the N best plays with their chances (`hint all` for every one)
  undo          take back your moves, or go back to your previous turn
  board         show the board again
  describe      tell the board in words
  id            the GNU position id, seen by the player on roll
  resign [1-3]  give up a single game, a gammon or a backgammon
  save FILE     keep the game; `load FILE` goes on with it
  help          this text
  quit          stop"""

_RESULTS = {1: "single game", 2: "gammon", 3: "backgammon"}


class TerminalGame:
    """One game between the person at the console and a bot."""

    def __init__(
        self,
        console: Console,
        game: Game | None,
        evaluator: Evaluator,
        bot: str,
        seed: int,
        view: BoardView,
        manual_dice: bool = False,
        play_forced: bool = True,
    ) -> None:
        """
        Args:
            game: one to go on with, or None for a new one.
            evaluator: what the bot plays and hints with.
            bot: its name.
            manual_dice: the person throws real dice and types them, for both sides.
            play_forced: an only play is made without asking.
        """
        self._console = console
        self._evaluator = evaluator
        self._bot = bot
        self._seed = seed
        self._view = view
        self._manual_dice = manual_dice
        self._play_forced = play_forced
        self._game = game
        self._stopped = False
        self._board_is_due = True
        self._offered: list[Play] = []  # what a number means
        self._commands: dict[str, Callable[[str], None]] = {
            "list": self._list,
            "hint": self._hint,
            "undo": self._undo,
            "board": self._board,
            "describe": self._describe,
            "id": self._id,
            "resign": self._resign,
            "save": self._save,
            "load": self._load,
            "help": self._help,
            "quit": self._quit,
        }
        self._short = {"?": "help", "h": "hint", "l": "list", "u": "undo", "b": "board"}
        self._short |= {"exit": "quit", "pips": "describe"}

    def run(self) -> None:
        """Play until the game is over, the person stops it or the input ends."""
        self._console.say(f"You play against {self._bot}. Type `help` for what you can type.")
        try:
            while not self._stopped and not (self._game and self._game.is_over):
                self._step()
        except EOFError:
            self._console.say()
            self._console.say("The input has ended; the game stops here.")
            return
        if self._game and self._game.is_over:
            self._console.say(self._picture(self._game))
            self._console.say(self._result(self._game))

    def _step(self) -> None:
        """The next thing that has to happen: an opening, a roll, the bot's turn, or a question."""
        game = self._game
        if game is None:
            self._open()
        elif game.dice is None:
            self._roll(game)
        elif game.side == "bot":
            ranked = rank_plays(self._evaluator, game.board, game.dice)
            self._report(game.finish(ranked[0].play))
        else:
            self._your_turn(game, game.dice)

    # -- dice

    def _open(self) -> None:
        dice = thrown_opening(self._seed)
        if self._manual_dice:
            typed = self._ask_for_dice("Opening roll, your die and the bot's> ")
            if typed is None:
                return
            dice = typed
            if dice[0] == dice[1]:
                self._console.say("Equal dice are thrown again.")
                return
        first: Side = "you" if dice[0] > dice[1] else "bot"
        who = "you start" if first == "you" else f"{self._bot} starts"
        self._console.say(f"You throw {dice[0]}, {self._bot} throws {dice[1]}: {who}.")
        self._game = Game(self._seed, first, dice=dice)

    def _roll(self, game: Game) -> None:
        if not self._manual_dice:
            game.throw()
            return
        if game.side == "you" and self._board_is_due:
            self._board("")
        whose = "Your" if game.side == "you" else f"{self._bot}'s"
        game.dice = self._ask_for_dice(f"{whose} roll> ") or game.dice

    def _ask_for_dice(self, prompt: str) -> tuple[int, int] | None:
        """The dice typed, or None after a command or a mistake."""
        line = self._console.ask(prompt)
        if line and not line[0].isdigit():
            self._obey(line)
            return None
        try:
            return parse_roll(line)
        except ValueError as error:
            self._console.say(str(error))
            return None

    # -- turns

    def _your_turn(self, game: Game, dice: tuple[int, int]) -> None:
        if not game.moves:
            plays = legal_plays(game.board, dice)
            if len(plays) == 1 and (self._play_forced or not plays[0].moves):
                self._report(game.finish(plays[0]), "the only play")
                return
        if self._board_is_due:
            self._board("")
        left = " ".join(str(die) for die in game.dice_left)
        prompt = f"Your move, {left} left> " if game.moves else f"Your move, {left}> "
        self._obey(self._console.ask(prompt))

    def _report(self, turn: Turn, remark: str = "") -> None:
        """Say what was rolled and played."""
        name = "You" if turn.side == "you" else self._bot
        verb = "roll" if turn.side == "you" else "rolls"
        if not turn.play.moves:
            text, remark = "no legal move, the turn passes", ""
        elif self._view.style == "words":
            text = describe_moves(turn.play.moves, turn.before)
        else:
            text = turn.text
        note = f" ({remark})" if remark else ""
        self._console.say(f"{name} {verb} {turn.dice[0]}-{turn.dice[1]}: {text}{note}.")
        self._offered, self._board_is_due = [], True

    def _picture(self, game: Game) -> str:
        note = ""
        if game.dice is not None and game.side == "you":
            note = f"to play: {' '.join(str(die) for die in game.dice_left)}"
        return self._view.show(game.board_for_you, self._bot, note)

    def _result(self, game: Game) -> str:
        winner = "You win" if game.points > 0 else f"{self._bot} wins"
        return f"{winner} a {_result_text(abs(game.points))}."

    # -- what the person types

    def _obey(self, line: str) -> None:
        if not line:
            return
        word, _, rest = line.partition(" ")
        name = self._short.get(word.lower(), word.lower())
        try:
            if line.isdigit():
                self._pick(int(line))
            elif looks_like_moves(line) and name not in ("save", "load"):
                self._move(line)
            elif name in self._commands:
                self._commands[name](rest.strip())
            else:
                self._console.say(f"{line!r} is neither a play nor a command; type `help`.")
        except ValueError as error:
            self._console.say(f"{error}.")
        except OSError as error:
            self._console.say(f"{error.filename}: {error.strerror}.")

    def _current(self) -> tuple[Game, tuple[int, int]]:
        """The game and its roll, for commands that need both."""
        if self._game is None or self._game.dice is None:
            raise ValueError("the dice have not been thrown yet")
        return self._game, self._game.dice

    def _move(self, line: str) -> None:
        game, dice = self._current()
        if not game.moves:
            try:
                play = parse_play(game.board, dice, line)
            except ValueError as whole:
                try:  # it may be the first part of a play
                    moves = parse_some_moves(game.board, game.dice_left, line)
                except ValueError:
                    raise ValueError(f"{whole}; `list` shows what is") from None
            else:
                self._finish(game, play)
                return
        else:
            moves = parse_some_moves(game.board_now, game.dice_left, line)
        turn = game.make_moves(moves)
        if turn is not None:
            self._report(turn)
        self._offered, self._board_is_due = [], True

    def _pick(self, number: int) -> None:
        game, _ = self._current()
        if not self._offered:
            raise ValueError("type `list` or `hint` first: a number picks a play from it")
        if not 1 <= number <= len(self._offered):
            raise ValueError(f"the list has the numbers 1 to {len(self._offered)}, got {number}")
        self._finish(game, self._offered[number - 1])

    def _finish(self, game: Game, play: Play) -> None:
        game.moves = []
        self._report(game.finish(play))

    def _list(self, rest: str) -> None:
        game, dice = self._current()
        ranked = rank_plays(self._evaluator, game.board, dice)
        ranked.sort(key=lambda item: item.play.moves, reverse=True)  # by notation, not by merit
        self._offered = [item.play for item in ranked]
        for number, item in enumerate(ranked, start=1):
            text = item.text
            if self._view.style == "words":
                text = describe_moves(item.play.moves, game.board)
            self._console.say(f"{number:3d}. {text}")

    def _hint(self, rest: str) -> None:
        if rest and rest != "all" and not (rest.isdigit() and int(rest) > 0):
            raise ValueError(f"`hint`, `hint 10` or `hint all`, got {rest!r}")
        game, dice = self._current()
        ranked = rank_plays(self._evaluator, game.board, dice)
        shown = ranked[: len(ranked) if rest == "all" else int(rest or HINTS_SHOWN)]
        self._offered = [item.play for item in shown]
        self._console.say("\n".join(ranking_lines(shown)))

    def _undo(self, rest: str) -> None:
        if self._game is None or not self._game.undo():
            raise ValueError("there is nothing to take back")
        self._offered, self._board_is_due = [], True
        self._console.say("Taken back.")

    def _board(self, rest: str) -> None:
        if self._game is None:
            raise ValueError("the game has not begun")
        self._console.say(self._picture(self._game))
        self._board_is_due = False

    def _describe(self, rest: str) -> None:
        if self._game is None:
            raise ValueError("the game has not begun")
        view = BoardView("words")
        self._console.say(view.show(self._game.board_for_you, self._bot))

    def _id(self, rest: str) -> None:
        if self._game is None:
            raise ValueError("the game has not begun")
        self._console.say(position_id(self._game.board))

    def _resign(self, rest: str) -> None:
        game, dice = self._current()
        if rest not in ("", "1", "2", "3"):
            raise ValueError(f"`resign`, `resign 2` or `resign 3`, got {rest!r}")
        points = int(rest or 1)
        board = game.board
        if not possible_outcomes(board)[LOSE + points - 1]:
            raise ValueError(f"a {_RESULTS[points]} cannot be lost here")
        ranked = rank_plays(self._evaluator, board, dice)
        if -ranked[0].equity > points + 0.001:
            self._console.say(f"{self._bot} refuses: it expects more than {points} from this game.")
            return
        answer = self._console.ask(f"Lose a {_result_text(points)}? (yes/no)> ")
        if answer.lower() in ("y", "yes"):
            game.resigned = points
            return
        self._console.say("You play on.")

    def _save(self, rest: str) -> None:
        if self._game is None:
            raise ValueError("the game has not begun")
        if not rest:
            raise ValueError("`save FILE` needs the name of a file")
        save_game(Path(rest).expanduser(), self._game, self._bot)
        self._console.say(f"Saved; `load {rest}` or `bgai play --load {rest}` goes on with it.")

    def _load(self, rest: str) -> None:
        if not rest:
            raise ValueError("`load FILE` needs the name of a file")
        self._game, bot = load_game(Path(rest).expanduser())
        self._seed = self._game.seed
        self._offered, self._board_is_due = [], True
        against = "" if bot == self._bot else f"; it was played against {bot}"
        self._console.say(f"Loaded, {len(self._game.turns)} turns played{against}.")

    def _help(self, rest: str) -> None:
        self._console.say(HELP)

    def _quit(self, rest: str) -> None:
        self._stopped = True
        self._console.say("The game stops here.")


def _result_text(points: int) -> str:
    return f"{_RESULTS[points]}, {points} point{'s' if points > 1 else ''}"
