"""Rollouts: a position played out by the evaluator itself many times, without the luck of the dice.

All trials of many positions go on in lockstep, one ply at a time. Trials of one call share their
dice, whatever the position, so that chance favours none of the candidates that are compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from bgai.endgame import ONE_SIDED, Endgames
from bgai.engine import (
    OUTCOMES,
    UNFINISHED,
    Boards,
    Probs,
    equity,
    outcomes,
    roll_numbers,
    swap_probs,
)
from bgai.engine.board_hash import board_hashes
from bgai.engine.compiled import run_tasks
from bgai.search.evaluator import Evaluator
from bgai.search.ply import best_replies, mean_of_rolls
from bgai.search.select import Scout, with_endgames

ALL_ROLLS = 36  # the dice told apart: equally likely
_TRIALS_AT_ONCE = 288  # with 21 rolls of about 20 plays each: 120,000 afterstates


@dataclass(frozen=True)
class RolloutSettings:
    """How long and how often every position is played."""

    trials: int = 36
    """Games of each position, a multiple of 36: each ply meets each of the 36 rolls equally."""
    plies: int = 7
    """Turns after which the evaluator's value is taken."""

    def __post_init__(self) -> None:
        if self.trials < 1 or self.trials % ALL_ROLLS:
            raise ValueError(f"trials must be a multiple of {ALL_ROLLS}, got {self.trials}")
        if self.plies < 1:
            raise ValueError(f"plies must be at least 1, got {self.plies}")


@dataclass(frozen=True)
class Rollout:
    """What came out for each of `N` positions."""

    probs: Probs
    """`[N, 6]`, for the player about to roll."""
    standard_errors: npt.NDArray[np.float32]
    """`[N]`, of the equity, in points; 0 where it is exact. From the spread over the trials as if
    they were independent; as each ply meets every roll equally often, it is rather too large."""


def rollout(
    evaluator: Evaluator,
    boards: Boards,
    settings: RolloutSettings,
    seed: int | np.random.SeedSequence,
    endgames: Endgames | None = None,
    scout: Scout | None = None,
) -> Rollout:
    """Play positions out at 0-ply, up to a horizon, and average.

    With `V` the evaluator, `L(b)` the mean over the rolls of the best reply's `V` and `b_t` the
    position after t plies, a plain trial ends with `V(b_T)`, seen by the first player. That is
    `V(b_0)` plus the sum over t < T of `V(b_t+1) - V(b_t)`; putting in `L(b_t)`, the mean of
    `V(b_t+1)` over the roll, changes no mean and removes that roll's luck. So a trial is worth

        V(b_0) + sum over t < T of (L(b_t) - V(b_t)),   each seen by the first player.

    Args:
        boards: `[N, 26]`, seen by the player about to roll.
        seed: decides the dice; the result depends on it and on each board alone, not on the
            others or on the number of threads.
        endgames: what their tables know ends a trial, as the end of the game does.
        scout: shortlists the plays, if there is one.
    """
    dice = _dice(np.random.default_rng(seed), settings)
    evaluator = with_endgames(evaluator, endgames)
    values = evaluator(boards)
    at_once = max(1, _TRIALS_AT_ONCE // settings.trials)
    parts = [slice(start, start + at_once) for start in range(0, len(boards), at_once)]
    tasks = [partial(_gains, evaluator, boards[part], dice, endgames, scout) for part in parts]
    done = run_tasks(tasks)
    if not done:
        return Rollout(values, np.empty(0, np.float32))
    means = values + np.concatenate([mean for mean, _ in done])
    # the best estimate of a rare outcome can lie a little below 0
    probs = np.maximum(means, 0)
    probs /= probs.sum(1, keepdims=True)
    errors = np.concatenate([error for _, error in done])
    return Rollout(probs.astype(np.float32), errors.astype(np.float32))


def _dice(rng: np.random.Generator, settings: RolloutSettings) -> npt.NDArray[np.int64]:
    """Places in `ROLLS`, `[plies, trials]`: every 36 trials meet each roll once at each ply."""
    faces = np.arange(ALL_ROLLS)
    numbers = roll_numbers(np.stack([faces // 6, faces % 6], axis=1) + 1)
    blocks = np.tile(numbers, (settings.plies, settings.trials // ALL_ROLLS, 1))
    return rng.permuted(blocks, axis=2).reshape(settings.plies, settings.trials)


def _gains(
    evaluator: Evaluator,
    boards: Boards,
    dice: npt.NDArray[np.int64],
    endgames: Endgames | None,
    scout: Scout | None,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The sum of `L - V` of a few positions: its mean `[N, 6]` and the equity's error `[N]`."""
    plies, trials = dice.shape
    totals = np.zeros((len(boards) * trials, len(OUTCOMES)))
    sampled = np.zeros(len(totals))
    rows = np.arange(len(totals))
    current = np.repeat(boards, trials, axis=0)
    for ply in range(plies):
        # trials that began alike stand on the same few boards in the first plies
        _, first, place = np.unique(board_hashes(current), return_index=True, return_inverse=True)
        distinct = current[first]
        running = ~_is_exact(distinct, endgames)
        number = np.cumsum(running) - 1  # of each running board among them
        going_on = running[place]
        rows, place = rows[going_on], number[place[going_on]]
        if not len(rows):
            break
        after, replies = best_replies(evaluator, distinct[running], scout)
        gains = mean_of_rolls(replies) - evaluator(distinct[running])
        seen_by_first = (swap_probs(gains) if ply % 2 else gains)[place]
        totals[rows] += seen_by_first
        if ply > 1:  # the first roll was met exactly as often as it comes
            sampled[rows] += equity(seen_by_first)
        current = after[place, dice[ply, rows % trials]]
    spread = sampled.reshape(-1, trials).std(1, ddof=1)
    return totals.reshape(-1, trials, len(OUTCOMES)).mean(1), spread / np.sqrt(trials)


def _is_exact(boards: Boards, endgames: Endgames | None) -> npt.NDArray[np.bool_]:
    """Whether the end of the game or a table tells a board's value, `[N]`."""
    is_exact: npt.NDArray[np.bool_] = outcomes(boards) != UNFINISHED
    if endgames is not None:
        is_exact |= endgames.lookup(boards)[1] >= ONE_SIDED
    return is_exact
