"""The value net's gradient on the CPU, on buffers that are used again.

`Learner` gets the same numbers from autograd where the net is on another device; without its
bookkeeping, and without the units that a ReLU has switched off, this takes a third of the time. It
is one call outside Python: the games that are played beside it need not wait for the interpreter.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bgai.engine import OUTCOMES, Boards, Probs, possible_outcomes
from bgai.model.learning_kernels import write_gradients
from bgai.model.value_net import ValueNet

Array = npt.NDArray[np.float32]


class ValueNetGradients:
    """Writes the gradient of the mean cross entropy into the parameters of one net."""

    def __init__(self, net: ValueNet) -> None:
        first = net.first.weights, net.first.bias
        weights, biases = zip(*net.linear_weights(), strict=True)
        self._features = net.first.features.numpy()
        self._first = (*_values(first), *_gradients(first))
        self._later = _values(weights), _values(biases), _gradients(weights), _gradients(biases)
        self._turned = tuple(np.empty_like(weight.T, order="C") for weight in _values(weights))
        self._widths = (*net.config.hidden, len(OUTCOMES))
        self._make_room(0)

    def _make_room(self, rows: int) -> None:
        """Room for each layer's outputs and their gradients."""
        self._outputs = tuple(np.empty((rows, width), np.float32) for width in self._widths)
        self._passed = tuple(np.empty_like(outputs) for outputs in self._outputs)

    def __call__(self, boards: Boards, targets: Probs) -> float:
        """Set every parameter's gradient.

        Args:
            boards: `[N, 26]`, with `targets` `[N, 6]` for the player about to roll.

        Returns:
            The summed loss.
        """
        if len(boards) > len(self._outputs[0]):
            self._make_room(len(boards))
        possible = possible_outcomes(boards)
        room = self._turned, self._outputs, self._passed
        loss = write_gradients(
            boards, targets, possible, self._features, self._first, self._later, room
        )
        return float(loss)


def _values(parameters: tuple[Tensor, ...]) -> tuple[Array, ...]:
    """The parameters themselves, as arrays."""
    return tuple(parameter.detach().numpy() for parameter in parameters)


def _gradients(parameters: tuple[Tensor, ...]) -> tuple[Array, ...]:
    """Their gradients, which are made here and stay where they are."""
    arrays = []
    for parameter in parameters:
        parameter.grad = torch.zeros_like(parameter)
        arrays.append(parameter.grad.numpy())
    return tuple(arrays)
