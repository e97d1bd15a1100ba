"""From six outcome probabilities to cubeful equities and decisions, at money and in a match."""

from bgai.cube.decision import (
    Action,
    CubeDecision,
    CubeDecisions,
    CubeModel,
    Response,
    decide,
    decide_batch,
)
from bgai.cube.efficiency import CubeEfficiency, default_efficiency, load_efficiency
from bgai.cube.match_cube import gammon_prices, match_equities, match_points
from bgai.cube.match_equity import MatchEquityTable, extended, kazaross_xg2, load_table
from bgai.cube.money import Equities, money_equities, money_points
from bgai.cube.own_table import table_from_rates
from bgai.cube.pip_cube import pip_cube
from bgai.cube.state_rows import StateRows, pack_states, swap_states, unpack_state

__all__ = [
    "Action",
    "CubeDecision",
    "CubeDecisions",
    "CubeEfficiency",
    "CubeModel",
    "Equities",
    "MatchEquityTable",
    "Response",
    "StateRows",
    "decide",
    "decide_batch",
    "default_efficiency",
    "extended",
    "gammon_prices",
    "kazaross_xg2",
    "load_efficiency",
    "load_table",
    "match_equities",
    "match_points",
    "money_equities",
    "money_points",
    "pack_states",
    "pip_cube",
    "swap_states",
    "table_from_rates",
    "unpack_state",
]
