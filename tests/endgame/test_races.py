from __future__ import annotations

import numpy as np
import pytest

from bgai.endgame import RACE, UNKNOWN, Endgames
from bgai.endgame.positions import are_races, position_numbers
from bgai.endgame.race_net import RaceNet, load_race_net
from bgai.endgame.races import Races
from bgai.endgame.rolls import AIMS, TO_FIRST, TO_LAST, TO_LEAVE, Rolls, chances, mean_rolls
from bgai.engine import START, borne_off, has_contact, possible_outcomes
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


def test_a_lone_checker_is_home_as_often_as_dice_say(races: Races) -> None:
    # from the 7 point one roll takes a checker off with seven pips: 6-1, 5-2, 4-3 and more, 2-2 up
    row = races.rolls(sides({7: 1}))[0]
    rolls_of_36 = 2 * sum(a + b >= 7 for a in range(1, 7) for b in range(1, a)) + 5
    assert row[TO_LAST][1] == pytest.approx(rolls_of_36 / 36, abs=0.02)


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


def test_weights_of_another_shape_are_refused() -> None:
    shorter = {name: array[:-1] for name, array in load_race_net().arrays().items()}
    with pytest.raises(ValueError, match="must have the shapes"):
        RaceNet(**shorter)
