"""A turn one checker at a time, for those who click, read or write single moves.

Boards here are seen by the *mover* throughout the turn, also half-way; only `Play.after` is seen by
the next player. The batch generator (`afterstates`) knows nothing of this module: it decides which
turns are legal, this one in which steps they can be made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from bgai.engine.afterstates import legal_afterstates, write_ways
from bgai.engine.board import BAR, HOME, OFF, OPPONENT_BAR, SLOTS, Board, Boards
from bgai.engine.dice import check_dice

Position: TypeAlias = tuple[int, ...]
"""A board in the mover's view as plain numbers: hashable, and fast one slot at a time."""

DiceLeft: TypeAlias = tuple[int, ...]


class Move(NamedTuple):
    """One checker's move by one die, in the mover's numbering: 25 is the bar, 0 is off."""

    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Play:
    """A whole turn: its moves in a legal order, and the board it leaves.

    `after` is seen by the *next* player, like a row of `legal_afterstates`. A dance has no moves.
    """

    moves: tuple[Move, ...]
    after: Board


def legal_moves(board: Board, dice_left: Sequence[int]) -> list[Move]:
    """The single moves the mover may make now.

    Args:
        board: `[26]` seen by the mover, at the start of the turn or in the middle of it.
        dice_left: the dice still to be played: one, two, or up to four equal ones.

    Returns:
        Distinct moves, highest start first; empty when the turn is over.

    Raises:
        ValueError: `dice_left` cannot be what is left of a roll, or the shape does not fit.

    A move is offered only if the whole turn can still use as many dice as any order allows, and if
    only one of two different dice can be played, only moves of the larger that can.
    """
    return _legal_moves(as_position(board), check_dice_left(dice_left))


def make_move(board: Board, move: Move) -> Board:
    """The board after one move, still seen by the mover; a blot on the target is hit.

    Raises:
        ValueError: there is no checker to move, or the target is blocked or not ahead.

    Whether the dice and the rest of the turn allow the move is the business of `legal_moves`.
    """
    position = as_position(board)
    start, end = move
    if not 1 <= start <= BAR or not OFF <= end < start:
        raise ValueError(f"a move goes from 25..1 down to 24..0, got {start}/{end}")
    if position[start] <= 0:
        raise ValueError(f"no checker to move on {start}: {list(position)}")
    if end != OFF and position[end] < -1:
        raise ValueError(f"{start}/{end} lands on a point the opponent holds: {list(position)}")
    return np.array(_moved(position, move), np.int8)


def is_hit(board: Board, move: Move) -> bool:
    """Whether `move` would hit a blot on `board`, seen by the mover."""
    return move.end != OFF and int(board[move.end]) == -1


def dice_after_move(dice_left: Sequence[int], move: Move) -> DiceLeft:
    """What is left of `dice_left` once a legal `move` has been made.

    Where two dice bear the same checker off, the smaller is used; either leaves the same choices.

    Raises:
        ValueError: none of the dice makes this move.
    """
    dice = check_dice_left(dice_left)
    distance = move.start - move.end
    used = distance
    if move.end == OFF and distance not in dice:
        used = min((die for die in dice if die > distance), default=0)
    if used not in dice:
        raise ValueError(f"{move.start}/{move.end} is not a move of the dice {dice}")
    return _without(dice, used)


def legal_plays(board: Board, dice: npt.ArrayLike) -> list[Play]:
    """One play for every distinct afterstate, in the order of `legal_afterstates`.

    Args:
        board: `[26]` seen by the player on roll, no game over.
        dice: two dice, in any order.

    Of the ways to reach an afterstate the play shows the first one with the larger die first and
    the rearmost checkers first. A roll that cannot be played leaves one play without moves.
    """
    after, _ = legal_afterstates(np.asarray(board, np.int8)[None], check_dice(dice)[None])
    return plays_to(board, dice, after)


