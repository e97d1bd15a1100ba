"""What a player does at each moment of a session."""

from __future__ import annotations

import numpy as np
import pytest

from bgai.cube import CubeModel, pack_states, swap_states
from bgai.endgame import Endgames
from bgai.endgame.one_sided import build_one_sided
from bgai.endgame.plays import bear_off_plays
from bgai.endgame.two_sided import build_two_sided
from bgai.engine import START, Boards, Probs, legal_afterstates
from bgai.engine.outcomes import LOSE, LOSE_GAMMON, WIN
from bgai.match import (
    Action,
    CubeState,
    Decision,
    MatchState,
    Owner,
    Rules,
    beaver,
    double,
    money_rules,
    position_of,
    resign,
)
from bgai.search import Choice, EvaluatorPlayer, decide, follow
from bgai.search.select import with_endgames
from tests.engine.positions import board_of

BEAVERS = money_rules(beavers=True)
ON_ROLL = MatchState(BEAVERS, decision=Decision.ROLL)


class Steady:
    """Gives every board the same chances of plain wins and losses."""

    def __init__(self, win: float) -> None:
        self.win = win

    def __call__(self, boards: Boards) -> Probs:
        probs = np.zeros((len(boards), 6), np.float32)
        probs[:, WIN], probs[:, LOSE] = self.win, 1 - self.win
        return probs


class Gammonish:
    """Loses a gammon, whatever the board."""

    def __call__(self, boards: Boards) -> Probs:
        probs = np.zeros((len(boards), 6), np.float32)
        probs[:, LOSE_GAMMON] = 1
        return probs


GAMMONISH = EvaluatorPlayer("gammonish", Gammonish())


def player(win: float) -> EvaluatorPlayer:
    return EvaluatorPlayer("steady", Steady(win))


def action(win: float, state: MatchState) -> Action:
    (choice,) = decide(player(win), [state])
    return choice.action


def test_a_player_doubles_with_an_edge_and_rolls_without() -> None:
    assert action(0.79, ON_ROLL) is Action.DOUBLE
    assert action(0.5, ON_ROLL) is Action.ROLL


def test_a_cube_that_may_not_be_turned_is_not_turned() -> None:
    owned = MatchState(BEAVERS, decision=Decision.ROLL, cube_value=2, cube_owner=1, turn=0)
    assert action(0.75, owned) is Action.ROLL


@pytest.mark.parametrize(
    ("doubler_wins", "answer"),
    [(0.9, Action.PASS), (0.6, Action.TAKE), (0.3, Action.BEAVER)],
)
def test_a_double_is_passed_taken_or_beavered(doubler_wins: float, answer: Action) -> None:
    assert action(doubler_wins, double(ON_ROLL)) is answer


def test_without_beavers_a_bad_double_is_taken() -> None:
    assert action(0.3, double(MatchState(money_rules(), decision=Decision.ROLL))) is Action.TAKE


def test_a_wrong_beaver_is_answered_by_a_raccoon_and_a_right_one_taken() -> None:
    beavered = beaver(double(ON_ROLL))
    assert action(0.7, beavered) is Action.RACCOON
    assert action(0.3, beavered) is Action.TAKE


def test_a_lost_game_is_resigned_at_what_it_costs_and_no_other() -> None:
    assert action(0, ON_ROLL) is Action.RESIGN
    assert action(0.01, ON_ROLL) is Action.ROLL
    (choice,) = decide(GAMMONISH, [ON_ROLL])
    assert (choice.action, choice.level) == (Action.RESIGN, 2)


@pytest.mark.parametrize(("win", "answer"), [(0.0, Action.ACCEPT), (0.4, Action.ACCEPT)])
def test_a_resignation_worth_at_least_playing_on_is_accepted(win: float, answer: Action) -> None:
    assert action(win, resign(ON_ROLL, 1)) is answer


