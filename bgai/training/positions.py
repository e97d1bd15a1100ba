"""Which positions are learnt from: played by the net itself, disturbed, of rare kinds, disputed.

A value net is good where it has been. Its own games seldom see back games, crashed boards and the
like; games in which a share of the plays is drawn at random do, and rules pick them out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bgai.engine import (
    SLOTS,
    START,
    UNFINISHED,
    Boards,
    borne_off,
    equity,
    has_contact,
    legal_afterstates,
    opening_roll,
    outcomes,
    pip_counts,
    roll,
    swap,
)
from bgai.engine.board import HOME
from bgai.engine.board_hash import board_hashes
from bgai.engine.compiled import run_tasks
from bgai.search import Evaluator, Scout, choose_plays, shortlist
from bgai.search.ply import PlyEvaluator

Hashes: TypeAlias = npt.NDArray[np.uint64]
Rule: TypeAlias = Callable[[Boards], npt.NDArray[np.bool_]]

_GAMES_PER_TASK, _TASKS = 64, 4  # not by the number of cores, on which the games must not depend
_MOST_PLIES = 400  # of a game; a few disturbed ones would go on for much longer
_KEPT_ONE_IN = 4  # neighbours in a game are much alike
_BEHIND_PIPS = 40  # in a back game
_PRIME = 4  # points in a row
_BURIED = 10  # checkers of a crashed board


def is_back_game(boards: Boards) -> npt.NDArray[np.bool_]:
    """The player holds two points or more in the opponent's home and is far behind in the race."""
    own, opponent = pip_counts(boards)
    anchors = (boards[:, SLOTS - 1 - HOME : SLOTS - 1] >= 2).sum(1)
    found: npt.NDArray[np.bool_] = (anchors >= 2) & (own - opponent >= _BEHIND_PIPS)
    return found


def is_prime_against_prime(boards: Boards) -> npt.NDArray[np.bool_]:
    """Each side holds four points in a row with a checker of the other's behind them."""
    return _is_priming(boards) & _is_priming(swap(boards))


def _is_priming(boards: Boards) -> npt.NDArray[np.bool_]:
    lowest_opponent = np.where(boards < 0, np.arange(SLOTS), SLOTS).min(1)
    found = np.zeros(len(boards), np.bool_)
    for first in range(1, SLOTS - _PRIME):
        held = (boards[:, first : first + _PRIME] >= 2).all(1)
        found |= held & (lowest_opponent < first)
    return found


def is_containment(boards: Boards) -> npt.NDArray[np.bool_]:
    """The opponent has borne off a checker but has another outside home again, with contact."""
    is_out = (boards[:, : SLOTS - 1 - HOME] < 0).any(1)
    found: npt.NDArray[np.bool_] = (borne_off(boards)[1] > 0) & is_out
    return found & has_contact(boards)


def is_crashed(boards: Boards) -> npt.NDArray[np.bool_]:
    """With contact and nothing borne off, ten of the player's checkers lie on points 1 to 3."""
    buried = np.maximum(boards[:, 1:4], 0).sum(1)
    found: npt.NDArray[np.bool_] = (borne_off(boards)[0] == 0) & (buried >= _BURIED)
    return found & has_contact(boards)


def is_bear_off_with_contact(boards: Boards) -> npt.NDArray[np.bool_]:
    """All the player's checkers are home, and an opposing one is still before some of them."""
    all_home = ~(boards[:, HOME + 1 :] > 0).any(1)
    return has_contact(boards) & all_home


FAMILIES: dict[str, Rule] = {
    "back-games": is_back_game,
    "primes": is_prime_against_prime,
    "containment": is_containment,
    "crashed": is_crashed,
    "bear-off-contact": is_bear_off_with_contact,
}
"""Kinds of positions that self-play seldom shows; a rule holds for one side or the other."""

SELF_PLAY, DISTURBED = "self-play", "disturbed"
SOURCES = (SELF_PLAY, DISTURBED, *FAMILIES)


@dataclass(frozen=True)
class PositionSettings:
    """Which positions are chosen; `source` is one of `SOURCES`."""

    source: str = SELF_PLAY
    disturbed_share: float | None = None
    """Mean share of plays drawn among all legal ones, in every source but self-play; each side of
    each game has a share of its own, up to twice that."""
    siblings: int | None = None
    """Instead of each position the best few afterstates of one roll from it, by the net alone."""
    hardest_share: float | None = None
    """Share of the positions that is kept: those whose value looking one ply ahead changes most."""

    def __post_init__(self) -> None:
        if self.source not in SOURCES:
            raise ValueError(f"source must be one of {', '.join(SOURCES)}, got {self.source!r}")
        share = self.disturbed_share
        if (share is None) != (self.source == SELF_PLAY):
            raise ValueError(
                f"disturbed_share goes with every source but {SELF_PLAY}, "
                f"got {share} with {self.source}"
            )
        if share is not None and not 0 < share <= 0.5:
            raise ValueError(f"disturbed_share must be above 0 and at most 0.5, got {share}")
        if self.siblings is not None and self.siblings < 2:
            raise ValueError(f"siblings must be at least 2, got {self.siblings}")
        if self.hardest_share is not None and not 0 < self.hardest_share < 1:
            raise ValueError(f"hardest_share must be between 0 and 1, got {self.hardest_share}")


