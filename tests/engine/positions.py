"""Positions to try the engine on: games of random play from ordinary and odd beginnings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bgai.engine import (
    BAR,
    OPPONENT_BAR,
    START,
    UNFINISHED,
    Boards,
    legal_afterstates,
    outcomes,
    swap,
)
from bgai.engine.board import Board
from bgai.engine.dice import Dice, roll

HOME_POINTS = range(1, 7)
ALL_POINTS = range(1, 25)


def board_of(own: dict[int, int], opponent: dict[int, int]) -> Board:
    """A board from counts by slot; both sides in the numbering of the player about to roll."""
    board = np.zeros(26, np.int8)
    for slot, count in own.items():
        board[slot] = count
    for slot, count in opponent.items():
        board[slot] = -count
    return board


def odd_starts(rng: np.random.Generator, games: int) -> Boards:
    """`[games, 26]` unfinished positions: the start and many that games seldom see."""
    kinds = (_start, _bear_off, _bear_off_with_contact, _scattered, _many_on_the_bar)
    boards = np.stack([kinds[rng.integers(len(kinds))](rng) for _ in range(games)])
    turned = rng.random(games) < 0.5
    boards[turned] = swap(boards[turned])
    return boards


def random_games(
    rng: np.random.Generator, boards: Boards, plies: int
) -> Iterator[tuple[Boards, Dice]]:
    """Play at random from `boards`; yields the positions of every ply and their rolls.

    A finished game is replaced by a new one from an odd start.
    """
    for _ in range(plies):
        dice = roll(rng, len(boards))
        yield boards, dice
        after, offsets = legal_afterstates(boards, dice)
        boards = after[rng.integers(offsets[:-1], offsets[1:])]
        over = outcomes(boards) != UNFINISHED
        boards[over] = odd_starts(rng, int(over.sum())) if over.any() else boards[over]


def random_positions(rng: np.random.Generator, games: int, plies: int) -> tuple[Boards, Dice]:
    """`[games * plies, 26]` positions of random games from odd starts, and a roll for each."""
    played = list(random_games(rng, odd_starts(rng, games), plies))
    return np.concatenate([boards for boards, _ in played]), np.concatenate(
        [dice for _, dice in played]
    )


def _drop(
    rng: np.random.Generator, board: Board, sign: int, checkers: int, slots: Sequence[int]
) -> None:
    """Put a side's checkers at random on those of the slots that the other side does not hold."""
    for _ in range(checkers):
        free = [slot for slot in slots if board[slot] * sign >= 0]
        board[free[rng.integers(len(free))]] += sign


def _start(rng: np.random.Generator) -> Board:
    return START.copy()


def _bear_off(rng: np.random.Generator) -> Board:
    board = np.zeros(26, np.int8)
    _drop(rng, board, 1, int(rng.integers(1, 16)), HOME_POINTS)
    _drop(rng, board, -1, int(rng.integers(1, 16)), range(19, 25))
    return board


def _bear_off_with_contact(rng: np.random.Generator) -> Board:
    board = np.zeros(26, np.int8)
    behind = int(rng.integers(1, 5))
    _drop(rng, board, -1, behind, (OPPONENT_BAR, *HOME_POINTS))
    _drop(rng, board, -1, int(rng.integers(0, 12)), range(13, 25))
    # a few more slots than six, so that not all the points can be the opponent's
    _drop(rng, board, 1, int(rng.integers(1, 16)), (*HOME_POINTS, 7, 8))
    return board


def _scattered(rng: np.random.Generator) -> Board:
    board = np.zeros(26, np.int8)
    for _ in range(15):
        _drop(rng, board, 1, 1, (*ALL_POINTS, BAR))
        _drop(rng, board, -1, 1, (OPPONENT_BAR, *ALL_POINTS))
    return board


def _many_on_the_bar(rng: np.random.Generator) -> Board:
    board = np.zeros(26, np.int8)
    board[BAR] = rng.integers(1, 12)
    _drop(rng, board, -1, 15, range(15, 25))
    _drop(rng, board, 1, 15 - int(board[BAR]), ALL_POINTS)
    return board
