"""The value net's gradient on the CPU: the chain rule by hand, for boards in any order.

After a ReLU few units are on, one in six behind the first layer and one in ten behind the second:
a row takes its time for those only, on the way forward and on the way back.
"""

from __future__ import annotations

import numpy as np

from bgai.engine.compiled import fast_math_kernel

_TILE = 16  # rows and columns that are turned at once


@fast_math_kernel
def _find_inputs(board, features, rows, values):  # type: ignore[no-untyped-def]
    """The first layer's inputs that are not zero, as rows of its weights `[28 * F, H]` and values.

    Returns how many there are; after the last there are three of row 0 and value 0.
    """
    found = np.uint64(0)
    nobody = own = opponent = np.int64(0)
    for slot in range(28):
        if slot < 26:
            count = np.int64(board[slot])
            own += max(count, nobody)
            opponent += min(count, nobody)
        else:
            count = np.int64(15 - own if slot == 26 else -15 - opponent)
        if count != 0:
            for feature in range(features.shape[2]):
                value = features[slot, count + 15, feature]
                rows[found] = slot * features.shape[2] + feature
                values[found] = value
                found += np.uint64(value != np.float32(0))
    for more in range(3):
        rows[found + np.uint64(more)] = 0
        values[found + np.uint64(more)] = 0
    return found


@fast_math_kernel
def write_first_layer(boards, features, weights, bias, hidden):  # type: ignore[no-untyped-def]
    """`hidden = relu(bias + inputs @ weights)`, `[N, H]`, for boards in any order.

    `features` is `[28, 31, F]` (see `encoding`), `weights` `[28, F, H]`.
    """
    zero = np.float32(0)
    by_row = weights.reshape(-1, weights.shape[2])
    rows = np.empty(len(by_row) + 3, np.int64)
    values = np.empty(len(by_row) + 3, np.float32)
    for i in range(len(boards)):
        found = _find_inputs(boards[i], features, rows, values)
        sums = hidden[i]
        sums[:] = bias
        for k in range(0, found, 4):
            v0, v1, v2, v3 = values[k], values[k + 1], values[k + 2], values[k + 3]
            w0, w1 = by_row[rows[k]], by_row[rows[k + 1]]
            w2, w3 = by_row[rows[k + 2]], by_row[rows[k + 3]]
            for unit in range(len(sums)):
                sums[unit] += (v0 * w0[unit] + v1 * w1[unit]) + (v2 * w2[unit] + v3 * w3[unit])
        for unit in range(len(sums)):
            sums[unit] = max(sums[unit], zero)


@fast_math_kernel
def write_first_layer_gradients(boards, features, hidden, gradients, weights, bias):  # type: ignore[no-untyped-def]
    """The gradients of weights `[28, F, H]` and bias, given those of `hidden` `[N, H]`."""
    zero = np.float32(0)
    weights[:] = zero
    bias[:] = zero
    by_row = weights.reshape(-1, weights.shape[2])
    rows = np.empty(len(by_row) + 3, np.int64)
    values = np.empty(len(by_row) + 3, np.float32)
    passed = np.empty(len(bias), np.float32)
    for i in range(len(boards)):
        found = _find_inputs(boards[i], features, rows, values)
        for unit in range(len(bias)):
            passed[unit] = gradients[i, unit] if hidden[i, unit] > zero else zero
            bias[unit] += passed[unit]
        for k in range(found):
            value, target = values[k], by_row[rows[k]]
            for unit in range(len(bias)):
                target[unit] += value * passed[unit]


@fast_math_kernel
def _turn(weight, turned):  # type: ignore[no-untyped-def]
    """`turned = weight.T`, tile by tile."""
    for top in range(0, weight.shape[0], _TILE):
        for left in range(0, weight.shape[1], _TILE):
            for row in range(top, min(top + _TILE, weight.shape[0])):
                for column in range(left, min(left + _TILE, weight.shape[1])):
                    turned[column, row] = weight[row, column]


@fast_math_kernel
def _find_active(values, active):  # type: ignore[no-untyped-def]
    """Which units of a row are not zero; returns how many. `active` has room for one more."""
    found = np.uint64(0)
    for unit in range(len(values)):
        active[found] = unit
        found += np.uint64(values[unit] != np.float32(0))
    return found


@fast_math_kernel
def _write_layer(inputs, turned, bias, is_last, outputs):  # type: ignore[no-untyped-def]
    """`outputs = inputs @ turned + bias`, through a ReLU unless it is the last layer."""
    zero = np.float32(0)
    active = np.empty(inputs.shape[1] + 1, np.uint64)
    for row in range(len(inputs)):
        x, y = inputs[row], outputs[row]
        found = _find_active(x, active)
        y[:] = bias
        fours = found // np.uint64(4) * np.uint64(4)
        for n in range(0, fours, 4):
            k0, k1, k2, k3 = active[n], active[n + 1], active[n + 2], active[n + 3]
            x0, x1, x2, x3 = x[k0], x[k1], x[k2], x[k3]
            w0, w1, w2, w3 = turned[k0], turned[k1], turned[k2], turned[k3]
            for j in range(len(y)):
                y[j] += (x0 * w0[j] + x1 * w1[j]) + (x2 * w2[j] + x3 * w3[j])
        for n in range(fours, found):
            xk, w = x[active[n]], turned[active[n]]
            for j in range(len(y)):
                y[j] += xk * w[j]
        if not is_last:
            for j in range(len(y)):
                y[j] = max(y[j], zero)


