"""Nets' weights as the bytes of an `.npz` file, for the kernels to play with without torch.

The arrays have the names and shapes of `ValueNet`'s state, after the number of their net, from 0:
`0.first.weights` `[28, F, H]`, `0.first.bias` `[H]`, then `0.layers.<n>.weight` `[outputs, inputs]`
and `0.layers.<n>.bias`.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from bgai.engine import OUTCOMES
from bgai.engine.files import UNREADABLE_ZIP
from bgai.model.encoding import encoding_features
from bgai.model.net_evaluator import LARGEST_WEIGHT, NetEvaluator

Array = npt.NDArray[np.float32]


def pack_weights(nets: Sequence[Mapping[str, Array]]) -> bytes:
    """The content of the file; the same weights give the same bytes."""
    content = io.BytesIO()
    arrays = {
        f"{number}.{name}": values
        for number, weights in enumerate(nets)
        for name, values in weights.items()
    }
    np.savez(content, **arrays)  # type: ignore[arg-type]
    return content.getvalue()


def unpack_evaluators(content: bytes, encoding: str) -> list[NetEvaluator]:
    """The nets in such a file, one at least.

    Raises:
        ValueError: the file is damaged, or its weights do not make up value nets.
    """
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            arrays = {name: np.asarray(file[name], np.float32) for name in file.files}
    except (*UNREADABLE_ZIP, OSError, ValueError) as error:
        raise ValueError(f"no sound .npz file: {error}") from None
    if "first.bias" in arrays:  # as written when a bot was one net
        arrays = {f"0.{name}": values for name, values in arrays.items()}
    nets: dict[str, dict[str, Array]] = {}
    for name, values in arrays.items():
        number, _, own_name = name.partition(".")
        nets.setdefault(number, {})[own_name] = values
    if not nets or nets.keys() != set(map(str, range(len(nets)))):
        raise ValueError(f"no value nets have just these weights: {', '.join(sorted(arrays))}")
    return [_evaluator(nets[str(number)], encoding) for number in range(len(nets))]


def _evaluator(weights: Mapping[str, Array], encoding: str) -> NetEvaluator:
    if not all((np.abs(values) <= LARGEST_WEIGHT).all() for values in weights.values()):
        raise ValueError(f"the weights are not all numbers of at most {LARGEST_WEIGHT:g}")
    features = encoding_features(encoding)
    names = [f"layers.{number}" for number in range((len(weights) - 2) // 2)]
    expected = {"first.weights", "first.bias"}
    expected.update(f"{name}.{kind}" for name in names for kind in ("weight", "bias"))
    if not names or weights.keys() != expected:
        raise ValueError(f"no value net has just these weights: {', '.join(sorted(weights))}")
    first, first_bias = weights["first.weights"], weights["first.bias"]
    layers = [(weights[f"{name}.weight"], weights[f"{name}.bias"]) for name in names]
    inputs = first_bias.size
    fits = first_bias.ndim == 1 and first.shape == (*features.shape[::2], inputs)
    for weight, bias in layers:
        fits = fits and bias.ndim == 1 and weight.shape == (bias.size, inputs)
        inputs = bias.size
    if not fits or inputs != len(OUTCOMES):
        shapes = ", ".join(f"{name} {list(values.shape)}" for name, values in weights.items())
        raise ValueError(f"the weights do not fit together: {shapes}")
    return NetEvaluator((features @ first).reshape(-1, len(first_bias)), first_bias, layers)
