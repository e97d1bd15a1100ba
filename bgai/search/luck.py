"""The luck of a roll: how much better it was than the average one, whatever was then played.

It tells skill from dice: taken away from the result of a game, the luck of all its rolls leaves a
number with the same mean, because each roll's luck is 0 on average, and with a much smaller spread.
That holds for any evaluator; the better it is, the smaller the spread.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bgai.engine import ROLL_WEIGHTS, ROLLS, Boards, check_dice, equity, roll_numbers
from bgai.search.evaluator import Evaluator
from bgai.search.ply import best_replies

_BOARDS_AT_ONCE = 256  # with 21 rolls of about 20 plays each: 100,000 afterstates

# the opening roll, a die of each player, is no double; its 15 rolls are equally likely
_OPENING_WEIGHTS = np.where(ROLLS[:, 0] == ROLLS[:, 1], 0, 1 / 15)
_OPENING_WEIGHTS.flags.writeable = False


def luck(
    evaluator: Evaluator,
    boards: Boards,
    dice: npt.NDArray[np.int64],
    opening: bool = False,
) -> npt.NDArray[np.float64]:
    """How lucky each roll was for the player who threw it.

    The value of a roll is that of the best play it allows, at 0-ply; its luck is its value minus
    the mean value of all rolls. The mean of the luck over all rolls is therefore 0.

    Args:
        boards: `[B, 26]`, seen by the player on roll, no game over.
        dice: `[B, 2]`, thrown on them.
        opening: the rolls are opening rolls, which are never doubles.

    Returns:
        `[B]`, in points per cubeless game.

    Raises:
        ValueError: a die is outside 1..6, or an opening roll is a double.
    """
    thrown = roll_numbers(check_dice(dice))
    weights = _OPENING_WEIGHTS if opening else ROLL_WEIGHTS
    impossible = np.flatnonzero(weights[thrown] == 0)
    if len(impossible):
        raise ValueError(f"an opening roll is not a double, got {ROLLS[thrown[impossible[0]]]}")
    values = np.empty((len(boards), len(ROLLS)))
    for start in range(0, len(boards), _BOARDS_AT_ONCE):
        part = slice(start, start + _BOARDS_AT_ONCE)
        values[part] = -equity(best_replies(evaluator, boards[part])[1])
    luck_of_thrown: npt.NDArray[np.float64] = (
        values[np.arange(len(boards)), thrown] - values @ weights
    )
    return luck_of_thrown
