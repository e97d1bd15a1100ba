"""Decisions with their plays, and the values that a judge has given to some of them.

A set lies in one npz file: `head` (JSON: format, version and what made the set), `boards`, `dice`,
`after` and `values`; `ValuedDecisions` says what they are.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from bgai.engine import (
    START,
    UNFINISHED,
    Boards,
    Dice,
    Offsets,
    equity,
    legal_afterstates,
    opening_roll,
    outcomes,
    roll,
)
from bgai.engine.compiled import map_slices
from bgai.engine.files import write_whole
from bgai.search import Evaluator
from bgai.search.select import choose_plays

FORMAT = "bgai-valued-decisions"
VERSION = 1
FEWEST_PLAYS = 2  # of each decision: also a clear one shows how far its best plays are apart

MOST_PLIES = 500  # of a game: those of a net that has learned something are a tenth as long

_PLAYS_AT_ONCE = 128
_PLAYS_PER_THREAD = 16
_SECONDS_PER_SAVE = 20

Values: TypeAlias = npt.NDArray[np.float32]


@dataclass(frozen=True)
class About:
    """What made a set of valued decisions.

    Attributes:
        player: the net whose games the decisions are from.
        judge: the net that valued the plays, looking `plies` ahead.
        seed: of the dice and of the draw.
    """

    player: str
    judge: str
    plies: int
    decisions: int
    seed: int


@dataclass(frozen=True, eq=False)
class ValuedDecisions:
    """Decisions with all their plays, some of which are valued.

    Attributes:
        boards: `[N, 26]`, seen by the player to move.
        dice: `[N, 2]`.
        after: `[M, 26]`, `offsets`: `[N + 1]`, as from `legal_afterstates`.
        values: `[M]` points for the player who has just moved; NaN where the judge was not asked.
    """

    about: About
    boards: Boards
    dice: Dice
    after: Boards
    offsets: Offsets
    values: Values


def draw_decisions(evaluator: Evaluator, count: int, seed: int) -> tuple[Boards, Dice]:
    """Decisions of whole games that an evaluator plays with itself.

    Returns:
        boards `[count, 26]` and dice `[count, 2]`, drawn at random among the decisions of `count`
        games in which there was more than one play. Games without end are broken off.
    """
    rng = np.random.default_rng(seed)
    boards = np.repeat(START[None], count, axis=0)
    dice = opening_roll(rng, count)
    met: list[tuple[Boards, Dice]] = []
    while len(boards) and len(met) < MOST_PLIES:
        has_choice = np.diff(legal_afterstates(boards, dice)[1]) > 1
        met.append((boards[has_choice], dice[has_choice]))
        after, _ = choose_plays(evaluator, boards, dice)
        boards = after[outcomes(after) == UNFINISHED]
        dice = roll(rng, len(boards))
    all_boards, all_dice = (np.concatenate(parts) for parts in zip(*met, strict=True))
    drawn = rng.choice(len(all_boards), count, replace=False)
    return all_boards[drawn], all_dice[drawn]


def without_values(about: About, boards: Boards, dice: Dice) -> ValuedDecisions:
    """Decisions of which no play is valued yet."""
    after, offsets = legal_afterstates(boards, dice)
    return ValuedDecisions(
        about, boards, dice, after, offsets, np.full(len(after), np.nan, np.float32)
    )


def worth_considering(
    scores: npt.NDArray[np.floating], offsets: Offsets, most: int, margin: float
) -> npt.NDArray[np.bool_]:
    """The best plays of each decision: at least two, at most `most`, within `margin` of the best.

    Args:
        scores: `[M]`, what the mover wants.
        offsets: `[N + 1]`.

    Returns:
        `[M]`; the row that `best_afterstates` takes is always among them.
    """
    counts = np.diff(offsets)
    decisions = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((-scores, decisions))  # stable: of equals the first comes first
    places = np.empty(len(scores), np.int64)
    places[order] = np.arange(len(scores)) - np.repeat(offsets[:-1], counts)
    best = np.repeat(np.maximum.reduceat(scores, offsets[:-1]), counts)
    considered: npt.NDArray[np.bool_] = (places < FEWEST_PLAYS) | (
        (places < most) & (scores >= best - margin)
    )
    return considered


def write_decisions(path: Path, valued: ValuedDecisions) -> None:
    """Write a set; a reader finds the old file or the new one, never half of it."""
    content = io.BytesIO()
    head = {"format": FORMAT, "version": VERSION, "about": asdict(valued.about)}
    np.savez_compressed(
        content,
        head=np.array(json.dumps(head)),
        boards=valued.boards,
        dice=valued.dice,
        after=valued.after,
        values=valued.values,
    )
    write_whole(path, content.getvalue())


def read_decisions(path: Path) -> ValuedDecisions:
    """A set from a file.

    Raises:
        ValueError: the file is damaged, of another format version, or its plays are not those that
            the rules allow; names the file.
        OSError: the file cannot be read.
    """
    content = io.BytesIO(path.read_bytes())
    try:
        with np.load(content, allow_pickle=False) as arrays:
            return _checked(arrays)
    except (ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path}: no sound set of valued decisions: {error}") from None


def _checked(arrays: Mapping[str, Any]) -> ValuedDecisions:
    head = json.loads(str(arrays["head"]))
    if (head["format"], head["version"]) != (FORMAT, VERSION):
        raise ValueError(f"{head['format']} {head['version']}, this is {FORMAT} {VERSION}")
    valued = without_values(About(**head["about"]), arrays["boards"], arrays["dice"])
    values = arrays["values"]
    if not np.array_equal(valued.after, arrays["after"]) or values.shape != valued.values.shape:
        raise ValueError("its plays are not those of this version of the rules")
    return replace(valued, values=values)


def value_plays(path: Path, valued: ValuedDecisions, rows: Sequence[int], judge: Evaluator) -> None:
    """Let the judge value plays, in place, and keep the file up to date.

    Args:
        rows: of `valued.after`.
    """
    saved = monotonic()
    try:
        with tqdm(total=len(rows), unit="play") as bar:
            for start in range(0, len(rows), _PLAYS_AT_ONCE):
                part = rows[start : start + _PLAYS_AT_ONCE]
                valued.values[part] = values_of(judge, valued.after[part])
                bar.update(len(part))
                if monotonic() - saved > _SECONDS_PER_SAVE:
                    write_decisions(path, valued)
                    saved = monotonic()
    finally:  # Ctrl-C loses nothing that was valued
        write_decisions(path, valued)


def values_of(evaluator: Evaluator, after: Boards) -> Values:
    """`[K, 26]` afterstates -> `[K]` points for the player who has just moved; on all cores."""
    parts = map_slices(
        lambda start, stop: -equity(evaluator(after[start:stop])), len(after), _PLAYS_PER_THREAD
    )
    return np.concatenate(parts).astype(np.float32)
