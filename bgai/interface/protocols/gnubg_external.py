"""GNU Backgammon's external player: its questions as `MatchState`s, our answers as its words.

One line asks, one line answers. Two kinds of programs ask:

- GNU Backgammon itself, for a player set with `set player N external HOST:PORT`. It ends each line
  with a NUL beside the newline. Its positive checkers are always player 1's, but in a play or a
  double the first name and score are player 0's.
- Programs written for its `external` command, where it is the engine. They send FIBS lines with
  options after them, `evaluation` lines, `version` and the like (interface 2).

GNU Backgammon never asks about a resignation, and goes on only at the command `play` once an
external player has taken a beaver. Source: the behaviour of its version 1.07.001.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from bgai.engine import cumulative, equity
from bgai.interface.protocols.engine import Engine, moves_of_play, moves_text
from bgai.interface.protocols.fibs_board import (
    ASCENDING,
    DESCENDING,
    NOBODY,
    O_SIDE,
    X_SIDE,
    FibsBoard,
    parse_fibs_board,
    state_from_fibs_board,
)
from bgai.match import Action, Decision, MatchState, decline_resignation, resign
from bgai.search import Choice

INTERFACE = 2

_WORDS = {
    Action.ROLL: "roll",
    Action.DOUBLE: "double",
    Action.TAKE: "take",
    Action.PASS: "drop",
    Action.BEAVER: "beaver",
    Action.RACCOON: "redouble",
}
_RESIGNATIONS = ("normal", "gammon", "backgammon")
_SWITCHES = ("jacobyrule", "crawfordrule", "beavers", "cubeful", "cubeless", "cube", "prune")
_BOARD = re.compile(r"(?:fibsboard\s+)?(board:\S*)\s*(.*)", re.IGNORECASE)


class Goodbye(Exception):
    """The other side wants to end the conversation."""


@dataclass(frozen=True)
class MoneyRules:
    """Options of money sessions that no line tells; GNU Backgammon's own are the defaults.

    Attributes:
        beavers: how often a double may be turned back at once: 0 never, 2 with raccoons.
    """

    jacoby: bool = True
    beavers: int = 3

    def __post_init__(self) -> None:
        if self.beavers < 0:
            raise ValueError(f"the number of beavers must be 0 or more, got {self.beavers}")


class GnubgConversation:
    """One connection: answers its lines, and remembers what the lines leave out.

    That is which player we are, how often a double has been turned back, and what we answered when
    the same question comes again.
    """

    def __init__(self, engine: Engine, rules: MoneyRules | None = None) -> None:
        self._engine = engine
        self._rules = rules or MoneyRules()
        self._seat: int | None = None
        self._cube = 0  # before the double on the table; 0 while not known
        self._last_line = ""
        self._last_choice: Choice | None = None

    def answer(self, line: str, from_gnubg: bool) -> str:
        """The reply to one line, without a newline; `Error: ...` to what cannot be answered.

        Args:
            from_gnubg: GNU Backgammon itself asks, not a program that takes us for it.

        Raises:
            Goodbye: the line ends the conversation.
        """
        try:
            return self._answer(" ".join(line.split()), from_gnubg)
        except ValueError as error:
            return f"Error: {' '.join(str(error).split())}"

    def _answer(self, line: str, from_gnubg: bool) -> str:
        command = line.partition(" ")[0].lower()
        if not line:
            raise ValueError("no command given")
        if found := _BOARD.fullmatch(line):
            board, options = parse_fibs_board(found[1]), _Options.parse(found[2], self._rules)
            state = self._state(board, options, from_gnubg)
            return self._act(line, self._with_beavers_counted(board, state))
        if command == "evaluation":
            return self._evaluate(line)
        if command == "version":
            return f"Interface: {INTERFACE}\nRFBF: 0\nEngine: 1.00\nSoftware: bgai"
        if command in ("exit", "quit", "bye"):
            raise Goodbye
        raise ValueError(f"unknown command {line[:60]!r}")

    def _state(self, board: FibsBoard, options: _Options, from_gnubg: bool) -> MatchState:
        viewer = 0
        if from_gnubg:
            viewer = self._seat_asked(board)
            board = _told_to(viewer, board)
        state = state_from_fibs_board(board, viewer, jacoby=options.jacoby, beavers=options.beavers)
        if from_gnubg and state.decision in (Decision.PLAY, Decision.ROLL):
            self._seat = state.turn
        if not options.crawford and state.is_crawford:
            state = replace(state, is_crawford=False)
        return state

    def _seat_asked(self, board: FibsBoard) -> int:
        """Which player GNU Backgammon asks."""
        mover = int(board.turn == O_SIDE)
        if not board.was_doubled:
            return mover
        if _may_double(board)[mover]:
            return 1 - mover
        # a beaver asks the mover, a raccoon the other
        return mover if self._seat is None else self._seat

    def _with_beavers_counted(self, board: FibsBoard, state: MatchState) -> MatchState:
        """The state with as large a cap of the cube as the allowed number of beavers leaves.

        GNU Backgammon allows more of them than beaver and raccoon.
        """
        if state.decision in (Decision.ROLL, Decision.PLAY, Decision.ANSWER_DOUBLE):
            self._cube = board.cube
        turned = (board.cube // self._cube).bit_length() - 1 if self._cube else state.rules.cap
        is_turned_back = state.decision in (Decision.ANSWER_BEAVER, Decision.ANSWER_RACCOON)
        if not is_turned_back or turned < self._rules.beavers:
            return state
        return replace(state, rules=replace(state.rules, cap=2 * state.stake_if_passed))

    def _act(self, line: str, state: MatchState) -> str:
        """Decide, in the light of what the same question was answered before."""
        last = self._last_choice if line == self._last_line else None
        if last is not None and last.action is Action.RESIGN:
            state = decline_resignation(resign(state, last.level))
        choice = self._engine.choose(state)
        if last is not None and last.action in (Action.BEAVER, Action.RACCOON):
            choice = Choice(Action.TAKE)  # it was not allowed after all
        self._last_line, self._last_choice = line, choice
        if choice.action is Action.PLAY:
            assert choice.after is not None
            return moves_text(moves_of_play(state, choice.after))
        if choice.action is Action.RESIGN:
            return f"resign {_RESIGNATIONS[choice.level - 1]}"
        return _WORDS[choice.action]

    def _evaluate(self, line: str) -> str:
        """`evaluation fibsboard BOARD [plies N] [cubeful|cubeless] ...`: six numbers."""
        found = re.fullmatch(r"evaluation\s+fibsboard\s+(board:\S*)\s*(.*)", line, re.IGNORECASE)
        if found is None:
            raise ValueError(f"expected evaluation fibsboard board:..., got {line[:60]!r}")
        options = _Options.parse(found[2], self._rules)
        state = self._state(parse_fibs_board(found[1]), options, False)
        engine = self._engine if options.plies is None else self._engine.with_plies(options.plies)
        probs = engine.probs(state.board).astype(np.float64)
        value = float(equity(probs))
        if options.cubeful:
            decision = engine.cube(state)
            value = decision.nd if decision.chances is None else decision.chances[0]
        return " ".join(f"{number:.6f}" for number in [*cumulative(probs).tolist(), value])


@dataclass(frozen=True)
class _Options:
    """What may stand after a board."""

    jacoby: bool
    beavers: bool
    crawford: bool = True
    cubeful: bool = False
    plies: int | None = None

    @classmethod
    def parse(cls, text: str, rules: MoneyRules) -> _Options:
        """Read `jacobyrule on beavers off plies 2 cubeful`; a switch without a word is on.

        Raises:
            ValueError: there is no such option, or a value is missing or wrong.
        """
        words = text.lower().split()
        found: dict[str, bool] = {}
        plies: int | None = None
        while words:
            name = words.pop(0)
            if name == "plies":
                if not words or not words[0].isdigit():
                    raise ValueError(f"plies needs a number, got {words[:1]}")
                plies = int(words.pop(0))
            elif name in _SWITCHES:
                found[name] = not words or words[0] != "off"
                if words and words[0] in ("on", "off"):
                    words.pop(0)
            elif name in ("deterministic", "noise"):
                words = words[1:] if name == "noise" else words
            else:
                raise ValueError(f"no option {name!r}")
        return cls(
            jacoby=found.get("jacobyrule", rules.jacoby),
            beavers=found.get("beavers", rules.beavers > 0),
            crawford=found.get("crawfordrule", True),
            cubeful=found.get("cubeful", found.get("cube", False)) and "cubeless" not in found,
            plies=plies,
        )


def _told_to(seat: int, board: FibsBoard) -> FibsBoard:
    """A line of GNU Backgammon's, as FIBS would tell it to one of its players."""
    if board.turn == NOBODY:
        raise ValueError("the game is over (turn 0)")
    mover = int(board.turn == O_SIDE)
    names, scores = (board.player, board.opponent), (board.player_score, board.opponent_score)
    # first name and score are player 0's, except where the player not on roll is asked
    first = int(seat != mover)
    if first != seat:
        names, scores = names[::-1], scores[::-1]
    may_double = _may_double(board)
    return replace(
        board,
        player=names[0],
        opponent=names[1],
        player_score=scores[0],
        opponent_score=scores[1],
        player_may_double=may_double[seat],
        opponent_may_double=may_double[1 - seat],
        color=O_SIDE if seat else X_SIDE,
        direction=DESCENDING if seat else ASCENDING,
    )


def _may_double(board: FibsBoard) -> tuple[int, int]:
    """The flags of player 0 and player 1 in a line of GNU Backgammon's."""
    return board.opponent_may_double, board.player_may_double
