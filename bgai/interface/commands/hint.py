"""`bgai hint`: the plays of a position ranked, or its evaluation where there is no roll."""

from __future__ import annotations

import argparse
import json

HELP = """
Example:
  bgai hint 4HPwATDgc/ABMA --dice 31

Ranks all plays of a roll by equity: points for the player on roll, cube at 1, no cube used. Without
a roll it evaluates the position. The six chances are disjoint: a gammon is not also a single win.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("position", help="a GNU position id or an XGID, whose dice are used")
    parser.add_argument("--dice", metavar="D", help="the roll, such as 31")
    parser.add_argument("--bot", metavar="BOT", help="folder, zip, or name of a bot that ships")
    parser.add_argument(
        "--plies",
        type=int,
        default=0,
        metavar="N",
        help="turns to look ahead; 0 is the net alone, which XG calls 1-ply",
    )
    parser.add_argument("--top", type=int, metavar="N", help="print the best N plays only")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    from bgai.engine import outcomes
    from bgai.engine.gnu_id import position_id
    from bgai.engine.outcomes import UNFINISHED, equity
    from bgai.engine.xgid import parse_position
    from bgai.interface import hints
    from bgai.interface.bot import default_bot, load_bot
    from bgai.interface.terminal.entry import parse_roll
    from bgai.interface.warm_up import warm_up
    from bgai.search.ply import PlyEvaluator

    if args.top is not None and args.top < 1:
        raise ValueError(f"--top must be at least 1, got {args.top}")
    board, dice = parse_position(args.position)
    if args.dice is not None:
        dice = parse_roll(args.dice)
    if dice is not None and int(outcomes(board)) != UNFINISHED:
        raise ValueError(f"the game is over in {args.position!r}: nothing can be played")
    bot = default_bot() if args.bot is None else load_bot(args.bot)
    evaluator = PlyEvaluator(bot, args.plies)
    warm_up()
    result = {"position_id": position_id(board), "bot": bot.name, "plies": args.plies}
    if dice is None:
        probs = evaluator(board[None])[0]
        lines = hints.evaluation_lines(probs)
        result |= {"equity": round(float(equity(probs)), 6), "probs": hints.probs_as_json(probs)}
    else:
        ranked = hints.rank_plays(evaluator, board, dice)[: args.top]
        lines = hints.ranking_lines(ranked)
        result |= {"dice": list(dice), "plays": [item.as_json() for item in ranked]}
    print(json.dumps(result) if args.json else "\n".join(lines))
    return 0
