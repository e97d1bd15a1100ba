"""A number for each board, to find equal ones quickly."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bgai.engine.board import SLOTS, Boards

_WORD = 8  # bytes
_WORDS = -(-SLOTS // _WORD)


def board_hashes(boards: Boards) -> npt.NDArray[np.uint64]:
    """64 bits of each board, `[N]` from `[N, 26]`: the same everywhere and always.

    Two of a million different boards share theirs with a chance of one in 37 million. The mixing
    is that of splitmix64 (Steele, Lea & Flood 2014), once for every eight slots.
    """
    filled = np.zeros((len(boards), _WORDS * _WORD), np.int8)
    filled[:, :SLOTS] = boards
    words = filled.view("<u8").astype(np.uint64)
    hashes = np.zeros(len(boards), np.uint64)
    for word in words.T:
        hashes = _mixed((hashes ^ word) + np.uint64(0x9E3779B97F4A7C15))
    return hashes


def _mixed(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
