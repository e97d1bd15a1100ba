"""Plays as players write them: `24/18*/13`, `8/5(2)`, `bar/22`, `4/off`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy.typing as npt

from bgai.engine.board import BAR, OFF, OPPONENT_BAR, Board, swap
from bgai.engine.moves import (
    DiceLeft,
    Move,
    Play,
    dice_after_move,
    dice_of_roll,
    is_hit,
    legal_moves,
    make_move,
)

CANNOT_MOVE = "cannot move"
"""How a dance is written."""

_DANCES = frozenset(
    {"", CANNOT_MOVE, "can't move", "no move", "no moves", "no play", "dance", "dances", "pass"}
)
_POINT = r"(?:bar|off|[0-9]{1,2})\*?"
_TOKEN = re.compile(rf"({_POINT}(?:/{_POINT})+)(?:\(([0-9])\))?(\*?)")
_MOST_MOVES = 4


class _Path(NamedTuple):
    """One checker's way through a turn: the points it is written with, and those it hits on."""

    points: tuple[int, ...]
    hits: frozenset[int]


def format_play(board: Board, moves: Sequence[Move]) -> str:
    """The usual notation of a play.

    Args:
        board: `[26]` seen by the mover, before the turn.
        moves: legal on `board` one after the other; none for a dance.

    Returns:
        Moves from the highest start down, the legs of one checker merged (`24/13`) except where it
        hits on the way (`24/18*/13`), equal ones counted (`8/5(2)`), `*` after a point where a
        blot is hit; `cannot move` for a dance.
    """
    if not moves:
        return CANNOT_MOVE
    counts: dict[tuple[int, ...], int] = {}
    hits: dict[tuple[int, ...], frozenset[int]] = {}
    for path in sorted(_paths(board, moves), reverse=True):
        counts[path.points] = counts.get(path.points, 0) + 1
        # of several checkers that make the same move only the first hits
        hits[path.points] = hits.get(path.points, frozenset()) | path.hits
    return " ".join(_path_text(points, hits[points], count) for points, count in counts.items())


def parse_play(board: Board, dice: npt.ArrayLike, text: str) -> Play:
    """The play that a text describes.

    Args:
        board: `[26]` seen by the player on roll.
        dice: two dice, in any order.
        text: moves in any order, merged or leg by leg, `(2)` or written twice, `bar` or `25`,
            `off` or `0`, in upper or lower case, with or without `*`; for a dance nothing at all,
            `cannot move`, `pass`, `no move` or `dance`. A `pass` after moves is ignored.

    Returns:
        The play with its moves in a legal order.

    Raises:
        ValueError: the text cannot be read, or no legal play with this roll fits it.

    The points written are visited. Where a merged move has two ways that leave different boards,
    the one with fewer hits is meant, so a hit on the way must be written (`24/18*/13`); if both hit
    equally often, the one with the larger die first. A `*` where nothing is hit is an error.
    """
    roll = dice_of_roll(dice)
    paths = _read(text)
    segments = [segment for path in paths for segment in _segments(path)]
    starred = frozenset[int]().union(*(path.hits for path in paths))
    best: tuple[Play, int] | None = None
    for play, hits in _plays_along(board, roll, segments):
        if starred <= hits and (best is None or len(hits) < best[1]):
            best = play, len(hits)
    if best is None:
        described = f"{text.strip()!r}" if segments else f"a dance ({text.strip()!r})"
        raise ValueError(f"{described} is not legal with the roll {roll[0]}-{roll[1]}")
    return best[0]


def _paths(board: Board, moves: Sequence[Move]) -> list[_Path]:
    """The legs joined to whole ways of single checkers, showing stops only where they hit."""
    legs: list[tuple[Move, bool]] = []
    blots = {point for point, count in enumerate(board.tolist()) if count == -1} - {OPPONENT_BAR}
    for move in moves:
        legs.append((move, move.end in blots))
        blots.discard(move.end)
    legs.sort(reverse=True)
    paths = []
    while legs:
        (start, end), hit = legs.pop(0)
        points, hits = [start], {end} if hit else set()
        while continued := next((leg for leg in legs if leg[0].start == end), None):
            legs.remove(continued)
            if end in hits:
                points.append(end)
            end = continued[0].end
            if continued[1]:
                hits.add(end)
        paths.append(_Path((*points, end), frozenset(hits)))
    return paths


def _path_text(points: tuple[int, ...], hits: frozenset[int], count: int) -> str:
    names = [
        ("bar" if point == BAR else "off" if point == OFF else str(point))
        + ("*" if point in hits else "")
        for point in points
    ]
    return "/".join(names) + (f"({count})" if count > 1 else "")


def _read(text: str) -> list[_Path]:
    """The paths written in a text, repeated ones as often as they count.

    Raises:
        ValueError: the text is not a list of moves.
    """
    normal = " ".join(text.lower().replace(",", " ").split()).rstrip(".")
    if normal.strip("()") in _DANCES:
        return []
    paths: list[_Path] = []
    for token in normal.removesuffix(" pass").split():
        match = _TOKEN.fullmatch(token)
        if match is None:
            raise ValueError(f"cannot read {token!r} in the move text {text!r}")
        written, count, late_star = match.groups()
        names = (written + late_star).split("/")
        points = tuple(_point(name.rstrip("*"), at == 0) for at, name in enumerate(names))
        falling = all(high > low for high, low in zip(points, points[1:], strict=False))
        if points[0] > BAR or not falling or names[0].endswith("*") or count == "0":
            raise ValueError(f"cannot read {token!r} in the move text {text!r}")
        hits = {point for point, name in zip(points, names, strict=True) if name.endswith("*")}
        paths += [_Path(points, frozenset(hits))] * int(count or 1)
    if sum(len(_segments(path)) for path in paths) > _MOST_MOVES:
        raise ValueError(f"a play has at most {_MOST_MOVES} moves, got {text!r}")
    return paths


def _point(name: str, is_start: bool) -> int:
    """The number of a point as written; 26 for a bar or an off where it cannot be."""
    if name == "bar":
        return BAR if is_start else BAR + 1
    if name == "off":
        return BAR + 1 if is_start else OFF
    return int(name)


def _segments(path: _Path) -> list[Move]:
    """What must be moved from each written point to the next, by one die or several."""
    return [Move(start, end) for start, end in zip(path.points, path.points[1:], strict=False)]


def _plays_along(
    board: Board, dice: DiceLeft, segments: Sequence[Move]
) -> Iterator[tuple[Play, frozenset[int]]]:
    """Every legal way to play the whole turn along the segments, with the points hit."""
    options = legal_moves(board, dice)
    if not options and not segments:
        yield Play((), swap(board)), frozenset()
    for move in sorted(options, key=lambda option: (-option.start, option.end)):
        for segment in dict.fromkeys(segments):
            if move.start != segment.start or move.end < segment.end:
                continue
            left = list(segments)
            left.remove(segment)
            if move.end > segment.end:
                left.append(Move(move.end, segment.end))
            hit = frozenset({move.end}) if is_hit(board, move) else frozenset()
            after = make_move(board, move)
            for play, hits in _plays_along(after, dice_after_move(dice, move), left):
                yield Play((move, *play.moves), play.after), hit | hits
