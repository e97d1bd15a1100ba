"""The training loop: play a window, learn its lambda-returns, play on with the new weights."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import torch

from bgai.engine import Boards, Probs
from bgai.model.checkpoint import Checkpoint, evaluator_weights, make_evaluator
from bgai.model.net_evaluator import NetEvaluator
from bgai.model.value_net import NetConfig
from bgai.search import Scout
from bgai.training.config import TrainConfig
from bgai.training.learner import Learner
from bgai.training.self_play import SelfPlay
from bgai.training.targets import lambda_returns

_SCOUT_LEARNS_ONE_IN = 4  # positions; a small net needs no more to rank plays


class DivergedError(RuntimeError):
    """The loss is no longer a finite number."""


class Trainer:
    """A run: the net and its scout, the games in progress and the counters."""

    def __init__(self, config: TrainConfig, device: str = "cpu") -> None:
        self.config = config
        torch.set_num_threads(1)  # minibatches are spread over threads here, not inside torch
        torch.manual_seed(config.seed)
        play_seed, learn_seed = np.random.SeedSequence(config.seed).spawn(2)
        self.self_play = SelfPlay(config.games_at_once, np.random.default_rng(play_seed))
        self._order = np.random.default_rng(learn_seed)
        on = torch.device(device)
        self.learner = Learner(config.net(), config.averaging, on)
        self._evaluator = make_evaluator(self.learner.net)
        self._scout_learner: Learner | None = None
        self._scout: Scout | None = None
        if config.scout_units is not None:
            scout = NetConfig(config.encoding, (config.scout_units,))
            self._scout_learner = Learner(scout, config.averaging, on)
            self._scout = Scout(make_evaluator(self._scout_learner.net), config.shortlist)
        self.games = self.positions = 0
        self.seconds = self.play_seconds = 0.0

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
        window = self.self_play.play(self._evaluator, self.config.window_plies, self._scout)
        targets = lambda_returns(window, self.config.lambda_)
        played = time.perf_counter()
        rate = self.config.learning_rate_at(self.progress)
        metrics = self._learn(window.boards.reshape(-1, 26), targets.reshape(-1, 6), rate)
        self.games += window.finished_games
        self.positions += targets.shape[0] * targets.shape[1]
        now = time.perf_counter()
        self.seconds += now - started
        self.play_seconds += played - started
        return {**metrics, "train/learning_rate": rate}

    def _learn(self, boards: Boards, targets: Probs, rate: float) -> dict[str, float]:
        """One pass over the positions in random order, then play on with what was learnt."""
        order = self._order.permutation(len(boards))
        minibatch = self.config.minibatch
        metrics = {"train/loss_nats": self.learner.learn(boards, targets, order, minibatch, rate)}
        self._evaluator.update(*evaluator_weights(self.learner.net))
        if self._scout_learner is not None and self._scout is not None:
            few = order[::_SCOUT_LEARNS_ONE_IN]
            metrics["train/scout_loss_nats"] = self._scout_learner.learn(
                boards, targets, few, minibatch, rate
            )
            self._scout = Scout(make_evaluator(self._scout_learner.net), self._scout.keep)
        for name, loss in metrics.items():
            if not math.isfinite(loss):
                raise DivergedError(
                    f"{name} is {loss} after {self.games} games: the run has diverged; "
                    f"start again with a learning_rate below {self.config.learning_rate:g}"
                )
        return metrics

    def averaged_evaluator(self) -> NetEvaluator:
        """An evaluator with the averaged weights."""
        return make_evaluator(self.learner.averaged_net())

    def checkpoint(self, summary: dict[str, Any], with_training: bool = True) -> Checkpoint:
        """The run as it stands; without the training state it is a small snapshot to play with."""
        counters = {
            "games": self.games,
            "positions": self.positions,
            "time_s": self.seconds,
            "play_s": self.play_seconds,
        }
        play = self.self_play.state()
        training = {
            "learner": self.learner.state(),
            "scout": self._scout_learner.state() if self._scout_learner else None,
            "boards": torch.from_numpy(play["boards"]),
            "is_opening": torch.from_numpy(play["is_opening"]),
            "play_rng": play["rng"],
            "order_rng": self._order.bit_generator.state,
        }
        weights = {name: value.cpu().clone() for name, value in self.learner.averaged.items()}
        return Checkpoint(
            self.config.net(),
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
            raise ValueError("the checkpoint is a snapshot: it has no training state to go on from")
        if checkpoint.net != self.config.net():
            raise ValueError(f"the checkpoint's net is {checkpoint.net}, not {self.config.net()}")
        state = checkpoint.training
        self.learner.restore(state["learner"])
        self._evaluator.update(*evaluator_weights(self.learner.net))
        if self._scout_learner is not None and self._scout is not None:
            self._scout_learner.restore(state["scout"])
            self._scout = Scout(make_evaluator(self._scout_learner.net), self._scout.keep)
        self.self_play.restore(
            {
                "boards": state["boards"].numpy(),
                "is_opening": state["is_opening"].numpy(),
                "rng": state["play_rng"],
            }
        )
        self._order.bit_generator.state = state["order_rng"]
        counters = checkpoint.summary
        self.games, self.positions = counters["games"], counters["positions"]
        self.seconds, self.play_seconds = counters["time_s"], counters["play_s"]
