"""A run's folder: configuration, metrics, checkpoints; starting, stopping and going on."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import torch

from bgai.endgame import EXAMPLES
from bgai.engine.files import write_whole
from bgai.model.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from bgai.search import Evaluator
from bgai.training.config import (
    GROWING,
    Stage,
    TrainConfig,
    config_from_dict,
    hidden_option,
    length_options,
    rate_options,
)
from bgai.training.distributed import ALONE, Workers
from bgai.training.metrics import MetricsLog, drop_lines_after, last_measured
from bgai.training.trainer import Trainer

CHECKPOINT = "checkpoint.pt"
PREVIOUS = "checkpoint.previous.pt"
SNAPSHOTS = "snapshots"
CONFIG = "config.json"

CHANGEABLE = frozenset(
    {"checkpoint_minutes", "measure_minutes", "measure_games", "minibatch", "lookahead_minibatch"}
    | {"lookahead_passes", "shortlist", "shortlist_margin", "nets_margin", "random_plays", "revive"}
    | {name for stage in Stage for name in length_options(stage)}
    | {name for stage in Stage if stage > Stage.SELF_PLAY for name in rate_options(stage)}
)
"""What may differ when a run goes on: its length, its steps, its shortlist, when it measures."""

ADDABLE = frozenset(map(hidden_option, GROWING))
"""What may be given where it was not: a further stage."""

_METRICS_SECONDS = 5.0

Measure = Callable[[Evaluator], dict[str, float]]
Report = Callable[[Trainer, dict[str, float]], None]


class Run:
    """A trainer and the folder it writes to; of several processes only the first one writes."""

    def __init__(self, folder: Path, trainer: Trainer) -> None:
        self.folder = folder
        self.trainer = trainer
        self._saved_at = trainer.seconds
        self._last: dict[str, float] = {}
        self._measured: set[float] = trainer.workers.ask_first(self._measured_before)

    def _measured_before(self) -> set[float]:
        measured = last_measured(self.folder)
        return {
            minutes
            for minutes in self._gone_by()  # snapshots of later are of work that is done again
            if 60 * minutes <= measured or self._snapshot(minutes).exists()
        }

    def _gone_by(self) -> set[float]:
        """Those of the config's `measure_minutes` that have gone by."""
        now = self.trainer.seconds / 60
        return {minutes for minutes in self.trainer.config.measure_minutes if minutes <= now}

    def _snapshot(self, minutes: float) -> Path:
        return self.folder / SNAPSHOTS / f"minute-{minutes:06.2f}.pt"

    def train(
        self,
        measure: Measure,
        report: Report,
        should_stop: Callable[[], bool],
    ) -> bool:
        """Train until the run is complete or should stop, and save it.

        Args:
            measure: numbers about an evaluator, taken at the config's `measure_minutes`.
            report: called after each window with its metrics.
            should_stop: asked before each window; if any process should, all do.

        Returns:
            Whether the run is complete.

        Raises:
            DivergedError: nothing was saved after the last good checkpoint.
            WorkerLostError: the same.
            OSError: a file could not be written; the last checkpoint is untouched.
        """
        trainer, workers = self.trainer, self.trainer.workers
        with MetricsLog(self.folder, trainer.games) if workers.is_first else nullcontext() as log:
            logged_at = 0.0
            while not trainer.is_complete and workers.sums(should_stop()) == [0]:
                self._last = trainer.train_window()
                report(trainer, self._last)
                if trainer.seconds - logged_at >= _METRICS_SECONDS or trainer.is_complete:
                    logged_at = trainer.seconds
                    self._log(log, self._last | self._rates())
                self._measure_if_due(log, measure)
                if trainer.seconds - self._saved_at >= 60 * trainer.config.checkpoint_minutes:
                    self.save()
        if trainer.seconds > self._saved_at:  # else nothing has happened since
            self.save()
        return trainer.is_complete

    def save(self) -> None:
        """Write the checkpoint; the one before is kept beside it."""
        checkpoint = self.trainer.checkpoint({"metrics": self._last, "git_commit": git_commit()})
        self.trainer.workers.ask_first(partial(self._write, checkpoint))
        self._saved_at = self.trainer.seconds

    def _write(self, checkpoint: Checkpoint) -> None:
        path = self.folder / CHECKPOINT
        following = self.folder / "checkpoint.next.pt"
        save_checkpoint(following, checkpoint)
        if path.exists():
            os.replace(path, self.folder / PREVIOUS)
        os.replace(following, path)

    def _rates(self) -> dict[str, float]:
        trainer = self.trainer
        return {
            "time/games_per_s": trainer.games / trainer.seconds,
            "time/positions_per_s": trainer.positions / trainer.seconds,
            "time/learn_share": trainer.learn_seconds / trainer.seconds,
        }

    def _log(self, log: MetricsLog | None, values: dict[str, float]) -> None:
        if log is not None:
            log.write(self.trainer.games, self.trainer.positions, self.trainer.seconds, values)

    def _measure_if_due(self, log: MetricsLog | None, measure: Measure) -> None:
        """Keep a snapshot and measure it, at each of the config's minutes once.

        Of several that have gone by, as when they are new to a run that goes on, only the last
        is measured: the nets of the others are not there any more.
        """
        if due := self._gone_by() - self._measured:
            self.save()  # whatever happens while measuring
            self.trainer.workers.ask_first(partial(self._measure, max(due), log, measure))
            self._measured |= due

    def _measure(self, minutes: float, log: MetricsLog | None, measure: Measure) -> None:
        measured = measure(self.trainer.averaged_evaluator())
        self._log(log, measured)
        path = self._snapshot(minutes)
        path.parent.mkdir(exist_ok=True)
        summary = {"metrics": measured, "git_commit": git_commit()}
        save_checkpoint(path, self.trainer.checkpoint(summary, with_training=False))


