"""The value net's gradient on the CPU: the chain rule by hand, on buffers that are used again.

`Learner` gets the same numbers from autograd where the net is on another device; without its
bookkeeping, with fewer passes over memory and without the units that a ReLU has switched off this
takes less than a third of the time.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from bgai.engine import OUTCOMES, Boards, Probs, possible_outcomes
from bgai.model.net_kernels import (
    add_first_layer_gradients,
    spread_weights,
    sum_table_gradients,
    write_first_layer,
    write_layer_gradients,
    write_logit_gradients,
)
from bgai.model.value_net import ValueNet


class ValueNetGradients:
    """Writes the gradient of the mean cross entropy into the parameters of one net."""

    def __init__(self, net: ValueNet, most_rows: int) -> None:
        self._net = net
        self._features = net.first.features.numpy()
        for parameter in net.parameters():
            parameter.grad = torch.zeros_like(parameter)
        counts = self._features.shape[0] * self._features.shape[1]
        self._table = np.zeros((counts, net.config.hidden[0]), np.float32)
        self._table_gradient = np.zeros_like(self._table)
        widths = (*net.config.hidden, len(OUTCOMES))
        self._values = [torch.zeros(most_rows, width) for width in widths]
        self._gradients = [torch.zeros(most_rows, width) for width in widths]

    def __call__(self, boards: Boards, targets: Probs) -> float:
        """Set every parameter's gradient.

        Args:
            boards: `[N, 26]`, with `targets` `[N, 6]` for the player about to roll.

        Returns:
            The summed loss.
        """
        values = [buffer[: len(boards)] for buffer in self._values]
        gradients = [buffer[: len(boards)] for buffer in self._gradients]
        with torch.no_grad():
            self._forward(boards, values)
            loss = write_logit_gradients(
                values[-1].numpy(), targets, possible_outcomes(boards), gradients[-1].numpy()
            )
            self._backward(boards, values, gradients)
        return float(loss)

    def _forward(self, boards: Boards, values: list[Tensor]) -> None:
        first = self._net.first
        spread_weights(self._features, first.weights.numpy(), self._table)
        write_first_layer(boards, self._table, first.bias.numpy(), values[0].numpy())
        layers = self._net.linear_weights()
        for (weight, bias), inputs, outputs in zip(layers, values, values[1:], strict=False):
            torch.addmm(bias, inputs, weight.T, out=outputs)
            if outputs is not values[-1]:
                outputs.relu_()

    def _backward(self, boards: Boards, values: list[Tensor], gradients: list[Tensor]) -> None:
        layers = self._net.linear_weights()
        for index in range(len(layers) - 1, -1, -1):
            weight, bias = layers[index]
            assert weight.grad is not None and bias.grad is not None
            write_layer_gradients(
                values[index].numpy(),
                weight.numpy(),
                gradients[index + 1].numpy(),
                weight.grad.numpy(),
                bias.grad.numpy(),
                gradients[index].numpy(),
            )
        first = self._net.first
        assert first.weights.grad is not None and first.bias.grad is not None
        self._table_gradient.fill(0)
        first.bias.grad.zero_()
        add_first_layer_gradients(
            boards,
            values[0].numpy(),
            gradients[0].numpy(),
            self._table_gradient,
            first.bias.grad.numpy(),
        )
        sum_table_gradients(self._features, self._table_gradient, first.weights.grad.numpy())
