"""How tables come to be: new ones, from a position or not, and sessions that were kept."""

from __future__ import annotations

import secrets
from dataclasses import replace

import numpy as np

from bgai.cube.match_equity import LONGEST_MATCH
from bgai.engine import START
from bgai.engine.gnu_id import POSITION_ID_LENGTH
from bgai.interface.bot import Bot
from bgai.interface.loading import Loaded, gaps_text, loaded_record
from bgai.interface.mat_reader import parse_mat
from bgai.interface.table import Seat, Table, table_from_json
from bgai.interface.table.dice import next_throw, thrown_opening
from bgai.interface.table.step import make_step
from bgai.interface.texts import Texts, languages, load_texts
from bgai.interface.web.live_table import LiveTable, bot_player
from bgai.interface.web.problems import FieldError
from bgai.interface.web.questions import read_position
from bgai.interface.web.table_questions import NewTableQuestion, SavedQuestion
from bgai.match import Action, Decision, MatchState, Rules
from bgai.search import EvaluatorPlayer

_CHOICES = {
    "match_length": "web.new.kind",
    "crawford": "web.new.crawford",
    "jacoby": "web.new.jacoby",
    "beavers": "web.new.beavers",
    "automatic_doubles": "web.new.automatic_doubles",
    "cap": "web.new.cube",
    "games_limit": "web.new.games_limit",
    "starts": "web.new.starts",
}
"""The options that an id may speak of, and what the page calls them."""

_OF_MATCHES = ("crawford",)
_OF_MONEY = ("jacoby", "beavers", "automatic_doubles")


def new_table(bot: Bot, question: NewTableQuestion) -> LiveTable:
    """A session that has just begun.

    Raises:
        FieldError: it cannot be played like this.
    """
    start, overruled = _start(question)
    you = 0
    if start is not None and start.actor is not None:
        is_told = "starts" in overruled or question.starts != "bot"
        you = start.actor if is_told else 1 - start.actor
    seed = secrets.randbits(32) if question.seed is None else question.seed
    person, opponent = Seat(question.name), Seat(bot.name, bot_player(bot, question.plies))
    table = Table(
        (person, opponent) if you == 0 else (opponent, person),
        question.rules() if start is None else None,
        seed,
        manual_dice=question.manual_dice,
        automatic=question.automatic.automatic(),
        start=start,
    )
    if start is None and question.starts != "dice":
        if question.manual_dice:
            raise FieldError("starts", "dice that are thrown by hand decide who starts")
        _open_for(table, you if question.starts == "you" else 1 - you)
    live = LiveTable(bot, table, you, question.plies)
    if overruled:
        rules = table.start.rules
        live.notes = [
            {name: _overruled_text(load_texts(name), rules, overruled) for name in languages()}
        ]
    return live


def _start(question: NewTableQuestion) -> tuple[MatchState | None, list[str]]:
    """The state that a position names, and the choices that it overrules.

    A position alone says nothing of the match: it is played by the rules that are chosen. The
    starting position is a game from its beginning, as None is.

    Raises:
        FieldError: there is no such position, or nothing is to be played there.
    """
    if question.position is None:
        return None, []
    asked = read_position(question.position)
    if asked.state is None:
        if np.array_equal(asked.board, START):
            return None, []
        position = tuple(asked.board.tolist())
        return MatchState(question.rules(), decision=Decision.ROLL, position=position), []
    length = asked.state.rules.match_length
    if length is not None and length > LONGEST_MATCH:
        raise FieldError("position", f"a match is to {LONGEST_MATCH} points at most, got {length}")
    state = _with_choices(question, asked.state)
    return state, _overruled(question, state.rules)


def _with_choices(question: NewTableQuestion, state: MatchState) -> MatchState:
    """The state of an id, by the choices that such an id has no room for."""
    assert question.position is not None
    is_gnu = len(question.position.strip().partition(":")[0]) == POSITION_ID_LENGTH
    is_money = state.rules.is_money
    free = ["games_limit", "automatic_doubles" if is_money else "crawford"]
    if is_gnu:
        free += ["cap", "beavers"] if is_money else ["cap"]
    for name in question.model_fields_set & set(free):
        try:
            rules = replace(state.rules, **{name: getattr(question, name)})
            state = replace(state, rules=rules)
        except ValueError:
            pass  # the id needs another one; `_overruled` tells it
    return state


def _overruled(question: NewTableQuestion, rules: Rules) -> list[str]:
    """The choices that were made and do not count beside an id."""
    kind = _OF_MONEY if rules.is_money else _OF_MATCHES
    is_same_kind = (question.match_length is None) == rules.is_money
    names = ["match_length", "cap", "games_limit", *(kind if is_same_kind else ())]
    overruled = [
        name
        for name in names
        if name in question.model_fields_set and getattr(question, name) != getattr(rules, name)
    ]
    if question.starts == "bot":
        overruled.append("starts")  # who has to decide in an id is the person
    return overruled


def _overruled_text(texts: Texts, rules: Rules, overruled: list[str]) -> str:
    length = rules.match_length
    session = texts("board.money") if length is None else texts("board.match", length=length)
    choices = texts("moves.separator").join(texts(_CHOICES[name]) for name in overruled)
    return texts("web.note.id_wins", session=session, choices=choices)


def _open_for(table: Table, starter: int) -> None:
    """Make the opening throw so that a seat starts: the first unequal dice in its favour."""
    throw = 0
    while (dice := thrown_opening(table.seed, 0, throw))[0] == dice[1]:
        throw += 1
    high, low = max(dice), min(dice)
    favoured = (high, low) if starter == 0 else (low, high)
    table.add(make_step(table.state, Action.THROW_OPENING, dice=favoured))


def saved_table(bot: Bot, question: SavedQuestion) -> LiveTable:
    """A session that was kept, to go on with.

    Raises:
        FieldError: it is damaged, not one of a person and a bot, or against the rules.
    """
    player = bot_player(bot, question.plies)
    if (question.session is None) == (question.mat is None):
        raise FieldError("session", "either `session` or `mat` is needed, and not both")
    if question.mat is not None:
        loaded = _read_mat(question.mat, player)
    else:
        try:
            loaded = Loaded(table_from_json(question.session, lambda _: player))
        except ValueError as error:
            raise FieldError("session", str(error)) from error
    persons = [number for number, seat in enumerate(loaded.table.seats) if seat.is_person]
    if len(persons) != 1:
        raise FieldError("session", f"one person sits at a table here, got {len(persons)}")
    loaded.table.automatic = question.automatic.automatic()
    live = LiveTable(bot, loaded.table, persons[0], question.plies)
    live.is_seeded = loaded.record is None and _follows_its_seed(loaded.table)
    gaps = {name: gaps_text(load_texts(name), loaded.record) for name in languages()}
    live.notes = [{name: text for name, text in gaps.items() if text}] if gaps["en"] else []
    return live


def _read_mat(text: str, player: EvaluatorPlayer) -> Loaded:
    """The table of a .mat file.

    Raises:
        FieldError: it is damaged.
    """
    try:
        return loaded_record(parse_mat(text), player)
    except ValueError as error:
        raise FieldError("mat", str(error)) from error


def _follows_its_seed(table: Table) -> bool:
    """Whether the rolls are those that the table's seed throws, and not from elsewhere."""
    return all(
        step.dice == next_throw(table.seed, step.before, table.steps[:number])
        for number, step in enumerate(table.steps)
        if step.action is Action.ROLL
    )
