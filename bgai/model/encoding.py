"""Encodings: how a board becomes the net's inputs.

An encoding sees a board as 28 slots: the 26 of the board, then the checkers each side has borne
off. Every slot's count, -15..15, is written as a few features of its own, so the first layer of a
net is a sum of 28 rows of a table, and a play that changes three slots changes three terms.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from bgai.engine import CHECKERS

INPUT_SLOTS = 28
OWN_OFF, OPPONENT_OFF = 26, 27  # own borne off counts up, the opponent's counts down
COUNTS = 2 * CHECKERS + 1  # a count c is row c + 15


def _tesauro(count: int) -> list[float]:
    """A point as TD-Gammon saw it, with 'three or more' for 'three' (Tesauro 1992)."""
    return [float(count == 1), float(count >= 2), float(count >= 3), max(count - 3, 0) / 2]


def _borne_off(count: int) -> list[float]:
    """A convex line through 0, 1, 5, 10 and 15 checkers off."""
    return [float(count >= 1), count / 15, max(count - 5, 0) / 10, max(count - 10, 0) / 5]


def _slots_v1() -> npt.NDArray[np.float32]:
    features = np.zeros((INPUT_SLOTS, COUNTS, 8), np.float32)
    for slot in range(INPUT_SLOTS):
        write = _borne_off if slot >= OWN_OFF else _tesauro
        for count in range(1, CHECKERS + 1):
            features[slot, CHECKERS + count, :4] = write(count)
            features[slot, CHECKERS - count, 4:] = write(count)
    return features


_ENCODINGS: dict[str, Callable[[], npt.NDArray[np.float32]]] = {"slots-v1": _slots_v1}
"""By name; a changed encoding gets a new one."""


def encoding_features(name: str) -> npt.NDArray[np.float32]:
    """How an encoding writes slots: `[28, 31, F]`, the features of each slot for each count.

    They are all zero for count 0.

    Raises:
        ValueError: there is none.
    """
    if name not in _ENCODINGS:
        raise ValueError(f"encoding must be one of {', '.join(_ENCODINGS)}, got {name!r}")
    return _ENCODINGS[name]()
