"""`bgai evaluate`: how strong a player is, against others and on valued decisions."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bgai.cube import StateRows
    from bgai.engine import Boards
    from bgai.evaluation import (
        ArenaResult,
        CheckerResult,
        CubeChoices,
        CubeMaker,
        CubeMistake,
        CubeResult,
        QuestionResult,
    )
    from bgai.search import Player

PLY_CONVENTION = (
    "0-ply = the net alone, as gnubg counts (XG, wildbg and Sage, also in sage:N, say 1-ply)."
)

HELP = f"""\
Example:
  bgai evaluate runs/demo/checkpoint.pt --against pubeval gnubg:0 --games 20000

Let a player meet others in cubeless money games, both ways with the same dice, and let it decide
plays and cubes that a stronger judge has valued. Without --against, --set and --cube-set it meets
pubeval.

{PLY_CONVENTION}"""

DEFAULT_GAMES = 10_000
DEFAULT_SEED = 1


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
        default=DEFAULT_GAMES,
        help="games against each opponent, an even number (%(default)s)",
    )
    parser.add_argument(
        "--plies", type=int, default=0, help="turns that NET looks ahead (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help="of the dice (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    from bgai.evaluation import (
        evaluate_checker_set,
        evaluate_cube_set,
        play_match,
        read_checker_set,
        read_cube_set,
    )
    from bgai.interface.players import make_player

    against = args.against or ([] if args.set or args.cube_set else ["pubeval"])
    # everything that can be misused is checked before the first game
    player = make_player(args.net, args.seed, args.plies)
    opponents = [make_player(spec, args.seed + 1) for spec in against]
    sets = [read_checker_set(Path(name)) for name in args.set]
    cube_sets = [read_cube_set(Path(name)) for name in args.cube_set]
    cubes = [evaluate_cube_set(player.name, _cube_maker(player), one) for one in cube_sets]
    checks = [evaluate_checker_set(player, checker_set) for checker_set in sets]
    matches = []
    for opponent in opponents:
        with _progress(args.games, f"{player.name} - {opponent.name}") as progress:
            matches.append(play_match(player, opponent, args.games, args.seed, progress=progress))
    if args.json:
        print(json.dumps(_as_json(player.name, matches, checks, cubes), indent=2))
    else:
        print("\n\n".join(_as_text(player.name, matches, checks, cubes)))
    return 0


def _cube_maker(player: Player) -> CubeMaker:
    """How a player handles the cube.

    Raises:
        ValueError: the player plays without one.
    """
    from bgai.cube import CubeModel, pip_cube
    from bgai.evaluation.opponents import PipPlayer
    from bgai.search import EvaluatorPlayer

    if isinstance(player, PipPlayer):
        return pip_cube
    if not isinstance(player, EvaluatorPlayer):
        raise ValueError(f"{player.name} has no cube: --cube-set is for pip, bots and checkpoints")
    evaluator, model = player.evaluator, CubeModel()

    def decide(boards: Boards, states: StateRows) -> CubeChoices:
        decisions = model.decide_batch(evaluator(boards), boards, states)
        return decisions.doubles, decisions.takes

    return decide


def _as_json(
    name: str, matches: list[ArenaResult], checks: list[CheckerResult], cubes: list[CubeResult]
) -> dict[str, Any]:
    return {
        "player": name,
        "ply_convention": PLY_CONVENTION,
        "matches": [match.to_json() for match in matches],
        "sets": [check.to_json() for check in checks],
        "cube_sets": [cube.to_json() for cube in cubes],
    }


def _as_text(
    name: str, matches: list[ArenaResult], checks: list[CheckerResult], cubes: list[CubeResult]
) -> Iterator[str]:
    yield f"{name}\n{PLY_CONVENTION}"
    if matches:
        yield _match_table(matches)
    for check in checks:
        yield _set_text(check)
    for cube in cubes:
        yield _cube_set_text(cube)


def _match_table(matches: list[ArenaResult]) -> str:
    """One line per opponent."""
    width = max(8, *(len(match.second) for match in matches))
    lines = [
        f"{'against':<{width}} {'games':>9} {'ppg':>8} {'std err':>8}"
        f" {'won':>7} {'gammons':>8} {'bg':>5} {'lost':>7} {'gammons':>8} {'bg':>5} {'plies':>6}"
    ]
    for match in matches:
        cells = [f"{match.second:<{width}} {match.games:>9,} {match.ppg:>+8.4f}"]
        cells.append(f"{match.standard_error:>8.4f}")
        for singles, gammons, backgammons in (match.first_wins, match.second_wins):
            shares = [
                count / match.games
                for count in (singles + gammons + backgammons, gammons, backgammons)
            ]
            cells.append(f"{shares[0]:>7.1%} {shares[1]:>8.1%} {shares[2]:>5.1%}")
        lines.append(" ".join([*cells, f"{match.mean_plies:>6.1f}"]))
    lines.append(f"Cubeless money games, the same dice both ways, seed {matches[0].seed}.")
    return "\n".join(lines)


def _set_text(check: CheckerResult) -> str:
    """Errors on one set, by kind of position, and the worst decisions."""
    lines = [
        f"{check.set_name}: {check.decisions:,} decisions, error {check.error_mp:.2f} mp "
        f"(std err {check.standard_error_mp:.2f}), PR {check.pr:.2f}, "
        f"best play {check.best_share:.1%}, not listed {check.unlisted_share:.1%}"
    ]
    lines += [
        f"  {kind.kind:<9}{kind.decisions:>8,} decisions {kind.error_mp:>8.2f} mp"
        for kind in check.kinds
    ]
    if check.worst:
        lines.append("  Dearest decisions:")
    for decision in check.worst:
        first, second = decision.dice
        plays = f"{decision.chosen}  instead of  {decision.best}"
        lines.append(
            f"  {decision.position_id}  {first}-{second}  {plays}  {decision.error_mp:,.0f} mp"
        )
    return "\n".join(lines)


def _cube_set_text(cube: CubeResult) -> str:
    """Errors of doubling and of taking, by part of the set, and the dearest mistakes."""
    lines = [
        f"{cube.set_name}: error in mp, its standard error, and how often it is 0",
        f"  {'':<14}{'decisions':>9} {'doubles':>10}{'std err':>8}{'right':>7}"
        f" {'takes':>9}{'std err':>8}{'right':>7}",
    ]
    for name, (double, take) in {"all": (cube.double, cube.take), **cube.parts}.items():
        lines.append(
            f"  {name:<14}{double.decisions:>9,} {_question_cells(double)}{_question_cells(take)}"
        )
    if cube.worst:
        lines.append("  Dearest mistakes (ND, DT, DP as the judge has them):")
    return "\n".join([*lines, *(f"  {_mistake_text(mistake)}" for mistake in cube.worst)])


def _question_cells(question: QuestionResult) -> str:
    error = f"{question.error_mp:>10.2f}{question.standard_error_mp:>8.2f}"
    return f"{error}{question.right_share:>7.1%}"


def _mistake_text(mistake: CubeMistake) -> str:
    state = mistake.state
    score = "money" if state.away is None else f"{state.away[0]}-{state.away[1]} away"
    if state.is_crawford:
        score += " Crawford"
    return (
        f"{mistake.position_id}  {score}, cube {state.value} {state.owner.value}  "
        f"{mistake.chosen}  {mistake.error_mp:,.0f} mp  "
        f"({mistake.nd:+.3f}, {mistake.dt:+.3f}, {mistake.dp:+.3f})"
    )


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
