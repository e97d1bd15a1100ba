"""The legal turns found the slow way: every order of the dice, every move, and only then the rules
on how many dice must be played.

Written from the rules alone and sharing nothing with `bgai.engine`: a side is one integer that
holds the number of its checkers on slot p in bits 4p to 4p + 3. Slots are the mover's points; 25 is
the mover's bar and 0 the opponent's. Checkers borne off are not kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

Turn = tuple[int, int]  # the mover's side and the opponent's, in the mover's numbering

_ONE = [1 << 4 * slot for slot in range(26)]
_BAR = 25
_FIRST_OUTSIDE = _ONE[7]  # a side as large as this has a checker that is not home


def turn_ends(own: int, opponent: int, dice: Sequence[int]) -> set[Turn]:
    """Every position in which the turn may end; the given one alone if no die can be played."""
    first, second = dice
    orders = [(first,) * 4] if first == second else [(first, second), (second, first)]
    reached = [_reached(own, opponent, order) for order in orders]
    most = max(len(levels) for levels in reached)
    if most == 0:
        return {(own, opponent)}
    if most == 1 and first != second:
        # either die alone: the larger, if it can be played at all
        larger, smaller = reached if first > second else reached[::-1]
        return (larger or smaller)[0]
    return set().union(*(levels[-1] for levels in reached if len(levels) == most))


def sides_of_board(board: npt.NDArray[np.int8]) -> Turn:
    """A board `[26]` seen by the player on roll, as the two sides of that player's turn."""
    counts = [int(count) for count in board]
    own = sum(count * _ONE[slot] for slot, count in enumerate(counts) if count > 0)
    opponent = sum(-count * _ONE[slot] for slot, count in enumerate(counts) if count < 0)
    return own, opponent


def sides_of_afterstates(after: npt.NDArray[np.int8]) -> list[Turn]:
    """Rows `[M, 26]` seen by the *next* player, as sides in the numbering of who has just moved."""
    movers_view = after[:, ::-1].astype(np.int64)
    own, opponent = np.maximum(-movers_view, 0), np.maximum(movers_view, 0)
    packed = []
    for side in (own, opponent):
        # 26 times 4 bits are too many for one machine word
        low, high = (side[:, part] @ 16 ** np.arange(13) for part in (slice(13), slice(13, 26)))
        packed.append([a + (b << 52) for a, b in zip(low.tolist(), high.tolist(), strict=True)])
    return list(zip(*packed, strict=True))


def _reached(own: int, opponent: int, order: Sequence[int]) -> list[set[Turn]]:
    """What can be reached by the first die, by the first two, ... until a die has no move."""
    levels: list[set[Turn]] = []
    positions = {(own, opponent)}
    for die in order:
        positions = {after for position in positions for after in _moves(*position, die)}
        if not positions:
            break
        levels.append(positions)
    return levels


def _moves(own: int, opponent: int, die: int) -> Iterator[Turn]:
    """The positions after moving any one checker by `die`."""
    starts = (_BAR,) if own >= _ONE[_BAR] else range(1, _BAR)
    for start in starts:
        if not own >> 4 * start & 15:
            continue
        end = start - die
        if end >= 1:
            blockers = opponent >> 4 * end & 15
            if blockers >= 2:
                continue
            hit = (_ONE[0] - _ONE[end]) if blockers else 0
            yield own - _ONE[start] + _ONE[end], opponent + hit
        elif own < _FIRST_OUTSIDE and (end == 0 or own >> 4 * (start + 1) == 0):
            yield own - _ONE[start], opponent
