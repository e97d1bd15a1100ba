from __future__ import annotations

import numpy as np
import pytest
import torch

from bgai.endgame import Endgames, load_or_build
from bgai.endgame.race_net import least_rolls
from bgai.endgame.races import Races
from bgai.endgame.rolls import AIMS
from bgai.engine import ROLL_WEIGHTS, ROLLS, legal_afterstates
from bgai.engine.board import HOME
from bgai.training.races import (
    RaceModel,
    features_of,
    has_aims,
    learn_races,
    lessons,
    random_sides,
)


@pytest.fixture(scope="module")
def endgames() -> Endgames:
    return load_or_build()


def new_model() -> RaceModel:
    torch.manual_seed(5)
    return RaceModel((16, 8))


def test_random_sides_are_on_their_way_and_no_farther_than_asked_for() -> None:
    some = random_sides(np.random.default_rng(1), 500, reach=12)
    assert some.shape == (500, 24) and some.min() == 0
    assert some.sum(1).max() == 15 and some.sum(1).min() < 15
    assert some[:, HOME:].any(1).all()
    assert some[:, 11].any() and not some[:, 12:].any()


def test_the_net_that_plays_says_what_the_model_says() -> None:
    model = new_model()
    sides = random_sides(np.random.default_rng(2), 50)
    with torch.no_grad():
        logits, means = model(features_of(sides), torch.from_numpy(least_rolls(sides)))
    still = has_aims(sides)
    net = model.race_net()
    rolls = net.rolls(sides)
    for number, aim in enumerate(AIMS):
        expected = torch.softmax(logits[:, aim][:, 1:], 1).numpy()
        own = still[:, number]
        np.testing.assert_allclose(rolls[own, aim][:, 1:], expected[own], atol=1e-5)
        assert (rolls[~own, aim.start] == 1).all()
    expected_means = means.numpy() * still
    np.testing.assert_allclose(net.mean_rolls(sides), expected_means, atol=1e-5)


def test_targets_are_the_best_plays_of_all_rolls_and_one_roll_more(endgames: Endgames) -> None:
    races = Races(endgames.one_sided, new_model().race_net())
    sides = random_sides(np.random.default_rng(3), 6, reach=14)
    targets = lessons(races, sides, np.random.default_rng(4)).targets
    for side, target in zip(sides, targets, strict=True):
        board = np.zeros((1, 26), np.int8)
        board[0, 1:25], board[0, 0] = side, -1
        expected = np.zeros_like(target)
        for dice, weight in zip(ROLLS, ROLL_WEIGHTS, strict=True):
            after, _ = legal_afterstates(board, dice[None])
            left = np.ascontiguousarray(-after[:, 24:0:-1])
            to_last, to_first, to_leave = races.mean_rolls(left).T
            hurried, saved = to_last.argmin(), (to_first + to_leave).argmin()
            for aim, row in zip(AIMS, (hurried, saved, saved), strict=True):
                needed = races.rolls(left[row][None])[0, aim]
                expected[aim][1:] += weight * needed[:-1]
                expected[aim][-1] += weight * needed[-1]  # 63 rolls or more
        for aim, is_to_do in zip(AIMS, has_aims(side[None])[0], strict=True):
            if is_to_do:
                np.testing.assert_allclose(target[aim], expected[aim], atol=1e-5)


def test_sides_go_on_by_plays_of_one_roll(endgames: Endgames) -> None:
    races = Races(endgames.one_sided, new_model().race_net())
    sides = random_sides(np.random.default_rng(6), 200)
    after = lessons(races, sides, np.random.default_rng(7)).next_sides
    points = np.arange(1, 25)
    moved = (sides - after) @ points
    assert moved.min() >= 0 and moved.max() <= 24 and moved.mean() > 6


def test_a_net_learns_how_many_rolls_a_side_takes(endgames: Endgames) -> None:
    rounds = list(learn_races(endgames, (32, 16), 40 * 128, seed=1, at_once=128))
    assert [done.sides for done in rounds] == [128 * number for number in range(1, 41)]
    assert rounds[-1].error_rolls < rounds[0].error_rolls / 4
