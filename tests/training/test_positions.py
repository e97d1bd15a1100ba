from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from bgai.engine import START, UNFINISHED, Board, Boards, equity, outcomes, swap
from bgai.engine.board_hash import board_hashes
from bgai.search.ply import PlyEvaluator
from bgai.training import positions
from bgai.training.positions import (
    FAMILIES,
    PositionSettings,
    choose_positions,
    is_back_game,
    is_bear_off_with_contact,
    is_containment,
    is_crashed,
    is_prime_against_prime,
)
from tests.engine.positions import board_of, random_positions
from tests.search.test_rollout import RACE, rough_evaluator

BACK_GAME = board_of(
    {22: 2, 24: 2, 13: 2, 8: 2, 6: 4, 5: 3}, {19: 3, 20: 2, 21: 3, 17: 3, 18: 2, 16: 2}
)
PRIMES = board_of({4: 2, 5: 2, 6: 3, 7: 2, 24: 2, 13: 4}, {1: 2, 21: 2, 20: 2, 19: 3, 18: 2, 12: 4})
CONTAINMENT = board_of({6: 2, 5: 2, 4: 3, 7: 3, 8: 3, 2: 2}, {3: 1, 23: 2, 22: 3, 24: 4})
CRASHED = board_of({1: 4, 2: 5, 3: 3, 24: 2, 6: 1}, {20: 3, 21: 3, 19: 3, 22: 2, 18: 2, 17: 2})
BEAR_OFF = board_of({6: 3, 5: 2, 2: 4}, {1: 2, 20: 5, 21: 5, 22: 3})


@pytest.fixture(autouse=True, scope="module")
def few_games() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(positions, "_GAMES_PER_TASK", 12)
        yield


@pytest.mark.parametrize(
    ("rule", "board"),
    [
        (is_back_game, BACK_GAME),
        (is_prime_against_prime, PRIMES),
        (is_containment, CONTAINMENT),
        (is_crashed, CRASHED),
        (is_bear_off_with_contact, BEAR_OFF),
    ],
)
def test_each_rule_knows_its_own(rule: object, board: Board) -> None:
    assert board[board > 0].sum() <= 15 and -board[board < 0].sum() <= 15
    for name, other in FAMILIES.items():
        assert bool(other(board[None])[0]) == (other is rule), name
        assert not other(START[None])[0] and not other(RACE[None])[0], name


def test_a_prime_that_nobody_is_behind_is_none() -> None:
    board = PRIMES.copy()
    board[1], board[12] = 0, -6
    assert not is_prime_against_prime(board[None])[0]


def test_a_back_game_is_far_behind() -> None:
    board = BACK_GAME.copy()
    board[[13, 8, 4]] = 0, 0, 4
    board[[16, 1]] = 0, -2
    assert not is_back_game(board[None])[0]


def choose(count: int = 60, seed: int = 1, **values: object) -> Boards:
    found = choose_positions(
        PositionSettings(**values),  # type: ignore[arg-type]
        rough_evaluator,
        count,
        np.random.SeedSequence(seed),
        lambda: False,
    )
    assert found is not None
    return found


@pytest.fixture(scope="module")
def self_play() -> Boards:
    return choose(200)


def test_positions_are_distinct_and_unfinished(self_play: Boards) -> None:
    assert self_play.shape == (200, 26) and self_play.dtype == np.int8
    assert (outcomes(self_play) == UNFINISHED).all()
    assert len(np.unique(self_play, axis=0)) == 200


def test_the_seed_decides_whatever_the_threads(
    self_play: Boards, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BGAI_THREADS", "1")
    assert (choose(200) == self_play).all()
    assert (choose(60, seed=2) != self_play[:60]).any()


def test_known_positions_are_not_chosen_again(self_play: Boards) -> None:
    others = choose_positions(
        PositionSettings(),
        rough_evaluator,
        50,
        np.random.SeedSequence(1),
        lambda: False,
        known=board_hashes(self_play),
    )
    assert others is not None
    assert not np.isin(board_hashes(others), board_hashes(self_play)).any()


def test_a_family_holds_for_one_side_or_the_other() -> None:
    boards = choose(20, source="crashed", disturbed_share=0.3)
    assert (is_crashed(boards) | is_crashed(swap(boards))).all()


def test_the_hardest_are_those_that_looking_ahead_changes_most(self_play: Boards) -> None:
    def disagreement(boards: Boards) -> float:
        ahead = PlyEvaluator(rough_evaluator, 1)(boards)
        return float(np.abs(equity(ahead) - equity(rough_evaluator(boards))).mean())

    assert disagreement(choose(60, hardest_share=0.1)) > 1.5 * disagreement(self_play)


def test_siblings_come_from_one_roll() -> None:
    boards = choose(60, siblings=3)
    # two afterstates of one roll differ in a few slots only, those of strangers in many
    slots = (boards[1:] != boards[:-1]).sum(1)
    assert np.mean(slots <= 8) > 0.5


def test_choosing_can_be_stopped() -> None:
    found = choose_positions(
        PositionSettings(), rough_evaluator, 10, np.random.SeedSequence(1), lambda: True
    )
    assert found is None


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"source": "openings"}, "got 'openings'"),
        ({"disturbed_share": 0.1}, "got 0.1 with self-play"),
        ({"source": "crashed"}, "got None with crashed"),
        ({"source": "crashed", "disturbed_share": 0.6}, "at most 0.5, got 0.6"),
        ({"siblings": 1}, "siblings must be at least 2, got 1"),
        ({"hardest_share": 1.0}, "hardest_share must be between 0 and 1, got 1.0"),
    ],
)
def test_wrong_settings_are_named(values: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PositionSettings(**values)  # type: ignore[arg-type]


def test_different_boards_have_different_hashes_and_equal_ones_the_same() -> None:
    boards, _ = random_positions(np.random.default_rng(1), games=40, plies=40)
    distinct = np.unique(boards, axis=0)
    assert len(np.unique(board_hashes(distinct))) == len(distinct)
    assert (board_hashes(boards[::-1])[::-1] == board_hashes(boards)).all()
    assert board_hashes(START[None])[0] == 0xF1E8D69E1323045E, "as on every machine"
