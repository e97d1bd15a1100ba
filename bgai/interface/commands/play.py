"""`bgai play`: matches and money sessions in the terminal, against a bot or another person."""

from __future__ import annotations

import argparse
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from bgai.interface.commands.options import check_match_length, check_port, refuse

if TYPE_CHECKING:
    from bgai.interface.table import Table
    from bgai.match import Rules
    from bgai.search import EvaluatorPlayer

HELP = """
Example:
  bgai play --match 3 --coach
  bgai play --money --jacoby --beavers --games-limit 5
  bgai play --single
  bgai play --web

A match to 7 points with the doubling cube, unless the options say otherwise. Type moves as
`8/5 6/5`, or `help` in the game for more. Works from a pipe and with a screen reader
(`--board words`). With `--web` you play in the browser, on a page that this computer serves; the
page itself asks for what is played.
"""

_USUAL_MATCH = 7
_USUAL_HOST, _USUAL_PORT = "127.0.0.1", 8642
_MOST_PAGE_SEED = 10**15 - 1  # as many digits as the page asks for, which its numbers hold exactly

_FLAGS = ("--single", "--money", "--no-crawford", "--jacoby", "--beavers", "--no-cube")
_RULES = (*_FLAGS, "--match", "--games-limit", "--automatic-doubles", "--cap")
_FOR_A_CUBE = ("--no-crawford", "--jacoby", "--beavers", "--automatic-doubles")
_CONVENIENCES = ("--ask-forced", "--ask-roll", "--bear-off")
_LOOK = ("--language", "--board", "--home", "--colour")
_TABLE = ("--two-persons", "--watch", "--dice", "--coach", *_CONVENIENCES)
_FOR_THE_PAGE = ("--host", "--port", "--no-browser")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--bot", metavar="BOT", help="folder, zip, or name of a bot that ships")
    parser.add_argument(
        "--plies",
        type=int,
        default=0,
        metavar="N",
        help="turns the bot and the coach look ahead; 0 is the net alone, which XG calls 1-ply",
    )
    parser.add_argument("--load", metavar="FILE", help="go on with a saved session or a .mat file")
    _add_rules(parser)
    _add_table(parser)
    _add_look(parser)
    _add_web(parser)


def _add_rules(parser: argparse.ArgumentParser) -> None:
    rules = parser.add_argument_group("what is played")
    kind = rules.add_mutually_exclusive_group()
    kind.add_argument("--match", type=int, metavar="N", help="a match to N points; 7 if not given")
    kind.add_argument("--money", action="store_true", help="a money session: every point counts")
    kind.add_argument("--single", action="store_true", help="one game without the cube")
    rules.add_argument(
        "--games-limit", type=int, metavar="N", help="stop after N games, whatever the score"
    )
    rules.add_argument(
        "--no-crawford", action="store_true", help="the cube is in play at match point, too"
    )
    rules.add_argument(
        "--jacoby", action="store_true", help="gammons count only with a turned cube (money)"
    )
    rules.add_argument(
        "--beavers", action="store_true", help="who is doubled may redouble at once (money)"
    )
    rules.add_argument(
        "--automatic-doubles",
        type=int,
        metavar="N",
        help="equal opening dice double the cube, up to N times a game (money)",
    )
    cube = rules.add_mutually_exclusive_group()
    cube.add_argument("--cap", type=int, metavar="N", help="largest value of the cube; 64")
    cube.add_argument("--no-cube", action="store_true", help="play without the cube")


def _add_table(parser: argparse.ArgumentParser) -> None:
    table = parser.add_argument_group("the table")
    seats = table.add_mutually_exclusive_group()
    seats.add_argument("--two-persons", action="store_true", help="two people at this keyboard")
    seats.add_argument("--watch", action="store_true", help="the bot plays against itself")
    table.add_argument("--seed", type=int, metavar="S", help="same seed, same dice")
    table.add_argument(
        "--dice",
        choices=["auto", "manual"],
        help="manual: you throw real dice and type them",
    )
    table.add_argument("--coach", action="store_true", help="tell errors, and sum them up")
    table.add_argument("--ask-forced", action="store_true", help="let me make my only plays myself")
    table.add_argument(
        "--ask-roll", action="store_true", help="let me roll where I may not double, too"
    )
    table.add_argument(
        "--bear-off",
        action="store_true",
        help="bear off for me where every number takes a checker off and contact is over",
    )


def _add_look(parser: argparse.ArgumentParser) -> None:
    look = parser.add_argument_group("how it looks")
    look.add_argument("--language", metavar="L", help="en or ar")
    look.add_argument(
        "--board", choices=["unicode", "ascii", "words"], help="how the board is shown"
    )
    look.add_argument("--home", choices=["right", "left"], help="side of your home board; right")
    look.add_argument(
        "--colour", choices=["auto", "always", "never"], help="of the board; auto: on a terminal"
    )


def _add_web(parser: argparse.ArgumentParser) -> None:
    web = parser.add_argument_group("the page, where --bot, --plies and --seed count, too")
    web.add_argument("--web", action="store_true", help="play in the browser")
    web.add_argument("--host", help=f"the address to listen at; {_USUAL_HOST}: this computer alone")
    web.add_argument("--port", type=int, metavar="N", help=f"0 takes a free one; {_USUAL_PORT}")
    web.add_argument("--no-browser", action="store_true", help="do not open the page")


