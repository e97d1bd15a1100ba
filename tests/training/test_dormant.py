import copy

import numpy as np
import torch

from bgai.model.value_net import ValueNet
from bgai.training.dormant import active_units, begin_anew
from bgai.training.learner import Learner, cross_entropy
from bgai.training.trainer import Trainer
from tests.model.test_value_net import BOARDS, sharp_net
from tests.training.test_trainer import small_config

SOME = BOARDS[:500]


def silenced_net() -> ValueNet:
    """A net of 12 and 8 units, of which 3 and 2 are never on."""
    net = sharp_net(12, 8)
    with torch.no_grad():
        net.first.bias[[1, 5, 11]] = -1000
        net.linear_weights()[0][1][[0, 7]] = -1000
    return net


def test_units_that_are_never_on_are_found() -> None:
    net = silenced_net()
    first, second = active_units(net, SOME)
    assert not first[[1, 5, 11]].any() and not second[[0, 7]].any()
    assert first.sum() > 5 and second.sum() > 3


def test_a_unit_begun_anew_changes_no_value_and_can_learn_again() -> None:
    learner = Learner(silenced_net(), cross_entropy, 16.0, torch.device("cpu"))
    targets = np.tile(np.array([0.5, 0.1, 0, 0.3, 0.1, 0], np.float32), (500, 1))
    learner.learn(SOME, targets, np.arange(500), 100, 1e-3)
    net, averaged = learner.net, copy.deepcopy(learner.averaged_net())
    boards = torch.from_numpy(SOME)
    with torch.no_grad():
        before, averaged_before = net(boards), averaged(boards)
    dormant = [~active for active in active_units(net, SOME)]
    assert all(units.any() for units in dormant)

    begin_anew(net, dormant, learner.averaged, learner.moments(), np.random.default_rng(1))
    with torch.no_grad():
        torch.testing.assert_close(net(boards), before)
        torch.testing.assert_close(learner.averaged_net()(boards), averaged_before)
    assert all(
        active[units].all() for active, units in zip(active_units(net, SOME), dormant, strict=True)
    )
    for moment in learner.moments():
        assert not moment["first.weights"][:, :, dormant[0]].any()
        assert moment["first.weights"][:, :, ~dormant[0]].any()

    outgoing = net.linear_weights()[1][0][:, dormant[1]]
    assert not outgoing.any()
    learner.learn(SOME, targets, np.arange(500), 100, 1e-3)
    assert net.linear_weights()[1][0][:, dormant[1]].any()


def test_training_begins_dormant_units_anew_where_asked_to() -> None:
    for revive in (False, True):
        trainer = Trainer(small_config(revive=revive, games_at_once=8))
        with torch.no_grad():
            trainer.learners[0].net.first.bias[:4] = -1000
            trainer.learners[0].averaged["first.bias"][:4] = -1000
        metrics = [trainer.train_window() for _ in range(66)]
        told = [
            window["train/dormant_units"] for window in metrics if "train/dormant_units" in window
        ]
        assert len(told) == revive
        assert (trainer.learners[0].net.first.bias[:4] == -1000).all() != revive
    assert told[0] >= 4


def test_units_that_the_averaged_weights_make_use_of_are_not_begun_anew() -> None:
    trainer = Trainer(small_config(revive=True))
    for _ in range(2):
        trainer.train_window()
    learner = trainer.learners[0]
    with torch.no_grad():
        learner.net.first.bias[:4] = -1000
    before = trainer.averaged_evaluator()(trainer._boards)
    trainer._revive(learner, 0)
    assert (learner.net.first.bias[:4] == -1000).all()
    np.testing.assert_allclose(trainer.averaged_evaluator()(trainer._boards), before, atol=1e-5)
