from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from bgai.endgame import (
    Endgames,
    OneSidedTable,
    bear_off_numbers,
    bear_off_plays,
    build_one_sided,
    position_count,
    position_counts,
    position_numbers,
)
from bgai.endgame.one_sided import MOST_ROLLS, ROUNDING
from bgai.engine import ROLL_WEIGHTS, ROLLS, START, equity, possible_outcomes
from tests.endgame.bear_offs import bear_off, expected_best, random_bear_offs
from tests.engine.oracle import turn_ends


@pytest.fixture(scope="module")
def table(endgames: Endgames) -> OneSidedTable:
    return endgames.one_sided


def chances(table: OneSidedTable, counts: dict[int, int]) -> npt.NDArray[np.float32]:
    """The distribution of the rolls to bear off all, `[32]`."""
    return table.to_last[position_numbers([counts.get(point, 0) for point in range(1, 7)])]


@pytest.mark.parametrize(
    ("counts", "of_36"),
    [
        ({1: 1}, 36),
        ({1: 2}, 36),
        ({1: 3}, 6),  # the doubles
        ({1: 4}, 6),
        ({1: 5}, 0),
        ({6: 1}, 27),  # all but 1-1, 2-1, 3-1, 4-1 and 3-2
        ({6: 1, 1: 1}, 15),  # 6 with anything, and 2-2 to 5-5
        ({6: 1, 5: 1}, 6),  # 6-5, and 3-3 to 6-6
        ({5: 1, 2: 1}, 19),  # a 5 or 6 with a 2 or more, and 2-2 to 4-4
        ({6: 2}, 4),  # 3-3 to 6-6
    ],
)
def test_the_chance_to_be_off_in_one_roll_is_counted_in_rolls(
    table: OneSidedTable, counts: dict[int, int], of_36: int
) -> None:
    assert chances(table, counts)[1] == pytest.approx(of_36 / 36, abs=ROUNDING)


def test_an_empty_home_needs_no_roll(table: OneSidedTable) -> None:
    assert chances(table, {})[0] == 1
    assert table.to_last[1:, 0].max() == 0


def test_distributions_sum_to_one(table: OneSidedTable) -> None:
    for distributions in (table.to_last, table.to_first):
        assert distributions.min() >= 0
        assert distributions.sum(1, dtype=np.float64) == pytest.approx(1, abs=ROUNDING)
    assert table.to_last[:, -1].max() < 1e-12  # so no longer rows are needed


def test_a_checker_more_never_takes_less_time(table: OneSidedTable) -> None:
    counts = position_counts(np.arange(position_count(15)))
    mean = table.mean_rolls(np.arange(position_count(15)))
    has_room = counts[counts.sum(1) < 15]
    for point in range(6):
        more = has_room.copy()
        more[:, point] += 1
        assert np.all(mean[position_numbers(more)] >= mean[position_numbers(has_room)])


def test_a_gap_may_cost_more_than_a_pip(table: OneSidedTable) -> None:
    # with a 2 the checker on the 2 point goes off; on the 1 point it would have to wait
    numbers = position_numbers([[2, 0, 0, 0, 0, 1], [1, 1, 0, 0, 0, 1]])
    with_gap, without = table.mean_rolls(numbers)
    assert with_gap > without + 0.008


