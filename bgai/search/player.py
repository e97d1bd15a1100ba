"""Players: what the arena and the interfaces ask for plays, cube actions and resignations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from bgai.cube import CubeDecisions, CubeModel, StateRows, pack_states, pip_cube, swap_states
from bgai.cube.decision import RESPONSES, Response
from bgai.engine import Boards, Offsets, Probs, legal_afterstates, possible_outcomes
from bgai.engine.outcomes import LOSE, LOSE_BACKGAMMON
from bgai.match import MatchState, resignation_levels
from bgai.search.evaluator import Evaluator
from bgai.search.select import choose_plays, value_afterstates

SURE = 1e-4  # points per cube; nearer than this to a plain loss, playing on is of no use
PASS, TAKE, BEAVER = (
    RESPONSES.index(response) for response in (Response.PASS, Response.TAKE, Response.BEAVER)
)


class Player(Protocol):
    """Chooses plays for a batch of games."""

    @property
    def name(self) -> str: ...

    def choose(self, boards: Boards, dice: npt.NDArray[np.int64]) -> Boards:
        """The afterstate this player leaves on each board, cubeless and every point counting.

        Args:
            boards: `[B, 26]` seen by this player, about to play `dice` `[B, 2]`.

        Returns:
            `[B, 26]` seen by the next player.
        """
        ...


@runtime_checkable
class MatchPlayer(Player, Protocol):
    """A player who also turns the cube, resigns, and may play to the score.

    Every `states` is `[B, 9]` (`bgai.cube.pack_states`), seen like `boards` by the player about to
    roll.
    """

    def choose_cubeful(
        self, boards: Boards, dice: npt.NDArray[np.int64], states: StateRows
    ) -> Boards:
        """`choose` with the cube and the score in mind."""
        ...

    def doubles(self, boards: Boards, states: StateRows) -> npt.NDArray[np.bool_]:
        """Whether this player, about to roll, doubles, `[B]`; False where that is not allowed."""
        ...

    def responses(self, boards: Boards, states: StateRows) -> npt.NDArray[np.int8]:
        """How this player answers a double by the player about to roll.

        Args:
            states: seen by the doubler, before the double.

        Returns:
            `[B]`: `PASS`, `TAKE` or, where it is allowed, `BEAVER`.
        """
        ...

    def resignations(self, states: Sequence[MatchState]) -> list[int]:
        """The level 1..3 at which this player, about to roll, gives each game up; 0 to play on."""
        ...

    def accepts(self, state: MatchState) -> bool:
        """Whether this player agrees to the resignation on the table."""
        ...


@dataclass(frozen=True)
class EvaluatorPlayer:
    """Plays the afterstates that its evaluator likes best (0-ply); its cube follows the probs."""

    name: str
    evaluator: Evaluator
    cube: CubeModel = field(default_factory=CubeModel)

    def choose(self, boards: Boards, dice: npt.NDArray[np.int64]) -> Boards:
        return choose_plays(self.evaluator, boards, dice)[0]

    def choose_cubeful(
        self, boards: Boards, dice: npt.NDArray[np.int64], states: StateRows
    ) -> Boards:
        theirs = swap_states(states)

        def worth(probs: Probs, after: Boards, offsets: Offsets) -> npt.NDArray[np.floating]:
            of_rows = np.repeat(theirs, np.diff(offsets), axis=0)
            return -self.cube.decide_batch(probs, after, of_rows).equities

        after, offsets = legal_afterstates(boards, dice)
        return value_afterstates(self.evaluator, after, offsets, worth).best()[0]

    def decide_cube(self, boards: Boards, states: StateRows) -> CubeDecisions:
        """What the cube model makes of the evaluator's probabilities."""
        return self.cube.decide_batch(self.evaluator(boards), boards, states)

    def doubles(self, boards: Boards, states: StateRows) -> npt.NDArray[np.bool_]:
        return self.decide_cube(boards, states).doubles

    def responses(self, boards: Boards, states: StateRows) -> npt.NDArray[np.int8]:
        return self.decide_cube(boards, states).responses

    def resignations(self, states: Sequence[MatchState]) -> list[int]:
        boards, rows = cube_questions(states)
        equities = self.decide_cube(boards, rows).equities.tolist()
        return [
            self._resignation(state, playing_on)
            for state, playing_on in zip(states, equities, strict=True)
        ]

    def _resignation(self, state: MatchState, playing_on: float) -> int:
        if playing_on > SURE - 1:  # a plain loss costs 1
            return 0
        for level in resignation_levels(state):
            if abs(_lost(self.cube, state, level) - playing_on) <= SURE:
                return level
        return 0

    def accepts(self, state: MatchState) -> bool:
        return _lost(self.cube, state, state.resigned) <= self._equity(state) + SURE

    def _equity(self, state: MatchState) -> float:
        """What playing on is worth to the player on roll, whose dice may lie, per current cube."""
        boards, states = cube_questions([state])
        if state.dice is None:
            return float(self.decide_cube(boards, states).equities[0])
        after = self.choose_cubeful(boards, np.array([state.dice]), states)
        return -float(self.decide_cube(after, swap_states(states)).equities[0])


@dataclass(frozen=True)
class PipCubePlayer:
    """The plays of another player with the cube of the pip count (`bgai.cube.pip_cube`)."""

    name: str
    checker_player: Player

    def choose(self, boards: Boards, dice: npt.NDArray[np.int64]) -> Boards:
        return self.checker_player.choose(boards, dice)

    def choose_cubeful(
        self, boards: Boards, dice: npt.NDArray[np.int64], states: StateRows
    ) -> Boards:
        if isinstance(self.checker_player, MatchPlayer):
            return self.checker_player.choose_cubeful(boards, dice, states)
        return self.choose(boards, dice)

    def doubles(self, boards: Boards, states: StateRows) -> npt.NDArray[np.bool_]:
        return pip_cube(boards, states)[0]

    def responses(self, boards: Boards, states: StateRows) -> npt.NDArray[np.int8]:
        return np.where(pip_cube(boards, states)[1], TAKE, PASS).astype(np.int8)

    def resignations(self, states: Sequence[MatchState]) -> list[int]:
        return [0] * len(states)

    def accepts(self, state: MatchState) -> bool:
        return accepts_the_most(state)


def cube_questions(states: Sequence[MatchState]) -> tuple[Boards, StateRows]:
    """Boards `[N, 26]` and cubes `[N, 9]` of games in progress, seen by the player on roll."""
    boards = np.array([state.position for state in states], np.int8)
    return boards, pack_states([state.cube_state() for state in states], len(states))


def accepts_the_most(state: MatchState) -> bool:
    """Whether no more can be lost than is resigned: how to answer without judging the position."""
    can_be_lost = possible_outcomes(state.board)[LOSE : LOSE_BACKGAMMON + 1]
    return not bool(can_be_lost[state.resigned :].any())


def _lost(cube: CubeModel, state: MatchState, level: int) -> float:
    """A game lost at a level, for the player on roll, in the units of the cube's equities."""
    probs = np.zeros(6)
    probs[LOSE + level - 1] = 1
    by_model = replace(cube, exact=None)  # what is exact is the board's value, not this loss
    return float(by_model.decide(probs, state.board, state.cube_state()).nd)
