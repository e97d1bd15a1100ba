"""Every position each player of a batch can leave after playing a roll.

The kernels work in the next player's view, in which the mover's checkers are negative and move
up: slot 0 is the mover's bar, slots 1-24 the points, anything past 24 is off. A play is written
by copying the swapped board and applying its moves to the copy.

How no afterstate comes twice:

* Doubles: a play is the multiset of the slots its moves start from. Playing them rearmost first is
  legal whenever any order is, and different multisets leave different boards, so the search tries
  starts in ascending order only.
* Two different dice, `first` then `second`: different pairs of starts leave different boards,
  except that one checker may make both moves (then another pair can end alike) and that a checker
  borne off forgets where it came from. Only those are compared with what is there already.
* The other order adds only plays whose second move was not possible as a first one.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bgai.engine.board import SLOTS, Boards, check_boards
from bgai.engine.compiled import kernel, map_slices
from bgai.engine.dice import check_dice

Offsets: TypeAlias = npt.NDArray[np.int64]

MOST_AFTERSTATES = 3060
"""No roll has more: 4 moves shared out among 15 checkers."""

_USUAL_AFTERSTATES = 24  # per board, the mean is about 20; only a first guess of the space needed
_BOARDS_PER_THREAD = 256


def legal_afterstates(boards: Boards, dice: npt.ArrayLike) -> tuple[Boards, Offsets]:
    """Every position each player can leave after playing a roll.

    Args:
        boards: `[B, 26]` int8, seen by the player on roll, no game over.
        dice: `[B, 2]` int, each 1..6, in any order.

    Returns:
        after: `[M, 26]` int8, distinct per board, seen by the *next* player.
        offsets: `[B + 1]` int64; rows `offsets[i]:offsets[i + 1]` belong to board i.

    Raises:
        ValueError: a die is outside 1..6, the shapes do not fit, or a board is impossible or over.

    Both dice are played if any order allows it, else the larger that can be. A roll that cannot
    be played leaves one row, the swapped board.
    """
    if boards.ndim != 2 or boards.shape[1] != SLOTS or boards.dtype != np.int8:
        raise ValueError(f"boards must be int8 [B, {SLOTS}], got {boards.dtype} {boards.shape}")
    rolls = check_dice(dice)
    if rolls.shape != (len(boards), 2):
        raise ValueError(f"dice must be [{len(boards)}, 2], got {list(rolls.shape)}")
    impossible = _first_impossible(boards)
    if impossible < len(boards):
        check_boards(boards[impossible])
        raise ValueError(f"the game is over on board {boards[impossible].tolist()}")
    parts = map_slices(
        lambda start, stop: _afterstates_of_slice(boards[start:stop], rolls[start:stop]),
        len(boards),
        _BOARDS_PER_THREAD,
    )
    offsets = np.zeros(len(boards) + 1, np.int64)
    np.cumsum(np.concatenate([counts for _, counts in parts]), out=offsets[1:])
    if len(parts) == 1:
        return parts[0][0], offsets
    return np.concatenate([after for after, _ in parts]), offsets


def _afterstates_of_slice(boards: Boards, dice: npt.NDArray[np.int64]) -> tuple[Boards, Offsets]:
    """`[M, 26]` afterstates and `[B]` counts of consecutive boards, on one thread."""
    counts = np.empty(len(boards), np.int64)
    after = np.empty((len(boards) * _USUAL_AFTERSTATES + MOST_AFTERSTATES, SLOTS), np.int8)
    done, rows = write_afterstates(boards, dice, 0, 0, after, counts)
    while done < len(boards):
        more = np.empty((2 * len(after), SLOTS), np.int8)
        more[:rows] = after[:rows]
        after = more
        done, rows = write_afterstates(boards, dice, done, rows, after, counts)
    return after[:rows], counts


@kernel
def _first_impossible(boards):  # type: ignore[no-untyped-def]
    """The first board that no game in progress can have; their number if there is none."""
    for row in range(len(boards)):
        own = opponent = 0
        for slot in range(26):
            own += max(boards[row, slot], 0)
            opponent += min(boards[row, slot], 0)
        if not (0 < own <= 15 and -15 <= opponent < 0 and boards[row, 0] <= 0 <= boards[row, 25]):
            return row
    return len(boards)


@kernel
def _is_move(board, start, die, outside):  # type: ignore[no-untyped-def]
    """Whether the mover's checker on slot `start` may move by `die`.

    `outside` counts the mover's checkers that are not home yet (slots below 19, bar included).
    """
    if board[start] >= 0 or (board[0] < 0 and start > 0):
        return False
    target = start + die
    if target <= 24:
        return board[target] < 2
    if outside > 0:
        return False
    if target == 25:
        return True
    for behind in range(19, start):
        if board[behind] < 0:
            return False
    return True


@kernel
def _move(board, start, die):  # type: ignore[no-untyped-def]
    """Move the mover's checker from slot `start`, hitting a blot; returns whether it hit."""
    board[start] += 1
    target = start + die
    if target > 24:
        return False
    if board[target] == 1:
        board[target] = -1
        board[25] += 1
        return True
    board[target] -= 1
    return False


