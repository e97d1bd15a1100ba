"""The board as text, always seen from the person's side of the table.

Three styles: drawn with Unicode, drawn with ASCII, or told in words for those who listen to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bgai.engine import BAR, OPPONENT_BAR, Board, borne_off, pip_counts
from bgai.engine.moves import Move

BoardStyle: TypeAlias = Literal["unicode", "ascii", "words"]
BOARD_STYLES: tuple[BoardStyle, ...] = ("unicode", "ascii", "words")

_HEIGHT = 5  # checkers drawn on a point before the last one becomes a number
_PANEL = 30  # columns for names and counts beside the board
_BOLD_YELLOW, _CYAN, _PLAIN = "\x1b[1;33m", "\x1b[36m", "\x1b[0m"


@dataclass(frozen=True)
class _Symbols:
    """What a drawn board is made of; the two sides differ in shape, not only in colour."""

    own: str
    opponent: str
    empty: str
    side: str
    edge: str
    top: tuple[str, str, str]  # left corner, junction at the bar, right corner
    bottom: tuple[str, str, str]


_UNICODE = _Symbols("●", "○", "·", "│", "─", ("┌", "┬", "┐"), ("└", "┴", "┘"))
_ASCII = _Symbols("X", "O", ".", "|", "-", ("+", "+", "+"), ("+", "+", "+"))


@dataclass(frozen=True)
class BoardView:
    """How a person wants to see the board."""

    style: BoardStyle = "unicode"
    colour: bool = False
    home: Literal["right", "left"] = "right"

    def show(self, board: Board, opponent: str, note: str = "") -> str:
        """The position as lines of at most 80 columns.

        Args:
            board: `[26]` seen by the person, whoever is on roll.
            opponent: the opponent's name.
            note: shown beside the middle of the board, such as the dice to play.
        """
        if self.style == "words":
            return "\n".join([describe_board(board, opponent), *([note] if note else [])])
        return "\n".join(self._lines(board, opponent, note))

    def _lines(self, board: Board, opponent: str, note: str) -> list[str]:
        symbols = _UNICODE if self.style == "unicode" else _ASCII
        upper, lower = list(range(13, 25)), list(range(12, 0, -1))
        if self.home == "left":
            upper, lower = upper[::-1], lower[::-1]
        own_pips, opponent_pips = (int(pips) for pips in pip_counts(board))
        own_off, opponent_off = (int(off) for off in borne_off(board))
        panel = {
            0: f"{symbols.opponent} {opponent}",
            1: f"  pips {opponent_pips}, off {opponent_off}",
            _HEIGHT + 1: note,
            2 * _HEIGHT + 1: f"  pips {own_pips}, off {own_off}",
            2 * _HEIGHT + 2: f"{symbols.own} You",
        }
        # a checker on the bar stands at the side it enters from: yours at the top
        rows = [
            _edge(upper, symbols, symbols.top),
            *self._half(board, upper, int(board[BAR]), symbols),
            self._row(["   "] * 12, "BAR", symbols),
            *reversed(self._half(board, lower, int(board[OPPONENT_BAR]), symbols)),
            _edge(lower, symbols, symbols.bottom),
        ]
        return [
            f" {row}  {panel.get(number, '')[:_PANEL]}".rstrip() for number, row in enumerate(rows)
        ]

    def _half(self, board: Board, points: list[int], on_bar: int, symbols: _Symbols) -> list[str]:
        """The rows of one half of the board, from its edge to the middle."""
        return [
            self._row(
                [self._cell(int(board[point]), depth, symbols) for point in points],
                self._cell(on_bar, depth, symbols) if on_bar else "   ",
                symbols,
            )
            for depth in range(_HEIGHT)
        ]

    def _row(self, cells: list[str], bar: str, symbols: _Symbols) -> str:
        side = symbols.side
        return f"{side}{''.join(cells[:6])}{side}{bar}{side}{''.join(cells[6:])}{side}"

    def _cell(self, count: int, depth: int, symbols: _Symbols) -> str:
        """One checker, count or gap of a point, `depth` rows from the edge; three columns."""
        if depth >= abs(count):
            return f" {symbols.empty if depth == 0 else ' '} "
        symbol = symbols.own if count > 0 else symbols.opponent
        crowded = depth == _HEIGHT - 1 and abs(count) > _HEIGHT
        text = f"{abs(count):2d} " if crowded else f" {symbol} "
        if not self.colour:
            return text
        return f"{_BOLD_YELLOW if count > 0 else _CYAN}{text}{_PLAIN}"


def _edge(points: list[int], symbols: _Symbols, corners: tuple[str, str, str]) -> str:
    left, junction, right = corners
    labels = [f"{point:2d}".replace(" ", symbols.edge) + symbols.edge for point in points]
    bar = junction + 3 * symbols.edge + junction
    return f"{left}{''.join(labels[:6])}{bar}{''.join(labels[6:])}{right}"


def describe_board(board: Board, opponent: str) -> str:
    """Two sentences for the ear, both numbered from the person's side."""
    pips, off = pip_counts(board), borne_off(board)
    bars = int(board[BAR]), -int(board[OPPONENT_BAR])
    sentences = []
    for side, name in enumerate(("Yours", opponent)):
        sign = 1 if side == 0 else -1
        points = [
            f"{sign * int(board[point])} on {point}"
            for point in range(24, 0, -1)
            if sign * board[point] > 0
        ]
        counts = f"bar {bars[side]}, off {int(off[side])}, pips {int(pips[side])}."
        sentences.append(f"{name}: {', '.join([*points, counts])}")
    return "\n".join(sentences)


def describe_moves(moves: Sequence[Move], board: Board) -> str:
    """Moves for the ear: `13 to 7, bar to 22 hits, 6 off`.

    Args:
        moves: in the mover's numbering.
        board: `[26]` seen by the mover, before the first of them.
    """
    blots = {point for point in range(1, 25) if board[point] == -1}
    spoken = []
    for move in moves:
        start = "bar" if move.start == BAR else str(move.start)
        if move.end == 0:
            spoken.append(f"{start} off")
        else:
            spoken.append(f"{start} to {move.end}{' hits' if move.end in blots else ''}")
            blots.discard(move.end)
    return ", ".join(spoken) if spoken else "no move"
