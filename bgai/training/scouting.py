"""What a scout learns: which of a roll's plays the value net prefers, and by how much."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from torch import Tensor

from bgai.engine import SLOTS, Boards, equity, legal_afterstates, roll
from bgai.model.scout_net import ScoutNet
from bgai.search import Evaluator, Scout

_PLAYS = 4  # of a lesson: the three that the scout likes best, and any other


def scout_lessons(
    evaluator: Evaluator, scout: Scout, boards: Boards, rng: np.random.Generator
) -> tuple[Boards, npt.NDArray[np.float32]]:
    """Plays of a roll of each board, some that a scout likes best and one at random, with values.

    The first keep it honest about what it shortlists, the last about what it leaves out.

    Args:
        evaluator: whose values the scout is to foresee.
        boards: `[B, 26]`, none finished.
        rng: throws the dice.

    Returns:
        boards: `[B, 4, 26]` afterstates of each roll; where there are too few, some stand twice.
        equities: `[B, 4]` in points, for the next player.
    """
    after, offsets = legal_afterstates(boards, roll(rng, len(boards)))
    plays = np.diff(offsets)
    board = np.repeat(np.arange(len(boards)), plays)
    ranked = np.lexsort((-scout.scores(after), board))  # each board's plays, the best one first
    taken = np.minimum(np.arange(_PLAYS), plays[:, None] - 1)
    taken[:, -1] = rng.random(len(boards)) * plays
    chosen = after[ranked[offsets[:-1, None] + taken].ravel()]
    return chosen.reshape(-1, _PLAYS, SLOTS), equity(evaluator(chosen)).reshape(-1, _PLAYS)


def ranking_error(net: ScoutNet, boards: Tensor, equities: Tensor) -> Tensor:
    """Summed variance of the scout's errors within each lesson, in points squared.

    An error that all plays of a roll share does not change their order, and is free: so a small
    net need not know who is ahead, only what makes one play better than another.

    Args:
        boards: `[N, 4, 26]`.
        equities: `[N, 4]`.
    """
    errors = net(boards.flatten(0, 1)).view(equities.shape) - equities
    variance: Tensor = errors.var(1, correction=0).sum()
    return variance
