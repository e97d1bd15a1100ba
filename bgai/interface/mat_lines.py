"""The lines of a .mat file: headers, games, and the cells of the two players' columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_LENGTH = re.compile(r"\s*(\d+)[\s-]+point match\b|\s*match of (\d+) points?\b", re.IGNORECASE)
_GAME = re.compile(r"\s*game\s+(\d+)\b.*", re.IGNORECASE)
_SCORE = re.compile(r"\s*(\S.*?)\s*:\s*(\d+)\s+(\S.*?)\s*:\s*(\d+)\s*")
_TAG = re.compile(r'[;#]\s*\[(\w+)\s+"([^"]*)"\]')
_CELL = re.compile(
    r"(?<!\S)(?:[1-6][1-6]:|(?:doubles?|redoubles?|beavers?|raccoons?|takes?|accepts?|drops?|passes"
    r"|rejects?|wins?|resigns?)\b)",
    re.IGNORECASE,
)
_RIGHT_COLUMN = 20  # what starts further right is the second player's
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True)
class Cell:
    """What a player does, in one column of a line."""

    line: int
    player: int
    text: str


@dataclass
class Game:
    """A game as it stands in the file.

    Attributes:
        line: of its number.
        head_line: of the players and their scores; None where it is missing.
    """

    line: int
    number: int
    head_line: int | None = None
    names: tuple[str, str] = ("", "")
    score: tuple[int, int] = (0, 0)
    cells: list[Cell] = field(default_factory=list)


@dataclass
class File:
    """A whole file.

    Attributes:
        tags: of the headers, by their names in small letters.
        length: points of the match, 0 for money; None where no line tells it.
        torn_line: the number of the last line where nothing ends it: it may have lost its end.
        is_torn: the last line cannot be read as it stands.
    """

    tags: dict[str, str] = field(default_factory=dict)
    length: int | None = None
    games: list[Game] = field(default_factory=list)
    torn_line: int | None = None
    is_torn: bool = False


def parse_lines(text: str) -> File:
    """The parts of a file, not yet played.

    Raises:
        ValueError: a line is none of a .mat file; names it.
    """
    file = File()
    lines = text.removeprefix(_BYTE_ORDER_MARK).splitlines()
    if lines and not text.endswith(("\n", "\r")):
        file.torn_line = len(lines)
    for number, raw in enumerate(lines, start=1):
        line = raw.expandtabs().rstrip()
        try:
            if number == file.torn_line:
                _parse_torn_line(file, number, line)
            else:
                _parse_line(file, number, line)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
    return file


def _parse_torn_line(file: File, number: int, line: str) -> None:
    """The last line, or what of it is whole.

    Raises:
        ValueError: no game stands before it.
    """
    whole = line
    head, _, last = line.rpartition("  ")
    if head.strip() and last.strip().isalnum() and not _CELL.match(last):
        whole = head.rstrip()  # the first letters of a word, or a die
        file.is_torn = True
    try:
        _parse_line(file, number, whole)
    except ValueError:
        if not file.games:
            raise
        file.is_torn = True


def _parse_line(file: File, number: int, line: str) -> None:
    if line.startswith((";", "#")):
        if line[1:].lstrip().lower().startswith("set pos"):
            raise ValueError(f"a game from a position that was set up is not read: {line!r}")
        if tag := _TAG.match(line):
            file.tags[tag[1].lower()] = tag[2]
    elif not line.strip():
        return
    elif file.length is None:
        # whatever stands before the length is a comment
        if found := _LENGTH.match(line):
            file.length = int(found[1] or found[2])
    elif found := _GAME.fullmatch(line):
        file.games.append(Game(number, int(found[1])))
    elif not file.games:
        raise ValueError(f"expected `Game 1`, got {line.strip()!r}")
    elif not file.games[-1].names[0]:
        _parse_score(file.games[-1], number, line)
    else:
        file.games[-1].cells += _cells(number, line)


def _parse_score(game: Game, number: int, line: str) -> None:
    found = _SCORE.fullmatch(line)
    if found is None:
        raise ValueError(f"expected `NAME : SCORE  NAME : SCORE`, got {line.strip()!r}")
    game.head_line = number
    game.names = found[1], found[3]
    game.score = int(found[2]), int(found[4])


def _cells(number: int, line: str) -> Iterator[Cell]:
    """The one or two cells of a line."""
    found = list(_CELL.finditer(line))
    head = line[: found[0].start()] if found else line
    if len(found) > 2 or not re.fullmatch(r"\s*(?:\d+\))?\s*", head):
        raise ValueError(f"cannot read {line.strip()!r}")
    if not found:
        return  # a number alone
    ends = [cell.start() for cell in found[1:]] + [len(line)]
    for place, (cell, end) in enumerate(zip(found, ends, strict=True)):
        text = line[cell.start() : end].strip()
        # gnubg also writes `32:       Wins 1 point`, both in the left column
        is_second = place == 1 and not text.lower().startswith("win")
        yield Cell(number, int(is_second or cell.start() >= _RIGHT_COLUMN), text)
