"""Nets that become bigger on their way, and say the same at first."""

from pathlib import Path

import numpy as np
import pytest
import torch

from bgai.model.checkpoint import load_nets
from bgai.model.net_config import NetConfig
from bgai.training import run as runs
from bgai.training.config import Stage, TrainConfig
from bgai.training.growth import grow
from bgai.training.trainer import Trainer
from tests.model.test_value_net import BOARDS, sharp_net
from tests.training.test_several_nets import assert_resumes_alike, trained_to
from tests.training.test_trainer import assert_same, small_config

GROWING = {"games": 10, "lookahead_games": 20, "grown_games": 100, "hidden": [8]}

GROWING_AGAIN = {"regrown_games": 30, "regrown_hidden": [12, 12, 9]}


def growing(**values: object) -> TrainConfig:
    """With None for what is left out."""
    every = {**GROWING, "grown_hidden": [12, 9], **values}
    return small_config(**{name: value for name, value in every.items() if value is not None})


@pytest.mark.parametrize(
    ("small", "big", "held"),
    [
        ((8, 6), (8, 6), [0, 1]),
        ((8, 6), (12, 9), [0, 1]),
        ((8,), (9, 8, 10), [0, 0, 0]),
        ((8, 6), (9, 8, 7), [0, 0, 1]),
        ((16, 6, 4), (16, 12, 6, 4), [0, 1, 1, 2]),
        ((16, 6, 4), (17, 12, 9, 8, 5), [0, 1, 1, 1, 2]),
    ],
)
def test_a_grown_net_says_the_same(
    small: tuple[int, ...], big: tuple[int, ...], held: list[int]
) -> None:
    net = sharp_net(*small)
    assert NetConfig(hidden=small).layers_grown_to(big) == held
    grown = grow(net, big, np.random.default_rng(1))
    assert grown.config == NetConfig(hidden=big)
    with torch.no_grad():
        boards = torch.from_numpy(BOARDS)
        torch.testing.assert_close(grown(boards), net(boards), rtol=0, atol=1e-5)


def test_new_units_can_learn() -> None:
    grown = grow(sharp_net(8, 6), (12, 9, 7), np.random.default_rng(1))
    boards = torch.from_numpy(BOARDS)
    with torch.no_grad():
        values = grown.first(boards)
        for weight, bias in grown.linear_weights():
            assert (values > 0).any(0).float().mean() > 0.7
            values = torch.relu(values @ weight.T + bias)
    grown(boards)[:, 0].sum().backward()
    for weight, _ in grown.linear_weights():
        assert weight.grad is not None
        assert (weight.grad != 0).any(0).float().mean() > 0.7
    others = grow(sharp_net(8, 6), (12, 9, 7), np.random.default_rng(2))
    assert not torch.equal(grown.first.weights, others.first.weights)


