"""Sessions at a table, without any interface: rules, dice, undo, and what goes on by itself."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from bgai.engine import START, Boards, Move, legal_plays, swap
from bgai.interface.table import Automatic, EventKind, Seat, Step, Table
from bgai.interface.table.dice import thrown_dice, thrown_opening
from bgai.match import Action, Decision, MatchState, Rules, money_rules, position_of
from tests.engine.positions import board_of
from tests.interface.players import (
    ALL_RULES,
    ENTERS_ONLY,
    Anybody,
    Gambler,
    play_on,
    table_with_person,
)
from tests.match.account import Account, check_state
from tests.match.states import on_roll


def person(seed: int = 0) -> Anybody:
    return Anybody(np.random.default_rng(seed))


def seed_with_opening(first: int, second: int) -> int:
    return next(seed for seed in range(1000) if thrown_opening(seed, 0, 0) == (first, second))


def two_persons(state: MatchState, **options: object) -> Table:
    """Two persons who have come to a state."""
    seats = Seat("Ann"), Seat("Bob")
    return Table(seats, start=state, seed=1, **options)  # type: ignore[arg-type]


# -- whole sessions


@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_a_session_of_any_rules_is_played_to_its_end_and_scored_as_a_scorer_would(
    rules: Rules,
) -> None:
    for seed in range(3):
        table = play_on(table_with_person(rules, seed), person(seed))
        assert table.is_over and table.allowed == ()
        account = Account(rules)
        for step in table.steps:
            if step.action is Action.THROW_OPENING and step.after.decision is Decision.OPENING:
                account.cube = step.after.cube_value
            account.write_down(step.before, step.action)
            if step.action is Action.PLAY:
                account.plays += 1
                if step.after.result is not None:
                    result = step.after.result
                    account.game_won(result.winner, account.worth(result.level))
            check_state(step.after, account)


def test_persons_and_bots_do_everything_that_the_rules_know() -> None:
    someone = person()
    kinds: Counter[EventKind] = Counter()
    for seed in range(15):
        table = table_with_person(ALL_RULES[4], seed, Automatic(rolls=False, only_plays=False))
        kinds.update(event.kind for event in play_on(table, someone).events)
    assert set(kinds) == set(EventKind)
    assert someone.seen == set(Action) - {Action.THROW_OPENING}


def test_two_bots_play_without_a_person() -> None:
    bots = Seat("one", Gambler()), Seat("two", Gambler())
    table = Table(bots, Rules(1), seed=3)
    events = table.advance()
    assert table.is_over
    assert events == table.events
    assert (events[-2].kind, events[-1].kind) == (EventKind.GAME_OVER, EventKind.SESSION_OVER)


def test_a_bot_is_never_waited_for_and_a_person_never_passed_over() -> None:
    table = table_with_person(Rules(3), 5)
    someone = person(5)
    while not table.is_over:
        table.advance()
        assert table.actor in (0, None)
        assert table.advance() == []
        if not table.is_over:
            someone.act(table)


def test_a_person_is_refused_what_the_bot_has_to_decide() -> None:
    table = Table((Seat("Ann"), Seat("gambler", Gambler())), seed=seed_with_opening(1, 6))
    table.roll()
    assert table.actor == 1 and table.allowed == ()
    with pytest.raises(ValueError, match="gambler decides: play"):
        table.play([])
    with pytest.raises(ValueError, match="possible: nothing"):
        table.double()


def test_a_bot_that_plays_illegally_is_noticed() -> None:
    class Cheat(Gambler):
        def choose_cubeful(self, boards: Boards, dice: object, states: object) -> Boards:
            return boards

    table = Table((Seat("Ann"), Seat("cheat", Cheat("cheat"))), seed=seed_with_opening(1, 6))
    with pytest.raises(ValueError, match="cheat played illegally"):
        table.advance()


# -- dice


def test_dice_depend_on_seed_game_and_turn_only() -> None:
    rolls = {(game, turn): thrown_dice(7, game, turn) for game in range(3) for turn in range(40)}
    assert rolls == {place: thrown_dice(7, *place) for place in reversed(rolls)}
    assert len({rolls[0, turn] for turn in range(40)}) > 10
    assert [rolls[0, turn] for turn in range(40)] != [rolls[1, turn] for turn in range(40)]
    assert {die for roll in rolls.values() for die in roll} == {1, 2, 3, 4, 5, 6}


def test_another_play_meets_the_same_dice() -> None:
    table = Table((Seat("Ann"), Seat("Bob")), seed=seed_with_opening(3, 1))
    table.advance()
    met = []
    for moves in ([Move(8, 5), Move(6, 5)], [Move(24, 23), Move(13, 10)]):
        table.play(moves)
        table.roll()
        met.append(table.state.dice)
        table.undo_turn()  # Bob's roll, who might have doubled
        table.undo_turn()
    assert met[0] == met[1]


def test_the_higher_die_starts_with_both_numbers_and_equal_ones_are_thrown_again() -> None:
    seed = next(seed for seed in range(99) if len(set(thrown_opening(seed, 0, 0))) == 1)
    table = Table((Seat("Ann"), Seat("Bob")), seed=seed)
    table.advance()
    throws = [event for event in table.events if event.kind is EventKind.OPENING]
    assert throws[0].seat is None and throws[-1].dice is not None
    assert throws[-1].seat == int(throws[-1].dice[1] > throws[-1].dice[0])
    assert table.state.dice == tuple(sorted(throws[-1].dice, reverse=True))


def test_equal_dice_double_the_cube_where_that_is_agreed() -> None:
    seed = next(seed for seed in range(99) if len(set(thrown_opening(seed, 0, 0))) == 1)
    table = Table((Seat("Ann"), Seat("Bob")), money_rules(automatic_doubles=1), seed)
    (event,) = table.roll()
    assert (event.cube, event.is_doubled, event.seat) == (2, True, None)


def test_dice_thrown_by_hand_are_asked_for_both_sides() -> None:
    table = Table((Seat("Ann"), Seat("gambler", Gambler())), seed=1, manual_dice=True)
    assert table.advance() == []
    assert table.allowed == (Action.THROW_OPENING,)
    with pytest.raises(ValueError, match="thrown by hand, got None"):
        table.roll()
    with pytest.raises(ValueError, match="1..6, got 7"):
        table.roll((7, 1))
    table.roll((3, 1))
    table.play([Move(8, 5), Move(6, 5)])
    table.advance()
    while not table.awaits_dice:  # it may double first
        table.take()
        table.advance()
    assert (table.actor, table.allowed) == (1, (Action.ROLL,))
    table.roll([6, 5])
    assert [event.kind for event in table.advance()][:1] == [EventKind.PLAY]


def test_dice_of_the_program_are_not_typed() -> None:
    table = Table((Seat("Ann"), Seat("Bob")), seed=1)
    with pytest.raises(ValueError, match=r"thrown by the program, got \(3, 1\)"):
        table.roll((3, 1))


# -- a turn in progress


def first_play(table: Table) -> tuple[Move, ...]:
    """The play that `legal_plays` lists first."""
    assert table.state.dice is not None
    return legal_plays(table.state.board, table.state.dice)[0].moves


def playing(own: dict[int, int], opponent: dict[int, int], dice: tuple[int, int]) -> Table:
    state = on_roll(position=position_of(board_of(own, opponent)))
    return two_persons(replace(state, decision=Decision.PLAY, dice=dice))


def test_a_turn_is_moved_checker_by_checker_and_then_confirmed() -> None:
    table = playing({24: 2, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5}, (3, 1))
    assert list(table.dice_left) == [3, 1]
    with pytest.raises(ValueError, match="can still be played"):
        table.confirm()
    table.move(8, 5)
    assert list(table.moves) == [Move(8, 5)]
    assert list(table.dice_left) == [1]
    assert table.board_for(0)[5] == 1 and table.board_for(1)[20] == -1
    with pytest.raises(ValueError, match="8/5 is not legal"):
        table.move(8, 5)
    table.undo_move()
    assert not table.moves
    assert table.board_for(0)[5] == 0
    with pytest.raises(ValueError, match="no move of the roll 3-1"):
        table.undo_move()
    table.move(8, 5)
    table.move(6, 5)
    assert table.may_confirm
    events = table.confirm()
    assert events[0].moves == (Move(8, 5), Move(6, 5))
    assert table.actor == 1


def test_one_checker_may_move_with_both_dice_at_once() -> None:
    table = playing({24: 2, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5}, (6, 5))
    assert table.turn is not None
    assert table.turn.ways(24) == {
        18: (Move(24, 18),),
        13: (Move(24, 18), Move(18, 13)),
    }
    table.move(24, 13)
    assert table.moves == (Move(24, 18), Move(18, 13))


def test_of_two_ways_the_one_that_hits_is_offered() -> None:
    table = playing({13: 1, 6: 14}, {10: 1, 24: 14}, (6, 3))
    assert table.turn is not None
    assert table.turn.ways(13)[4] == (Move(13, 10), Move(10, 4))


def test_all_four_dice_of_a_double_may_be_one_checkers() -> None:
    table = playing({24: 1, 6: 14}, {25 - 6: 15}, (1, 1))
    assert table.turn is not None
    assert {end: len(way) for end, way in table.turn.ways(24).items()} == {
        23: 1,
        22: 2,
        21: 3,
        20: 4,
    }


def test_a_hit_is_an_event_of_its_own_and_a_dance_too() -> None:
    table = playing({25: 1, 6: 14}, {22: 1, 19: 14}, (3, 1))
    events = table.play([Move(25, 22), Move(6, 5)])
    assert [(event.kind, event.point) for event in events] == [
        (EventKind.PLAY, None),
        (EventKind.HIT, 22),
    ]
    closed = {point: 2 for point in range(19, 25)}
    dance = playing({25: 1, 6: 14}, {**closed, 1: 3}, (3, 1)).advance_once()
    assert [event.kind for event in dance] == [EventKind.DANCE]


def test_illegal_plays_and_half_ones_are_refused() -> None:
    table = playing({24: 2, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5}, (3, 1))
    for moves, complaint in (
        ([Move(8, 5)], "can still be played"),
        ([Move(8, 2)], "8/2 is not legal"),
        ([], "can still be played"),
    ):
        with pytest.raises(ValueError, match=complaint):
            table.play(moves)
    assert table.steps == []


# -- undo


def test_undo_goes_back_to_the_last_real_decision_of_a_person() -> None:
    table = table_with_person(Rules(3), seed_with_opening(3, 1))
    table.advance()
    before = table.state
    table.play([Move(8, 5), Move(6, 5)])
    table.advance()
    table.undo_turn()
    assert table.state == before
    with pytest.raises(ValueError, match="nothing to take back"):
        table.undo_turn()


def test_undo_first_takes_back_the_moves_of_the_turn() -> None:
    table = table_with_person(Rules(3), seed_with_opening(3, 1))
    table.advance()
    table.move(8, 5)
    table.undo_turn()
    assert (table.moves, len(table.steps)) == ((), 1)


def test_undo_passes_over_what_was_automatic_or_without_an_alternative() -> None:
    table = two_persons(on_roll(Rules(3), cube_value=2, cube_owner=1))
    table.advance()
    table.play(first_play(table))
    assert [step.action for step in table.steps] == [Action.ROLL, Action.PLAY]
    assert [table.is_decision(step) for step in table.steps] == [False, True]
    forced = playing(*ENTERS_ONLY, (4, 3))
    forced.advance_once()
    assert forced.steps[0].is_automatic and not forced.is_decision(forced.steps[0])
    by_hand = playing(*ENTERS_ONLY, (4, 3))
    by_hand.play(forced.steps[0].moves)
    assert not by_hand.is_decision(by_hand.steps[0]), "there was no alternative"


@pytest.mark.parametrize("rules", [ALL_RULES[0], ALL_RULES[4]], ids=str)
def test_taking_back_and_doing_the_same_again_leads_to_the_same_future(rules: Rules) -> None:
    table = play_on(table_with_person(rules, 8), person(8), steps=60)
    expected = list(table.steps)
    for _ in range(sum(map(table.is_decision, expected))):
        table.undo_turn()
    assert len(table.steps) < len(expected) - 20
    while len(table.steps) < len(expected):
        if not table.advance_once():
            repeat(table, expected[len(table.steps)])
    assert table.steps == expected


def repeat(table: Table, step: Step) -> None:
    """Do what a person did before."""
    if step.action is Action.PLAY:
        table.play(step.moves)
    elif step.action is Action.RESIGN:
        table.resign(step.level)
    else:
        Anybody.methods(table)[step.action]()


# -- what is automatic


def test_dice_are_thrown_for_who_may_not_double_unless_they_want_to_throw_them() -> None:
    start = on_roll(Rules(3), cube_value=2, cube_owner=1)
    assert two_persons(start).advance_once()[0].kind is EventKind.ROLL
    assert two_persons(start, automatic=Automatic(rolls=False)).advance() == []
    assert two_persons(on_roll(Rules(3))).advance() == [], "who may double is asked"
    assert two_persons(start, manual_dice=True).advance() == []


def test_an_only_play_is_made_unless_the_person_wants_to_make_it() -> None:
    def one_choice(**options: bool) -> Table:
        table = playing(*ENTERS_ONLY, (4, 3))
        table.automatic = Automatic(**options)
        return table

    assert one_choice().advance_once()[0].is_automatic
    assert one_choice(only_plays=False).advance_once() == []


def bearing_off(own: dict[int, int], dice: tuple[int, int]) -> Table:
    table = playing(own, {24: 2}, dice)
    table.automatic = Automatic(bear_off=True, only_plays=False)
    return table


@pytest.mark.parametrize(
    ("own", "dice", "is_made"),
    [
        ({6: 1, 5: 1, 1: 1}, (6, 5), True),
        ({2: 2, 1: 2}, (2, 1), True),
        ({6: 1, 5: 1, 1: 1}, (6, 4), False),  # the four only moves
        ({5: 3, 4: 3, 1: 3}, (5, 5), True),
        ({4: 1, 3: 4, 2: 1, 1: 3}, (4, 2), False),  # filling the gap on 2 is better
        ({6: 3, 3: 3}, (6, 2), False),
        ({7: 1, 1: 2}, (1, 1), False),  # not all are home
    ],
)
def test_bearing_off_is_made_only_where_it_is_beyond_doubt(
    own: dict[int, int], dice: tuple[int, int], is_made: bool
) -> None:
    events = bearing_off(own, dice).advance_once()
    assert bool(events) == is_made


def test_bearing_off_is_left_to_the_person_where_there_is_contact() -> None:
    table = playing({6: 1, 5: 1, 1: 1}, {3: 1, 24: 2}, (6, 5))
    table.automatic = Automatic(bear_off=True, only_plays=False)
    assert table.advance_once() == []


# -- what a table refuses


def test_a_table_needs_a_start_that_goes_on_and_one_set_of_rules() -> None:
    seats = Seat("Ann"), Seat("Bob")
    with pytest.raises(ValueError, match="0 or more, got -1"):
        Table(seats, seed=-1)
    with pytest.raises(ValueError, match="rules of its own"):
        Table(seats, Rules(5), start=on_roll(Rules(7)))
    over = play_on(table_with_person(Rules(1), 1), person(1)).state
    with pytest.raises(ValueError, match="session over"):
        Table(seats, start=over)


def test_a_resignation_that_is_declined_cannot_be_repeated_at_that_level() -> None:
    table = two_persons(on_roll(Rules(3)))
    assert list(table.resignation_levels) == [1, 2, 3]
    table.resign(1)
    assert table.actor == 1 and table.allowed == (Action.ACCEPT, Action.DECLINE)
    table.decline()
    assert list(table.resignation_levels) == [2, 3]
    with pytest.raises(ValueError, match="got 1"):
        table.resign(1)


def test_events_are_plain_data() -> None:
    table = play_on(table_with_person(ALL_RULES[4], 2), person(2))
    for event in table.events:
        told = event.as_json()
        assert told["kind"] == event.kind.value and "seat" in told
        assert None not in [value for key, value in told.items() if key != "seat"]
        json.dumps(told)


def test_a_board_is_seen_from_either_seat() -> None:
    table = two_persons(on_roll(Rules(3)))
    assert (table.board_for(0) == START).all()
    assert (table.board_for(1) == swap(table.board_for(0))).all()
