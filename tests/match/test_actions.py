"""What may be done, and what follows: each rule a test."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bgai.engine import START, swap
from bgai.match import (
    Action,
    CubeState,
    Decision,
    Ending,
    MatchState,
    Owner,
    Rules,
    accept_resignation,
    allowed_actions,
    beaver,
    decline_resignation,
    double,
    money_rules,
    new_session,
    next_game,
    pass_double,
    play,
    raccoon,
    resign,
    resignation_levels,
    roll_dice,
    take,
    throw_opening,
)
from tests.match.states import (
    ALL_LEFT_IN_HOME,
    ALL_LEFT_ON_BAR,
    ALL_LEFT_OUTSIDE,
    MONEY,
    ONE_OFF,
    before_last_roll,
    on_roll,
    win,
)

BEAVERS = money_rules(beavers=True)
JACOBY = money_rules(jacoby=True)
MADE_FIVE_POINT = START.copy()
MADE_FIVE_POINT[[8, 6, 5]] += np.array([-1, -1, 2], np.int8)
AFTER_31 = swap(MADE_FIVE_POINT)  # 8/5 6/5 from the start


def win_one_point(state: MatchState, winner: int) -> MatchState:
    """The next game after `state` (or its first), won by a player with a resignation."""
    if state.is_over:
        state = next_game(state)
    starter = 1 - winner
    opened = throw_opening(state, (6, 1) if starter == 0 else (1, 6))
    return accept_resignation(resign(opened, 1))


# the opening


@pytest.mark.parametrize(("dice", "starter"), [((3, 1), 0), ((2, 5), 1)])
def test_the_higher_die_starts_and_plays_both(dice: tuple[int, int], starter: int) -> None:
    state = throw_opening(new_session(Rules()), dice)
    assert state.turn == state.actor == starter
    assert state.decision is Decision.PLAY
    assert state.dice is not None
    assert sorted(state.dice) == sorted(dice)


def test_equal_opening_dice_are_thrown_again() -> None:
    state = new_session(Rules())
    assert throw_opening(state, (4, 4)) == state
    assert allowed_actions(state) == (Action.THROW_OPENING,)


def test_there_is_no_cube_before_the_first_roll_of_a_game() -> None:
    opening = new_session(MONEY)
    opened = throw_opening(opening, (3, 1))
    for state in (opening, opened):
        assert Action.DOUBLE not in allowed_actions(state)
        with pytest.raises(ValueError, match="double is not allowed"):
            double(state)
    assert Action.DOUBLE in allowed_actions(play(opened, AFTER_31))


def test_an_automatic_double_leaves_the_cube_in_the_middle() -> None:
    state = throw_opening(new_session(money_rules(automatic_doubles=1)), (2, 2))
    assert (state.cube_value, state.cube_owner) == (2, None)
    assert state.decision is Decision.OPENING


def test_automatic_doubles_have_a_limit() -> None:
    state = new_session(money_rules(automatic_doubles=2))
    for value in (2, 4, 4):
        state = throw_opening(state, (5, 5))
        assert state.cube_value == value


def test_automatic_doubles_stop_at_the_cap() -> None:
    state = new_session(money_rules(automatic_doubles=3, cap=2))
    for _ in range(3):
        state = throw_opening(state, (5, 5))
    assert state.cube_value == 2
    without_cube = new_session(money_rules(automatic_doubles=3, cap=1))
    assert throw_opening(without_cube, (5, 5)).cube_value == 1


# turns


def test_a_turn_is_a_roll_and_a_play_and_then_it_is_the_other_players() -> None:
    state = play(throw_opening(new_session(MONEY), (1, 3)), AFTER_31)
    assert state.turn == state.actor == 0
    assert state.decision is Decision.ROLL
    assert np.array_equal(state.board, AFTER_31)
    rolled = roll_dice(state, (6, 5))
    assert rolled.dice == (6, 5)
    assert Action.ROLL not in allowed_actions(rolled)


def test_an_illegal_play_is_refused() -> None:
    state = throw_opening(new_session(MONEY), (2, 1))
    with pytest.raises(ValueError, match=r"\(2, 1\) cannot leave"):
        play(state, AFTER_31)


def test_a_roll_that_cannot_be_played_passes_the_turn() -> None:
    shut_out = on_roll(position=(0, *[0] * 18, *[-2] * 6, 1))
    state = play(roll_dice(shut_out, (6, 5)), swap(shut_out.board))
    assert state.turn == 1
    assert np.array_equal(state.board, swap(shut_out.board))


@pytest.mark.parametrize("dice", [(0, 3), (7, 1), (2,), (1, 2, 3)])
def test_impossible_dice_are_refused(dice: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="die|dice"):
        roll_dice(on_roll(), dice)


# points


@pytest.mark.parametrize(
    ("loser", "cube", "points"),
    [
        (ONE_OFF, 1, 1),
        (ALL_LEFT_OUTSIDE, 2, 4),
        (ALL_LEFT_IN_HOME, 4, 12),
        (ALL_LEFT_ON_BAR, 4, 12),
    ],
)
def test_a_game_is_worth_one_two_or_three_times_the_cube(
    loser: dict[int, int], cube: int, points: int
) -> None:
    owner = None if cube == 1 else 1
    for turn in (0, 1):
        state = win(
            before_last_roll(
                MONEY, loser, cube_value=cube, cube_owner=owner, turn=turn, score=(3, 5)
            )
        )
        assert state.result is not None
        assert (state.result.winner, state.result.points) == (turn, points)
        assert state.result.ending is Ending.BORNE_OFF
        assert state.score == ((3 + points, 5) if turn == 0 else (3, 5 + points))


def test_jacoby_gammons_count_only_once_a_player_has_turned_the_cube() -> None:
    in_the_middle = win(before_last_roll(JACOBY, ALL_LEFT_IN_HOME))
    assert in_the_middle.score == (1, 0)
    turned = win(before_last_roll(JACOBY, ALL_LEFT_IN_HOME, cube_value=2, cube_owner=1))
    assert turned.score == (6, 0)


def test_an_automatic_double_is_no_turn_of_the_cube_for_jacoby() -> None:
    rules = money_rules(jacoby=True, automatic_doubles=1)
    state = win(before_last_roll(rules, ALL_LEFT_OUTSIDE, cube_value=2))
    assert state.score == (2, 0)


def test_a_large_cube_pays_in_full() -> None:
    state = win(before_last_roll(MONEY, ALL_LEFT_ON_BAR, cube_value=64, cube_owner=0))
    assert state.score == (192, 0)


# the cube


def test_a_take_doubles_the_cube_once_and_gives_it_to_the_taker() -> None:
    offered = double(on_roll(turn=0))
    assert offered.actor == 1
    assert offered.cube_value == 1, "the cube shows the double once it is taken"
    taken = take(offered)
    assert (taken.cube_value, taken.cube_owner) == (2, 1)
    assert (taken.turn, taken.actor, taken.decision) == (0, 0, Decision.ROLL)
    assert Action.DOUBLE not in allowed_actions(taken), "the taker's cube"


@pytest.mark.parametrize(("owner", "value", "points"), [(None, 1, 1), (0, 2, 2), (0, 16, 16)])
def test_a_pass_loses_the_stake_before_the_double(
    owner: int | None, value: int, points: int
) -> None:
    state = pass_double(double(on_roll(cube_owner=owner, cube_value=value)))
    assert state.score == (points, 0)
    assert state.result is not None
    assert state.result.ending is Ending.PASSED


def test_the_points_of_a_pass_are_the_doublers() -> None:
    state = pass_double(double(on_roll(score=(3, 1), cube_value=2, cube_owner=0)))
    assert state.score == (5, 1)
    other = pass_double(double(on_roll(score=(3, 1), cube_value=2, cube_owner=1, turn=1)))
    assert other.score == (3, 3)


def test_a_redouble_is_the_owners_only() -> None:
    state = on_roll(cube_value=2, cube_owner=0, turn=0)
    assert Action.DOUBLE in allowed_actions(state)
    assert Action.DOUBLE not in allowed_actions(replace(state, turn=1))


def test_after_rolling_it_is_too_late_to_double() -> None:
    assert Action.DOUBLE not in allowed_actions(roll_dice(on_roll(), (3, 1)))


def test_there_is_no_double_by_a_player_who_wins_the_match_with_the_stake() -> None:
    rules = Rules(7)
    dead = on_roll(rules, score=(5, 0), cube_value=2, cube_owner=0)
    assert Action.DOUBLE not in allowed_actions(dead)
    with pytest.raises(ValueError, match="cube 2"):
        double(dead)
    assert Action.DOUBLE in allowed_actions(replace(dead, score=(4, 0)))


def test_the_cap_ends_the_doubling() -> None:
    assert Action.DOUBLE not in allowed_actions(on_roll(cube_value=64, cube_owner=0))
    small = money_rules(cap=2)
    assert Action.DOUBLE in allowed_actions(on_roll(small))
    assert Action.DOUBLE not in allowed_actions(on_roll(small, cube_value=2, cube_owner=0))


def test_without_the_cube_nobody_doubles() -> None:
    assert Action.DOUBLE not in allowed_actions(on_roll(money_rules(cap=1)))


# beavers and raccoons


def test_a_beaver_quadruples_the_cube_and_keeps_it() -> None:
    beavered = beaver(double(on_roll(BEAVERS)))
    assert beavered.actor == 0, "the doubler answers"
    taken = take(beavered)
    assert (taken.cube_value, taken.cube_owner, taken.turn) == (4, 1, 0)


def test_a_raccoon_doubles_a_third_time_and_leaves_the_cube_with_the_beaver() -> None:
    answered = raccoon(beaver(double(on_roll(BEAVERS))))
    assert answered.actor == 1
    assert set(allowed_actions(answered)) == {Action.TAKE, Action.PASS}
    taken = take(answered)
    assert (taken.cube_value, taken.cube_owner, taken.turn) == (8, 1, 0)


def test_passing_a_beaver_loses_the_double_and_passing_a_raccoon_the_beaver() -> None:
    beavered = beaver(double(on_roll(BEAVERS)))
    assert pass_double(beavered).score == (0, 2)
    assert pass_double(raccoon(beavered)).score == (4, 0)


def test_there_are_no_beavers_unless_agreed() -> None:
    for rules in (MONEY, Rules(7)):
        assert Action.BEAVER not in allowed_actions(double(on_roll(rules)))
        with pytest.raises(ValueError, match="beaver is not allowed"):
            beaver(double(on_roll(rules)))


def test_beavers_and_raccoons_keep_the_cap() -> None:
    assert Action.BEAVER not in allowed_actions(double(on_roll(money_rules(beavers=True, cap=2))))
    beavered = beaver(double(on_roll(money_rules(beavers=True, cap=4))))
    assert Action.RACCOON not in allowed_actions(beavered)


# resignations


def test_a_single_gammon_or_backgammon_can_be_resigned_before_and_after_rolling() -> None:
    for state in (on_roll(), roll_dice(on_roll(), (6, 5))):
        assert resignation_levels(state) == (1, 2, 3)
        for level in (1, 2, 3):
            offered = resign(state, level)
            assert offered.actor == 1
            ended = accept_resignation(offered)
            assert ended.score == (0, level)
            assert ended.result is not None
            assert ended.result.ending is Ending.RESIGNED


def test_a_gammon_cannot_be_lost_once_a_checker_is_off() -> None:
    fewer = START.copy()
    fewer[6] -= 1
    state = on_roll(position=tuple(fewer.tolist()))
    assert resignation_levels(state) == (1,)
    with pytest.raises(ValueError, match="got 2"):
        resign(state, 2)


def test_a_resigned_gammon_counts_the_cube() -> None:
    state = on_roll(cube_value=4, cube_owner=1)
    assert accept_resignation(resign(state, 2)).score == (0, 8)


def test_under_jacoby_only_a_single_game_is_resigned_with_the_cube_in_the_middle() -> None:
    assert resignation_levels(on_roll(JACOBY)) == (1,)
    assert resignation_levels(on_roll(JACOBY, cube_value=2, cube_owner=0)) == (1, 2, 3)


def test_after_a_declined_resignation_the_game_goes_on_and_only_more_can_be_offered() -> None:
    rolled = roll_dice(on_roll(), (6, 5))
    declined = decline_resignation(resign(rolled, 1))
    assert declined == replace(rolled, declined=1)
    assert resignation_levels(declined) == (2, 3)
    last = decline_resignation(resign(declined, 3))
    assert Action.RESIGN not in allowed_actions(last)
    assert Action.PLAY in allowed_actions(last)


def test_a_declined_resignation_is_forgotten_with_the_roll() -> None:
    declined = decline_resignation(resign(on_roll(), 2))
    assert resignation_levels(declined) == (3,)
    assert resignation_levels(roll_dice(declined, (2, 1))) == (1, 2, 3)


def test_nobody_resigns_while_a_double_is_to_be_answered() -> None:
    state = double(on_roll())
    assert resignation_levels(state) == ()
    with pytest.raises(ValueError, match="no level"):
        resign(state, 1)


# the end of games and sessions


def test_a_match_ends_at_its_length() -> None:
    state = win(
        before_last_roll(Rules(7), ALL_LEFT_OUTSIDE, score=(4, 3), cube_value=2, cube_owner=1)
    )
    assert state.decision is Decision.SESSION_OVER
    assert state.leader == 0
    assert allowed_actions(state) == ()


def test_the_games_limit_ends_a_match_or_a_session_first() -> None:
    for rules in (Rules(7, games_limit=2), money_rules(games_limit=2)):
        first = win_one_point(new_session(rules), 0)
        assert first.decision is Decision.GAME_OVER
        second = win_one_point(first, 1)
        assert second.decision is Decision.SESSION_OVER
        assert second.score == (1, 1)
        assert second.leader is None
        with pytest.raises(ValueError, match="next game is not allowed"):
            next_game(second)


def test_a_money_session_without_a_limit_goes_on() -> None:
    state = new_session(MONEY)
    for games in range(1, 12):
        state = win_one_point(state, 0)
        assert state.decision is Decision.GAME_OVER
        assert (state.score, state.games_played) == ((games, 0), games)


def test_a_new_game_has_the_cube_in_the_middle_at_1() -> None:
    state = next_game(pass_double(double(on_roll(cube_value=4, cube_owner=0))))
    assert (state.cube_value, state.cube_owner) == (1, None)
    assert state.decision is Decision.OPENING
    assert np.array_equal(state.board, START)
    assert state.score == (4, 0)


# Crawford


def crawford_flags(rules: Rules, winners: list[int]) -> list[bool]:
    """Of each game of a match in which these players win one point each."""
    flags = []
    state = new_session(rules)
    for winner in winners:
        state = win_one_point(state, winner)
        flags.append(state.is_crawford)
    return flags


def test_the_first_game_at_match_point_is_the_crawford_game_and_the_only_one() -> None:
    assert crawford_flags(Rules(3), [0, 0, 1, 1, 0]) == [False, False, True, False, False]


def test_the_crawford_game_has_no_cube_and_the_ones_after_it_have() -> None:
    state = next_game(win_one_point(win_one_point(new_session(Rules(3)), 0), 0))
    assert state.is_crawford
    opened = play(throw_opening(state, (1, 3)), AFTER_31)
    assert Action.DOUBLE not in allowed_actions(opened)
    after = next_game(accept_resignation(resign(opened, 1)))
    assert after.is_post_crawford
    # player 0 needs one point, so that only player 1 has a use for the cube
    trailer_rolls = play(throw_opening(after, (3, 1)), AFTER_31)
    assert Action.DOUBLE in allowed_actions(trailer_rolls)
    leader_rolls = play(throw_opening(after, (1, 3)), AFTER_31)
    assert Action.DOUBLE not in allowed_actions(leader_rolls)


def test_a_player_who_jumps_past_match_point_leaves_no_crawford_game() -> None:
    state = win(before_last_roll(Rules(5), ALL_LEFT_IN_HOME, score=(2, 0)))
    assert state.decision is Decision.SESSION_OVER
    assert not state.is_crawford


def test_crawford_can_be_switched_off() -> None:
    assert not any(crawford_flags(Rules(3, crawford=False), [0, 0, 1, 1, 0]))


def test_a_match_to_1_has_no_crawford_game() -> None:
    state = new_session(Rules(1))
    assert not state.is_crawford
    assert Action.DOUBLE not in allowed_actions(on_roll(Rules(1))), "the cube is dead"


# what a cube decision sees


def test_the_cube_is_seen_by_the_player_on_roll() -> None:
    state = on_roll(Rules(7), score=(3, 1), cube_value=2, cube_owner=1, turn=0)
    assert state.cube_state() == CubeState(2, Owner.OPPONENT, (4, 6))
    assert replace(state, turn=1).cube_state() == state.cube_state().swapped()


def test_while_a_double_is_unanswered_the_doublers_cube_is_seen() -> None:
    state = on_roll(money_rules(jacoby=True, beavers=True, cap=8), turn=1)
    assert double(state).cube_state() == state.cube_state()
    assert state.cube_state() == CubeState(jacoby=True, beavers=True, cap=8)


def test_there_is_no_cube_decision_after_the_game() -> None:
    with pytest.raises(ValueError, match="game over"):
        pass_double(double(on_roll())).cube_state()


@pytest.mark.parametrize(
    "action", [roll_dice, double, take, pass_double, accept_resignation, next_game]
)
def test_nothing_follows_the_end_of_a_session(action: object) -> None:
    state = pass_double(double(on_roll(money_rules(games_limit=1))))
    arguments = ((1, 2),) if action is roll_dice else ()
    with pytest.raises(ValueError, match="session over"):
        action(state, *arguments)  # type: ignore[operator]
