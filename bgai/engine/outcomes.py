"""The six outcomes of a game, and arithmetic on their probabilities.

`probs` are `[..., 6]`: win, win gammon, win backgammon, lose, lose gammon, lose backgammon;
disjoint, for the player about to roll.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bgai.engine.board import BAR, CHECKERS, HOME, Boards, has_contact

Probs: TypeAlias = npt.NDArray[np.float32]

OUTCOMES = ("win", "win_gammon", "win_backgammon", "lose", "lose_gammon", "lose_backgammon")
WIN, WIN_GAMMON, WIN_BACKGAMMON, LOSE, LOSE_GAMMON, LOSE_BACKGAMMON = range(6)
UNFINISHED = -1
POINTS_WON = np.array([1, 2, 3, -1, -2, -3], np.float32)
POINTS_WON.flags.writeable = False


def equity(probs: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Expected points at cube 1 without further cube use, `[...]`, -3..3."""
    return probs @ POINTS_WON.astype(probs.dtype, copy=False)


def swap_probs(probs: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """The same chances seen by the other player."""
    return np.roll(probs, 3, axis=-1)


def cumulative(probs: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """The five numbers gnubg and XG show, `[..., 5]`: each class includes the better ones.

    Win, win gammon, win backgammon, lose gammon, lose backgammon.
    """
    win, win_gammon, win_backgammon, _, lose_gammon, lose_backgammon = np.moveaxis(probs, -1, 0)
    return np.stack(
        [
            win + win_gammon + win_backgammon,
            win_gammon + win_backgammon,
            win_backgammon,
            lose_gammon + lose_backgammon,
            lose_backgammon,
        ],
        axis=-1,
    )


def from_cumulative(numbers: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """The inverse of `cumulative`: `[..., 5]` -> `[..., 6]`."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = np.moveaxis(numbers, -1, 0)
    return np.stack(
        [
            win - win_gammon,
            win_gammon - win_backgammon,
            win_backgammon,
            1 - win - lose_gammon,
            lose_gammon - lose_backgammon,
            lose_backgammon,
        ],
        axis=-1,
    )


def outcomes(boards: Boards) -> npt.NDArray[np.int8]:
    """How each game ended for the player about to roll, or `UNFINISHED`; `[...]` from `[..., 26]`.

    Whoever has no checker left has won: a gammon if the other has borne off none, a backgammon if
    the other then also has a checker on the bar or in the winner's home.
    """
    own, opponent = boards > 0, boards < 0
    own_left = np.where(own, boards, 0).sum(-1)
    opponent_left = -np.where(opponent, boards, 0).sum(-1)
    won = (own_left == 0) * (
        1 + (opponent_left == CHECKERS) * (1 + opponent[..., : HOME + 1].any(-1))
    )
    lost = (opponent_left == 0) * (1 + (own_left == CHECKERS) * (1 + own[..., BAR - HOME :].any(-1)))
    return np.where(won > 0, won - 1, np.where(lost > 0, LOSE + lost - 1, UNFINISHED)).astype(np.int8)


def possible_outcomes(boards: Boards) -> npt.NDArray[np.bool_]:
    """Which outcomes the rules still allow, `[..., 6]`; exactly one where the game is over.

    A gammon is impossible against a player who has borne off a checker; a backgammon also, once
    the sides have passed each other, against a player whose checkers have all left the winner's home.
    """
    own, opponent = boards > 0, boards < 0
    own_none_off = np.where(own, boards, 0).sum(-1) == CHECKERS
    opponent_none_off = -np.where(opponent, boards, 0).sum(-1) == CHECKERS
    contact = has_contact(boards)
    possible = np.ones((*boards.shape[:-1], 6), np.bool_)
    possible[..., WIN_GAMMON] = opponent_none_off
    possible[..., LOSE_GAMMON] = own_none_off
    in_own_home = opponent[..., : HOME + 1].any(-1)
    in_opponent_home = own[..., BAR - HOME :].any(-1)
    possible[..., WIN_BACKGAMMON] = opponent_none_off & (contact | in_own_home)
    possible[..., LOSE_BACKGAMMON] = own_none_off & (contact | in_opponent_home)
    ended = outcomes(boards)
    over = ended != UNFINISHED
    possible[over] = np.arange(6) == ended[over][..., None]
    return possible
