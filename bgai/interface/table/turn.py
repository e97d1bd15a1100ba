"""A roll that is being played one checker at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bgai.engine import (
    Board,
    Move,
    dice_after_move,
    dice_of_roll,
    legal_afterstates,
    legal_moves,
    make_move,
    swap,
)
from bgai.match.state import Position


@dataclass(frozen=True)
class Turn:
    """A turn in progress; the mover's numbering throughout.

    Attributes:
        position: at the start of the turn, seen by the mover.
        dice: the roll.
        moves: made so far, each legal after the ones before it.
    """

    position: Position
    dice: tuple[int, int]
    moves: tuple[Move, ...] = ()

    @cached_property
    def board(self) -> Board:
        """The checkers now, `[26]`, still seen by the mover."""
        board = np.array(self.position, np.int8)
        for move in self.moves:
            board = make_move(board, move)
        return board

    @cached_property
    def dice_left(self) -> tuple[int, ...]:
        """The dice still to be played, the larger first; some may be impossible to play."""
        left = dice_of_roll(self.dice)
        for move in self.moves:
            left = dice_after_move(left, move)
        return left

    @cached_property
    def legal_moves(self) -> tuple[Move, ...]:
        """The single moves that may be made now; empty when the turn is complete."""
        return tuple(legal_moves(self.board, self.dice_left)) if self.dice_left else ()

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to move, so that the turn can be confirmed."""
        return not self.legal_moves

    @property
    def after(self) -> Board:
        """The board that the moves so far leave, seen by the *next* player."""
        return swap(self.board)

    @property
    def afterstates(self) -> int:
        """How many different boards the whole turn can leave; 1 where there is no choice."""
        board = np.array(self.position, np.int8)
        after, _ = legal_afterstates(board[None], np.array([self.dice]))
        return len(after)

    def with_move(self, move: Move) -> Turn:
        """The turn after one more move.

        Raises:
            ValueError: the move is not legal now.
        """
        if move not in self.legal_moves:
            raise ValueError(
                f"{move.start}/{move.end} is not legal with {self.dice_left} left of the roll "
                f"{self.dice[0]}-{self.dice[1]}"
            )
        return Turn(self.position, self.dice, (*self.moves, Move(*move)))

    def with_moves(self, moves: Sequence[Move]) -> Turn:
        """The turn after some more moves.

        Raises:
            ValueError: one of them is not legal.
        """
        turn = self
        for move in moves:
            turn = turn.with_move(move)
        return turn

    def ways(self, start: int) -> dict[int, tuple[Move, ...]]:
        """Where the checker on a point may go with one die or several, and by which moves.

        Returns:
            For each point that it can reach the fewest moves; of equally many those that hit most,
            then those with the larger die first.
        """
        found: dict[int, tuple[Move, ...]] = {}
        reached: list[tuple[Turn, tuple[Move, ...]]] = [(self, ())]
        while reached:
            longer: list[tuple[Turn, tuple[Move, ...]]] = []
            for turn, moves in reached:
                here = moves[-1].end if moves else start
                options = sorted(move for move in turn.legal_moves if move.start == here)
                longer += [(turn.with_move(move), (*moves, move)) for move in options]
            # more hits first; the sort keeps the larger die first among equals
            longer.sort(key=lambda way: int(way[0].board[0]))
            for _, moves in longer:
                found.setdefault(moves[-1].end, moves)
            reached = [way for way in longer if way[1][-1].end > 0]
        return found
