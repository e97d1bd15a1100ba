"""Players that need no net, and whole sessions played with them."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np

from bgai.engine import BAR, Boards, Probs, legal_afterstates
from bgai.interface.mat import MatchRecord
from bgai.interface.protocols.engine import Engine, moves_of_play
from bgai.interface.table.step import make_step
from bgai.match import (
    Action,
    Decision,
    MatchState,
    Rules,
    allowed_actions,
    new_session,
    resignation_levels,
)
from bgai.search import Choice, Evaluator

_WEIGHTS = {Action.RESIGN: 0.02, Action.DOUBLE: 0.3, Action.PASS: 0.3}


def race_evaluator(boards: Boards) -> Probs:
    """Likes to be ahead in the race, and knows nothing else."""
    pips = np.arange(26)
    lead = (np.where(boards < 0, -boards, 0) * (25 - pips)).sum(-1) - (
        np.where(boards > 0, boards, 0) * pips
    ).sum(-1)
    win = 1 / (1 + np.exp(-lead / 30))
    probs = np.zeros((len(boards), 6), np.float32)
    probs[:, 0], probs[:, 3] = win, 1 - win
    return probs


@dataclass(frozen=True)
class WildEngine(Engine):
    """Does anything that is allowed; likes to turn the cube."""

    name: str = "wild"
    evaluator: Evaluator = race_evaluator
    rng: random.Random = field(default_factory=lambda: random.Random(1))

    def choose(self, state: MatchState) -> Choice:
        with self._lock:
            return wild_choice(self.rng, state)


def wild_choice(rng: random.Random, state: MatchState, resigns: bool = True) -> Choice:
    """Any action that is allowed, a resignation at any level, any play."""
    actions = [
        action for action in allowed_actions(state) if resigns or action is not Action.RESIGN
    ]
    weights = [_WEIGHTS.get(action, 1.0) for action in actions]
    action = rng.choices(actions, weights)[0]
    if action is Action.RESIGN:
        return Choice(action, level=rng.choice(resignation_levels(state)))
    if action is Action.PLAY:
        after, _ = legal_afterstates(state.board[None], np.array([state.dice]))
        # mostly peaceful, for games that come to an end
        hits = after[:, BAR] - after[:, BAR].min()
        peaceful = np.flatnonzero(hits == 0)
        row = rng.randrange(len(after)) if rng.random() < 0.1 else rng.choice(peaceful.tolist())
        return Choice(action, after[row])
    return Choice(action)


def wild_record(seed: int, rules: Rules, most_games: int = 20, resigns: bool = True) -> MatchRecord:
    """A session of two wild players, to its end or to so many games."""
    rng = random.Random(seed)
    state = new_session(rules)
    steps = []
    while state.decision is not Decision.SESSION_OVER:
        if state.decision is Decision.GAME_OVER and state.games_played >= most_games:
            break
        dice = rng.randint(1, 6), rng.randint(1, 6)
        action = Action.NEXT_GAME if state.decision is Decision.GAME_OVER else Action.THROW_OPENING
        if state.actor is None:
            step = make_step(state, action, dice=dice if action is Action.THROW_OPENING else None)
        else:
            choice = wild_choice(rng, state, resigns)
            moves = () if choice.after is None else moves_of_play(state, choice.after)
            rolled = dice if choice.action is Action.ROLL else None
            step = make_step(state, choice.action, dice=rolled, moves=moves, level=choice.level)
        steps.append(step)
        state = step.after
    return MatchRecord(("Al, the Bot", "Bob"), new_session(rules), tuple(steps))
