"""What a table does for a person, so that nobody types or clicks what is clear."""

from __future__ import annotations

from dataclasses import dataclass

from bgai.engine import BAR, OFF, Move, has_contact, legal_plays
from bgai.engine.dice import check_dice
from bgai.match import Action, Decision, MatchState, allowed_actions
from bgai.match.state import checkers_left

HOME = 6


@dataclass(frozen=True)
class Automatic:
    """The conveniences of a person; a roll that cannot be played always passes by itself.

    Attributes:
        rolls: dice are thrown where doubling is not allowed.
        only_plays: a play without an alternative is made.
        bear_off: in a race with all checkers home, a play is made that bears off a checker with
            every number of the roll (or the last checkers). No other play can bear off more, and
            none of them needs fewer further rolls on average.
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
        if self.bear_off and (moves := full_bear_off(state)) is not None:
            return moves
        plays = legal_plays(state.board, check_dice(state.dice))
        if len(plays) == 1 and (self.only_plays or not plays[0].moves):
            return plays[0].moves
        return None


def full_bear_off(state: MatchState) -> tuple[Move, ...] | None:
    """The play that bears off a checker with every number of the roll, in a race; None: no such."""
    board, dice = state.board, state.dice
    assert dice is not None
    if (board[HOME + 1 : BAR + 1] > 0).any() or has_contact(board):
        return None
    left, _ = checkers_left(state.position)
    numbers = 4 if dice[0] == dice[1] else 2
    for play in legal_plays(board, dice):
        borne_off = sum(move.end == OFF for move in play.moves)
        if borne_off == min(numbers, left):
            return play.moves
    return None
