"""Let a bot with some cube efficiencies meet itself with others: which of the two cubes earns more.

    python scripts/compare_cube_efficiencies.py new.json old.json --bot flagship --games 20000

Both sides choose plays by the same net, each with its own cube model in mind.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

import bgai
from bgai.cube import CubeModel, load_efficiency
from bgai.evaluation import SessionsResult, play_sessions
from bgai.match import Rules, money_rules
from bgai.search import EvaluatorPlayer


def compare(files: Sequence[Path], bot_name: str, rules: Rules, games: int) -> SessionsResult:
    """The first file's efficiencies against the second's, the same dice both ways."""
    bot = bgai.load_bot(bot_name)
    players = [
        EvaluatorPlayer(
            path.stem, bot, CubeModel(efficiency=load_efficiency(path), exact=bot.cube_model.exact)
        )
        for path in files
    ]
    with tqdm(total=games, unit="session") as bar:

        def advance(ended: int) -> None:
            bar.update(ended)

        return play_sessions(players[0], players[1], rules, games, seed=1, progress=advance)


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("files", nargs=2, type=Path, metavar="JSON", help="two sets of constants")
    parser.add_argument("--bot", default="flagship", help="plays both sides (%(default)s)")
    parser.add_argument("--games", type=int, default=20_000, help="or matches (%(default)s)")
    parser.add_argument("--match", type=int, metavar="N", help="matches to N instead of money")
    options = parser.parse_args(argv)
    try:
        rules = money_rules(games_limit=1) if options.match is None else Rules(options.match)
        result = compare(options.files, options.bot, rules, options.games)
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print(
        f"{result.first} against {result.second}: {result.games:,} games, "
        f"{result.ppg:+.4f} +- {result.standard_error:.4f} points a game"
    )
    if result.win_share is not None:
        print(f"{result.sessions:,} matches, won {result.win_share:.1%}", end=" ")
        print(f"+- {result.win_standard_error:.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
