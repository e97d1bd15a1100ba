"""What a person types in a game: dice, and moves one or several at a time."""

from __future__ import annotations

import re

from bgai.engine import BAR, OFF, Board
from bgai.engine.moves import DiceLeft, Move, dice_after_move, legal_moves, make_move

_ROLL = re.compile(r"([1-6])[\s,-]*([1-6])")
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


def parse_some_moves(board: Board, dice_left: DiceLeft, text: str) -> list[Move]:
    """The single moves of a text that need not play the whole turn.

    Args:
        board: `[26]` seen by the mover, perhaps in the middle of the turn.
        dice_left: the dice still to be played.
        text: such as `13/7` or `24/23 13/10`; in the order in which they are made.

    Returns:
        Moves that are legal one after the other and leave the rest of the turn playable.

    Raises:
        ValueError: the text cannot be read, or a move is not legal.
    """
    moves: list[Move] = []
    for word in text.lower().replace(",", " ").split():
        match = _SOME_MOVES.fullmatch(word)
        if match is None:
            raise ValueError(f"moves are written like 13/7, bar/22 or 6/off, got {word!r}")
        start = BAR if match[1] == "bar" else int(match[1])
        end = OFF if match[2] == "off" else int(match[2])
        for _ in range(int(match[3] or 1)):
            steps = _steps(board, dice_left, start, end)
            if not steps:
                raise ValueError(f"{word} cannot be played now")
            for step in steps:
                board, dice_left = make_move(board, step), dice_after_move(dice_left, step)
            moves += steps
    return moves


def _steps(board: Board, dice_left: DiceLeft, start: int, end: int) -> list[Move]:
    """The legal moves that bring one checker from `start` to `end`, the fewest first found."""
    options = [move for move in legal_moves(board, dice_left) if move.start == start]
    for move in options:
        if move.end == end:
            return [move]
    for move in options:
        if move.end > end:
            rest = _steps(make_move(board, move), dice_after_move(dice_left, move), move.end, end)
            if rest:
                return [move, *rest]
    return []
