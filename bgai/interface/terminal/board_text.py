"""The board as text, always seen from the person's side of the table.

Three styles: drawn with Unicode, drawn with ASCII, or told in words for those who listen to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bgai.engine import BAR, OPPONENT_BAR, Board, borne_off, pip_counts
from bgai.interface.texts import Texts
from bgai.interface.texts.board_words import Side, describe_board

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

    texts: Texts
    style: BoardStyle = "unicode"
    colour: bool = False
    home: Literal["right", "left"] = "right"

    def show(self, board: Board, own: Side, opponent: Side, status: Sequence[str] = ()) -> str:
        """The position as lines, of at most 80 columns where it is drawn.

        Args:
            board: `[26]` seen by the person, whoever is on roll.
            status: up to four short lines, such as the score, the cube and the dice to play.
        """
        told = [line for line in status if line]
        if self.style == "words":
            return "\n".join([describe_board(self.texts, board, own, opponent), *told])
        pips, off = pip_counts(board), borne_off(board)
        counts = [
            self.texts("board.pips", pips=int(pips[side]), off=int(off[side])) for side in (0, 1)
        ]
        scores = [self.texts("board.score", score=side.score) for side in (own, opponent)]
        symbols = _UNICODE if self.style == "unicode" else _ASCII
        if self.texts.direction == "rtl":  # letters of two directions would shift the drawing
            above = f"{symbols.opponent} {opponent.name}: {counts[1]}"
            below = f"{symbols.own} {own.name}: {counts[0]}"
            return "\n".join([above, *self._lines(board, symbols, {}), below, *told])
        panel = {0: f"{symbols.opponent} {opponent.name}", 1: f"  {counts[1]}", 2: f"  {scores[1]}"}
        panel |= dict(enumerate(told[:4], start=_HEIGHT - 1))
        panel |= {10: f"  {scores[0]}", 11: f"  {counts[0]}", 12: f"{symbols.own} {own.name}"}
        return "\n".join(self._lines(board, symbols, panel))

    def _lines(self, board: Board, symbols: _Symbols, panel: Mapping[int, str]) -> list[str]:
        upper, lower = list(range(13, 25)), list(range(12, 0, -1))
        if self.home == "left":
            upper, lower = upper[::-1], lower[::-1]
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
