"""Labels on disk: positions with what the net should say of them, and how they came about.

A folder of labels holds

`labels.json`
    one object: `format` "bgai-labels"; `version` of the format; `net`, the SHA-256 of the
    checkpoint whose net made the labels, and `scout`, of the one whose scout helped, or null;
    `settings`, the fields of `LabelSettings`; `shard_positions`; `bgai`, the version that began.
`shard-00000.npz`, `shard-00001.npz`, ...
    arrays of `shard_positions` rows each, in zip files with a checksum for every array:
    `boards` int8 `[N, 26]`, seen by the player about to roll, no game over, no board twice;
    `probs` float32 `[N, 6]`, the six outcomes' chances for that player;
    `standard_errors` float32 `[N]`, of the equity in points, 0 where nothing was drawn by lot.

A shard depends on the net, the settings, its number and the boards of the shards before it, on
nothing else: a shard that is lost is made again as it was.
"""

from __future__ import annotations

import dataclasses
import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bgai.engine import (
    BAR,
    OPPONENT_BAR,
    OUTCOMES,
    SLOTS,
    UNFINISHED,
    Boards,
    Probs,
    borne_off,
    outcomes,
    possible_outcomes,
)
from bgai.engine.files import UNREADABLE_ZIP, parse_json, write_whole
from bgai.search.ply import MOST_PLIES
from bgai.search.rollout import RolloutSettings
from bgai.training.positions import PositionSettings

FORMAT, VERSION = "bgai-labels", 1
MANIFEST = "labels.json"
_SUM_TOLERANCE = 1e-4


@dataclass(frozen=True)
class LabelSettings:
    """Which positions are labelled, and with what: a lookahead of some plies, or rollouts."""

    positions: PositionSettings
    plies: int | None = None
    """Turns to look ahead; left out, positions are rolled out."""
    rollout: RolloutSettings | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        if (self.plies is None) == (self.rollout is None):
            raise ValueError(f"give plies or rollout, got {self.plies} and {self.rollout}")
        if self.plies is not None and not 1 <= self.plies <= MOST_PLIES:
            raise ValueError(f"plies must be 1 to {MOST_PLIES}, got {self.plies}")
        if self.seed < 0:
            raise ValueError(f"seed must be 0 or more, got {self.seed}")

    @property
    def looks(self) -> int:
        """About how many means over the 21 rolls a label takes."""
        if self.rollout is not None:
            return 1 + self.rollout.trials * (self.rollout.plies - 1)
        assert self.plies is not None
        return sum(21**ply for ply in range(self.plies))


@dataclass(frozen=True)
class Labels:
    """Labelled positions, `N` of them."""

    boards: Boards
    probs: Probs
    standard_errors: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.boards)


@dataclass(frozen=True)
class Manifest:
    """What `labels.json` says."""

    net: str
    scout: str | None
    settings: dict[str, Any]
    shard_positions: int
    bgai: str


def shard_path(folder: Path, number: int) -> Path:
    return folder / f"shard-{number:05d}.npz"


