from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import numpy.typing as npt
import pytest

from bgai.endgame import Endgames, TwoSidedTable, bear_off_plays
from bgai.endgame.two_sided import ROUNDING, solve_two_sided
from bgai.engine import ROLL_WEIGHTS, ROLLS, START
from tests.endgame.bear_offs import bear_off, expected_best, random_bear_offs
from tests.engine.oracle import turn_ends

CENTRED, PLAYER, OPPONENT = range(3)
Side = int  # as the oracle writes it: the count of point p in bits 4p to 4p + 3


@pytest.fixture(scope="module")
def table(endgames: Endgames) -> TwoSidedTable:
    return endgames.two_sided


def test_who_rolls_first_wins_with_one_checker_each_on_the_one_point(
    table: TwoSidedTable,
) -> None:
    equities, known = table.lookup(bear_off({1: 1}, {1: 1})[None])
    assert known.all()
    assert equities.cubeless.tolist() == [1]
    assert equities.no_double.tolist() == equities.best.tolist() == [[1, 1, 1]]


def test_two_checkers_on_the_one_point_win(table: TwoSidedTable) -> None:
    assert table.lookup(bear_off({1: 2}, {1: 1})[None])[0].cubeless.tolist() == [1]


def test_a_last_roll_of_19_in_36_is_a_double_worth_twice_as_much(table: TwoSidedTable) -> None:
    equities, _ = table.lookup(bear_off({5: 1, 2: 1}, {1: 1})[None])
    assert equities.cubeless == pytest.approx([2 / 36], abs=ROUNDING)
    assert equities.no_double[0] == pytest.approx([2 / 36] * 3, abs=ROUNDING)
    assert equities.double_take == pytest.approx([4 / 36], abs=ROUNDING)
    assert equities.best[0] == pytest.approx([4 / 36, 4 / 36, 2 / 36], abs=ROUNDING)


def test_a_last_roll_of_15_in_36_is_no_double(table: TwoSidedTable) -> None:
    equities, _ = table.lookup(bear_off({6: 1, 1: 1}, {1: 2})[None])
    assert equities.best[0] == pytest.approx([-6 / 36] * 3, abs=ROUNDING)


def test_four_checkers_each_on_the_one_point_are_a_double_and_a_pass(
    table: TwoSidedTable,
) -> None:
    # lost only if the player misses a double and the opponent does not: 5/36
    equities, _ = table.lookup(bear_off({1: 4}, {1: 4})[None])
    assert equities.cubeless == pytest.approx([26 / 36], abs=ROUNDING)
    assert equities.double_take == pytest.approx([52 / 36], abs=ROUNDING)
    assert equities.best[0] == pytest.approx([1, 1, 26 / 36], abs=ROUNDING)


def test_a_small_chance_left_to_the_opponent_is_no_double(table: TwoSidedTable) -> None:
    # the player needs a double (6 of 36) now, or that the opponent misses: 6-5 and 3-3 to 6-6 win
    equities, _ = table.lookup(bear_off({1: 4}, {6: 1, 5: 1})[None])
    assert equities.cubeless == pytest.approx([2 * (6 + 30 * 30 / 36) / 36 - 1], abs=ROUNDING)
    assert equities.no_double[0] == pytest.approx([equities.cubeless[0]] * 3, abs=ROUNDING)


