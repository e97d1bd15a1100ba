"""Making labels: shard after shard into a folder, each of them made in one go."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import bgai
from bgai.endgame import ONE_SIDED, EndgameEvaluator, Endgames
from bgai.engine import SLOTS, Boards
from bgai.engine.board_hash import board_hashes
from bgai.engine.compiled import run_tasks
from bgai.model.checkpoint import Checkpoint, load_checkpoint, make_evaluator
from bgai.model.scout_net import ScoutNet, ScoutScores
from bgai.search import PLAY_MARGIN, Evaluator, Panel, Scout
from bgai.search.ply import PlyEvaluator
from bgai.search.rollout import rollout
from bgai.search.select import with_endgames
from bgai.training.labels import (
    MANIFEST,
    Labels,
    LabelSettings,
    Manifest,
    read_manifest,
    read_shard,
    shard_count,
    shard_path,
    write_manifest,
    write_shard,
)
from bgai.training.positions import Hashes, choose_positions

_LOOKS_PER_SHARD = 65_536  # some tens of seconds of work: what a stop can lose
_FEWEST, _MOST = 256, 8192  # positions of a shard
_LOOKS_AT_ONCE = 4096  # between two moments at which the work can be stopped
_FEWEST_PER_TASK = 4

Report = Callable[[int], None]


@dataclass(frozen=True)
class Labeller:
    """A net, its scout if there is one, and the endgames: together they label positions."""

    evaluator: Evaluator
    net: str
    """SHA-256 of the net's checkpoint."""
    scout: Scout | None = None
    scout_hash: str | None = None
    endgames: Endgames | None = None

    @property
    def player(self) -> Evaluator:
        """The net with the endgames."""
        return with_endgames(self.evaluator, self.endgames)

    def label(
        self, settings: LabelSettings, boards: Boards, seed: np.random.SeedSequence
    ) -> Labels:
        """The labels of some positions `[N, 26]`; what the endgame tables know is what they say.

        Args:
            seed: decides a rollout's dice, the same for all the boards.
        """
        if settings.rollout is not None:
            done = rollout(
                self.evaluator, boards, settings.rollout, seed, self.endgames, self.scout
            )
            return Labels(boards, done.probs, done.standard_errors)
        assert settings.plies is not None
        ahead: Evaluator = PlyEvaluator(self.player, settings.plies, self.scout)
        if self.endgames is not None:
            ahead = EndgameEvaluator(ahead, self.endgames, known_from=ONE_SIDED)
        size = max(_FEWEST_PER_TASK, 256 // settings.looks)
        parts = [boards[start : start + size] for start in range(0, len(boards), size)]
        probs = np.concatenate(run_tasks([partial(ahead, part) for part in parts]))
        return Labels(boards, probs, np.zeros(len(boards), np.float32))


def load_labeller(
    net: Path, endgames: Endgames | None, scout: Path | None = None, use_scout: bool = True
) -> Labeller:
    """The labeller of a checkpoint.

    Args:
        scout: a checkpoint whose scout shortlists the plays; the net's own if None and if it has
            one.
        use_scout: False to look at every play.

    Raises:
        ValueError: a file is damaged or no checkpoint, or `scout` has no scout.
        OSError: a file cannot be read.
    """
    checkpoint = load_checkpoint(net)
    evaluator = Panel([make_evaluator(value_net) for value_net in checkpoint.nets()], PLAY_MARGIN)
    found = scout_hash = None
    if use_scout:
        found = _scout(load_checkpoint(scout) if scout is not None else checkpoint)
        if scout is not None and found is None:
            raise ValueError(f"{scout}: no scout in this checkpoint")
        scout_hash = _file_hash(scout or net) if found is not None else None
    return Labeller(evaluator, _file_hash(net), found, scout_hash, endgames)


def _scout(checkpoint: Checkpoint) -> Scout | None:
    """The scout that a run's checkpoint holds beside its net; snapshots hold none."""
    state = checkpoint.training.get("scout")
    if not state:
        return None
    config = checkpoint.config
    net = ScoutNet(checkpoint.net.encoding, config["scout_units"])
    net.load_state_dict(state["averaged"])
    return Scout(ScoutScores(net), config["shortlist"], config.get("shortlist_margin", math.inf))


def _file_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def shard_size(settings: LabelSettings, positions: int) -> int:
    """Positions of a shard in a new folder that is to hold so many."""
    return min(positions, max(_FEWEST, min(_MOST, _LOOKS_PER_SHARD // settings.looks)))


def open_folder(
    folder: Path, labeller: Labeller, settings: LabelSettings, positions: int
) -> Manifest:
    """Begin a folder of labels, or find that its labels are of the same kind.

    Raises:
        ValueError: the folder holds other labels, or other things.
        OSError: it cannot be written or read.
    """
    plain = dataclasses.asdict(settings)
    if (folder / MANIFEST).exists():
        manifest = read_manifest(folder)
        now = {"net": labeller.net, "scout": labeller.scout_hash, **_flat(plain)}
        before = {"net": manifest.net, "scout": manifest.scout, **_flat(manifest.settings)}
        for name in {**before, **now}:
            if before.get(name) != now.get(name):
                raise ValueError(
                    f"{folder} holds labels with {name} {before.get(name)}, not {now.get(name)}: "
                    "choose another --to"
                )
        return manifest
    if folder.is_dir() and any(folder.iterdir()):
        raise ValueError(f"{folder} holds other things than labels: choose another --to")
    size = shard_size(settings, positions)
    manifest = Manifest(labeller.net, labeller.scout_hash, plain, size, bgai.__version__)
    write_manifest(folder, manifest)
    return manifest


def labelled_positions(folder: Path) -> int:
    """How many positions a folder of labels holds."""
    return shard_count(folder) * read_manifest(folder).shard_positions


def _flat(settings: dict[str, object], group: str = "") -> dict[str, object]:
    """Nested settings by one name each, such as `rollout.trials`."""
    flat: dict[str, object] = {}
    for name, value in settings.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{group}{name}.")
        else:
            flat[group + name] = value
    return flat


def generate(
    folder: Path,
    labeller: Labeller,
    settings: LabelSettings,
    positions: int,
    report: Report,
    should_stop: Callable[[], bool],
) -> bool:
    """Fill a folder with labels, going on after what is there.

    Args:
        positions: how many there should be; whole shards are made, so it may become a few more.
        report: told how many positions have been labelled each time.
        should_stop: asked between them; the shard that is being made is then left out.

    Returns:
        Whether all are there.

    Raises:
        ValueError: the folder holds other labels, or a damaged shard.
        OSError: a file cannot be written; those before it are whole.
    """
    manifest = open_folder(folder, labeller, settings, positions)
    first, end = shard_count(folder), math.ceil(positions / manifest.shard_positions)
    boards = [read_shard(shard_path(folder, number)).boards for number in range(first)]
    known = board_hashes(np.concatenate([np.empty((0, SLOTS), np.int8), *boards]))
    for number in range(first, end):
        labels = _make_shard(
            labeller, settings, manifest.shard_positions, number, known, report, should_stop
        )
        if labels is None:
            return False
        write_shard(shard_path(folder, number), labels)
        known = np.concatenate([known, board_hashes(labels.boards)])
    return True


def _make_shard(
    labeller: Labeller,
    settings: LabelSettings,
    size: int,
    number: int,
    known: Hashes,
    report: Report,
    should_stop: Callable[[], bool],
) -> Labels | None:
    """One shard, or None if it should stop."""
    games, dice = np.random.SeedSequence((settings.seed, number)).spawn(2)
    boards = choose_positions(
        settings.positions, labeller.player, size, games, should_stop, labeller.scout, known
    )
    if boards is None:
        return None
    at_once = max(2 * _FEWEST_PER_TASK, _LOOKS_AT_ONCE // settings.looks)
    parts = []
    for start in range(0, size, at_once):
        if should_stop():
            return None
        parts.append(labeller.label(settings, boards[start : start + at_once], dice))
        report(len(parts[-1]))
    return Labels(
        *(
            np.concatenate([getattr(part, field.name) for part in parts])
            for field in dataclasses.fields(Labels)
        )
    )
