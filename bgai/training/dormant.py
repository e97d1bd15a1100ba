"""Units that have fallen silent: a ReLU that is off for every position has no gradient any more.

The large steps of a young net push many units there: 128 of 256 and 52 of 128 were found so behind
the second and third layer of nets that had not looked after them. They are begun anew, with
weights that lead nowhere yet, so that the net's values stay what they are (Sokar et al. 2023, "The
dormant neuron phenomenon in deep reinforcement learning").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from bgai.engine import Boards
from bgai.model.slot_layer import FIRST_WEIGHTS_STD
from bgai.model.value_net import ValueNet


def active_units(net: ValueNet, boards: Boards) -> list[Tensor]:
    """For each hidden layer, `[units]` bool: which are on for any of `boards` `[N, 26]`."""
    active = []
    with torch.no_grad():
        values = net.first(torch.from_numpy(boards).to(net.first.bias.device))
        for weight, bias in net.linear_weights():
            active.append((values > 0).any(0))
            values = torch.relu(values @ weight.T + bias)
    return active


def begin_anew(
    net: ValueNet,
    units: Sequence[Tensor],
    averaged: Mapping[str, Tensor],
    moments: Sequence[Mapping[str, Tensor]],
    rng: np.random.Generator,
) -> None:
    """Draw new weights into some units, which weigh nothing in the next layer at first.

    Args:
        units: for each hidden layer, `[units]` bool.
        averaged: an average of the net's weights, by name: it gets the same ones.
        moments: what an optimizer remembers of each weight, by name: forgotten.
    """
    weights = net.state_dict()
    for layer, chosen in enumerate(units):
        rows = chosen.nonzero()[:, 0]
        before = f"layers.{layer - 1}" if layer else "first"
        # the first layer's weights end with the units, those of the others begin with them
        name, axis = (f"{before}.weight", 0) if layer else (f"{before}.weights", 2)
        shape = list(weights[name].shape)
        std = np.sqrt(2 / shape[1]) if layer else FIRST_WEIGHTS_STD
        shape[axis] = len(rows)
        drawn = torch.from_numpy(rng.normal(0, std, shape).astype(np.float32)).to(rows.device)
        with torch.no_grad():
            for values, new in [
                (weights, drawn),
                (averaged, drawn),
                *((moment, torch.zeros_like(drawn)) for moment in moments),
            ]:
                values[name].index_copy_(axis, rows, new)
                values[f"{before}.bias"].index_fill_(0, rows, 0)
                values[f"layers.{layer}.weight"].index_fill_(1, rows, 0)
