"""What a table does for a person, so that nobody types or clicks what is clear."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bgai.engine import BAR, OFF, Move, has_contact, legal_plays
from bgai.interface.table.turn import Turn
from bgai.match import Action, Decision, MatchState, allowed_actions
from bgai.match.state import checkers_left

HOME = 6
FEW = 4
"""Checkers; with so few, bearing off with every number is always best."""


@dataclass(frozen=True)
class Automatic:
    """The conveniences of a person; a roll that cannot be played always passes by itself.

    Attributes:
        rolls: dice are thrown where doubling is not allowed.
        only_plays: a play without an alternative is made.
        bear_off: in a race with all checkers home, the best play is made where it is beyond doubt
            (`clear_bear_off`).
    """

    rolls: bool = True
    only_plays: bool = True
    bear_off: bool = False

    def action(
        self, state: MatchState, manual_dice: bool
    ) -> tuple[Action, tuple[Move, ...]] | None:
        """What is done for the person who has to decide; None: ask."""
        if state.decision is Decision.ROLL:
            may_double = Action.DOUBLE in allowed_actions(state)
            return (Action.ROLL, ()) if self.rolls and not may_double and not manual_dice else None
        if state.decision is Decision.PLAY:
            moves = self._play(state)
            return None if moves is None else (Action.PLAY, moves)
        return None

    def _play(self, state: MatchState) -> tuple[Move, ...] | None:
        assert state.dice is not None
        if self.bear_off and (moves := clear_bear_off(state)) is not None:
            return moves
        if Turn(state.position, state.dice).afterstates > 1:
            return None
        (play,) = legal_plays(state.board, state.dice)
        return play.moves if self.only_plays or not play.moves else None


def clear_bear_off(state: MatchState) -> tuple[Move, ...] | None:
    """The play of a race that is better than all others beyond doubt; None: there is no such.

    It bears off a checker with every number of the roll (or the last ones), and either 4 checkers
    or fewer were left, or no other play leaves fewer checkers behind any point. Every position of
    up to 9 checkers has been tried: no other play then has a better chance to be done within any
    number of rolls. Without the second condition bearing off can be wrong: 4-2 with one checker on
    4, four on 3, one on 2 and three on 1.
    """
    board, dice = state.board, state.dice
    assert dice is not None
    if (board[HOME + 1 : BAR + 1] > 0).any() or has_contact(board):
        return None
    checkers, _ = checkers_left(state.position)
    numbers = 4 if dice[0] == dice[1] else 2
    plays = legal_plays(board, dice)
    full = min(numbers, checkers)
    for play in plays:
        if sum(move.end == OFF for move in play.moves) < full:
            continue
        # the mover's checkers left behind each point, 6 to 1 from the rear
        behind = [np.cumsum(-other.after[BAR - HOME : BAR]) for other in (play, *plays)]
        if checkers <= FEW or all((behind[0] <= others).all() for others in behind[1:]):
            return play.moves
    return None
