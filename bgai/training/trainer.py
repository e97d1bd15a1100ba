"""The training loop: learn from windows of plies on one core while the next window is played.

The plays of a window are chosen with the weights from before the learning that goes on beside it,
so that the result does not depend on which of the two is done first. Where several processes train,
each has its share of the games and of every minibatch.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import torch

from bgai.endgame import load_or_build
from bgai.engine import OUTCOMES, SLOTS, Boards, Probs
from bgai.engine.compiled import run_tasks
from bgai.model.checkpoint import Checkpoint, make_evaluator
from bgai.model.scout_net import ScoutNet, ScoutScores
from bgai.model.value_net import ValueNet
from bgai.search import Panel, Scout
from bgai.training.config import Stage, TrainConfig, rate_options
from bgai.training.distributed import ALONE, Workers
from bgai.training.dormant import active_units, begin_anew
from bgai.training.gradients import ValueNetGradients
from bgai.training.growth import grow
from bgai.training.learner import Learner, cross_entropy
from bgai.training.scouting import ranking_error, scout_lessons
from bgai.training.self_play import SelfPlay, Window
from bgai.training.targets import lambda_returns, lookahead_returns, mean_entropy

_POSITIONS_PER_LESSON = 16  # a small net needs no more to rank plays
_LESSONS_PER_STEP = 128
_ROUNDS_PER_REVIVAL = 64
_SCOUT_RATE = 3.0  # times the value net's learning rate


Metrics: TypeAlias = dict[str, float]
_LEARN_SECONDS = "time/learn_s"


class DivergedError(RuntimeError):
    """The loss or a weight is no longer a finite number."""


class Trainer:
    """A run: the nets and their scout, the games in progress and the counters."""

    def __init__(self, config: TrainConfig, device: str = "cpu", workers: Workers = ALONE) -> None:
        self.config = config
        self.workers = workers
        torch.set_num_threads(1)  # the other cores are playing
        torch.manual_seed(config.seed)
        self._endgames = load_or_build() if config.exact_endgames else None
        self._start_games(config.seed)
        self._device = torch.device(device)
        self._stage = Stage.SELF_PLAY
        self.learners = self._make_learners([ValueNet(config.net()) for _ in range(config.nets)])
        self.scout_learner: Learner[ScoutNet] | None = None
        if config.scout_units is not None:
            scout = ScoutNet(config.encoding, config.scout_units)
            self.scout_learner = Learner(
                scout, ranking_error, config.averaging, self._device, workers=workers
            )
        self._update_players()
        self.games = self.positions = 0
        self.seconds = self.learn_seconds = 0.0
        self.processes_before: int | None = None  # of the run that this one goes on with

    @property
    def _looks_ahead(self) -> bool:
        return self._stage > Stage.SELF_PLAY

    def _make_learners(self, nets: Sequence[ValueNet]) -> list[Learner[ValueNet]]:
        learners = []
        for net in nets:
            by_hand = ValueNetGradients(net) if self._device.type == "cpu" else None
            averaging = self.config.averaging
            learners.append(
                Learner(net, cross_entropy, averaging, self._device, by_hand, self.workers)
            )
        return learners

    def _grow(self, hidden: tuple[int, ...]) -> None:
        """Go on with bigger nets, the same in all processes."""
        self.learners = self._make_learners(
            [
                grow(learner.averaged_net(), hidden, self._rng_of_net(number, learner.rounds))
                for number, learner in enumerate(self.learners)
            ]
        )

    def _rng_of_net(self, number: int, rounds: int) -> np.random.Generator:
        """The same in all processes, another for each net."""
        return np.random.default_rng([self.config.seed, rounds, number])

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

    def _panel(self) -> Panel:
        """Who plays; where not all are asked about every play, each is the first in turn."""
        margin = self.config.nets_margin or math.inf
        return Panel(self._evaluators, margin).led_by(self.learners[0].rounds)

    @property
    def progress(self) -> float:
        """How much of the run is done, 0..1."""
        return self.config.progress(self.games, self.seconds)

    @property
    def is_complete(self) -> bool:
        return self.progress >= 1

    def train_window(self) -> Metrics:
        """Play one window and learn the one before.

        Returns:
            Its metrics; those of learning are missing the first time.

        Raises:
            DivergedError: the loss is not finite; nothing should be saved any more.
            WorkerLostError: another process of the run is gone.
        """
        started = time.perf_counter()
        stage, _ = self.config.stage_at(self.progress)
        if stage != self._stage:
            self._start_stage(stage)
        rate = self.config.learning_rate_at(self.progress)
        window, plays = self.self_play.start_window(
            self._panel(),
            self.config.window_plies,
            self._scout,
            looks_ahead=self._looks_ahead,
            random_plays=self.config.random_plays if self._looks_ahead else 0.0,
        )
        learnt = self._learn_beside(plays, rate)
        self._update_players()
        self._keep(window)
        games, positions = self.workers.sums(window.finished_games, window.ended.size)
        self.games += int(games)
        self.positions += int(positions)
        # everyone's clock is the first one's, and counts its wait for the slowest
        seconds = time.perf_counter() - started if self.workers.is_first else 0.0
        self.seconds += self.workers.sums(seconds)[0]
        self.learn_seconds += sum(metrics.pop(_LEARN_SECONDS, 0) for metrics in learnt)
        metrics = {"train/learning_rate": rate, **_means(learnt)}
        self._check_finite(metrics)
        return metrics

    def _keep(self, window: Window) -> None:
        """Keep a window's positions and their targets to learn from, before those kept already."""
        returns = lookahead_returns if self._looks_ahead else lambda_returns
        targets = returns(window, self.config.lambda_).reshape(-1, len(OUTCOMES))
        passes = self.config.lookahead_passes if self._looks_ahead else 1
        kept = (passes - 1) * len(targets)
        self._boards = np.concatenate([window.boards.reshape(-1, SLOTS), self._boards[:kept]])
        self._targets = np.concatenate([targets, self._targets[:kept]])

    def _start_stage(self, stage: Stage) -> None:
        """Begin a stage: all go on from their averaged weights, with nothing kept."""
        self._stage = stage
        self._boards, self._targets = self._boards[:0], self._targets[:0]
        shapes = [self.config.net(later) for later in Stage if later >= stage]
        if self.learners[0].net.config not in shapes:
            self._grow(shapes[0].hidden)
        for learner in self.learners:
            learner.restart()
        if self.scout_learner is not None:
            self.scout_learner.restart()
        self._update_players()

    def _update_players(self) -> None:
        """Let the games be played with what has been learnt."""
        self._evaluators = [make_evaluator(learner.net) for learner in self.learners]
        self._scout = self._make_scout()

    def _learn_beside(self, plays: Sequence[Callable[[], None]], rate: float) -> list[Metrics]:
        """Play, and let each net pass once over the positions kept, in an order of its own.

        Returns:
            What each has to tell. Processes meet at each step, so where there are several their
            nets learn one after the other; else at the same time, as there are cores.
        """
        rows = len(self._boards)
        if not rows:
            run_tasks(plays)
            return []
        least = self.workers.sums(mean_entropy(self._targets))[0] / self.workers.size
        lessons: list[Callable[[], Metrics]] = [
            partial(self._learn, learner, number, self._order.permutation(rows), rate, least)
            for number, learner in enumerate(self.learners)
        ]
        if self.scout_learner is not None:
            lessons.append(partial(self._learn_to_scout, self.scout_learner, rate))
        groups = [lessons] if self.workers.size > 1 else [[lesson] for lesson in lessons]
        learn = [partial(_one_after_the_other, group) for group in groups]
        tasks: list[Callable[[], list[Metrics] | None]] = [*learn, *plays]
        done = run_tasks(tasks)[: len(learn)]
        return [metrics for group in done if group is not None for metrics in group]

    def _learn(
        self,
        learner: Learner[ValueNet],
        number: int,
        order: npt.NDArray[np.int64],
        rate: float,
        least: float,
    ) -> Metrics:
        """Let a net learn, whose loss cannot fall below `least`; returns its metrics."""
        started = time.perf_counter()
        minibatch = self.workers.share(self.config.minibatch_in(self._stage))
        loss = learner.learn(self._boards, self._targets, order, minibatch, rate)
        metrics = {"train/loss_nats": loss, "train/loss_above_least_nats": loss - least}
        if self.config.revive and learner.rounds % _ROUNDS_PER_REVIVAL == 0:
            metrics["train/dormant_units"] = self._revive(learner, number)
        return {**metrics, _LEARN_SECONDS: time.perf_counter() - started}

    def _learn_to_scout(self, learner: Learner[ScoutNet], rate: float) -> Metrics:
        """Let the scout learn how the nets rank plays of the newest window."""
        assert self._scout is not None
        newest = self._order.permutation(len(self.self_play.boards) * self.config.window_plies)
        some = self._boards[newest[::_POSITIONS_PER_LESSON]]
        loss = learner.learn(
            *scout_lessons(
                self.self_play.exact(Panel(self._evaluators)), self._scout, some, self._order
            ),
            np.arange(len(some)),
            self.workers.share(_LESSONS_PER_STEP),
            _SCOUT_RATE * rate,
        )
        return {"train/scout_loss_points2": loss}

    def _check_finite(self, metrics: Metrics) -> None:
        loss = metrics.get("train/loss_nats", 0.0)
        if not (math.isfinite(loss) and self._is_finite()):
            option, _ = rate_options(self._stage)
            advice = "go on" if self._looks_ahead else "start again"
            raise DivergedError(
                f"the loss is {loss} after {self.games} games: the run has diverged; "
                f"{advice} with a {option} below {getattr(self.config, option):g}"
            )

    def _is_finite(self) -> bool:
        """Whether all weights that learn are numbers, the scout's too."""
        nets = all(learner.is_finite() for learner in self.learners)
        return nets and (self.scout_learner is None or self.scout_learner.is_finite())

    def _revive(self, learner: Learner[ValueNet], number: int) -> int:
        """Begin anew the units that are off in all positions kept; returns how many there were.

        Those that the averaged weights still make use of stay: the net to be exported says the
        same before and after.
        """
        dormant = []
        nets = (learner.net, learner.averaged_net().to(learner.device))
        for active in zip(*(active_units(net, self._boards) for net in nets), strict=True):
            seen = self.workers.sums(*torch.stack(active).any(0).cpu().tolist())
            dormant.append(torch.tensor(seen, device=learner.device) == 0)  # in all processes
        rng = self._rng_of_net(number, learner.rounds)
        begin_anew(learner.net, dormant, learner.averaged, learner.moments(), rng)
        return sum(int(units.sum()) for units in dormant)

    def averaged_evaluator(self) -> Panel:
        """An evaluator with the averaged weights."""
        return Panel([make_evaluator(learner.averaged_net()) for learner in self.learners])

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
        return Checkpoint(
            self.learners[0].net.config,
            [
                {name: value.cpu().clone() for name, value in learner.averaged.items()}
                for learner in self.learners
            ],
            self.config.to_dict(),
            {**counters, **summary},
            self._training_state() if with_training else {},
        )

    def _training_state(self) -> dict[str, Any]:
        return {
            "learners": [learner.state() for learner in self.learners],
            "scout": self.scout_learner.state() if self.scout_learner else None,
            "stage": int(self._stage),
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
            ValueError: the checkpoint is a snapshot, or of another net, or has diverged.
        """
        if not checkpoint.training:
            raise ValueError("the checkpoint is a snapshot: it has no training state to go on from")
        state = checkpoint.training
        self._stage = Stage(state["stage"])
        shapes = [self.config.net(stage) for stage in Stage]
        if checkpoint.net not in shapes:
            raise ValueError(f"the checkpoint's net is {checkpoint.net}, not {shapes[0]}")
        if checkpoint.net != self.learners[0].net.config:
            self.learners = self._make_learners([ValueNet(checkpoint.net) for _ in self.learners])
        if len(state["learners"]) != len(self.learners):
            raise ValueError(
                f"{len(self.learners)} nets learn, the checkpoint has {len(state['learners'])}"
            )
        for learner, saved in zip(self.learners, state["learners"], strict=True):
            learner.restore(saved)
        if self.scout_learner is not None:
            self.scout_learner.restore(state["scout"])
        if not self._is_finite():
            raise ValueError("the weights that learn are not all numbers")
        self._update_players()
        counters = checkpoint.summary
        self.games, self.positions = counters["games"], counters["positions"]
        self.seconds, self.learn_seconds = counters["time_s"], counters["learn_s"]
        processes = state["processes"]
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


def _one_after_the_other(lessons: Sequence[Callable[[], Metrics]]) -> list[Metrics]:
    return [lesson() for lesson in lessons]


def _means(parts: Sequence[Metrics]) -> Metrics:
    """Each metric's mean over those that tell it."""
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: float(np.mean([part[name] for part in parts if name in part])) for name in names}
