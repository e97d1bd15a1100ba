"""Value nets as an ONNX graph: boards in, the mean of their probabilities out, nothing else needed.

The graph is written node by node rather than traced: a net's own `forward` counts on numpy for
the rules, and so the graph says what it does, needs no torch exporter, and comes out the same each
time. Encoding, impossible outcomes and finished games are inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from bgai.engine import BAR, CHECKERS, OPPONENT_BAR, Boards, Probs
from bgai.engine.board import HOME, SLOTS
from bgai.model.encoding import COUNTS, INPUT_SLOTS, encoding_features
from bgai.model.value_net import ValueNet

OPSET, IR_VERSION = 18, 8
MINIMUM_ONNXRUNTIME = "1.14"
"""The first release that reads this opset and IR version; older ones refuse the file."""

_ROWS_AT_ONCE = 4096


@dataclass
class _Graph:
    """Nodes and constants as they are written; a value is known by its name."""

    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: dict[str, onnx.TensorProto] = field(default_factory=dict)

    def __call__(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Append a node; returns the name of its output."""
        output = f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [output], **attributes))
        return output

    def constant(self, name: str, value: npt.ArrayLike) -> str:
        self.constants[name] = numpy_helper.from_array(np.asarray(value), name)
        return name

    def either(self, first: str, second: str) -> str:
        return self("Or", first, second)

    def both(self, first: str, second: str) -> str:
        return self("And", first, second)


