"""Valued decisions: the file format, and what a choice costs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bgai.engine import START, Board, Boards, Dice
from bgai.engine.move_text import parse_play
from bgai.evaluation import CheckerSet, evaluate_checker_set, read_checker_set
from bgai.evaluation.benchmark_set import KINDS, position_kinds
from bgai.evaluation.opponents import PubevalPlayer
from tests.engine.positions import board_of

# the opponent has a checker on the bar, the mover enters or hits
ON_BAR = board_of({25: 1, 13: 5, 8: 3, 6: 6}, {0: 1, 12: 5, 17: 3, 19: 4, 23: 1, 1: 1})
RACE = board_of({7: 2, 6: 5, 5: 4, 3: 4}, {19: 8, 20: 7})
BEAR_OFF = board_of({6: 2, 4: 2, 2: 3}, {22: 4, 24: 3})


def file_board(board: Board) -> list[int]:
    """The file's way of writing a board: the opponent's bar as a positive count."""
    values = [int(value) for value in board]
    return [-values[0], *values[1:]]


def line(board: Board, dice: tuple[int, int], plays: dict[str, float]) -> dict[str, Any]:
    """A decision, from the texts of its plays and their equities."""
    cands = [
        {"board": file_board(-parse_play(board, dice, text).after[::-1]), "eq": equity}
        for text, equity in plays.items()
    ]
    return {"board": file_board(board), "dice": list(dice), "cands": cands}


OPENING = line(START, (3, 1), {"8/5 6/5": 0.16, "13/10 24/23": -0.01, "13/10 6/5": -0.04})
ENTERING = line(ON_BAR, (5, 2), {"bar/23* 13/8": 0.5, "bar/20 13/11": 0.4})
BEARING_OFF = line(BEAR_OFF, (4, 2), {"4/off 2/off": 0.9, "6/2 4/2": 0.3, "6/4 4/off": 0.5})


class Scripted:
    """Plays one text for each decision."""

    name = "scripted"

    def __init__(self, *texts: str) -> None:
        self._texts = texts

    def choose(self, boards: Boards, dice: Dice) -> Boards:
        rows = zip(boards, dice, self._texts, strict=True)
        return np.stack([parse_play(board, roll, text).after for board, roll, text in rows])


def written(path: Path, lines: list[Any]) -> Path:
    path.write_text("\n".join(json.dumps(entry) for entry in lines) + "\n")
    return path


@pytest.fixture
def small_set(tmp_path: Path) -> CheckerSet:
    return read_checker_set(written(tmp_path / "small.jsonl", [OPENING, ENTERING, BEARING_OFF]))


def test_boards_become_ours_with_the_opponents_bar_negative(small_set: CheckerSet) -> None:
    assert small_set.boards.tolist() == [START.tolist(), ON_BAR.tolist(), BEAR_OFF.tolist()]
    assert small_set.dice.tolist() == [[3, 1], [5, 2], [4, 2]]
    assert small_set.offsets.tolist() == [0, 3, 5, 8]


def test_listed_plays_become_afterstates_of_the_next_player(small_set: CheckerSet) -> None:
    assert small_set.after[0].tolist() == parse_play(START, (3, 1), "8/5 6/5").after.tolist()
    assert small_set.after[3].tolist() == (
        parse_play(ON_BAR, (5, 2), "bar/23* 13/8").after.tolist()
    )
    assert small_set.after[3][25] == 2  # hit, so the next player enters two


def test_the_error_is_the_best_equity_minus_that_of_the_choice(small_set: CheckerSet) -> None:
    player = Scripted("13/10 6/5", "bar/23* 13/8", "6/4 4/off")
    result = evaluate_checker_set(player, small_set)
    errors = np.array([200, 0, 400])
    assert result.error_mp == pytest.approx(200)
    assert result.standard_error_mp == pytest.approx(errors.std(ddof=1) / np.sqrt(3))
    assert result.pr == pytest.approx(100)  # 500 x 0.2 points
    assert result.best_share == pytest.approx(1 / 3)
    assert result.unlisted_share == 0


def test_a_choice_that_is_not_listed_is_charged_the_worst_listed_play(
    small_set: CheckerSet,
) -> None:
    player = Scripted("24/20", "bar/20 8/6", "4/off 2/off")
    result = evaluate_checker_set(player, small_set)
    assert result.error_mp == pytest.approx((200 + 100 + 0) / 3)
    assert result.unlisted_share == pytest.approx(2 / 3)


def test_the_best_choices_cost_nothing_and_none_of_them_is_listed_as_worst(
    small_set: CheckerSet,
) -> None:
    player = Scripted("8/5 6/5", "bar/23* 13/8", "4/off 2/off")
    result = evaluate_checker_set(player, small_set)
    assert (result.error_mp, result.pr, result.best_share) == (0, 0, 1)
    assert result.worst == ()


def test_the_dearest_decisions_come_first_with_their_plays(small_set: CheckerSet) -> None:
    player = Scripted("13/10 6/5", "bar/20 8/6", "6/2 4/2")
    worst = evaluate_checker_set(player, small_set, worst=2).worst
    assert [decision.error_mp for decision in worst] == pytest.approx([600, 200])
    assert (worst[0].chosen, worst[0].best) == ("6/2 4/2", "4/off 2/off")
    assert worst[0].board.tolist() == BEAR_OFF.tolist()
    assert worst[1].position_id == "4HPwATDgc/ABMA"


def test_the_order_of_the_listed_plays_does_not_matter(tmp_path: Path) -> None:
    turned = [entry | {"cands": entry["cands"][::-1]} for entry in (OPENING, BEARING_OFF)]
    straight = read_checker_set(written(tmp_path / "a.jsonl", [OPENING, BEARING_OFF]))
    backwards = read_checker_set(written(tmp_path / "b.jsonl", turned))
    player = Scripted("13/10 24/23", "6/2 4/2")
    results = [evaluate_checker_set(player, some_set) for some_set in (straight, backwards)]
    assert results[0].error_mp == results[1].error_mp == pytest.approx((170 + 600) / 2)
    assert results[1].worst[0].best == "4/off 2/off"


def test_positions_are_sorted_into_kinds() -> None:
    boards = np.stack([START, ON_BAR, RACE, BEAR_OFF])
    assert [KINDS[kind] for kind in position_kinds(boards)] == [
        "contact",
        "bar",
        "race",
        "bear-off",
    ]


def test_the_kinds_of_a_set_add_up(small_set: CheckerSet) -> None:
    result = evaluate_checker_set(Scripted("13/10 6/5", "bar/23* 13/8", "6/4 4/off"), small_set)
    assert [(kind.kind, kind.decisions) for kind in result.kinds] == [
        ("contact", 1),
        ("bar", 1),
        ("bear-off", 1),
    ]
    assert [kind.error_mp for kind in result.kinds] == pytest.approx([200, 0, 400])


def test_a_result_is_plain_json(small_set: CheckerSet) -> None:
    result = evaluate_checker_set(PubevalPlayer(), small_set).to_json()
    assert json.loads(json.dumps(result)) == result
    assert result["decisions"] == 3


def test_empty_lines_and_other_keys_are_left_aside(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(f"{json.dumps(OPENING | {'note': 1})}\n\n  \n{json.dumps(BEARING_OFF)}\n")
    assert len(read_checker_set(path).boards) == 2


WRONG_LINES = {
    "not JSON": ("{", "damaged, or no JSON"),
    "not an object": ([1], r"expected an object with board, got \[1\]"),
    "no board": ({"dice": [3, 1]}, "board is missing"),
    "a board of 25": (OPENING | {"board": [0] * 25}, "26 numbers"),
    "a board of text": (OPENING | {"board": "start"}, "board must be a list of integers"),
    "a huge number": (OPENING | {"board": [10**30] * 26}, "from -15 to 15"),
    "the opponent's bar negative": (
        OPENING | {"board": [-1, *OPENING["board"][1:]]},
        "the opponent's bar, must not be negative",
    ),
    "a die of 7": (OPENING | {"dice": [3, 7]}, "a die must be 1..6, got 7"),
    "three dice": (OPENING | {"dice": [3, 1, 1]}, "two dice"),
    "one play": (OPENING | {"cands": OPENING["cands"][:1]}, "at least 2 plays"),
    "an illegal play": (OPENING | {"dice": [3, 2]}, r"\[3, 2\] cannot leave board"),
    "a play twice": (OPENING | {"cands": OPENING["cands"][:1] * 2}, "is listed twice"),
    "an equity of 4": (
        OPENING | {"cands": [OPENING["cands"][0], OPENING["cands"][1] | {"eq": 4}]},
        "eq must be a number from -3 to 3, got 4",
    ),
    "a finished game": (OPENING | {"board": [0, 5, *([0] * 24)]}, "the game is over"),
}


@pytest.mark.parametrize("wrong", WRONG_LINES.values(), ids=WRONG_LINES.keys())
def test_a_malformed_line_is_named_with_its_file_number_and_value(
    tmp_path: Path, wrong: tuple[Any, str]
) -> None:
    entry, message = wrong
    text = entry if isinstance(entry, str) else json.dumps(entry)
    path = tmp_path / "wrong.jsonl"
    path.write_text(f"{json.dumps(OPENING)}\n{text}\n")
    with pytest.raises(ValueError, match=rf"wrong\.jsonl, line 2: .*{message}"):
        read_checker_set(path)


def test_a_forced_play_is_no_decision(tmp_path: Path) -> None:
    board = board_of({25: 1, 1: 14}, {19: 2, 20: 2, 21: 2, 22: 2, 23: 2, 18: 5})
    entry = {
        "board": file_board(board),
        "dice": [6, 5],
        "cands": [{"board": file_board(board), "eq": 0.0}] * 2,
    }
    with pytest.raises(ValueError, match="line 1: the play is forced"):
        read_checker_set(written(tmp_path / "forced.jsonl", [entry, OPENING]))


def test_a_file_without_decisions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least 2 decisions, got 0"):
        read_checker_set(written(tmp_path / "empty.jsonl", []))


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "binary.jsonl"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"binary\.jsonl, line 1"):
        read_checker_set(path)
