"""The training loop: learn from windows of plies on one core while the next window is played.

The plays of a window are chosen with the weights from before the learning that goes on beside it,
so that the result does not depend on which of the two is done first. Where several processes train,
each has its share of the games and of every minibatch.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

from bgai.endgame import load_or_build
from bgai.engine import OUTCOMES, SLOTS, Boards, Probs
from bgai.engine.compiled import run_tasks
from bgai.model.checkpoint import Checkpoint, evaluator_weights, make_evaluator
from bgai.model.net_evaluator import NetEvaluator
from bgai.model.scout_net import ScoutNet, ScoutScores
from bgai.model.value_net import ValueNet
from bgai.search import Scout
from bgai.training.config import TrainConfig
from bgai.training.distributed import ALONE, Workers
from bgai.training.dormant import active_units, begin_anew
from bgai.training.gradients import ValueNetGradients
from bgai.training.learner import Learner, cross_entropy
from bgai.training.scouting import ranking_error, scout_lessons
from bgai.training.self_play import SelfPlay, Window
from bgai.training.targets import lambda_returns, lookahead_returns, mean_entropy

_POSITIONS_PER_LESSON = 16  # a small net needs no more to rank plays
_LESSONS_PER_STEP = 128
_ROUNDS_PER_REVIVAL = 64
_SCOUT_RATE = 3.0  # times the value net's learning rate


class DivergedError(RuntimeError):
    """The loss or a weight is no longer a finite number."""


class Trainer:
    """A run: the net and its scout, the games in progress and the counters."""

    def __init__(self, config: TrainConfig, device: str = "cpu", workers: Workers = ALONE) -> None:
        self.config = config
        self.workers = workers
        torch.set_num_threads(1)  # the other cores are playing
        torch.manual_seed(config.seed)
        self._endgames = load_or_build() if config.exact_endgames else None
        self._start_games(config.seed)
        on = torch.device(device)
        net = ValueNet(config.net())
        most = max(config.minibatch, config.lookahead_minibatch or 0)
        window = len(self.self_play.boards) * config.window_plies
        rows = min(workers.share(most), window * config.lookahead_passes)
        by_hand = ValueNetGradients(net, rows) if on.type == "cpu" else None
        self.learner = Learner(net, cross_entropy, config.averaging, on, by_hand, workers)
        self._evaluator = make_evaluator(self.learner.net)
        self.scout_learner: Learner[ScoutNet] | None = None
        if config.scout_units is not None:
            scout = ScoutNet(config.encoding, config.scout_units)
            self.scout_learner = Learner(
                scout, ranking_error, config.averaging, on, workers=workers
            )
        self._scout = self._make_scout()
        self._looks_ahead = False
        self.games = self.positions = 0
        self.seconds = self.learn_seconds = 0.0
        self.processes_before: int | None = None  # of the run that this one goes on with

    def _start_games(self, *seed: int) -> None:
        """Begin this process's share of the games, with nothing played to learn from yet."""
        play, learn = np.random.SeedSequence(seed).spawn(2)
        games = self.workers.share(self.config.games_at_once)
        dice = np.random.default_rng(self.workers.own_seed(play))
        self.self_play = SelfPlay(games, dice, self._endgames)
        self._order = np.random.default_rng(self.workers.own_seed(learn))
        self._boards: Boards = np.empty((0, SLOTS), np.int8)
        self._targets: Probs = np.empty((0, len(OUTCOMES)), np.float32)

    def _make_scout(self) -> Scout | None:
        if self.scout_learner is None:
            return None
        margin = self.config.shortlist_margin or math.inf
        return Scout(ScoutScores(self.scout_learner.net), self.config.shortlist, margin)

    @property
    def progress(self) -> float:
        """How much of the run is done, 0..1."""
        return self.config.progress(self.games, self.seconds)

    @property
    def is_complete(self) -> bool:
        return self.progress >= 1

    def train_window(self) -> dict[str, float]:
        """Play one window and learn the one before.

        Returns:
            Its metrics; those of learning are missing the first time.

        Raises:
            DivergedError: the loss is not finite; nothing should be saved any more.
            WorkerLostError: another process of the run is gone.
        """
        started = time.perf_counter()
        if self.config.is_lookahead(self.progress) and not self._looks_ahead:
            self._start_lookahead()
        rate = self.config.learning_rate_at(self.progress)
        window, plays = self.self_play.start_window(
            self._evaluator, self.config.window_plies, self._scout, self._looks_ahead
        )
        metrics = {"train/learning_rate": rate}
        learn: Callable[[], None] = partial(self._learn, rate, metrics)
        run_tasks([learn, *plays])
        self._evaluator.update(*evaluator_weights(self.learner.net))
        self._scout = self._make_scout()
        self._keep(window)
        games, positions = self.workers.sums(window.finished_games, window.ended.size)
        self.games += int(games)
        self.positions += int(positions)
        # everyone's clock is the first one's, and counts its wait for the slowest
        seconds = time.perf_counter() - started if self.workers.is_first else 0.0
        self.seconds += self.workers.sums(seconds)[0]
        return metrics

    def _keep(self, window: Window) -> None:
        """Keep a window's positions and their targets to learn from, before those kept already."""
        returns = lookahead_returns if self._looks_ahead else lambda_returns
        targets = returns(window, self.config.lambda_).reshape(-1, len(OUTCOMES))
        passes = self.config.lookahead_passes if self._looks_ahead else 1
        kept = (passes - 1) * len(targets)
        self._boards = np.concatenate([window.boards.reshape(-1, SLOTS), self._boards[:kept]])
        self._targets = np.concatenate([targets, self._targets[:kept]])

    def _start_lookahead(self) -> None:
        """Begin the second stage, from the averaged weights of the first."""
        self._looks_ahead = True
        self._boards, self._targets = self._boards[:0], self._targets[:0]
        self.learner.restart()
        self._evaluator.update(*evaluator_weights(self.learner.net))
        if self.scout_learner is not None:
            self.scout_learner.restart()
            self._scout = self._make_scout()

    def _learn(self, rate: float, metrics: dict[str, float]) -> None:
        """One pass over the positions kept, in random order."""
        if not len(self._boards):
            return
        started = time.perf_counter()
        order = self._order.permutation(len(self._boards))
        data = self._boards, self._targets
        minibatch = self.workers.share(self.config.minibatch_at(self.progress))
        loss = self.learner.learn(*data, order, minibatch, rate)
        if self.config.revive and self.learner.rounds % _ROUNDS_PER_REVIVAL == 0:
            metrics["train/dormant_units"] = self._revive()
        least = self.workers.sums(mean_entropy(self._targets))[0] / self.workers.size
        metrics |= {"train/loss_nats": loss, "train/loss_above_least_nats": loss - least}
        if self.scout_learner is not None and self._scout is not None:
            newest = order[order < len(self.self_play.boards) * self.config.window_plies]
            some = self._boards[newest[::_POSITIONS_PER_LESSON]]
            metrics["train/scout_loss_points2"] = self.scout_learner.learn(
                *scout_lessons(
                    self.self_play.exact(self._evaluator), self._scout, some, self._order
                ),
                np.arange(len(some)),
                self.workers.share(_LESSONS_PER_STEP),
                _SCOUT_RATE * rate,
            )
        if not (math.isfinite(loss) and self.learner.is_finite()):
            raise DivergedError(
                f"the loss is {loss} after {self.games} games: the run has diverged; "
                f"start again with a learning_rate below {self.config.learning_rate:g}"
            )
        self.learn_seconds += time.perf_counter() - started

    def _revive(self) -> int:
        """Begin anew the units that are off in all positions kept; returns how many there were."""
        net = self.learner.net
        dormant = []
        for active in active_units(net, self._boards):
            seen = self.workers.sums(*active.cpu().tolist())  # on in some process
            dormant.append(torch.tensor(seen, device=active.device) == 0)
        rng = np.random.default_rng([self.config.seed, self.learner.rounds])  # the same in all
        begin_anew(net, dormant, self.learner.averaged, self.learner.moments(), rng)
        return sum(int(units.sum()) for units in dormant)

    def averaged_evaluator(self) -> NetEvaluator:
        """An evaluator with the averaged weights."""
        return make_evaluator(self.learner.averaged_net())

    def checkpoint(self, summary: dict[str, Any], with_training: bool = True) -> Checkpoint:
        """The run as it stands; without the training state it is a small snapshot to play with.

        The training state is that of all processes, which must all ask for it.
        """
        counters = {
            "games": self.games,
            "positions": self.positions,
            "time_s": self.seconds,
            "learn_s": self.learn_seconds,
        }
        weights = {name: value.cpu().clone() for name, value in self.learner.averaged.items()}
        return Checkpoint(
            self.config.net(),
            weights,
            self.config.to_dict(),
            {**counters, **summary},
            self._training_state() if with_training else {},
        )

    def _training_state(self) -> dict[str, Any]:
        return {
            "learner": self.learner.state(),
            "scout": self.scout_learner.state() if self.scout_learner else None,
            "looks_ahead": self._looks_ahead,
            "processes": self.workers.gather(self._own_state()),
        }

    def _own_state(self) -> dict[str, Any]:
        """What this process does not share with the others: its games and its order."""
        play = self.self_play.state()
        return {
            "boards": torch.from_numpy(play["boards"]),
            "is_opening": torch.from_numpy(play["is_opening"]),
            "play_rng": play["rng"],
            "window_boards": torch.from_numpy(self._boards),
            "window_targets": torch.from_numpy(self._targets),
            "order_rng": self._order.bit_generator.state,
        }

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go on from a checkpoint of the same net.

        The games go on too where there are as many processes as before; else new ones begin.

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
        if self.scout_learner is not None:
            self.scout_learner.restore(state["scout"])
            self._scout = self._make_scout()
        self._looks_ahead = state.get("looks_ahead", False)
        counters = checkpoint.summary
        self.games, self.positions = counters["games"], counters["positions"]
        self.seconds, self.learn_seconds = counters["time_s"], counters["learn_s"]
        processes = state.get("processes", [state])  # the one process's state used to lie open
        self.processes_before = len(processes)
        if len(processes) == self.workers.size:
            self._restore_own(processes[self.workers.rank])
        else:
            self._start_games(self.config.seed, self.games)  # dice that were not thrown before

    def _restore_own(self, state: dict[str, Any]) -> None:
        self.self_play.restore(
            {
                "boards": state["boards"].numpy(),
                "is_opening": state["is_opening"].numpy(),
                "rng": state["play_rng"],
            }
        )
        self._boards = state["window_boards"].numpy()
        self._targets = state["window_targets"].numpy()
        self._order.bit_generator.state = state["order_rng"]
