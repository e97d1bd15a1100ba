import numpy as np
import torch

from bgai.engine import UNFINISHED, Boards, equity, legal_afterstates, outcomes, roll
from bgai.model.checkpoint import make_evaluator
from bgai.model.scout_net import ScoutNet
from bgai.search import Scout
from bgai.training.scouting import ranking_error, scout_lessons
from tests.model.test_value_net import BOARDS, sharp_net

RUNNING = BOARDS[outcomes(BOARDS) == UNFINISHED][:300]


def weighted_sums(after: Boards) -> np.ndarray:
    """Scores that differ from play to play."""
    weights = np.random.default_rng(1).normal(size=26)
    return (after @ weights).astype(np.float32)


def test_a_lesson_is_the_three_best_plays_and_any_other() -> None:
    evaluator = make_evaluator(sharp_net(8))
    rng = np.random.default_rng(2)
    boards, equities = scout_lessons(evaluator, Scout(weighted_sums, 1), RUNNING, rng)
    assert boards.shape == (len(RUNNING), 4, 26)

    after, offsets = legal_afterstates(RUNNING, roll(np.random.default_rng(2), len(RUNNING)))
    left_out = 0
    for board, lesson in enumerate(boards):
        plays = after[offsets[board] : offsets[board + 1]]
        ranked = plays[np.argsort(-weighted_sums(plays))]
        best = ranked[np.minimum([0, 1, 2], len(plays) - 1)]
        np.testing.assert_array_equal(lesson[:3], best)
        (place,) = np.flatnonzero((ranked == lesson[3]).all(1))
        left_out += int(place > 2)
    assert left_out > 50
    expected = equity(evaluator(boards.reshape(-1, 26)))
    np.testing.assert_allclose(equities.ravel(), expected, atol=1e-5)


def test_only_what_sets_plays_of_a_lesson_apart_is_an_error() -> None:
    torch.manual_seed(1)
    net = ScoutNet("slots-v1", 4)
    boards = torch.from_numpy(BOARDS[:8].reshape(2, 4, 26))
    own = net(boards.flatten(0, 1)).view(2, 4)
    assert ranking_error(net, boards, own + torch.tensor([[5.0], [-3.0]])).item() < 1e-9
    apart = torch.tensor([[0.0, 0.0, 0.0, 4.0], [1.0, 1.0, 3.0, 3.0]])
    assert ranking_error(net, boards, own + apart).item() == np.float32(3 + 1)
