"""The value net's arithmetic on the CPU, for many boards that differ little from row to row.

The first layer is a sum of table rows, one for each of the 28 slots of a board (see `encoding`).
Afterstates of one board follow each other, so the sum is carried from row to row and only the
slots that changed are exchanged. The table's numbers lie on a grid of 2**-16 and stay small, so
these float sums are exact: a board's value does not depend on its neighbours.
"""

from __future__ import annotations

import numpy as np

from bgai.engine.compiled import fast_math_kernel, fused_kernel

OUTPUTS_AT_ONCE = 8  # what a vector register holds; layers are filled up to a multiple of it
_ROWS_AT_ONCE = 64
GRID = 2.0**-16


@fast_math_kernel
def _find_changes(board, before, off, added, removed):  # type: ignore[no-untyped-def]
    """The table rows that `board` has and `before` has not, and the other way round.

    `off` holds the borne-off counts that belong to `before` and receives the board's. Returns the
    number of changes, an even one: the last may be from nothing to nothing (table row 15 is zero).
    """
    changes = np.uint64(0)  # unsigned: numba then knows that no index counts from the end
    own = opponent = np.int8(0)
    for slot in range(26):
        count = board[slot]
        own = np.int8(own + max(count, np.int8(0)))
        opponent = np.int8(opponent + min(count, np.int8(0)))
    for slot in range(26):
        added[changes] = slot * 31 + board[slot] + 15
        removed[changes] = slot * 31 + before[slot] + 15
        changes += np.uint64(board[slot] != before[slot])
    if 15 - own != off[0]:
        added[changes] = 26 * 31 + 30 - own
        removed[changes] = 26 * 31 + 15 + off[0]
        off[0] = 15 - own
        changes += np.uint64(1)
    if -15 - opponent != off[1]:
        added[changes] = 27 * 31 - opponent
        removed[changes] = 27 * 31 + 15 + off[1]
        off[1] = -15 - opponent
        changes += np.uint64(1)
    added[changes] = removed[changes] = 15
    return changes + changes % np.uint64(2)


@fast_math_kernel
def _write_first_layer(boards, start, stop, table, bias, sums, hidden):  # type: ignore[no-untyped-def]
    """`hidden[i] = bias + sum of the table rows of boards[start + i]`."""
    before = np.zeros(26, np.int8)
    off = np.zeros(2, np.int64)
    added = np.empty(32, np.int64)
    removed = np.empty(32, np.int64)
    sums[:] = bias
    for row in range(start, stop):
        changes = _find_changes(boards[row], before, off, added, removed)
        before = boards[row]
        for k in range(0, changes, 2):
            new0, new1 = table[added[k]], table[added[k + 1]]
            old0, old1 = table[removed[k]], table[removed[k + 1]]
            for unit in range(len(sums)):
                sums[unit] += (new0[unit] - old0[unit]) + (new1[unit] - old1[unit])
        hidden[row - start] = sums


@fused_kernel
def _write_layer(inputs, rows, weight, bias, outputs, active):  # type: ignore[no-untyped-def]
    """`outputs = relu(inputs) @ weight + bias` for `weight` `[inputs, outputs]`.

    After a ReLU about one unit in five is on, and neighbouring rows have nearly the same ones: so
    two rows go together over the units that are on in either, four units at a time. A unit that is
    off adds exactly zero, so a row's result does not depend on the other one. `rows` is even, and
    `active` has room for every input.
    """
    zero = np.float32(0)
    for row in range(0, rows, 2):
        x, z = inputs[row], inputs[row + 1]
        y, v = outputs[row], outputs[row + 1]
        found = np.uint64(0)
        for unit in range(inputs.shape[1]):
            x[unit], z[unit] = max(x[unit], zero), max(z[unit], zero)
            active[found] = unit
            found += np.uint64(max(x[unit], z[unit]) > zero)
        y[:] = bias
        v[:] = bias
        fours = found // np.uint64(4) * np.uint64(4)
        for n in range(0, fours, 4):
            k0, k1, k2, k3 = active[n], active[n + 1], active[n + 2], active[n + 3]
            x0, x1, x2, x3 = x[k0], x[k1], x[k2], x[k3]
            z0, z1, z2, z3 = z[k0], z[k1], z[k2], z[k3]
            w0, w1, w2, w3 = weight[k0], weight[k1], weight[k2], weight[k3]
            for j in range(len(bias)):
                y[j] = y[j] + x0 * w0[j] + x1 * w1[j] + x2 * w2[j] + x3 * w3[j]
                v[j] = v[j] + z0 * w0[j] + z1 * w1[j] + z2 * w2[j] + z3 * w3[j]
        for n in range(fours, found):
            k0 = active[n]
            x0, z0, w0 = x[k0], z[k0], weight[k0]
            for j in range(len(bias)):
                y[j] += x0 * w0[j]
                v[j] += z0 * w0[j]


