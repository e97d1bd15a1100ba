"""Teaching a net from labels that are there already, instead of from games as they are played."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bgai.engine import Boards, Probs, equity
from bgai.engine.board_hash import board_hashes
from bgai.model.checkpoint import Checkpoint, load_checkpoint, make_evaluator, save_checkpoint
from bgai.model.value_net import ValueNet
from bgai.search import Evaluator
from bgai.training.gradients import ValueNetGradients
from bgai.training.labels import read_labels, read_manifest
from bgai.training.learner import Learner, cross_entropy
from bgai.training.run import git_commit
from bgai.training.trainer import DivergedError

_STEPS_PER_ROUND = 16  # with the same learning rate; the average of the weights moves after each
_POINTS_TO_MP = 1000
_HASH_BITS = 64


@dataclass(frozen=True)
class FitSettings:
    """How a net learns from labels."""

    passes: int = 4
    """Times that every label is learnt."""
    minibatch: int = 512
    """Positions per step of the optimizer."""
    learning_rate: float = 5e-5
    """Adam's step size at the start; falls in a straight line."""
    final_learning_rate: float = 2e-6
    """Adam's step size at the end."""
    averaging: float = 16.0
    """The weights that are kept are an average over about the last 1/averaging of the way."""
    held_out: float = 0.02
    """Share of the positions that is not learnt but measured, the same ones in every folder."""
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("passes", "minibatch", "learning_rate", "final_learning_rate", "averaging"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")
        if not self.final_learning_rate <= self.learning_rate <= 1:
            raise ValueError(
                "final_learning_rate must be at most learning_rate, and that at most 1, "
                f"got {self.final_learning_rate} and {self.learning_rate}"
            )
        if not 0 < self.held_out < 1:
            raise ValueError(f"held_out must be between 0 and 1, got {self.held_out}")
        if self.seed < 0:
            raise ValueError(f"seed must be 0 or more, got {self.seed}")


@dataclass(frozen=True)
class HeldOutError:
    """How far a net is from labels that it has not learnt."""

    positions: int
    divergence_nats: float
    """Mean Kullback-Leibler divergence of the net's chances from the labels'."""
    error_mp: float
    """Root of the mean square error of the equity, in millipoints."""


def held_out_error(evaluator: Evaluator, boards: Boards, probs: Probs) -> HeldOutError:
    """The error of an evaluator on boards `[N, 26]` with labels `[N, 6]`."""
    found = evaluator(boards)
    ratio = np.log(np.maximum(probs, 1e-12)) - np.log(np.maximum(found, 1e-12))
    square = np.square(equity(found) - equity(probs), dtype=np.float64)
    return HeldOutError(
        len(boards),
        float((probs * ratio).sum(1, dtype=np.float64).mean()),
        _POINTS_TO_MP * math.sqrt(square.mean()),
    )


class Fit:
    """A net on its way from one checkpoint to another."""

    def __init__(self, net: Path, folders: Sequence[Path], settings: FitSettings) -> None:
        """
        Raises:
            ValueError: a file is damaged, or there are too few labels to learn and to measure.
            OSError: a file cannot be read.
        """
        self.settings = settings
        self._start = load_checkpoint(net)
        self._folders = folders
        self._net_hash = hashlib.sha256(net.read_bytes()).hexdigest()
        value_net, *others = self._start.nets()
        if others:
            raise ValueError(f"{net} holds {1 + len(others)} nets: labels are fitted to one")
        self._read(folders)
        self.before = self._held_out_error(value_net)
        torch.set_num_threads(1)
        self._learner = Learner(
            value_net,
            cross_entropy,
            settings.averaging,
            torch.device("cpu"),
            ValueNetGradients(value_net),
        )
        self._order = np.empty(0, np.int64)
        self._order_pass = -1

    def _read(self, folders: Sequence[Path]) -> None:
        """All labels, each position once (the first folder's), parted by their hashes."""
        labels = [read_labels(folder) for folder in folders]
        boards = np.concatenate([part.boards for part in labels])
        probs = np.concatenate([part.probs for part in labels])
        hashes, first = np.unique(board_hashes(boards), return_index=True)
        is_held_out = hashes < np.uint64(self.settings.held_out * 2**_HASH_BITS)
        learnt, measured = np.sort(first[~is_held_out]), np.sort(first[is_held_out])
        if not len(learnt) or not len(measured):
            raise ValueError(
                f"too few labels to learn and to measure: {len(learnt)} and {len(measured)}"
            )
        self._boards, self._probs = boards[learnt], probs[learnt]
        self._held_out = boards[measured], probs[measured]

    def _held_out_error(self, net: ValueNet) -> HeldOutError:
        return held_out_error(make_evaluator(net), *self._held_out)

    @property
    def positions(self) -> int:
        """How many positions there are to learn."""
        return len(self._boards)

    @property
    def _rounds_per_pass(self) -> int:
        return math.ceil(len(self._boards) / (self.settings.minibatch * _STEPS_PER_ROUND))

    @property
    def rounds(self) -> int:
        """Rounds of learning there are in all."""
        return self.settings.passes * self._rounds_per_pass

    @property
    def done(self) -> int:
        """Rounds that have been learnt."""
        return self._learner.rounds

    def learn(self) -> float:
        """One round; returns its mean loss in nats.

        Raises:
            DivergedError: the loss or a weight is no longer a finite number.
        """
        settings = self.settings
        number, place = divmod(self.done, self._rounds_per_pass)
        if number != self._order_pass:
            rng = np.random.default_rng((settings.seed, number))
            self._order, self._order_pass = rng.permutation(len(self._boards)), number
        size = settings.minibatch * _STEPS_PER_ROUND
        rows = self._order[place * size : (place + 1) * size]
        fall = settings.learning_rate - settings.final_learning_rate
        rate = settings.learning_rate - fall * self.done / max(1, self.rounds - 1)
        loss = self._learner.learn(self._boards, self._probs, rows, settings.minibatch, rate)
        if not (math.isfinite(loss) and self._learner.is_finite()):
            raise DivergedError(f"the loss is {loss}: learning_rate {rate:g} is too high")
        return loss

    def after(self) -> HeldOutError:
        """The error of the averaged weights as they stand."""
        return self._held_out_error(self._learner.averaged_net())

    def checkpoint(self) -> Checkpoint:
        """The net as it stands, and until all is learnt what is needed to go on."""
        fits = [*self._start.summary.get("fits", []), self._description()]
        weights = {name: value.clone() for name, value in self._learner.averaged.items()}
        training: dict[str, Any] = {}
        if self.done < self.rounds:
            training = {"fit": self._learner.state()}
        summary = {**self._start.summary, "fits": fits, "git_commit": git_commit()}
        return Checkpoint(self._start.net, [weights], self._start.config, summary, training)

    def _description(self) -> dict[str, Any]:
        """What was learnt, from what, and what it brought."""
        return {
            "net": self._net_hash,
            "settings": dataclasses.asdict(self.settings),
            "labels": [dataclasses.asdict(read_manifest(folder)) for folder in self._folders],
            "positions": self.positions,
            "rounds": self.done,
            "before": dataclasses.asdict(self.before),
            "after": dataclasses.asdict(self.after()),
        }

    def restore(self, path: Path) -> None:
        """Go on from a file that `checkpoint` was saved to.

        Raises:
            ValueError: the file holds something else, or the same with other settings or labels.
        """
        found = load_checkpoint(path)
        fits = found.summary.get("fits") or [{}]
        now = self._description()
        for name in ("net", "settings", "labels", "positions"):
            if fits[-1].get(name) != now[name]:
                raise ValueError(
                    f"{path} is there already, with another {name}: choose another --to"
                )
        if found.training:
            self._learner.restore(found.training["fit"])
        else:
            raise ValueError(f"{path} is there already, and complete")


def run_fit(
    fit: Fit,
    path: Path,
    report: Callable[[float], None],
    should_save: Callable[[], bool],
    should_stop: Callable[[], bool],
) -> bool:
    """Learn all there is, or until it should stop, and save the net.

    Args:
        path: where the net is saved; what is there already goes on.
        report: told the loss of each round.
        should_save: asked after each round.
        should_stop: asked before each round; the net is then saved as it stands.

    Returns:
        Whether all is learnt.

    Raises:
        DivergedError: what was saved before is untouched.
        OSError: the net could not be saved.
    """
    while fit.done < fit.rounds and not should_stop():
        report(fit.learn())
        if should_save():
            save_checkpoint(path, fit.checkpoint())
    save_checkpoint(path, fit.checkpoint())
    return fit.done >= fit.rounds