@kernel
def _undo(board, start, die, hit):  # type: ignore[no-untyped-def]
    board[start] -= 1
    target = start + die
    if target > 24:
        return
    board[target] += 1
    if hit:
        board[target] = 1
        board[25] -= 1


@kernel
def _outside(board):  # type: ignore[no-untyped-def]
    count = 0
    for slot in range(19):
        if board[slot] < 0:
            count -= board[slot]
    return count


@kernel
def _copy(source, target):  # type: ignore[no-untyped-def]
    for slot in range(26):
        target[slot] = source[slot]


@kernel
def _is_new(after, first_row, row):  # type: ignore[no-untyped-def]
    """Whether `after[row]` differs from all of `after[first_row:row]`."""
    for other in range(first_row, row):
        slot = 0
        while slot < 26 and after[other, slot] == after[row, slot]:
            slot += 1
        if slot == 26:
            return False
    return True


@kernel
def _write_single_moves(board, die, outside, after, row):  # type: ignore[no-untyped-def]
    for start in range(25):
        if _is_move(board, start, die, outside):
            _copy(board, after[row])
            _move(after[row], start, die)
            row += 1
    return row


@kernel
def _write_pairs(board, first, second, outside, after, row):  # type: ignore[no-untyped-def]
    """Plays of `first` and then `second`."""
    first_row = row
    for start in range(25):
        if not _is_move(board, start, first, outside):
            continue
        hit = _move(board, start, first)
        left = outside - 1 if start < 19 <= start + first else outside
        for other in range(25):
            if not _is_move(board, other, second, left):
                continue
            _copy(board, after[row])
            _move(after[row], other, second)
            # the same can come about by one checker moving twice, or by bearing off
            ambiguous = other + second == start or other + second > 24 or start + first > 24
            if not ambiguous or _is_new(after, first_row, row):
                row += 1
        _undo(board, start, first, hit)
    return row


@kernel
def _write_other_order(board, first, second, outside, after, first_row, row):  # type: ignore[no-untyped-def]
    """Plays of `second` and then `first` that the order `first`, `second` has not written."""
    may_open = board[0] < 0 or outside <= 2  # a first move can allow others: entering, bearing off
    for start in range(25):
        if not _is_move(board, start, second, outside):
            continue
        continued = start + second
        hit = _move(board, start, second)
        left = outside - 1 if start < 19 <= continued else outside
        for other in range(
            0 if may_open else continued, 25 if may_open else min(continued + 1, 25)
        ):
            if not _is_move(board, other, first, left):
                continue
            _copy(board, after[row])
            _move(after[row], other, first)
            if _is_new(after, first_row, row):
                row += 1
        _undo(board, start, second, hit)
    return row


@kernel
def _write_doubles(board, die, outside, after, row):  # type: ignore[no-untyped-def]
    """Plays of a double: depth first over ascending starts, the longest kept."""
    first_row = row
    longest = 0
    starts = np.zeros(5, np.int64)
    hits = np.zeros(5, np.bool_)
    depth = 0  # moves made; starts[depth] is the next slot to try
    while True:
        start = starts[depth]
        if depth < 4:
            while start < 25 and not _is_move(board, start, die, outside):
                start += 1
        if depth < 4 and start < 25:
            starts[depth] = start
            hits[depth] = _move(board, start, die)
            if start < 19 <= start + die:
                outside -= 1
            depth += 1
            starts[depth] = start
            if depth > longest:
                longest = depth
                row = first_row
            if depth == longest:
                _copy(board, after[row])
                row += 1
            continue
        if depth == 0:
            return row
        depth -= 1
        start = starts[depth]
        _undo(board, start, die, hits[depth])
        if start < 19 <= start + die:
            outside += 1
        starts[depth] = start + 1


