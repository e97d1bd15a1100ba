"""A value net as the evaluator that plays: numpy weights, no torch, both cores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bgai.engine import OUTCOMES, Boards, Probs, possible_outcomes
from bgai.engine.compiled import map_slices
from bgai.model.net_kernels import GRID, OUTPUTS_AT_ONCE, write_probs

LARGEST_WEIGHT = 1e6
"""Larger weights in a file are taken for damage: nets that play have weights of a few units."""

_ROWS_PER_THREAD = 512
_CACHE_LINE = 64  # bytes

Array = npt.NDArray[np.float32]


class NetEvaluator:
    """Evaluates boards with a copy of the weights it was given."""

    def __init__(self, table: Array, bias: Array, layers: Sequence[tuple[Array, Array]]) -> None:
        """
        Args:
            table: `[28 * 31, H]`, the first layer by slot and count.
            bias: `[H]`.
            layers: weight `[outputs, inputs]` and bias `[outputs]` of each later layer.
        """
        # on the grid, sums of table rows are exact in float32 while they stay below 128
        self._table = _aligned(np.rint(table / np.float32(GRID)) * np.float32(GRID))
        self._bias = np.rint(bias / np.float32(GRID)) * np.float32(GRID)
        self._weights = tuple(_aligned(_filled_up(weight).T) for weight, _ in layers)
        self._biases = tuple(_filled_up(bias) for _, bias in layers)

    def __call__(self, boards: Boards) -> Probs:
        """`[N, 26]` int8 -> `[N, 6]` float32, for the player about to roll."""
        boards = np.ascontiguousarray(boards)
        probs = np.empty((len(boards), len(OUTCOMES)), np.float32)

        def evaluate(start: int, stop: int) -> None:
            rows = boards[start:stop]
            write_probs(
                rows,
                possible_outcomes(rows),
                self._table,
                self._bias,
                self._weights,
                self._biases,
                probs[start:stop],
            )

        map_slices(evaluate, len(boards), _ROWS_PER_THREAD)
        return probs


def _filled_up(outputs: Array) -> Array:
    """A layer's weights or biases, with zero outputs added up to what the kernel takes at once."""
    missing = -len(outputs) % OUTPUTS_AT_ONCE
    return np.pad(outputs, [(0, missing)] + [(0, 0)] * (outputs.ndim - 1))


def _aligned(values: Array) -> Array:
    """A copy in C order that starts at a cache line: vectors then never lie across two of them."""
    memory = np.empty(values.nbytes + _CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % _CACHE_LINE
    copy = memory[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    copy[...] = values
    return copy
