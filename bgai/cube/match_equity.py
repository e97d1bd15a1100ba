"""Match equity tables: the chance to win a match from any score.

The published one that ships is Neil Kazaross's for XG2 (2011), 25 points. A larger table is made
from it by `extended`, one's own is read by `load_table`, and `bgai.cube.own_table` computes one
from gammon rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bgai.engine.files import parse_json

Numbers = npt.NDArray[np.float64]

LONGEST_MATCH = 64
SYMMETRY_TOLERANCE = 1e-4  # published figures are rounded

# How `extended` goes beyond a table. Before the Crawford game a game is worth 1, 2, 4 or 8 points
# with these shares, to either side alike; they were fitted to the Kazaross figures from 8 points
# away on, which they meet within 0.0007. At and after the Crawford game the trailer wins half the
# games, this share of them as gammons, which meets the last six figures within 0.0001.
POINTS_OF_A_GAME = (1, 2, 4, 8)
SHARES_OF_POINTS = (0.475, 0.4, 0.065, 0.06)
TRAILER_GAMMON_SHARE = 0.28

BEFORE_CRAWFORD, AFTER_CRAWFORD = 0, 1


@dataclass(frozen=True, eq=False)
class MatchEquityTable:
    """Chances to win a match before a game that has not begun.

    Attributes:
        chances: `[2, points + 1, points + 1]`; `[0, a, b]` of the player who needs `a` points
            against one who needs `b`, the Crawford game being still to come (or next, when `a` or
            `b` is 1), `[1, a, b]` after it, when `a` or `b` is 1. Needing 0 points is having won.
    """

    name: str
    source: str
    chances: Numbers

    def __post_init__(self) -> None:
        self.chances.flags.writeable = False

    @property
    def points(self) -> int:
        """The largest number of points away that the table knows."""
        return int(self.chances.shape[1]) - 1

    def chance(self, away: int, opponent_away: int, is_post_crawford: bool = False) -> float:
        """The chance of a player who needs `away` points, before a game.

        Raises:
            ValueError: a score that the table does not know, or none after the Crawford game.
        """
        for points in (away, opponent_away):
            is_whole = isinstance(points, int | np.integer) and not isinstance(points, bool)
            if not is_whole or not 1 <= points <= self.points:
                raise ValueError(f"points away must be in 1..{self.points}, got {points!r}")
        if is_post_crawford and min(away, opponent_away) != 1:
            raise ValueError(
                f"after the Crawford game one side is 1 away, got {away} and {opponent_away}"
            )
        return float(self.chances[int(is_post_crawford), away, opponent_away])


def table_from_figures(name: str, source: str, pre: Any, post: Any) -> MatchEquityTable:
    """A table from the two lists in which such figures are published.

    Args:
        pre: `[n, n]`; `[i][j]` = chance of the player i + 1 away against j + 1 away, before the
            Crawford game, or at it in row and column 0.
        post: `[n]`; `[i]` = chance of the trailer i + 1 away, after the Crawford game.

    Raises:
        ValueError: a wrong shape, no probability, not 1/2 at equal scores, no complement on the
            other side of the diagonal, or a chance that grows with the points needed; names the
            value.
    """
    before, after = _numbers(pre, "pre"), _numbers(post, "post")
    size = len(after)
    if after.ndim != 1 or before.shape != (size, size) or size < 2:
        raise ValueError(
            f"pre must be n lists of n numbers and post n numbers, n at least 2; "
            f"got shapes {before.shape} and {after.shape}"
        )
    for row, column in np.argwhere(np.abs(before + before.T - 1) > SYMMETRY_TOLERANCE):
        raise ValueError(
            f"pre[{row}][{column}] and pre[{column}][{row}] must sum to 1, "
            f"got {before[row, column]} and {before[column, row]}"
        )
    for row, column in np.argwhere(np.diff(before, axis=0) >= 0):
        raise ValueError(
            f"pre must fall with the points needed, got {before[row, column]} at "
            f"pre[{row}][{column}] and {before[row + 1, column]} below it"
        )
    if after[0] != 0.5:
        raise ValueError(f"post[0], both 1 away, must be 0.5, got {after[0]}")
    for row in np.flatnonzero(np.diff(after) > 0):
        raise ValueError(f"post must not grow, got {after[row]} at {row} and {after[row + 1]} next")
    return MatchEquityTable(name, source, _chances(before, after))


def _numbers(values: Any, name: str) -> Numbers:
    try:
        numbers = np.array(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must hold lists of numbers of one length") from None
    for place in np.argwhere(~((numbers > 0) & (numbers < 1))):
        where = "".join(f"[{index}]" for index in place)
        raise ValueError(f"{name}{where} must be between 0 and 1, got {numbers[tuple(place)]}")
    return numbers


def _chances(pre: Numbers, post: Numbers) -> Numbers:
    size = len(post)
    chances = np.empty((2, size + 1, size + 1))
    chances[:, 1:, 1:] = pre
    chances[AFTER_CRAWFORD, 1:, 1] = post
    chances[AFTER_CRAWFORD, 1, 1:] = 1 - post
    chances[:, 0, :] = 1
    chances[:, :, 0] = 0  # the corner, both at 0, has no meaning
    return chances


def load_table(path: Path) -> MatchEquityTable:
    """A table from a JSON file with `name`, `source`, `pre` and `post`, as `table_from_figures`.

    Raises:
        ValueError: the file does not hold such a table; names the file and the value.
        OSError: the file cannot be read.
    """
    try:
        return _parse_table(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _parse_table(text: str | bytes) -> MatchEquityTable:
    content = parse_json(text, "a match equity table")
    if not isinstance(content, dict):
        raise ValueError(f"a match equity table is a JSON object, got {type(content).__name__}")
    missing = [key for key in ("name", "source", "pre", "post") if key not in content]
    if missing:
        raise ValueError(f"a match equity table needs {', '.join(missing)}")
    return table_from_figures(
        str(content["name"]), str(content["source"]), content["pre"], content["post"]
    )


def table_to_json(table: MatchEquityTable) -> dict[str, Any]:
    """The content of a file that `load_table` reads."""
    return {
        "name": table.name,
        "source": table.source,
        "pre": table.chances[BEFORE_CRAWFORD, 1:, 1:].tolist(),
        "post": table.chances[AFTER_CRAWFORD, 1:, 1].tolist(),
    }


@cache
def kazaross_xg2(points: int = LONGEST_MATCH) -> MatchEquityTable:
    """Neil Kazaross's figures for XG2 (2011), 25 points, extended to `points` away."""
    text = (files("bgai.cube") / "data" / "kazaross_xg2.json").read_text(encoding="utf-8")
    return extended(_parse_table(text), points)


