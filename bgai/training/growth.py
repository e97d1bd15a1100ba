"""Growing a net: a wider and deeper one that says the same, to go on learning with.

A small net learns the first games faster, a big one holds more in the end. What the small one has
learnt is copied; a layer that is added passes on what comes in, which a ReLU allows because it is
never negative; and units that are added weigh nothing in the next layer at first (Chen et al. 2016,
"Net2Net: accelerating learning via knowledge transfer").
"""

from __future__ import annotations

import numpy as np
import torch

from bgai.model.net_config import NetConfig
from bgai.model.value_net import ValueNet
from bgai.training.dormant import begin_anew


def grow(net: ValueNet, hidden: tuple[int, ...], rng: np.random.Generator) -> ValueNet:
    """A bigger net with the same values.

    Args:
        rng: draws the weights that lead to new units.

    Raises:
        ValueError: the net does not fit in one with such layers.
    """
    held = net.config.layers_grown_to(hidden)
    carried = [net.config.hidden[layer] for layer in held]
    grown = ValueNet(NetConfig(net.config.encoding, hidden))
    old = net.linear_weights()
    with torch.no_grad():
        for parameter in grown.parameters():
            parameter.zero_()
        grown.first.weights[:, :, : carried[0]] = net.first.weights
        grown.first.bias[: carried[0]] = net.first.bias
        for number, (weight, bias) in enumerate(grown.linear_weights()):
            source = held[number]
            if number + 1 < len(held) and held[number + 1] == source:
                weight[: carried[number], : carried[number]] = torch.eye(carried[number])
                continue
            old_weight, old_bias = old[source]
            weight[: len(old_bias), : old_weight.shape[1]] = old_weight
            bias[: len(old_bias)] = old_bias
    new_units = [torch.arange(units) >= kept for units, kept in zip(hidden, carried, strict=True)]
    begin_anew(grown, new_units, grown.state_dict(), [], rng)
    return grown