def _run_web(args: argparse.Namespace) -> int:
    from bgai.interface.warm_up import find_bot
    from bgai.interface.web import check_installed

    check_installed()
    from bgai.interface.web.server import serve

    serve(
        find_bot(args.bot),
        args.host or _USUAL_HOST,
        _USUAL_PORT if args.port is None else args.port,
        plies=args.plies,
        seed=args.seed,
        opens_browser=not args.no_browser,
    )
    return 0


def run(args: argparse.Namespace) -> int:
    from bgai.interface.table import Automatic
    from bgai.interface.terminal.board_text import BoardView
    from bgai.interface.terminal.console import Console, draws_unicode, wants_colour
    from bgai.interface.terminal.session import TerminalSession
    from bgai.interface.texts import load_texts
    from bgai.interface.warm_up import ready_bot

    _check(args)
    if args.web:
        return _run_web(args)
    view = BoardView(
        load_texts(args.language or "en"),
        args.board or ("unicode" if draws_unicode() else "ascii"),
        wants_colour(args.colour or "auto"),
        args.home or "right",
    )
    rules = _rules(args)
    player = ready_bot(args.bot).player(args.plies)
    table = _table(args, rules, player)
    table.automatic = Automatic(
        rolls=not args.ask_roll, only_plays=not args.ask_forced, bear_off=args.bear_off
    )
    TerminalSession(Console(), table, player, view, args.coach, is_kept=True).run()
    return 0


def _check(args: argparse.Namespace) -> None:
    """Refuse what cannot be, and what would have no effect, before anything is loaded.

    Raises:
        ValueError: names the option.
    """
    from bgai.search.ply import check_plies

    if args.seed is not None and args.seed < 0:
        raise ValueError(f"--seed must be at least 0, got {args.seed}")
    check_plies(args.plies)
    check_port(args.port)
    check_match_length(args.match)
    if args.web:
        if args.seed is not None and args.seed > _MOST_PAGE_SEED:
            raise ValueError(
                f"--seed must be at most {_MOST_PAGE_SEED} with --web, got {args.seed}"
            )
        refuse(args, ("--load", *_RULES, *_TABLE, *_LOOK), "with --web: the page asks for it")
        return
    refuse(args, _FOR_THE_PAGE, "without --web")
    if args.load is not None:
        refuse(args, _RULES, "with --load, which goes on by the saved rules")
        of_the_session = ("--two-persons", "--watch", "--seed", "--dice")
        refuse(args, of_the_session, "with --load: the session tells it")
        with open(args.load, "rb"):  # there, before a bot is loaded
            pass
    if args.single:
        others = [name for name in _RULES if name != "--single"]
        refuse(args, others, "with --single, one game without the cube")
    if args.money:
        refuse(args, ["--no-crawford"], "with --money")
    else:
        refuse(args, ("--jacoby", "--beavers", "--automatic-doubles"), "without --money")
    if args.no_cube or args.cap == 1:
        refuse(args, _FOR_A_CUBE, "without a cube")
    if args.watch:
        refuse(args, _CONVENIENCES, "with --watch: nobody is asked")
    if args.dice == "manual":
        refuse(args, ["--seed"], "with --dice manual")
    if args.board == "words":
        refuse(args, ("--home", "--colour"), "with --board words")


def _rules(args: argparse.Namespace) -> Rules:
    from bgai.match import Rules, money_rules
    from bgai.match.cube_state import DEFAULT_CAP

    if args.single:
        return money_rules(games_limit=1, cap=1)
    cap = 1 if args.no_cube else DEFAULT_CAP if args.cap is None else args.cap
    if args.money:
        return money_rules(
            games_limit=args.games_limit,
            jacoby=args.jacoby,
            beavers=args.beavers,
            automatic_doubles=args.automatic_doubles or 0,
            cap=cap,
        )
    return Rules(
        match_length=_USUAL_MATCH if args.match is None else args.match,
        games_limit=args.games_limit,
        crawford=not args.no_crawford,
        cap=cap,
    )


def _table(args: argparse.Namespace, rules: Rules, player: EvaluatorPlayer) -> Table:
    from bgai.interface.loading import gaps_text, load_table
    from bgai.interface.table import Seat, Table
    from bgai.interface.texts import load_texts

    texts = load_texts(args.language or "en")
    if args.load is not None:
        loaded = load_table(Path(args.load), player)
        if gaps := gaps_text(texts, loaded.record):
            print(gaps, flush=True)
        return loaded.table
    bot = Seat(player.name, player)
    you = Seat(texts("board.you"))
    seats = (you, bot)
    if args.watch:
        seats = (Seat(f"{bot.name} 1", player), Seat(f"{bot.name} 2", player))
    elif args.two_persons:
        seats = (Seat(texts("board.person", number=1)), Seat(texts("board.person", number=2)))
    seed = secrets.randbits(32) if args.seed is None else args.seed
    return Table(seats, rules, seed, manual_dice=args.dice == "manual")