def extended(table: MatchEquityTable, points: int) -> MatchEquityTable:
    """The table as it is, and beyond its last point by a recursion over one game.

    Before the Crawford game M(a, b) is the mean over both winners and over what the game is worth
    (`SHARES_OF_POINTS`) of M(a - k, b) and M(a, b - k). At it the trailer, a away, comes to a - 1
    or with a gammon to a - 2 in half the games; after it to a - 2 or a - 4, since the cube is
    doubled at once.

    Raises:
        ValueError: `points` is smaller than 1.
    """
    if points < 1:
        raise ValueError(f"points must be at least 1, got {points}")
    known = table.points
    if points <= known:
        return table
    chances = np.zeros((2, points + 1, points + 1))
    chances[:, 0, :] = 1
    chances[:, : known + 1, : known + 1] = table.chances
    for away in range(known + 1, points + 1):
        _extend_border(chances, away)
        for other in range(2, away + 1):
            chance = _mean_over_game(chances[BEFORE_CRAWFORD], away, other)
            chances[:, away, other] = chance
            chances[:, other, away] = 1 - chance
    return MatchEquityTable(table.name, f"{table.source}; extended beyond {known}", chances)


def _extend_border(chances: Numbers, away: int) -> None:
    """The scores at which the leader needs 1 point and the trailer `away`."""
    single, gammon = 0.5 * (1 - TRAILER_GAMMON_SHARE), 0.5 * TRAILER_GAMMON_SHARE
    after = chances[AFTER_CRAWFORD, :, 1]
    chances[AFTER_CRAWFORD, away, 1] = (
        single * after[max(away - 2, 0)] + gammon * after[max(away - 4, 0)]
    )
    chances[BEFORE_CRAWFORD, away, 1] = (
        single * after[max(away - 1, 0)] + gammon * after[max(away - 2, 0)]
    )
    chances[:, 1, away] = 1 - chances[:, away, 1]


def _mean_over_game(before: Numbers, away: int, other: int) -> float:
    if away == other:
        return 0.5
    means = [
        (before[max(away - points, 0), other] + before[away, max(other - points, 0)]) / 2
        for points in POINTS_OF_A_GAME
    ]
    return float(np.dot(SHARES_OF_POINTS, means))
