"""The value network: boards to the probabilities of the six outcomes."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from bgai.engine import OUTCOMES, possible_outcomes
from bgai.model.encoding import make_encoding
from bgai.model.slot_layer import SlotLayer

MOST_UNITS = 8192  # of a layer; more is a slip of the pen


@dataclass(frozen=True)
class NetConfig:
    """The shape of a value net."""

    encoding: str = "slots-v1"
    hidden: tuple[int, ...] = (256, 32)
    """Units of each hidden layer, the first one fed by the encoding."""

    def __post_init__(self) -> None:
        make_encoding(self.encoding)
        if not self.hidden or not all(1 <= units <= MOST_UNITS for units in self.hidden):
            raise ValueError(
                f"hidden must be layer sizes of 1 to {MOST_UNITS}, got {list(self.hidden)}"
            )


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