@fast_math_kernel
def _write_layer_gradients(inputs, weight, gradients, weight_gradient, bias_gradient, passed):  # type: ignore[no-untyped-def]
    """The gradients of a later layer's weight `[outputs, inputs]` and bias, and of its inputs.

    `inputs` `[N, inputs]` come out of a ReLU, and `passed` is their gradient before it; `gradients`
    `[N, outputs]` are given.
    """
    zero = np.float32(0)
    weight_gradient[:] = zero
    bias_gradient[:] = zero
    active = np.empty(len(bias_gradient) + 1, np.uint64)
    for row in range(len(inputs)):
        x, g, back = inputs[row], gradients[row], passed[row]
        found = _find_active(g, active)
        for unit in range(len(g)):
            bias_gradient[unit] += g[unit]
        back[:] = zero
        fours = found // np.uint64(4) * np.uint64(4)
        for n in range(0, fours, 4):
            j0, j1, j2, j3 = active[n], active[n + 1], active[n + 2], active[n + 3]
            g0, g1, g2, g3 = g[j0], g[j1], g[j2], g[j3]
            w0, w1, w2, w3 = weight[j0], weight[j1], weight[j2], weight[j3]
            for i in range(len(x)):
                back[i] += (g0 * w0[i] + g1 * w1[i]) + (g2 * w2[i] + g3 * w3[i])
            t0, t1 = weight_gradient[j0], weight_gradient[j1]
            t2, t3 = weight_gradient[j2], weight_gradient[j3]
            for i in range(len(x)):
                t0[i] += g0 * x[i]
                t1[i] += g1 * x[i]
                t2[i] += g2 * x[i]
                t3[i] += g3 * x[i]
        for n in range(fours, found):
            gj, w, target = g[active[n]], weight[active[n]], weight_gradient[active[n]]
            for i in range(len(x)):
                back[i] += gj * w[i]
                target[i] += gj * x[i]
        for i in range(len(x)):
            back[i] = back[i] if x[i] > zero else zero


@fast_math_kernel
def _write_logit_gradients(logits, targets, possible, gradients):  # type: ignore[no-untyped-def]
    """The gradient of the mean cross entropy for each logit; returns the summed loss.

    `gradients = (softmax(logits) - targets) / N` over the possible outcomes, 0 for the others.
    """
    loss = 0.0
    for row in range(len(logits)):
        highest = np.float32(-1e30)
        for outcome in range(6):
            if possible[row, outcome]:
                highest = max(highest, logits[row, outcome])
        total = np.float32(0)
        for outcome in range(6):
            weight = np.float32(0)
            if possible[row, outcome]:
                weight = np.exp(logits[row, outcome] - highest)
            gradients[row, outcome] = weight
            total += weight
        log_total = np.log(total) + highest
        for outcome in range(6):
            if possible[row, outcome]:
                loss += targets[row, outcome] * (log_total - logits[row, outcome])
                error = gradients[row, outcome] / total - targets[row, outcome]
                gradients[row, outcome] = error / np.float32(len(logits))
    return loss


@fast_math_kernel
def write_gradients(boards, targets, possible, features, first, later, room):  # type: ignore[no-untyped-def]
    """Write the gradient of the mean cross entropy for every weight; returns the summed loss.

    Args:
        boards: `[N, 26]`, with `targets` and `possible` `[N, 6]`.
        features: `[28, 31, F]`, see `encoding`.
        first: of the first layer: weights `[28, F, H]`, bias `[H]` and the gradients of both.
        later: the same of the other layers: weights `[outputs, inputs]`, biases, their gradients.
        room: to write to: the later weights turned; each layer's outputs and their gradients, at
            least `N` rows each.
    """
    first_weights, first_bias, first_weights_gradient, first_bias_gradient = first
    weights, biases, weight_gradients, bias_gradients = later
    turned, values, gradients = room
    rows, last = len(boards), len(weights) - 1
    write_first_layer(boards, features, first_weights, first_bias, values[0][:rows])
    for layer in range(len(weights)):
        _turn(weights[layer], turned[layer])
        inputs, outputs = values[layer][:rows], values[layer + 1][:rows]
        _write_layer(inputs, turned[layer], biases[layer], layer == last, outputs)
    loss = _write_logit_gradients(
        values[last + 1][:rows], targets, possible, gradients[last + 1][:rows]
    )
    for layer in range(last, -1, -1):
        _write_layer_gradients(
            values[layer][:rows],
            weights[layer],
            gradients[layer + 1][:rows],
            weight_gradients[layer],
            bias_gradients[layer],
            gradients[layer][:rows],
        )
    write_first_layer_gradients(
        boards,
        features,
        values[0][:rows],
        gradients[0][:rows],
        first_weights_gradient,
        first_bias_gradient,
    )
    return loss
