"""Whole matches and money sessions between two players."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from bgai.cube import StateRows
from bgai.engine import Boards
from bgai.evaluation import play_sessions
from bgai.evaluation.opponents import PipPlayer
from bgai.interface.cli import main
from bgai.match import MatchState, Rules, money_rules
from bgai.search import EvaluatorPlayer, PipCubePlayer
from tests.evaluation.test_players import FakeBot, fake_bot

__all__ = ["fake_bot"]

PIP = PipCubePlayer("pip", PipPlayer())
NET = EvaluatorPlayer("net", FakeBot())
MONEY = money_rules(games_limit=1)


class Passer(PipCubePlayer):
    """Never doubles and passes every double."""

    def doubles(self, boards: Boards, states: StateRows) -> npt.NDArray[np.bool_]:
        return np.zeros(len(boards), np.bool_)

    def responses(self, boards: Boards, states: StateRows) -> npt.NDArray[np.int8]:
        return np.full(len(boards), 1, np.int8)  # RESPONSES: take, pass, beaver


class Resigner(PipCubePlayer):
    """Gives every game up before its first roll."""

    def resignations(self, states: Sequence[MatchState]) -> list[int]:
        return [1] * len(states)

    def doubles(self, boards: Boards, states: StateRows) -> npt.NDArray[np.bool_]:
        return np.zeros(len(boards), np.bool_)


class Acceptor(PipCubePlayer):
    def accepts(self, state: MatchState) -> bool:
        return True


def test_a_player_who_always_plays_the_same_way_scores_0_against_itself() -> None:
    for rules in (MONEY, Rules(match_length=3)):
        result = play_sessions(PIP, PIP, rules, 8, seed=1)
        assert result.ppg == 0 and result.standard_error == 0
        assert result.first_cube == result.second_cube
    assert result.win_share == 0.5


def test_matches_end_when_the_points_are_reached() -> None:
    result = play_sessions(PIP, NET, Rules(match_length=3), 8, seed=2)
    assert result.sessions == 8 <= result.games <= 8 * 5
    assert sum(result.endings.values()) == result.games
    assert result.win_share is not None and 0 <= result.win_share <= 1


def test_a_money_session_has_no_share_of_wins() -> None:
    result = play_sessions(PIP, NET, MONEY, 8, seed=2)
    assert (result.games, result.win_share, result.win_standard_error) == (8, None, None)


def test_the_batch_size_changes_nothing() -> None:
    results = [
        play_sessions(PIP, NET, money_rules(games_limit=2, beavers=True), 12, 3, batch=batch)
        for batch in (2, 5, 1024)
    ]
    assert results[0] == results[1] == results[2]


def test_a_double_that_is_passed_ends_the_game_at_the_stake_before() -> None:
    result = play_sessions(PIP, Passer("passer", PipPlayer()), MONEY, 40, seed=4)
    assert result.first_cube.doubles == result.second_cube.passes == result.endings["passed"] > 0
    assert result.largest_cube == 1 and result.first_cube.redoubles == 0


def test_every_double_is_taken_passed_or_beavered() -> None:
    result = play_sessions(NET, PIP, money_rules(games_limit=1, beavers=True), 60, seed=5)
    doubles = result.first_cube.doubles + result.first_cube.redoubles
    theirs, own = result.second_cube, result.first_cube
    # the pip cube takes what it does not pass; a doubler who is beavered takes or raccoons
    assert doubles > 0 and theirs.passes <= doubles
    assert theirs.passes + theirs.takes >= doubles - own.raccoons
    assert result.endings.get("passed", 0) == own.passes + theirs.passes


def test_resignations_end_games_and_are_counted() -> None:
    resigner, other = Resigner("resigner", PipPlayer()), Acceptor("acceptor", PipPlayer())
    result = play_sessions(resigner, other, money_rules(games_limit=1, cap=1), 4, seed=6)
    assert result.endings == {"resigned": 4}
    assert result.first_cube.resignations == 4
    assert result.ppg == -1


def test_players_without_a_cube_in_the_rules_never_turn_it() -> None:
    result = play_sessions(PIP, NET, replace(MONEY, cap=1), 20, seed=7)
    assert result.mean_final_cube == 1
    assert result.first_cube.doubles == result.second_cube.doubles == 0


@pytest.mark.parametrize(
    ("rules", "sessions", "seed", "message"),
    [
        (MONEY, 5, 1, "got 5"),
        (MONEY, 2, 1, "got 2"),
        (MONEY, 4, -1, "got -1"),
        (money_rules(), 4, 1, "games limit"),
    ],
)
def test_what_cannot_be_played_is_refused(
    rules: Rules, sessions: int, seed: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        play_sessions(PIP, PIP, rules, sessions, seed)


def test_the_command_reports_matches_and_money_games(
    fake_bot: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["evaluate", fake_bot, "--against", f"{fake_bot}+pip-cube", "--games", "4"]
    assert main([*command, "--money", "--jacoby", "--json"]) == 0
    (money,) = json.loads(capsys.readouterr().out)["sessions"]
    assert money["rules"]["jacoby"] and money["second"] == "fake+pip-cube"
    assert main([*command, "--match", "2"]) == 0
    text = capsys.readouterr().out
    assert "Matches to 2 with the cube" in text and "fake+pip-cube" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--match", "3", "--money"], "--match or --money"),
        (["--jacoby"], "--money"),
        (["--match", "3", "--beavers"], "beavers"),
        (["--match", "0"], "got 0"),
        (["--money", "--cap", "3"], "got 3"),
    ],
)
def test_options_that_do_not_go_together_are_one_line(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", "pip", "--against", "pip", *options]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and message in error
