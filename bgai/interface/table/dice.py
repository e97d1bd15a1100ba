"""The dice of a session, thrown by the program."""

from __future__ import annotations

import numpy as np

OPENING = 0


def thrown_opening(seed: int, game: int, throw: int) -> tuple[int, int]:
    """The opening throw number `throw` (from 0) of a game: seat 0's die and seat 1's.

    Equal dice are thrown again, so a game may need several.
    """
    rng = np.random.default_rng([seed, game, OPENING])
    first, second = rng.integers(1, 7, (throw + 1, 2))[throw]
    return int(first), int(second)


def thrown_dice(seed: int, game: int, turn: int) -> tuple[int, int]:
    """The roll of a turn (from 0) of a game.

    It depends on these three numbers alone, so that a play taken back and replaced by another meets
    the same dice.
    """
    first, second = np.random.default_rng([seed, game, 1 + turn]).integers(1, 7, 2)
    return int(first), int(second)
