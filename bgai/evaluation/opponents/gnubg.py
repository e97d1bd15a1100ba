"""GNU Backgammon's nets, through the optional package gnubg-nn (import name gnubg_nn).

Plays: gnubg takes the play with the best cubeless equity for money, or in a match with the best
chances of winning it, a cube that lives included, with its bear-off databases; our rules check its
choice. At 0-ply that is the best of our afterstates; deeper it looks only at the plays that its own
move filters keep.

Cube: it decides at match scores only, by its own cube model on the nets' probabilities and with the
match equity table that the package sets (Snowie's).

The package holds the GIL and one global state, the score among it: use it from one thread. A
process uses one core for it. The score is set for each question and taken back after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from bgai.cube import StateRows, pack_states, unpack_state
from bgai.cube.state_rows import (
    AWAY,
    IS_CRAWFORD,
    MONEY,
    OPPONENT_AWAY,
    OWNER,
    PLAYER,
    VALUE,
    may_double,
)
from bgai.engine import Boards, legal_afterstates, swap
from bgai.evaluation.opponents.engine_player import NeverResigns, alike, check_plays
from bgai.evaluation.opponents.optional import import_optional
from bgai.match import CubeState
from bgai.search.player import PASS, TAKE

MOST_AWAY = 25  # where its match equity tables end; beyond that it reads what lies behind them

MOST_PLIES = 4  # a game at more would take days

# The player on roll is O to the package, the other X.
_ON_ROLL, _OTHER = b"O", b"X"


class GnubgPlayer(NeverResigns):
    """Plays what gnubg plays at `plies` (0 = its nets alone)."""

    def __init__(self, plies: int) -> None:
        """
        Raises:
            ValueError: `plies` is not 0..4, or gnubg-nn is not installed.
        """
        if not 0 <= plies <= MOST_PLIES:
            raise ValueError(
                f"gnubg's plies must be 0 (its nets alone) to {MOST_PLIES}, got {plies}"
            )
        self.name = f"gnubg:{plies}"
        self._plies = plies
        self._gnubg = import_optional("gnubg_nn", "gnubg")

    def choose(self, boards: Boards, dice: npt.NDArray[np.int64]) -> Boards:
        """`[B, 26]`, `[B, 2]` -> `[B, 26]` afterstates, seen by the next player; for money."""
        return self.choose_cubeful(boards, dice, pack_states(CubeState(), len(boards)))

    def choose_cubeful(
        self, boards: Boards, dice: npt.NDArray[np.int64], states: StateRows
    ) -> Boards:
        """The same by the chances of winning the match; for money it is `choose`, without the cube.

        Raises:
            ValueError: the score is beyond gnubg's tables.
        """
        after, offsets = legal_afterstates(boards, dice)
        chosen = after[offsets[:-1]]
        has_choice = np.diff(offsets) > 1
        for group in alike(states):
            asked = group[has_choice[group]]
            if len(asked):
                with self._at(states[asked[0]]):
                    chosen[asked] = self._best_plays(boards[asked], dice[asked])
        check_plays(self.name, boards, dice, after, offsets, chosen)
        return chosen

    def doubles(self, boards: Boards, states: StateRows) -> npt.NDArray[np.bool_]:
        """Whether gnubg doubles, `[B]`.

        Raises:
            ValueError: a game is for money, or the score is beyond gnubg's tables.
        """
        may = may_double(states)
        doubling = np.zeros(len(boards), np.bool_)
        doubling[may] = self._cube_actions(boards[may], states[may])[:, 0]
        return doubling

    def responses(self, boards: Boards, states: StateRows) -> npt.NDArray[np.int8]:
        """`PASS` or `TAKE`, `[B]`; boards and states are those of the doubler.

        Raises:
            ValueError: as `doubles`, or the player about to roll may not double.
        """
        cannot = np.flatnonzero(~may_double(states))
        if len(cannot):
            raise ValueError(f"there is no double to answer: {unpack_state(states[cannot[0]])}")
        takes = self._cube_actions(boards, states)[:, 1]
        return np.where(takes, TAKE, PASS).astype(np.int8)

    def _best_plays(self, boards: Boards, dice: npt.NDArray[np.int64]) -> Boards:
        best_move, board_of = self._gnubg.best_move, self._gnubg.board_from_position_key
        sides = gnubg_sides(boards).tolist()
        plays = [
            board_of(best_move(board, first, second, self._plies, b=1)[1])
            for board, (first, second) in zip(sides, dice.tolist(), strict=True)
        ]
        return from_gnubg_sides(np.array(plays, np.int8))

    def _cube_actions(self, boards: Boards, states: StateRows) -> npt.NDArray[np.bool_]:
        """`[B, 2]`: whether to double and whether to take."""
        if (states[:, AWAY] == MONEY).any():
            raise ValueError("gnubg-nn decides the cube at match scores only, got a money game")
        decide, plies = self._gnubg.evaluate_cube_decision, self._plies
        actions = np.empty((len(boards), 2), np.bool_)
        for group in alike(states):
            # its own kind of row: the player's bar first, then point 24 down to the other bar
            rows = boards[group, ::-1].tolist()
            with self._at(states[group[0]]):
                actions[group] = [decide(row, n=plies, v=plies, i=1)[:2] for row in rows]
        return actions

    @contextmanager
    def _at(self, state: npt.NDArray[np.int64]) -> Iterator[None]:
        """The package at the score and the cube of a state `[9]`, and afterwards for money."""
        if self._plies:
            self._gnubg.net_use(forgetful_nets(self._gnubg))
        away, opponent_away = int(state[AWAY]), int(state[OPPONENT_AWAY])
        if away != MONEY:
            self._set_score(away, opponent_away, bool(state[IS_CRAWFORD]))
            owner = _ON_ROLL if state[OWNER] == PLAYER else _OTHER
            self._gnubg.set.cube(int(state[VALUE]), owner)
        try:
            yield
        finally:
            self._gnubg.set.score(0, 0)

    def _set_score(self, away: int, opponent_away: int, is_crawford: bool) -> None:
        if max(away, opponent_away) > MOST_AWAY:
            raise ValueError(
                f"gnubg-nn knows match scores up to {MOST_AWAY} away, "
                f"got {away} and {opponent_away} away"
            )
        # to the package a match to 1 point has no Crawford game
        self._gnubg.set.score(
            away, opponent_away, int(is_crawford and (away, opponent_away) != (1, 1))
        )


@cache
def forgetful_nets(gnubg: ModuleType) -> Any:
    """The package's nets with room for one evaluation to be remembered.

    Its memory is asked by position and plies alone: what a search has found for money, it would
    find again at match point.
    """
    weights = Path(str(gnubg.__file__)).parent / "data" / "gnubg.weights"
    return gnubg.net_load(str(weights), 1)


def gnubg_sides(boards: Boards) -> npt.NDArray[np.int8]:
    """Boards as gnubg wants them.

    Args:
        boards: `[N, 26]`, seen by the player on roll.

    Returns:
        `[N, 2, 25]` counts of the opponent and of the player on roll, each on their own
        points 1 to 24 and then the bar.
    """
    sides = np.stack([swap(boards)[:, 1:], boards[:, 1:]], axis=1)
    return np.maximum(sides, 0)


def from_gnubg_sides(sides: npt.NDArray[np.int8]) -> Boards:
    """The inverse of `gnubg_sides`: `[N, 2, 25]` -> `[N, 26]`."""
    boards = np.zeros((len(sides), 26), np.int8)
    boards[:, :25] = -sides[:, 0, ::-1]
    boards[:, 1:] += sides[:, 1]
    return boards
