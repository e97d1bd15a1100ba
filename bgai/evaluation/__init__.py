"""Measuring players: against each other with the same dice, and on positions already judged."""

from bgai.evaluation.arena import ArenaResult, play_match
from bgai.evaluation.benchmark_set import (
    CheckerResult,
    CheckerSet,
    evaluate_checker_set,
    read_checker_set,
)
from bgai.evaluation.cube_set import (
    CubeChoices,
    CubeMaker,
    CubeMistake,
    CubeResult,
    CubeSet,
    QuestionResult,
    evaluate_cube_set,
    read_cube_set,
)
from bgai.evaluation.sessions import CubeStatistics, SessionsResult, play_sessions

__all__ = [
    "ArenaResult",
    "CheckerResult",
    "CheckerSet",
    "CubeChoices",
    "CubeMaker",
    "CubeMistake",
    "CubeResult",
    "CubeSet",
    "CubeStatistics",
    "QuestionResult",
    "SessionsResult",
    "evaluate_checker_set",
    "evaluate_cube_set",
    "play_match",
    "play_sessions",
    "read_checker_set",
    "read_cube_set",
]
