"""`bgai hint`: the plays of a position ranked, or the cube decision where there is no roll."""

from __future__ import annotations

import argparse
import json
import re
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from bgai.engine import Board
    from bgai.engine.xgid import RolledDice
    from bgai.interface.bot import Bot
    from bgai.match import CubeState, MatchState

_Answer: TypeAlias = tuple[list[str], dict[str, Any]]  # as text, and as data

HELP = """
Example:
  bgai hint 4HPwATDgc/ABMA --dice 31
  bgai hint 4HPwATDgc/ABMA --away 3,5

Ranks all plays of a roll by equity: points for the player on roll, cube at 1, no cube used. Without
a roll it evaluates the position and decides the cube: whether the player on roll should double, and
how the opponent should answer. Score and cube come from an XGID, from a GNU match id after the
position id and a colon, or from the options; else it is money with the cube at 1 in the middle. The
six chances are disjoint: a gammon is not also a single win.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "position",
        help="a GNU position id, alone or as POSITION:MATCH, or an XGID; their dice are used",
    )
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
    cube = parser.add_argument_group("score and cube, for a bare position without a roll")
    cube.add_argument("--cube", type=int, metavar="N", help="what the cube shows")
    cube.add_argument("--owner", choices=("player", "opponent", "centred"), help="who may turn it")
    cube.add_argument(
        "--away", metavar="N,N", help="points that the player on roll and the opponent still need"
    )
    cube.add_argument("--crawford", action="store_true", help="it is the Crawford game")
    cube.add_argument("--jacoby", action="store_true", help="gammons need a turned cube (money)")
    cube.add_argument("--beavers", action="store_true", help="beavers are allowed (money)")


def run(args: argparse.Namespace) -> int:
    from bgai.engine import outcomes
    from bgai.engine.gnu_id import position_id
    from bgai.engine.outcomes import UNFINISHED
    from bgai.interface.terminal.entry import parse_roll

    if args.top is not None and args.top < 1:
        raise ValueError(f"--top must be at least 1, got {args.top}")
    board, dice = _position_and_dice(args.position)
    if args.dice is not None:
        dice = parse_roll(args.dice)
    if int(outcomes(board)) != UNFINISHED:
        raise ValueError(f"the game is over in {args.position!r}: nothing is left to decide")
    options = _cube_options(args)
    if dice is not None and options:
        raise ValueError(f"{' '.join(options)} is for a decision before the roll, got {dice}")
    if dice is None:
        state = _state(args, options)
        bot = _bot(args)
        lines, found = _cube(args, bot, board, state)
    else:
        bot = _bot(args)
        lines, found = _plays(args, bot, board, dice)
    result = {"position_id": position_id(board), "bot": bot.name, "plies": args.plies, **found}
    print(json.dumps(result) if args.json else "\n".join(lines))
    return 0


def _bot(args: argparse.Namespace) -> Bot:
    from bgai.interface.bot import default_bot, load_bot

    return default_bot() if args.bot is None else load_bot(args.bot)


def _plays(args: argparse.Namespace, bot: Bot, board: Board, dice: RolledDice) -> _Answer:
    from bgai.interface import hints
    from bgai.interface.warm_up import warm_up
    from bgai.search.ply import PlyEvaluator

    evaluator = PlyEvaluator(bot, args.plies)
    warm_up()
    ranked = hints.rank_plays(evaluator, board, dice)[: args.top]
    found = {"dice": list(dice), "plays": [item.as_json() for item in ranked]}
    return hints.ranking_lines(ranked), found


def _cube(
    args: argparse.Namespace, bot: Bot, board: Board, state: CubeState | MatchState
) -> _Answer:
    import numpy as np

    from bgai.engine import equity
    from bgai.interface import hints
    from bgai.interface.warm_up import announced_compilation

    with announced_compilation():
        decision = bot.cube(board, state, args.plies)
    probs = np.array(decision.probs)
    found = {
        "equity": round(float(equity(probs)), 6),
        "probs": hints.probs_as_json(probs),
        "cube": hints.cube_as_json(decision),
    }
    return [*hints.evaluation_lines(probs), "", *hints.cube_lines(decision)], found


def _has_match_id(text: str) -> bool:
    return re.fullmatch(r"[A-Za-z0-9+/]{14}:\S*", text.strip()) is not None


def _position_and_dice(text: str) -> tuple[Board, RolledDice | None]:
    from bgai.engine.xgid import parse_position
    from bgai.match import parse_match_id

    board, dice = parse_position(text)
    if _has_match_id(text):
        match_id = parse_match_id(text.strip().partition(":")[2])
        if match_id.first_die:
            dice = match_id.first_die, match_id.second_die
    return board, dice


def _cube_options(args: argparse.Namespace) -> list[str]:
    """The options for score and cube that were given, as typed."""
    valued = {"--cube": args.cube, "--owner": args.owner, "--away": args.away}
    flags = {"--crawford": args.crawford, "--jacoby": args.jacoby, "--beavers": args.beavers}
    given = [f"{name} {value}" for name, value in valued.items() if value is not None]
    return given + [name for name, is_given in flags.items() if is_given]


def _state(args: argparse.Namespace, options: list[str]) -> CubeState | MatchState:
    """Score and cube from the position's text, or from the options."""
    from bgai.match import CubeState, Owner, state_from_gnu_id, state_from_xgid

    if ":" not in args.position:
        return CubeState(
            value=1 if args.cube is None else args.cube,
            owner=Owner(args.owner or "centred"),
            away=None if args.away is None else _away(args.away),
            is_crawford=args.crawford,
            jacoby=args.jacoby,
            beavers=args.beavers,
        )
    if options:
        raise ValueError(f"{args.position!r} tells score and cube, got {' '.join(options)} too")
    if _has_match_id(args.position):
        return state_from_gnu_id(args.position)
    return state_from_xgid(args.position)


def _away(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"\s*([0-9]{1,5})\s*,\s*([0-9]{1,5})\s*", text)
    if found is None:
        raise ValueError(f"--away must be two numbers such as 3,5, got {text!r}")
    return int(found[1]), int(found[2])