def onnx_bytes(nets: Sequence[ValueNet]) -> bytes:
    """The content of an ONNX file of nets of the same encoding.

    It has one input `boards` int8 `[N, 26]` and one output `probs` float32 `[N, 6]`, both for the
    player about to roll, for any N from 1.
    """
    graph = _Graph()
    counts = graph("Cast", "boards", to=TensorProto.FLOAT)
    own = graph("Relu", counts)
    opponent = graph("Relu", graph("Neg", counts))
    axis = graph.constant("last_axis", np.array([1], np.int64))
    own_left = graph("ReduceSum", own, axis, keepdims=1)
    opponent_left = graph("ReduceSum", opponent, axis, keepdims=1)
    features = _features(graph, nets[0].config.encoding, counts, own_left, opponent_left)
    possible = _possible_outcomes(graph, own, opponent, own_left, opponent_left)
    # float32's lowest number instead of minus infinity: some runtimes' softmax turns that to NaN
    lowest = graph.constant("lowest", np.finfo(np.float32).min)
    each = []
    for number, net in enumerate(nets):
        logits = _logits(graph, net, f"{number}.", features)
        each.append(graph("Softmax", graph("Where", possible, logits, lowest), axis=1))
    mean = helper.make_node("Mean", each, ["probs"])
    model = helper.make_model(
        helper.make_graph(
            [*graph.nodes, mean],
            "value",
            [helper.make_tensor_value_info("boards", TensorProto.INT8, ["N", SLOTS])],
            [helper.make_tensor_value_info("probs", TensorProto.FLOAT, ["N", 6])],
            list(graph.constants.values()),
        ),
        producer_name="bgai",
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    onnx.checker.check_model(model, full_check=True)
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def _features(graph: _Graph, encoding: str, counts: str, own_left: str, opponent_left: str) -> str:
    """`[N, 28 * F]`: the features of the 28 slots of each board."""
    checkers = graph.constant("checkers", np.float32(CHECKERS))
    own_off = graph("Sub", checkers, own_left)
    opponent_off = graph("Sub", opponent_left, checkers)  # counts down, like the encoding's slot
    slots = graph("Concat", counts, own_off, opponent_off, axis=1)
    first_rows = np.arange(INPUT_SLOTS, dtype=np.float32) * COUNTS + CHECKERS
    rows = graph("Add", slots, graph.constant("first_rows", first_rows))
    by_slot = encoding_features(encoding).reshape(INPUT_SLOTS * COUNTS, -1)
    table = graph.constant("features", by_slot)
    features = graph("Gather", table, graph("Cast", rows, to=TensorProto.INT32), axis=0)
    return graph("Flatten", features, axis=1)


def _logits(graph: _Graph, net: ValueNet, prefix: str, features: str) -> str:
    """`[N, 6]`: a net's layers.

    Args:
        prefix: begins the names of its constants.
    """
    weights = {name: value.detach().cpu().numpy() for name, value in net.state_dict().items()}
    first = weights["first.weights"].reshape(-1, net.config.hidden[0])
    values = graph(
        "Gemm",
        features,
        graph.constant(f"{prefix}slot_weights", first),
        graph.constant(f"{prefix}slot_bias", weights["first.bias"]),
    )
    for number in range(len(net.config.hidden)):
        values = graph(
            "Gemm",
            graph("Relu", values),
            graph.constant(f"{prefix}weight_{number}", weights[f"layers.{number}.weight"]),
            graph.constant(f"{prefix}bias_{number}", weights[f"layers.{number}.bias"]),
            transB=1,
        )
    return values


def _possible_outcomes(
    graph: _Graph, own: str, opponent: str, own_left: str, opponent_left: str
) -> str:
    """`[N, 6]` bool: `engine.possible_outcomes` in ONNX operators."""
    no_checkers = graph.constant("no_checkers", np.float32(0))
    own_here = graph("Greater", own, no_checkers)
    opponent_here = graph("Greater", opponent, no_checkers)
    points = graph.constant("points", np.arange(SLOTS, dtype=np.float32))
    before_all = graph.constant("before_all", np.float32(OPPONENT_BAR - 1))
    after_all = graph.constant("after_all", np.float32(BAR + 1))
    axis = graph.constant("last_axis", np.array([1], np.int64))
    highest_own = graph("ReduceMax", graph("Where", own_here, points, before_all), axis)
    lowest_opponent = graph("ReduceMin", graph("Where", opponent_here, points, after_all), axis)
    contact = graph("Greater", highest_own, lowest_opponent)
    highest_own_home = graph.constant("highest_own_home", np.float32(HOME))
    opponent_is_back = graph("LessOrEqual", lowest_opponent, highest_own_home)
    opponents_home = graph.constant("opponents_home", np.float32(BAR - HOME))
    own_is_back = graph("GreaterOrEqual", highest_own, opponents_home)
    ended = [graph("Equal", left, no_checkers) for left in (own_left, opponent_left)]
    columns: list[str] = []
    for winner, loser_left, loser_is_back in (
        (0, opponent_left, opponent_is_back),
        (1, own_left, own_is_back),
    ):
        won, not_lost = ended[winner], graph("Not", ended[1 - winner])
        none_off = graph("Equal", loser_left, "checkers")
        running = graph("Not", won)
        gammon = graph.both(none_off, not_lost)
        columns += [
            graph.both(not_lost, graph.either(running, graph("Not", none_off))),
            graph.both(gammon, graph.either(running, graph("Not", loser_is_back))),
            graph.both(gammon, graph.either(contact, loser_is_back)),  # no contact once it is won
        ]
    return graph("Concat", *columns, axis=1)


def largest_difference(
    nets: Sequence[ValueNet], exported: Callable[[Boards], Probs], boards: Boards
) -> float:
    """The largest difference between a probability of exported nets and the mean of `forward`."""
    largest = 0.0
    with torch.no_grad():
        for start in range(0, len(boards), _ROWS_AT_ONCE):
            part = boards[start : start + _ROWS_AT_ONCE]
            mean = np.mean([net(torch.from_numpy(part)).numpy() for net in nets], axis=0)
            differences = np.abs(exported(part) - mean)
            # a NaN on either side must not pass as no difference
            largest = max(largest, float(np.nan_to_num(differences, nan=np.inf).max()))
    return largest
