"""A small bot that needs no training: it likes to be ahead in the race."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from bgai.interface import warm_up
from bgai.interface.bot import save_bot
from bgai.interface.bot_card import BotCard
from bgai.interface.cli import main
from bgai.interface.table import saved

Bgai: TypeAlias = Callable[..., tuple[int, str, str]]


def race_bot_onnx(
    columns: int = 26, batch: str | int = "N", element: int = TensorProto.INT8
) -> bytes:
    """A graph whose chance to win grows with the lead in pips; signatures can be made wrong."""
    weights = np.zeros((columns, 6), np.float32)
    # counts are signed, so one line of weights 0..25 adds up both sides' pips
    weights[:, 0] = -np.arange(columns) / 20
    constants = [
        numpy_helper.from_array(weights, "weights"),
        numpy_helper.from_array(np.array([0, -3, -6, 0, -3, -6], np.float32), "bias"),
    ]
    nodes = [
        helper.make_node("Cast", ["boards"], ["counts"], to=TensorProto.FLOAT),
        helper.make_node("Gemm", ["counts", "weights", "bias"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["probs"], axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "race",
        [helper.make_tensor_value_info("boards", element, [batch, columns])],
        [helper.make_tensor_value_info("probs", TensorProto.FLOAT, [batch, 6])],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content


@pytest.fixture(scope="session")
def race_bot(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of the race bot."""
    folder = tmp_path_factory.mktemp("bots") / "racer"
    save_bot(folder, BotCard("racer", "none"), race_bot_onnx())
    return str(folder)


@pytest.fixture
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a command takes for the folder where sessions are kept."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setattr(saved, "cache_folder", lambda: folder)
    return folder


@pytest.fixture
def bgai(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, cache: Path) -> Bgai:
    """Run a command: `bgai("play", ..., typed="quit")` -> exit code, stdout, stderr."""
    monkeypatch.setattr(warm_up, "_PATIENCE", 3600.0)  # however slow, a first run is not told

    def run(*argv: str | Path, typed: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        code = main([str(word) for word in argv])
        out, err = capsys.readouterr()
        return code, out, err

    return run
