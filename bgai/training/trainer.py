"""The training loop: play a window, learn its lambda-returns, play on with the new weights."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bgai.engine import Boards, Probs, possible_outcomes
from bgai.engine.compiled import map_slices
from bgai.model.checkpoint import Checkpoint, evaluator_weights, make_evaluator
from bgai.model.net_evaluator import NetEvaluator
from bgai.model.value_net import NetConfig, ValueNet
from bgai.training.config import TrainConfig
from bgai.training.self_play import SelfPlay
from bgai.training.targets import lambda_returns

_ROWS_PER_THREAD = 128


class DivergedError(RuntimeError):
    """The loss or a weight is no longer a finite number."""


class Trainer:
    """A run: the net, its averaged weights, the games in progress and the counters."""

    def __init__(self, config: TrainConfig, device: str = "cpu") -> None:
        self.config = config
        self.device = torch.device(device)
        torch.set_num_threads(1)  # minibatches are spread over threads here, not inside torch
        torch.manual_seed(config.seed)
        play_seed, learn_seed = np.random.SeedSequence(config.seed).spawn(2)
        self.self_play = SelfPlay(config.games_at_once, np.random.default_rng(play_seed))
        self._order = np.random.default_rng(learn_seed)
        self.net = ValueNet(config.net()).to(self.device)
        self._optimizer = torch.optim.Adam(
            self.net.parameters(), lr=config.learning_rate, fused=True
        )
        self._averaged = {name: value.clone() for name, value in self.net.state_dict().items()}
        self._evaluator = make_evaluator(self.net)
        self.games = self.positions = self.windows = 0
        self.seconds = 0.0
        self.play_seconds = 0.0

    @property
    def progress(self) -> float:
        """How much of the run is done, 0..1."""
        return self.config.progress(self.games, self.seconds)

    @property
    def is_complete(self) -> bool:
        return self.progress >= 1

    def train_window(self) -> dict[str, float]:
        """Play and learn one window.

        Returns:
            Its metrics.

        Raises:
            DivergedError: the loss is not finite; nothing should be saved any more.
        """
        started = time.perf_counter()
        window = self.self_play.play(self._evaluator, self.config.window_plies)
        targets = lambda_returns(window, self.config.lambda_)
        played = time.perf_counter()
        rate = self.config.learning_rate_at(self.progress)
        loss = self._learn(window.boards.reshape(-1, 26), targets.reshape(-1, 6), rate)
        self._evaluator.update(*evaluator_weights(self.net))
        self.windows += 1
        self._average()
        self.games += window.finished_games
        self.positions += targets.shape[0] * targets.shape[1]
        now = time.perf_counter()
        self.seconds += now - started
        self.play_seconds += played - started
        return {"train/loss_nats": loss, "train/learning_rate": rate}

    def _learn(self, boards: Boards, targets: Probs, learning_rate: float) -> float:
        """One pass over the positions in random order; returns the mean loss."""
        for group in self._optimizer.param_groups:
            group["lr"] = learning_rate
        order = self._order.permutation(len(boards))
        parameters = list(self.net.parameters())
        size = self.config.minibatch
        total = 0.0
        for start in range(0, len(order), size):
            rows = order[start : start + size]
            parts = map_slices(
                partial(self._loss_and_gradients, boards[rows], targets[rows]),
                len(rows),
                _ROWS_PER_THREAD,
            )
            total += sum(float(loss) for loss, _ in parts)
            for parameter, *gradients in zip(parameters, *(part for _, part in parts), strict=True):
                parameter.grad = sum(gradients[1:], gradients[0]) / len(rows)
            self._optimizer.step()
        mean = total / len(order)
        if not np.isfinite(mean):
            raise DivergedError(
                f"the loss is {mean} after {self.games} games: the run has diverged; "
                f"resume from the last checkpoint with a learning_rate below {learning_rate:.2g}"
            )
        return mean

    def _loss_and_gradients(
        self, boards: Boards, targets: Probs, start: int, stop: int
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """The summed loss of some rows of a minibatch and its gradient for every parameter."""
        rows = slice(start, stop)
        loss = cross_entropy(
            self.net.logits(torch.from_numpy(boards[rows]).to(self.device)),
            torch.from_numpy(targets[rows]).to(self.device),
            torch.from_numpy(possible_outcomes(boards[rows])).to(self.device),
        )
        return loss.detach(), torch.autograd.grad(loss, list(self.net.parameters()))

    def _average(self) -> None:
        """Move the averaged weights towards the present ones (Shamir & Zhang 2013, section 3)."""
        share = (self.config.averaging + 1) / (self.windows + self.config.averaging)
        with torch.no_grad():
            for name, value in self.net.state_dict().items():
                self._averaged[name].lerp_(value, min(1.0, share))

    def averaged_net(self) -> ValueNet:
        """A net with the averaged weights, on the CPU."""
        net = ValueNet(self.config.net())
        net.load_state_dict(self._averaged)
        return net.eval()

    def averaged_evaluator(self) -> NetEvaluator:
        """An evaluator with the averaged weights."""
        return make_evaluator(self.averaged_net())

    def checkpoint(self, summary: dict[str, Any], with_training: bool = True) -> Checkpoint:
        """The run as it stands; without the training state it is a small snapshot to play with."""
        counters = {
            "games": self.games,
            "positions": self.positions,
            "windows": self.windows,
            "time_s": self.seconds,
            "play_s": self.play_seconds,
        }
        play = self.self_play.state()
        training = {
            "weights": self.net.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "boards": torch.from_numpy(play["boards"]),
            "is_opening": torch.from_numpy(play["is_opening"]),
            "play_rng": play["rng"],
            "order_rng": self._order.bit_generator.state,
        }
        weights = {name: value.cpu().clone() for name, value in self._averaged.items()}
        return Checkpoint(
            NetConfig(self.config.encoding, self.config.hidden),
            weights,
            self.config.to_dict(),
            {**counters, **summary},
            training if with_training else {},
        )

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go on from a checkpoint of the same net.

        Raises:
            ValueError: the checkpoint is a snapshot, or of another net.
        """
        if not checkpoint.training:
            raise ValueError("the checkpoint is a snapshot: it has no training state to resume")
        if checkpoint.net != self.config.net():
            raise ValueError(f"the checkpoint's net is {checkpoint.net}, not {self.config.net()}")
        state = checkpoint.training
        self.net.load_state_dict(state["weights"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._averaged = {
            name: value.to(self.device).clone() for name, value in checkpoint.weights.items()
        }
        self.self_play.restore(
            {
                "boards": state["boards"].numpy(),
                "is_opening": state["is_opening"].numpy(),
                "rng": state["play_rng"],
            }
        )
        self._order.bit_generator.state = state["order_rng"]
        self._evaluator.update(*evaluator_weights(self.net))
        counters = checkpoint.summary
        self.games, self.positions = counters["games"], counters["positions"]
        self.windows = counters["windows"]
        self.seconds, self.play_seconds = counters["time_s"], counters["play_s"]


def cross_entropy(logits: Tensor, targets: Tensor, possible: Tensor) -> Tensor:
    """Summed cross entropy of target distributions with the softmax over possible outcomes.

    Args:
        logits: `[N, 6]` unmasked.
        targets: `[N, 6]`, zero where an outcome is impossible.
        possible: `[N, 6]` bool.
    """
    log_probs = torch.log_softmax(logits.masked_fill(~possible, -1e9), 1)
    return -(targets * log_probs).sum()
