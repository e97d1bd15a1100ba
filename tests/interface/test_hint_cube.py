"""`bgai hint` without a roll: the cube decision."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from bgai.cube import pack_states, swap_states
from bgai.engine import START, format_play, legal_plays
from bgai.interface.bot import load_bot
from bgai.match import CubeState, Owner, Rules, double, gnu_id_of, money_rules, xgid_of
from bgai.match.state import Decision, MatchState
from tests.interface.conftest import Bgai
from tests.match.states import on_roll

START_ID = "4HPwATDgc/ABMA"
STATES = {
    "money": on_roll(),
    "a match": on_roll(Rules(7), score=(2, 4), turn=1),
    "an owned cube": on_roll(Rules(7), score=(2, 1), cube_value=2, cube_owner=0),
    "the Crawford game": on_roll(Rules(5), score=(4, 1), is_crawford=True),
    "the Jacoby rule": on_roll(money_rules(jacoby=True)),
    "a double": double(on_roll(Rules(7), score=(2, 4))),
}


@pytest.fixture
def hint(bgai: Bgai, race_bot: str) -> Any:
    """`hint(...)` -> what `bgai hint --json` says."""

    def run(*argv: str) -> Any:
        code, out, err = bgai("hint", *argv, "--bot", race_bot, "--json")
        assert (code, err) == (0, "")
        return json.loads(out)

    return run


def state_of(found: Any) -> CubeState:
    fields = found["cube"]["state"] if "cube" in found else found["state"]
    away = fields["away"]
    return CubeState(
        **fields | {"owner": Owner(fields["owner"]), "away": None if away is None else tuple(away)}
    )


def test_a_bare_position_is_for_money_with_the_cube_in_the_middle(hint: Any, race_bot: str) -> None:
    found = hint(START_ID)
    decision = load_bot(race_bot).cube(START, CubeState())
    assert state_of(found) == CubeState()
    assert {key: found["cube"][key] for key in decision.to_json()} == decision.to_json()
    assert list(found["probs"].values()) == pytest.approx(decision.probs, abs=1e-6)
    assert found["cube"]["match_winning_chances"] is None


@pytest.mark.parametrize("state", STATES.values(), ids=STATES.keys())
@pytest.mark.parametrize("write", [xgid_of, gnu_id_of])
def test_score_and_cube_come_from_the_id(hint: Any, write: Any, state: MatchState) -> None:
    assert state_of(hint(write(state))) == state.cube_state()


@pytest.mark.parametrize(
    ("options", "state"),
    [
        ("--cube 2 --owner player", CubeState(2, Owner.PLAYER)),
        ("--cube 4 --owner opponent --away 7,5", CubeState(4, Owner.OPPONENT, (7, 5))),
        ("--cube 2", CubeState(2)),
        ("--owner centred --away 1,3 --crawford", CubeState(away=(1, 3), is_crawford=True)),
        ("--jacoby --beavers", CubeState(jacoby=True, beavers=True)),
    ],
)
def test_score_and_cube_come_from_the_options(hint: Any, options: str, state: CubeState) -> None:
    assert state_of(hint(START_ID, *options.split())) == state


def test_a_match_shows_its_chances_beside_the_equities(
    bgai: Bgai, hint: Any, race_bot: str
) -> None:
    options = [START_ID, "--away", "3,5", "--cube", "2", "--owner", "player"]
    code, out, _ = bgai("hint", *options, "--bot", race_bot)
    cube = hint(*options)["cube"]
    lines = out.splitlines()
    assert code == 0
    assert "match, 3 away against 5 away; cube 2, owned by the player on roll" in lines
    for name in ("nd", "dt", "dp"):
        (line,) = [line for line in lines if line.startswith(f"  {name.upper()}  ")]
        chance = cube["match_winning_chances"][name]
        assert line.split()[-2:] == [f"{cube[name]:+.3f}", f"{100 * chance:.2f}%"]
    action, response = cube["text"].split(", ")
    assert lines[-2:] == [f"{action}: {cube['reason']}", f"answer to a redouble: {response}"]
    assert max(map(len, lines)) <= 80


def test_money_shows_equities_alone(bgai: Bgai, race_bot: str) -> None:
    out = bgai("hint", START_ID, "--bot", race_bot)[1]
    assert "DT  double, take" in out and "winning chance" not in out
    assert "money; cube 1, in the middle" in out


def test_where_the_player_may_not_double_only_nd_is_shown(bgai: Bgai, race_bot: str) -> None:
    options = ["--cube", "2", "--owner", "opponent", "--bot", race_bot]
    lines = bgai("hint", START_ID, *options)[1].splitlines()
    assert lines[-1] == "no cube: the opponent owns the cube"
    assert "  ND  " in lines[-2] and not any("DT" in line for line in lines)


def test_the_dice_of_a_match_id_are_used(hint: Any) -> None:
    state = MatchState(Rules(7), position=on_roll().position, decision=Decision.PLAY, dice=(6, 5))
    assert hint(gnu_id_of(state))["dice"] == [6, 5]


@pytest.mark.parametrize(
    ("argv", "state"),
    [
        ([xgid_of(STATES["a match"])], STATES["a match"].cube_state()),
        ([gnu_id_of(STATES["an owned cube"])], STATES["an owned cube"].cube_state()),
        ([START_ID, "--cube", "2", "--owner", "player"], CubeState(2, Owner.PLAYER)),
        ([START_ID, "--away", "2,4"], CubeState(away=(2, 4))),
    ],
)
def test_with_score_and_cube_plays_are_ranked_as_the_bot_plays(
    hint: Any, race_bot: str, argv: list[str], state: CubeState
) -> None:
    found = hint(*argv, "--dice", "31")
    assert state_of(found) == state
    player = load_bot(race_bot).player()
    dice = np.array([[3, 1]])
    chosen = player.choose_cubeful(START[None], dice, pack_states(state, 1))[0]
    play = next(play for play in legal_plays(START, (3, 1)) if (play.after == chosen).all())
    best, *others = found["plays"]
    assert best["play"] == format_play(START, play.moves)
    values = player.decide_cube(chosen[None], swap_states(pack_states(state, 1))).equities
    assert best["cubeful_equity"] == pytest.approx(-values[0], abs=1e-6)
    for other in others:
        difference = other["cubeful_equity"] - best["cubeful_equity"]
        assert other["difference"] == pytest.approx(difference, abs=2e-6)


def test_a_position_alone_is_ranked_without_the_cube(hint: Any) -> None:
    found = hint(START_ID, "--dice", "31")
    assert found["state"] is None
    assert {play["cubeful_equity"] for play in found["plays"]} == {None}


@pytest.mark.parametrize(
    ("argv", "named"),
    [
        ([START_ID, "--cube", "3"], "got 3"),
        ([START_ID, "--cube", "two"], "'two'"),
        ([START_ID, "--cube", "128"], "at most 64, got 128"),
        ([START_ID, "--owner", "nobody"], "'nobody'"),
        ([START_ID, "--owner", "player"], "got owner 'player'"),
        ([START_ID, "--away", "3"], "got '3'"),
        ([START_ID, "--away", "0,3"], "got '0,3'"),
        ([START_ID, "--away", "100000,3"], "got '100000,3'"),
        ([START_ID, "--away", "3,99"], "got '3,99'"),
        ([START_ID, "--away", "-1,3"], "got '-1,3'"),
        ([START_ID, "--away", "3,5", "--crawford"], "got (3, 5)"),
        ([START_ID, "--away", "3,5", "--jacoby"], "(3, 5)"),
        ([START_ID, "--crawford"], "Crawford"),
        ([xgid_of(STATES["a double"]), "--dice", "31"], "the decision is answer double"),
        ([xgid_of(on_roll()), "--cube", "2"], "--cube 2"),
        ([gnu_id_of(on_roll()), "--jacoby"], "--jacoby"),
        ([f"{START_ID}:nonsense"], "'nonsense'"),
        (["XGID=-b----E-C---eE---c-e----B-:1:0:1:00:0:0:0:7:10"], "got 2"),
        (["XGID=-b----E-C---eE---c-e----B-:0:0:1:B:0:0:3:0:10"], "answer beaver"),
        (["XGID=-a------------------------:0:0:1:00:0:0:0:0:10"], "the game is over"),
    ],
)
def test_misuse_is_one_line_that_names_the_value(
    bgai: Bgai, race_bot: str, argv: list[str], named: str
) -> None:
    code, out, err = bgai("hint", *argv, "--bot", race_bot)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert named in err
