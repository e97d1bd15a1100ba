"""One game between a person and a bot: what has been played, and what may be taken back.

No text is read or written here but the saved game. Later additions, such as a match with a cube,
keep games like this one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from bgai.engine import START, Board, check_dice, opening_roll, outcomes, roll, swap
from bgai.engine.files import write_whole
from bgai.engine.move_text import format_play, parse_play
from bgai.engine.moves import (
    DiceLeft,
    Move,
    Play,
    dice_after_move,
    dice_of_roll,
    legal_moves,
    legal_plays,
    make_move,
)
from bgai.engine.outcomes import POINTS_WON, UNFINISHED

Side: TypeAlias = Literal["you", "bot"]
Roll: TypeAlias = tuple[int, int]

SAVED_FORMAT, SAVED_VERSION = "bgai-game", 1


@dataclass(frozen=True)
class Turn:
    """A finished turn."""

    side: Side
    dice: Roll
    before: Board
    """Seen by the mover."""
    play: Play
    was_choice: bool
    """Whether the roll allowed more than one play."""

    @property
    def text(self) -> str:
        return format_play(self.before, self.play.moves)


@dataclass
class Game:
    """A game in progress or over.

    Attributes:
        seed: the dice follow from it and the turn's number alone, so a turn taken back and played
            again meets the same rolls.
        first: who plays the first turn.
        dice: the roll of the turn in progress, None before it is thrown.
        moves: the moves already made in the turn in progress.
        resigned: the points given up by the person.
    """

    seed: int
    first: Side
    turns: list[Turn] = field(default_factory=list)
    dice: Roll | None = None
    moves: list[Move] = field(default_factory=list)
    resigned: int | None = None

    @property
    def side(self) -> Side:
        """Whose turn it is."""
        other: Side = "bot" if self.first == "you" else "you"
        return self.first if len(self.turns) % 2 == 0 else other

    @property
    def board(self) -> Board:
        """The position at the start of this turn, seen by the side whose turn it is."""
        if self.turns:
            return self.turns[-1].play.after
        return START if self.first == self.side else swap(START)

    @property
    def board_now(self) -> Board:
        """The position after the moves made in this turn, seen by the side whose turn it is."""
        board = self.board
        for move in self.moves:
            board = make_move(board, move)
        return board

    @property
    def board_for_you(self) -> Board:
        """The position now, seen by the person."""
        return self.board_now if self.side == "you" else swap(self.board_now)

    @property
    def dice_left(self) -> DiceLeft:
        """The dice that this turn still has to play.

        Raises:
            ValueError: the dice have not been thrown.
        """
        if self.dice is None:
            raise ValueError("the dice have not been thrown")
        left = dice_of_roll(self.dice)
        for move in self.moves:
            left = dice_after_move(left, move)
        return left

    @property
    def is_over(self) -> bool:
        return self.resigned is not None or int(outcomes(self.board)) != UNFINISHED

    @property
    def points(self) -> int:
        """What the finished game is worth to the person: positive won, negative lost."""
        if self.resigned is not None:
            return -self.resigned
        points = int(POINTS_WON[outcomes(self.board)])
        return points if self.side == "you" else -points

    def throw(self) -> Roll:
        """The roll of this turn, from the seed; also sets `dice`."""
        if not self.turns:
            self.dice = thrown_opening(self.seed)
        else:
            first, second = roll(np.random.default_rng([self.seed, len(self.turns)]), 1)[0]
            self.dice = int(first), int(second)
        return self.dice

    def make_moves(self, moves: Sequence[Move]) -> Turn | None:
        """Make single legal moves of this turn; returns the turn if that finishes it."""
        self.moves += moves
        board = self.board_now
        if legal_moves(board, self.dice_left):
            return None
        return self.finish(Play(tuple(self.moves), swap(board)))

    def finish(self, play: Play) -> Turn:
        """End the turn in progress with a legal play."""
        assert self.dice is not None
        choices = len(legal_plays(self.board, self.dice))
        turn = Turn(self.side, self.dice, self.board, play, choices > 1)
        self.turns.append(turn)
        self.dice, self.moves = None, []
        return turn

    def undo(self) -> bool:
        """Take back the moves of this turn, or else go back to the person's last real choice.

        Returns:
            False if there is nothing to take back.
        """
        if self.moves:
            self.moves = []
            return True
        for number in range(len(self.turns) - 1, -1, -1):
            turn = self.turns[number]
            if turn.side == "you" and turn.was_choice:
                del self.turns[number:]
                self.dice = turn.dice
                return True
        return False


def thrown_opening(seed: int) -> Roll:
    """One die of each, the person's first; never equal (equal ones are thrown again)."""
    yours, theirs = opening_roll(np.random.default_rng([seed, 0]), 1)[0]
    return int(yours), int(theirs)