@pytest.mark.parametrize(
    ("big", "reason"),
    [
        ((), "it needs at least 2 layers"),
        ((8,), "it needs at least 2 layers"),
        ((7, 6), "layer 1 must hold the 8 units of layer 1"),
        ((8, 5), "layer 2 must hold the 6 units of layer 2"),
        ((8, 7, 6), "layer 2 must hold the 8 units of layer 1"),
    ],
)
def test_a_net_does_not_fit_in_a_smaller_one(big: tuple[int, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=rf"hidden \[8, 6\] cannot grow to \[.*\]: {reason}"):
        NetConfig(hidden=(8, 6)).layers_grown_to(big)


def test_the_stage_begins_with_what_was_learnt_and_learns_on() -> None:
    trainer = Trainer(growing(nets=2))
    while trainer.config.stage_at(trainer.progress)[0] < Stage.GROWN:
        trainer.train_window()
    before = trainer.averaged_evaluator()(BOARDS)
    trainer._start_stage(Stage.GROWN)
    assert [learner.net.config.hidden for learner in trainer.learners] == [(12, 9)] * 2
    np.testing.assert_allclose(trainer.averaged_evaluator()(BOARDS), before, atol=1e-4)
    assert not torch.equal(*(learner.net.first.weights[:, :, 8:] for learner in trainer.learners))
    for _ in range(3):
        trainer.train_window()
    assert np.abs(trainer.averaged_evaluator()(BOARDS) - before).max() > 1e-4


def test_nets_grow_twice_and_say_the_same_each_time() -> None:
    trainer = Trainer(growing(**GROWING_AGAIN, nets=2))
    shapes = []
    for stage in (Stage.GROWN, Stage.REGROWN):
        while trainer.config.stage_at(trainer.progress)[0] < stage:
            trainer.train_window()
        before = trainer.averaged_evaluator()(BOARDS)
        trainer._start_stage(stage)
        shapes += [learner.net.config.hidden for learner in trainer.learners]
        np.testing.assert_allclose(trainer.averaged_evaluator()(BOARDS), before, atol=1e-4)
    assert shapes == [(12, 9)] * 2 + [(12, 12, 9)] * 2
    while not trainer.is_complete:
        trainer.train_window()


def test_a_run_that_grew_twice_resumes(tmp_path: Path) -> None:
    assert_resumes_alike(Stage.REGROWN, growing(**GROWING_AGAIN), tmp_path)
    assert load_nets(tmp_path / runs.CHECKPOINT)[0].config.hidden == (12, 12, 9)


def test_each_stage_of_bigger_nets_has_its_own_shape_and_steps() -> None:
    config = growing(**GROWING_AGAIN, grown_learning_rate=0.5, regrown_learning_rate=0.25)
    assert [config.net(stage).hidden for stage in Stage] == [(8,), (8,), (12, 9), (12, 12, 9)]
    at_its_start = [config.learning_rate_at(games / 160) for games in (30, 130)]
    assert at_its_start == pytest.approx([0.5, 0.25])


def test_a_resumed_run_is_the_run_that_was_never_stopped(tmp_path: Path) -> None:
    config = growing(nets=2, scout_units=4, shortlist=3)
    assert_resumes_alike(Stage.GROWN, config, tmp_path)
    assert [net.config.hidden for net in load_nets(tmp_path / runs.CHECKPOINT)] == [(12, 9)] * 2


def test_a_longer_second_stage_goes_on_with_the_nets_as_they_are(tmp_path: Path) -> None:
    run = runs.open_run(tmp_path, growing())
    trained_to(Stage.GROWN, run.trainer)
    run.save()
    longer = growing(lookahead_games=10_000)
    trained_to(Stage.LOOKAHEAD, runs.open_run(tmp_path, longer).trainer)
    run = runs.open_run(tmp_path, longer)
    run.trainer.train_window()
    run.save()
    assert load_nets(tmp_path / runs.CHECKPOINT)[0].config.hidden == (12, 9)
    resumed = runs.open_run(tmp_path, longer).trainer
    assert_same(run.trainer, resumed)
    before = resumed.averaged_evaluator()(BOARDS)
    resumed._start_stage(Stage.GROWN)
    np.testing.assert_array_equal(resumed.averaged_evaluator()(BOARDS), before)


def test_a_stage_that_has_begun_cannot_be_left_out(tmp_path: Path) -> None:
    config = growing(grown_hidden=None, grown_games=None)
    run = runs.open_run(tmp_path, config)
    trained_to(Stage.LOOKAHEAD, run.trainer)
    run.save()
    with pytest.raises(ValueError, match="whose stage 2 has begun: give its length"):
        runs.open_run(
            tmp_path,
            growing(games=60, lookahead_games=None, grown_hidden=None, grown_games=None),
        )


def test_a_longer_third_stage_goes_on_with_nets_that_grew_twice(tmp_path: Path) -> None:
    run = runs.open_run(tmp_path, growing(**GROWING_AGAIN))
    trained_to(Stage.REGROWN, run.trainer)
    run.save()
    resumed = runs.open_run(tmp_path, growing(**GROWING_AGAIN | {"grown_games": 10_000})).trainer
    trained_to(Stage.GROWN, resumed)
    assert resumed.learners[0].net.config.hidden == (12, 12, 9)


def test_a_stage_of_bigger_nets_may_be_added_but_not_changed(tmp_path: Path) -> None:
    run = runs.open_run(tmp_path, growing(grown_hidden=None, grown_games=None))
    while not run.trainer.is_complete:
        run.trainer.train_window()
    run.save()
    run = runs.open_run(tmp_path, growing())
    trained_to(Stage.GROWN, run.trainer)
    run.save()
    assert load_nets(tmp_path / runs.CHECKPOINT)[0].config.hidden == (12, 9)
    with pytest.raises(ValueError, match=r"a run with grown_hidden \(12, 9\), not \(12, 10\)"):
        runs.open_run(tmp_path, growing(grown_hidden=[12, 10]))


@pytest.mark.parametrize("left_out", ["grown_hidden", "grown_games", "lookahead_games"])
def test_a_third_stage_needs_a_shape_a_length_and_a_second(left_out: str) -> None:
    with pytest.raises(ValueError, match=f"goes with .*{left_out}"):
        growing(**{left_out: None})


@pytest.mark.parametrize("left_out", ["regrown_hidden", "regrown_games", "grown_games"])
def test_a_fourth_stage_needs_a_shape_a_length_and_a_third(left_out: str) -> None:
    shorter = {left_out: None, "grown_hidden": None} if left_out == "grown_games" else {}
    with pytest.raises(ValueError, match=f"regrown_.* goes with .*{left_out}"):
        growing(**GROWING_AGAIN | {left_out: None} | shorter)


def test_a_shape_that_cannot_be_grown_to_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\[8\] cannot grow to \[6, 8\]"):
        growing(grown_hidden=[6, 8])
    with pytest.raises(ValueError, match=r"\[12, 9\] cannot grow to \[12, 8\]"):
        growing(**GROWING_AGAIN | {"regrown_hidden": [12, 8]})
