"""Backgammon that teaches itself.

The folders, innermost first (each imports only earlier ones):

engine      the rules, on batches of boards: afterstates, dice, outcomes, notation
match       money sessions and matches: score, cube, what may be done now
cube        probabilities -> cubeful equities and cube decisions
endgame     races: exact tables of bear-offs, with and without the cube, and a net for the rest
search      chooses with any evaluator: plays, n-ply
model       boards -> probabilities: encodings, the value net, checkpoints, ONNX export
training    self-play and the trainer
evaluation  players against each other, opponents
interface   the command line, the terminal game, exported bots

For Python users:

    bot = bgai.load_bot("checkpoints/NAME")          # a folder, a zip, or a shipped bot's name
    bot.evaluate(boards)                             # int8 [N, 26] -> float32 [N, 6]
    bot.best_afterstates(boards, dice, plies=0)      # int8 [N, 26], as the next player sees them
    bot.cube(board, bgai.match.CubeState())          # ND, DT, DP, and what to do with the cube
    bgai.Position.from_id("4HPwATDgc/ABMA")          # a notebook shows it as a drawing
    bgai.analyse_match("match.mat")                  # errors, PR and luck of both sides
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bgai.interface.bot import Bot as Bot
    from bgai.interface.bot import load_bot as load_bot
    from bgai.interface.match_report import MatchReport as MatchReport
    from bgai.interface.match_report import analyse_match as analyse_match
    from bgai.interface.position import Position as Position

    __version__: str


def __getattr__(name: str) -> object:
    """Load what this page offers on first use: importing a part of bgai stays quick."""
    if name in ("Bot", "load_bot"):
        from bgai.interface import bot

        return getattr(bot, name)
    if name in ("MatchReport", "analyse_match"):
        from bgai.interface import match_report

        return getattr(match_report, name)
    if name == "Position":
        from bgai.interface.position import Position

        return Position
    if name == "__version__":
        from importlib.metadata import version

        return version("bgai")
    raise AttributeError(f"module 'bgai' has no attribute {name!r}")