@kernel
def write_afterstates(boards, dice, done, rows, after, counts):  # type: ignore[no-untyped-def]
    """Write the afterstates of `boards[done:]` to `after[rows:]` until the space may not do.

    Returns the boards done and the rows written so far.
    """
    board = np.empty(26, np.int8)
    for game in range(done, len(boards)):
        if len(after) - rows < 3060:
            return game, rows
        for slot in range(26):
            board[slot] = -boards[game, 25 - slot]
        outside = _outside(board)
        larger = max(dice[game, 0], dice[game, 1])
        smaller = min(dice[game, 0], dice[game, 1])
        first_row = rows
        if larger == smaller:
            rows = _write_doubles(board, larger, outside, after, rows)
        else:
            rows = _write_pairs(board, larger, smaller, outside, after, rows)
            rows = _write_other_order(board, larger, smaller, outside, after, first_row, rows)
            if rows == first_row:
                rows = _write_single_moves(board, larger, outside, after, rows)
            if rows == first_row:
                rows = _write_single_moves(board, smaller, outside, after, rows)
        if rows == first_row:
            _copy(board, after[rows])
            rows += 1
        counts[game] = rows - first_row
    return len(boards), rows


@kernel
def _row_of(after, board):  # type: ignore[no-untyped-def]
    """The first row of `after` that equals `board`; -1 if none does."""
    for row in range(len(after)):
        slot = 0
        while slot < 26 and after[row, slot] == board[slot]:
            slot += 1
        if slot == 26:
            return row
    return -1


@kernel
def _write_way(after, board, starts, dice, made, moves, counts):  # type: ignore[no-untyped-def]
    """Keep the moves made as the way to `board`, if it is asked for and no way is known yet."""
    row = _row_of(after, board)
    if row < 0 or counts[row] > 0:
        return
    counts[row] = made
    for place in range(made):
        moves[row, place, 0] = 25 - starts[place]
        moves[row, place, 1] = max(25 - starts[place] - dice[place], 0)


@kernel
def _write_ways_in_order(board, dice, is_double, after, moves, counts):  # type: ignore[no-untyped-def]
    """Ways of all the dice in this order, depth first; of a double from the rear only."""
    starts = np.zeros(len(dice) + 1, np.int64)
    hits = np.zeros(len(dice), np.bool_)
    depth = 0  # moves made; starts[depth] is the next slot to try
    while True:
        start = 25
        if depth < len(dice):
            start = starts[depth]
            outside = _outside(board)
            while start < 25 and not _is_move(board, start, dice[depth], outside):
                start += 1
        if start < 25:
            starts[depth] = start
            hits[depth] = _move(board, start, dice[depth])
            depth += 1
            starts[depth] = start if is_double else 0
            if depth == len(dice):
                _write_way(after, board, starts, dice, depth, moves, counts)
            continue
        if depth == 0:
            return
        depth -= 1
        _undo(board, starts[depth], dice[depth], hits[depth])
        starts[depth] += 1


@kernel
def write_ways(board, larger, smaller, after, moves, counts):  # type: ignore[no-untyped-def]
    """One way to each of some afterstates of one board, in the mover's numbering.

    Args:
        board: `[26]` seen by the mover.
        after: `[K, 26]`, rows of `legal_afterstates`.
        moves: `[K, 4, 2]`, written.
        counts: `[K]` of zeros, the moves of each way, written.
    """
    reached = np.empty(26, np.int8)
    for slot in range(26):
        reached[slot] = -board[25 - slot]
    if larger == smaller:
        for made in range(4, 0, -1):
            dice = np.full(made, larger)
            _write_ways_in_order(reached, dice, True, after, moves, counts)
            if counts[0] > 0:
                return
        return
    for dice in (np.array([larger, smaller]), np.array([smaller, larger])):
        _write_ways_in_order(reached, dice, False, after, moves, counts)
    for die in (larger, smaller):
        if counts[0] == 0:
            _write_ways_in_order(reached, np.array([die]), False, after, moves, counts)
