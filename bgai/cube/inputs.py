"""What enters from outside, checked: probabilities, efficiencies, scores."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bgai.cube.match_equity import MatchEquityTable
from bgai.cube.state_rows import AWAY, MONEY, OPPONENT_AWAY, StateRows

Numbers = npt.NDArray[np.float64]

SUM_TOLERANCE = 1e-4  # float32 nets and figures printed with five digits stay well below
SIGN_TOLERANCE = 1e-6


def check_probs(probs: npt.ArrayLike) -> Numbers:
    """Six outcome probabilities a row, `[N, 6]` from `[6]` or `[N, 6]`.

    Raises:
        ValueError: a wrong shape, NaN, a negative number, or a row that does not sum to 1; names
            the row and the value.
    """
    rows = np.atleast_2d(_numbers("probs", probs))
    if rows.ndim != 2 or rows.shape[1] != 6:
        raise ValueError(f"probs must be rows of 6 numbers, got shape {rows.shape}")
    # NaN fails every comparison, so that one test finds it too
    is_right = (rows.min(1) >= -SIGN_TOLERANCE) & (np.abs(rows.sum(1) - 1) <= SUM_TOLERANCE)
    if not is_right.all():
        row = int(np.argmin(is_right))
        raise ValueError(
            f"probs must be 6 probabilities that sum to 1, got {rows[row].tolist()} in row {row}"
        )
    return rows


def check_efficiencies(efficiency: npt.ArrayLike, rows: int) -> Numbers:
    """Cube efficiencies, `[rows, 2]` from one number, one a row, or two a row.

    Raises:
        ValueError: the shape does not fit, or a number is outside 0..1; names the value.
    """
    given = _numbers("x", efficiency)
    if given.ndim == 1:
        given = given[:, None]
    try:
        numbers = np.broadcast_to(given, (rows, 2))
    except ValueError:
        raise ValueError(
            f"x must be a number, [{rows}] or [{rows}, 2] numbers, got shape {given.shape}"
        ) from None
    is_right = (given >= 0) & (given <= 1)
    if not is_right.all():
        raise ValueError(f"x must be in [0, 1], got {given[~is_right][0]}")
    return numbers


def _numbers(name: str, values: npt.ArrayLike) -> Numbers:
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError, OverflowError):  # texts, lists of different lengths, 10**400
        raise ValueError(f"{name} must be numbers, got {values!r:.80}") from None


def check_scores(states: StateRows, table: MatchEquityTable) -> None:
    """Whether the table knows every score.

    Raises:
        ValueError: a state needs more points than the table has; names them.
    """
    away = states[:, [AWAY, OPPONENT_AWAY]]
    if away.size and away.max() > table.points:
        raise ValueError(
            f"the match equity table knows up to {table.points} points away, got {away.max()}"
        )


def is_money(states: StateRows) -> npt.NDArray[np.bool_]:
    """Which states are not of a match, `[N]`."""
    money: npt.NDArray[np.bool_] = states[:, AWAY] == MONEY
    return money
