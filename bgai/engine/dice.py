"""Rolls: the 21 distinct ones with their weights, and random ones."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bgai.engine.board import are_whole

Dice: TypeAlias = npt.NDArray[np.int64]


def _rolls() -> tuple[Dice, npt.NDArray[np.float64]]:
    rolls = np.array([(high, low) for high in range(1, 7) for low in range(1, high + 1)])
    weights = np.where(rolls[:, 0] == rolls[:, 1], 1, 2) / 36
    rolls.flags.writeable = weights.flags.writeable = False
    return rolls, weights


ROLLS, ROLL_WEIGHTS = _rolls()
"""The 21 distinct rolls `[21, 2]`, larger die first, and their chances `[21]` (sum 1)."""


def roll_numbers(dice: Dice) -> npt.NDArray[np.int64]:
    """The place of each roll `[B, 2]` in `ROLLS`, `[B]`."""
    high, low = dice.max(-1), dice.min(-1)
    numbers: npt.NDArray[np.int64] = high * (high - 1) // 2 + low - 1
    return numbers


def roll(rng: np.random.Generator, games: int) -> Dice:
    """Two dice for each game, `[games, 2]`."""
    return rng.integers(1, 7, (games, 2))


def opening_roll(rng: np.random.Generator, games: int) -> Dice:
    """The first roll of each game, `[games, 2]`: never a double (each player throws one die)."""
    first = rng.integers(1, 7, games)
    second = rng.integers(1, 6, games)
    return np.stack([first, second + (second >= first)], axis=1)


def check_dice(dice: npt.ArrayLike) -> Dice:
    """Dice from outside as int64, `[2]` or `[B, 2]`.

    Raises:
        ValueError: the shape is wrong or a die is outside 1..6.
    """
    array = np.asarray(dice)
    if array.ndim not in (1, 2) or array.shape[-1] != 2:
        raise ValueError(f"a roll is two dice, got shape {array.shape}")
    if array.size and not are_whole(array):
        raise ValueError(f"a die must be 1..6, got {array.tolist()}")
    wrong = (array < 1) | (array > 6)
    if wrong.any():
        raise ValueError(f"a die must be 1..6, got {array[wrong][0]}")
    return array.astype(np.int64)
