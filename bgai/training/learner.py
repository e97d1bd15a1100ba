"""A net that learns: minibatches, Adam, and an average of its weights."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from bgai.engine import Boards, Probs, possible_outcomes
from bgai.model.value_net import ValueNet
from bgai.training.distributed import ALONE, Workers

Net = TypeVar("Net", bound=nn.Module)
Loss: TypeAlias = Callable[[Net, Tensor, Tensor], Tensor]
"""Of a net, boards and targets, `N` of each, on its device: the summed loss."""

SetGradients: TypeAlias = Callable[[Boards, Probs], float]
"""Sets the gradients of a net's mean loss on some positions; returns the summed loss."""


class Learner(Generic[Net]):
    """A net with its loss, its optimizer and its averaged weights."""

    def __init__(
        self,
        net: Net,
        loss: Loss[Net],
        averaging: float,
        device: torch.device,
        set_gradients: SetGradients | None = None,
        workers: Workers = ALONE,
    ) -> None:
        self.device = device
        self.net = net.to(device)
        self._loss = loss
        self._set_gradients = set_gradients or self._autograd
        self._workers = workers
        self.rounds = 0
        self._averaging = averaging
        self._optimizer = torch.optim.Adam(self.net.parameters(), fused=True)
        self.averaged = {name: value.clone() for name, value in self.net.state_dict().items()}

    def learn(
        self, boards: Boards, targets: Probs, order: np.ndarray, minibatch: int, rate: float
    ) -> float:
        """One pass over some positions; each process over as many of its own.

        Args:
            boards: `[N, ...]`, with `targets` `[N, ...]`, as the net's loss takes them.
            order: `[N]` the order in which the rows are taken.
            minibatch: rows per step.
            rate: Adam's step size.

        Returns:
            The mean loss before each step, of all processes.
        """
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        loss = 0.0
        for start in range(0, len(order), minibatch):
            rows = order[start : start + minibatch]
            loss += self._step(boards[rows], targets[rows])
        self._workers.keep_equal(self.net.parameters())
        self.rounds += 1
        self._average()
        (total,) = self._workers.sums(loss)
        return total / (len(order) * self._workers.size)

    def _step(self, boards: Boards, targets: Probs) -> float:
        """One step of the optimizer; returns the summed loss."""
        loss = self._set_gradients(boards, targets)
        self._workers.average_gradients(self.net.parameters())
        self._optimizer.step()
        return loss

    def _autograd(self, boards: Boards, targets: Probs) -> float:
        """Set the gradients of the mean loss; returns the summed loss."""
        loss = self._loss(
            self.net,
            torch.from_numpy(boards).to(self.device),
            torch.from_numpy(targets).to(self.device),
        )
        self._optimizer.zero_grad()
        (loss / len(boards)).backward()  # type: ignore[no-untyped-call]
        return float(loss.detach())

    def _average(self) -> None:
        """Move the averaged weights towards the present ones (Shamir & Zhang 2013, section 3)."""
        share = min(1.0, (self._averaging + 1) / (self.rounds + self._averaging))
        with torch.no_grad():
            for name, value in self.net.state_dict().items():
                self.averaged[name].lerp_(value, share)

    def moments(self) -> list[dict[str, Tensor]]:
        """What the optimizer remembers of each weight's gradients, by name; empty before a step."""
        state = self._optimizer.state
        return [
            {name: state[parameter][moment] for name, parameter in self.net.named_parameters()}
            for moment in ("exp_avg", "exp_avg_sq")
            if state
        ]

    def restart(self) -> None:
        """Go on from the averaged weights, with an optimizer and an average that start anew."""
        self.net.load_state_dict(self.averaged)
        self._optimizer = torch.optim.Adam(self.net.parameters(), fused=True)
        self.rounds = 0

    def is_finite(self) -> bool:
        """Whether all weights are numbers."""
        return all(bool(parameter.isfinite().all()) for parameter in self.net.parameters())

    def averaged_net(self) -> Net:
        """A net with the averaged weights, on the CPU."""
        net = copy.deepcopy(self.net).cpu()
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


def cross_entropy(net: ValueNet, boards: Tensor, targets: Tensor) -> Tensor:
    """Summed cross entropy of the targets with the softmax over the possible outcomes."""
    possible = torch.from_numpy(possible_outcomes(boards.cpu().numpy())).to(boards.device)
    log_probs = torch.log_softmax(net.logits(boards).masked_fill(~possible, -1e9), 1)
    loss: Tensor = -(targets * log_probs).sum()
    return loss
