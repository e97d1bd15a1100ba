"""Pubeval: Gerald Tesauro's public benchmark player.

Two linear functions of 122 inputs, one for races and one for contact, posted with their weights
to rec.games.backgammon on 11 February 1993 (`data/pubeval_weights.json`).
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from bgai.engine import CHECKERS, Boards, Offsets, has_contact, legal_afterstates
from bgai.engine.compiled import kernel, map_slices
from bgai.search import best_afterstates

_COUNTS = 2 * CHECKERS + 1  # a slot holds -15 ... 15 checkers
_BOARDS_PER_THREAD = 256
_FINISHED = 1e6  # more than any sum of weights


class PubevalPlayer:
    """Plays the afterstate with the highest score."""

    name = "pubeval"

    def choose(self, boards: Boards, dice: npt.NDArray[np.int64]) -> Boards:
        """`[B, 26]`, `[B, 2]` -> `[B, 26]` afterstates, seen by the next player."""
        after, offsets = legal_afterstates(boards, dice)
        scores = pubeval_scores(after, offsets, is_race=~has_contact(boards))
        return after[best_afterstates(scores, offsets)]


def pubeval_scores(
    after: Boards, offsets: Offsets, is_race: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """How good each afterstate is for the player who has just moved; a won game beats all.

    Args:
        after: `[M, 26]`, seen by the *next* player.
        offsets: `[B + 1]`: which rows belong to which board.
        is_race: `[B]`, whether the position *before* the play had no contact.

    Returns:
        `[M]`, without unit; comparable within one board only.
    """
    tables = _tables()
    scores = np.empty(len(after))
    map_slices(
        lambda start, stop: _write_scores(
            after, offsets[start : stop + 1], is_race[start:stop], tables, scores
        ),
        len(is_race),
        _BOARDS_PER_THREAD,
    )
    return scores


@kernel
def _write_scores(after, offsets, is_race, tables, scores):  # type: ignore[no-untyped-def]
    for board in range(len(is_race)):
        table = tables[1 if is_race[board] else 0]
        for row in range(offsets[board], offsets[board + 1]):
            score = 0.0
            left = 0
            for slot in range(26):
                count = after[row, slot]
                score += table[slot, count + 15]
                if count < 0:
                    left -= count
            scores[row] = _FINISHED if left == 0 else score + table[26, 15 - left]


@cache
def _tables() -> npt.NDArray[np.float64]:
    """What every slot adds to the score, `[2, 27, 31]`: contact and race.

    `[slot, count + 15]` for the 26 slots as the next player sees them, then `[26, borne off]`.
    """
    text = files("bgai.evaluation.opponents").joinpath("data/pubeval_weights.json").read_text()
    weights = json.loads(text)
    return np.stack([_table(np.array(weights[kind])) for kind in ("contact", "race")])


def _table(weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The `[27, 31]` table of one set of 122 weights."""
    table = np.zeros((27, _COUNTS))
    for slot in range(1, 25):
        # inputs run from the mover's point 24, the next player's slot 1, down to point 1
        of_slot = weights[5 * (slot - 1) : 5 * slot]
        for count in range(-CHECKERS, CHECKERS + 1):
            table[slot, count + CHECKERS] = of_slot @ point_inputs(-count)
    for count in range(CHECKERS + 1):
        table[25, count + CHECKERS] = weights[120] * count / 2  # opposing checkers on the bar
        table[26, count] = weights[121] * count / 15  # own checkers borne off
    return table


def point_inputs(count: int) -> npt.NDArray[np.float64]:
    """The five inputs of a point with `count` checkers of the mover (negative: the opponent's).

    An opposing blot, an own blot, an own point, exactly three, and half of those above three.
    """
    return np.array(
        [count == -1, count == 1, count >= 2, count == 3, (count - 3) / 2 if count >= 4 else 0],
        np.float64,
    )