@fast_math_kernel
def _write_softmax(logits, possible, weights, probs):  # type: ignore[no-untyped-def]
    """The softmax over the possible outcomes of one board; the others are exactly zero.

    `exp(x)` is a Taylor polynomial at x / 64, to the 64th power: its relative error is below 1e-5
    down to x = -10, and plain arithmetic on eight numbers at a time.
    """
    lowest = np.float32(-1e30)
    highest = lowest
    for outcome in range(6):
        weights[outcome] = logits[outcome] if possible[outcome] else lowest
        highest = max(highest, weights[outcome])
    for outcome in range(8):
        x = max((weights[outcome] - highest) * np.float32(1 / 64), np.float32(-1))
        power = np.float32(1 / 720)
        power = power * x + np.float32(1 / 120)
        power = power * x + np.float32(1 / 24)
        power = power * x + np.float32(1 / 6)
        power = power * x + np.float32(1 / 2)
        power = power * x + np.float32(1)
        power = power * x + np.float32(1)
        power *= power
        power *= power
        power *= power
        power *= power
        power *= power
        weights[outcome] = power * power
    total = np.float32(0)
    for outcome in range(6):
        weights[outcome] = weights[outcome] if possible[outcome] else np.float32(0)
        total += weights[outcome]
    share = np.float32(1) / total
    for outcome in range(6):
        probs[outcome] = weights[outcome] * share


@fast_math_kernel
def write_probs(boards, possible, table, bias, weights, biases, probs):  # type: ignore[no-untyped-def]
    """Evaluate `boards` `[N, 26]` into `probs` `[N, 6]`.

    `table` is `[28 * 31, H]` on the grid, `weights` `[inputs, outputs]` and `biases` those of the
    later layers, the last giving the six logits and filled up to eight.
    """
    sums = np.empty(table.shape[1], np.float32)
    hidden = np.zeros((_ROWS_AT_ONCE, table.shape[1]), np.float32)
    widest = table.shape[1]
    for layer in range(len(weights)):
        widest = max(widest, weights[layer].shape[1])
    active = np.empty(widest + 1, np.uint64)
    outcome_weights = np.zeros(8, np.float32)
    for block in range(0, len(boards), _ROWS_AT_ONCE):
        end = min(block + _ROWS_AT_ONCE, len(boards))
        rows = (end - block + 1) // 2 * 2
        _write_first_layer(boards, block, end, table, bias, sums, hidden)
        inputs = hidden
        for layer in range(len(weights)):
            outputs = np.empty((_ROWS_AT_ONCE, weights[layer].shape[1]), np.float32)
            _write_layer(inputs, rows, weights[layer], biases[layer], outputs, active)
            inputs = outputs
        for row in range(block, end):
            _write_softmax(inputs[row - block], possible[row], outcome_weights, probs[row])


@fast_math_kernel
def write_scout_equities(boards, table, bias, output, equities):  # type: ignore[no-untyped-def]
    """`equities = relu(bias + sums of table rows) @ output` for `boards` `[N, 26]`.

    The sums are carried from row to row without the grid: a scout's rounding may drift a little.
    """
    zero = np.float32(0)
    before = np.zeros(26, np.int8)
    off = np.zeros(2, np.int64)
    added = np.empty(32, np.int64)
    removed = np.empty(32, np.int64)
    sums = bias.copy()
    for row in range(len(boards)):
        changes = _find_changes(boards[row], before, off, added, removed)
        before = boards[row]
        for k in range(0, changes, 2):
            new0, new1 = table[added[k]], table[added[k + 1]]
            old0, old1 = table[removed[k]], table[removed[k + 1]]
            for unit in range(len(sums)):
                sums[unit] += (new0[unit] - old0[unit]) + (new1[unit] - old1[unit])
        equity = zero
        for unit in range(len(sums)):
            equity += max(sums[unit], zero) * output[unit]
        equities[row] = equity


