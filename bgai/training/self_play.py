"""Self-play in lockstep: thousands of games, one ply of all of them at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from bgai.endgame import ONE_SIDED, Endgames
from bgai.engine import (
    START,
    UNFINISHED,
    Boards,
    Dice,
    Probs,
    legal_afterstates,
    opening_roll,
    outcomes,
    roll,
    roll_numbers,
)
from bgai.search import Evaluator, Scout
from bgai.search.ply import best_replies, mean_of_rolls
from bgai.search.select import choose_plays, with_endgames

_FEWEST_GAMES_PER_TASK = 64


def _shares(games: int) -> list[tuple[int, int]]:
    """Slices of the games, large ones first: they cost least, and small ones fill the gaps."""
    slices = []
    start = 0
    while start < games:
        size = max(_FEWEST_GAMES_PER_TASK, (games - start) // 4)
        slices.append((start, min(start + size, games)))
        start += size
    return slices


def _draw_plays(boards: Boards, dice: Dice, drawn: npt.NDArray[np.float64]) -> Boards:
    """A legal play of each board, by a number in 0..1."""
    after, offsets = legal_afterstates(boards, dice)
    return after[offsets[:-1] + (drawn * np.diff(offsets)).astype(np.int64)]


@dataclass(frozen=True)
class Window:
    """Some plies of `B` games."""

    boards: Boards
    """`[T, B, 26]`: each position before its roll."""
    next_values: Probs
    """`[T, B, 6]`: the value of the afterstate played, for the next player."""
    ended: npt.NDArray[np.bool_]
    """`[T, B]`: whether the play ended the game; the next position then starts another one."""
    is_exact: npt.NDArray[np.bool_]
    """`[T, B]`: whether `next_values` are exact: outcomes, or found in the endgame tables."""
    lookahead: Probs | None = None
    """`[T, B, 6]`: the mean over the 21 rolls of the best reply, for the player about to roll."""
    is_random: npt.NDArray[np.bool_] | None = None
    """`[T, B]`: whether the play was drawn, not chosen; None if none was."""

    @property
    def finished_games(self) -> int:
        return int(self.ended.sum())


class SelfPlay:
    """Games that one evaluator plays against itself; finished games are followed by new ones."""

    def __init__(
        self, games: int, rng: np.random.Generator, endgames: Endgames | None = None
    ) -> None:
        """
        Args:
            endgames: what they know is not left to the evaluator.
        """
        self.rng = rng
        self._endgames = endgames
        self.boards: Boards = np.repeat(START[None], games, axis=0)
        self.is_opening = np.ones(games, np.bool_)

    def start_window(
        self,
        evaluator: Evaluator,
        plies: int,
        scout: Scout | None = None,
        looks_ahead: bool = False,
        random_plays: float = 0.0,
    ) -> tuple[Window, list[Callable[[], None]]]:
        """Throw the dice for some plies of every game; the plays are left to tasks.

        Args:
            evaluator: chooses the plays; its weights must not change until the tasks are done.
            scout: shortlists them, if there is one.
            looks_ahead: whether the best reply to every roll is looked for, not only to the one
                thrown.
            random_plays: share of the plays that are drawn from the legal ones instead.

        Returns:
            window: filled when all tasks have run.
            tasks: each plays some of the games; they can run in any order, at the same time.
        """
        games = len(self.boards)
        endgames = self._endgames
        evaluator = self.exact(evaluator)
        window = Window(
            np.empty((plies, *self.boards.shape), np.int8),
            np.empty((plies, games, 6), np.float32),
            np.empty((plies, games), np.bool_),
            np.empty((plies, games), np.bool_),
            np.empty((plies, games, 6), np.float32) if looks_ahead else None,
            self.rng.random((plies, games)) < random_plays if random_plays else None,
        )
        drawn = self.rng.random((plies, games)) if random_plays else None
        dice = roll(self.rng, plies * games).reshape(plies, games, 2)
        opening_dice = opening_roll(self.rng, plies * games).reshape(plies, games, 2)

        def play(start: int, stop: int) -> None:
            some = slice(start, stop)
            boards, is_opening = self.boards[some], self.is_opening[some]
            for ply in range(plies):
                thrown = np.where(is_opening[:, None], opening_dice[ply, some], dice[ply, some])
                window.boards[ply, some] = boards
                if window.lookahead is None:
                    boards, values = choose_plays(evaluator, boards, thrown, scout)
                else:
                    after, replies = best_replies(evaluator, boards, scout)
                    window.lookahead[ply, some] = mean_of_rolls(replies)
                    thrown_row = np.arange(len(boards)), roll_numbers(thrown)
                    boards, values = after[thrown_row], replies[thrown_row]
                if window.is_random is not None and drawn is not None:
                    rows = np.flatnonzero(window.is_random[ply, some])
                    before = window.boards[ply, some][rows]
                    boards[rows] = _draw_plays(before, thrown[rows], drawn[ply, some][rows])
                    values[rows] = evaluator(boards[rows])
                is_opening = outcomes(boards) != UNFINISHED
                window.next_values[ply, some] = values
                window.ended[ply, some] = is_opening
                window.is_exact[ply, some] = is_opening
                if endgames is not None:
                    window.is_exact[ply, some] |= endgames.lookup(boards)[1] >= ONE_SIDED
                boards[is_opening] = START
            self.boards[some], self.is_opening[some] = boards, is_opening

        return window, [partial(play, *ends) for ends in _shares(games)]

    def exact(self, evaluator: Evaluator) -> Evaluator:
        """An evaluator that leaves known endgames to those who know them."""
        return with_endgames(evaluator, self._endgames)

    def state(self) -> dict[str, Any]:
        """All that is needed to go on later, as arrays and plain data."""
        return {
            "boards": self.boards.copy(),
            "is_opening": self.is_opening.copy(),
            "rng": self.rng.bit_generator.state,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a `state`."""
        self.boards = state["boards"].copy()
        self.is_opening = state["is_opening"].copy()
        self.rng.bit_generator.state = state["rng"]
