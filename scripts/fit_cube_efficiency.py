"""Fit the cube efficiencies x on a bot's own play-outs with the cube, and write them as JSON.

    python scripts/fit_cube_efficiency.py --bot flagship --games 40000 --out efficiency.json

The bot plays money games against itself with the present efficiencies. Wherever a player rolls
without doubling, the model's value of the position is dead + x (live - dead), both computed from
the bot's probs, and what the game then brought, in points per cube of that moment, is an unbiased
sample of it. So least squares of the results on b dead + x (live - dead) finds x for every kind of
position and every owner of the cube; b takes up how far the bot's probs are too cautious or too
bold, which x would have to stand for otherwise. The standard error counts games, not positions,
which are not independent within a game. The moments that were fitted on stand beside the constants,
under "fit": whoever doubts an x can compute it again from them. Kinds that the play-outs see too
seldom (a standard error above --largest-error) keep the x they had, and so do those named by
--keep: a fitted x says what the cube is worth between two such players, which need not be what they
do best to believe (`scripts/compare_cube_efficiencies.py` lets two sets of constants meet).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

import bgai
from bgai.cube import CubeModel, load_efficiency
from bgai.cube.efficiency import FITTED_KINDS, FORMAT, KINDS, CubeEfficiency, position_kinds
from bgai.cube.ladder import ND, cubeful_values
from bgai.cube.match_equity import kazaross_xg2
from bgai.cube.state_rows import OWNER, OWNERS, StateRows
from bgai.engine import Boards
from bgai.engine.dice import roll
from bgai.engine.files import check_writable, write_whole
from bgai.match import (
    Action,
    Decision,
    MatchState,
    money_rules,
    new_session,
    throw_opening,
)
from bgai.search import EvaluatorPlayer, decide, follow
from bgai.search.player import cube_questions

GAMES_AT_ONCE = 1024
Line: TypeAlias = dict[str, float | int | str | bool]
CELLS = len(KINDS), len(OWNERS)
PRODUCTS = ("dead_squared", "dead_live", "live_squared", "dead_result", "live_result")
FEWEST_GAMES = 500  # fewer tell too little of their own spread
LARGEST_CONDITION = 1e6  # of equations that have a solution worth the name
ALMOST_DEAD = 1e-9  # an x of exactly 0 means a last roll


@dataclass
class Moments:
    """Sums of products of dead, live - dead and the result, by game, kind and owner."""

    positions: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(CELLS, np.int64))
    games: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(CELLS, np.int64))
    of_games: list[npt.NDArray[np.float64]] = field(default_factory=list)
    """`[kinds, owners, 5]` each, in the order of `PRODUCTS`."""

    def add_game(
        self,
        cells: npt.NDArray[np.int64],
        dead: npt.NDArray[np.float64],
        live: npt.NDArray[np.float64],
        result: npt.NDArray[np.float64],
    ) -> None:
        """One game's positions: their cell, dead, live - dead, and what the game brought."""
        size = CELLS[0] * CELLS[1]
        count = np.bincount(cells, minlength=size).reshape(CELLS)
        self.positions += count
        self.games += count > 0
        products = (dead * dead, dead * live, live * live, dead * result, live * result)
        sums = [np.bincount(cells, product, size).reshape(CELLS) for product in products]
        self.of_games.append(np.stack(sums, axis=-1))

    def sums(self) -> npt.NDArray[np.float64]:
        """`[kinds, owners, 5]` over all games."""
        total: npt.NDArray[np.float64] = np.sum(self.of_games, axis=0)
        return total

    def fit(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """b and x, and their standard errors, `[kinds, owners, 2]`; NaN where nothing is seen."""
        squares, right = _normal_equations(self.sums())
        solvable = np.linalg.cond(np.where(np.isfinite(squares), squares, 0)) < LARGEST_CONDITION
        inverse = np.full_like(squares, np.nan)
        inverse[solvable] = np.linalg.inv(squares[solvable])
        slopes = np.einsum("koij,koj->koi", inverse, right)
        game_squares, game_right = _normal_equations(np.array(self.of_games))
        left = game_right - np.einsum("gkoij,koj->gkoi", game_squares, slopes)
        spread = np.einsum("gkoi,gkoj->koij", left, left)
        variance = np.einsum("koij,kojl,kolm->koim", inverse, spread, inverse)
        return slopes, np.sqrt(np.einsum("koii->koi", variance))


def _normal_equations(
    sums: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Sums `[..., 5]` as the matrix `[..., 2, 2]` and the right side `[..., 2]`."""
    dead_squared, dead_live, live_squared, dead_result, live_result = np.moveaxis(sums, -1, 0)
    rows = np.stack([dead_squared, dead_live, dead_live, live_squared], axis=-1)
    matrix = rows.reshape(*rows.shape[:-1], 2, 2)
    return matrix, np.stack([dead_result, live_result], axis=-1)


@dataclass
class Game:
    """A game in progress and the positions rolled from in it."""

    state: MatchState
    positions: list[tuple[int, float, float, int, int]] = field(default_factory=list)
    """Cell, dead and live value, the player on roll, the cube."""


def play_out(player: EvaluatorPlayer, games: int, seed: int) -> Moments:
    """The moments of so many games of the player against itself."""
    rng = np.random.default_rng(seed)
    rules = money_rules(games_limit=1)
    moments = Moments()
    waiting = games
    playing: list[Game] = []
    with tqdm(total=games, unit="game") as bar:
        while waiting or playing:
            fresh = min(waiting, GAMES_AT_ONCE - len(playing))
            waiting -= fresh
            playing += [Game(_opened(new_session(rules), rng)) for _ in range(fresh)]
            _advance(playing, player, rng)
            for game in playing:
                if game.state.is_over and game.positions:
                    _count(game, moments)
            running = [game for game in playing if not game.state.is_over]
            bar.update(len(playing) - len(running))
            playing = running
    return moments


def _opened(state: MatchState, rng: np.random.Generator) -> MatchState:
    while state.decision is Decision.OPENING:
        state = throw_opening(state, roll(rng, 1)[0])
    return state


def _advance(playing: list[Game], player: EvaluatorPlayer, rng: np.random.Generator) -> None:
    """One decision in every game."""
    choices = decide(player, [game.state for game in playing])
    dice = roll(rng, len(playing)).tolist()
    rolling = [
        game for game, choice in zip(playing, choices, strict=True) if choice.action is Action.ROLL
    ]
    if rolling:
        _note_positions(rolling, player)
    for game, choice, thrown in zip(playing, choices, dice, strict=True):
        game.state = follow(game.state, choice, tuple(thrown))


def _note_positions(games: list[Game], player: EvaluatorPlayer) -> None:
    boards, states = cube_questions([game.state for game in games])
    dead, live = _dead_and_live(player, boards, states)
    cells = position_kinds(boards) * len(OWNERS) + states[:, OWNER]
    rows = zip(games, cells.tolist(), dead.tolist(), live.tolist(), strict=True)
    for game, cell, dead_value, live_value in rows:
        state = game.state
        game.positions.append((cell, dead_value, live_value, state.turn, state.cube_value))


def _dead_and_live(
    player: EvaluatorPlayer, boards: Boards, states: StateRows
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    probs = player.evaluator(boards).astype(np.float64)
    table = kazaross_xg2().chances
    both = [
        cubeful_values(probs, states, np.full((len(boards), 2), x), table)[0][:, ND]
        for x in (ALMOST_DEAD, 1.0)
    ]
    return both[0], both[1]


def _count(game: Game, moments: Moments) -> None:
    result = game.state.result
    assert result is not None
    cells, dead, live, turns, cubes = (
        np.array(column) for column in zip(*game.positions, strict=True)
    )
    won = np.where(turns == result.winner, result.points, -result.points) / cubes
    moments.add_game(cells, dead, live - dead, won)


def fitted(
    before: CubeEfficiency, moments: Moments, largest_error: float, keep: Sequence[str]
) -> tuple[dict[str, dict[str, float]], list[Line]]:
    """The constants to write, and a line about each."""
    slopes, errors = moments.fit()
    sums = moments.sums()
    kinds: dict[str, dict[str, float]] = {}
    lines: list[Line] = []
    for kind in FITTED_KINDS:
        row = KINDS.index(kind)
        kinds[kind] = {}
        for column, owner in enumerate(OWNERS):
            (b, x), (_, error) = slopes[row, column].tolist(), errors[row, column].tolist()
            is_seen = error <= largest_error and moments.games[row, column] >= FEWEST_GAMES
            is_used = bool(is_seen and kind not in keep)
            used = np.clip(x, 0, 1) if is_used else before.constants[row, column]
            kinds[kind][owner.value] = round(float(used), 3)
            line: Line = {"kind": kind, "owner": owner.value}
            line |= {"games": int(moments.games[row, column])}
            line |= {"positions": int(moments.positions[row, column])}
            products = zip(PRODUCTS, sums[row, column].tolist(), strict=True)
            line |= {name: float(f"{value:.8g}") for name, value in products}
            if not np.isnan(error):
                line |= {"b": round(b, 4), "x": round(x, 4), "standard_error": round(error, 4)}
            lines.append({**line, "used": is_used})
    return kinds, lines


def _as_json(
    source: str,
    kinds: dict[str, dict[str, float]],
    lines: list[Line],
) -> str:
    """The file, a line for each kind and for each fit."""
    head = f' "format": {FORMAT},\n "source": {json.dumps(source)},\n'
    of_kinds = ",\n".join(f"  {json.dumps(kind)}: {json.dumps(x)}" for kind, x in kinds.items())
    fits = ",\n".join(f"  {json.dumps(line)}" for line in lines)
    return f'{{\n{head} "kinds": {{\n{of_kinds}\n }},\n "fit": [\n{fits}\n ]\n}}\n'


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(
        description="Fit cube efficiencies on a bot's own play-outs.",
        epilog="example: python scripts/fit_cube_efficiency.py --out efficiency.json",
    )
    parser.add_argument("--bot", default="flagship", help="plays both sides (%(default)s)")
    parser.add_argument("--games", type=int, default=40_000, help="(%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the dice (%(default)s)")
    parser.add_argument("--from", dest="before", type=Path, help="efficiencies to begin with")
    parser.add_argument("--largest-error", type=float, default=0.2, help="(%(default)s)")
    parser.add_argument("--keep", nargs="+", default=[], choices=FITTED_KINDS, help="kinds")
    parser.add_argument("--out", type=Path, required=True, help="the JSON file to write")
    options = parser.parse_args(argv)
    if options.games < 1:
        parser.error(f"--games must be at least 1, got {options.games}")
    model = CubeModel()
    try:
        check_writable(options.out)
        bot = bgai.load_bot(options.bot)
        if options.before is not None:
            model = CubeModel(efficiency=load_efficiency(options.before))
    except (ValueError, OSError) as problem:
        print(problem, file=sys.stderr)
        return 2
    moments = play_out(EvaluatorPlayer(bot.name, bot, model), options.games, options.seed)
    kinds, lines = fitted(model.efficiency, moments, options.largest_error, options.keep)
    for line in lines:
        x, error = line.get("x", float("nan")), line.get("standard_error", float("nan"))
        print(
            f"{line['kind']:<14}{line['owner']:<9}{line['games']:>8,} games "
            f"{x:>8.3f} +- {error:.3f}, b {line.get('b', float('nan')):.3f}"
            f"{'' if line['used'] else '  not used'}"
        )
    source = (
        f"least squares on {options.games} money games of {bot.name} against itself, seed "
        f"{options.seed} (scripts/fit_cube_efficiency.py), begun with: {model.efficiency.source}"
    )
    write_whole(options.out, _as_json(source, kinds, lines).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
