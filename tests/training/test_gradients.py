import numpy as np
import pytest
import torch

from bgai.model.net_config import NetConfig
from bgai.model.value_net import ValueNet
from bgai.training.gradients import ValueNetGradients
from bgai.training.learner import cross_entropy
from tests.model.test_value_net import BOARDS, sharp_net


@pytest.mark.parametrize("hidden", [(8,), (24, 9), (16, 12, 8)])
def test_the_gradient_by_hand_is_that_of_autograd(hidden: tuple[int, ...]) -> None:
    net = sharp_net(*hidden)
    boards = BOARDS[::40]
    other = ValueNet(NetConfig(hidden=hidden))
    with torch.no_grad():
        targets = other(torch.from_numpy(boards))
    loss = cross_entropy(net, torch.from_numpy(boards), targets)
    expected = torch.autograd.grad(loss / len(boards), list(net.parameters()))
    gradients = ValueNetGradients(net)
    gradients(BOARDS[:50], np.roll(targets.numpy()[:50], 1, 0))  # leaves nothing behind
    assert gradients(boards, targets.numpy()) == pytest.approx(loss.item(), rel=1e-5)
    for parameter, value in zip(net.parameters(), expected, strict=True):
        assert parameter.grad is not None
        assert value.abs().max() > 1e-5
        torch.testing.assert_close(parameter.grad, value, rtol=1e-3, atol=1e-6)
