"""Two players against each other in whole matches, or in money games with the cube.

Sessions come in pairs: both of a pair get the same dice, the first player sits in seat 0 of one and
in seat 1 of the other. The dice of a turn depend on the seed, the pair, the game and the turn only,
so the batch size changes nothing but the memory used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from bgai.engine import roll
from bgai.evaluation.arena import Progress, check_pairs
from bgai.match import (
    Action,
    Decision,
    MatchState,
    Rules,
    new_session,
    next_game,
    throw_opening,
)
from bgai.search import Choice, MatchPlayer, decide, follow

_TURNS_DRAWN = 64  # at a time


@dataclass(frozen=True)
class CubeStatistics:
    """What one player did with the cube, in numbers of times."""

    doubles: int
    redoubles: int
    takes: int
    passes: int
    beavers: int
    raccoons: int
    resignations: int


@dataclass(frozen=True)
class SessionsResult:
    """What happened in some matches or money sessions, seen by `first`.

    Attributes:
        sessions: matches, or money sessions, that were played.
        games: games in all of them.
        ppg: points per game of `first`, at the stakes played for.
        standard_error: of `ppg`, over pairs of sessions.
        win_share: the share of the matches that `first` won; None for money.
        win_standard_error: its standard error, over pairs.
        mean_final_cube: the cube at the end of a game.
        largest_cube: the same at the most.
        endings: how often a game ended in each way.
    """

    first: str
    second: str
    rules: Rules
    sessions: int
    games: int
    seed: int
    ppg: float
    standard_error: float
    win_share: float | None
    win_standard_error: float | None
    first_cube: CubeStatistics
    second_cube: CubeStatistics
    mean_final_cube: float
    largest_cube: int
    endings: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def play_sessions(
    first: MatchPlayer,
    second: MatchPlayer,
    rules: Rules,
    sessions: int,
    seed: int,
    batch: int = 1024,
    progress: Progress | None = None,
) -> SessionsResult:
    """Play whole sessions and count.

    Args:
        rules: of a match, or of a money session with a games limit.
        sessions: an even number, at least 4 (the standard errors need two pairs).
        batch: sessions in progress at a time.
        progress: told how many sessions have just ended.

    Raises:
        ValueError: a number is out of range, or a session would never end.
    """
    check_pairs("sessions", sessions, seed, batch)
    if rules.is_money and rules.games_limit is None:
        raise ValueError("a money session needs a games limit to come to an end, got None")
    waiting = iter(
        _Table(new_session(rules), number // 2, number % 2, seed) for number in range(sessions)
    )
    record = _Record(sessions // 2)
    tables = list(islice(waiting, batch))
    while tables:
        _step(tables, (first, second), record)
        running = [table for table in tables if table.state.decision is not Decision.SESSION_OVER]
        if len(running) < len(tables):
            if progress:
                progress(len(tables) - len(running))
            running += islice(waiting, len(tables) - len(running))
        tables = running
    return record.result(first.name, second.name, rules, seed)


class _Table:
    """One session in progress."""

    def __init__(self, state: MatchState, pair: int, seat_of_first: int, seed: int) -> None:
        self.state = state
        self.pair = pair
        self.seat_of_first = seat_of_first
        self._seed = seed
        self._start_game()

    def _start_game(self) -> None:
        self._dice = _dice_of_game(self._seed, self.pair, self.state.games_played)

    @property
    def actor(self) -> int:
        """Whose decision it is: 0 = first, 1 = second."""
        assert self.state.actor is not None
        return self.state.actor ^ self.seat_of_first

    def throw_opening(self) -> None:
        while self.state.decision is Decision.OPENING:
            self.state = throw_opening(self.state, next(self._dice))

    def follow(self, choice: Choice) -> None:
        dice = next(self._dice) if choice.action is Action.ROLL else None
        self.state = follow(self.state, choice, dice)

    def next_game(self) -> None:
        self.state = next_game(self.state)
        self._start_game()


def _dice_of_game(seed: int, pair: int, game: int) -> Iterator[tuple[int, int]]:
    """The rolls of one game of a pair, opening throws first, without end."""
    rng = np.random.default_rng([seed, pair, game])
    while True:
        yield from zip(*roll(rng, _TURNS_DRAWN).T.tolist(), strict=True)


class _Record:
    """The tally of all sessions."""

    def __init__(self, pairs: int) -> None:
        self.points = np.zeros(pairs)
        self.games = np.zeros(pairs)
        self.wins = np.zeros(pairs)
        self.actions: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        self.cubes: Counter[int] = Counter()
        self.endings: Counter[str] = Counter()

    def count_action(self, table: _Table, choice: Choice) -> None:
        name = choice.action.value
        if choice.action is Action.DOUBLE and table.state.cube_owner is not None:
            name = "redouble"
        self.actions[table.actor][name] += 1

    def count_game(self, table: _Table) -> None:
        state = table.state
        assert state.result is not None
        won = state.result.winner == table.seat_of_first
        self.points[table.pair] += state.result.points if won else -state.result.points
        self.games[table.pair] += 1
        self.cubes[state.cube_value] += 1
        self.endings[state.result.ending.value] += 1
        if state.decision is Decision.SESSION_OVER and not state.rules.is_money:
            own, other = state.score[table.seat_of_first], state.score[1 - table.seat_of_first]
            # a games limit may end a match at a tie
            self.wins[table.pair] += 1 if own > other else 0.5 if own == other else 0

    def result(self, first: str, second: str, rules: Rules, seed: int) -> SessionsResult:
        games = int(self.games.sum())
        ppg = float(self.points.sum() / games)
        # the error of a ratio of sums: of the points that are left when the mean is taken away
        left = self.points - ppg * self.games
        wins = self.wins / 2
        cubes = sum(cube * count for cube, count in self.cubes.items())
        return SessionsResult(
            first=first,
            second=second,
            rules=rules,
            sessions=2 * len(self.points),
            games=games,
            seed=seed,
            ppg=ppg,
            standard_error=_standard_error(left) * len(left) / games,
            win_share=None if rules.is_money else float(wins.mean()),
            win_standard_error=None if rules.is_money else _standard_error(wins),
            first_cube=_statistics(self.actions[0]),
            second_cube=_statistics(self.actions[1]),
            mean_final_cube=cubes / games,
            largest_cube=max(self.cubes),
            endings=dict(self.endings),
        )


def _standard_error(of_pairs: npt.NDArray[np.float64]) -> float:
    return float(of_pairs.std(ddof=1) / np.sqrt(len(of_pairs)))


def _statistics(actions: Counter[str]) -> CubeStatistics:
    return CubeStatistics(
        doubles=actions["double"],
        redoubles=actions["redouble"],
        takes=actions["take"],
        passes=actions["pass"],
        beavers=actions["beaver"],
        raccoons=actions["raccoon"],
        resignations=actions["resign"],
    )


def _step(tables: list[_Table], players: tuple[MatchPlayer, MatchPlayer], record: _Record) -> None:
    """One decision at every table, and whatever nobody has to decide before it."""
    for table in tables:
        table.throw_opening()
    groups = [[table for table in tables if table.actor == number] for number in (0, 1)]
    for player, to_act in zip(players, groups, strict=True):
        choices = decide(player, [table.state for table in to_act])
        for table, choice in zip(to_act, choices, strict=True):
            record.count_action(table, choice)
            table.follow(choice)
    for table in tables:
        if table.state.is_over:
            record.count_game(table)
            if table.state.decision is Decision.GAME_OVER:
                table.next_game()
