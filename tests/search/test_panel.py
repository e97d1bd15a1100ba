"""Several evaluators that are asked together."""

import numpy as np
import pytest

from bgai.engine import UNFINISHED, Boards, Probs, equity, legal_afterstates, outcomes
from bgai.model.checkpoint import make_evaluator
from bgai.search import Panel, choose_plays
from bgai.search.select import value_plays
from tests.model.test_value_net import BOARDS as EVERY
from tests.model.test_value_net import sharp_net

BOARDS = EVERY[outcomes(EVERY) == UNFINISHED]
NETS = [sharp_net(8), sharp_net(9, 5), sharp_net(7)]
EVALUATORS = [make_evaluator(net) for net in NETS]
DICE = np.tile([[3, 1]], (len(BOARDS), 1))


class Watched:
    """An evaluator that keeps the boards it is asked about."""

    def __init__(self) -> None:
        self.seen: list[Boards] = []

    def __call__(self, boards: Boards) -> Probs:
        self.seen.append(boards)
        return EVALUATORS[0](boards)


def test_a_panel_says_the_mean_of_its_chances() -> None:
    each = [evaluator(BOARDS) for evaluator in EVALUATORS]
    np.testing.assert_allclose(Panel(EVALUATORS)(BOARDS), np.mean(each, 0), atol=1e-6)
    assert np.ptp(each, 0).max() > 0.01


def test_without_a_margin_all_see_every_play_and_the_best_is_the_means() -> None:
    after, offsets = legal_afterstates(BOARDS, DICE)
    plays = value_plays(Panel(EVALUATORS), BOARDS, DICE)
    np.testing.assert_array_equal(plays.offsets, offsets)
    np.testing.assert_allclose(plays.probs, Panel(EVALUATORS)(after), atol=1e-6)
    chosen, _ = choose_plays(Panel(EVALUATORS), BOARDS, DICE)
    expected, _ = choose_plays(lambda boards: Panel(EVALUATORS)(boards), BOARDS, DICE)
    np.testing.assert_array_equal(chosen, expected)


@pytest.mark.parametrize("margin", [0.0, 0.02, 0.1])
def test_the_others_see_what_the_first_thinks_near_its_best(margin: float) -> None:
    after, offsets = legal_afterstates(BOARDS, DICE)
    other = Watched()
    plays = Panel([EVALUATORS[1], other], margin).value(after, offsets)
    scores = -equity(EVALUATORS[1](after))
    best = np.maximum.reduceat(scores, offsets[:-1])
    near = scores >= np.repeat(best, np.diff(offsets)) - np.float32(margin)
    assert 0 < near.sum() < len(after)
    np.testing.assert_array_equal(np.concatenate(other.seen), after[near])
    np.testing.assert_array_equal(plays.after, after[near])
    np.testing.assert_allclose(
        plays.probs, Panel([EVALUATORS[0], EVALUATORS[1]])(after[near]), atol=1e-6
    )


def test_each_leads_in_turn() -> None:
    panel = Panel(EVALUATORS, 0.05)
    leaders = [panel.led_by(number).evaluators[0] for number in range(4)]
    assert leaders == [*EVALUATORS, EVALUATORS[0]]
    assert set(panel.led_by(2).evaluators) == set(EVALUATORS)
    assert panel.led_by(2).margin == 0.05
