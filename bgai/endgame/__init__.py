"""Endgames: the sides have passed each other; exact where all checkers are home."""

from bgai.endgame.endgames import (
    EXAMPLES,
    ONE_SIDED,
    RACE,
    TWO_SIDED,
    UNKNOWN,
    EndgameEvaluator,
    Endgames,
    build_endgames,
)
from bgai.endgame.one_sided import OneSidedTable, build_one_sided
from bgai.endgame.plays import BearOffPlays, Report, bear_off_plays
from bgai.endgame.positions import (
    bear_off_numbers,
    position_count,
    position_counts,
    position_numbers,
)
from bgai.endgame.storage import default_folder, load_endgames, load_or_build, save_endgames
from bgai.endgame.two_sided import CubeEquities, TwoSidedTable, build_two_sided

__all__ = [
    "EXAMPLES",
    "ONE_SIDED",
    "RACE",
    "TWO_SIDED",
    "UNKNOWN",
    "BearOffPlays",
    "CubeEquities",
    "EndgameEvaluator",
    "Endgames",
    "OneSidedTable",
    "Report",
    "TwoSidedTable",
    "bear_off_numbers",
    "bear_off_plays",
    "build_endgames",
    "build_one_sided",
    "build_two_sided",
    "default_folder",
    "load_endgames",
    "load_or_build",
    "position_count",
    "position_counts",
    "position_numbers",
    "save_endgames",
]
