"""A bot's graph as an evaluator: `value.onnx` in onnxruntime, whatever net it holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime

from bgai.engine import START, Boards, Probs
from bgai.engine.compiled import map_slices
from bgai.interface.bot_card import VALUE_FILE

_ROWS_AT_ONCE = 512  # more no longer fit in a core's cache
_ROWS_PER_THREAD = 256


class OnnxEvaluator:
    """Evaluates boards with a graph: `boards` int8 `[N, 26]` -> `probs` float32 `[N, 6]`."""

    def __init__(self, value_onnx: bytes) -> None:
        """
        Raises:
            ValueError: the graph is damaged or has other inputs and outputs than a bot's.
        """
        self._session = _session(value_onnx)

    def __call__(self, boards: Boards) -> Probs:
        """`[N, 26]` int8 -> `[N, 6]` float32, for the player about to roll."""
        parts = map_slices(
            lambda start, stop: self._run(boards[start:stop]), len(boards), _ROWS_PER_THREAD
        )
        return np.concatenate(parts)

    def _run(self, boards: Boards) -> Probs:
        probs = np.empty((len(boards), 6), np.float32)
        for start in range(0, len(boards), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            (probs[part],) = self._session.run(["probs"], {"boards": boards[part]})
        return probs


def _session(value_onnx: bytes) -> onnxruntime.InferenceSession:
    """A runtime for the graph, checked to be a bot's."""
    onnxruntime.disable_telemetry_events()  # nothing is counted or stored
    options = onnxruntime.SessionOptions()
    # threads split the batch (map_slices), so a session computes in the thread that calls it;
    # left alone, onnxruntime pins threads to cores and fails in containers that hide some
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # its errors arrive as exceptions
    errors = onnxruntime.capi.onnxruntime_pybind11_state
    try:
        session = onnxruntime.InferenceSession(
            value_onnx, options, providers=["CPUExecutionProvider"]
        )
    except (
        errors.Fail,
        errors.InvalidArgument,
        errors.InvalidGraph,
        errors.InvalidProtobuf,
        errors.NotImplemented,
        errors.RuntimeException,
    ) as error:
        raise ValueError(f"{VALUE_FILE} is damaged or needs a newer onnxruntime: {error}") from None
    _check_signature("input", session.get_inputs(), ("boards", "tensor(int8)", 26))
    _check_signature("output", session.get_outputs(), ("probs", "tensor(float)", 6))
    (probs,) = session.run(["probs"], {"boards": START[None]})
    if probs.shape != (1, 6) or not np.isclose(probs.sum(), 1, atol=1e-3) or (probs < 0).any():
        raise ValueError(f"{VALUE_FILE} does not give six probabilities, got {probs.tolist()}")
    return session


def _check_signature(kind: str, found: list[Any], expected: tuple[str, str, int]) -> None:
    name, element, columns = expected
    signature = [(item.name, item.type, item.shape[1:], item.shape[:1]) for item in found]
    fits = (
        len(found) == 1
        and signature[0][:3] == (name, element, [columns])
        and not isinstance(found[0].shape[0], int)  # the batch size must be free
    )
    if not fits:
        got = ", ".join(f"{item.name} {item.type} {item.shape}" for item in found)
        raise ValueError(
            f"the {kind} of {VALUE_FILE} must be {name} {element} [N, {columns}], got {got}"
        )
