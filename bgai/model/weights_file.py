"""A value net's weights as the bytes of an `.npz` file, for the kernels to play with without torch.

The arrays have the names and shapes of `ValueNet`'s state: `first.weights` `[28, F, H]`,
`first.bias` `[H]`, then `layers.<n>.weight` `[outputs, inputs]` and `layers.<n>.bias`.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from bgai.engine import OUTCOMES
from bgai.model.encoding import make_encoding
from bgai.model.net_evaluator import NetEvaluator

Array = npt.NDArray[np.float32]


def pack_weights(weights: Mapping[str, Array]) -> bytes:
    """The content of the file; the same weights give the same bytes."""
    content = io.BytesIO()
    np.savez(content, **weights)  # type: ignore[arg-type]
    return content.getvalue()


def unpack_evaluator(content: bytes, encoding: str) -> NetEvaluator:
    """The net in such a file.

    Raises:
        ValueError: the file is damaged, or its weights do not make up a value net.
    """
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            weights = {name: np.asarray(file[name], np.float32) for name in file.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"no sound .npz file: {error}") from None
    if not all(np.isfinite(values).all() for values in weights.values()):
        raise ValueError("the weights are not all finite numbers")
    features = make_encoding(encoding).features
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
