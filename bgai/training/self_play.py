"""Self-play in lockstep: thousands of games, one ply of all of them at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bgai.engine import (
    START,
    UNFINISHED,
    Boards,
    Probs,
    opening_roll,
    outcomes,
    roll,
)
from bgai.search import Evaluator, Scout, choose_plays


@dataclass(frozen=True)
class Window:
    """Some plies of `B` games."""

    boards: Boards
    """`[T, B, 26]`: each position before its roll."""
    next_values: Probs
    """`[T, B, 6]`: the value of the afterstate played, for the next player; exact if it ends."""
    ended: npt.NDArray[np.bool_]
    """`[T, B]`: whether the play ended the game; the next position then starts another one."""

    @property
    def finished_games(self) -> int:
        return int(self.ended.sum())


class SelfPlay:
    """Games that one evaluator plays against itself; finished games are followed by new ones."""

    def __init__(self, games: int, rng: np.random.Generator) -> None:
        self.rng = rng
        self.boards: Boards = np.repeat(START[None], games, axis=0)
        self.is_opening = np.ones(games, np.bool_)

    def play(self, evaluator: Evaluator, plies: int, scout: Scout | None = None) -> Window:
        """Play every game on by `plies`; a scout shortlists the plays."""
        games = len(self.boards)
        window = Window(
            np.empty((plies, *self.boards.shape), np.int8),
            np.empty((plies, games, 6), np.float32),
            np.empty((plies, games), np.bool_),
        )
        for ply in range(plies):
            dice = roll(self.rng, games)
            dice[self.is_opening] = opening_roll(self.rng, int(self.is_opening.sum()))
            window.boards[ply] = self.boards
            self.boards, window.next_values[ply] = choose_plays(evaluator, self.boards, dice, scout)
            self.is_opening = outcomes(self.boards) != UNFINISHED
            window.ended[ply] = self.is_opening
            self.boards[self.is_opening] = START
        return window

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
