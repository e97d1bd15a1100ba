"""Measuring players: against each other with the same dice, and on positions already judged."""

from bgai.evaluation.arena import ArenaResult, play_match
from bgai.evaluation.benchmark_set import (
    CheckerResult,
    CheckerSet,
    evaluate_checker_set,
    read_checker_set,
)

__all__ = [
    "ArenaResult",
    "CheckerResult",
    "CheckerSet",
    "evaluate_checker_set",
    "play_match",
    "read_checker_set",
]