@cache
def slow_distribution(counts: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """The distribution found by recursion over the plays that the slow oracle finds."""
    distribution = np.zeros(MOST_ROLLS + 1)
    if not any(counts):
        distribution[0] = 1
        return distribution
    own = sum(count << 4 * point for point, count in enumerate(counts, start=1))
    for dice, weight in zip(ROLLS.tolist(), ROLL_WEIGHTS, strict=True):
        left = [
            slow_distribution(tuple(side >> 4 * point & 15 for point in range(1, 7)))
            for side, _ in turn_ends(own, 0, dice)
        ]
        best = min(left, key=lambda chances: float(chances @ np.arange(MOST_ROLLS + 1)))
        distribution[1:] += weight * best[:-1]
    return distribution


def test_distributions_are_those_of_a_slow_recursion_over_the_oracles_plays(
    table: OneSidedTable,
) -> None:
    counts = position_counts(np.arange(position_count(4)))
    for number, row in enumerate(counts.tolist()):
        slow = slow_distribution(tuple(row))
        mean = float(slow @ np.arange(MOST_ROLLS + 1))
        assert table.mean_rolls(np.array(number)) == pytest.approx(mean, abs=1e-6), row
        # where two plays have the same mean, the distributions may differ
        assert np.abs(table.to_last[number] - slow).max() < ROUNDING, row


def test_plays_minimise_the_mean_number_of_rolls(table: OneSidedTable) -> None:
    boards = random_bear_offs(np.random.default_rng(2), 200, 15)
    best = expected_best(boards, lambda after: -table.mean_rolls(bear_off_numbers(after)[:, 1:2]))[
        :, 0
    ]
    own = bear_off_numbers(boards)[:, 0]
    assert table.mean_rolls(own) == pytest.approx(1 - best, abs=1e-5)


def test_the_first_of_fifteen_checkers_comes_off_the_six_point_in_one_roll_17_times_of_36(
    table: OneSidedTable,
) -> None:
    # any 6, 5-1, 4-2, 2-2 and 3-3
    number = position_numbers([0, 0, 0, 0, 0, 15])
    to_first = table.to_first[number - position_count(14)]
    assert to_first[1] == pytest.approx(17 / 36, abs=ROUNDING)


def test_who_rolls_first_wins_with_one_checker_each_on_the_one_point(
    table: OneSidedTable,
) -> None:
    probs, known = table.lookup(bear_off({1: 1}, {1: 1})[None])
    assert known.all()
    assert probs.tolist() == [[1, 0, 0, 0, 0, 0]]


def test_a_last_roll_is_won_as_often_as_it_bears_off(table: OneSidedTable) -> None:
    probs, _ = table.lookup(bear_off({6: 1, 1: 1}, {1: 2})[None])
    assert probs[0] == pytest.approx([15 / 36, 0, 0, 21 / 36, 0, 0], abs=ROUNDING)


def test_a_gammon_is_won_and_lost_by_the_first_checker(table: OneSidedTable) -> None:
    boards = np.stack([bear_off({1: 1}, {6: 15}), bear_off({6: 15}, {1: 1})])
    won, saved = table.lookup(boards)[0]
    assert won.tolist() == [0, 1, 0, 0, 0, 0]
    assert saved == pytest.approx([0, 0, 0, 17 / 36, 19 / 36, 0], abs=ROUNDING)


def test_chances_sum_to_one_and_only_what_is_possible_has_any(table: OneSidedTable) -> None:
    boards = np.concatenate(
        [
            random_bear_offs(np.random.default_rng(3), 2000, 15),
            random_bear_offs(np.random.default_rng(4), 500, 15, least=15),
        ]
    )
    probs, known = table.lookup(boards)
    assert known.all()
    assert probs.min() >= 0
    assert probs.sum(1) == pytest.approx(1, abs=ROUNDING)
    assert not probs[~possible_outcomes(boards)].any()


def test_what_is_not_home_is_unknown(table: OneSidedTable) -> None:
    boards = np.stack([START, bear_off({6: 3}, {1: 1}), bear_off({7: 1}, {1: 1})])
    probs, known = table.lookup(boards)
    assert known.tolist() == [False, True, False]
    assert np.isnan(probs).all(1).tolist() == [True, False, True]


def test_two_distributions_are_close_to_the_exact_chance(endgames: Endgames) -> None:
    numbers = np.stack(np.divmod(np.arange(924 * 924), 924), axis=1).astype(np.int32)
    numbers = numbers[(numbers > 0).all(1)]
    error = equity(endgames.one_sided.probs(numbers)) - equity(endgames.two_sided.probs(numbers))
    assert np.abs(error).mean() < 0.002
    assert np.abs(error).max() < 0.03


def test_a_table_of_fewer_checkers_is_the_beginning_of_a_larger_one(table: OneSidedTable) -> None:
    small = build_one_sided(bear_off_plays(5), 5)
    assert np.array_equal(small.to_last, table.to_last[: position_count(5)])
    assert len(small.to_first) == 0


def test_arrays_of_another_shape_are_refused(table: OneSidedTable) -> None:
    with pytest.raises(ValueError, match=r"got \[\(3, 32\)"):
        OneSidedTable(15, table.to_last[:3], table.to_first)
