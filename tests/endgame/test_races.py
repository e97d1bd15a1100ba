from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from bgai.endgame import (
    RACE,
    UNKNOWN,
    Endgames,
    bear_off_plays,
    build_one_sided,
    build_two_sided,
)
from bgai.endgame.positions import are_races, position_numbers
from bgai.endgame.race_net import RaceNet, least_rolls, load_race_net
from bgai.endgame.races import Races
from bgai.endgame.rolls import AIMS, TO_FIRST, TO_LAST, TO_LEAVE, Rolls, chances, mean_rolls
from bgai.engine import (
    ROLL_WEIGHTS,
    ROLLS,
    START,
    borne_off,
    has_contact,
    legal_afterstates,
    possible_outcomes,
)
from tests.endgame.bear_offs import bear_off, expected_best
from tests.engine.positions import random_positions


@pytest.fixture(scope="module")
def races(endgames: Endgames) -> Races:
    return Races(endgames.one_sided, load_race_net())


def side(counts: dict[int, int]) -> list[int]:
    return [counts.get(point, 0) for point in range(1, 25)]


def sides(*counts: dict[int, int]) -> np.ndarray:
    return np.array([side(each) for each in counts], np.int8)


def rolls(last: list[float], first: list[float], leave: list[float]) -> Rolls:
    row = np.zeros((1, TO_LEAVE.stop), np.float32)
    for aim, values in zip(AIMS, (last, first, leave), strict=True):
        row[0, aim.start : aim.start + len(values)] = values
    return row


def test_races_are_boards_without_contact_on_which_both_have_checkers() -> None:
    boards = np.concatenate([random_positions(np.random.default_rng(1), 40, 80)[0], START[None]])
    off = borne_off(boards)
    expected = ~has_contact(boards) & (off[0] < 15) & (off[1] < 15)
    assert 0 < expected.sum() < len(boards)
    np.testing.assert_array_equal(are_races(boards), expected)


def test_who_rolls_first_wins_with_the_same_number_of_rolls() -> None:
    one = rolls([0, 1], [1], [1])
    assert chances(one, one).tolist() == [[1, 0, 0, 0, 0, 0]]


def test_chances_are_counted_from_both_sides_rolls() -> None:
    own = rolls([0, 0, 0.5, 0.5], [0, 0.25, 0.75], [1])
    opponent = rolls([0, 0.1, 0.2, 0.7], [0, 0, 0.6, 0.4], [0, 0.5, 0.5])
    # the player is off in 2 rolls or 3; the opponent has rolled once less by then
    win = 0.5 * 0.9 + 0.5 * 0.7
    gammon = 0.5 * 1.0 + 0.5 * 0.4
    gammon, backgammon = min(win, gammon), 0.5 * 0.5
    # the opponent is off after 1, 2 or 3 rolls, and the player has rolled as often
    lose_gammon = 0.1 * 0.75
    expected = [
        win - gammon,
        gammon - backgammon,
        backgammon,
        1 - win - lose_gammon,
        lose_gammon,
        0,
    ]
    assert chances(own, opponent)[0] == pytest.approx(expected)


def test_what_is_done_takes_no_roll_and_the_rest_one_at_least(races: Races) -> None:
    some = sides({7: 14}, {6: 15}, {7: 15}, {19: 1, 6: 14})
    done = np.stack([races.rolls(some)[:, aim.start] for aim in AIMS], axis=1)
    assert done.tolist() == [[0, 1, 1], [0, 0, 1], [0, 0, 1], [0, 0, 0]]


def test_a_side_at_home_is_in_the_table(endgames: Endgames, races: Races) -> None:
    row = races.rolls(sides({1: 3, 6: 12}))[0]
    number = position_numbers([3, 0, 0, 0, 0, 12])
    np.testing.assert_array_equal(row[TO_LAST][:32], endgames.one_sided.to_last[number])
    assert row[TO_FIRST].sum() == pytest.approx(1)


def test_rolls_are_chances_and_their_means_are_those_that_rank_plays(races: Races) -> None:
    some = own_sides(300)
    found = races.rolls(some)
    for aim in AIMS:
        assert found[:, aim].min() >= 0
        assert found[:, aim].sum(1) == pytest.approx(1, abs=1e-5)
    errors = mean_rolls(found) - races.mean_rolls(some)
    assert np.sqrt(np.square(errors).mean(0)) == pytest.approx([0, 0, 0], abs=0.1)


def own_sides(count: int) -> np.ndarray:
    """Sides as races have them: gaps and stacks, with some checkers far away."""
    rng = np.random.default_rng(7)
    found = np.zeros((count, 24), np.int8)
    for row in found:
        for point in np.minimum(rng.geometric(0.12, 15), 20):
            row[point - 1] += 1
    return found


