"""One decision of a player in a session or match, of many sessions at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bgai.engine import Board
from bgai.match import (
    Action,
    Decision,
    MatchState,
    accept_resignation,
    allowed_actions,
    beaver,
    decline_resignation,
    double,
    pass_double,
    played,
    raccoon,
    resign,
    roll_dice,
    take,
)
from bgai.search.player import BEAVER, PASS, MatchPlayer, cube_questions


@dataclass(frozen=True, eq=False)
class Choice:
    """What a player does.

    Attributes:
        after: of a `PLAY`: the board `[26]` that it leaves, seen by the next player.
        level: of a `RESIGN`: 1, gammon 2, backgammon 3.
    """

    action: Action
    after: Board | None = None
    level: int = 0


def decide(player: MatchPlayer, states: Sequence[MatchState]) -> list[Choice]:
    """What a player does in each of some states.

    Args:
        states: of any sessions, in all of which this player is the `actor`.

    Raises:
        ValueError: in one of them nobody has to decide anything.
    """
    choices: list[Choice | None] = [None] * len(states)
    kinds = {state.decision for state in states}
    for kind in kinds:
        if kind not in _DECIDERS:
            raise ValueError(f"no player decides anything when the decision is {kind.value}")
        places = [place for place, state in enumerate(states) if state.decision is kind]
        made = _DECIDERS[kind](player, [states[place] for place in places])
        for place, choice in zip(places, made, strict=True):
            choices[place] = choice
    return [choice for choice in choices if choice is not None]


def follow(state: MatchState, choice: Choice, dice: tuple[int, int] | None = None) -> MatchState:
    """The state after a player's choice.

    Args:
        dice: thrown, if the choice is to roll.

    Raises:
        ValueError: the choice is not allowed now, or the dice are missing.
    """
    if choice.action is Action.ROLL:
        if dice is None:
            raise ValueError("the choice is to roll, but no dice were given")
        return roll_dice(state, dice)
    if choice.action is Action.PLAY:
        assert choice.after is not None
        return played(state, choice.after)
    if choice.action is Action.RESIGN:
        return resign(state, choice.level)
    return _STEPS[choice.action](state)


_STEPS: dict[Action, Callable[[MatchState], MatchState]] = {
    Action.DOUBLE: double,
    Action.TAKE: take,
    Action.PASS: pass_double,
    Action.BEAVER: beaver,
    Action.RACCOON: raccoon,
    Action.ACCEPT: accept_resignation,
    Action.DECLINE: decline_resignation,
}


def _before_rolling(player: MatchPlayer, states: list[MatchState]) -> list[Choice]:
    may_double = [Action.DOUBLE in allowed_actions(state) for state in states]
    doubling = np.zeros(len(states), np.bool_)
    if any(may_double):
        asked = [state for state, may in zip(states, may_double, strict=True) if may]
        doubling[may_double] = player.doubles(*cube_questions(asked))
    levels = player.resignations(states)
    return [
        Choice(Action.DOUBLE)
        if doubles
        else Choice(Action.RESIGN, level=level)
        if level
        else Choice(Action.ROLL)
        for doubles, level in zip(doubling.tolist(), levels, strict=True)
    ]


def _playing(player: MatchPlayer, states: list[MatchState]) -> list[Choice]:
    boards, rows = cube_questions(states)
    dice = np.array([state.dice for state in states])
    after = player.choose_cubeful(boards, dice, rows)
    return [Choice(Action.PLAY, board) for board in after]


def _answering_double(player: MatchPlayer, states: list[MatchState]) -> list[Choice]:
    actions = {PASS: Action.PASS, BEAVER: Action.BEAVER}
    responses = player.responses(*cube_questions(states)).tolist()
    return [Choice(actions.get(response, Action.TAKE)) for response in responses]


def _answering_beaver(player: MatchPlayer, states: list[MatchState]) -> list[Choice]:
    """The doubler, who had reasons to double, takes; and redoubles where a beaver was wrong."""
    responses = player.responses(*cube_questions(states)).tolist()
    return [
        Choice(
            Action.RACCOON
            if response != BEAVER and Action.RACCOON in allowed_actions(state)
            else Action.TAKE
        )
        for state, response in zip(states, responses, strict=True)
    ]


def _answering_raccoon(player: MatchPlayer, states: list[MatchState]) -> list[Choice]:
    """Whoever has just beavered does not pass."""
    return [Choice(Action.TAKE)] * len(states)


def _answering_resignation(player: MatchPlayer, states: list[MatchState]) -> list[Choice]:
    return [Choice(Action.ACCEPT if player.accepts(state) else Action.DECLINE) for state in states]


_DECIDERS: dict[Decision, Callable[[MatchPlayer, list[MatchState]], list[Choice]]] = {
    Decision.ROLL: _before_rolling,
    Decision.PLAY: _playing,
    Decision.ANSWER_DOUBLE: _answering_double,
    Decision.ANSWER_BEAVER: _answering_beaver,
    Decision.ANSWER_RACCOON: _answering_raccoon,
    Decision.ANSWER_RESIGNATION: _answering_resignation,
}
