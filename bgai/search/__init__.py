"""Choosing with any evaluator: plays and the cube; deeper search stands on the same calls."""

from bgai.search.decide import Choice, decide, follow
from bgai.search.evaluator import Evaluator
from bgai.search.player import EvaluatorPlayer, MatchPlayer, PipCubePlayer, Player
from bgai.search.select import (
    PLAY_MARGIN,
    Panel,
    Scout,
    best_afterstates,
    choose_plays,
    shortlist,
)

__all__ = [
    "Choice",
    "Evaluator",
    "EvaluatorPlayer",
    "MatchPlayer",
    "PLAY_MARGIN",
    "Panel",
    "PipCubePlayer",
    "Player",
    "Scout",
    "best_afterstates",
    "choose_plays",
    "decide",
    "follow",
    "shortlist",
]
