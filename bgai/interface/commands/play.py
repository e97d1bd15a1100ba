"""`bgai play`: a game against a bot in the terminal."""

from __future__ import annotations

import argparse
import secrets
from pathlib import Path

HELP = """
Example:
  bgai play --bot checkpoints/NAME --seed 7

One game against a bot, cube off. Type moves as `8/5 6/5`, or `help` in the game for more. Works
from a pipe and with a screen reader (`--board words`).
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--bot", metavar="BOT", help="folder, zip, or name of a bot that ships")
    parser.add_argument(
        "--plies",
        type=int,
        default=0,
        metavar="N",
        help="turns the bot and hints look ahead; 0 is the net alone, which XG calls 1-ply",
    )
    parser.add_argument("--seed", type=int, metavar="S", help="same seed, same dice")
    parser.add_argument(
        "--dice",
        choices=["auto", "manual"],
        default="auto",
        help="manual: you throw real dice and type them",
    )
    parser.add_argument("--load", metavar="FILE", help="go on with a saved game")
    parser.add_argument(
        "--board", choices=["unicode", "ascii", "words"], help="how the board is shown"
    )
    parser.add_argument(
        "--home", choices=["right", "left"], default="right", help="side of your home board"
    )
    parser.add_argument("--colour", choices=["auto", "always", "never"], default="auto")
    parser.add_argument(
        "--ask-forced", action="store_true", help="let me make my only plays myself"
    )


def run(args: argparse.Namespace) -> int:
    from bgai.interface.bot import default_bot, load_bot
    from bgai.interface.terminal.board_text import BoardView
    from bgai.interface.terminal.console import Console, draws_unicode, wants_colour
    from bgai.interface.terminal.game import load_game
    from bgai.interface.terminal.session import TerminalGame
    from bgai.interface.warm_up import warm_up
    from bgai.search.ply import PlyEvaluator

    if args.seed is not None and args.seed < 0:
        raise ValueError(f"--seed must be at least 0, got {args.seed}")
    bot = default_bot() if args.bot is None else load_bot(args.bot)
    evaluator = PlyEvaluator(bot, args.plies)
    game = None if args.load is None else load_game(Path(args.load))[0]
    warm_up()
    TerminalGame(
        Console(),
        game,
        evaluator,
        bot.name,
        secrets.randbits(32) if args.seed is None else args.seed,
        BoardView(
            args.board or ("unicode" if draws_unicode() else "ascii"),
            wants_colour(args.colour),
            args.home,
        ),
        manual_dice=args.dice == "manual",
        play_forced=not args.ask_forced,
    ).run()
    return 0
