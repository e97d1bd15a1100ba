"""Judges decisions: what each cost beside the best one, as a bot sees it.

Everything is cubeful and at the present score: points per current cube, in a match so scaled that
winning and losing the present stake are +1 and -1. The numbers are those by which an
`EvaluatorPlayer` chooses, so the coach never blames what its bot would have done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from bgai.cube import Action as CubeAction
from bgai.cube import CubeDecision, CubeDecisions, Response, swap_states
from bgai.engine import Boards, Play, Probs, legal_afterstates, legal_plays, swap_probs
from bgai.interface.table.step import Step
from bgai.match import Action, Decision, MatchState, allowed_actions, next_game
from bgai.match.state import CUBE_ANSWERS
from bgai.search import EvaluatorPlayer
from bgai.search.luck import luck
from bgai.search.player import cube_questions
from bgai.search.ply import PlyEvaluator

MILLIPOINTS = 1000
CLOSE = 0.2
"""Points; not doubling is a decision that counts only where a double would lose less than this."""
SPREAD = 0.001
"""Points; plays that differ by less are no decision that counts."""

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class JudgedPlay:
    """A play with its value for the mover.

    Attributes:
        equity: cubeful, at the present score and cube.
        difference: equity minus the best play's; 0 or negative.
        probs: `[6]`, for the mover.
        chance: of winning the match; None for money.
    """

    play: Play
    equity: float
    difference: float
    probs: Probs
    chance: float | None


@dataclass(frozen=True)
class Judgement:
    """What a decision cost.

    Attributes:
        seat: who decided.
        action: what was done; `ROLL` where a double was possible.
        best: what should have been done: for a play always `PLAY`.
        error: what was given up, in millipoints; 0 or positive.
        is_unforced: whether it counts as a decision in the performance rating.
    """

    seat: int
    action: Action
    best: Action
    error: float
    is_unforced: bool


@dataclass(frozen=True)
class Outlook:
    """How a moment looks for a seat.

    Attributes:
        game: the chance to win the present game, with or without gammon.
        match: the chance to win the match; None for money.
    """

    game: float
    match: float | None


class Coach:
    """Judges with the evaluator and the cube model of a player."""

    def __init__(self, player: EvaluatorPlayer) -> None:
        self._player = player
        self._judged: dict[Step, Judgement | None] = {}
        self._luck: dict[Step, float] = {}

    @property
    def name(self) -> str:
        return self._player.name

    def ranking(self, state: MatchState) -> list[JudgedPlay]:
        """Every play of the roll on the table, the best first.

        Raises:
            ValueError: no dice are to be played.
        """
        if state.decision is not Decision.PLAY or state.dice is None:
            raise ValueError(f"no dice are to be played, the decision is {state.decision.value}")
        values = self._play_values([state])[0]
        plays = legal_plays(state.board, state.dice)
        best = float(values.equities.max())
        return [
            JudgedPlay(
                plays[row],
                float(values.equities[row]),
                float(values.equities[row]) - best,
                values.probs[row],
                None if state.rules.is_money else float(values.chances[row]),
            )
            for row in np.argsort(-values.equities, kind="stable")
        ]

    def cube(self, state: MatchState) -> CubeDecision:
        """The cube decision of the player on roll, who may have doubled already.

        Raises:
            ValueError: no cube decision is to be made.
        """
        if state.decision not in (Decision.ROLL, *CUBE_ANSWERS):
            raise ValueError(f"no cube decision now, the decision is {state.decision.value}")
        return self._cube_decisions([state])[0]

    def best_answer(self, state: MatchState) -> Action:
        """What the actor should do about the double, beaver or raccoon on the table.

        Raises:
            ValueError: nothing of the kind is to be answered.
        """
        values = answer_values(self.cube(state), state)
        return max(values, key=values.__getitem__)

    def accepts(self, state: MatchState) -> bool:
        """Whether the resignation on the table should be accepted."""
        return self._player.accepts(state)

    def judge(self, steps: Sequence[Step]) -> list[Judgement | None]:
        """What each step cost; None for those that are no play and no cube decision.

        Resignations and the answers to them are not judged.
        """
        unknown = list(dict.fromkeys(step for step in steps if step not in self._judged))
        plays = [step for step in unknown if step.action is Action.PLAY]
        cubes = [step for step in unknown if _is_cube_decision(step)]
        self._judged |= dict.fromkeys(unknown)
        self._judged |= zip(plays, self._judge_plays(plays), strict=True)
        self._judged |= zip(cubes, self._judge_cubes(cubes), strict=True)
        return [self._judged[step] for step in steps]

    def luck(self, steps: Sequence[Step]) -> list[float | None]:
        """How lucky each roll was for whoever threw it; None for steps that throw no dice to play.

        In points of a cubeless game with the cube at 1, by the net alone (`bgai.search.luck`); the
        opening throw is the starter's, beside the other throws with which a game can begin.
        """
        thrown = [step for step in steps if step.dice is not None and step.after.dice is not None]
        unknown = list(dict.fromkeys(step for step in thrown if step not in self._luck))
        evaluator = self._player.evaluator
        if isinstance(evaluator, PlyEvaluator):
            evaluator = evaluator.evaluator
        for is_opening in (False, True):
            part = [step for step in unknown if (step.action is Action.THROW_OPENING) == is_opening]
            if part:
                boards = np.array([step.after.position for step in part], np.int8)
                dice = np.array([step.after.dice for step in part])
                found = luck(evaluator, boards, dice, is_opening).tolist()
                self._luck |= zip(part, found, strict=True)
        return [self._luck.get(step) for step in steps]

    def outlook(self, state: MatchState, seat: int) -> Outlook | None:
        """How a moment looks for a seat; None before the opening throw of a game."""
        if state.decision is Decision.OPENING:
            return None
        if state.result is not None:
            return Outlook(float(state.result.winner == seat), self._chance_after_game(state, seat))
        if state.decision is Decision.PLAY or state.dice is not None:
            best = self._best_play(state)
            game, match = float(best.probs[:3].sum()), best.chance
        else:
            decision = self._cube_decisions([state])[0]
            game, match = float(sum(decision.probs[:3])), _chance(decision)
        if seat != state.turn:
            game, match = 1 - game, None if match is None else 1 - match
        return Outlook(game, match)

    # -- plays

    def _best_play(self, state: MatchState) -> JudgedPlay:
        """The best play of the dice that lie, also while a resignation is to be answered."""
        playing = replace(state, decision=Decision.PLAY, resigned=0)
        return self.ranking(playing)[0]

    def _play_values(self, states: Sequence[MatchState]) -> list[_PlayValues]:
        """The values of every play of every roll on the table."""
        if not states:
            return []
        boards, rows = cube_questions(states)
        after, offsets = legal_afterstates(boards, np.array([state.dice for state in states]))
        theirs = np.repeat(swap_states(rows), np.diff(offsets), axis=0)
        decisions = self._player.decide_cube(after, theirs)
        equities, chances = -decisions.equities, 1 - _chances(decisions)
        probs = swap_probs(decisions.probs.astype(np.float32))
        parts = [slice(*offsets[row : row + 2]) for row in range(len(states))]
        return [
            _PlayValues(after[part], equities[part], chances[part], probs[part]) for part in parts
        ]

    def _judge_plays(self, steps: Sequence[Step]) -> Iterator[Judgement]:
        values = self._play_values([step.before for step in steps])
        for step, value in zip(steps, values, strict=True):
            made = int(np.argmax((value.after == _left_by(step)).all(-1)))
            error = float(value.equities.max() - value.equities[made])
            is_unforced = float(np.ptp(value.equities)) >= SPREAD
            yield Judgement(
                step.before.turn, step.action, step.action, MILLIPOINTS * error, is_unforced
            )

    # -- the cube

    def _cube_decisions(self, states: Sequence[MatchState]) -> CubeDecisions:
        return self._player.decide_cube(*cube_questions(states))

    def _judge_cubes(self, steps: Sequence[Step]) -> Iterator[Judgement]:
        if not steps:
            return
        decisions = self._cube_decisions([step.before for step in steps])
        for step, decision in zip(steps, decisions, strict=True):
            seat = step.seat
            assert seat is not None
            if step.before.decision is Decision.ROLL:
                values = {Action.ROLL: decision.nd, Action.DOUBLE: double_value(decision)}
            else:
                values = answer_values(decision, step.before)
            best = _best(values, decision)
            error = max(0.0, values[best] - values[step.action])
            is_unforced = (
                step.action is not Action.ROLL
                or best is not Action.ROLL
                or values[Action.ROLL] - values[Action.DOUBLE] < CLOSE
            )
            yield Judgement(seat, step.action, best, MILLIPOINTS * error, is_unforced)

    def _chance_after_game(self, state: MatchState, seat: int) -> float | None:
        away = state.away
        if away is None:
            return None
        if state.decision is Decision.SESSION_OVER:
            leader = state.leader
            return 0.5 if leader is None else float(leader == seat)
        own, opponent = away[seat], away[1 - seat]
        is_post_crawford = 1 in away and not next_game(state).is_crawford
        return self._player.cube.table.chance(own, opponent, is_post_crawford)


@dataclass(frozen=True, eq=False)
class _PlayValues:
    """The plays of one roll: boards left `[M, 26]`, and `[M]`, `[M]`, `[M, 6]` for the mover."""

    after: Boards
    equities: Numbers
    chances: Numbers
    probs: Probs


def double_value(decision: CubeDecision) -> float:
    """What doubling is worth to the player on roll after the best answer."""
    taken = 2 * decision.dt if decision.response is Response.BEAVER else decision.dt
    return min(taken, decision.dp)


def answer_values(decision: CubeDecision, state: MatchState) -> dict[Action, float]:
    """What every answer to the double, beaver or raccoon on the table is worth to its actor.

    A beaver leaves the position of a double that has been taken, at twice the stake.

    Raises:
        ValueError: nothing of the kind is to be answered.
    """
    if state.decision not in CUBE_ANSWERS:
        raise ValueError(f"no double is to be answered, the decision is {state.decision.value}")
    times = 1 << CUBE_ANSWERS.index(state.decision)
    taken, passed = times * decision.dt, float(times)
    if state.decision is Decision.ANSWER_DOUBLE:
        values = {Action.TAKE: -taken, Action.PASS: -decision.dp}
        if Action.BEAVER in allowed_actions(state):
            # the doubler will answer a wrong beaver with a raccoon, where the cap has room for it
            can_raccoon = 8 * state.stake_if_passed <= state.rules.cap
            raccoon = min(4 * decision.dt, 4.0) if can_raccoon else -np.inf
            values[Action.BEAVER] = -float(max(2 * decision.dt, -2.0, raccoon))
        return values
    if state.decision is Decision.ANSWER_RACCOON:
        return {Action.TAKE: -taken, Action.PASS: -passed}
    values = {Action.TAKE: taken, Action.PASS: -passed}
    if Action.RACCOON in allowed_actions(state):
        values[Action.RACCOON] = min(2 * taken, 2 * passed)
    return values


def _best(values: dict[Action, float], decision: CubeDecision) -> Action:
    """The best of some actions; between equal ones the one that the cube model prefers."""
    if Action.ROLL in values:
        return Action.DOUBLE if decision.action is CubeAction.DOUBLE else Action.ROLL
    return max(values, key=values.__getitem__)


def _is_cube_decision(step: Step) -> bool:
    if step.action is Action.ROLL:
        return step.is_choice
    return step.action is Action.DOUBLE or step.before.decision in CUBE_ANSWERS


def _left_by(step: Step) -> npt.NDArray[np.int8]:
    """The board after a play, seen by the next player."""
    return np.array(step.after.position, np.int8)


def _chances(decisions: CubeDecisions) -> Numbers:
    """The chances to win the match when both do the right thing, `[N]`; NaN for money."""
    doubled = np.minimum(decisions.chances[:, 1], decisions.chances[:, 2])
    return np.where(decisions.doubles, doubled, decisions.chances[:, 0])


def _chance(decision: CubeDecision) -> float | None:
    if decision.chances is None:
        return None
    nd, dt, dp = decision.chances
    return min(dt, dp) if decision.action is CubeAction.DOUBLE else nd
