"""Random games under all options break no rule: a slice of `scripts/simulate_matches.py`."""

from __future__ import annotations

import pytest

from bgai.match import Action, Rules, allowed_actions, new_session
from scripts.simulate_matches import all_options, main, simulate
from tests.match.account import Account, BrokenRuleError, check_actions, check_state
from tests.match.states import on_roll


def test_random_games_under_all_options_break_no_rule() -> None:
    seen = simulate(games=500, seed=7)
    assert seen["games"] >= 500
    for kind in ("beaver", "raccoon", "decline", "Crawford games", "passed at level 1"):
        assert seen[kind] > 0, f"the slice has no {kind}"
    assert seen["borne off at level 1"] > 0


def test_every_combination_of_options_is_tried() -> None:
    options = all_options()
    assert len(options) == len(set(options)) == 288
    assert any(rules.beavers and rules.jacoby and rules.automatic_doubles for rules in options)


def test_the_simulation_notices_a_wrong_score_and_a_wrong_cube() -> None:
    for fields in ({"score": [0, 1]}, {"cube": 2}, {"games": 1}, {"crawford_games": 2}):
        account = Account(Rules(3), **fields)
        with pytest.raises(BrokenRuleError):
            check_state(new_session(Rules(3)), account)


def test_the_simulation_notices_an_action_too_many_and_one_too_few() -> None:
    state = on_roll(Rules(3))
    account = Account(Rules(3), plays=1)
    allowed = allowed_actions(state)
    check_actions(state, account, allowed)
    for wrong in ((*allowed, Action.BEAVER), (Action.ROLL, Action.RESIGN), allowed[:-1]):
        with pytest.raises(BrokenRuleError):
            check_actions(state, account, wrong)
    with pytest.raises(BrokenRuleError, match="before the first roll"):
        check_actions(state, Account(Rules(3)), allowed)


def test_the_command_reports_what_it_saw(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--games", "20", "--processes", "1", "--seed", "3"]) == 0
    assert "no rule broken; 288 combinations" in capsys.readouterr().out


def test_the_command_refuses_no_games(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--games", "0"])
    assert left.value.code == 2
    assert "got 0" in capsys.readouterr().err