def test_equities_are_the_mean_over_the_rolls_of_the_best_play(table: TwoSidedTable) -> None:
    boards = random_bear_offs(np.random.default_rng(5), 300, 6)
    equities, known = table.lookup(boards)
    assert known.all()

    def left_to_the_opponent(after: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
        left, left_known = table.lookup(after)
        assert left_known.all()
        by_owner = left.best[:, [CENTRED, OPPONENT, PLAYER]]
        values: npt.NDArray[np.float64] = -np.column_stack([left.cubeless, by_owner])
        return values

    expected = expected_best(boards, left_to_the_opponent)
    assert equities.cubeless == pytest.approx(expected[:, 0], abs=2 * ROUNDING)
    assert equities.no_double == pytest.approx(expected[:, 1:], abs=2 * ROUNDING)


@cache
def ends_of_rolls(side: Side) -> list[list[Side]]:
    """What each of the 21 rolls may leave of a side that meets nobody."""
    return [[left for left, _ in turn_ends(side, 0, dice)] for dice in ROLLS.tolist()]


@cache
def slow_no_double(own: Side, opponent: Side, owner: int) -> float:
    """ND by recursion, one owner of the cube at a time, over the plays that the oracle finds."""
    return sum(
        float(weight) * max(-_slow_best(opponent, left, owner) for left in ends)
        for weight, ends in zip(ROLL_WEIGHTS, ends_of_rolls(own), strict=True)
    )


def _slow_best(own: Side, opponent: Side, owner_before: int) -> float:
    """The value for the next player, with the cube's owner as seen by the one who has played."""
    owner = {CENTRED: CENTRED, PLAYER: OPPONENT, OPPONENT: PLAYER}[owner_before]
    if opponent == 0:
        return -1
    wait = slow_no_double(own, opponent, owner)
    if owner == OPPONENT:
        return wait
    pass_or_take = min(1, 2 * slow_no_double(own, opponent, OPPONENT))
    return max(wait, pass_or_take)


def test_cubeful_equities_are_those_of_a_slow_recursion(table: TwoSidedTable) -> None:
    sides = [
        {point: points.count(point) for point in points}
        for count in (1, 2, 3)
        for points in combinations_with_replacement(range(1, 7), count)
    ]
    rng = np.random.default_rng(6)
    pairs = [(sides[i], sides[j]) for i, j in rng.integers(len(sides), size=(300, 2))]
    equities, _ = table.lookup(np.stack([bear_off(*pair) for pair in pairs]))
    for (own, opponent), no_double in zip(pairs, equities.no_double, strict=True):
        packed = [sum(n << 4 * point for point, n in side.items()) for side in (own, opponent)]
        slow = [slow_no_double(*packed, owner) for owner in (CENTRED, PLAYER, OPPONENT)]
        assert no_double == pytest.approx(slow, abs=ROUNDING), (own, opponent)


def test_a_cube_is_worth_having(table: TwoSidedTable) -> None:
    _, centred, player, opponent = np.moveaxis(table.equities, -1, 0)
    assert np.all(player >= centred - ROUNDING) and np.all(centred >= opponent - ROUNDING)


def test_equities_lie_between_a_loss_and_a_win(table: TwoSidedTable) -> None:
    assert np.abs(table.equities).max() == 1


def test_an_own_checker_less_or_an_opposing_one_more_is_never_worse(table: TwoSidedTable) -> None:
    boards = random_bear_offs(np.random.default_rng(7), 2000, 5)
    more = boards.copy()
    more[:, 3] += 1
    fewer_cubeless = table.lookup(boards)[0].cubeless
    assert np.all(table.lookup(more)[0].cubeless <= fewer_cubeless + ROUNDING)
    more = boards.copy()
    more[:, 22] -= 1
    assert np.all(table.lookup(more)[0].cubeless >= fewer_cubeless - ROUNDING)


def test_what_has_more_checkers_or_is_not_home_is_unknown(table: TwoSidedTable) -> None:
    boards = np.stack(
        [START, bear_off({6: 7}, {1: 1}), bear_off({6: 6}, {1: 7}), bear_off({6: 6}, {6: 6})]
    )
    equities, known = table.lookup(boards)
    assert known.tolist() == [False, False, False, True]
    assert np.isnan(equities.cubeless).tolist() == [True, True, True, False]
    assert np.isnan(equities.best).all(1).tolist() == [True, True, True, False]


def test_a_finished_game_is_known(table: TwoSidedTable) -> None:
    equities, known = table.lookup(np.stack([bear_off({}, {1: 1}), bear_off({1: 1}, {})]))
    assert known.all()
    assert equities.cubeless.tolist() == [1, -1]
    assert equities.best.tolist() == [[1, 1, 1], [-1, -1, -1]]


def test_rounding_to_float32_is_as_small_as_stated(table: TwoSidedTable) -> None:
    exact = solve_two_sided(bear_off_plays(4), 4)
    positions = len(exact)
    assert np.abs(table.equities[:positions, :positions] - exact).max() < ROUNDING


@pytest.mark.parametrize("checkers", [0, 15])
def test_a_table_with_gammons_or_without_checkers_is_refused(checkers: int) -> None:
    with pytest.raises(ValueError, match=f"got {checkers}"):
        TwoSidedTable(checkers, np.zeros((1, 1, 4), np.float32))


def test_equities_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match=r"got \(7, 7, 4\)"):
        TwoSidedTable(2, np.zeros((7, 7, 4), np.float32))
