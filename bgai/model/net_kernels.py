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

    After a ReLU about one unit in seven is on, and neighbouring rows have nearly the same ones: so
    four rows go together over the units that are on in any of them, four units at a time. A unit
    that is off adds exactly zero, so a row's result does not depend on the others. `rows` is a
    multiple of four, and `active` has room for one more than the inputs.
    """
    zero = np.float32(0)
    highest = np.empty(inputs.shape[1], np.float32)
    for row in range(0, rows, 4):
        a, b, c, d = inputs[row], inputs[row + 1], inputs[row + 2], inputs[row + 3]
        p, q, r, s = outputs[row], outputs[row + 1], outputs[row + 2], outputs[row + 3]
        for unit in range(len(highest)):
            a[unit], b[unit] = max(a[unit], zero), max(b[unit], zero)
            c[unit], d[unit] = max(c[unit], zero), max(d[unit], zero)
            highest[unit] = max(max(a[unit], b[unit]), max(c[unit], d[unit]))
        found = np.uint64(0)
        for unit in range(len(highest)):
            active[found] = unit
            found += np.uint64(highest[unit] > zero)
        p[:] = bias
        q[:] = bias
        r[:] = bias
        s[:] = bias
        fours = found // np.uint64(4) * np.uint64(4)
        for n in range(0, fours, 4):
            k0, k1, k2, k3 = active[n], active[n + 1], active[n + 2], active[n + 3]
            a0, a1, a2, a3 = a[k0], a[k1], a[k2], a[k3]
            b0, b1, b2, b3 = b[k0], b[k1], b[k2], b[k3]
            c0, c1, c2, c3 = c[k0], c[k1], c[k2], c[k3]
            d0, d1, d2, d3 = d[k0], d[k1], d[k2], d[k3]
            w0, w1, w2, w3 = weight[k0], weight[k1], weight[k2], weight[k3]
            for j in range(len(bias)):
                p[j] = p[j] + a0 * w0[j] + a1 * w1[j] + a2 * w2[j] + a3 * w3[j]
                q[j] = q[j] + b0 * w0[j] + b1 * w1[j] + b2 * w2[j] + b3 * w3[j]
                r[j] = r[j] + c0 * w0[j] + c1 * w1[j] + c2 * w2[j] + c3 * w3[j]
                s[j] = s[j] + d0 * w0[j] + d1 * w1[j] + d2 * w2[j] + d3 * w3[j]
        for n in range(fours, found):
            k0 = active[n]
            a0, b0, c0, d0, w0 = a[k0], b[k0], c[k0], d[k0], weight[k0]
            for j in range(len(bias)):
                p[j] += a0 * w0[j]
                q[j] += b0 * w0[j]
                r[j] += c0 * w0[j]
                s[j] += d0 * w0[j]


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
        rows = (end - block + 3) // 4 * 4
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
