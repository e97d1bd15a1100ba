"""Two players against each other: cubeless money games with the same dice both ways.

Games come in pairs. Both games of a pair get the same rolls; the first player starts one, the
second the other. Good and bad rolls then cancel to a large part, and a player who always plays
the same way scores exactly 0 against itself. Rolls belong to the pair and the ply, so the batch
size changes only how much memory is used, not the result (`RandomPlayer` excepted).

A judge of luck, if there is one, takes the luck of every roll away from the points: the mean stays
what it is whatever the judge thinks, and the better it judges the smaller is the standard error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bgai.engine import POINTS_WON, START, UNFINISHED, Boards, Dice, opening_roll, outcomes, roll
from bgai.search import Evaluator, Player
from bgai.search.luck import luck

Progress: TypeAlias = Callable[[int], None]
"""Told how many games have just ended."""

_DICE_BLOCK = 1024  # pairs whose rolls come from one generator


@dataclass(frozen=True)
class ArenaResult:
    """What happened in a match, seen by `first`.

    Attributes:
        ppg: points per game of `first`, a gammon counting 2 and a backgammon 3.
        standard_error: of `ppg`, over pairs of games.
        first_wins: games that `first` won as a single game, a gammon, a backgammon.
        second_wins: the same for `second`.
        mean_plies: rolls per game, the opening roll included.
        adjusted_ppg: `ppg` without the luck of either player; None if nobody judged it.
        adjusted_standard_error: of `adjusted_ppg`, over pairs of games.
    """

    first: str
    second: str
    games: int
    seed: int
    ppg: float
    standard_error: float
    first_wins: tuple[int, int, int]
    second_wins: tuple[int, int, int]
    mean_plies: float
    adjusted_ppg: float | None = None
    adjusted_standard_error: float | None = None

    def to_json(self) -> dict[str, Any]:
        kinds = ("single", "gammon", "backgammon")
        return {
            "first": self.first,
            "second": self.second,
            "games": self.games,
            "seed": self.seed,
            "ppg": self.ppg,
            "standard_error": self.standard_error,
            "first_wins": dict(zip(kinds, self.first_wins, strict=True)),
            "second_wins": dict(zip(kinds, self.second_wins, strict=True)),
            "mean_plies": self.mean_plies,
            "adjusted_ppg": self.adjusted_ppg,
            "adjusted_standard_error": self.adjusted_standard_error,
        }


def play_match(
    first: Player,
    second: Player,
    games: int,
    seed: int,
    batch: int = 2048,
    progress: Progress | None = None,
    luck_judge: Evaluator | None = None,
) -> ArenaResult:
    """Play `games` games and count the points.

    Args:
        games: an even number, at least 4 (the standard error needs two pairs).
        batch: how many games are played at a time.
        luck_judge: values every roll at 0-ply, which takes as long as choosing at 1-ply.

    Raises:
        ValueError: `games`, `seed` or `batch` is out of range.
    """
    check_pairs("games", games, seed, batch)
    pairs, pairs_at_once = games // 2, batch // 2
    parts = [
        _play_pairs(
            first,
            second,
            start,
            min(start + pairs_at_once, pairs),
            seed,
            progress or _ignore,
            luck_judge,
        )
        for start in range(0, pairs, pairs_at_once)
    ]
    points, plies, net_luck = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    result = _summary(first.name, second.name, seed, points, plies)
    if luck_judge is None:
        return result
    adjusted_ppg, adjusted_error = _mean_and_error(points - net_luck)
    return replace(result, adjusted_ppg=adjusted_ppg, adjusted_standard_error=adjusted_error)


def check_pairs(name: str, count: int, seed: int, batch: int) -> None:
    """Whether so many games or sessions can be played in pairs.

    Raises:
        ValueError: they cannot; names the value.
    """
    if count < 4 or count % 2:
        raise ValueError(f"{name} must be an even number of at least 4, got {count}")
    if seed < 0:
        raise ValueError(f"seed must be at least 0, got {seed}")
    if batch < 2:
        raise ValueError(f"batch must be at least 2, got {batch}")


def _ignore(games: int) -> None:
    """Tell nobody about progress."""


def _play_pairs(
    first: Player,
    second: Player,
    start: int,
    stop: int,
    seed: int,
    progress: Progress,
    luck_judge: Evaluator | None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """The pairs `start` to `stop - 1`, all their games ply by ply.

    Returns:
        points: `[P, 2]` won by `first` in the game it starts and in the one `second` starts.
        plies: `[P, 2]` rolls of each game.
        net_luck: `[P, 2]` of `first`, in points; 0 without a judge.
    """
    points = np.zeros((stop - start, 2), np.int64)
    plies = np.zeros((stop - start, 2), np.int64)
    net_luck = np.zeros((stop - start, 2))
    pair, starter = (index.ravel() for index in np.indices(points.shape))
    boards = np.tile(START, (len(pair), 1))
    ply = 0
    while len(boards):
        dice = pair_dice(seed, ply, start, stop)[pair]
        first_moves = (starter + ply) % 2 == 0
        if luck_judge is not None:
            of_mover = luck(luck_judge, boards, dice, opening=ply == 0)
            net_luck[pair, starter] += np.where(first_moves, of_mover, -of_mover)
        boards = _choose(first, second, first_moves, boards, dice)
        ply += 1
        ended = outcomes(boards)
        over = ended != UNFINISHED
        if over.any():
            won_by_mover = -POINTS_WON[ended[over]]  # outcomes are those of the next player
            where = pair[over], starter[over]
            points[where] = np.where(first_moves[over], won_by_mover, -won_by_mover)
            plies[where] = ply
            boards, pair, starter = boards[~over], pair[~over], starter[~over]
            progress(int(over.sum()))
    return points, plies, net_luck


def _choose(
    first: Player, second: Player, first_moves: npt.NDArray[np.bool_], boards: Boards, dice: Dice
) -> Boards:
    """The afterstates, each chosen by the player whose turn it is."""
    after = np.empty_like(boards)
    for player, to_move in ((first, first_moves), (second, ~first_moves)):
        if to_move.any():
            after[to_move] = player.choose(boards[to_move], dice[to_move])
    return after


def pair_dice(seed: int, ply: int, start: int, stop: int) -> Dice:
    """The rolls of the pairs `start` to `stop - 1` at one ply, `[stop - start, 2]`.

    Ply 0 is the opening roll, which is never a double.
    """
    throw = opening_roll if ply == 0 else roll
    first_block, last_block = start // _DICE_BLOCK, (stop - 1) // _DICE_BLOCK
    blocks = [
        throw(np.random.default_rng([seed, block, ply]), _DICE_BLOCK)
        for block in range(first_block, last_block + 1)
    ]
    offset = first_block * _DICE_BLOCK
    return np.concatenate(blocks)[start - offset : stop - offset]


def _summary(
    first: str,
    second: str,
    seed: int,
    points: npt.NDArray[np.int64],
    plies: npt.NDArray[np.int64],
) -> ArenaResult:
    """`[P, 2]` points and plies of all pairs -> the result."""
    ppg, standard_error = _mean_and_error(points)
    singles, gammons, backgammons = (int((points == won).sum()) for won in (1, 2, 3))
    lost_singles, lost_gammons, lost_backgammons = (
        int((points == -lost).sum()) for lost in (1, 2, 3)
    )
    return ArenaResult(
        first=first,
        second=second,
        games=points.size,
        seed=seed,
        ppg=ppg,
        standard_error=standard_error,
        first_wins=(singles, gammons, backgammons),
        second_wins=(lost_singles, lost_gammons, lost_backgammons),
        mean_plies=float(plies.mean()),
    )


def _mean_and_error(points: npt.NDArray[np.number]) -> tuple[float, float]:
    """Of `[P, 2]` points per game the mean, and its standard error over the pairs."""
    of_pairs = points.mean(1)
    return float(of_pairs.mean()), float(of_pairs.std(ddof=1) / np.sqrt(len(of_pairs)))
