"""`bgai generate`: labels positions of a net's own games with better values than its own."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bgai.training.labels import LabelSettings

HELP = """
Example:
  bgai generate NET.pt --to labels/two-ply --positions 1000000 --target plies:2

Plays games with a net, picks positions from them and labels each with the mean over all rolls of
the best reply, looking 1 to 4 plies ahead (0-ply is the net alone), or with rollouts. `bgai fit`
teaches a net from the folder. Stop it with Ctrl-C at any moment; the same command goes on where it
stopped, and --positions may grow.

Where positions come from (--from):
  self-play          the net's own games
  disturbed          games in which a share of the plays is drawn at random
  back-games         of those: two points held in the opponent's home, far behind in the race
  primes             each side has a checker behind four points in a row of the other's
  containment        a checker is hit after others of its side have been borne off
  crashed            ten checkers on the lowest three points, with contact
  bear-off-contact   all checkers home, with contact

What they are labelled with (--target): plies:1, plies:2, plies:3, plies:4 or rollout.
"""

ROLLOUT = "rollout"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("net", type=Path, metavar="NET", help="a checkpoint (*.pt)")
    parser.add_argument("--to", type=Path, required=True, metavar="FOLDER", help="for the labels")
    parser.add_argument(
        "--positions", type=int, required=True, metavar="N", help="how many, in whole shards"
    )
    parser.add_argument(
        "--from", dest="source", default="self-play", metavar="SOURCE", help="(%(default)s)"
    )
    parser.add_argument(
        "--target", default="plies:1", metavar="TARGET", help="what to learn (%(default)s)"
    )
    parser.add_argument(
        "--disturbed_share",
        type=float,
        metavar="X",
        help="mean share of plays drawn at random, where --from is not self-play (0.1)",
    )
    parser.add_argument(
        "--siblings",
        type=int,
        metavar="K",
        help="the best K afterstates of a roll from each position instead of the position",
    )
    parser.add_argument(
        "--hardest_share",
        type=float,
        metavar="X",
        help="keep this share of the positions: those which looking 1 ply ahead changes most",
    )
    parser.add_argument("--trials", type=int, metavar="N", help="of each rollout (36)")
    parser.add_argument(
        "--rollout_plies", type=int, metavar="N", help="after which a rollout is cut off (7)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of games and rollouts (%(default)s)")
    parser.add_argument(
        "--scout",
        metavar="FILE",
        help="a checkpoint whose scout shortlists the plays, or none (NET's own, if it has one)",
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def run(args: argparse.Namespace) -> int:
    if args.positions < 1:
        raise ValueError(f"--positions must be at least 1, got {args.positions}")
    settings = _settings(args)
    from bgai.endgame import load_or_build
    from bgai.interface.long_work import counted, stop_on_signal
    from bgai.interface.warm_up import announced_compilation
    from bgai.training.generation import generate, labelled_positions, load_labeller, open_folder

    scout = None if args.scout in (None, "none") else Path(args.scout)
    with announced_compilation():
        labeller = load_labeller(args.net, load_or_build(), scout, args.scout != "none")
    open_folder(args.to, labeller, settings, args.positions)
    before, begun = labelled_positions(args.to), time.monotonic()
    with (
        stop_on_signal("stopping; the shard being made is left out ...") as signal_received,
        counted(args.positions, before, "positions") as report,
    ):
        complete = generate(
            args.to,
            labeller,
            settings,
            args.positions,
            lambda more: report(more, ""),
            lambda: signal_received() is not None,
        )
        stopped_by = signal_received()
    _print_summary(args, before, time.monotonic() - begun, complete)
    return 0 if complete or stopped_by is None else 128 + stopped_by


def _settings(args: argparse.Namespace) -> LabelSettings:
    from bgai.search.rollout import RolloutSettings
    from bgai.training.labels import LabelSettings
    from bgai.training.positions import SELF_PLAY, PositionSettings

    kind, _, plies = args.target.partition(":")
    if args.target != ROLLOUT and not (kind == "plies" and plies.isdecimal()):
        raise ValueError(f"--target must be plies:1 to plies:4 or {ROLLOUT}, got {args.target!r}")
    given = {"trials": args.trials, "plies": args.rollout_plies}
    given = {name: value for name, value in given.items() if value is not None}
    if given and args.target != ROLLOUT:
        raise ValueError(f"--trials and --rollout_plies go with --target {ROLLOUT}")
    share = args.disturbed_share
    if share is None and args.source != SELF_PLAY:
        share = 0.1
    return LabelSettings(
        PositionSettings(args.source, share, args.siblings, args.hardest_share),
        int(plies) if kind == "plies" else None,
        RolloutSettings(**given) if args.target == ROLLOUT else None,
        args.seed,
    )


def _print_summary(args: argparse.Namespace, before: int, seconds: float, complete: bool) -> None:
    from bgai.training.generation import labelled_positions

    now = labelled_positions(args.to)
    rate = round((now - before) / max(seconds, 1e-9), 1)
    if args.json:
        summary = {"labels": str(args.to), "positions": now, "positions_per_s": rate}
        print(json.dumps({**summary, "complete": complete}))
        return
    state = "complete" if complete else "stopped; the same command goes on"
    print(f"{args.to}: {state}: {now} positions ({rate} a second)")