def shard_count(folder: Path) -> int:
    """How many shards there are, without a gap from the first."""
    number = 0
    while shard_path(folder, number).exists():
        number += 1
    return number


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Raises OSError, naming the file, if it cannot be written."""
    folder.mkdir(parents=True, exist_ok=True)
    values = {"format": FORMAT, "version": VERSION, **dataclasses.asdict(manifest)}
    write_whole(folder / MANIFEST, (json.dumps(values, indent=2) + "\n").encode())


def read_manifest(folder: Path) -> Manifest:
    """What a folder's labels are.

    Raises:
        ValueError: it is no folder of labels, or of another format version.
        OSError: its `labels.json` cannot be read.
    """
    path = folder / MANIFEST
    try:
        values = parse_json(path.read_bytes(), "a description of labels")
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise ValueError(f"{path}: not a {FORMAT} file")
    if values.get("version") != VERSION:
        raise ValueError(f"{path}: format version {values.get('version')!r}, this is {VERSION}")
    names = [field.name for field in dataclasses.fields(Manifest)]
    if missing := [name for name in names if name not in values]:
        raise ValueError(f"{path}: {missing[0]} is missing")
    manifest = Manifest(**{name: values[name] for name in names})
    if not isinstance(manifest.settings, dict):
        raise ValueError(f"{path}: settings must be a table, got {manifest.settings!r}")
    size = manifest.shard_positions
    if not isinstance(size, int) or size < 1:
        raise ValueError(f"{path}: shard_positions must be at least 1, got {size!r}")
    return manifest


def write_shard(path: Path, labels: Labels) -> None:
    """Write a shard whole or not at all.

    Raises:
        OSError: it cannot be written; names it.
    """
    content = io.BytesIO()
    np.savez_compressed(
        content,
        boards=labels.boards,
        probs=labels.probs,
        standard_errors=labels.standard_errors,
    )
    write_whole(path, content.getvalue())


def read_shard(path: Path) -> Labels:
    """A shard, checked.

    Raises:
        ValueError: it is damaged, or holds what no shard holds; names the file.
        OSError: it cannot be read.
    """
    content = io.BytesIO(path.read_bytes())
    try:
        if (damaged := zipfile.ZipFile(content).testzip()) is not None:
            raise ValueError(f"damaged: the checksum of {damaged} is wrong")
        content.seek(0)
        with np.load(content, allow_pickle=False) as arrays:
            labels = Labels(*(arrays[field.name] for field in dataclasses.fields(Labels)))
        _check(labels)
    except (*UNREADABLE_ZIP, OSError):
        raise ValueError(f"{path}: damaged, or no shard of labels") from None
    except KeyError as error:
        raise ValueError(f"{path}: {error.args[0]}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return labels


def _check(labels: Labels) -> None:
    rows = len(labels.boards)
    kinds: dict[str, tuple[type[np.generic], tuple[int, ...]]] = {
        "boards": (np.int8, (rows, SLOTS)),
        "probs": (np.float32, (rows, len(OUTCOMES))),
        "standard_errors": (np.float32, (rows,)),
    }
    for name, (kind, shape) in kinds.items():
        array = getattr(labels, name)
        if array.dtype != kind or array.shape != shape:
            raise ValueError(
                f"{name} must be {np.dtype(kind).name} {list(shape)}, "
                f"got {array.dtype} {list(array.shape)}"
            )
    boards, probs = labels.boards, labels.probs
    wrong = np.minimum(*borne_off(boards)) < 0
    wrong |= (boards[:, BAR] < 0) | (boards[:, OPPONENT_BAR] > 0)
    wrong |= outcomes(boards) != UNFINISHED
    if wrong.any():
        raise ValueError(f"no game has the board {boards[wrong][0].tolist()} before a roll")
    bad = ~np.isfinite(probs).all(1) | (probs < 0).any(1)
    bad |= np.abs(probs.sum(1) - 1) > _SUM_TOLERANCE
    bad |= ((probs > 0) & ~possible_outcomes(boards)).any(1)
    if bad.any():
        raise ValueError(f"probs {probs[bad][0].tolist()} of {boards[bad][0].tolist()}")
    if not (np.isfinite(labels.standard_errors).all() and (labels.standard_errors >= 0).all()):
        raise ValueError("standard_errors must be numbers of 0 or more")


def read_labels(folder: Path) -> Labels:
    """All labels of a folder, checked.

    Raises:
        ValueError: a file is damaged or of another format, or there is no shard yet.
        OSError: a file cannot be read.
    """
    manifest = read_manifest(folder)
    shards = [read_shard(shard_path(folder, number)) for number in range(shard_count(folder))]
    if not shards:
        raise ValueError(f"{folder}: no shard of labels yet")
    for number, shard in enumerate(shards):
        if len(shard) != manifest.shard_positions:
            raise ValueError(
                f"{shard_path(folder, number)}: {len(shard)} positions, not "
                f"{manifest.shard_positions}"
            )
    return Labels(
        *(
            np.concatenate([getattr(shard, field.name) for shard in shards])
            for field in dataclasses.fields(Labels)
        )
    )
