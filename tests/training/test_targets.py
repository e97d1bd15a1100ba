import dataclasses
import math
from typing import Any

import numpy as np
import pytest
import torch

from bgai.endgame import TWO_SIDED, build_endgames
from bgai.engine import (
    ROLLS,
    START,
    UNFINISHED,
    Boards,
    Dice,
    Probs,
    legal_afterstates,
    outcomes,
    swap_probs,
)
from bgai.model.checkpoint import make_evaluator
from bgai.model.net_config import NetConfig
from bgai.model.value_net import ValueNet
from bgai.search import Evaluator
from bgai.search.ply import PlyEvaluator, best_replies
from bgai.search.select import choose_plays
from bgai.training.self_play import SelfPlay, Window
from bgai.training.targets import lambda_returns, lookahead_returns, mean_entropy

WIN, LOSE, LOSE_GAMMON = np.eye(6, dtype=np.float32)[[0, 3, 4]]
EVEN = np.array([0.5, 0, 0, 0.5, 0, 0], np.float32)
MOSTLY_LOST = np.array([0.2, 0, 0, 0.8, 0, 0], np.float32)


def one_game(*values: np.ndarray, ended: bool = True) -> Window:
    """A window of one game with these values of its afterstates, for the next player."""
    plies = len(values)
    flags = np.zeros((plies, 1), np.bool_)
    flags[-1] = ended
    return Window(np.zeros((plies, 1, 26), np.int8), np.stack(values)[:, None], flags, flags)


def played(play: SelfPlay, evaluator: Evaluator, plies: int, **options: Any) -> Window:
    """All games, played on by so many plies."""
    window, tasks = play.start_window(evaluator, plies, **options)
    for task in tasks:
        task()
    return window


def test_lambda_0_looks_one_ply_ahead() -> None:
    returns = lambda_returns(one_game(MOSTLY_LOST, EVEN, LOSE), 0.0)[:, 0]
    np.testing.assert_allclose(returns, swap_probs(np.stack([MOSTLY_LOST, EVEN, LOSE])))


def test_lambda_1_is_the_outcome_seen_by_each_side() -> None:
    returns = lambda_returns(one_game(MOSTLY_LOST, EVEN, LOSE), 1.0)[:, 0]
    np.testing.assert_array_equal(returns, [WIN, LOSE, WIN])


def test_a_return_worked_by_hand() -> None:
    returns = lambda_returns(one_game(MOSTLY_LOST, LOSE), 0.5)[:, 0]
    # the last player wins, so the first loses; its own value of the afterstate was 0.8 to win:
    # swap(0.5 * (0.2 win, 0.8 lose) + 0.5 * (1 win)) = 0.4 win, 0.6 lose
    np.testing.assert_allclose(returns[0], [0.4, 0, 0, 0.6, 0, 0], atol=1e-7)
    np.testing.assert_array_equal(returns[1], WIN)


def test_a_window_that_ends_in_mid_game_ends_with_its_last_value() -> None:
    returns = lambda_returns(one_game(MOSTLY_LOST, EVEN, ended=False), 1.0)[:, 0]
    np.testing.assert_allclose(returns, [EVEN, swap_probs(EVEN)])


def test_nothing_flows_back_over_the_end_of_a_game() -> None:
    window = one_game(EVEN, LOSE_GAMMON, EVEN, LOSE)
    window.ended[1] = True
    alone = one_game(EVEN, LOSE_GAMMON)
    np.testing.assert_array_equal(lambda_returns(window, 0.7)[:2], lambda_returns(alone, 0.7))


def played_game(net: ValueNet) -> Window:
    """One whole game of a net against itself."""
    play = SelfPlay(1, np.random.default_rng(5))
    plies = [played(play, make_evaluator(net), 1)]
    while not plies[-1].ended.any():
        plies.append(played(play, make_evaluator(net), 1))
    return Window(
        np.concatenate([ply.boards for ply in plies]),
        np.concatenate([ply.next_values for ply in plies]),
        np.concatenate([ply.ended for ply in plies]),
        np.concatenate([ply.is_exact for ply in plies]),
    )


