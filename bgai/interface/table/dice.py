"""The dice of a session, thrown by the program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from bgai.engine import check_dice
from bgai.interface.table.step import Step
from bgai.match import Action, Decision, MatchState

Dice: TypeAlias = tuple[int, int]

_OPENING = 0


def next_throw(seed: int, state: MatchState, steps: Sequence[Step]) -> Dice:
    """The dice that are thrown now, after some steps that have led to a state."""
    throws = turns = 0
    for step in reversed(steps):
        if step.action is Action.NEXT_GAME:
            break
        throws += step.action is Action.THROW_OPENING
        turns += step.action is Action.PLAY
    if state.decision is Decision.OPENING:
        return thrown_opening(seed, state.games_played, throws)
    return thrown_dice(seed, state.games_played, turns)


def thrown_opening(seed: int, game: int, throw: int) -> Dice:
    """The opening throw number `throw` (from 0) of a game: seat 0's die and seat 1's.

    Equal dice are thrown again, so a game may need several.
    """
    rng = np.random.default_rng([seed, game, _OPENING])
    first, second = rng.integers(1, 7, (throw + 1, 2))[throw]
    return int(first), int(second)


def thrown_dice(seed: int, game: int, turn: int) -> Dice:
    """The roll of a turn (from 0) of a game.

    It depends on these three numbers alone, so that a play taken back and replaced by another meets
    the same dice.
    """
    first, second = np.random.default_rng([seed, game, 1 + turn]).integers(1, 7, 2)
    return int(first), int(second)


def checked_roll(dice: Sequence[int]) -> Dice:
    """One roll from outside.

    Raises:
        ValueError: it is not two dice 1..6.
    """
    checked = check_dice(dice)
    if checked.shape != (2,):
        raise ValueError(f"a roll is two dice, got {tuple(dice)}")
    return int(checked[0]), int(checked[1])
