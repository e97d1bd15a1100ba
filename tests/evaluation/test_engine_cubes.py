"""The cubes of gnubg and Sage, where their packages are installed, and their plays to the score."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bgai.cube import pack_states
from bgai.engine import (
    OUTCOMES,
    START,
    UNFINISHED,
    Board,
    Boards,
    Dice,
    from_cumulative,
    legal_afterstates,
    outcomes,
    swap_probs,
)
from bgai.evaluation import play_sessions
from bgai.evaluation.opponents import GnubgPlayer, SagePlayer
from bgai.evaluation.opponents.gnubg import forgetful_nets, gnubg_sides
from bgai.evaluation.opponents.sage import sage_boards
from bgai.match import CubeState, MatchState, Owner, Rules, money_rules, state_from_xgid
from bgai.search import MatchPlayer
from bgai.search.player import BEAVER, PASS, TAKE
from tests.engine.positions import board_of
from tests.evaluation.test_engines import ordinary_positions

# lost only to a double, against a player who has borne off some: no gammon
WON_RACE = board_of({1: 2, 2: 1}, {24: 2, 23: 2})
LOST_RACE = board_of({1: 4, 6: 6}, {24: 2, 23: 1})
# gnubg 1.07, money without the Jacoby rule: too good to double (ND +1.120), the other would pass
TOO_GOOD = "XGID=-A-Bb-DBB---bBa---bcbbaA-A:0:0:-1:00:4:0:0:0:8"


@pytest.fixture(scope="module", params=["gnubg", "sage"])
def player(request: pytest.FixtureRequest) -> MatchPlayer:
    if request.param == "gnubg":
        pytest.importorskip("gnubg_nn")
        return GnubgPlayer(0)
    pytest.importorskip("bgsage")
    return SagePlayer(1)


@pytest.fixture
def gnubg() -> Any:
    return pytest.importorskip("gnubg_nn")


@pytest.fixture
def sage() -> Any:
    return pytest.importorskip("bgsage")


class BrokenGnubg(GnubgPlayer):
    """Fails between its question and the answer."""

    def _best_plays(self, boards: Boards, dice: Dice) -> Boards:
        raise KeyError("broken")


def doubles(player: MatchPlayer, board: Board, state: CubeState) -> bool:
    return bool(player.doubles(board[None], pack_states(state, 1))[0])


def answer(player: MatchPlayer, board: Board, state: CubeState) -> int:
    return int(player.responses(board[None], pack_states(state, 1))[0])


def test_engines_are_match_players(player: MatchPlayer) -> None:
    assert isinstance(player, MatchPlayer)


# all of a match to 5 in the starting position, as gnubg 1.07 says
def test_after_the_crawford_game_the_trailer_at_2_away_doubles_and_the_leader_passes(
    player: MatchPlayer,
) -> None:
    state = CubeState(away=(2, 1))
    assert doubles(player, START, state)
    assert answer(player, START, state) == PASS


def test_after_the_crawford_game_the_trailer_at_3_away_doubles_and_the_leader_takes(
    player: MatchPlayer,
) -> None:
    state = CubeState(away=(3, 1))
    assert doubles(player, START, state)
    assert answer(player, START, state) == TAKE


def test_in_the_crawford_game_nobody_doubles(player: MatchPlayer) -> None:
    for away in ((2, 1), (1, 2), (1, 1)):
        for board in (START, WON_RACE):
            assert not doubles(player, board, CubeState(away=away, is_crawford=True))


def test_after_the_crawford_game_the_leader_does_not_double(player: MatchPlayer) -> None:
    for board in (START, WON_RACE):
        assert not doubles(player, board, CubeState(away=(1, 2)))


def test_an_even_position_is_no_double_and_a_take(player: MatchPlayer) -> None:
    for away in ((5, 5), (7, 7), (9, 7)):
        assert not doubles(player, START, CubeState(away=away))
        assert answer(player, START, CubeState(away=away)) == TAKE


def test_a_won_race_is_doubled_and_passed_and_a_lost_one_is_not(player: MatchPlayer) -> None:
    for state in (
        CubeState(away=(5, 5)),
        CubeState(away=(7, 4), value=2, owner=Owner.PLAYER),
        CubeState(away=(2, 1)),
    ):
        assert doubles(player, WON_RACE, state)
        assert answer(player, WON_RACE, state) == PASS
    assert not doubles(player, LOST_RACE, CubeState(away=(5, 5)))


def test_whoever_has_lost_the_match_without_it_doubles_anyway(player: MatchPlayer) -> None:
    assert doubles(player, LOST_RACE, CubeState(away=(5, 2), value=2, owner=Owner.PLAYER))


def test_a_cube_that_is_dead_or_the_opponents_or_at_its_cap_is_not_turned(
    player: MatchPlayer,
) -> None:
    for state in (
        CubeState(away=(2, 5), value=2, owner=Owner.PLAYER),
        CubeState(away=(3, 5), value=4, owner=Owner.PLAYER),
        CubeState(away=(9, 9), value=2, owner=Owner.OPPONENT),
        CubeState(away=(9, 9), value=4, owner=Owner.PLAYER, cap=4),
        CubeState(away=(9, 9), cap=1),
    ):
        assert not doubles(player, WON_RACE, state)
    assert doubles(player, WON_RACE, CubeState(away=(9, 9), value=2, owner=Owner.PLAYER, cap=4))


def test_answers_do_not_depend_on_the_rest_of_the_batch(player: MatchPlayer) -> None:
    boards, dice = ordinary_positions(1, games=6, plies=8)
    kinds = [
        CubeState(away=(5, 7)),
        CubeState(away=(3, 1)),
        CubeState(away=(7, 5), value=2, owner=Owner.PLAYER),
        CubeState(away=(2, 1), is_crawford=True),
    ]
    states = pack_states([kinds[row % 4] for row in range(len(boards))], len(boards))
    doubling = player.doubles(boards, states)
    chosen = player.choose_cubeful(boards, dice, states)
    may = np.flatnonzero(np.arange(len(boards)) % 4 != 3)
    responses = player.responses(boards[may], states[may])
    for row in range(len(boards)):
        one = slice(row, row + 1)
        assert player.doubles(boards[one], states[one])[0] == doubling[row]
        assert (player.choose_cubeful(boards[one], dice[one], states[one])[0] == chosen[row]).all()
    one_by_one = [player.responses(boards[row][None], states[row][None])[0] for row in may]
    assert responses.tolist() == one_by_one


def test_at_match_point_both_ways_only_winning_counts(player: MatchPlayer) -> None:
    boards, dice = ordinary_positions(2, games=6, plies=20)
    states = pack_states(CubeState(away=(1, 1)), len(boards))
    for_money = player.choose(boards, dice)
    for_the_match = player.choose_cubeful(boards, dice, states)
    changed = (for_money != for_the_match).any(1)
    assert 0.02 < changed.mean() < 0.4


def test_engines_play_a_match_by_the_rules(gnubg: Any, sage: Any) -> None:
    result = play_sessions(GnubgPlayer(0), SagePlayer(1), Rules(match_length=3), 4, seed=1)
    assert result.sessions == 4
    assert result.first_cube.doubles and result.second_cube.doubles
    assert result.first_cube.resignations == result.second_cube.resignations == 0


def test_engines_let_the_opponent_go_when_no_more_can_be_won(player: MatchPlayer) -> None:
    assert player.resignations([MatchState(turn=0), MatchState(turn=1)]) == [0, 0]


def test_gnubg_has_no_cube_for_money(gnubg: Any) -> None:
    for ask in (doubles, answer):
        with pytest.raises(ValueError, match="at match scores only, got a money game"):
            ask(GnubgPlayer(0), START, CubeState())


def test_gnubg_plays_for_money_without_the_cube(gnubg: Any) -> None:
    boards, dice = ordinary_positions(3, games=6, plies=10)
    states = pack_states(CubeState(value=2, owner=Owner.PLAYER, jacoby=True), len(boards))
    chosen = GnubgPlayer(0).choose_cubeful(boards, dice, states)
    assert chosen.tolist() == GnubgPlayer(0).choose(boards, dice).tolist()


def test_gnubg_names_a_score_beyond_its_tables(gnubg: Any) -> None:
    state = CubeState(away=(3, 26))
    with pytest.raises(ValueError, match="up to 25 away, got 3 and 26 away"):
        doubles(GnubgPlayer(0), START, state)
    with pytest.raises(ValueError, match="up to 25 away, got 3 and 26 away"):
        GnubgPlayer(0).choose_cubeful(START[None], np.array([[3, 1]]), pack_states(state, 1))
    assert not doubles(GnubgPlayer(0), START, CubeState(away=(25, 25)))


def test_gnubg_cannot_answer_a_double_that_is_not_allowed(gnubg: Any) -> None:
    state = CubeState(away=(5, 5), value=2, owner=Owner.OPPONENT)
    with pytest.raises(ValueError, match="no double to answer: .*OPPONENT"):
        answer(GnubgPlayer(0), START, state)


def test_gnubg_is_left_for_money_also_after_a_failure(gnubg: Any) -> None:
    states = pack_states(CubeState(away=(3, 3), value=2, owner=Owner.PLAYER), 1)
    GnubgPlayer(0).doubles(START[None], states)
    with pytest.raises(RuntimeError, match="money"):
        gnubg.evaluate_cube_decision(START[::-1].tolist())
    with pytest.raises(KeyError):
        BrokenGnubg(0).choose_cubeful(START[None], np.array([[3, 1]]), states)
    with pytest.raises(RuntimeError, match="money"):
        gnubg.evaluate_cube_decision(START[::-1].tolist())


def test_what_gnubg_searched_for_money_does_not_change_its_play_at_match_point(gnubg: Any) -> None:
    boards, dice = ordinary_positions(6, games=4, plies=1)  # nets that remember change three plays
    searching = GnubgPlayer(1)
    states = pack_states(CubeState(away=(1, 1)), len(boards))
    searching.choose(boards, dice)
    after_money = searching.choose_cubeful(boards, dice, states)
    in_use = forgetful_nets(gnubg)  # not to be freed yet
    forgetful_nets.cache_clear()
    with_new_nets = searching.choose_cubeful(boards, dice, states)
    assert forgetful_nets(gnubg) is not in_use
    assert with_new_nets.tolist() == after_money.tolist()


@pytest.mark.parametrize(
    "state",
    [
        CubeState(away=(1, 1)),
        CubeState(away=(2, 1), is_crawford=True),
        CubeState(away=(2, 4), value=2, owner=Owner.PLAYER),
    ],
)
def test_gnubg_plays_for_its_match_equity_where_the_cube_is_dead(
    gnubg: Any, state: CubeState
) -> None:
    boards, dice = ordinary_positions(5, games=5, plies=20)
    after, offsets = legal_afterstates(boards, dice)
    cumulative = [gnubg.probabilities(sides, 0) for sides in gnubg_sides(after).tolist()]
    probs = swap_probs(from_cumulative(np.array(cumulative)))
    chances = probs @ outcome_values(gnubg, state)
    chosen = GnubgPlayer(0).choose_cubeful(boards, dice, pack_states(state, len(boards)))
    for game in range(len(boards)):
        rows = slice(offsets[game], offsets[game + 1])
        if outcomes(after[rows]).max() != UNFINISHED:
            continue
        of_chosen = chances[rows][(after[rows] == chosen[game]).all(1)]
        assert of_chosen == pytest.approx(chances[rows].max(), abs=1e-6), boards[game].tolist()


def outcome_values(gnubg: Any, state: CubeState) -> np.ndarray[Any, np.dtype[np.float64]]:
    """What each outcome is worth to the player, `[6]`, by gnubg's table; -1 = match lost."""
    assert state.away is not None
    values = np.zeros(len(OUTCOMES))
    for level in (1, 2, 3):
        won, lost = list(state.away), list(state.away)
        won[0] -= level * state.value
        lost[1] -= level * state.value
        values[level - 1] = 1 if won[0] <= 0 else gnubg.equities.value(*won)
        values[level + 2] = -1 if lost[1] <= 0 else gnubg.equities.value(*lost)
    return values


