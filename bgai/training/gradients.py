"""The value net's gradient on the CPU, on buffers that are used again.

`Learner` gets the same numbers from autograd where the net is on another device; without its
bookkeeping, and without the units that a ReLU has switched off, this takes a third of the time. It
is one call outside Python: the games that are played beside it need not wait for the interpreter.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bgai.engine import OUTCOMES, Boards, Probs, possible_outcomes
from bgai.engine.compiled import run_tasks
from bgai.model.learning_kernels import write_gradients
from bgai.model.value_net import ValueNet

Array = npt.NDArray[np.float32]


class ValueNetGradients:
    """Writes the gradient of the mean cross entropy into the parameters of one net."""

    def __init__(self, net: ValueNet, parts: int = 1) -> None:
        """
        Args:
            parts: slices of a step that are worked on at the same time.
        """
        parameters = list(net.parameters())
        for parameter in parameters:
            parameter.grad = torch.zeros_like(parameter)
        own = [[_array(parameter.grad) for parameter in parameters]]
        more = [[np.zeros_like(gradient) for gradient in own[0]] for _ in range(parts - 1)]
        self._gradients = own + more
        self._parts = [_Part(net, gradients) for gradients in self._gradients]

    def __call__(self, boards: Boards, targets: Probs) -> float:
        """Set every parameter's gradient.

        Args:
            boards: `[N, 26]`, with `targets` `[N, 6]` for the player about to roll.

        Returns:
            The summed loss.
        """
        parts = len(self._parts)
        bounds = [len(boards) * number // parts for number in range(parts + 1)]
        slices = [slice(start, stop) for start, stop in pairwise(bounds)]
        losses = run_tasks(
            [
                partial(part, boards[rows], targets[rows])
                for part, rows in zip(self._parts, slices, strict=True)
            ]
        )
        if parts > 1:
            self._join([(rows.stop - rows.start) / len(boards) for rows in slices])
        return sum(losses)

    def _join(self, shares: list[float]) -> None:
        """Make the first part's gradients the mean of all, by their shares of the rows."""
        for whole, *others in zip(*self._gradients, strict=True):
            whole *= np.float32(shares[0])
            for share, other in zip(shares[1:], others, strict=True):
                whole += np.float32(share) * other


class _Part:
    """Works on one slice of a step, with gradients and room of its own."""

    def __init__(self, net: ValueNet, gradients: list[Array]) -> None:
        """
        Args:
            gradients: of each of the net's parameters, in their order; written to.
        """
        place: dict[Tensor, Array] = dict(zip(net.parameters(), gradients, strict=True))

        def arrays(*parameters: Tensor) -> tuple[Array, ...]:
            return tuple(_array(parameter) for parameter in parameters)

        def their_gradients(*parameters: Tensor) -> tuple[Array, ...]:
            return tuple(place[parameter] for parameter in parameters)

        first = net.first.weights, net.first.bias
        weights, biases = zip(*net.linear_weights(), strict=True)
        self._features = _array(net.first.features)
        self._first = (*arrays(*first), *their_gradients(*first))
        self._later = (
            arrays(*weights), arrays(*biases), their_gradients(*weights), their_gradients(*biases)
        )  # fmt: skip
        self._table = np.zeros((self._features[..., 0].size, net.config.hidden[0]), np.float32)
        self._table_gradient = np.empty_like(self._table)
        self._turned = tuple(np.empty(weight.T.shape, np.float32) for weight in weights)
        self._widths = (*net.config.hidden, len(OUTCOMES))
        self._make_room(0)

    def _make_room(self, rows: int) -> None:
        """Room for each layer's outputs and their gradients."""
        self._outputs = tuple(np.empty((rows, width), np.float32) for width in self._widths)
        self._passed = tuple(np.empty_like(outputs) for outputs in self._outputs)

    def __call__(self, boards: Boards, targets: Probs) -> float:
        """Write the gradients of the mean loss; returns the summed loss."""
        if len(boards) > len(self._outputs[0]):
            self._make_room(len(boards))
        possible = possible_outcomes(boards)
        room = self._table, self._table_gradient, self._turned, self._outputs, self._passed
        loss = write_gradients(
            boards, targets, possible, self._features, self._first, self._later, room
        )
        return float(loss)


def _array(tensor: Tensor | None) -> Array:
    """The numbers of a tensor themselves, not a copy."""
    assert tensor is not None
    return tensor.detach().numpy()
