"""`bgai serve`: a bot that other programs play against and ask."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import TYPE_CHECKING

from bgai.interface.commands.options import check_port, refuse

if TYPE_CHECKING:
    from bgai.interface.protocols.engine import Engine

HELP = """
Example:
  bgai serve gnubg --port 4321
  bgai serve ubgi
  bgai serve http

gnubg: listens for GNU Backgammon, where `set player 0 external localhost:4321` then lets the bot
play; and for programs written for gnubg's own `external` command. Several may connect at once.
Only this machine may connect unless --host says otherwise. No line tells the options of a money
session: gnubg's own, Jacoby and three beavers, are taken to be on.
When the bot has taken a beaver, gnubg itself stops: type `play` there.

ubgi: speaks UBGI on standard input and output, for programs that start engines.

http: answers questions in JSON, wildbg's calls among them; /docs on the server explains them. The
page of `bgai play --web` is there, too.
"""

_USUAL_HOST, _USUAL_BEAVERS = "127.0.0.1", 3
_PORTS = {"gnubg": 4321, "http": 8642}
_OPTIONS = {
    "gnubg": ("--host", "--port", "--no-jacoby", "--beavers"),
    "ubgi": (),
    "http": ("--host", "--port", "--workers"),
}
"""What some protocols have and others not."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("protocol", choices=["gnubg", "ubgi", "http"])
    parser.add_argument("--bot", metavar="BOT", help="folder, zip, or name of a bot that ships")
    parser.add_argument(
        "--plies",
        type=int,
        default=0,
        metavar="N",
        help="turns to look ahead; 0 is the net alone, which XG and UBGI call 1-ply",
    )
    listening = parser.add_argument_group("gnubg and http")
    listening.add_argument("--host", help=f"the address to listen at ({_USUAL_HOST})")
    listening.add_argument(
        "--port", type=int, metavar="N", help="0 takes a free one (gnubg 4321, http 8642)"
    )
    workers = parser.add_argument_group("http")
    workers.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="processes that answer (1); more than one serve the API without the page",
    )
    money = parser.add_argument_group("gnubg")
    money.add_argument("--no-jacoby", action="store_true", help="money without the Jacoby rule")
    money.add_argument(
        "--beavers",
        type=int,
        metavar="N",
        help=f"beavers and raccoons that money allows, as gnubg's `set beavers` ({_USUAL_BEAVERS})",
    )


def run(args: argparse.Namespace) -> int:
    from bgai.search.ply import check_plies

    every = dict.fromkeys(name for names in _OPTIONS.values() for name in names)
    others = [name for name in every if name not in _OPTIONS[args.protocol]]
    refuse(args, others, f"with {args.protocol}")
    check_plies(args.plies)
    check_port(args.port)
    args.host = args.host or _USUAL_HOST
    if args.port is None:
        args.port = _PORTS.get(args.protocol)
    if args.protocol == "http":
        return _serve_http(args)
    return _serve_ubgi(_engine(args)) if args.protocol == "ubgi" else _serve_gnubg(args)


def _engine(args: argparse.Namespace) -> Engine:
    from bgai.interface.protocols.engine import Engine
    from bgai.interface.warm_up import find_bot

    bot = find_bot(args.bot)
    return Engine(bot.name, bot, args.plies, bot.cube_model)


def _serve_http(args: argparse.Namespace) -> int:
    from bgai.interface.bot import default_bot, load_bot
    from bgai.interface.warm_up import find_bot
    from bgai.interface.web import check_installed

    if args.workers is not None and args.workers < 1:
        raise ValueError(f"--workers must be at least 1, got {args.workers}")
    if args.workers not in (None, 1) and args.plies:
        raise ValueError(f"--plies {args.plies} is for the page, which one worker serves")
    check_installed()
    from bgai.interface.web.server import serve, serve_api

    if args.workers in (None, 1):
        serve(find_bot(args.bot), args.host, args.port, plies=args.plies)
    else:
        load = default_bot if args.bot is None else partial(load_bot, args.bot)
        serve_api(load, args.host, args.port, workers=args.workers)
    return 0


def _serve_ubgi(engine: Engine) -> int:
    import bgai
    from bgai.interface.protocols.ubgi import Ubgi, serve_streams

    serve_streams(Ubgi(engine, bgai.__version__), sys.stdin, sys.stdout)
    return 0


def _serve_gnubg(args: argparse.Namespace) -> int:
    from bgai.interface.protocols.gnubg_external import GnubgConversation, MoneyRules
    from bgai.interface.protocols.line_server import LineServer
    from bgai.interface.warm_up import announced_compilation

    beavers = _USUAL_BEAVERS if args.beavers is None else args.beavers
    rules = MoneyRules(jacoby=not args.no_jacoby, beavers=beavers)
    engine = _engine(args)
    with LineServer(args.host, args.port, lambda: GnubgConversation(engine, rules)) as server:
        with announced_compilation():
            engine.rehearse()
        host, port = server.server_address[:2]
        where = f"{host!s}:{port}"
        print(
            f"{engine.name} listens at {where}; in gnubg: set player 0 external {where}",
            file=sys.stderr,
            flush=True,
        )
        server.serve_forever()
    return 0