def test_sage_decides_the_cube_as_its_own_analyzer(sage: Any) -> None:
    boards, _ = ordinary_positions(6, games=3, plies=2)
    analyzer = sage.BgBotAnalyzer(eval_level="1ply", bearoff_db=False)
    player = SagePlayer(1)
    for state, arguments in (
        (CubeState(away=(5, 7)), {"away1": 5, "away2": 7}),
        (CubeState(jacoby=True, beavers=True), {"jacoby": True, "beaver": True}),
        (CubeState(), {"jacoby": False, "beaver": False}),
    ):
        states = pack_states(state, len(boards))
        both = zip(player.doubles(boards, states), player.responses(boards, states), strict=True)
        for board, (doubling, response) in zip(sage_boards(boards).tolist(), both, strict=True):
            expected = analyzer.cube_action(board, 1, "centered", **arguments)
            assert doubling == expected.should_double, board
            assert (response != PASS) == expected.should_take, board
            assert (response == BEAVER) == expected.is_beaver, board


def test_sage_plays_the_best_cubeful_move_of_its_own_analyzer(sage: Any) -> None:
    boards, dice = ordinary_positions(7, games=5, plies=20)
    analyzer = sage.BgBotAnalyzer(eval_level="1ply", bearoff_db=False)
    state = CubeState(value=2, owner=Owner.OPPONENT, away=(4, 7))
    chosen = SagePlayer(1).choose_cubeful(boards, dice, pack_states(state, len(boards)))
    of_the_player = sage_boards(-chosen[:, ::-1]).tolist()
    for board, roll, choice in zip(
        sage_boards(boards).tolist(), dice.tolist(), of_the_player, strict=True
    ):
        moves = analyzer.checker_play(board, *roll, 2, "opponent", away1=4, away2=7).moves
        if len(moves) > 1:
            assert choice == moves[0].board, (board, roll)


