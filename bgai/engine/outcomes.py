"""The six outcomes of a game, and arithmetic on their probabilities.

`probs` are `[..., 6]`: win, win gammon, win backgammon, lose, lose gammon, lose backgammon;
disjoint, for the player about to roll.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bgai.engine.board import Boards
from bgai.engine.compiled import kernel

Probs: TypeAlias = npt.NDArray[np.float32]

OUTCOMES = ("win", "win_gammon", "win_backgammon", "lose", "lose_gammon", "lose_backgammon")
WIN, WIN_GAMMON, WIN_BACKGAMMON, LOSE, LOSE_GAMMON, LOSE_BACKGAMMON = range(6)
UNFINISHED = -1
POINTS_WON = np.array([1, 2, 3, -1, -2, -3], np.float32)
POINTS_WON.flags.writeable = False


def equity(probs: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Expected points at cube 1 without further cube use, `[...]`, -3..3.

    Raises:
        ValueError: the last dimension does not hold six chances.
    """
    chances = np.asarray(probs)
    if chances.shape[-1:] != POINTS_WON.shape:
        raise ValueError(f"six chances are needed, got shape {chances.shape}")
    worth: npt.NDArray[np.floating] = chances @ POINTS_WON.astype(chances.dtype, copy=False)
    return worth


def swap_probs(probs: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """The same chances seen by the other player, `[..., 6]`.

    Raises:
        ValueError: the last dimension does not hold six chances.
    """
    if np.shape(probs)[-1:] != POINTS_WON.shape:
        raise ValueError(f"six chances are needed, got shape {np.shape(probs)}")
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


@kernel
def _checkers_left(board):  # type: ignore[no-untyped-def]
    own = opponent = np.int8(0)
    for slot in range(26):
        own = np.int8(own + max(board[slot], np.int8(0)))
        opponent = np.int8(opponent - min(board[slot], np.int8(0)))
    return own, opponent


@kernel
def _outcome(board, own, opponent):  # type: ignore[no-untyped-def]
    """The outcome, or -1, of a board with that many checkers left on each side."""
    if own > 0 and opponent > 0:
        return -1
    if own == 0:
        if opponent < 15:
            return 0
        for slot in range(7):
            if board[slot] < 0:
                return 2
        return 1
    if own < 15:
        return 3
    for slot in range(19, 26):
        if board[slot] > 0:
            return 5
    return 4


@kernel
def _write_outcomes(boards, ended):  # type: ignore[no-untyped-def]
    for row in range(len(boards)):
        own, opponent = _checkers_left(boards[row])
        ended[row] = _outcome(boards[row], own, opponent)


@kernel
def _write_possible(boards, possible):  # type: ignore[no-untyped-def]
    for row in range(len(boards)):
        board = boards[row]
        own, opponent = _checkers_left(board)
        if own == 0 or opponent == 0:
            possible[row] = False
            possible[row, _outcome(board, own, opponent)] = True
            continue
        highest_own = 25
        while board[highest_own] <= 0:
            highest_own -= 1
        lowest_opponent = 0
        while board[lowest_opponent] >= 0:
            lowest_opponent += 1
        contact = highest_own > lowest_opponent
        possible[row, 0] = possible[row, 3] = True
        possible[row, 1] = opponent == 15
        possible[row, 2] = opponent == 15 and (contact or lowest_opponent <= 6)
        possible[row, 4] = own == 15
        possible[row, 5] = own == 15 and (contact or highest_own >= 19)


def outcomes(boards: Boards) -> npt.NDArray[np.int8]:
    """How each game ended for the player about to roll, or `UNFINISHED`; `[...]` from `[..., 26]`.

    Whoever has no checker left has won: a gammon if the other has borne off none, a backgammon if
    the other then also has a checker on the bar or in the winner's home.
    """
    rows = boards.reshape(-1, boards.shape[-1])
    ended = np.empty(len(rows), np.int8)
    _write_outcomes(rows, ended)
    return ended.reshape(boards.shape[:-1])


def possible_outcomes(boards: Boards) -> npt.NDArray[np.bool_]:
    """Which outcomes the rules still allow, `[..., 6]`; exactly one where the game is over.

    A gammon is impossible against a player who has borne off a checker; a backgammon also, once
    the sides have passed each other, against one whose checkers have all left the winner's home.
    """
    rows = boards.reshape(-1, boards.shape[-1])
    possible = np.empty((len(rows), len(OUTCOMES)), np.bool_)
    _write_possible(rows, possible)
    return possible.reshape(*boards.shape[:-1], len(OUTCOMES))
