"""The generator against listed positions, counts, a slow oracle, and its own promises."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from bgai.engine import (
    BAR,
    CHECKERS,
    ROLLS,
    START,
    Board,
    Boards,
    board_from_position_id,
    borne_off,
    check_boards,
    legal_afterstates,
    position_id,
    swap,
)
from tests.engine.oracle import sides_of_afterstates, sides_of_board, turn_ends
from tests.engine.positions import board_of, random_positions

CASES = json.loads((Path(__file__).parents[1] / "data" / "afterstates.json").read_text())["cases"]


def afterstates_of(board: npt.NDArray[np.int8], roll: tuple[int, int]) -> Boards:
    return legal_afterstates(board[None], np.array([roll]))[0]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['position']}-{case['roll']}")
def test_the_listed_afterstates_are_found_and_no_others(case: dict[str, Any]) -> None:
    board = board_from_position_id(case["position"])
    after = afterstates_of(board, case["roll"])
    context = f"{case['name']}: {board.tolist()} with {case['roll']}"
    assert sorted(map(position_id, after)) == sorted(case["afterstates"]), context
    dances = len(after) == 1 and np.array_equal(after[0], swap(board))
    assert dances == case["dance"], context


def test_the_21_rolls_of_the_start_leave_447_afterstates_and_theirs_202782() -> None:
    """Distinct afterstates summed over all rolls, one and two plies deep."""
    boards = START[None]
    counts = []
    for _ in range(2):
        rolls = np.tile(ROLLS, (len(boards), 1))
        boards, _ = legal_afterstates(np.repeat(boards, len(ROLLS), axis=0), rolls)
        counts.append(len(boards))
    assert counts == [447, 202_782]


def test_the_generator_agrees_with_the_oracle() -> None:
    boards, dice = random_positions(np.random.default_rng(7), games=100, plies=40)
    after, offsets = legal_afterstates(boards, dice)
    found = sides_of_afterstates(after)
    for row, (board, roll) in enumerate(zip(boards, dice.tolist(), strict=True)):
        turns = found[offsets[row] : offsets[row + 1]]
        expected = turn_ends(*sides_of_board(board), roll)
        context = f"{board.tolist()} ({position_id(board)}) with {roll}"
        assert set(turns) == expected, context
        assert len(turns) == len(expected), f"not distinct: {context}"


@pytest.fixture(scope="module")
def positions() -> tuple[Boards, npt.NDArray[np.int64]]:
    return random_positions(np.random.default_rng(8), games=60, plies=30)


def test_the_order_of_the_dice_does_not_matter(
    positions: tuple[Boards, npt.NDArray[np.int64]],
) -> None:
    boards, dice = positions
    after, offsets = legal_afterstates(boards, dice)
    turned, turned_offsets = legal_afterstates(boards, dice[:, ::-1])
    assert np.array_equal(after, turned)
    assert np.array_equal(offsets, turned_offsets)


def test_a_batch_is_the_same_as_one_board_at_a_time(
    positions: tuple[Boards, npt.NDArray[np.int64]],
) -> None:
    boards, dice = positions
    after, offsets = legal_afterstates(boards, dice)
    for row in range(len(boards)):
        alone, _ = legal_afterstates(boards[row : row + 1], dice[row : row + 1])
        assert np.array_equal(alone, after[offsets[row] : offsets[row + 1]])


def test_the_result_does_not_depend_on_the_number_of_threads(
    positions: tuple[Boards, npt.NDArray[np.int64]], monkeypatch: pytest.MonkeyPatch
) -> None:
    boards, dice = positions
    results = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("BGAI_THREADS", threads)
        results.append(legal_afterstates(boards, dice))
    for after, offsets in results[1:]:
        assert np.array_equal(after, results[0][0])
        assert np.array_equal(offsets, results[0][1])


@pytest.mark.parametrize("threads", ["0", "-1", "two", ""])
def test_a_wrong_number_of_threads_is_named(threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BGAI_THREADS", threads)
    with pytest.raises(ValueError, match="BGAI_THREADS must be a positive integer"):
        legal_afterstates(START[None], [[3, 1]])


def test_afterstates_are_distinct_and_no_group_is_empty(
    positions: tuple[Boards, npt.NDArray[np.int64]],
) -> None:
    after, offsets = legal_afterstates(*positions)
    assert offsets[0] == 0
    assert offsets[-1] == len(after)
    for start, stop in zip(offsets, offsets[1:], strict=False):
        assert stop > start
        assert len(np.unique(after[start:stop], axis=0)) == stop - start


def test_both_sides_keep_their_checkers(positions: tuple[Boards, npt.NDArray[np.int64]]) -> None:
    boards, dice = positions
    after, offsets = legal_afterstates(boards, dice)
    check_boards(after)  # at most 15 a side, each bar holds its own side's
    before = np.repeat(np.stack(borne_off(boards), axis=1), np.diff(offsets), axis=0)
    opponents_off, movers_off = borne_off(after)  # the next player is the opponent
    assert np.array_equal(opponents_off, before[:, 1]), "the opponent's checkers stay on the board"
    newly_off = movers_off - before[:, 0]
    assert newly_off.min() >= 0
    assert newly_off.max() <= 4


def test_a_roll_that_cannot_be_played_leaves_the_swapped_board() -> None:
    closed = board_of({BAR: 1, 6: 14}, dict.fromkeys(range(19, 25), 2) | {1: 3})
    for roll in ROLLS:
        assert np.array_equal(afterstates_of(closed, roll), swap(closed)[None]), roll


def test_all_checkers_on_the_bar_enter_before_anything_else_moves() -> None:
    board = board_of({BAR: 2, 13: 13}, {22: 2, 1: 13})
    # 3 enters on 22, which is held: only the 2 comes in, and nothing else may move
    (after,) = afterstates_of(board, (3, 2))
    assert np.array_equal(swap(after), board_of({BAR: 1, 23: 1, 13: 13}, {22: 2, 1: 13}))


def test_any_number_of_checkers_may_stand_on_a_point() -> None:
    board = board_of({7: 1, 6: 14}, {24: 15})
    after = afterstates_of(board, (1, 1))
    assert any(swap(row)[6] == CHECKERS - 3 for row in after)
    assert any(swap(row)[6] == 14 for row in after), "7/6 and three others"


def test_bearing_off_is_never_compulsory_while_another_move_exists() -> None:
    board = board_of({6: 1, 1: 1}, {24: 2})
    after = afterstates_of(board, (1, 1))
    # 6/5/4/3/2 keeps both checkers on the board
    assert any(np.array_equal(swap(row), board_of({2: 1, 1: 1}, {24: 2})) for row in after)


def test_no_roll_has_more_afterstates_than_the_space_kept_for_one_board() -> None:
    most_spread = board_from_position_id("AACAkCRJqqoAAA")
    assert len(afterstates_of(most_spread, (1, 1))) == 2220
    many = np.repeat(most_spread[None], 50, axis=0)
    after, offsets = legal_afterstates(many, np.ones((50, 2), np.int64))
    assert np.all(np.diff(offsets) == 2220), "the space grows"
    assert np.array_equal(after[-2220:], after[:2220])


def test_no_boards_have_no_afterstates() -> None:
    after, offsets = legal_afterstates(np.empty((0, 26), np.int8), np.empty((0, 2), np.int64))
    assert after.shape == (0, 26)
    assert offsets.tolist() == [0]


def test_the_boards_given_are_not_changed(positions: tuple[Boards, npt.NDArray[np.int64]]) -> None:
    boards, dice = positions
    copies = boards.copy(), dice.copy()
    legal_afterstates(boards, dice)
    assert np.array_equal(boards, copies[0])
    assert np.array_equal(dice, copies[1])


@pytest.mark.parametrize(
    ("boards", "dice", "message"),
    [
        (START[None], [[7, 1]], "a die must be 1..6, got 7"),
        (START[None], [[0, 1]], "a die must be 1..6, got 0"),
        (START[None], [[3, 1], [2, 1]], r"dice must be \[1, 2\], got \[2, 2\]"),
        (START[None], [[3, 1, 1]], r"a roll is two dice, got shape \(1, 3\)"),
        (START, [[3, 1]], r"boards must be int8 \[B, 26\], got int8 \(26,\)"),
        (START[None].astype(np.int64), [[3, 1]], "got int64"),
        (START[None, :25], [[3, 1]], r"got int8 \(1, 25\)"),
    ],
)
def test_wrong_boards_and_dice_are_named(boards: Any, dice: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        legal_afterstates(boards, dice)


@pytest.mark.parametrize(
    ("board", "message"),
    [
        (np.full(26, 9, np.int8), "9"),
        (np.zeros(26, np.int8), "both sides have borne off"),
        (np.maximum(START, 0), "the game is over"),
        (np.where(np.arange(26) == 25, -1, START).astype(np.int8), "-1"),
    ],
)
def test_boards_that_no_game_in_progress_can_have_are_refused(board: Board, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        legal_afterstates(np.stack([START, board]), [[3, 1], [3, 1]])