@pytest.mark.parametrize("lambda_", [0.0, 0.7, 1.0])
def test_lambda_returns_equal_the_eligibility_trace_update(lambda_: float) -> None:
    """Forward and backward view agree over a game with frozen weights (Sutton & Barto, 12.1-12.2).

    The update of every ply is (target - V) times the gradient of the logits; a trace keeps the
    earlier gradients, whose outcomes swap sides from ply to ply.
    """
    torch.manual_seed(0)
    net = ValueNet(NetConfig(hidden=(6, 4)))
    with torch.no_grad():
        net.linear_weights()[-1][0].mul_(20)
    window = played_game(net)
    boards = window.boards[:, 0]
    values = make_evaluator(net)(boards)
    parameters = list(net.parameters())

    def gradient(board: np.ndarray) -> torch.Tensor:
        """`[6, P]`: of each logit for every parameter."""
        logits = net.logits(torch.from_numpy(board[None].copy()))[0]
        rows = [torch.autograd.grad(logit, parameters, retain_graph=True) for logit in logits]
        return torch.stack([torch.cat([part.flatten() for part in row]) for row in rows])

    gradients = [gradient(board) for board in boards]
    returns = torch.from_numpy(lambda_returns(window, lambda_)[:, 0] - values)
    forward = sum(error @ gradient for error, gradient in zip(returns, gradients, strict=True))

    backward = torch.zeros_like(gradients[0][0])
    trace = torch.zeros_like(gradients[0])
    for ply, own in enumerate(gradients):
        trace = lambda_ * torch.roll(trace, 3, 0) + own
        step = torch.from_numpy(swap_probs(window.next_values[ply, 0]) - values[ply])
        backward = backward + step @ trace
    assert isinstance(forward, torch.Tensor)
    assert forward.abs().max() > 0.01
    torch.testing.assert_close(forward, backward, rtol=1e-3, atol=1e-4)


def test_games_start_with_an_opening_roll_and_follow_each_other() -> None:
    net = ValueNet(NetConfig(hidden=(4,)))
    play = SelfPlay(16, np.random.default_rng(1))
    window = played(play, make_evaluator(net), 300)
    assert window.finished_games > 16
    starts = (window.boards == START).all(-1)
    assert starts[0].all()
    np.testing.assert_array_equal(starts[1:], window.ended[:-1])
    lost = window.next_values[window.ended]  # the loser is next to move: it is the winner's play
    assert (lost.max(1) == 1).all() and (lost[:, :3] == 0).all()
    assert (outcomes(window.boards.reshape(-1, 26)) == UNFINISHED).all()


def test_a_game_never_opens_with_a_double(monkeypatch: pytest.MonkeyPatch) -> None:
    rolls = []

    def choose(
        evaluator: Evaluator, boards: Boards, dice: Dice, scout: object
    ) -> tuple[Boards, Probs]:
        rolls.append(((boards == START).all(1), dice.copy()))
        return choose_plays(evaluator, boards, dice)

    monkeypatch.setattr("bgai.training.self_play.choose_plays", choose)
    net = ValueNet(NetConfig(hidden=(4,)))
    self_play = SelfPlay(64, np.random.default_rng(2))
    played(self_play, make_evaluator(net), 200)
    is_opening = np.concatenate([opening for opening, _ in rolls])
    is_double = np.concatenate([dice[:, 0] == dice[:, 1] for _, dice in rolls])
    assert is_opening.sum() > 128
    assert not is_double[is_opening].any()
    assert is_double[~is_opening].mean() == pytest.approx(1 / 6, abs=0.02)


def test_lookahead_targets_are_the_exact_mean_over_the_rolls() -> None:
    evaluator = make_evaluator(ValueNet(NetConfig("slots-v1", (8,))))
    play = SelfPlay(16, np.random.default_rng(1))
    window = played(play, evaluator, 6, looks_ahead=True)
    assert window.lookahead is not None
    boards = window.boards.reshape(-1, 26)
    expected = PlyEvaluator(evaluator, 1)(boards)
    np.testing.assert_allclose(window.lookahead.reshape(-1, 6), expected, atol=1e-6)


def test_looking_ahead_changes_no_play() -> None:
    evaluator = make_evaluator(ValueNet(NetConfig("slots-v1", (8,))))
    plain, ahead = (SelfPlay(16, np.random.default_rng(1)) for _ in range(2))
    first = played(plain, evaluator, 6)
    second = played(ahead, evaluator, 6, looks_ahead=True)
    np.testing.assert_array_equal(first.boards, second.boards)
    np.testing.assert_array_equal(first.next_values, second.next_values)


def test_a_known_ending_takes_its_value_from_the_tables() -> None:
    endgames = build_endgames()
    evaluator = make_evaluator(ValueNet(NetConfig("slots-v1", (8,))))
    play = SelfPlay(8, np.random.default_rng(1), endgames)
    play.boards[:] = 0
    play.boards[:, [1, 6, 24, 20]] = 3, 2, -2, -3
    play.is_opening[:] = False
    window = played(play, evaluator, 2)
    known = endgames.lookup(window.boards[1])
    np.testing.assert_array_equal(known[1], TWO_SIDED)
    np.testing.assert_allclose(window.next_values[0], known[0])
    assert window.is_exact[0].all() and not window.ended[0].any()
    # an exact value needs no mixing with what was rolled afterwards
    np.testing.assert_allclose(lambda_returns(window, 0.7)[0], swap_probs(known[0]))


