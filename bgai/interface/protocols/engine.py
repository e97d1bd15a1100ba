"""The bot behind a protocol: one decision of one state, and plays as single moves."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace

import numpy as np

from bgai.cube import CubeDecision, CubeModel
from bgai.engine import BAR, OFF, Board, Move, Probs, legal_plays
from bgai.match import Action, Decision, MatchState, Rules, double, new_session, throw_opening
from bgai.search import Choice, Evaluator, EvaluatorPlayer, decide, follow
from bgai.search.ply import PlyEvaluator


@dataclass(frozen=True)
class Engine:
    """A named evaluator that decides; safe to be asked from several threads, one at a time.

    Attributes:
        plies: turns to look ahead; 0 is the evaluator alone.
    """

    name: str
    evaluator: Evaluator
    plies: int = 0
    cube_model: CubeModel = field(default_factory=CubeModel)
    # compiled kernels that use all cores must not run twice at once
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def choose(self, state: MatchState) -> Choice:
        """What the bot does, score and cube in mind.

        Raises:
            ValueError: nobody has to decide anything.
        """
        with self._lock:
            return decide(self._player, [state])[0]

    def choose_cubeless(self, state: MatchState) -> Choice:
        """The play of the state's dice where every point counts and there is no cube."""
        with self._lock:
            after = self._player.choose(state.board[None], np.array([state.dice]))[0]
        return Choice(Action.PLAY, after)

    def probs(self, board: Board) -> Probs:
        """Outcome probabilities `[6]` of a board `[26]`, for the player about to roll."""
        with self._lock:
            probs: Probs = PlyEvaluator(self.evaluator, self.plies)(board[None])[0]
        return probs

    def cube(self, state: MatchState) -> CubeDecision:
        """The cube decision before a roll, or of the doubler whose double is to be answered."""
        return self.cube_model.decide(self.probs(state.board), state.board, state.cube_state())

    def rehearse(self) -> None:
        """Make one decision of each kind, so that everything is compiled when it counts."""
        rolled = throw_opening(new_session(Rules()), (3, 1))
        played = follow(rolled, self.choose(rolled))
        self.choose(played)
        self.choose(double(played))

    def with_plies(self, plies: int) -> Engine:
        """The same bot looking further ahead."""
        return replace(self, plies=plies)

    @property
    def _player(self) -> EvaluatorPlayer:
        return EvaluatorPlayer(self.name, PlyEvaluator(self.evaluator, self.plies), self.cube_model)


def moves_of_play(state: MatchState, after: Board) -> tuple[Move, ...]:
    """The single moves, in a legal order, that leave a board; none for a dance.

    Args:
        state: with dice to be played.
        after: `[26]`, seen by the next player.

    Raises:
        ValueError: no legal play leaves it.
    """
    if state.decision is not Decision.PLAY or state.dice is None:
        raise ValueError(f"no dice are to be played, the decision is {state.decision.value}")
    for play in legal_plays(state.board, state.dice):
        if np.array_equal(play.after, after):
            return play.moves
    raise ValueError(f"the roll {state.dice} cannot leave the board {after.tolist()}")


def moves_text(moves: tuple[Move, ...]) -> str:
    """Every single move written out: no merged legs, no counts, no stars; empty for a dance."""
    return " ".join(f"{_start_text(move)}/{_end_text(move)}" for move in moves)


def _start_text(move: Move) -> str:
    return "bar" if move.start == BAR else str(move.start)


def _end_text(move: Move) -> str:
    return "off" if move.end == OFF else str(move.end)