@fast_math_kernel
def _find_rows(board, rows):  # type: ignore[no-untyped-def]
    """The table rows of a board's occupied slots; returns how many, filled up to a multiple of 4.

    Row 15 is filled in: it stands for an empty slot and is zero.
    """
    found = np.uint64(0)
    own = opponent = 0
    for slot in range(26):
        own += max(board[slot], 0)
        opponent += min(board[slot], 0)
        rows[found] = slot * 31 + board[slot] + 15
        found += np.uint64(board[slot] != 0)
    rows[found] = 26 * 31 + 30 - own
    found += np.uint64(own != 15)
    rows[found] = 27 * 31 - opponent
    found += np.uint64(opponent != -15)
    while found % np.uint64(4) != 0:
        rows[found] = 15
        found += np.uint64(1)
    return found


@fast_math_kernel
def write_first_layer(boards, table, bias, hidden):  # type: ignore[no-untyped-def]
    """`hidden = relu(bias + the sum of each board's table rows)`, `[N, H]`; boards in any order."""
    zero = np.float32(0)
    rows = np.empty(32, np.int64)
    for i in range(len(boards)):
        found = _find_rows(boards[i], rows)
        sums = hidden[i]
        sums[:] = bias
        for k in range(0, found, 4):
            t0, t1, t2, t3 = (
                table[rows[k]],
                table[rows[k + 1]],
                table[rows[k + 2]],
                table[rows[k + 3]],
            )
            for unit in range(len(sums)):
                sums[unit] += (t0[unit] + t1[unit]) + (t2[unit] + t3[unit])
        for unit in range(len(sums)):
            sums[unit] = max(sums[unit], zero)


@fast_math_kernel
def add_first_layer_gradients(boards, hidden, gradients, table, bias):  # type: ignore[no-untyped-def]
    """Add the gradients of table and bias, given those of `hidden` `[N, H]`."""
    zero = np.float32(0)
    rows = np.empty(32, np.int64)
    passed = np.empty(len(bias), np.float32)
    for i in range(len(boards)):
        found = _find_rows(boards[i], rows)
        for unit in range(len(bias)):
            passed[unit] = gradients[i, unit] if hidden[i, unit] > zero else zero
            bias[unit] += passed[unit]
        for k in range(found):
            target = table[rows[k]]
            for unit in range(len(bias)):
                target[unit] += passed[unit]
    table[15] = zero  # the row that stood for nothing


@fast_math_kernel
def write_layer_gradients(inputs, weight, gradients, weight_gradient, bias_gradient, passed):  # type: ignore[no-untyped-def]
    """The gradients of a later layer's weight `[outputs, inputs]` and bias, and of its inputs.

    After a ReLU few units are on: a row takes its time for those of its outputs that pass a
    gradient on, four of them at once. `inputs` `[N, inputs]` come out of a ReLU, and `passed` is
    their gradient before it; `gradients` `[N, outputs]` are given.
    """
    zero = np.float32(0)
    weight_gradient[:] = zero
    bias_gradient[:] = zero
    active = np.empty(len(bias_gradient) + 1, np.uint64)
    for row in range(len(inputs)):
        x, g, back = inputs[row], gradients[row], passed[row]
        found = np.uint64(0)
        for unit in range(len(g)):
            bias_gradient[unit] += g[unit]
            active[found] = unit
            found += np.uint64(g[unit] != zero)
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
def spread_weights(features, weights, table):  # type: ignore[no-untyped-def]
    """The table `[28 * 31, H]`: `features` `[28, 31, F]` times `weights` `[28, F, H]`."""
    for slot in range(features.shape[0]):
        for count in range(features.shape[1]):
            row = table[slot * features.shape[1] + count]
            row[:] = 0
            for feature in range(features.shape[2]):
                value = features[slot, count, feature]
                if value != 0:
                    weight = weights[slot, feature]
                    for unit in range(len(row)):
                        row[unit] += value * weight[unit]


@fast_math_kernel
def sum_table_gradients(features, table, weights):  # type: ignore[no-untyped-def]
    """The gradient of `weights` `[28, F, H]`, given that of the `table` they were spread over."""
    weights[:] = 0
    for slot in range(features.shape[0]):
        for count in range(features.shape[1]):
            row = table[slot * features.shape[1] + count]
            for feature in range(features.shape[2]):
                value = features[slot, count, feature]
                if value != 0:
                    weight = weights[slot, feature]
                    for unit in range(len(row)):
                        weight[unit] += value * row[unit]


@fast_math_kernel
def write_logit_gradients(logits, targets, possible, gradients):  # type: ignore[no-untyped-def]
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
