import numpy as np
import pytest
import torch

from bgai.engine import (
    CHECKERS,
    START,
    UNFINISHED,
    Boards,
    legal_afterstates,
    outcomes,
    possible_outcomes,
    roll,
)
from bgai.model.checkpoint import make_evaluator
from bgai.model.encoding import INPUT_SLOTS, encoding_features
from bgai.model.net_config import NetConfig
from bgai.model.slot_layer import slot_rows
from bgai.model.value_net import ValueNet


def random_boards(count: int, seed: int = 0) -> Boards:
    """Positions of random play, the finished ones among them."""
    rng = np.random.default_rng(seed)
    boards, kept = np.repeat(START[None], 64, axis=0), [START[None]]
    while sum(map(len, kept)) < count:
        after, offsets = legal_afterstates(boards, roll(rng, len(boards)))
        boards = after[offsets[:-1] + rng.integers(0, np.diff(offsets))]
        kept.append(boards.copy())
        boards[outcomes(boards) != UNFINISHED] = START
    return np.concatenate(kept)[:count]


BOARDS = random_boards(5000)


def sharp_net(*hidden: int) -> ValueNet:
    """A net whose outputs differ as much as a trained one's."""
    torch.manual_seed(3)
    net = ValueNet(NetConfig(hidden=hidden))
    with torch.no_grad():
        net.first.weights.mul_(5)
        net.first.bias.normal_(std=0.3)
        for _, bias in net.linear_weights():
            bias.normal_(std=0.3)
        net.linear_weights()[-1][0].mul_(10)
    return net


@pytest.mark.parametrize("hidden", [(8,), (256, 32), (30, 17, 9)])
def test_evaluator_and_net_give_the_same_probabilities(hidden: tuple[int, ...]) -> None:
    net = sharp_net(*hidden)
    with torch.no_grad():
        expected = net(torch.from_numpy(BOARDS)).numpy()
    assert expected.std(axis=0).min() > 0.005
    np.testing.assert_allclose(make_evaluator(net)(BOARDS), expected, atol=1e-4)


def test_a_boards_value_does_not_depend_on_its_neighbours() -> None:
    evaluator = make_evaluator(sharp_net(64, 16))
    probs = evaluator(BOARDS)
    order = np.random.default_rng(1).permutation(len(BOARDS))
    np.testing.assert_array_equal(evaluator(BOARDS[order]), probs[order])
    np.testing.assert_array_equal(evaluator(BOARDS[7:8]), probs[7:8])
    assert evaluator(BOARDS[:0]).shape == (0, 6)


def test_impossible_outcomes_are_exactly_zero_and_rows_sum_to_one() -> None:
    net = sharp_net(64, 16)
    possible = possible_outcomes(BOARDS)
    assert not possible.all()
    with torch.no_grad():
        exact = net(torch.from_numpy(BOARDS)).numpy()
    for probs in (make_evaluator(net)(BOARDS), exact):
        assert (probs[~possible] == 0).all()
        np.testing.assert_allclose(probs.sum(1), 1, atol=1e-6)


def test_finished_games_are_exact() -> None:
    ended = outcomes(BOARDS)
    over = ended != UNFINISHED
    assert over.sum() > 10
    probs = make_evaluator(sharp_net(64, 16))(BOARDS[over])
    np.testing.assert_array_equal(probs, np.eye(6, dtype=np.float32)[ended[over]])


def test_the_path_that_plays_has_weights_of_its_own() -> None:
    net = sharp_net(64, 16)
    evaluator = make_evaluator(net)
    before = evaluator(BOARDS)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.05)
    np.testing.assert_array_equal(evaluator(BOARDS), before)
    assert np.abs(before - make_evaluator(net)(BOARDS)).max() > 0.01


def test_the_first_layers_gradient_is_the_one_of_plain_torch() -> None:
    net = sharp_net(24, 8)
    boards = torch.from_numpy(BOARDS[::50].copy())
    weights = torch.randn(len(boards), 6)
    gradients = torch.autograd.grad((net.logits(boards) * weights).sum(), list(net.parameters()))
    values = torch.relu(net.first.table()[slot_rows(boards)].sum(1) + net.first.bias)
    for layer in net.layers[:-1]:
        values = torch.relu(layer(values))
    plain = (net.layers[-1](values) * weights).sum()
    for ours, theirs in zip(
        gradients, torch.autograd.grad(plain, list(net.parameters())), strict=True
    ):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-3)


def test_an_empty_slot_has_no_features() -> None:
    features = encoding_features("slots-v1")
    assert features.shape[0] == INPUT_SLOTS
    assert not features[:, CHECKERS].any()


def test_every_count_of_a_slot_looks_different() -> None:
    for slot in encoding_features("slots-v1"):
        assert len(np.unique(slot, axis=0)) == len(slot)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"encoding": "slots-v0"}, "slots-v0"),
        ({"hidden": ()}, r"\[\]"),
        ({"hidden": (256, 0)}, r"\[256, 0\]"),
    ],
)
def test_a_wrong_net_is_refused_with_the_value(values: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NetConfig(**values)  # type: ignore[arg-type]
