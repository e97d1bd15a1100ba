"""Sessions saved and loaded."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bgai.engine import Move
from bgai.interface.table import (
    Seat,
    Table,
    load_session,
    save_session,
    table_from_json,
    table_to_json,
)
from bgai.match import Action, Rules
from bgai.search import MatchPlayer
from tests.interface.players import ALL_RULES, Anybody, Gambler, play_on, table_with_person
from tests.interface.test_table import seed_with_opening


def gambler(name: str) -> MatchPlayer:
    return Gambler(name)


def copied(table: Table) -> Table:
    """Through the text of a file and back."""
    return table_from_json(json.loads(json.dumps(table_to_json(table))), gambler)


@pytest.mark.parametrize("rules", [ALL_RULES[0], ALL_RULES[4]], ids=str)
def test_a_session_saved_anywhere_has_the_same_future(rules: Rules) -> None:
    table = play_on(table_with_person(rules, 3), Anybody(np.random.default_rng(3)))
    for place in range(0, len(table.steps), 7):
        half = table_with_person(rules, 3)
        for step in table.steps[:place]:
            half.add(step)
        loaded = copied(half)
        assert (loaded.state, loaded.events) == (half.state, half.events)
        futures = [
            play_on(session, Anybody(np.random.default_rng(place)), steps=4).steps
            for session in (half, loaded)
        ]
        assert futures[0] == futures[1]


def test_a_turn_in_progress_is_saved_with_it() -> None:
    table = table_with_person(Rules(3), seed_with_opening(3, 1))
    table.advance()
    table.move(6, 5)
    loaded = copied(table)
    assert (loaded.moves, loaded.dice_left) == ((Move(6, 5),), (3,))
    loaded.undo_move()
    assert loaded.dice_left == (3, 1)


def test_who_sits_where_and_how_dice_are_thrown_is_saved() -> None:
    table = Table((Seat("Ann"), Seat("old bot", Gambler("old bot"))), seed=9, manual_dice=True)
    table.roll((3, 1))
    loaded = table_from_json(table_to_json(table), lambda name: Gambler("new bot"))
    assert [seat.name for seat in loaded.seats] == ["Ann", "new bot"]
    assert [seat.is_person for seat in loaded.seats] == [True, False]
    assert (loaded.seed, loaded.manual_dice, loaded.state) == (9, True, table.state)


def test_a_session_that_began_in_the_middle_is_saved_with_its_start() -> None:
    whole = play_on(table_with_person(Rules(3), 6), Anybody(np.random.default_rng(6)), steps=9)
    whole.advance()
    table = Table(whole.seats, seed=1, start=whole.state)
    assert copied(table).start == whole.state


def test_a_file_is_written_and_read(tmp_path: Path) -> None:
    table = play_on(table_with_person(Rules(3), 2), Anybody(np.random.default_rng(2)), steps=5)
    path = tmp_path / "session.json"
    save_session(path, table)
    save_session(path, table)
    assert load_session(path, gambler).steps == table.steps
    other = tmp_path / "diary.txt"
    other.write_text("dear diary")
    with pytest.raises(ValueError, match="exists and is not a saved session"):
        save_session(other, table)
    assert other.read_text() == "dear diary"
    with pytest.raises(ValueError, match="diary.txt: "):
        load_session(other, gambler)


def test_a_game_of_the_old_format_gets_a_clear_message(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    path.write_text('{"format": "bgai-game", "version": 1, "turns": []}')
    with pytest.raises(ValueError, match="earlier version of bgai, which cannot be continued"):
        load_session(path, gambler)
    save_session(path, table_with_person(Rules(3), 1))
    assert load_session(path, gambler).steps == []


def _put(*path: str | int, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(saved: dict[str, Any]) -> None:
        inner: Any = saved
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (_put("format", value="chess"), "not a saved session: its format is 'chess'"),
        (_put("version", value=2), "version must be 1, got 2"),
        (_put("seed", value="x"), "seed must be a whole number, got 'x'"),
        (_put("seed", value=-1), "0 or more, got -1"),
        (_put("manual_dice", value=1), "manual_dice must be true or false, got 1"),
        (_put("seats", value=[]), "a table has 2 seats, got 0"),
        (_put("seats", 0, "name", value=3), "the name of a seat is a text, got 3"),
        (_put("start", "rules", "match_length", value="7"), "match_length must be a number"),
        (_put("start", "rules", "match_length", value=0), "a match is to 1"),
        (_put("start", "rules", "doubling", value=1), "the rules have the entries"),
        (_put("start", "score", value=[9, 0]), r"got the score \(9, 0\)"),
        (_put("start", "position", value=[1, 2]), "26 numbers, got 2"),
        (_put("start", "turn", value=None), "turn must be a number, true or false, got null"),
        (
            _put("start", "decision", value="sleep"),
            "decision must be one of opening, .*, got 'sleep'",
        ),
        (_put("steps", 0, "dice", value=[7, 1]), "step 1: a die must be 1..6, got 7"),
        (_put("steps", 0, "dice", value=None), "step 1: the opening throw needs dice"),
        (_put("steps", 0, "action", value="double"), "step 1: double is not allowed now"),
        (_put("steps", 1, "moves", value=[[8, 2]]), "step 2: 8/2 is not legal"),
        (_put("steps", 1, "moves", value=[[8, 5]]), "step 2: the turn is not over"),
        (_put("steps", 1, "moves", value=[[8]]), "step 2: a move is two numbers"),
        (_put("steps", 1, "automatic", value="no"), "step 2: automatic must be true or false"),
        (_put("steps", 1, value={}), "needs 'action'"),
        (_put("moves", value=[[24, 18]]), "no dice are to be played|is not legal"),
        (_put("steps", value=7), "steps is a list, got 7"),
        (_put("moves", value=None), "moves is a list, got None"),
        (_put("moves", value={}), "moves is a list, got {}"),
        (_put("steps", 1, "moves", value={}), "step 2: moves is a list, got {}"),
        (_put("start", "is_crawford", value=1), "is_crawford must be true or false, got 1"),
    ],
)
def test_a_saved_session_with_a_mistake_is_refused(
    change: Callable[[dict[str, Any]], None], complaint: str
) -> None:
    table = table_with_person(Rules(7), seed_with_opening(3, 1))
    table.advance()
    table.play([Move(8, 5), Move(6, 5)])
    saved = json.loads(json.dumps(table_to_json(table)))
    change(saved)
    with pytest.raises(ValueError, match=complaint):
        table_from_json(saved, gambler)


def _places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The way to everything in a saved session."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in inner:
        yield (*path, key)
        if isinstance(part, dict | list):
            yield from _places(part, (*path, key))


PYTHONS_WORDS = re.compile("object|iterable|subscript|NoneType|unhashable|operand|'int'|'str'")


def test_whatever_stands_in_a_wrong_place_is_refused_in_a_sentence_without_pythons_words() -> None:
    table = table_with_person(Rules(7), seed_with_opening(3, 1))
    table.advance()
    table.play([Move(8, 5), Move(6, 5)])
    sound = json.dumps(table_to_json(table))
    wrong: list[Any] = [None, {}, [], "x", 3.5, -7, 10**30, True, [[]], [None, {}]]
    for path in _places(json.loads(sound)):
        for value in wrong:
            saved = json.loads(sound)
            _put(*path, value=value)(saved)
            try:
                table_from_json(saved, gambler)
            except ValueError as error:
                told = str(error).replace("is an object with", "")
                assert not PYTHONS_WORDS.search(told), f"{path} = {value!r}: {error}"


@pytest.mark.parametrize(
    "text", ["[]", "3", "{", '{"format": "bgai-session", "version": 1}', "[" * 99999]
)
def test_what_is_no_session_at_all_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.json"
    path.write_text(text)
    with pytest.raises(ValueError, match="odd.json: "):
        load_session(path, gambler)


def test_a_step_is_added_only_where_it_belongs() -> None:
    table = play_on(table_with_person(Rules(3), 2), Anybody(np.random.default_rng(2)), steps=5)
    fresh = table_with_person(Rules(3), 2)
    with pytest.raises(ValueError, match="does not follow"):
        fresh.add(table.steps[1])
    fresh.add(table.steps[0])
    assert fresh.steps[0].action is Action.THROW_OPENING
