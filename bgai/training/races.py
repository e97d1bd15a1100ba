"""How the race net learns: each side alone, from the mean over the 21 rolls of the best play.

The ends are known: a side that is all at home is in the one-sided table. From there the knowledge
spreads to whole races, as the net learns from what it says itself one roll later.

A side either hurries to the end or saves what it can. Who may lose a backgammon may lose a gammon
too, and has one play for both: the one that takes fewest rolls for the two together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from bgai.endgame import Endgames
from bgai.endgame.race_net import FEATURES, SLOTS_OF_A_SIDE, RaceNet, first_guess, least_rolls
from bgai.endgame.races import Races, are_home
from bgai.endgame.rolls import AIMS, COLUMNS, Rolls, Sides, mean_rolls, sides_of
from bgai.engine import (
    CHECKERS,
    ROLL_WEIGHTS,
    ROLLS,
    SLOTS,
    Boards,
    legal_afterstates,
    roll,
    roll_numbers,
)
from bgai.engine.board import HOME, OPPONENT_BAR, POINTS
from bgai.engine.compiled import run_tasks
from bgai.search import best_afterstates

LESSONS_AT_ONCE = 1024
"""Sides that go one roll further together."""
FARTHEST = POINTS - 1
"""The highest point a checker can be on in a race: on the next one no opponent is past it."""

_SIDES_PER_TASK = 128
_KEPT = 12  # rounds in which a side is learnt,
_PASSES = 3  # this many times in each
_WEIGHT_OF_MEANS = 0.1  # rolls squared, beside nats
_MINIBATCH = 256
_LEFT_BEHIND = 0.2  # share of the sides with some checkers at the far end of their reach
_NEAREST = 9  # the highest point at first; from there the races grow longer
_SPREADING = 0.4  # for this share of the sides
_LEARNING_RATES = 2e-3, 1e-5
_RANDOM_PLAYS = 0.05
_HURRIES, _SAVES = range(2)
_WAYS_OF_AIMS = _HURRIES, _SAVES, _SAVES  # how a side plays to bear off all, one, to leave
_SAVING_PLAYS = 0.2  # share of the plays that lead on


class RaceModel(nn.Module):
    """The race net as torch learns it."""

    def __init__(self, hidden: tuple[int, int]) -> None:
        super().__init__()
        first, second = hidden
        self.first = nn.Linear(SLOTS_OF_A_SIDE * FEATURES.shape[1], first)
        self.second = nn.Linear(first, second)
        self.output = nn.Linear(second, COLUMNS)
        self.means = nn.Linear(second, len(AIMS))

    def forward(self, features: Tensor, least: Tensor) -> tuple[Tensor, Tensor]:
        """Logits `[N, 128]` and mean rolls `[N, 3]` of features `[N, 100]` and `least_rolls`."""
        hidden = torch.relu(self.second(torch.relu(self.first(features))))
        guesses = []
        for number, aim in enumerate(AIMS):
            mean, variance = first_guess(least[:, number : number + 1].numpy())
            rolls = np.arange(aim.stop - aim.start, dtype=np.float32)
            guesses.append(torch.from_numpy(-np.square(rolls - mean) / (2 * variance)))
        return self.output(hidden) + torch.cat(guesses, 1), self.means(hidden) + least

    def race_net(self) -> RaceNet:
        """A copy that plays."""
        with torch.no_grad():
            arrays = [
                np.ascontiguousarray(array.numpy().T if array.ndim == 2 else array.numpy().copy())
                for array in self.state_dict().values()
            ]
        arrays[0] = arrays[0].reshape(SLOTS_OF_A_SIDE, FEATURES.shape[1], -1)
        return RaceNet(*arrays)


def features_of(sides: Sides) -> Tensor:
    """`[N, 24]` -> `[N, 100]`."""
    off = CHECKERS - sides.sum(1, dtype=np.int64)
    slots = np.column_stack([sides, off])
    return torch.from_numpy(FEATURES[slots].reshape(len(sides), -1))


def random_sides(rng: np.random.Generator, sides: int, reach: int = FARTHEST) -> Sides:
    """Sides `[N, 24]` that have not all their checkers home: few stacks or many, near or far.

    Args:
        reach: the highest point that may have checkers, 7 or more.
    """
    found = np.empty((0, POINTS), np.int8)
    while len(found) < sides:
        shape = rng.choice([0.1, 0.3, 1.0], (sides, 1))
        nearness = rng.uniform(-0.02, 0.25, (sides, 1))
        weights = rng.gamma(shape, size=(sides, POINTS)) * np.exp(-nearness * np.arange(POINTS))
        weights = (weights + 1e-12) * (np.arange(POINTS) < reach)
        checkers = np.where(rng.random(sides) < 0.6, CHECKERS, rng.integers(1, CHECKERS, sides))
        behind = np.where(rng.random(sides) < _LEFT_BEHIND, rng.integers(1, 4, sides), 0)
        behind = np.minimum(behind, checkers)
        drawn = rng.multinomial(checkers - behind, weights / weights.sum(1, keepdims=True))
        last_points = np.zeros((sides, POINTS))
        last_points[:, max(HOME, reach - HOME) : reach] = 1
        last_points /= last_points.sum(1, keepdims=True)
        both = (drawn + rng.multinomial(behind, last_points)).astype(np.int8)
        found = np.concatenate([found, both[~are_home(both)]])
    return found[:sides]


def _boards_of(sides: Sides) -> Boards:
    """Boards on which the side rolls, and an opponent is out of its way."""
    boards = np.zeros((len(sides), SLOTS), np.int8)
    boards[:, 1 : POINTS + 1] = sides
    boards[:, OPPONENT_BAR] = -1
    return boards


def has_aims(sides: Sides) -> npt.NDArray[np.bool_]:
    """What each side has still to do, `[N, 24]` -> `[N, 3]` by aim."""
    return np.stack(
        [
            sides.any(1),
            sides.sum(1, dtype=np.int64) == CHECKERS,
            sides[:, POINTS - HOME :].any(1),
        ],
        axis=1,
    )


@dataclass(frozen=True)
class Lessons:
    """Sides, what they should say, and where a play leads from each."""

    sides: Sides
    """`[N, 24]`."""
    targets: Rolls
    """`[N, 128]`."""
    next_sides: Sides
    """`[N, 24]`."""


def lessons(races: Races, sides: Sides, rng: np.random.Generator) -> Lessons:
    """The mean over the 21 rolls of the best plays, and one play of each side."""
    thrown = roll_numbers(roll(rng, len(sides)))
    ways = np.where(rng.random(len(sides)) < _SAVING_PLAYS, _SAVES, _HURRIES)
    drawn = np.where(rng.random(len(sides)) < _RANDOM_PLAYS, rng.random(len(sides)), -1)
    targets = np.zeros((len(sides), COLUMNS), np.float32)
    next_sides = np.empty_like(sides)

    def look_ahead(start: int) -> None:
        some = slice(start, start + _SIDES_PER_TASK)
        boards = np.repeat(_boards_of(sides[some]), len(ROLLS), axis=0)
        dice = np.tile(ROLLS, (len(sides[some]), 1))
        after, offsets = legal_afterstates(boards, dice)
        _, left = sides_of(after)  # who has played is the opponent of who is next
        to_last, to_first, to_leave = races.mean_rolls(left).T
        best = np.stack(
            [best_afterstates(-means, offsets) for means in (to_last, to_first + to_leave)], axis=1
        )
        rolls = races.rolls(left[best].reshape(-1, POINTS)).reshape(
            -1, len(ROLLS), best.shape[1], COLUMNS
        )
        for way, aim in zip(_WAYS_OF_AIMS, AIMS, strict=True):
            now = np.tensordot(rolls[:, :, way, aim], weights, (1, 0))
            targets[some, aim][:, 1:] = now[:, :-1]
            targets[some, aim.stop - 1] += now[:, -1]
        own = np.arange(len(boards) // len(ROLLS))
        numbers = own * len(ROLLS) + thrown[some]
        first, end = offsets[numbers], offsets[numbers + 1]
        played = best[numbers, ways[some]]
        is_drawn = drawn[some] >= 0
        played[is_drawn] = (first + drawn[some] * (end - first)).astype(np.int64)[is_drawn]
        next_sides[some] = left[played]

    weights = ROLL_WEIGHTS.astype(np.float32)
    starts = range(0, len(sides), _SIDES_PER_TASK)
    run_tasks([partial(look_ahead, start) for start in starts])
    return Lessons(sides, targets, next_sides)


@dataclass(frozen=True)
class Progress:
    """How far a net has come."""

    sides: int
    """Looked ahead from so far."""
    divergence: float
    """Of the net's chances from what it should have said, in nats, all aims together."""
    error_rolls: float
    """Root mean square of the error of the mean number of rolls to the last checker."""
    net: Callable[[], RaceNet]
    """A copy of the net as it is when asked."""


