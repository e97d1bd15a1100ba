"""Runs in which several nets play and learn, and teach another one in the end."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bgai.engine import START, UNFINISHED, outcomes
from bgai.model.checkpoint import load_evaluator, make_evaluator
from bgai.model.value_net import ValueNet
from bgai.search import Panel
from bgai.search.ply import PlyEvaluator
from bgai.training import run as runs
from bgai.training.config import Stage, TrainConfig
from bgai.training.self_play import SelfPlay
from bgai.training.trainer import Trainer
from tests.model.test_value_net import BOARDS, sharp_net
from tests.training.test_trainer import assert_same, small_config

TEACHERS = {"teachers": 2, "teacher_hidden": [12], "scout_units": 4, "shortlist": 3}
STAGES = {"games": 10, "lookahead_games": 10, "teaching_games": 40}
POLISHED = {"teaching_games": 10, "polish_games": 40}


def teaching_config(**values: object) -> TrainConfig:
    """With None for what is left out."""
    every = {**TEACHERS, **STAGES, **values}
    return small_config(**{name: value for name, value in every.items() if value is not None})


def trained_to(stage: Stage, trainer: Trainer) -> Trainer:
    """Until the first window of a stage has been played."""
    while trainer.config.stage_at(trainer.progress)[0] < stage:
        trainer.train_window()
    trainer.train_window()
    return trainer


def weights(net: ValueNet) -> list[torch.Tensor]:
    return [parameter.detach().clone() for parameter in net.parameters()]


def same(first: list[torch.Tensor], second: list[torch.Tensor]) -> bool:
    return all(torch.equal(*pair) for pair in zip(first, second, strict=True))


def test_the_three_stages_follow_each_other() -> None:
    config = teaching_config(teaching_learning_rate=1e-2, teaching_final_learning_rate=1e-4)
    stages = [config.stage_at(config.progress(games, 0))[0] for games in (0, 9, 10, 19, 20, 60)]
    assert stages == [0, 0, 1, 1, 2, 2]
    rates = [config.learning_rate_at(config.progress(games, 0)) for games in (20, 40, 60)]
    assert rates == pytest.approx([1e-2, 5.05e-3, 1e-4])


def test_in_the_end_the_net_itself_plays_and_looks_ahead() -> None:
    config = teaching_config(**POLISHED, lambda_=0, scout_units=None, shortlist=None)
    trainer = trained_to(Stage.TEACHING, Trainer(config))
    assert trainer.players == trainer.teachers
    trained_to(Stage.POLISH, trainer)
    assert trainer.players == [trainer.learner]
    looks_ahead = PlyEvaluator(make_evaluator(trainer.learner.net), 1)
    np.testing.assert_allclose(trainer._targets, looks_ahead(trainer._boards), atol=1e-6)


def test_the_last_stage_needs_teachers() -> None:
    with pytest.raises(ValueError, match="polish_games or polish_minutes 5 goes with teachers"):
        small_config(games=10, polish_games=5)


def test_teachers_need_no_lookahead() -> None:
    config = teaching_config(lookahead_games=None)
    stages = [config.stage_at(config.progress(games, 0))[0] for games in (9, 10)]
    assert stages == [Stage.SELF_PLAY, Stage.TEACHING]


@pytest.mark.parametrize("left_out", ["teachers", "teacher_hidden", "teaching_games"])
def test_teachers_their_shape_and_their_lessons_go_together(left_out: str) -> None:
    with pytest.raises(ValueError, match=f"goes with .*{left_out}"):
        teaching_config(**{left_out: None})


def test_all_begin_together_then_the_teachers_learn_and_then_the_net() -> None:
    trainer = Trainer(teaching_config(games=30, **POLISHED))
    everyone = [trainer.learner, *trainer.players]

    def learners_of_a_window() -> list[bool]:
        before = [weights(learner.net) for learner in everyone]
        trainer.train_window()
        after = [weights(learner.net) for learner in everyone]
        return [not same(*pair) for pair in zip(before, after, strict=True)]

    assert not same(*(weights(player.net) for player in trainer.players))
    trained_to(Stage.SELF_PLAY, trainer)
    assert learners_of_a_window() == [True, True, True]
    trained_to(Stage.LOOKAHEAD, trainer)
    assert learners_of_a_window() == [False, True, True]
    trained_to(Stage.TEACHING, trainer)
    assert learners_of_a_window() == [True, False, False]
    trained_to(Stage.POLISH, trainer)
    assert learners_of_a_window() == [True, False, False]


def test_the_net_comes_to_think_as_its_teachers_do() -> None:
    trainer = Trainer(teaching_config(hidden=[32], teaching_games=600, teaching_learning_rate=1e-2))
    trained_to(Stage.TEACHING, trainer)
    teachers = Panel([make_evaluator(player.net) for player in trainer.players])

    def distance() -> float:
        learnt = make_evaluator(trainer.learner.averaged_net())(BOARDS)
        return float(np.abs(learnt - teachers(BOARDS)).mean())

    before = distance()
    while not trainer.is_complete:
        trainer.train_window()
    assert distance() < before / 2


def test_the_plays_that_were_chosen_among_are_kept_with_their_values() -> None:
    evaluator = make_evaluator(sharp_net(12, 8))
    play = SelfPlay(16, np.random.default_rng(2))
    window, tasks = play.start_window(evaluator, 120, keeps_considered=True)
    for task in reversed(tasks):
        task()
    after, probs = window.considered_plays()
    assert len(after) > 5 * window.ended.size
    assert window.ended.any()
    assert (outcomes(after) == UNFINISHED).all()
    np.testing.assert_allclose(probs, evaluator(after), atol=1e-6)
    chosen = {row.tobytes() for row in window.boards[1:].reshape(-1, 26)}
    assert chosen <= {row.tobytes() for row in after} | {START.tobytes()}


def test_a_resumed_run_with_teachers_is_the_run_that_was_never_stopped(tmp_path: Path) -> None:
    config = teaching_config()
    straight = trained_to(Stage.TEACHING, Trainer(config))
    run = runs.open_run(tmp_path, config)
    windows = 0
    while run.trainer.games < straight.games:
        run.trainer.train_window()
        windows += 1
        if windows % 5 == 0:
            run.save()
            run = runs.open_run(tmp_path, config)
    assert_same(straight, run.trainer)
    run.save()
    resumed = runs.open_run(tmp_path, config).trainer
    for _ in range(3):
        straight.train_window()
        resumed.train_window()
    assert_same(straight, resumed)


def test_a_checkpoint_shows_the_first_teacher_until_the_net_has_begun(tmp_path: Path) -> None:
    config = teaching_config()
    run = runs.open_run(tmp_path, config)

    def shown() -> Any:
        run.save()
        return load_evaluator(tmp_path / runs.CHECKPOINT)(BOARDS)

    def averaged(net: ValueNet) -> Any:
        return make_evaluator(net)(BOARDS)

    trained_to(Stage.LOOKAHEAD, run.trainer)
    teachers = [averaged(player.averaged_net()) for player in run.trainer.players]
    np.testing.assert_array_equal(shown(), teachers[0])
    measured = run.trainer.averaged_evaluator()(BOARDS)
    np.testing.assert_allclose(measured, np.mean(teachers, 0), atol=1e-6)
    trained_to(Stage.TEACHING, run.trainer)
    net = averaged(run.trainer.learner.averaged_net())
    np.testing.assert_array_equal(shown(), net)
    np.testing.assert_array_equal(run.trainer.averaged_evaluator()(BOARDS), net)