def test_a_net_says_what_the_best_plays_of_all_rolls_lead_to(races: Races) -> None:
    some = own_sides(60)
    boards = np.zeros((len(some), 26), np.int8)
    boards[:, 1:25] = some
    boards[:, 0] = -1

    def values(after: np.ndarray) -> np.ndarray:
        return -mean_rolls(races.rolls(np.ascontiguousarray(-after[:, 24:0:-1])))

    ahead = 1 - expected_best(boards, values)
    said = mean_rolls(races.rolls(some))
    errors = said - np.where(said == 0, 0, ahead)
    assert np.sqrt(np.square(errors).mean(0)).max() < 0.05


@cache
def exact_rolls(side: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """The distribution of the rolls to the last checker, by recursion over all plays, `[64]`."""
    rolls = np.zeros(64)
    if not any(side):
        rolls[0] = 1
        return rolls
    board = np.zeros((1, 26), np.int8)
    board[0, 1:25], board[0, 0] = side, -1
    after, offsets = legal_afterstates(np.repeat(board, len(ROLLS), axis=0), ROLLS)
    left = -after[:, 24:0:-1]
    for number, weight in enumerate(ROLL_WEIGHTS):
        plays = [
            exact_rolls(tuple(row)) for row in left[offsets[number] : offsets[number + 1]].tolist()
        ]
        rolls[1:] += weight * min(plays, key=lambda play: float(play @ np.arange(64)))[:-1]
    return rolls


def test_few_checkers_need_as_many_rolls_as_all_plays_say(races: Races) -> None:
    few = [{7: 1}, {12: 1}, {18: 1}, {23: 1}, {7: 2}, {12: 1, 3: 1}, {9: 1, 8: 1}, {14: 1, 1: 1}]
    exact = np.stack([exact_rolls(tuple(side(counts))) for counts in few])
    found = races.rolls(sides(*few))[:, TO_LAST]
    assert mean_rolls(races.rolls(sides(*few)))[:, 0] == pytest.approx(
        exact @ np.arange(64), abs=0.05
    )
    assert np.abs(found.cumsum(1) - exact.cumsum(1)).max() < 0.04


def test_no_mean_is_clearly_less_than_pips_allow(races: Races) -> None:
    long = sides({18: 15}, {18: 8, 15: 7}, {22: 3, 18: 10}, {13: 15}, {12: 5, 8: 5, 6: 5}, {23: 15})
    means = mean_rolls(races.rolls(long))
    assert (means[:, 0] / least_rolls(long)[:, 0]).min() > 0.98


@pytest.mark.parametrize(
    ("counts", "of_36"),
    [
        ({19: 2, 18: 13}, 36),
        ({20: 2, 18: 13}, 26),  # all but those with a 1 that is no double, and 1-1 takes both out
        ({20: 1, 6: 14}, 36),
        ({23: 1, 6: 14}, 31),
    ],
)
def test_the_opponents_home_is_left_as_often_as_dice_say(
    races: Races, counts: dict[int, int], of_36: int
) -> None:
    assert races.rolls(sides(counts))[0, TO_LEAVE][1] == pytest.approx(of_36 / 36, abs=0.04)


def test_races_are_known_and_only_what_is_possible_has_chances(endgames: Endgames) -> None:
    boards = random_positions(np.random.default_rng(3), 40, 80)[0]
    boards = boards[are_races(boards)]
    probs, known = endgames.lookup(boards)
    assert (known == RACE).any() and (known != UNKNOWN).all()
    assert probs.sum(1) == pytest.approx(1, abs=1e-5)
    assert not probs[~possible_outcomes(boards)].any()


def test_without_the_net_only_homes_are_known(endgames: Endgames) -> None:
    tables = Endgames(endgames.one_sided, endgames.two_sided)
    assert tables.lookup(bear_off({7: 1}, {1: 1})[None])[1].tolist() == [UNKNOWN]


def test_a_race_net_needs_the_whole_one_sided_table() -> None:
    plays = bear_off_plays(2)
    with pytest.raises(ValueError, match="of 15 checkers, got one of 2"):
        Endgames(build_one_sided(plays, 2), build_two_sided(plays, 2), load_race_net())


def test_weights_that_are_no_numbers_are_refused() -> None:
    arrays = load_race_net().arrays()
    arrays["means_bias"] = arrays["means_bias"] * np.float32(np.nan)
    with pytest.raises(ValueError, match="not all finite"):
        RaceNet(**arrays)


def test_weights_of_another_shape_are_refused() -> None:
    shorter = {name: array[:-1] for name, array in load_race_net().arrays().items()}
    with pytest.raises(ValueError, match="must have the shapes"):
        RaceNet(**shorter)