def learn_races(
    endgames: Endgames,
    hidden: tuple[int, int],
    sides: int,
    seed: int,
    at_once: int = LESSONS_AT_ONCE,
) -> Iterator[Progress]:
    """Let a net learn from that many sides, some at once that go on by one roll.

    Raises:
        RuntimeError: the net has diverged.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(seed)
    model = RaceModel(hidden)
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    present = random_sides(rng, at_once, _NEAREST)
    kept: list[Lessons] = []
    for done in range(0, sides, at_once):
        lesson = lessons(Races(endgames.one_sided, model.race_net()), present, rng)
        kept = [lesson, *kept[: _KEPT - 1]]
        first, last = _LEARNING_RATES
        for group in optimizer.param_groups:
            group["lr"] = first + (last - first) * done / sides
        divergence, error = _learn(model, optimizer, kept, rng)
        if not np.isfinite(divergence + error):
            raise RuntimeError(f"the race net has diverged after {done + at_once} sides")
        yield Progress(done + at_once, divergence, error, model.race_net)
        present = lesson.next_sides
        home = are_home(present)
        reach = min(FARTHEST, _NEAREST + int((FARTHEST - _NEAREST) * done / (_SPREADING * sides)))
        present[home] = random_sides(rng, int(home.sum()), reach)


def _learn(
    model: RaceModel,
    optimizer: torch.optim.Optimizer,
    kept: list[Lessons],
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Learn what is kept; returns the divergence and the error of `Progress`, before each step."""
    sides = np.concatenate([lesson.sides for lesson in kept])
    targets = np.concatenate([lesson.targets for lesson in kept])
    arrays = least_rolls(sides), targets, mean_rolls(targets), has_aims(sides)
    lesson = [features_of(sides), *map(torch.from_numpy, arrays)]
    total = squares = 0.0
    orders = [rng.permutation(len(sides)) for _ in range(_PASSES)]
    for rows in torch.split(torch.from_numpy(np.concatenate(orders)), _MINIBATCH):
        features, least, wanted, wanted_means, has_aim = (part[rows] for part in lesson)
        logits, means = model(features, least)
        divergence = torch.zeros(())
        for number, aim in enumerate(AIMS):
            # what is still to be done takes a roll at least
            log_chances, want = torch.log_softmax(logits[:, aim][:, 1:], 1), wanted[:, aim][:, 1:]
            terms = (torch.xlogy(want, want) - want * log_chances).sum(1)
            divergence = divergence + (terms * has_aim[:, number]).sum()
        errors = (means - wanted_means).square() * has_aim
        optimizer.zero_grad()
        ((divergence + _WEIGHT_OF_MEANS * errors.sum()) / len(rows)).backward()
        optimizer.step()
        total += float(divergence.detach())
        squares += float(errors[:, 0].detach().sum())
    learnt = _PASSES * len(sides)
    return total / learnt, float(np.sqrt(squares / learnt))
