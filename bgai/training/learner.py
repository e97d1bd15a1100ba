"""A net that learns: minibatches, Adam, and an average of its weights."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bgai.engine import Boards, Probs, possible_outcomes
from bgai.engine.compiled import map_slices
from bgai.model.value_net import NetConfig, ValueNet

_ROWS_PER_THREAD = 128


class Learner:
    """A value net with its optimizer and its averaged weights."""

    def __init__(self, config: NetConfig, averaging: float, device: torch.device) -> None:
        self.device = device
        self.net = ValueNet(config).to(device)
        self.rounds = 0
        self._averaging = averaging
        self._optimizer = torch.optim.Adam(self.net.parameters(), fused=True)
        self.averaged = {name: value.clone() for name, value in self.net.state_dict().items()}

    def learn(
        self, boards: Boards, targets: Probs, order: np.ndarray, minibatch: int, rate: float
    ) -> float:
        """One pass over some positions.

        Args:
            boards: `[N, 26]`, with `targets` `[N, 6]` for the player about to roll.
            order: `[N]` the order in which the rows are taken.
            minibatch: rows per step.
            rate: Adam's step size.

        Returns:
            The mean loss in nats before each step.
        """
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        loss = 0.0
        for start in range(0, len(order), minibatch):
            rows = order[start : start + minibatch]
            loss += self._step(boards[rows], targets[rows])
        self.rounds += 1
        self._average()
        return loss / len(order)

    def _step(self, boards: Boards, targets: Probs) -> float:
        """One step of the optimizer; returns the summed loss."""
        gradients = partial(self._loss_and_gradients, boards, targets)
        parts = map_slices(gradients, len(boards), _ROWS_PER_THREAD)
        for index, parameter in enumerate(self.net.parameters()):
            total = parts[0][1][index]
            for _, others in parts[1:]:
                total += others[index]
            parameter.grad = total.div_(len(boards))
        self._optimizer.step()
        return sum(loss for loss, _ in parts)

    def _loss_and_gradients(
        self, boards: Boards, targets: Probs, start: int, stop: int
    ) -> tuple[float, tuple[Tensor, ...]]:
        """The summed loss of some rows of a minibatch and its gradient for every parameter."""
        rows = boards[start:stop]
        loss = cross_entropy(
            self.net.logits(torch.from_numpy(rows).to(self.device)),
            torch.from_numpy(targets[start:stop]).to(self.device),
            torch.from_numpy(possible_outcomes(rows)).to(self.device),
        )
        return float(loss.detach()), torch.autograd.grad(loss, list(self.net.parameters()))

    def _average(self) -> None:
        """Move the averaged weights towards the present ones (Shamir & Zhang 2013, section 3)."""
        share = min(1.0, (self._averaging + 1) / (self.rounds + self._averaging))
        with torch.no_grad():
            for name, value in self.net.state_dict().items():
                self.averaged[name].lerp_(value, share)

    def averaged_net(self) -> ValueNet:
        """A net with the averaged weights, on the CPU."""
        net = ValueNet(self.net.config)
        net.load_state_dict(self.averaged)
        return net.eval()

    def state(self) -> dict[str, Any]:
        """Tensors and plain data to go on from."""
        return {
            "weights": self.net.state_dict(),
            "averaged": self.averaged,
            "optimizer": self._optimizer.state_dict(),
            "rounds": self.rounds,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a `state`."""
        self.net.load_state_dict(state["weights"])
        self.averaged = {name: value.to(self.device) for name, value in state["averaged"].items()}
        self._optimizer.load_state_dict(state["optimizer"])
        self.rounds = state["rounds"]


def cross_entropy(logits: Tensor, targets: Tensor, possible: Tensor) -> Tensor:
    """Summed cross entropy of target distributions with the softmax over possible outcomes.

    Args:
        logits: `[N, 6]` unmasked.
        targets: `[N, 6]`, zero where an outcome is impossible.
        possible: `[N, 6]` bool.
    """
    log_probs = torch.log_softmax(logits.masked_fill(~possible, -1e9), 1)
    return -(targets * log_probs).sum()
