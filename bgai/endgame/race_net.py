"""A small net that knows how many rolls a side takes where no table does.

It sees one side alone, as races are run: 24 points and the checkers borne off, two hidden layers
with a ReLU, and for each aim the softmax over the number of rolls. Their means are outputs of their
own, which rank plays without the rest. Both begin with what pips alone say: no mean can be less
than the pips still to go by the pips of a roll.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, fields
from functools import cache, cached_property
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from bgai.endgame.rolls import AIMS, COLUMNS, TO_FIRST, TO_LAST, TO_LEAVE, Rolls, Sides
from bgai.engine import CHECKERS
from bgai.engine.board import HOME, POINTS
from bgai.engine.compiled import fast_math_kernel

Array = npt.NDArray[np.float32]

SLOTS_OF_A_SIDE = POINTS + 1  # the last one counts what is off
COUNTS = CHECKERS + 1

PIPS_OF_A_ROLL = 49 / 6

_THEIR_HOME = POINTS - HOME  # points above are the opponent's home
_POINTS = np.arange(1, POINTS + 1)
_PIPS_TO_GO = np.stack(
    [_POINTS, np.maximum(_POINTS - HOME, 0), np.maximum(_POINTS - _THEIR_HOME, 0)], axis=1
)
_STARTS = np.array([TO_LAST.start, TO_FIRST.start, TO_LEAVE.start, COLUMNS])
_FIRST, _LEAVE = TO_FIRST.start, TO_LEAVE.start


def _features() -> Array:
    """How a count 0..15 is seen, `[16, 4]`."""
    counts = np.arange(COUNTS)
    return np.stack(
        [counts >= 1, counts >= 2, counts >= 3, np.maximum(counts - 3, 0) / 2], axis=1
    ).astype(np.float32)


FEATURES = _features()


def least_rolls(sides: Sides) -> Array:
    """The least that the mean number of rolls for each aim can be, `[M, 24]` -> `[M, 3]`."""
    least: Array = sides.astype(np.float32) @ (_PIPS_TO_GO / PIPS_OF_A_ROLL).astype(np.float32)
    return least


def first_guess(least: Array) -> tuple[Array, Array]:
    """A normal distribution of the rolls for each aim, from `least_rolls`: mean and variance."""
    mean = least + np.float32(0.5)
    return mean, np.float32(0.3) * mean + np.float32(0.3)


@dataclass(frozen=True, eq=False)
class RaceNet:
    """The weights, and what the net says with them."""

    first: Array
    """`[25, 4, H]`, by slot and feature."""
    first_bias: Array
    """`[H]`."""
    second: Array
    """`[H, I]`."""
    second_bias: Array
    """`[I]`."""
    output: Array
    """`[I, 128]`."""
    output_bias: Array
    """`[128]`."""
    means: Array
    """`[I, 3]`."""
    means_bias: Array
    """`[3]`."""

    def __post_init__(self) -> None:
        hidden, inner = self.second.shape
        expected = [
            (SLOTS_OF_A_SIDE, FEATURES.shape[1], hidden),
            (hidden,),
            (hidden, inner),
            (inner,),
            (inner, COLUMNS),
            (COLUMNS,),
            (inner, len(AIMS)),
            (len(AIMS),),
        ]
        got = [array.shape for array in self.arrays().values()]
        if got != expected:
            raise ValueError(f"a race net's weights must have the shapes {expected}, got {got}")
        if not all(np.isfinite(array).all() for array in self.arrays().values()):
            raise ValueError("a race net's weights are not all finite numbers")

    def arrays(self) -> dict[str, Array]:
        """The weights by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def rolls(self, sides: Sides) -> Rolls:
        """`[M, 24]` -> `[M, 128]`."""
        rolls = np.empty((len(sides), COLUMNS), np.float32)
        mean, variance = first_guess(least_rolls(sides))
        _write_rolls(
            sides, *self._body(), self.output, self.output_bias, mean, 0.5 / variance, rolls
        )
        return rolls

    def mean_rolls(self, sides: Sides) -> Array:
        """The mean number of rolls for each aim, `[M, 24]` -> `[M, 3]`, quickly."""
        means = least_rolls(sides)
        _write_means(sides, *self._body(), self.means, self.means_bias, means)
        return means

    @cached_property
    def _table(self) -> Array:
        """The first layer by slot and count, `[25 * 16, H]`."""
        table: Array = FEATURES @ self.first
        return table.reshape(-1, table.shape[-1])

    def _body(self) -> tuple[Array, ...]:
        return self._table, self.first_bias, self.second, self.second_bias


