"""`bgai evaluate`: how strong a player is, against others and on valued decisions."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from bgai.interface.commands.options import check_match_length, refuse

if TYPE_CHECKING:
    from bgai.cube import StateRows
    from bgai.engine import Boards
    from bgai.evaluation import (
        ArenaResult,
        CheckerResult,
        CubeChoices,
        CubeMaker,
        CubeResult,
        SessionsResult,
    )
    from bgai.match import Rules
    from bgai.search import Evaluator, Player

PLY_CONVENTION = (
    "0-ply = the net alone, as gnubg counts (XG, wildbg and Sage, also in sage:N, say 1-ply)."
)

HELP = f"""\
Example:
  bgai evaluate runs/demo/checkpoint.pt --against pubeval gnubg:0 --games 20000

  bgai evaluate flagship --against flagship+pip-cube --money --games 20000
  bgai evaluate flagship --against gnubg:0 sage:1 --match 7 --games 500

Let a player meet others, both ways with the same dice, and let it decide plays and cubes that a
stronger judge has valued. Games are cubeless unless --money or --match N brings in the cube; a
player without a cube of its own, or with +pip-cube after its name, then turns it by the pip count.
Without --against, --set and --cube-set it meets pubeval.

{PLY_CONVENTION}"""

DEFAULT_GAMES = 10_000
DEFAULT_SEED = 1

_FOR_GAMES = ("--games", "--luck", "--money", "--match", "--jacoby", "--beavers", "--cap")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from bgai.interface.players import POSSIBLE

    parser.add_argument("net", metavar="NET", help=f"the player to measure: {POSSIBLE}")
    parser.add_argument(
        "--against", metavar="OPP", nargs="+", default=[], help="opponents; the same kinds"
    )
    parser.add_argument(
        "--set", metavar="FILE", nargs="+", default=[], help="files of valued plays"
    )
    parser.add_argument(
        "--cube-set", metavar="FILE", nargs="+", default=[], help="files of valued cube decisions"
    )
    parser.add_argument(
        "--games",
        type=int,
        help=f"games against each opponent, or matches, an even number from 4 on ({DEFAULT_GAMES})",
    )
    parser.add_argument(
        "--luck",
        metavar="NET",
        help="a bot or checkpoint that judges the luck of cubeless games, for smaller errors",
    )
    parser.add_argument("--money", action="store_true", help="play money games with the cube")
    parser.add_argument("--match", metavar="N", type=int, help="play matches to N points")
    parser.add_argument("--jacoby", action="store_true", help="money with the Jacoby rule")
    parser.add_argument("--beavers", action="store_true", help="money with beavers and raccoons")
    parser.add_argument("--cap", type=int, help="the largest value of the cube (64)")
    parser.add_argument(
        "--plies", type=int, default=0, help="turns that NET looks ahead (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help="of the dice (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    from bgai.interface.evaluation_text import cube_set_text, match_table, sessions_table, set_text

    measured = _measure(args)
    if args.json:
        content: dict[str, Any] = {"player": measured.player, "ply_convention": PLY_CONVENTION}
        for kind in ("matches", "sessions", "sets", "cube_sets"):
            content[kind] = [one.to_json() for one in getattr(measured, kind)]
        print(json.dumps(content, indent=2))
        return 0
    tables = [match_table(measured.matches)] if measured.matches else []
    tables += [sessions_table(measured.sessions)] if measured.sessions else []
    tables += map(set_text, measured.sets)
    tables += map(cube_set_text, measured.cube_sets)
    print("\n\n".join([f"{measured.player}\n{PLY_CONVENTION}", *tables]))
    return 0


class _Measured(NamedTuple):
    """Everything that one command has measured."""

    player: str
    matches: list[ArenaResult]
    sessions: list[SessionsResult]
    sets: list[CheckerResult]
    cube_sets: list[CubeResult]


def _measure(args: argparse.Namespace) -> _Measured:
    from bgai.evaluation import (
        evaluate_checker_set,
        evaluate_cube_set,
        play_match,
        play_sessions,
        read_checker_set,
        read_cube_set,
    )
    from bgai.evaluation.arena import check_pairs
    from bgai.interface.players import make_player, with_cube
    from bgai.interface.warm_up import announced_compilation, warm_up
    from bgai.search.ply import check_plies

    against = args.against or ([] if args.set or args.cube_set else ["pubeval"])
    games = DEFAULT_GAMES if args.games is None else args.games
    # everything that can be misused is checked before the first game
    if not against:
        refuse(args, _FOR_GAMES, "without --against")
    check_pairs("games", games, args.seed, batch=games)
    check_plies(args.plies)
    rules = _rules(args)
    sets = [read_checker_set(Path(name)) for name in args.set]
    cube_sets = [read_cube_set(Path(name)) for name in args.cube_set]
    with announced_compilation():
        judge = _luck_judge(args, rules)
        player = make_player(args.net, args.seed, args.plies)
        opponents = [make_player(spec, args.seed + 1) for spec in against]
    warm_up()
    measured = _Measured(
        player.name,
        matches=[],
        sessions=[],
        sets=[evaluate_checker_set(player, one) for one in sets],
        cube_sets=[evaluate_cube_set(player.name, _cube_maker(player), one) for one in cube_sets],
    )
    for opponent in opponents:
        with _progress(games, f"{player.name} - {opponent.name}") as progress:
            if rules is None:
                measured.matches.append(
                    play_match(
                        player,
                        opponent,
                        games,
                        args.seed,
                        progress=progress,
                        luck_judge=judge,
                    )
                )
            else:
                both = with_cube(player), with_cube(opponent)
                measured.sessions.append(
                    play_sessions(*both, rules, games, args.seed, progress=progress)
                )
    return measured


def _rules(args: argparse.Namespace) -> Rules | None:
    """What is played for; None for cubeless money games.

    Raises:
        ValueError: options that do not go together.
    """
    from bgai.match import Rules, money_rules
    from bgai.match.cube_state import DEFAULT_CAP

    check_match_length(args.match)
    if args.match is not None and args.money:
        raise ValueError("give --match or --money, got both")
    if not args.money:
        refuse(args, ("--jacoby", "--beavers"), "without --money")
    cap = DEFAULT_CAP if args.cap is None else args.cap
    if args.match is not None:
        return Rules(match_length=args.match, cap=cap)
    if args.money:
        if cap == 1:
            refuse(args, ("--jacoby", "--beavers"), "without a cube")
        return money_rules(games_limit=1, jacoby=args.jacoby, beavers=args.beavers, cap=cap)
    refuse(args, ["--cap"], "without --money or --match")
    return None


def _luck_judge(args: argparse.Namespace, rules: Rules | None) -> Evaluator | None:
    """The evaluator that `--luck` names.

    Raises:
        ValueError: it is none, or the games are not cubeless.
    """
    from bgai.interface.players import make_player
    from bgai.search import EvaluatorPlayer

    if args.luck is None:
        return None
    if rules is not None:
        raise ValueError("--luck is for cubeless games, not for --money or --match")
    judge = make_player(args.luck, args.seed)
    if not isinstance(judge, EvaluatorPlayer):
        raise ValueError(f"--luck takes a bot or checkpoint, got {args.luck}")
    return judge.evaluator


def _cube_maker(player: Player) -> CubeMaker:
    """How a player handles the cube.

    Raises:
        ValueError: the player plays without one.
    """
    from bgai.search.player import PASS, MatchPlayer

    if not isinstance(player, MatchPlayer):
        raise ValueError(f"{player.name} has no cube, which --cube-set asks for")

    def decide(boards: Boards, states: StateRows) -> CubeChoices:
        return player.doubles(boards, states), player.responses(boards, states) != PASS

    return decide


@contextmanager
def _progress(games: int, label: str) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal, a plain line for every tenth elsewhere; both on stderr."""
    if sys.stderr.isatty():
        from tqdm import tqdm

        with tqdm(total=games, desc=label, unit="game") as bar:

            def advance(ended: int) -> None:
                bar.update(ended)

            yield advance
        return
    started, done, shown = monotonic(), 0, 0

    def report(ended: int) -> None:
        nonlocal done, shown
        done += ended
        if 10 * done // games > shown:
            shown = 10 * done // games
            rate = done / max(monotonic() - started, 1e-9)
            left = (games - done) / rate
            print(
                f"{label}: {done:,} of {games:,} games, {rate:,.0f} games/s, {left:.0f} s left",
                file=sys.stderr,
            )

    yield report