def save_game(path: Path, game: Game, bot: str) -> None:
    """Write a game as JSON.

    Raises:
        ValueError: the file exists and holds something else.
    """
    if path.exists() and not _is_saved_game(path):
        raise ValueError(f"{path} exists and is not a saved game; choose another name")
    saved = {
        "format": SAVED_FORMAT,
        "version": SAVED_VERSION,
        "bot": bot,
        "seed": game.seed,
        "first": game.first,
        "turns": [
            {"side": turn.side, "dice": list(turn.dice), "play": turn.text} for turn in game.turns
        ],
        "dice": None if game.dice is None else list(game.dice),
        "moves": [list(move) for move in game.moves],
        "resigned": game.resigned,
    }
    write_whole(path, (json.dumps(saved, indent=1) + "\n").encode())


def _is_saved_game(path: Path) -> bool:
    try:
        saved = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return isinstance(saved, dict) and saved.get("format") == SAVED_FORMAT


def load_game(path: Path) -> tuple[Game, str]:
    """A saved game, every turn of it checked against the rules, and the name of its bot.

    Raises:
        ValueError: not a saved game, of another version, or with an illegal turn.
        OSError: the file cannot be read.
    """
    try:
        saved = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(saved, dict) or saved.get("format") != SAVED_FORMAT:
            raise ValueError("not a saved game")
        if saved.get("version") != SAVED_VERSION:
            raise ValueError(f"version must be {SAVED_VERSION}, got {saved.get('version')!r}")
        return _game_from(saved), str(saved["bot"])
    except KeyError as error:
        raise ValueError(f"{path}: a saved game needs {error}") from None
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from None


def _game_from(saved: dict[str, Any]) -> Game:
    if saved["first"] not in ("you", "bot"):
        raise ValueError(f"first must be 'you' or 'bot', got {saved['first']!r}")
    if not isinstance(saved["seed"], int) or saved["seed"] < 0:
        raise ValueError(f"seed must be a whole number from 0, got {saved['seed']!r}")
    game = Game(saved["seed"], cast(Side, saved["first"]))
    for number, turn in enumerate(saved["turns"], start=1):
        if game.is_over or turn["side"] != game.side:
            raise ValueError(f"turn {number} is not {turn['side']}'s")
        game.dice = _saved_roll(turn["dice"])
        try:
            game.finish(parse_play(game.board, game.dice, turn["play"]))
        except ValueError as error:
            raise ValueError(f"turn {number}: {error}") from None
    game.dice = None if saved["dice"] is None else _saved_roll(saved["dice"])
    for start, end in saved["moves"]:
        move = Move(int(start), int(end))
        if move not in legal_moves(game.board_now, game.dice_left):
            raise ValueError(f"the move {start}/{end} is not legal")
        game.moves.append(move)
    if saved["resigned"] not in (None, 1, 2, 3):
        raise ValueError(f"resigned must be null, 1, 2 or 3, got {saved['resigned']!r}")
    game.resigned = saved["resigned"]
    return game


def _saved_roll(dice: Any) -> Roll:
    first, second = check_dice(dice)
    return int(first), int(second)
