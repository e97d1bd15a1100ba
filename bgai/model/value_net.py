"""The value network: boards to the probabilities of the six outcomes."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from bgai.engine import OUTCOMES, possible_outcomes
from bgai.model.net_config import NetConfig
from bgai.model.slot_layer import SlotLayer


class ValueNet(nn.Module):
    """A multilayer perceptron with a softmax over the possible outcomes."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.config = config
        self.first = SlotLayer(config.encoding, config.hidden[0])
        self.layers = nn.ModuleList(
            nn.Linear(inputs, outputs)
            for inputs, outputs in zip(
                config.hidden, (*config.hidden[1:], len(OUTCOMES)), strict=True
            )
        )
        for layer in self._linear_layers():
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            nn.init.zeros_(layer.bias)
        with torch.no_grad():
            layer.weight.mul_(0.1)  # near even chances at the start

    def _linear_layers(self) -> list[nn.Linear]:
        return [layer for layer in self.layers if isinstance(layer, nn.Linear)]

    def linear_weights(self) -> list[tuple[Tensor, Tensor]]:
        """Weight `[outputs, inputs]` and bias `[outputs]` of each layer after the first."""
        return [(layer.weight, layer.bias) for layer in self._linear_layers()]

    def logits(self, boards: Tensor) -> Tensor:
        """Unmasked logits `[N, 6]` of boards `[N, 26]` int8."""
        values: Tensor = self.first(boards)
        *inner, last = self._linear_layers()
        for layer in inner:
            values = torch.relu(layer(values))
        logits: Tensor = last(values)
        return logits

    def forward(self, boards: Tensor) -> Tensor:
        """Probabilities `[N, 6]` of boards `[N, 26]` int8, both for the player about to roll."""
        possible = torch.from_numpy(possible_outcomes(boards.cpu().numpy())).to(boards.device)
        return torch.softmax(self.logits(boards).masked_fill(~possible, -torch.inf), 1)
