"""What the coach makes of plays, cube decisions and moments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from bgai.cube import kazaross_xg2
from bgai.engine import Boards, Move, Probs
from bgai.interface.table import Coach, Judgement, Seat, Step, Table, reason_of, report
from bgai.interface.table.coach import answer_values, double_value
from bgai.interface.table.step import make_step
from bgai.interface.texts import load_texts
from bgai.match import Action, Decision, MatchState, Rules, beaver, double, money_rules, raccoon
from bgai.search import EvaluatorPlayer
from tests.interface.players import Anybody, play_on, racer, table_with_person
from tests.match.states import ALL_LEFT_IN_HOME, before_last_roll, on_roll

BEAVERS = money_rules(beavers=True)


def always(*probs: float) -> Coach:
    """A coach who sees the same chances for the player on roll everywhere."""

    def evaluator(boards: Boards) -> Probs:
        return np.tile(np.array(probs, np.float32), (len(boards), 1))

    return Coach(EvaluatorPlayer("fixed", evaluator))


def judged(coach: Coach, state: MatchState, action: Action) -> Judgement:
    (judgement,) = coach.judge([make_step(state, action, dice=(3, 1))])
    assert judgement is not None
    return judgement


SURE = always(1, 0, 0, 0, 0, 0)
EVEN = always(0.4, 0.1, 0, 0.4, 0.1, 0)
LOST = always(0, 0, 0, 1, 0, 0)


def test_a_bots_own_decisions_cost_nothing_in_its_own_eyes() -> None:
    bots = Seat("one", racer()), Seat("two", racer())
    table = Table(bots, Rules(5), seed=5)
    for _ in range(60):
        if not table.advance_once():
            table.next_game()
    sides = report(Coach(racer()), table.steps)
    assert [side.error for side in sides] == [0, 0]
    assert all(side.decisions > 5 and side.pr == 0 and side.worst == () for side in sides)


def test_the_error_of_a_play_is_what_the_ranking_says() -> None:
    table = table_with_person(Rules(3), 2)
    table.advance()
    coach = Coach(racer())
    ranked = coach.ranking(table.state)
    assert ranked[0].difference == 0
    assert [item.difference for item in ranked] == sorted(
        (item.difference for item in ranked), reverse=True
    )
    for item in (ranked[0], ranked[-1]):
        step = make_step(table.state, Action.PLAY, moves=item.play.moves)
        (judgement,) = coach.judge([step])
        assert judgement is not None and judgement.is_unforced
        assert judgement.error == pytest.approx(-1000 * item.difference)
        assert item.chance is not None and 0 < item.chance < 1


def test_a_play_without_an_alternative_is_no_decision() -> None:
    state = before_last_roll(Rules(3), ALL_LEFT_IN_HOME)
    state = replace(state, decision=Decision.PLAY, dice=(2, 1))
    (judgement,) = EVEN.judge([make_step(state, Action.PLAY, moves=[Move(1, 0)])])
    assert judgement is not None
    assert (judgement.error, judgement.is_unforced) == (0, False)


def test_not_doubling_a_sure_win_costs_what_the_pass_is_worth_more() -> None:
    state = on_roll(money_rules())
    rolled = judged(SURE, state, Action.ROLL)
    decision = SURE.cube(state)
    assert rolled.best is Action.DOUBLE
    assert rolled.error == pytest.approx(1000 * (double_value(decision) - decision.nd))
    assert judged(SURE, state, Action.DOUBLE).error == 0


def test_doubling_when_lost_costs_the_higher_stake() -> None:
    state = on_roll(money_rules())
    doubled = judged(LOST, state, Action.DOUBLE)
    assert (doubled.best, doubled.is_unforced) == (Action.ROLL, True)
    assert doubled.error == pytest.approx(1000)  # two points lost for one
    assert not judged(LOST, state, Action.ROLL).is_unforced, "nobody would double here"


def test_taking_a_lost_game_and_passing_a_won_one_are_errors() -> None:
    offered = double(on_roll(money_rules()))
    taken = judged(SURE, offered, Action.TAKE)
    assert (taken.seat, taken.best) == (1, Action.PASS)
    assert taken.error == pytest.approx(1000)
    passed = judged(LOST, offered, Action.PASS)
    assert passed.best is Action.TAKE
    assert passed.error == pytest.approx(3000)  # one lost instead of two won


def test_beavers_and_raccoons_are_worth_twice_and_four_times_the_double() -> None:
    offered = double(on_roll(BEAVERS))
    assert answer_values(LOST.cube(offered), offered) == {
        Action.TAKE: pytest.approx(2),
        Action.PASS: -1,
        Action.BEAVER: pytest.approx(2),  # the doubler passes rather than lose four
    }
    beavered = beaver(offered)
    assert answer_values(SURE.cube(beavered), beavered) == {
        Action.TAKE: pytest.approx(4),
        Action.PASS: -2,
        Action.RACCOON: pytest.approx(4),  # and here the raccoon is passed
    }
    redoubled = raccoon(beavered)
    assert answer_values(SURE.cube(redoubled), redoubled) == {
        Action.TAKE: pytest.approx(-8),
        Action.PASS: -4,
    }
    assert SURE.best_answer(redoubled) is Action.PASS
    assert judged(LOST, beavered, Action.RACCOON).error == pytest.approx(6000)


def test_a_beaver_may_be_wrong() -> None:
    offered = double(on_roll(BEAVERS))
    wrong = judged(SURE, offered, Action.BEAVER)
    assert wrong.best is Action.PASS
    assert wrong.error == pytest.approx(3000)  # four points lost instead of one


def test_what_is_no_decision_of_the_kind_is_not_judged() -> None:
    table = play_on(table_with_person(Rules(3), 4), Anybody(np.random.default_rng(4)))
    for step, judgement in zip(table.steps, EVEN.judge(table.steps), strict=True):
        expected = step.action in (
            Action.PLAY,
            Action.DOUBLE,
            Action.TAKE,
            Action.PASS,
        ) or (step.action is Action.ROLL and step.is_choice)
        assert (judgement is not None) == expected, step.action


def test_questions_at_the_wrong_moment_are_refused() -> None:
    rolling = on_roll(Rules(3))
    with pytest.raises(ValueError, match="no dice are to be played"):
        EVEN.ranking(rolling)
    with pytest.raises(ValueError, match="no double is to be answered"):
        EVEN.best_answer(rolling)
    playing = replace(rolling, decision=Decision.PLAY, dice=(3, 1))
    with pytest.raises(ValueError, match="no cube decision now"):
        EVEN.cube(playing)


# -- outlook, rating and luck


def test_the_outlook_of_both_seats_adds_up_to_one() -> None:
    table = play_on(table_with_person(Rules(3), 4), Anybody(np.random.default_rng(4)), steps=12)
    coach = Coach(racer())
    seen = set()
    for step in table.steps:
        views = [coach.outlook(step.after, seat) for seat in (0, 1)]
        if step.after.decision is Decision.OPENING:
            assert views == [None, None]
            continue
        assert views[0] is not None and views[1] is not None
        assert views[0].game + views[1].game == pytest.approx(1, abs=1e-6)
        assert views[0].match is not None and views[1].match is not None
        assert views[0].match + views[1].match == pytest.approx(1, abs=1e-6)
        seen.add(step.after.decision)
    assert Decision.PLAY in seen and Decision.ROLL in seen


def test_after_a_game_the_outlook_is_the_match_equity_of_the_score() -> None:
    step = make_step(double(on_roll(Rules(3))), Action.PASS)
    outlook = EVEN.outlook(step.after, 0)
    assert outlook is not None
    assert outlook.game == 1
    assert outlook.match == pytest.approx(kazaross_xg2().chance(2, 3))
    last = make_step(on_roll(Rules(1)), Action.RESIGN, level=1)
    accepted = make_step(last.after, Action.ACCEPT)
    lost = EVEN.outlook(accepted.after, 0)
    assert lost is not None and (lost.game, lost.match) == (0, 0)


def test_for_money_there_is_no_match_to_win() -> None:
    outlook = EVEN.outlook(on_roll(money_rules()), 0)
    assert outlook is not None and outlook.game == pytest.approx(0.5) and outlook.match is None


def test_the_rating_is_500_times_the_mean_error_of_unforced_decisions() -> None:
    state = on_roll(money_rules())
    steps = [make_step(state, Action.DOUBLE), make_step(double(state), Action.TAKE)]
    first, second = report(LOST, steps)
    assert first.decisions == 1
    assert first.error == pytest.approx(1000)
    assert first.pr == pytest.approx(500)
    assert (second.decisions, second.error, second.pr) == (1, 0, 0)
    assert [number for number, _ in first.worst] == [0]
    assert report(LOST, [])[0].pr is None


def test_luck_belongs_to_whoever_threw_and_is_nothing_where_all_rolls_are_alike() -> None:
    table = play_on(table_with_person(Rules(1), 4), Anybody(np.random.default_rng(4)), steps=6)
    lucks = Coach(racer()).luck(table.steps)
    throws = [step.dice is not None and step.after.dice is not None for step in table.steps]
    assert [luck is not None for luck in lucks] == throws
    assert any(luck for luck in lucks)
    assert sum(side.luck for side in report(Coach(racer()), table.steps)) == pytest.approx(
        sum(luck or 0 for luck in lucks)
    )
    assert all(abs(luck) < 1e-6 for luck in EVEN.luck(table.steps) if luck is not None)


# -- reasons


def test_the_reason_in_english_is_that_of_the_cube_model() -> None:
    texts = load_texts("en")
    rng = np.random.default_rng(1)
    codes = set()
    for coach, state in cube_moments(rng):
        decision = coach.cube(state)
        code, numbers = reason_of(decision)
        codes.add(code)
        shown = {
            name: f"{number:.3f}" if isinstance(number, float) else number
            for name, number in numbers.items()
        }
        assert texts(f"cube.reason.{code}", **shown) == decision.reason
    assert len(codes) >= 10, codes


def cube_moments(rng: np.random.Generator) -> Sequence[tuple[Coach, MatchState]]:
    """Cube decisions of many kinds, with chances by lot."""
    states = [
        on_roll(money_rules()),
        on_roll(money_rules(cap=1)),
        on_roll(money_rules(cap=2), cube_value=2, cube_owner=0),
        on_roll(money_rules(beavers=True, jacoby=True)),
        on_roll(Rules(5)),
        on_roll(Rules(5), cube_value=2, cube_owner=1),
        on_roll(Rules(5), score=(4, 2), is_crawford=True),
        on_roll(Rules(5), score=(2, 4)),
        on_roll(Rules(5), score=(4, 2)),
    ]
    moments = []
    for state in states:
        for _ in range(12):
            win, gammons = rng.random(), 0.5 * rng.random()
            lose = 1 - win
            probs = (win * (1 - gammons), win * gammons, 0, lose * 0.9, lose * 0.1, 0)
            moments.append((always(*probs), state))
    return moments


def test_judgements_are_kept() -> None:
    calls: list[int] = []

    def evaluator(boards: Boards) -> Probs:
        calls.append(len(boards))
        return np.full((len(boards), 6), 1 / 6, np.float32)

    coach = Coach(EvaluatorPlayer("counting", evaluator))
    steps: list[Step] = [make_step(on_roll(money_rules()), Action.DOUBLE)]
    assert coach.judge(steps) == coach.judge(steps)
    assert calls == [1]
