"""GNU Backgammon position ids: 80 bits, 14 characters.

For the player not on roll and then for the player on roll: for each of the 24 points in that
player's own numbering and then the bar, as many ones as checkers and a zero. The bits fill bytes
from the lowest up, and the bytes are written in base64 without padding. (The manual's older text
names the blocks the other way round; the program writes this order.)
"""

from __future__ import annotations

import base64
import string

import numpy as np

from bgai.engine.board import BAR, CHECKERS, Board, Boards, check_boards, swap

POSITION_ID_LENGTH = 14

_BITS = 80
_SLOTS_OF_A_SIDE = (*range(1, BAR), BAR)  # the points in its own numbering, then its bar
_ALPHABET = frozenset(string.ascii_letters + string.digits + "+/")


def position_id(board: Board) -> str:
    """The id of a board `[26]`, seen by the player about to roll (gnubg's player on roll).

    Raises:
        ValueError: no game has such a board.
    """
    return position_ids(np.asarray(board)[None])[0]


def position_ids(boards: Boards) -> list[str]:
    """The ids of boards `[N, 26]`, as `position_id` gives them.

    Raises:
        ValueError: no game has such a board.
    """
    boards = check_boards(boards)
    opponent = -boards[:, BAR - np.array(_SLOTS_OF_A_SIDE)]
    ones = np.maximum(np.concatenate([opponent, boards[:, 1:]], 1), 0, dtype=np.int64)
    zeros = np.cumsum(ones + 1, 1) - 1  # the bits that end the runs of ones
    bits = np.arange(_BITS) < zeros[:, -1:]
    np.put_along_axis(bits, zeros, False, 1)
    return [_in_base64(row.tobytes()) for row in np.packbits(bits, 1, "little")]


def board_from_position_id(text: str) -> Board:
    """The board `[26]` of an id, seen by the player about to roll.

    Args:
        text: 14 characters; a match id after a colon is cut off.

    Raises:
        ValueError: the text is not an id, or no position has it: more than 15 checkers a side,
            both sides on one point, or no checkers at all.
    """
    name = text.strip().partition(":")[0]
    if len(name) != POSITION_ID_LENGTH:
        raise ValueError(
            f"a position id has {POSITION_ID_LENGTH} characters, got {len(name)}: {text!r}"
        )
    if not _ALPHABET.issuperset(name):
        raise ValueError(f"a position id holds only letters, digits, + and /, got {text!r}")
    number = int.from_bytes(base64.b64decode(name + "=="), "little")
    # 14 characters hold four bits more than an id: they must be 0
    if _in_base64(number.to_bytes(_BITS // 8, "little")) != name:
        raise ValueError(f"the last character of a position id is A, Q, g or w, got {text!r}")
    return _board_from_bits(format(number, f"0{_BITS}b")[::-1], text)


def _in_base64(content: bytes) -> str:
    return base64.b64encode(content).decode().rstrip("=")


def _board_from_bits(bits: str, text: str) -> Board:
    slots = len(_SLOTS_OF_A_SIDE)
    *runs, rest = bits.split("0", 2 * slots)
    if len(runs) < 2 * slots or "1" in rest:
        raise ValueError(f"a position id has {2 * slots} counts and then zeros, got {text!r}")
    counts = [len(run) for run in runs]
    opponent, own = counts[:slots], counts[slots:]
    if sum(own) > CHECKERS or sum(opponent) > CHECKERS:
        raise ValueError(
            f"a side has at most {CHECKERS} checkers, the id {text!r} gives the player on roll "
            f"{sum(own)} and the other {sum(opponent)}"
        )
    mine = np.array([0, *own], np.int8)
    theirs = swap(np.array([0, *opponent], np.int8))
    shared = np.flatnonzero((mine > 0) & (theirs < 0))
    if len(shared):
        raise ValueError(f"both sides stand on the points {shared.tolist()} in the id {text!r}")
    try:
        return check_boards(mine + theirs)
    except ValueError as error:
        raise ValueError(f"{error} in the id {text!r}") from error
