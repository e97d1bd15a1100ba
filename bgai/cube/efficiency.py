"""Cube efficiency x by kind of position and by owner of the cube.

x says how much of a live cube's value a cube really has (0 dead, 1 live). The constants stand in a
small JSON file, so that fitted ones replace them without a change of code:

    {"format": 1, "source": "...", "kinds": {"contact": {"centred": x, "player": x, "opponent": x}}}

with every kind of `FITTED_KINDS`; the owner is the one seen by the player about to roll. Beside
them there is the last roll, where x is 0 by the rules.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bgai.cube.state_rows import OPPONENT, OWNER, OWNERS, StateRows
from bgai.engine import Boards
from bgai.engine.compiled import kernel
from bgai.engine.files import parse_json

FORMAT = 1
KINDS = (
    "last roll",
    "last checkers",
    "bear-off",
    "short race",
    "long race",
    "crashed",
    "contact",
)
LAST_ROLL, LAST_CHECKERS, BEAR_OFF, SHORT_RACE, LONG_RACE, CRASHED, CONTACT = range(len(KINDS))
FITTED_KINDS = KINDS[1:]

LONG_RACE_PIPS = 70  # the mean of both sides' counts from which a race is long
CRASHED_CHECKERS = 8  # this many on the own 1 and 2 points or off: no structure left
LAST_CHECKERS_COUNT = 2  # what any roll may bear off
SURE_TO_BEAR_OFF_PIPS = 3  # so few checkers on so few pips: even 2-1 takes them off


def position_kinds(boards: Boards) -> npt.NDArray[np.int64]:
    """Which of `KINDS` each board is, `[N]` from `[N, 26]`.

    Without contact: a *last roll* when a side is sure to bear off its last checkers on its next
    roll, so that nobody can use the cube after this turn; a *bear-off* when all checkers are home,
    and *last checkers* when a side then has two at most; else a race, long or short.
    With contact: *crashed* when a side has buried most of its checkers.
    """
    kinds = np.empty(len(boards), np.int64)
    _write_kinds(boards, kinds)
    return kinds


@kernel
def _write_kinds(boards, kinds):  # type: ignore[no-untyped-def]
    for row in range(len(boards)):
        board = boards[row]
        left, pips, buried = np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)
        rearmost = np.zeros(2, np.int64)
        for slot in range(26):
            side = 0 if board[slot] > 0 else 1
            count, point = abs(board[slot]), slot if side == 0 else 25 - slot
            if count > 0:
                left[side] += count
                pips[side] += count * point
                buried[side] += count if point <= 2 else 0
                rearmost[side] = max(rearmost[side], point)
        # in one numbering the sides have passed each other when these do not reach the 25 together
        if rearmost[0] + rearmost[1] > 25:
            is_crashed = (buried + 15 - left).max() >= CRASHED_CHECKERS
            kinds[row] = CRASHED if is_crashed else CONTACT
            continue
        kinds[row] = LONG_RACE if pips.sum() >= 2 * LONG_RACE_PIPS else SHORT_RACE
        if rearmost.max() <= 6:
            kinds[row] = LAST_CHECKERS if left.min() <= LAST_CHECKERS_COUNT else BEAR_OFF
        for side in range(2):
            if left[side] <= LAST_CHECKERS_COUNT and pips[side] <= SURE_TO_BEAR_OFF_PIPS:
                kinds[row] = LAST_ROLL


@dataclass(frozen=True, eq=False)
class CubeEfficiency:
    """x for every position.

    Attributes:
        source: where the constants come from.
        constants: `[kinds, owners]` in the order of `KINDS` and `OWNERS`.
    """

    source: str
    constants: npt.NDArray[np.float64]

    def __call__(self, boards: Boards, states: StateRows) -> npt.NDArray[np.float64]:
        """`[N, 2]`: x with the cube where it is, and x after a double and a take.

        Args:
            boards: `[N, 26]`.
            states: `[N, 9]`.
        """
        of_owners = self.constants[position_kinds(boards)]
        before = np.take_along_axis(of_owners, states[:, [OWNER]], axis=1)
        return np.concatenate([before, of_owners[:, [OPPONENT]]], axis=1)


def load_efficiency(path: Path) -> CubeEfficiency:
    """Constants from a JSON file.

    Raises:
        ValueError: the file has another form, or a constant is outside 0..1; names both.
        OSError: the file cannot be read.
    """
    try:
        return parse_efficiency(parse_json(path.read_bytes(), "a file of cube efficiencies"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


@cache
def default_efficiency() -> CubeEfficiency:
    """The constants that ship."""
    text = (files("bgai.cube") / "data" / "efficiency.json").read_text(encoding="utf-8")
    return parse_efficiency(json.loads(text))


def parse_efficiency(content: Any) -> CubeEfficiency:
    """Constants from the content of such a file.

    Raises:
        ValueError: it has another form, or a constant is outside 0..1.
    """
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"expected cube efficiencies of format {FORMAT}, got {content!r:.80}")
    kinds = content.get("kinds")
    if not isinstance(kinds, dict) or set(kinds) != set(FITTED_KINDS):
        raise ValueError(f"kinds must be {', '.join(FITTED_KINDS)}, got {kinds!r:.80}")
    constants = np.zeros((len(KINDS), len(OWNERS)))
    for kind, of_owners in kinds.items():
        names = [owner.value for owner in OWNERS]
        if not isinstance(of_owners, dict) or set(of_owners) != set(names):
            raise ValueError(f"{kind} must have x for {', '.join(names)}, got {of_owners!r:.80}")
        for column, name in enumerate(names):
            constants[KINDS.index(kind), column] = _checked(of_owners[name], f"{kind}, {name}")
    constants.flags.writeable = False
    return CubeEfficiency(str(content.get("source", "unknown")), constants)


def _checked(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"x must be in [0, 1], got {value!r} for {where}")
    return float(value)