def window_looking_ahead(plies: int) -> Window:
    evaluator = make_evaluator(ValueNet(NetConfig("slots-v1", (8,))))
    play = SelfPlay(64, np.random.default_rng(2))
    for _ in range(12):
        played(play, evaluator, 4)
    window = played(play, evaluator, plies, looks_ahead=True)
    return window


def test_lookahead_returns_are_distributions_and_with_lambda_0_the_means_over_the_rolls() -> None:
    window = window_looking_ahead(6)
    assert window.lookahead is not None and window.ended.any()
    np.testing.assert_allclose(lookahead_returns(window, 0.0), window.lookahead, atol=1e-6)
    returns = lookahead_returns(window, 0.7)
    assert returns.min() >= 0
    np.testing.assert_allclose(returns.sum(-1), 1, atol=1e-5)


def test_a_lookahead_return_worked_by_hand() -> None:
    window = one_game(MOSTLY_LOST, EVEN, ended=False)
    lookahead = np.stack([[0.7, 0, 0, 0.3, 0, 0], [0.3, 0, 0, 0.7, 0, 0]])[:, None]
    window = dataclasses.replace(window, lookahead=lookahead.astype(np.float32))
    # the next player thinks to win 0.2 and finds 0.3 by looking ahead: half of that is taken off
    expected = [0.7 - 0.5 * 0.1, 0, 0, 0.3 + 0.5 * 0.1, 0, 0]
    np.testing.assert_allclose(lookahead_returns(window, 0.5)[0, 0], expected, atol=1e-6)


def test_nothing_is_taken_from_the_game_that_follows_an_end() -> None:
    window = window_looking_ahead(6)
    assert window.lookahead is not None
    ends = np.argwhere(window.ended[:-1])
    assert len(ends)
    returns = lookahead_returns(window, 0.7)
    for ply, game in ends:
        np.testing.assert_allclose(returns[ply, game], window.lookahead[ply, game], atol=1e-6)


def test_entropy_is_zero_where_nothing_is_left_to_chance() -> None:
    certain, open_ = np.eye(6, dtype=np.float32)[:1], np.full((1, 6), 1 / 6, np.float32)
    assert mean_entropy(certain) == 0
    assert mean_entropy(np.concatenate([certain, open_])) == pytest.approx(math.log(6) / 2)


def test_random_plays_are_legal_and_as_frequent_as_asked_for() -> None:
    evaluator = make_evaluator(ValueNet(NetConfig(hidden=(8,))))
    play = SelfPlay(64, np.random.default_rng(4))
    window, tasks = play.start_window(evaluator, 60, random_plays=0.25)
    for task in reversed(tasks):
        task()
    assert window.is_random is not None
    assert window.is_random.mean() == pytest.approx(0.25, abs=0.03)
    running = ~window.ended[:-1]
    following = window.boards[1:][running]
    np.testing.assert_allclose(evaluator(following), window.next_values[:-1][running], atol=1e-6)
    before, is_random = window.boards[:-1][running], window.is_random[:-1][running]
    dice = np.tile(np.array(ROLLS), (len(before), 1))
    after, _ = best_replies(evaluator, before)
    is_best = (after == following[:, None]).all(2).any(1)
    assert is_best[~is_random].all()
    assert is_best[is_random].mean() < 0.6
    legal, offsets = legal_afterstates(np.repeat(before, len(ROLLS), 0), dice)
    for row in np.flatnonzero(is_random)[:100]:
        own = slice(offsets[row * len(ROLLS)], offsets[(row + 1) * len(ROLLS)])
        assert (legal[own] == following[row]).all(1).any()


def test_what_follows_a_random_play_says_nothing_of_the_value_before() -> None:
    window = one_game(LOSE, EVEN, MOSTLY_LOST, ended=False)
    ahead = np.stack([MOSTLY_LOST, EVEN, EVEN])[:, None]
    chosen = dataclasses.replace(window, lookahead=ahead)
    is_random = np.array([[True], [False], [False]])
    drawn = dataclasses.replace(chosen, is_random=is_random)
    first, second, _ = lookahead_returns(drawn, 1.0)
    np.testing.assert_array_equal(first, ahead[0])
    np.testing.assert_array_equal(second, lookahead_returns(chosen, 1.0)[1])
    assert not np.allclose(lookahead_returns(chosen, 1.0)[0], ahead[0])
