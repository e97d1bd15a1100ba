"""What happens at a table, as plain data from which every interface makes its announcements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from bgai.engine import Move, is_hit, make_move
from bgai.interface.table.step import Step
from bgai.match import Action, Decision, Ending
from bgai.match.state import Position


class EventKind(Enum):
    """The kinds of events; what each tells besides its seat stands in `Event`."""

    OPENING = "opening"  # dice, cube, is_doubled; seat: who starts, None if the dice are equal
    ROLL = "roll"  # dice
    PLAY = "play"  # dice, moves, position
    HIT = "hit"  # point; follows its play
    DANCE = "dance"  # dice: no legal move
    DOUBLE = "double"  # cube offered
    TAKE = "take"  # cube now
    PASS = "pass"  # points lost
    BEAVER = "beaver"  # cube offered
    RACCOON = "raccoon"  # cube offered
    RESIGN = "resign"  # level
    ACCEPT = "accept"  # level
    DECLINE = "decline"  # level
    GAME_OVER = "game_over"  # seat: the winner; level, points, score, ending
    SESSION_OVER = "session_over"  # seat: who has more points, None if nobody; score
    NEXT_GAME = "next_game"  # game: its number from 1; score, is_crawford


@dataclass(frozen=True)
class Event:
    """One announcement's worth of facts; those that a kind does not tell are None or empty.

    Attributes:
        seat: who does it.
        dice: in an opening seat 0's die and seat 1's.
        moves: in the mover's numbering.
        position: before the play, seen by the mover.
        point: where the opponent is hit, in the mover's numbering.
        cube: its value on the table or as offered.
        level: 1, gammon 2, backgammon 3.
        points: what the game was worth.
        score: points of seat 0 and seat 1.
        is_doubled: equal opening dice have doubled the cube.
        is_automatic: the table did it for a person who had no choice or did not want one.
    """

    kind: EventKind
    seat: int | None = None
    dice: tuple[int, int] | None = None
    moves: tuple[Move, ...] = ()
    position: Position | None = None
    point: int | None = None
    cube: int | None = None
    level: int | None = None
    points: int | None = None
    score: tuple[int, int] | None = None
    ending: Ending | None = None
    game: int | None = None
    is_crawford: bool = False
    is_doubled: bool = False
    is_automatic: bool = False

    def as_json(self) -> dict[str, Any]:
        """Only what the event tells; `seat` always."""
        told: dict[str, Any] = {"kind": self.kind.value, "seat": self.seat}
        for name in ("dice", "moves", "position", "score"):
            value = getattr(self, name)
            if value or (name == "moves" and self.kind is EventKind.PLAY):
                told[name] = [list(move) for move in value] if name == "moves" else list(value)
        for name in ("point", "cube", "level", "points", "game"):
            if getattr(self, name) is not None:
                told[name] = getattr(self, name)
        if self.ending is not None:
            told["ending"] = self.ending.value
        for name in ("is_crawford", "is_doubled", "is_automatic"):
            if getattr(self, name):
                told[name] = True
        return told


_OFFERS = {
    Action.DOUBLE: EventKind.DOUBLE,
    Action.BEAVER: EventKind.BEAVER,
    Action.RACCOON: EventKind.RACCOON,
}
_RESIGNING = {
    Action.RESIGN: EventKind.RESIGN,
    Action.ACCEPT: EventKind.ACCEPT,
    Action.DECLINE: EventKind.DECLINE,
}


def events_of(step: Step) -> list[Event]:
    """What a step is announced as, in order."""
    return [*_action_events(step), *_ending_events(step)]


def _action_events(step: Step) -> Iterator[Event]:
    before, after, seat = step.before, step.after, step.seat
    action = step.action
    if action is Action.THROW_OPENING:
        starts = after.turn if after.decision is Decision.PLAY else None
        is_doubled = after.cube_value > before.cube_value
        cube = after.cube_value
        yield Event(EventKind.OPENING, starts, dice=step.dice, cube=cube, is_doubled=is_doubled)
    elif action is Action.ROLL:
        yield Event(EventKind.ROLL, seat, dice=step.dice, is_automatic=step.is_automatic)
    elif action is Action.PLAY:
        yield from _play_events(step)
    elif action in _OFFERS:
        yield Event(_OFFERS[action], seat, cube=2 * after.stake_if_passed)
    elif action is Action.TAKE:
        yield Event(EventKind.TAKE, seat, cube=after.cube_value)
    elif action is Action.PASS:
        yield Event(EventKind.PASS, seat, points=before.stake_if_passed)
    elif action in _RESIGNING:
        level = step.level or before.resigned
        yield Event(_RESIGNING[action], seat, level=level)
    else:
        game = after.games_played + 1
        yield Event(
            EventKind.NEXT_GAME, game=game, score=after.score, is_crawford=after.is_crawford
        )


def _play_events(step: Step) -> Iterator[Event]:
    state, seat = step.before, step.seat
    if not step.moves:
        yield Event(EventKind.DANCE, seat, dice=state.dice, is_automatic=step.is_automatic)
        return
    yield Event(
        EventKind.PLAY,
        seat,
        dice=state.dice,
        moves=step.moves,
        position=state.position,
        is_automatic=step.is_automatic,
    )
    board = state.board
    for move in step.moves:
        if is_hit(board, move):
            yield Event(EventKind.HIT, seat, point=move.end)
        board = make_move(board, move)


def _ending_events(step: Step) -> Iterator[Event]:
    after = step.after
    if not after.is_over or step.before.is_over or after.result is None:
        return
    result = after.result
    yield Event(
        EventKind.GAME_OVER,
        result.winner,
        level=result.level,
        points=result.points,
        score=after.score,
        ending=result.ending,
    )
    if after.decision is Decision.SESSION_OVER:
        yield Event(EventKind.SESSION_OVER, after.leader, score=after.score)
