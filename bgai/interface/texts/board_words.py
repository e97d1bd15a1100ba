"""A position in words, for those who hear it."""

from __future__ import annotations

from dataclasses import dataclass

from bgai.engine import BAR, OPPONENT_BAR, Board, borne_off, pip_counts
from bgai.interface.texts import Texts


@dataclass(frozen=True)
class Side:
    """Whose half of the board it is.

    Attributes:
        is_you: the one who reads it, and nobody else at the table does.
    """

    name: str
    score: int = 0
    is_you: bool = False


def describe_board(texts: Texts, board: Board, own: Side, opponent: Side) -> str:
    """Two sentences for the ear, both numbered from the side that looks at the board."""
    pips, off = pip_counts(board), borne_off(board)
    bars = int(board[BAR]), -int(board[OPPONENT_BAR])
    separator = texts("moves.separator")
    sentences = []
    for row, (side, sign) in enumerate(((own, 1), (opponent, -1))):
        points = [
            texts("board.checkers_on", number=sign * int(board[point]), point=point) + separator
            for point in range(24, 0, -1)
            if sign * board[point] > 0
        ]
        key = "board.side.yours" if side.is_you else "board.side.theirs"
        told = texts(
            key,
            name=side.name,
            points="".join(points),
            bar=bars[row],
            off=int(off[row]),
            pips=int(pips[row]),
        )
        sentences.append(told)
    return "\n".join(sentences)
