"""Events told in a language: one sentence each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from bgai.engine import BAR, OFF, Board, Move, format_play
from bgai.interface.table import Event, EventKind, Turn
from bgai.interface.texts import Texts
from bgai.match import Ending


@dataclass(frozen=True)
class Announcer:
    """Tells what happens at a table.

    Attributes:
        names: of seat 0 and seat 1.
        you: the seat that is addressed as "you"; None if nobody is.
        is_match: whether a session's end is that of a match.
        is_spoken: moves are told in words, not in notation.
    """

    texts: Texts
    names: tuple[str, str]
    you: int | None = None
    is_match: bool = False
    is_spoken: bool = False
    _tellers: dict[EventKind, Callable[[Event], str]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        kind = EventKind
        tellers = {
            kind.OPENING: self._opening,
            kind.ROLL: self._roll,
            kind.PLAY: self._play,
            kind.HIT: self._hit,
            kind.DANCE: self._roll,
            kind.PASS: self._plain,
            kind.ACCEPT: self._plain,
            kind.DECLINE: self._plain,
            kind.RESIGN: self._resign,
            kind.GAME_OVER: self._game_over,
            kind.SESSION_OVER: self._session_over,
            kind.NEXT_GAME: self._next_game,
            **dict.fromkeys((kind.DOUBLE, kind.TAKE, kind.BEAVER, kind.RACCOON), self._cube),
        }
        object.__setattr__(self, "_tellers", tellers)

    def __call__(self, event: Event) -> str:
        """The sentence for an event."""
        return self._tellers[event.kind](event)

    def name(self, seat: int) -> str:
        """A seat's name, or "You"."""
        return self.texts("board.you") if seat == self.you else self.names[seat]

    def _by(self, key: str, seat: int | None, **values: object) -> str:
        assert seat is not None
        if seat == self.you:
            return self.texts(f"event.{key}.you", **values)
        return self.texts(f"event.{key}.other", name=self.names[seat], **values)

    def _plain(self, event: Event) -> str:
        return self._by(event.kind.value, event.seat)

    def _roll(self, event: Event) -> str:
        return self._by(event.kind.value, event.seat, dice=dice_text(self.texts, event.dice))

    def _cube(self, event: Event) -> str:
        return self._by(event.kind.value, event.seat, cube=event.cube)

    def _opening(self, event: Event) -> str:
        assert event.dice is not None and event.cube is not None
        # "you" come first, whatever your seat
        order = (0, 1) if self.you != 1 else (1, 0)
        first, second = (self._by("throws", seat, die=event.dice[seat]) for seat in order)
        if event.seat is not None:
            result = self._by("starts", event.seat)
        elif event.is_doubled:
            result = self.texts("event.equal_doubles", cube=event.cube)
        else:
            result = self.texts("event.equal")
        return self.texts("event.opening", first=first, second=second, result=result)

    def _play(self, event: Event) -> str:
        assert event.position is not None and event.dice is not None
        play = play_text(self.texts, np.array(event.position, np.int8), event.moves, self.is_spoken)
        if event.is_automatic:
            is_only = Turn(event.position, event.dice).afterstates == 1
            play = self.texts("event.only_play" if is_only else "event.automatic_play", play=play)
        return self._by("play", event.seat, dice=dice_text(self.texts, event.dice), play=play)

    def _hit(self, event: Event) -> str:
        assert event.seat is not None
        return self.texts("event.hit", mover=self.name(event.seat), point=event.point)

    def _resign(self, event: Event) -> str:
        return self._by("resign", event.seat, level=self.texts(f"level.{event.level}"))

    def _game_over(self, event: Event) -> str:
        assert event.points is not None
        points = self.texts("count.points", count=event.points)
        if event.ending is Ending.PASSED:
            return self._by("game_over_passed", event.seat, points=points)
        level = self.texts(f"level.{event.level}")
        return self._by("game_over", event.seat, level=level, points=points)

    def _session_over(self, event: Event) -> str:
        assert event.score is not None
        if self.is_match and event.seat is not None:
            own, other = event.score[event.seat], event.score[1 - event.seat]
            return self._by("match_over", event.seat, own=own, other=other)
        return self.texts("event.session_over", **self.scores(event.score))

    def _next_game(self, event: Event) -> str:
        assert event.score is not None
        key = "event.next_game_crawford" if event.is_crawford else "event.next_game"
        return self.texts(key, game=event.game, **self.scores(event.score))

    def scores(self, score: tuple[int, int]) -> dict[str, object]:
        """Names and points of both seats, as the texts fill them in."""
        order = (0, 1) if self.you != 1 else (1, 0)
        first, second = (self.name(seat) for seat in order)
        own, other = (score[seat] for seat in order)
        return {"first": first, "own": own, "second": second, "other": other}


def dice_text(texts: Texts, dice: tuple[int, int] | None) -> str:
    """A roll, with its customary name where the language has one."""
    assert dice is not None
    high, low = max(dice), min(dice)
    return texts("dice.shown", high=high, low=low, spoken=texts(f"dice.spoken.{high}{low}"))


def play_text(texts: Texts, board: Board, moves: Sequence[Move], is_spoken: bool) -> str:
    """A play in notation or in words; `board` as before it, seen by the mover."""
    if is_spoken or not moves:
        return spoken_moves(texts, board, moves)
    return format_play(board, moves)


def spoken_moves(texts: Texts, board: Board, moves: Sequence[Move]) -> str:
    """Moves for the ear: `13 to 7, bar to 22 hits, 6 off`.

    Args:
        board: `[26]` seen by the mover, before the first of them.
        moves: in the mover's numbering.
    """
    blots = {point for point in range(1, 25) if board[point] == -1}
    spoken = []
    for move in moves:
        start = texts("board.bar") if move.start == BAR else str(move.start)
        if move.end == OFF:
            spoken.append(texts("moves.off", start=start))
            continue
        key = "moves.hit" if move.end in blots else "moves.step"
        spoken.append(texts(key, start=start, end=str(move.end)))
        blots.discard(move.end)
    return texts("moves.separator").join(spoken) if spoken else texts("moves.none")
