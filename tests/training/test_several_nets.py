"""Runs in which several nets learn the same games, and play and count by their mean."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bgai.engine import legal_afterstates, roll
from bgai.model.checkpoint import load_evaluators, make_evaluator
from bgai.search import Panel
from bgai.search.ply import PlyEvaluator
from bgai.training import run as runs
from bgai.training.config import Stage, TrainConfig
from bgai.training.trainer import Trainer
from tests.model.test_value_net import BOARDS
from tests.training.test_trainer import assert_same, small_config

SEVERAL = {"nets": 3, "games": 10, "lookahead_games": 100, "scout_units": 4, "shortlist": 3}


def several(**values: object) -> TrainConfig:
    """With None for what is left out."""
    return small_config(
        **{name: value for name, value in {**SEVERAL, **values}.items() if value is not None}
    )


def trained_to(stage: Stage, trainer: Trainer) -> Trainer:
    """Until the first window of a stage has been played."""
    while trainer.config.stage_at(trainer.progress)[0] < stage:
        assert not trainer.is_complete
        trainer.train_window()
    trainer.train_window()
    return trainer


def assert_resumes_alike(stage: Stage, config: TrainConfig, folder: Path) -> None:
    """Whether a run that is stopped now and then, up to a stage, is the one that never was."""
    straight = trained_to(stage, Trainer(config))
    run = runs.open_run(folder, config)
    windows = 0
    while run.trainer.games < straight.games:
        run.trainer.train_window()
        windows += 1
        if windows % 3 == 0:
            run.save()
            run = runs.open_run(folder, config)
    assert_same(straight, run.trainer)
    run.save()
    resumed = runs.open_run(folder, config).trainer
    for _ in range(3):
        straight.train_window()
        resumed.train_window()
    assert_same(straight, resumed)


def first_weights(trainer: Trainer) -> list[torch.Tensor]:
    return [learner.net.first.weights.detach().clone() for learner in trainer.learners]


@pytest.mark.parametrize("stage", [Stage.SELF_PLAY, Stage.LOOKAHEAD])
def test_all_learn_and_stay_different(stage: Stage) -> None:
    trainer = trained_to(stage, Trainer(several()))
    before = first_weights(trainer)
    trainer.train_window()
    after = first_weights(trainer)
    assert not any(torch.equal(*pair) for pair in zip(before, after, strict=True))
    assert not torch.equal(after[0], after[1]) and not torch.equal(after[1], after[2])


def test_they_look_ahead_by_their_mean() -> None:
    config = several(lambda_=0, scout_units=None, shortlist=None)
    trainer = trained_to(Stage.LOOKAHEAD, Trainer(config))
    together = Panel([make_evaluator(learner.net) for learner in trainer.learners])
    expected = PlyEvaluator(together, 1)(trainer._boards)
    np.testing.assert_allclose(trainer._targets, expected, atol=1e-6)


def test_with_a_margin_each_looks_first_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = Trainer(several(nets_margin=0.02))
    asked: list[Panel] = []
    start_window = trainer.self_play.start_window

    def watched(panel: Panel, *others: Any, **named: Any) -> Any:
        asked.append(panel)
        return start_window(panel, *others, **named)

    monkeypatch.setattr(trainer.self_play, "start_window", watched)
    for _ in range(5):
        evaluators = trainer._evaluators
        trainer.train_window()
        learnt = trainer.learners[0].rounds
        assert asked[-1].margin == 0.02
        first = asked[-1].evaluators[0]
        assert first is evaluators[max(learnt - 1, 0) % 3]
    assert learnt == 4


def test_a_margin_goes_with_several_nets() -> None:
    with pytest.raises(ValueError, match=r"nets_margin 0\.1 goes with several nets"):
        small_config(games=10, nets_margin=0.1)


def test_a_resumed_run_is_the_run_that_was_never_stopped(tmp_path: Path) -> None:
    config = several(nets_margin=0.02, exact_endgames=True)
    assert_resumes_alike(Stage.LOOKAHEAD, config, tmp_path)


def test_another_number_of_nets_is_another_run(tmp_path: Path) -> None:
    runs.open_run(tmp_path, several()).save()
    with pytest.raises(ValueError, match="a run with nets 3, not 2"):
        runs.open_run(tmp_path, several(nets=2))


def test_a_checkpoint_holds_the_averaged_weights_of_all(tmp_path: Path) -> None:
    run = runs.open_run(tmp_path, several())
    trained_to(Stage.LOOKAHEAD, run.trainer)
    run.save()
    each = [make_evaluator(learner.averaged_net())(BOARDS) for learner in run.trainer.learners]
    saved = load_evaluators(tmp_path / runs.CHECKPOINT)
    for evaluator, expected in zip(saved, each, strict=True):
        np.testing.assert_array_equal(evaluator(BOARDS), expected)
    np.testing.assert_allclose(
        run.trainer.averaged_evaluator()(BOARDS), np.mean(each, 0), atol=1e-6
    )
    assert np.ptp(each, 0).max() > 1e-4


def test_the_scout_learns_from_their_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = trained_to(Stage.LOOKAHEAD, Trainer(several()))
    asked = []

    def lessons(evaluator, scout, boards, rng):  # type: ignore[no-untyped-def]
        asked.append(evaluator)
        after, _ = legal_afterstates(boards, roll(rng, len(boards)))
        return after[: 4 * len(boards)].reshape(-1, 4, 26), np.zeros((len(boards), 4), np.float32)

    monkeypatch.setattr("bgai.training.trainer.scout_lessons", lessons)
    together = Panel(trainer._evaluators)
    trainer.train_window()
    np.testing.assert_allclose(asked[0](BOARDS), together(BOARDS), atol=1e-6)
