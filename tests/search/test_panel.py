"""Several evaluators that are asked together."""

import numpy as np
import pytest

from bgai.cube import pack_states, swap_states
from bgai.endgame import Endgames, load_or_build
from bgai.engine import UNFINISHED, Boards, Probs, equity, legal_afterstates, outcomes
from bgai.match import CubeState
from bgai.model.checkpoint import make_evaluator
from bgai.search import EvaluatorPlayer, Panel, choose_plays
from bgai.search.select import value_plays
from tests.model.test_value_net import BOARDS as EVERY
from tests.model.test_value_net import sharp_net

BOARDS = EVERY[outcomes(EVERY) == UNFINISHED]
NETS = [sharp_net(8), sharp_net(9, 5), sharp_net(7)]
EVALUATORS = [make_evaluator(net) for net in NETS]
DICE = np.tile([[3, 1]], (len(BOARDS), 1))


@pytest.fixture(scope="module")
def endgames() -> Endgames:
    return load_or_build()


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


def test_what_the_tables_know_is_not_left_to_a_panel(endgames: Endgames) -> None:
    bear_off = np.zeros(26, np.int8)
    bear_off[[1, 3, 5, 20, 22]] = 2, 1, 1, -2, -2
    boards = np.concatenate([BOARDS[:50], np.repeat(bear_off[None], 3, axis=0)])
    dice = np.tile([[2, 1]], (len(boards), 1))
    known, is_known = endgames.lookup(boards)
    assert (is_known > 0).any() and (is_known == 0).any()
    panel = Panel(EVALUATORS, 0.05, endgames)
    expected = np.where(is_known[:, None] > 0, known, Panel(EVALUATORS)(boards))
    np.testing.assert_allclose(panel(boards), expected, atol=1e-6)
    plays = value_plays(panel, boards, dice)
    known, is_known = endgames.lookup(plays.after)
    expected = np.where(is_known[:, None] > 0, known, Panel(EVALUATORS)(plays.after))
    assert (is_known > 0).any()
    np.testing.assert_allclose(plays.probs, expected, atol=1e-6)


def test_with_a_cube_a_panel_looks_at_what_is_near_the_best_with_a_cube() -> None:
    other = Watched()
    player = EvaluatorPlayer("panel", Panel([EVALUATORS[1], other], 0.05))
    gammons_count_for_nothing = pack_states(CubeState(away=(1, 3), is_crawford=True), len(BOARDS))
    chosen = player.choose_cubeful(BOARDS, DICE, gammons_count_for_nothing)
    after, offsets = legal_afterstates(BOARDS, DICE)
    theirs = np.repeat(swap_states(gammons_count_for_nothing), np.diff(offsets), axis=0)
    worth = -player.cube.decide_batch(EVALUATORS[1](after), after, theirs).equities
    best = np.maximum.reduceat(worth, offsets[:-1])
    near = worth >= np.repeat(best - 0.05, np.diff(offsets))
    assert near.sum() < len(after) / 2
    np.testing.assert_array_equal(np.concatenate(other.seen), after[near])
    everything = EvaluatorPlayer("all", Panel([EVALUATORS[1], EVALUATORS[0]]))
    same = (chosen == everything.choose_cubeful(BOARDS, DICE, gammons_count_for_nothing)).all(1)
    assert 0.5 < same.mean() < 1


def test_each_leads_in_turn() -> None:
    panel = Panel(EVALUATORS, 0.05)
    leaders = [panel.led_by(number).evaluators[0] for number in range(4)]
    assert leaders == [*EVALUATORS, EVALUATORS[0]]
    assert set(panel.led_by(2).evaluators) == set(EVALUATORS)
    assert panel.led_by(2).margin == 0.05
