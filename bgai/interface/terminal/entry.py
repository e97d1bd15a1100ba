"""What a person types in a game: dice, and moves one or several at a time."""

from __future__ import annotations

import re

from bgai.engine import BAR, OFF, Move
from bgai.interface.table import Turn

_DIE = "([1-6\u0661-\u0666\u06f1-\u06f6])"  # in Latin, Arabic or Persian digits
_ROLL = re.compile(rf"{_DIE}[\s,\u060c-]*{_DIE}")
_SOME_MOVES = re.compile(r"(bar|\d{1,2})/(off|\d{1,2})\*?(?:\(([1-4])\))?")


def parse_roll(text: str) -> tuple[int, int]:
    """Two dice as written: `31`, `3-1`, `3 1`.

    Raises:
        ValueError: the text is anything else.
    """
    match = _ROLL.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"dice are written like 31 or 3-1, got {text.strip()!r}")
    return int(match[1]), int(match[2])


def looks_like_moves(text: str) -> bool:
    return "/" in text


def parse_some_moves(turn: Turn, text: str) -> tuple[Move, ...]:
    """The single moves of a text that need not play the whole turn.

    Args:
        turn: at its start or in the middle.
        text: such as `13/7` or `24/23 13/10`; in the order in which they are made.

    Returns:
        Moves that are legal one after the other and leave the rest of the turn playable.

    Raises:
        ValueError: the text cannot be read, or a move is not legal.
    """
    made = len(turn.moves)
    for word in text.lower().replace(",", " ").split():
        match = _SOME_MOVES.fullmatch(word)
        if match is None:
            raise ValueError(f"moves are written like 13/7, bar/22 or 6/off, got {word!r}")
        start = BAR if match[1] == "bar" else int(match[1])
        end = OFF if match[2] == "off" else int(match[2])
        for _ in range(int(match[3] or 1)):
            way = turn.ways(start).get(end)
            if way is None:
                raise ValueError(f"{word} cannot be played now")
            turn = turn.with_moves(way)
    return turn.moves[made:]
