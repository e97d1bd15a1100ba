"""Choosing with any evaluator: plays now; deeper search and rollouts stand on the same calls."""

from bgai.search.evaluator import Evaluator
from bgai.search.player import EvaluatorPlayer, Player
from bgai.search.select import Scout, best_afterstates, choose_plays, shortlist

__all__ = [
    "Evaluator",
    "EvaluatorPlayer",
    "Player",
    "Scout",
    "best_afterstates",
    "choose_plays",
    "shortlist",
]
