"""Checkpoints: one file with nets, how they were made, and what training needs to go on."""

from __future__ import annotations

import io
import pickle
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bgai.engine.files import UNREADABLE_ZIP, write_whole
from bgai.model.net_config import NetConfig
from bgai.model.net_evaluator import LARGEST_WEIGHT, NetEvaluator
from bgai.model.value_net import ValueNet

FORMAT = "bgai-checkpoint"
VERSION = 2


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint file holds; tensors and plain data only."""

    net: NetConfig
    """The shape of each of the nets."""
    weights: list[dict[str, Tensor]]
    """The weights to play with, of one net or several, whose mean counts."""
    config: dict[str, Any]
    """The training configuration."""
    summary: dict[str, Any]
    """`games`, `positions`, `time_s` (seconds of training), `learn_s`; the last metrics; the git
    commit."""
    training: dict[str, Any] = field(default_factory=dict)
    """The state that a resumed run goes on from; empty in a snapshot."""

    def nets(self) -> list[ValueNet]:
        """The nets with the weights to play with."""
        nets = [ValueNet(self.net).eval() for _ in self.weights]
        for net, weights in zip(nets, self.weights, strict=True):
            net.load_state_dict(weights)
        return nets


def save_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint; a reader finds the old file or the new one, never half of it."""
    values = {
        "format": FORMAT,
        "version": VERSION,
        "net": {"encoding": checkpoint.net.encoding, "hidden": list(checkpoint.net.hidden)},
        "weights": checkpoint.weights,
        "config": checkpoint.config,
        "summary": checkpoint.summary,
        "training": checkpoint.training,
    }
    content = io.BytesIO()
    torch.save(values, content)
    write_whole(path, content.getvalue())


def load_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint.

    Raises:
        ValueError: the file is damaged, not a checkpoint, or of another format version.
        OSError: the file cannot be read.
    """
    content = io.BytesIO(path.read_bytes())
    try:
        damaged = zipfile.ZipFile(content).testzip()
        content.seek(0)
        values = None if damaged else torch.load(content, map_location="cpu", weights_only=True)
    except (*UNREADABLE_ZIP, OSError, ValueError, LookupError):
        raise ValueError(f"{path}: not a checkpoint, or damaged: no sound torch file") from None
    except pickle.UnpicklingError:
        raise ValueError(f"{path}: not a checkpoint: more than tensors and plain data") from None
    if damaged is not None:
        raise ValueError(f"{path}: damaged: {damaged} is not what was written")
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise ValueError(f"{path}: not a {FORMAT} file")
    if values.get("version") == 1:  # held one net
        values |= {"version": VERSION, "weights": [values.get("weights")]}
    if values.get("version") != VERSION:
        raise ValueError(f"{path}: format version {values.get('version')!r}, this is {VERSION!r}")
    try:
        return _checked(values)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: {error}") from None


def _checked(values: dict[str, Any]) -> Checkpoint:
    """A checkpoint of the right kinds of values, whose weights are plausible numbers."""
    for name in ("net", "config", "summary", "training"):
        _check_table(name, values.get(name))
    net = NetConfig(values["net"]["encoding"], tuple(values["net"]["hidden"]))
    if not isinstance(values.get("weights"), list) or not values["weights"]:
        raise ValueError(f"weights must be those of nets, got {values.get('weights')!r}")
    expected = {name: tuple(value.shape) for name, value in ValueNet(net).state_dict().items()}
    for weights in values["weights"]:
        _check_table("weights", weights)
        for name, weight in weights.items():
            if not _is_plausible(weight):
                raise ValueError(
                    f"weights {name!r} are not all float32 numbers of at most {LARGEST_WEIGHT:g}"
                )
        shapes = {name: tuple(weight.shape) for name, weight in weights.items()}
        if shapes != expected:
            raise ValueError(f"weights do not fit the net {list(net.hidden)}: {shapes}")
    return Checkpoint(
        net, values["weights"], values["config"], values["summary"], values["training"]
    )


def _is_plausible(weight: object) -> bool:
    return (
        isinstance(weight, Tensor)
        and weight.layout == torch.strided
        and weight.dtype == torch.float32
        and bool((weight.abs() <= LARGEST_WEIGHT).all())
    )


def _check_table(name: str, value: object) -> None:
    if not isinstance(value, dict):
        raise ValueError(f"{name} must be a table, got {value!r}")


def load_nets(path: Path) -> list[ValueNet]:
    """The nets of a checkpoint, with the weights they play with; errors as of `load_checkpoint`."""
    return load_checkpoint(path).nets()


def load_evaluators(path: Path) -> list[NetEvaluator]:
    """The evaluator of each net of a checkpoint; errors as of `load_checkpoint`."""
    return [make_evaluator(net) for net in load_nets(path)]


def make_evaluator(net: ValueNet) -> NetEvaluator:
    """An evaluator with a copy of the net's present weights."""
    layers = [(_array(weight), _array(bias)) for weight, bias in net.linear_weights()]
    return NetEvaluator(_array(net.first.table()), _array(net.first.bias), layers)


def _array(tensor: Tensor) -> npt.NDArray[np.float32]:
    """The tensor as it lies in memory: the evaluator makes the copy."""
    return tensor.detach().cpu().numpy()
