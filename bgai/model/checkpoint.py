"""Checkpoints: one file with a net, how it was made, and what training needs to go on."""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from bgai.model.net_evaluator import NetEvaluator
from bgai.model.value_net import NetConfig, ValueNet

FORMAT = "bgai-checkpoint"
VERSION = 1

_DAMAGE = (
    RuntimeError, ValueError, TypeError, LookupError, AttributeError, EOFError,
    pickle.UnpicklingError, zipfile.BadZipFile,
)  # fmt: skip
"""What torch raises on a file that is not one of its own, or only half of one."""


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint file holds; tensors and plain data only."""

    net: NetConfig
    weights: dict[str, Tensor]
    """The weights to play with."""
    config: dict[str, Any]
    """The training configuration."""
    summary: dict[str, Any]
    """Games, steps, seconds and the last metrics; the git commit."""
    training: dict[str, Any] = field(default_factory=dict)
    """The state that a resumed run goes on from; empty in a snapshot."""


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
    temporary = path.with_name(path.name + ".new")
    try:
        with open(temporary, "wb") as file:
            torch.save(values, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def load_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint.

    Raises:
        ValueError: the file is damaged, not a checkpoint, or of another format version.
        OSError: the file cannot be read.
    """
    try:
        content = io.BytesIO(path.read_bytes())
        values = torch.load(content, map_location="cpu", weights_only=True)
    except _DAMAGE as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ValueError(f"{path}: not a checkpoint, or damaged: {reason}") from None
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise ValueError(f"{path}: not a {FORMAT} file")
    if values.get("version") != VERSION:
        raise ValueError(f"{path}: format version {values.get('version')}, this is {VERSION}")
    net = NetConfig(values["net"]["encoding"], tuple(values["net"]["hidden"]))
    return Checkpoint(
        net, values["weights"], values["config"], values["summary"], values["training"]
    )


def load_net(path: Path) -> ValueNet:
    """The net of a checkpoint, with the weights it plays with."""
    checkpoint = load_checkpoint(path)
    net = ValueNet(checkpoint.net)
    try:
        net.load_state_dict(checkpoint.weights)
    except RuntimeError as error:
        raise ValueError(f"{path}: weights do not fit the net: {error}") from None
    return net.eval()


def load_evaluator(path: Path) -> NetEvaluator:
    """The evaluator of a checkpoint."""
    return make_evaluator(load_net(path))


def make_evaluator(net: ValueNet) -> NetEvaluator:
    """An evaluator with a copy of the net's present weights."""
    return NetEvaluator(*evaluator_weights(net))


def evaluator_weights(net: ValueNet) -> tuple[Any, Any, list[tuple[Any, Any]]]:
    """What `NetEvaluator.update` takes: the first layer's table and bias, the later layers."""
    with torch.no_grad():
        layers = [
            (weight.cpu().numpy().copy(), bias.cpu().numpy().copy())
            for weight, bias in net.linear_weights()
        ]
        table, bias = net.first.table(), net.first.bias
        return table.cpu().numpy().copy(), bias.cpu().numpy().copy(), layers
