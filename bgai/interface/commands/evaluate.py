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
    from bgai.evaluation import ArenaResult, CheckerResult

PLY_CONVENTION = (
    "0-ply = the net alone, as gnubg counts (XG, wildbg and Sage, also in sage:N, say 1-ply)."
)

HELP = f"""\
Example:
  bgai evaluate runs/small/latest.pt --against pubeval gnubg:0 --games 20000

Let a player meet others in cubeless money games, both ways with the same dice, and let it decide
positions that a stronger judge has valued. Without --against and --set it meets pubeval.

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
        "--set", metavar="FILE", nargs="+", default=[], help="files of valued decisions"
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
    from bgai.evaluation import evaluate_checker_set, play_match, read_checker_set
    from bgai.interface.players import make_player

    against = args.against or ([] if args.set else ["pubeval"])
    # everything that can be misused is checked before the first game
    player = make_player(args.net, args.seed, args.plies)
    opponents = [make_player(spec, args.seed + 1) for spec in against]
    sets = [read_checker_set(Path(name)) for name in args.set]
    checks = [evaluate_checker_set(player, checker_set) for checker_set in sets]
    matches = []
    for opponent in opponents:
        with _progress(args.games, f"{player.name} - {opponent.name}") as progress:
            matches.append(play_match(player, opponent, args.games, args.seed, progress=progress))
    if args.json:
        print(json.dumps(_as_json(player.name, matches, checks), indent=2))
    else:
        print("\n\n".join(_as_text(player.name, matches, checks)))
    return 0


def _as_json(name: str, matches: list[ArenaResult], checks: list[CheckerResult]) -> dict[str, Any]:
    return {
        "player": name,
        "ply_convention": PLY_CONVENTION,
        "matches": [match.to_json() for match in matches],
        "sets": [check.to_json() for check in checks],
    }


def _as_text(name: str, matches: list[ArenaResult], checks: list[CheckerResult]) -> Iterator[str]:
    yield f"{name}\n{PLY_CONVENTION}"
    if matches:
        yield _match_table(matches)
    for check in checks:
        yield _set_text(check)


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