def choose_positions(
    settings: PositionSettings,
    evaluator: Evaluator,
    count: int,
    seed: np.random.SeedSequence,
    should_stop: Callable[[], bool],
    scout: Scout | None = None,
    known: Hashes | None = None,
) -> Boards | None:
    """Distinct unfinished positions, as many as asked for.

    Args:
        evaluator: plays the games.
        seed: decides the games, whatever the number of threads.
        should_stop: asked before each round of games.
        scout: shortlists the plays, if there is one.
        known: `[K]` hashes of boards that are not wanted again.

    Returns:
        `[count, 26]`, siblings side by side; None if it should stop.
    """
    rng = np.random.default_rng(seed.spawn(1)[0])
    found = np.empty((0, SLOTS), np.int8)
    while len(found) < count:
        if should_stop():
            return None
        tasks = [
            partial(_play_games, settings, evaluator, np.random.default_rng(child), scout)
            for child in seed.spawn(_TASKS)
        ]
        boards = rng.permutation(np.concatenate(run_tasks(tasks)))
        if settings.hardest_share is not None:
            kept = math.ceil(settings.hardest_share * len(boards))
            boards = boards[np.argsort(-_disagreement(evaluator, boards, scout))[:kept]]
        if settings.siblings is not None:
            boards = _siblings(evaluator, boards, settings.siblings, rng)
        found = _distinct(np.concatenate([found, boards]), known)
    return found[:count]


def _play_games(
    settings: PositionSettings, evaluator: Evaluator, rng: np.random.Generator, scout: Scout | None
) -> Boards:
    """Play some games to their ends and keep some of the positions that the source is made of."""
    boards = np.repeat(START[None], _GAMES_PER_TASK, axis=0)
    most = 2 * (settings.disturbed_share or 0)
    shares = rng.uniform(0, most, (2, _GAMES_PER_TASK))
    rule = FAMILIES.get(settings.source)
    kept = [boards[:0]]
    for ply in range(_MOST_PLIES):
        is_kept = rng.random(len(boards)) * _KEPT_ONE_IN < 1
        if rule is not None:
            is_kept &= rule(boards) | rule(swap(boards))
        kept.append(boards[is_kept])
        dice = roll(rng, len(boards)) if ply else opening_roll(rng, len(boards))
        boards = _play(evaluator, boards, dice, shares[ply % 2], rng, scout)
        running = outcomes(boards) == UNFINISHED
        boards, shares = boards[running], shares[:, running]
        if not len(boards):
            break
    return np.concatenate(kept)


def _play(
    evaluator: Evaluator,
    boards: Boards,
    dice: npt.NDArray[np.int64],
    shares: npt.NDArray[np.float64],
    rng: np.random.Generator,
    scout: Scout | None,
) -> Boards:
    """The next position of each game; a share of the plays is drawn among the legal ones."""
    following, _ = choose_plays(evaluator, boards, dice, scout)
    drawn = rng.random(len(boards)) < shares
    if drawn.any():
        after, offsets = legal_afterstates(boards[drawn], dice[drawn])
        following[drawn] = after[rng.integers(offsets[:-1], offsets[1:])]
    return following


def _siblings(evaluator: Evaluator, boards: Boards, most: int, rng: np.random.Generator) -> Boards:
    """The best few afterstates of one roll from each board, those that end the game left out."""
    after, offsets = legal_afterstates(boards, roll(rng, len(boards)))
    best, _ = shortlist(after, offsets, Scout(lambda rows: -equity(evaluator(rows)), most))
    running: Boards = best[outcomes(best) == UNFINISHED]
    return running


def _distinct(boards: Boards, known: Hashes | None) -> Boards:
    """Each board once, in the order of their first appearance, without the known ones."""
    hashes = board_hashes(boards)
    first = np.sort(np.unique(hashes, return_index=True)[1])
    if known is not None:
        first = first[~np.isin(hashes[first], known)]
    return boards[first]


def _disagreement(
    evaluator: Evaluator, boards: Boards, scout: Scout | None
) -> npt.NDArray[np.floating]:
    """How far looking one ply ahead changes each value, in points, `[N]`."""
    ahead = PlyEvaluator(evaluator, 1, scout)
    difference: npt.NDArray[np.floating] = np.abs(equity(ahead(boards)) - equity(evaluator(boards)))
    return difference