def test_a_single_game_is_not_enough_for_a_sure_gammon() -> None:
    assert decide(GAMMONISH, [resign(ON_ROLL, 1)])[0].action is Action.DECLINE
    assert decide(GAMMONISH, [resign(ON_ROLL, 2)])[0].action is Action.ACCEPT


def test_a_resignation_is_judged_by_the_dice_that_lie_where_all_is_known() -> None:
    plays = bear_off_plays(2)
    endgames = Endgames(build_one_sided(plays, 2), build_two_sided(plays, 2))
    cube = CubeModel(exact=endgames.cube_equities)
    exact = EvaluatorPlayer("exact", with_endgames(Steady(0.5), endgames), cube)
    # before the roll something could be hoped for; after a 2-1 the opponent bears off and wins
    position = position_of(board_of({6: 1, 1: 1}, {24: 2}))
    state = MatchState(money_rules(), position=position, decision=Decision.PLAY, dice=(2, 1))
    assert decide(exact, [resign(state, 1)])[0].action is Action.ACCEPT


def test_many_states_of_many_kinds_are_decided_as_one_by_one() -> None:
    to_play = MatchState(BEAVERS, decision=Decision.PLAY, dice=(3, 1))
    states = [double(ON_ROLL), to_play, ON_ROLL, resign(ON_ROLL, 1), to_play]
    together = decide(player(0.75), states)
    for state, choice in zip(states, together, strict=True):
        (alone,) = decide(player(0.75), [state])
        assert (choice.action, choice.level) == (alone.action, alone.level)
        assert str(choice.after) == str(alone.after)


def test_plays_at_a_score_are_those_that_the_cube_model_values_most() -> None:
    class Gammons:
        """A play that leaves more of the mover's checkers back wins more gammons, fewer games."""

        def __call__(self, boards: Boards) -> Probs:
            back = -boards[:, 1:7].clip(None, 0).sum(1)
            probs = np.zeros((len(boards), 6), np.float32)
            probs[:, LOSE_GAMMON] = 0.15 * back
            probs[:, LOSE] = 0.5 - 0.2 * back
            probs[:, WIN] = 0.5 + 0.05 * back
            return probs

    gammons = EvaluatorPlayer("gammons", Gammons())
    dice = np.array([[6, 2]])
    dead = CubeState(2, Owner.OPPONENT, away=(2, 5))  # gammons are worth nothing
    rows = pack_states(dead, 1)
    after, _ = legal_afterstates(START[None], dice)
    theirs = np.repeat(swap_states(rows), len(after), axis=0)
    expected = -gammons.cube.decide_batch(gammons.evaluator(after), after, theirs).equities
    chosen = gammons.choose_cubeful(START[None], dice, rows)[0]
    (row,) = np.flatnonzero((after == chosen).all(1))
    assert expected[row] == pytest.approx(expected.max())
    for_points = gammons.choose(START[None], dice)[0]
    (other,) = np.flatnonzero((after == for_points).all(1))
    assert expected[other] < expected.max() - 0.01, "without a score it is another play"


def test_swapped_states_are_those_of_the_other_player() -> None:
    state = CubeState(4, Owner.PLAYER, away=(3, 5))
    swapped = swap_states(pack_states(state, 1))
    np.testing.assert_array_equal(swapped, pack_states(state.swapped(), 1))
    np.testing.assert_array_equal(swap_states(swapped), pack_states(state, 1))


def test_follow_refuses_a_roll_without_dice_and_what_is_not_allowed() -> None:
    with pytest.raises(ValueError, match="no dice"):
        follow(ON_ROLL, Choice(Action.ROLL))
    with pytest.raises(ValueError, match="not allowed"):
        follow(ON_ROLL, Choice(Action.TAKE))


def test_nobody_decides_before_the_opening_roll() -> None:
    with pytest.raises(ValueError, match="opening"):
        decide(player(0.5), [MatchState(Rules())])
