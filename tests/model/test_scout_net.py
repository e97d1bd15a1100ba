import numpy as np
import torch

from bgai.model.scout_net import ScoutNet, ScoutScores
from tests.model.test_value_net import BOARDS


def test_scores_are_the_nets_equities_seen_by_the_player_who_moved() -> None:
    torch.manual_seed(1)
    net = ScoutNet("slots-v1", 32)
    with torch.no_grad():
        net.first.weights.mul_(5)
        equities = net(torch.from_numpy(BOARDS)).numpy() - net.output.bias.item()
    assert equities.std() > 0.1
    np.testing.assert_allclose(ScoutScores(net)(BOARDS), -equities, atol=1e-4)
