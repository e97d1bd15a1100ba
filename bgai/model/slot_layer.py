"""The first layer of every net here: a sum of table rows, one for each slot of a board."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from bgai.engine import CHECKERS
from bgai.model.encoding import COUNTS, INPUT_SLOTS, encoding_features
from bgai.model.learning_kernels import write_first_layer, write_first_layer_gradients

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
        features = torch.from_numpy(encoding_features(encoding))
        self.register_buffer("features", features, persistent=False)
        self.weights = nn.Parameter(torch.empty(INPUT_SLOTS, features.shape[2], units))
        self.bias = nn.Parameter(torch.zeros(units))
        nn.init.normal_(self.weights, std=FIRST_WEIGHTS_STD)

    def table(self) -> Tensor:
        """The layer by slot and count: `[28 * 31, units]`; zero for empty slots."""
        return torch.bmm(self.features, self.weights).flatten(0, 1)

    def forward(self, boards: Tensor) -> Tensor:
        """`[N, units]` of boards `[N, 26]` int8."""
        if self.weights.device.type == "cpu":
            hidden: Tensor = _OnTheCpu.apply(boards, self.features, self.weights, self.bias)  # type: ignore[no-untyped-call]
            return hidden
        return torch.relu(self.table()[slot_rows(boards)].sum(1) + self.bias)


class _OnTheCpu(torch.autograd.Function):
    """The layer's output and its gradients on the CPU, passing over the inputs that are zero."""

    @staticmethod
    def forward(
        context: Any, boards: Tensor, features: Tensor, weights: Tensor, bias: Tensor
    ) -> Tensor:
        hidden = torch.empty(len(boards), len(bias))
        write_first_layer(
            boards.numpy(),
            features.numpy(),
            weights.detach().numpy(),
            bias.detach().numpy(),
            hidden.numpy(),
        )
        context.save_for_backward(boards, features, hidden)
        return hidden

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[None, None, Tensor, Tensor]:
        boards, features, hidden = context.saved_tensors
        weights = torch.empty(INPUT_SLOTS, features.shape[2], hidden.shape[1])
        bias = torch.empty(hidden.shape[1])
        write_first_layer_gradients(
            boards.numpy(),
            features.numpy(),
            hidden.detach().numpy(),
            gradients[0].contiguous().numpy(),
            weights.numpy(),
            bias.numpy(),
        )
        return None, None, weights, bias


def slot_rows(boards: Tensor) -> Tensor:
    """The table rows of each board's 28 slots, `[N, 28]`."""
    counts = boards.long()
    own_off = CHECKERS - counts.clamp(min=0).sum(1, keepdim=True)
    opponent_off = CHECKERS + counts.clamp(max=0).sum(1, keepdim=True)
    slots = torch.cat([counts, own_off, -opponent_off], 1)
    return slots + CHECKERS + COUNTS * torch.arange(INPUT_SLOTS, device=boards.device)
