"""One thing that was done at a table, checked by the rules, with the states around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bgai.engine import Move
from bgai.interface.table.turn import Turn
from bgai.match import (
    Action,
    Decision,
    MatchState,
    allowed_actions,
    next_game,
    throw_opening,
)
from bgai.search.decide import Choice, follow


@dataclass(frozen=True)
class Step:
    """An action and what it led to.

    Attributes:
        dice: of an opening throw (seat 0's die, seat 1's) or a roll.
        moves: of a play, in the mover's numbering; none for a dance.
        level: of a resignation.
        is_automatic: the table made it for a person.
    """

    action: Action
    before: MatchState
    after: MatchState
    dice: tuple[int, int] | None = None
    moves: tuple[Move, ...] = ()
    level: int = 0
    is_automatic: bool = False

    @property
    def seat(self) -> int | None:
        """Who did it; None for what nobody decides."""
        return self.before.actor

    @property
    def is_choice(self) -> bool:
        """Whether something else could have been done (besides resigning)."""
        match self.action:
            case Action.THROW_OPENING | Action.NEXT_GAME:
                return False
            case Action.ROLL:
                return Action.DOUBLE in allowed_actions(self.before)
            case Action.PLAY:
                return turn_of(self.before).afterstates > 1
            case _:
                return True


def turn_of(state: MatchState, moves: Sequence[Move] = ()) -> Turn:
    """The turn in progress of a state whose dice are to be played.

    Raises:
        ValueError: no dice are to be played, or a move is not legal.
    """
    if state.decision is not Decision.PLAY or state.dice is None:
        raise ValueError(f"no dice are to be played, the decision is {state.decision.value}")
    return Turn(state.position, state.dice).with_moves(moves)


def make_step(
    state: MatchState,
    action: Action,
    *,
    dice: tuple[int, int] | None = None,
    moves: Sequence[Move] = (),
    level: int = 0,
    is_automatic: bool = False,
) -> Step:
    """Do something; the arguments as in `Step`.

    Raises:
        ValueError: the rules do not allow it now, or what it needs is missing.
    """
    if action is Action.NEXT_GAME:
        after = next_game(state)
    elif action is Action.THROW_OPENING:
        if dice is None:
            raise ValueError("the opening throw needs dice, got None")
        after = throw_opening(state, dice)
    elif action is Action.PLAY:
        turn = turn_of(state, moves)
        if not turn.is_complete:
            raise ValueError(f"the turn is not over: {turn.dice_left} can still be played")
        after = follow(state, Choice(action, turn.after))
    else:
        after = follow(state, Choice(action, level=level), dice)
    plain = tuple(Move(*move) for move in moves)
    return Step(action, state, after, dice, plain, level, is_automatic)
