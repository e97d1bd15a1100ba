"""What to do with the cube, and the words for it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bgai.cube import Action, CubeModel, Response, decide, decide_batch, pack_states, unpack_state
from bgai.cube.state_rows import is_free_double, may_double
from bgai.engine import START
from bgai.match.cube_state import CubeState, Owner
from tests.cube.examples import (
    START_PROBS,
    random_probs,
    random_state,
    singles,
    with_win_chance,
)
from tests.engine.positions import board_of

X = 2 / 3
OWNED = CubeState(value=2, owner=Owner.PLAYER)


@pytest.mark.parametrize(
    ("win", "state", "text"),
    [
        (0.5, CubeState(), "no double, take"),
        (0.72, CubeState(), "double, take"),
        (0.70, OWNED, "no redouble, take"),
        (0.76, OWNED, "redouble, take"),
        (0.85, CubeState(), "double, pass"),
        (0.85, OWNED, "redouble, pass"),
        (0.1, CubeState(), "no double, take"),
    ],
)
def test_actions_without_gammons_at_money(win: float, state: CubeState, text: str) -> None:
    assert str(decide(singles(win), state, X)) == text


def test_with_many_gammons_a_strong_position_is_too_good_to_double() -> None:
    probs = [0.45, 0.45, 0.02, 0.07, 0.01, 0]
    decision = decide(probs, CubeState(), X)
    assert decision.action is Action.TOO_GOOD
    assert decision.response is Response.PASS
    assert str(decision) == "too good to double, pass"
    assert decision.nd > decision.dp == 1
    # under the Jacoby rule those gammons have no price before the cube is turned
    assert str(decide(probs, CubeState(jacoby=True), X)) == "double, pass"


def test_the_start_position_is_no_double_and_a_beaver() -> None:
    decision = decide(START_PROBS, CubeState(jacoby=True, beavers=True), 0.68)
    assert str(decision) == "no double, beaver"
    assert "beaver" in decision.reason
    assert decide(START_PROBS, CubeState(), 0.68).response is Response.TAKE


def test_the_jacoby_paradox_a_double_may_be_right_although_it_is_beavered() -> None:
    # all wins are gammons: turning the cube is worth more than the beaver costs
    probs = np.array([0.02, 0.33, 0, 0.60, 0.05, 0])
    decision = decide(probs, CubeState(jacoby=True, beavers=True), 0)
    assert decision.nd == pytest.approx(2 * 0.35 - 1)
    assert decision.dt == pytest.approx(-0.04)
    assert decision.nd < 2 * decision.dt < 0
    assert (decision.action, decision.response) == (Action.DOUBLE, Response.BEAVER)
    assert "beaver" in decision.reason
    assert decide(probs, CubeState(beavers=True), 0).action is Action.NO_DOUBLE


def test_a_beaver_needs_room_below_the_cap() -> None:
    state = CubeState(value=32, owner=Owner.PLAYER, beavers=True)
    assert decide(singles(0.4), state, X).response is Response.TAKE
    state = CubeState(value=16, owner=Owner.PLAYER, beavers=True)
    assert decide(singles(0.4), state, X).response is Response.BEAVER


def test_a_beaver_counts_the_take_twice() -> None:
    batch = decide_batch(singles(0.4), CubeState(beavers=True), X)
    assert batch.equities[0] == batch.nd[0]
    paradox = decide_batch([0.02, 0.33, 0, 0.60, 0.05, 0], CubeState(jacoby=True, beavers=True), 0)
    assert paradox.equities[0] == pytest.approx(-0.08)


LAST_ROLL = board_of({5: 1, 2: 1}, {24: 1})


def test_a_last_roll_is_doubled_when_ahead_and_taken_from_a_quarter() -> None:
    model = CubeModel()
    for wins, text in (
        (17, "no double, take"),
        (18, "no double, take"),  # even: doubling changes nothing
        (19, "double, take"),
        (26, "double, take"),
        (28, "double, pass"),
    ):
        decision = model.decide(singles(wins / 36), LAST_ROLL, CubeState())
        assert str(decision) == text, wins
        assert decision.nd == pytest.approx(2 * wins / 36 - 1)
        assert decision.dt == pytest.approx(2 * decision.nd)
    assert model.decide(singles(27 / 36), LAST_ROLL, CubeState()).response is Response.TAKE


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (CubeState(cap=1), "without the cube"),
        (CubeState(value=64, owner=Owner.PLAYER), "at its cap of 64"),
        (CubeState(value=2, owner=Owner.OPPONENT), "the opponent owns the cube"),
        (CubeState(away=(2, 1), is_crawford=True), "the Crawford game"),
        (CubeState(away=(1, 2)), "dead: the present stake wins"),
        (CubeState(value=4, owner=Owner.PLAYER, away=(3, 7)), "dead: the present stake wins"),
    ],
)
def test_where_nobody_may_double_the_reason_is_given(state: CubeState, reason: str) -> None:
    for win in (0.1, 0.6, 0.99):
        decision = decide(singles(win), state, X)
        assert decision.action is Action.NOT_AVAILABLE
        assert reason in decision.reason
        assert str(decision) == f"no cube: {decision.reason}"


def test_the_match_to_5_of_the_reference() -> None:
    # the start position at 3-4 to 5, as GNU Backgammon sees it
    crawford = decide(START_PROBS, CubeState(away=(2, 1), is_crawford=True), X)
    assert crawford.action is Action.NOT_AVAILABLE
    assert str(decide(START_PROBS, CubeState(away=(2, 1)), X)) == "double, pass"
    assert str(decide(START_PROBS, CubeState(away=(3, 1)), X)) == "double, take"
    assert decide(START_PROBS, CubeState(away=(1, 2)), X).action is Action.NOT_AVAILABLE


def test_after_the_crawford_game_the_trailer_doubles_at_once() -> None:
    for away in range(2, 8):
        for win in (0.02, 0.2, 0.4, 0.49, 0.6, 0.8):
            decision = decide(singles(win), CubeState(away=(away, 1)), X)
            assert decision.action is Action.DOUBLE, (away, win)
            assert "risks nothing" in decision.reason


def test_match_chances_come_with_the_equities() -> None:
    decision = decide(START_PROBS, CubeState(away=(2, 1)), X)
    assert decision.chances is not None
    assert decision.chances[1:] == pytest.approx((0.521483, 0.5))
    assert decide(START_PROBS, CubeState(), X).chances is None


def test_a_batch_is_its_rows_one_by_one() -> None:
    rng = np.random.default_rng(6)
    probs = random_probs(rng, 300)
    states = [random_state(rng) for _ in range(300)]
    efficiencies = rng.random((300, 2))
    batch = decide_batch(probs, states, efficiencies)
    assert len(batch) == 300
    for row, decision in enumerate(batch):
        assert decision == decide(probs[row], states[row], efficiencies[row])
    assert batch.doubles.tolist() == [one.action is Action.DOUBLE for one in batch]
    assert batch.takes.tolist() == [one.response is not Response.PASS for one in batch]


def test_decisions_follow_from_the_equities() -> None:
    rng = np.random.default_rng(7)
    probs = random_probs(rng, 2000)
    states = [random_state(rng) for _ in range(2000)]
    for one in decide_batch(probs, states, rng.random(2000)):
        assert (one.response is Response.PASS) == (one.dt > one.dp)
        if one.action is Action.NOT_AVAILABLE:
            assert not one.state.may_double()
            continue
        assert one.state.may_double()
        after = min(one.dp, 2 * one.dt if one.response is Response.BEAVER else one.dt)
        if one.action is Action.DOUBLE:
            assert one.nd <= after + 1e-8
        else:
            assert one.nd >= after - 1e-8
        assert (one.action is Action.TOO_GOOD) <= (one.nd > one.dp)


def test_a_better_position_is_never_passed_less() -> None:
    for state in (CubeState(), OWNED, CubeState(away=(4, 7)), CubeState(away=(3, 1))):
        probs = np.stack([with_win_chance(START_PROBS, win) for win in np.linspace(0, 1, 60)])
        takes = decide_batch(probs, state, X).takes
        assert takes[0] and not takes[-1]
        assert (np.diff(takes.astype(int)) <= 0).all()


def test_packed_states_are_the_states() -> None:
    rng = np.random.default_rng(8)
    states = [random_state(rng) for _ in range(200)]
    rows = pack_states(states, 200)
    assert [unpack_state(row) for row in rows] == states
    assert may_double(rows).tolist() == [state.may_double() for state in states]
    free = [
        state.may_double() and state.away is not None and state.away[1] <= state.value
        for state in states
    ]
    assert is_free_double(rows).tolist() == free
    assert pack_states(rows, 200) is rows
    with pytest.raises(ValueError, match=r"expected 3 states of 9 numbers, got shape \(200, 9\)"):
        pack_states(rows, 3)


def test_a_decision_is_plain_json() -> None:
    for state in (CubeState(), CubeState(away=(3, 4))):
        content = CubeModel().decide(START_PROBS, START, state).to_json()
        assert json.loads(json.dumps(content)) == content
        assert content["text"] == "no double, take"


def test_what_is_no_decision_at_all_is_refused_and_named() -> None:
    with pytest.raises(ValueError, match=r"probs must be numbers, got \['a', 'a'"):
        decide(["a"] * 6, CubeState(), 0.5)
    with pytest.raises(ValueError, match="6 probabilities, got 2 rows"):
        decide(np.eye(6)[:2], CubeState(), 0.5)
    with pytest.raises(ValueError, match="x must be numbers, got .*'high'"):
        decide(np.eye(6)[0], CubeState(), "high")
    for state in (None, "money"):
        with pytest.raises(ValueError, match=f"expected a CubeState .*, got {state!r}"):
            decide(np.eye(6)[0], state, 0.5)  # type: ignore[arg-type]


def test_bad_probabilities_and_scores_are_refused() -> None:
    with pytest.raises(ValueError, match="sum to 1, got"):
        decide([0.5, 0.1, 0, 0.1, 0, 0], CubeState(), X)
    with pytest.raises(ValueError, match="sum to 1, got .*nan"):
        decide([float("nan")] * 6, CubeState(), X)
    with pytest.raises(ValueError, match="got 99"):
        decide(START_PROBS, CubeState(away=(99, 3)), X)
    with pytest.raises(ValueError, match=r"x must be in \[0, 1\], got 2"):
        decide(START_PROBS, CubeState(), 2)
