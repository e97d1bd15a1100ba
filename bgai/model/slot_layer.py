"""The first layer of every net here: a sum of table rows, one for each slot of a board."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from bgai.engine import CHECKERS
from bgai.model.encoding import COUNTS, INPUT_SLOTS, make_encoding
from bgai.model.learning_kernels import add_first_layer_gradients, write_first_layer

# Small weights, so that what is learnt is not drowned by what was drawn. Measured after 100,000
# games of a 256-32 net: 0.26 (He's for some 30 features that are on) leaves an error of 21.7 mp,
# 0.05 one of 13.8.
FIRST_WEIGHTS_STD = 0.05


class SlotLayer(nn.Module):
    """`relu(bias + encoding @ weights)`.

    The weights are per feature; `table()` spreads them over the counts of each slot, so that the
    layer is a sum of 28 table rows.
    """

    features: Tensor

    def __init__(self, encoding: str, units: int) -> None:
        super().__init__()
        features = torch.from_numpy(make_encoding(encoding).features)
        self.register_buffer("features", features, persistent=False)
        self.weights = nn.Parameter(torch.empty(INPUT_SLOTS, features.shape[2], units))
        self.bias = nn.Parameter(torch.zeros(units))
        nn.init.normal_(self.weights, std=FIRST_WEIGHTS_STD)

    def table(self) -> Tensor:
        """The layer by slot and count: `[28 * 31, units]`; zero for empty slots."""
        return torch.bmm(self.features, self.weights).flatten(0, 1)

    def forward(self, boards: Tensor) -> Tensor:
        """`[N, units]` of boards `[N, 26]` int8."""
        table = self.table()
        if table.device.type == "cpu":
            hidden: Tensor = _SumOfRows.apply(boards, table, self.bias)  # type: ignore[no-untyped-call]
            return hidden
        return torch.relu(table[slot_rows(boards)].sum(1) + self.bias)


class _SumOfRows(torch.autograd.Function):
    """`relu(bias + sum of table rows)` of each board on the CPU, passing over the empty slots."""

    @staticmethod
    def forward(context: Any, boards: Tensor, table: Tensor, bias: Tensor) -> Tensor:
        hidden = torch.empty(len(boards), table.shape[1])
        write_first_layer(
            boards.numpy(), table.detach().numpy(), bias.detach().numpy(), hidden.numpy()
        )
        context.save_for_backward(boards, hidden)
        context.table_shape = table.shape
        return hidden

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[None, Tensor, Tensor]:
        boards, hidden = context.saved_tensors
        table = torch.zeros(context.table_shape)
        bias = torch.zeros(context.table_shape[1])
        add_first_layer_gradients(
            boards.numpy(),
            hidden.detach().numpy(),
            gradients[0].contiguous().numpy(),
            table.numpy(),
            bias.numpy(),
        )
        return None, table, bias


def slot_rows(boards: Tensor) -> Tensor:
    """The table rows of each board's 28 slots, `[N, 28]`."""
    counts = boards.long()
    own_off = CHECKERS - counts.clamp(min=0).sum(1, keepdim=True)
    opponent_off = CHECKERS + counts.clamp(max=0).sum(1, keepdim=True)
    slots = torch.cat([counts, own_off, -opponent_off], 1)
    return slots + CHECKERS + COUNTS * torch.arange(INPUT_SLOTS, device=boards.device)
