"""`bgai hint`: the plays of a position ranked, or the cube decision where there is no roll."""

from __future__ import annotations

import argparse
import json
import re
from typing import TYPE_CHECKING, Any, TypeAlias

from bgai.interface.commands.options import given, refuse

if TYPE_CHECKING:
    from bgai.engine import Board
    from bgai.engine.xgid import RolledDice
    from bgai.interface.bot import Bot
    from bgai.match import CubeState, MatchState

_Answer: TypeAlias = tuple[list[str], dict[str, Any]]  # as text, and as data

HELP = """
Example:
  bgai hint 4HPwATDgc/ABMA --dice 31
  bgai hint 4HPwATDgc/ABMA --dice 31 --away 3,5
  bgai hint 4HPwATDgc/ABMA --away 3,5

Ranks all plays of a roll. Without a roll it evaluates the position and decides the cube: whether
the player on roll should double, and how the opponent should answer. Score and cube come from an
XGID, from a GNU match id after the position id and a colon, or from the options. Plays are then
ranked as the bot itself plays, by cubeful equity: points per current cube, in a match so scaled
that winning and losing the present stake are +1 and -1. Where nothing tells score and cube, plays
are ranked by cubeless equity, points for money with the cube at 1 and no cube used, and the cube
decision is for money with the cube at 1 in the middle. JSON has both equities. The six chances are
disjoint: a gammon is not also a single win.
"""


_STATE_OPTIONS = ("--cube", "--owner", "--away", "--crawford", "--jacoby", "--beavers")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "position",
        help="a GNU position id, alone or as POSITION:MATCH, or an XGID; their dice are used",
    )
    parser.add_argument("--dice", metavar="D", help="the roll, such as 31, instead of the id's")
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
    cube = parser.add_argument_group("score and cube, for a position id alone")
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
    from bgai.interface.position import Position
    from bgai.interface.terminal.entry import parse_roll
    from bgai.interface.warm_up import ready_bot
    from bgai.search.ply import check_plies

    if args.top is not None and args.top < 1:
        raise ValueError(f"--top must be at least 1, got {args.top}")
    check_plies(args.plies)
    asked = Position.from_id(args.position)
    board, dice = asked.board, asked.dice
    if args.dice is not None:
        dice = parse_roll(args.dice)
    if int(outcomes(board)) != UNFINISHED:
        raise ValueError(f"the game is over in {args.position!r}: nothing is left to decide")
    state = _state(args, asked.state)
    if dice is None:
        refuse(args, ["--top"], "without a roll")
        bot = ready_bot(args.bot)
        lines, found = _cube(args, bot, board, state)
    else:
        cube = _cube_when_rolled(state, dice)
        bot = ready_bot(args.bot)
        lines, found = _plays(args, bot, board, dice, cube)
    result = {"position_id": position_id(board), "bot": bot.name, "plies": args.plies, **found}
    print(json.dumps(result) if args.json else "\n".join(lines))
    return 0


def _plays(
    args: argparse.Namespace, bot: Bot, board: Board, dice: RolledDice, cube: CubeState | None
) -> _Answer:
    from bgai.interface import hints

    ranked = hints.rank_plays(bot.player(args.plies), board, dice, cube)[: args.top]
    found = {
        "dice": list(dice),
        "state": None if cube is None else hints.cube_state_as_json(cube),
        "plays": [item.as_json() for item in ranked],
    }
    told = "cubeless equity (points for money, cube at 1)"
    if cube is not None:
        told = f"{hints.cube_state_text(cube)}\ncubeful equity (in points per cube)"
    return [*told.split("\n"), *hints.ranking_lines(ranked)], found


def _cube_when_rolled(state: CubeState | MatchState | None, dice: RolledDice) -> CubeState | None:
    """Score and cube of a player who has rolled.

    Raises:
        ValueError: something else is to be decided than a play.
    """
    from bgai.match import Decision, MatchState

    if not isinstance(state, MatchState):
        return state
    if state.decision not in (Decision.OPENING, Decision.ROLL, Decision.PLAY):
        raise ValueError(f"the decision is {state.decision.value}, so no roll is played: {dice}")
    return state.cube_state()


def _cube(
    args: argparse.Namespace, bot: Bot, board: Board, state: CubeState | MatchState | None
) -> _Answer:
    import numpy as np

    from bgai.engine import equity
    from bgai.interface import hints
    from bgai.match import CubeState

    decision = bot.cube(board, state or CubeState(), args.plies)
    probs = np.array(decision.probs)
    found = {
        "equity": round(float(equity(probs)), 6),
        "probs": hints.probs_as_json(probs),
        "cube": hints.cube_as_json(decision),
    }
    return [*hints.evaluation_lines(probs), "", *hints.cube_lines(decision)], found


def _state(args: argparse.Namespace, read: MatchState | None) -> CubeState | MatchState | None:
    """Score and cube from the position's text, or from the options; None if neither tells them."""
    from bgai.match import CubeState, Owner

    options = given(args, _STATE_OPTIONS)
    if read is not None:
        if options:
            raise ValueError(f"{args.position!r} tells score and cube, got {' '.join(options)} too")
        return read
    if not options:
        return None
    return CubeState(
        value=1 if args.cube is None else args.cube,
        owner=Owner(args.owner or "centred"),
        away=None if args.away is None else _away(args.away),
        is_crawford=args.crawford,
        jacoby=args.jacoby,
        beavers=args.beavers,
    )


def _away(text: str) -> tuple[int, int]:
    from bgai.cube.match_equity import LONGEST_MATCH

    found = re.fullmatch(r"\s*([0-9]+)\s*,\s*([0-9]+)\s*", text)
    away = (int(found[1]), int(found[2])) if found else (0, 0)
    if not all(1 <= points <= LONGEST_MATCH for points in away):
        raise ValueError(f"--away must be two numbers 1..{LONGEST_MATCH} such as 3,5, got {text!r}")
    return away