def plays_to(board: Board, dice: npt.ArrayLike, after: Boards) -> list[Play]:
    """The plays of `legal_plays` that leave some boards, for those who have no use for the rest.

    Args:
        board: `[26]` seen by the player on roll.
        dice: two dice, in any order.
        after: `[K, 26]`, some of the rows of `legal_afterstates`.
    """
    first, second = check_dice(dice).tolist()
    moves, counts = np.zeros((len(after), 4, 2), np.int64), np.zeros(len(after), np.int64)
    position = np.ascontiguousarray(board, np.int8)
    rows = np.ascontiguousarray(after, np.int8)
    write_ways(position, max(first, second), min(first, second), rows, moves, counts)
    return [
        Play(tuple(Move(*move) for move in way[:count]), row)
        for way, count, row in zip(moves.tolist(), counts.tolist(), after, strict=True)
    ]


def dice_of_roll(dice: npt.ArrayLike) -> DiceLeft:
    """The dice a roll lets its player move: two different ones, larger first, or four equal."""
    first, second = (int(die) for die in check_dice(dice))
    return (first,) * 4 if first == second else (max(first, second), min(first, second))


def check_dice_left(dice_left: Sequence[int]) -> DiceLeft:
    """Dice still to be played, larger first.

    Raises:
        ValueError: they cannot be what is left of a roll.
    """
    dice = tuple(sorted((int(die) for die in dice_left), reverse=True))
    if any(not 1 <= die <= 6 for die in dice):
        raise ValueError(f"a die must be 1..6, got {tuple(dice_left)}")
    if len(dice) > 4 or (len(dice) > 2 and len(set(dice)) > 1):
        raise ValueError(f"two dice, or up to four equal ones, can be left, got {dice}")
    return dice


def as_position(board: npt.ArrayLike) -> Position:
    """A board as plain numbers.

    Raises:
        ValueError: it does not have 26 of them.
    """
    array = np.asarray(board)
    if array.shape != (SLOTS,):
        raise ValueError(f"a board has {SLOTS} numbers, got shape {array.shape}")
    return tuple(int(value) for value in array)


def _moves_of_die(position: Position, die: int) -> Iterator[Move]:
    """Every single move of one die, whatever the rest of the turn; highest start first."""
    starts = [slot for slot in range(BAR, 0, -1) if position[slot] > 0]
    if not starts:
        return
    rearmost = starts[0]
    if rearmost == BAR:
        starts = [BAR]
    for start in starts:
        end = start - die
        if end > OFF:
            if position[end] > -2:
                yield Move(start, end)
        elif rearmost <= HOME and (end == OFF or start == rearmost):
            yield Move(start, OFF)


def _moved(position: Position, move: Move) -> Position:
    slots = list(position)
    slots[move.start] -= 1
    if move.end != OFF:
        if slots[move.end] == -1:
            slots[move.end] = 0
            slots[OPPONENT_BAR] -= 1
        slots[move.end] += 1
    return tuple(slots)


def _without(dice: DiceLeft, die: int) -> DiceLeft:
    used = dice.index(die)
    return dice[:used] + dice[used + 1 :]


def _most_dice(position: Position, dice: DiceLeft, highest: int = BAR) -> int:
    """How many of the dice can be played at most.

    A double is played rearmost first, which is legal whenever any order is: its later moves start
    at `highest` or below.
    """
    most = 0
    is_double = len(set(dice)) == 1
    for die in dict.fromkeys(dice):
        rest = _without(dice, die)
        for move in _moves_of_die(position, die):
            if move.start > highest:
                continue
            next_highest = move.start if is_double else BAR
            most = max(most, 1 + _most_dice(_moved(position, move), rest, next_highest))
            if most == len(dice):
                return most
    return most


def _legal_moves(position: Position, dice: DiceLeft) -> list[Move]:
    most = _most_dice(position, dice)
    allowed: set[Move] = set()
    for die in dict.fromkeys(dice):  # larger first
        rest = _without(dice, die)
        for move in _moves_of_die(position, die):
            if 1 + _most_dice(_moved(position, move), rest) == most:
                allowed.add(move)
        if most == 1 and allowed:
            break  # only one die can be played: the larger that can be
    return sorted(allowed, reverse=True)
