"""Valued cube decisions: the file format, and what a choice costs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bgai.cube import StateRows, pip_cube, unpack_state
from bgai.engine import START, Boards
from bgai.evaluation.cube_set import (
    CubeChoices,
    CubeMaker,
    CubeSet,
    evaluate_cube_set,
    read_cube_set,
)
from bgai.match.cube_state import CubeState, Owner
from tests.engine.positions import board_of

PROBS = [0.7, 0.2, 0.01, 0.1, 0.005]
# the race is 73 pips against 90: a double and a pass by the 8-9-12 rule
RACE = board_of({6: 8, 5: 5}, {19: 15})

# the start position with the opponent's last two checkers on the bar
ON_BAR = [2, 0, *START.tolist()[2:]]

MONEY = {
    "board": ON_BAR,
    "cube": 1,
    "owner": "centered",
    "nd": 0.6,
    "dt": 0.5,
    "dp": 1.0,
    "probs": PROBS,
}
MATCH = {
    "board": RACE.tolist(),
    "cube": 2,
    "owner": "player",
    "away1": 5,
    "away2": 3,
    "is_crawford": False,
    "nd": 0.8,
    "dt": 1.2,
    "dp": 1.0,
    "probs": PROBS,
}
DEAD = MATCH | {"away1": 2, "nd": 0.3, "dt": -1.0}


def written(path: Path, lines: list[Any]) -> Path:
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n")
    return path


@pytest.fixture
def small_set(tmp_path: Path) -> CubeSet:
    return read_cube_set(written(tmp_path / "small.jsonl", [MONEY, MATCH, DEAD]))


def fixed(doubles: list[bool], takes: list[bool]) -> CubeMaker:
    def decide(boards: Boards, states: StateRows) -> CubeChoices:
        return np.array(doubles), np.array(takes)

    return decide


def test_boards_become_ours_with_the_opponents_bar_negative(small_set: CubeSet) -> None:
    assert small_set.boards[0].tolist() == [-2, *ON_BAR[1:]]
    assert small_set.boards[1].tolist() == RACE.tolist()


def test_cubes_and_scores_become_states(small_set: CubeSet) -> None:
    assert [unpack_state(row) for row in small_set.states] == [
        CubeState(),
        CubeState(value=2, owner=Owner.PLAYER, away=(5, 3)),
        CubeState(value=2, owner=Owner.PLAYER, away=(2, 3)),
    ]


def test_cumulative_chances_become_six_probabilities(small_set: CubeSet) -> None:
    assert small_set.probs[0] == pytest.approx([0.5, 0.19, 0.01, 0.2, 0.095, 0.005])


def test_the_right_choices_cost_nothing(small_set: CubeSet) -> None:
    decide = fixed([False, True, False], [True, False, True])
    result = evaluate_cube_set("right", decide, small_set)
    for question in (result.double, result.take):
        assert (question.decisions, question.error_mp, question.right_share) == (3, 0, 1)
    assert result.worst == ()


def test_errors_are_those_of_both_branches(small_set: CubeSet) -> None:
    decide = fixed([True, False, True], [False, True, False])
    result = evaluate_cube_set("wrong", decide, small_set)
    double, take = np.array([100, 200, 1300]), np.array([500, 200, 2000])
    assert result.double.error_mp == pytest.approx(double.mean())
    assert result.double.standard_error_mp == pytest.approx(double.std(ddof=1) / 3**0.5)
    assert result.take.error_mp == pytest.approx(take.mean())
    assert result.double.right_share == 0
    assert [(one.question, one.chosen, round(one.error_mp)) for one in result.worst] == [
        ("take", "pass", 2000),
        ("double", "double", 1300),
        ("take", "pass", 500),
        ("double", "no double", 200),
        ("take", "take", 200),
        ("double", "double", 100),
    ]
    assert result.worst[0].state.away == (2, 3)
    assert len(evaluate_cube_set("wrong", decide, small_set, worst=2).worst) == 2


def test_the_parts_of_a_set(small_set: CubeSet) -> None:
    result = evaluate_cube_set("x", fixed([True] * 3, [True] * 3), small_set)
    counts = {name: double.decisions for name, (double, _) in result.parts.items()}
    assert counts == {"money": 1, "match": 2, "contact": 1, "bear-off": 2}
    assert result.parts["money"][0].error_mp == pytest.approx(100)


def test_the_8_9_12_rule_is_scored_like_any_other(small_set: CubeSet) -> None:
    result = evaluate_cube_set("pips", pip_cube, small_set)
    assert result.parts["match"][0].error_mp == 0  # the double, and no double with a dead cube
    assert result.parts["match"][1].error_mp == pytest.approx(1000)  # passes in both


def test_an_answer_for_each_decision_is_needed(small_set: CubeSet) -> None:
    with pytest.raises(ValueError, match=r"expected 3 booleans, got bool of \(2,\)"):
        evaluate_cube_set("short", fixed([True] * 2, [True] * 3), small_set)
    with pytest.raises(ValueError, match="got int64"):
        evaluate_cube_set("numbers", fixed([1, 0, 1], [True] * 3), small_set)  # type: ignore[list-item]


def test_a_result_is_plain_json(small_set: CubeSet) -> None:
    result = evaluate_cube_set("pips", pip_cube, small_set).to_json()
    assert json.loads(json.dumps(result)) == result
    assert result["double"]["decisions"] == 3


def test_empty_lines_and_other_keys_are_left_aside(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(f"{json.dumps(MONEY | {'note': 1})}\n\n  \n{json.dumps(MATCH)}\n")
    assert len(read_cube_set(path).boards) == 2


WRONG_LINES: dict[str, tuple[Any, str]] = {
    "not JSON": ("{", "damaged, or no JSON"),
    "not an object": ([1], r"expected an object with board, got \[1\]"),
    "no owner": ({"board": ON_BAR}, "owner is missing"),
    "a huge number": (MONEY | {"board": [10**30] * 26}, "from -15 to 15"),
    "a huge chance": (MONEY | {"probs": [10**400, 0, 0, 0, 0]}, "probs must be nested chances"),
    "a finished game": (MONEY | {"board": [0, 5, *([0] * 24)]}, "the game is over"),
    "another owner": (MONEY | {"owner": "opponent"}, "must be centered or player, got 'opponent'"),
    "an owner's list": (MONEY | {"owner": ["player"]}, r"got \['player'\]"),
    "a cube of 3": (MONEY | {"cube": 3}, "power of two .*, got 3"),
    "a cube of text": (MONEY | {"cube": "2"}, "cube must be an integer, got '2'"),
    "an owned cube at 1": (MONEY | {"owner": "player"}, "a cube at 1 is in the middle"),
    "half a score": (MONEY | {"away1": 3, "is_crawford": False}, "away2 is missing"),
    "no Crawford": (MONEY | {"away1": 3, "away2": 3}, "is_crawford is missing"),
    "Crawford of text": (MATCH | {"is_crawford": "no"}, "true or false, got 'no'"),
    "0 away": (MATCH | {"away1": 0}, r"got \(0, 3\)"),
    "a turned cube at Crawford": (MATCH | {"away1": 1, "is_crawford": True}, "got 2"),
    "no equity": (MONEY | {"dt": None}, "dt must be a number from -100 to 100, got None"),
    "a huge equity": (MONEY | {"nd": 1e9}, "nd must be a number .*, got 1000000000.0"),
    "four chances": (MONEY | {"probs": PROBS[:4]}, "probs must be a list of 5 numbers"),
    "NaN": (MONEY | {"probs": [float("nan")] * 5}, "nested chances in .*nan"),
    "not nested": (MONEY | {"probs": [0.2, 0.5, 0, 0, 0]}, r"nested chances .*0\.5"),
}


@pytest.mark.parametrize("wrong", WRONG_LINES.values(), ids=WRONG_LINES.keys())
def test_a_malformed_line_is_named_with_its_file_number_and_value(
    tmp_path: Path, wrong: tuple[Any, str]
) -> None:
    entry, message = wrong
    text = entry if isinstance(entry, str) else json.dumps(entry)
    path = tmp_path / "wrong.jsonl"
    path.write_text(f"{json.dumps(MONEY)}\n{text}\n")
    with pytest.raises(ValueError, match=rf"wrong\.jsonl, line 2: .*{message}"):
        read_cube_set(path)


def test_files_without_decisions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least 2 decisions, got 0"):
        read_cube_set(written(tmp_path / "empty.jsonl", []))
    path = tmp_path / "binary.jsonl"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"binary\.jsonl, line 1"):
        read_cube_set(path)