def open_run(
    folder: Path, config: TrainConfig, device: str = "cpu", workers: Workers = ALONE
) -> Run:
    """A new run in an empty folder, or the one that the folder holds, to go on.

    Only the first process reads and writes the folder.

    Raises:
        ValueError: the folder's run has another configuration, or its checkpoint is damaged; or
            there is no such device here.
        OSError: the folder cannot be written.
    """
    _check_device(device)
    found = workers.ask_first(partial(_checkpoint_to_go_on, folder, config))
    # together: one host may have to build the endgame tables that another has
    trainer = workers.together(partial(Trainer, config, device, workers))
    if found is not None:
        _restore(trainer, *found)
    workers.ask_first(partial(_prepare, folder, config, trainer.seconds))
    return Run(folder, trainer)


def _checkpoint_to_go_on(folder: Path, config: TrainConfig) -> tuple[Path, Checkpoint] | None:
    """The newest checkpoint and its file, checked; none where a run begins."""
    path = _newest_checkpoint(folder)
    if path is None:
        return None
    checkpoint = _load(path)
    if checkpoint.training and "learners" not in checkpoint.training:
        raise ValueError(
            f"{folder} holds a run of an older version of bgai, which can be played with and "
            "exported but cannot go on: choose another --run"
        )
    _check_same(path, checkpoint, config)
    return path, checkpoint


def _restore(trainer: Trainer, path: Path, checkpoint: Checkpoint) -> None:
    try:
        trainer.restore(checkpoint)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    except (LookupError, TypeError, AttributeError, RuntimeError) as error:
        raise ValueError(f"{path}: damaged training state: {error!r}") from None


def _prepare(folder: Path, config: TrainConfig, seconds: float) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    drop_lines_after(folder, seconds)
    write_whole(folder / CONFIG, json.dumps(config.to_dict(), indent=2).encode() + b"\n")


def rehearse(config: TrainConfig, device: str = "cpu") -> None:
    """Train a few games and forget them, so that whatever is compiled on first use is ready.

    The seconds of a run are then seconds of training, on the first run of a machine too.
    """
    for hidden in {config.net(stage).hidden for stage in Stage}:
        small = dataclasses.replace(
            config,
            hidden=hidden,
            grown_hidden=config.grown_hidden and hidden,
            regrown_hidden=config.regrown_hidden and hidden,
            games_at_once=64,
        )
        trainer = Trainer(small, device)
        trainer.self_play.boards[: len(EXAMPLES)] = EXAMPLES
        for _ in range(2):  # the second window learns the first
            trainer.train_window()


def _check_device(name: str) -> None:
    try:
        torch.zeros(1, device=name).cpu()  # which not every device that torch names can do
    except (RuntimeError, AssertionError) as error:
        raise ValueError(f"--device {name}: {str(error).splitlines()[0]}") from None


def _newest_checkpoint(folder: Path) -> Path | None:
    """The previous one only if a kill came between two renames."""
    paths = (folder / name for name in (CHECKPOINT, PREVIOUS))
    return next((path for path in paths if path.exists()), None)


def _load(path: Path) -> Checkpoint:
    try:
        return load_checkpoint(path)
    except ValueError as error:
        previous = path.with_name(PREVIOUS)
        if path == previous or not previous.exists():
            raise
        raise ValueError(
            f"{error}; to go on from the one before, rename {previous} to {CHECKPOINT}"
        ) from None


def _check_same(path: Path, checkpoint: Checkpoint, config: TrainConfig) -> None:
    folder, before = path.parent, config_from_dict(checkpoint.config, str(path))
    for field in dataclasses.fields(TrainConfig):
        old, new = getattr(before, field.name), getattr(config, field.name)
        is_added = field.name in ADDABLE and old is None
        if field.name not in CHANGEABLE and not is_added and old != new:
            raise ValueError(
                f"{folder} holds a run with {field.name} {old}, not {new}: choose another --run"
            )
    reached = Stage(checkpoint.training.get("stage", Stage.SELF_PLAY))
    if not config.has(reached):
        raise ValueError(
            f"{folder} holds a run whose stage {reached + 1} has begun: give its length, too"
        )


def git_commit() -> str | None:
    """The commit of the code that runs, if it runs from a checkout of its own."""
    file = Path(__file__)
    try:
        # fails where the checkout around it is that of a program that has installed bgai
        _git(file.parent, "ls-files", "--error-unmatch", file.name)
        return _git(file.parent, "rev-parse", "HEAD")
    except (OSError, subprocess.SubprocessError):
        return None


def _git(folder: Path, *words: str) -> str:
    """What git answers there."""
    done = subprocess.run(
        ["git", "-C", str(folder), *words], capture_output=True, text=True, timeout=5, check=True
    )
    return done.stdout.strip()


def run_summary(trainer: Trainer) -> dict[str, Any]:
    """A run's counters, as the command prints them."""
    return {
        "games": trainer.games,
        "positions": trainer.positions,
        "minutes": round(trainer.seconds / 60, 2),
        "games_per_s": round(trainer.games / max(trainer.seconds, 1e-9), 1),
        "complete": trainer.is_complete,
    }
