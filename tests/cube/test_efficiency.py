"""Cube efficiencies by kind of position and owner."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bgai.cube.efficiency import (
    FITTED_KINDS,
    KINDS,
    LAST_CHECKERS,
    LAST_ROLL,
    default_efficiency,
    load_efficiency,
    position_kinds,
)
from bgai.cube.state_rows import pack_states
from bgai.engine import START, legal_afterstates, outcomes, swap
from bgai.engine.dice import ROLLS
from bgai.match.cube_state import CubeState, Owner
from tests.engine.positions import board_of, random_positions

POSITIONS = {
    "contact": START,
    "crashed": board_of({1: 5, 2: 4, 3: 2, 24: 2, 6: 2}, {1: 3, 19: 6, 20: 6}),
    "long race": board_of({12: 7, 6: 8}, {13: 5, 19: 10}),
    "short race": board_of({7: 2, 5: 4, 2: 4}, {19: 4, 22: 6}),
    "bear-off": board_of({6: 2, 4: 2, 2: 3}, {22: 4, 24: 3}),
    "last checkers": board_of({6: 1, 5: 1}, {20: 6, 21: 2}),
    "last roll": board_of({5: 1, 2: 1}, {24: 2}),
}


@pytest.mark.parametrize("kind", POSITIONS)
def test_positions_are_sorted_into_kinds(kind: str) -> None:
    both = np.stack([POSITIONS[kind], swap(POSITIONS[kind])])
    assert [KINDS[code] for code in position_kinds(both)] == [kind, kind]


def test_a_last_roll_is_one_after_which_a_side_surely_ends_the_game() -> None:
    boards, _ = random_positions(np.random.default_rng(5), games=400, plies=20)
    boards = boards[(boards > 0).any(1) & (boards < 0).any(1)]
    last = boards[position_kinds(boards) == LAST_ROLL][:60]
    assert len(last) > 20
    for board in last:
        ends = [
            all((outcomes(_after(side, roll)) >= 0).any() for roll in ROLLS)
            for side in (board, swap(board))
        ]
        assert any(ends), board


def _after(board: Any, roll: Any) -> Any:
    return legal_afterstates(board[None], np.array(roll)[None])[0]


def file_content() -> dict[str, Any]:
    """Other constants for every kind and owner."""
    kinds = {
        kind: {"centred": 0.1 * place, "player": 0.1 * place + 0.01, "opponent": 0.1 * place + 0.02}
        for place, kind in enumerate(FITTED_KINDS, start=1)
    }
    return {"format": 1, "source": "test", "kinds": kinds}


def test_constants_from_a_file_are_used_by_kind_and_owner(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(file_content()))
    efficiency = load_efficiency(path)
    boards = np.stack([POSITIONS[kind] for kind in KINDS])
    for owner, step in ((Owner.CENTRED, 0), (Owner.PLAYER, 0.01), (Owner.OPPONENT, 0.02)):
        value = 1 if owner is Owner.CENTRED else 2
        states = pack_states(CubeState(value=value, owner=owner), len(boards))
        numbers = efficiency(boards, states)
        assert numbers[LAST_ROLL].tolist() == [0, 0]
        places = 0.1 * np.arange(1, 7)
        assert numbers[1:, 0] == pytest.approx(places + step)
        assert numbers[1:, 1] == pytest.approx(places + 0.02)  # the opponent's after a take


def test_the_constants_that_ship_follow_from_the_moments_beside_them() -> None:
    content = json.loads((files("bgai.cube") / "data/efficiency.json").read_text("utf-8"))
    fits = content["fit"]
    assert len(fits) == len(FITTED_KINDS) * len(Owner)
    used = [fit for fit in fits if fit["used"]]
    assert {fit["kind"] for fit in used} == {"bear-off", "short race", "long race"}
    for fit in used:
        dead_squared, dead_live, live_squared = (
            fit[name] for name in ("dead_squared", "dead_live", "live_squared")
        )
        # Cramer's rule on the two normal equations
        above = dead_squared * fit["live_result"] - dead_live * fit["dead_result"]
        slope = above / (dead_squared * live_squared - dead_live**2)
        constant = content["kinds"][fit["kind"]][fit["owner"]]
        assert constant == pytest.approx(slope, abs=1e-3)


def test_the_last_checkers_have_little_cube_and_the_last_roll_none() -> None:
    constants = default_efficiency().constants
    assert (constants[LAST_CHECKERS] < 0.5).all()
    assert (constants[LAST_ROLL] == 0).all()


def test_wrong_constants_are_refused_with_the_file_and_the_value(tmp_path: Path) -> None:
    def refused(content: Any, message: str) -> None:
        path = tmp_path / "wrong.json"
        path.write_text(json.dumps(content))
        with pytest.raises(ValueError, match=rf"wrong\.json: .*{message}"):
            load_efficiency(path)

    refused([], "of format 1")
    refused(file_content() | {"format": 2}, "of format 1")
    refused(file_content() | {"kinds": {"contact": {}}}, "kinds must be last checkers")
    for bad in (1.5, "0.5", None, True, float("nan")):
        content = file_content()
        content["kinds"]["crashed"]["player"] = bad
        refused(content, rf"x must be in \[0, 1\], got {bad!r} for crashed, player")
    content = file_content()
    del content["kinds"]["contact"]["opponent"]
    refused(content, "contact must have x for centred, player, opponent")