def test_sage_beavers_a_bad_double_where_the_rules_and_the_cap_allow_it(sage: Any) -> None:
    player = SagePlayer(1)
    assert answer(player, START, CubeState(beavers=True)) == BEAVER
    assert answer(player, START, CubeState(beavers=True, cap=2)) == TAKE
    assert answer(player, START, CubeState()) == TAKE


def test_sage_plays_on_for_the_gammon_unless_gammons_do_not_count(sage: Any) -> None:
    board = state_from_xgid(TOO_GOOD).board
    player = SagePlayer(1)
    assert not doubles(player, board, CubeState())
    assert answer(player, board, CubeState()) == PASS
    assert doubles(player, board, CubeState(jacoby=True))


def test_sage_looks_deeper_with_more_plies(sage: Any) -> None:
    boards, dice = ordinary_positions(8, games=1, plies=2)
    states = pack_states(CubeState(away=(5, 5)), len(boards))
    player = SagePlayer(2)
    chosen = player.choose_cubeful(boards, dice, states)
    after, _ = legal_afterstates(boards, dice)
    assert {tuple(board) for board in chosen.tolist()} <= {tuple(row) for row in after.tolist()}
    assert not player.doubles(START[None], states[:1])[0]


def test_sage_plays_money_sessions_with_every_option(sage: Any) -> None:
    rules = money_rules(games_limit=2, jacoby=True, beavers=True, automatic_doubles=1)
    result = play_sessions(SagePlayer(1), SagePlayer(1), rules, 4, seed=2)
    assert result.games == 8
    assert result.first_cube.doubles + result.second_cube.doubles > 0
