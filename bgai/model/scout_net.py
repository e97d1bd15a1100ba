"""The scout: a small net that ranks afterstates, so that the value net need not see them all."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from bgai.engine import Boards
from bgai.engine.compiled import map_slices
from bgai.model.net_kernels import write_scout_equities
from bgai.model.slot_layer import SlotLayer

_ROWS_PER_THREAD = 1024


class ScoutNet(nn.Module):
    """One hidden layer and a linear output: the equity of the player about to roll.

    It is right up to a number that the afterstates of one roll share: it only has to rank them.
    """

    def __init__(self, encoding: str, units: int) -> None:
        super().__init__()
        self.first = SlotLayer(encoding, units)
        self.output = nn.Linear(units, 1)

    def forward(self, boards: Tensor) -> Tensor:
        """Equities `[N]`, in points, of boards `[N, 26]` int8."""
        equities: Tensor = self.output(self.first(boards))
        return equities[:, 0]


class ScoutScores:
    """How good afterstates look to the player who leaves them, with a copy of a scout's weights."""

    def __init__(self, net: ScoutNet) -> None:
        with torch.no_grad():
            self._table = net.first.table().cpu().numpy().copy()
            self._bias = net.first.bias.cpu().numpy().copy()
            self._output = net.output.weight[0].cpu().numpy().copy()

    def __call__(self, after: Boards) -> npt.NDArray[np.float32]:
        """`[M, 26]` int8 -> `[M]`: minus the next player's equity, as far as it is right."""
        after = np.ascontiguousarray(after)
        equities = np.empty(len(after), np.float32)
        map_slices(
            lambda start, stop: write_scout_equities(
                after[start:stop], self._table, self._bias, self._output, equities[start:stop]
            ),
            len(after),
            _ROWS_PER_THREAD,
        )
        return -equities