@cache
def load_race_net() -> RaceNet:
    """The net that comes with the package; `scripts/learn_races.py` made it."""
    content = (files("bgai.endgame") / "data" / "races.npz").read_bytes()
    with np.load(io.BytesIO(content)) as arrays:
        return RaceNet(**{field.name: arrays[field.name] for field in fields(RaceNet)})


@fast_math_kernel
def _write_softmax(logits, start, stop, chances):  # type: ignore[no-untyped-def]
    """The softmax over the columns after `start`: at `start` it says that nothing is left to do.

    `exp(x)` is a Taylor polynomial at x / 64, to the 64th power, as for the value net.
    """
    highest = np.float32(-1e30)
    for column in range(start + 1, stop):
        highest = max(highest, logits[column])
    total = np.float32(0)
    for column in range(start + 1, stop):
        x = max((logits[column] - highest) * np.float32(1 / 64), np.float32(-1))
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
        power *= power
        chances[column] = power
        total += power
    share = np.float32(1) / total
    chances[start] = np.float32(0)
    for column in range(start + 1, stop):
        chances[column] *= share


@fast_math_kernel
def _write_layers(side, table, first_bias, second, second_bias, hidden, inner):  # type: ignore[no-untyped-def]
    """The second layer of one side; returns the checkers left and the highest point, from 0."""
    hidden[:] = first_bias
    left = highest = 0
    for point in range(POINTS):
        count = side[point]
        if count > 0:
            left += count
            highest = point
            weights = table[point * COUNTS + count]
            for unit in range(len(hidden)):
                hidden[unit] += weights[unit]
    weights = table[POINTS * COUNTS + CHECKERS - left]
    for unit in range(len(hidden)):
        hidden[unit] += weights[unit]
    _write_product(hidden, second, second_bias, inner)
    return left, highest


@fast_math_kernel
def _write_product(inputs, weight, bias, outputs):  # type: ignore[no-untyped-def]
    """`outputs = relu(inputs) @ weight + bias`."""
    outputs[:] = bias
    for unit in range(len(inputs)):
        value = inputs[unit]
        if value > np.float32(0):
            for column in range(len(outputs)):
                outputs[column] += value * weight[unit, column]


@fast_math_kernel
def _write_rolls(  # type: ignore[no-untyped-def]
    sides, table, first_bias, second, second_bias, output, output_bias, mean, sharpness, rolls
):
    hidden, inner = np.empty_like(first_bias), np.empty_like(second_bias)
    logits = np.empty_like(output_bias)
    for row in range(len(sides)):
        left, highest = _write_layers(
            sides[row], table, first_bias, second, second_bias, hidden, inner
        )
        _write_product(inner, output, output_bias, logits)
        for aim in range(len(_STARTS) - 1):
            for column in range(_STARTS[aim], _STARTS[aim + 1]):
                distance = np.float32(column - _STARTS[aim]) - mean[row, aim]
                logits[column] -= distance * distance * sharpness[row, aim]
            _write_softmax(logits, _STARTS[aim], _STARTS[aim + 1], rolls[row])
        if left < CHECKERS:
            rolls[row, _FIRST:_LEAVE] = 0
            rolls[row, _FIRST] = 1
        if highest < _THEIR_HOME:
            rolls[row, _LEAVE:] = 0
            rolls[row, _LEAVE] = 1


@fast_math_kernel
def _write_means(  # type: ignore[no-untyped-def]
    sides, table, first_bias, second, second_bias, weight, bias, means
):
    hidden, inner = np.empty_like(first_bias), np.empty_like(second_bias)
    more = np.empty_like(bias)
    for row in range(len(sides)):
        left, highest = _write_layers(
            sides[row], table, first_bias, second, second_bias, hidden, inner
        )
        _write_product(inner, weight, bias, more)
        for aim in range(len(more)):
            means[row, aim] += more[aim]
        if left < CHECKERS:
            means[row, 1] = 0
        if highest < _THEIR_HOME:
            means[row, 2] = 0
