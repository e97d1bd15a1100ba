"""The texts of all languages: complete, and told for every event."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest

from bgai.engine import START, Move, swap
from bgai.interface.table import REASONS, Automatic, EventKind
from bgai.interface.texts import (
    PLURAL_CATEGORIES,
    Text,
    languages,
    load_texts,
    placeholders,
    read_texts,
)
from bgai.interface.texts.announce import Announcer, dice_text, spoken_moves
from bgai.match import Action
from tests.interface.players import ALL_RULES, Anybody, play_on, table_with_person

OPTIONAL = {"spoken"}
"""Placeholders that a language may leave out."""

OTHERS = [language for language in languages() if language != "en"]


def texts_of(language: str) -> dict[str, Text]:
    texts: dict[str, Text] = read_texts(language)["texts"]
    return texts


def test_there_are_english_and_arabic() -> None:
    assert languages()[0] == "en" and "ar" in languages()
    assert (load_texts("en").direction, load_texts("ar").direction) == ("ltr", "rtl")
    with pytest.raises(ValueError, match="got 'tlh'"):
        load_texts("tlh")


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_the_keys_of_english(language: str) -> None:
    english, other = texts_of("en"), texts_of(language)
    assert set(english) - set(other) == set(), f"{language} lacks these"
    assert set(other) - set(english) == set(), "English lacks these"


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_has_the_placeholders_of_english(language: str) -> None:
    other = texts_of(language)
    differing = {
        key: (sorted(placeholders(text)), sorted(placeholders(other[key])))
        for key, text in texts_of("en").items()
        if (placeholders(text) ^ placeholders(other[key])) - OPTIONAL
    }
    assert not differing


@pytest.mark.parametrize("language", languages())
def test_plural_forms_are_those_of_the_language(language: str) -> None:
    categories = {row[0] for row in load_texts(language).plurals} | {"other"}
    assert categories <= set(PLURAL_CATEGORIES)
    for key, text in texts_of(language).items():
        if isinstance(text, dict):
            assert set(text) == categories, key


@pytest.mark.parametrize("language", languages())
def test_no_text_is_empty_and_each_is_kept_in_its_place(language: str) -> None:
    texts = texts_of(language)
    assert list(texts) == sorted(texts), "keys stand in order"
    for key, text in texts.items():
        forms = [text] if isinstance(text, str) else list(text.values())
        assert all(form.strip() for form in forms), key


def test_arabic_counts_in_six_forms() -> None:
    arabic = load_texts("ar")
    categories = {count: arabic.category(count) for count in (0, 1, 2, 3, 10, 11, 99, 100, 103)}
    assert categories == {
        0: "zero",
        1: "one",
        2: "two",
        3: "few",
        10: "few",
        11: "many",
        99: "many",
        100: "other",
        103: "few",
    }
    assert [load_texts("en").category(count) for count in (0, 1, 2)] == ["other", "one", "other"]


def test_a_language_written_from_the_right_keeps_what_is_filled_in_apart() -> None:
    assert load_texts("ar")("event.roll.other", name="flagship", dice="3-1").count("\u2068") == 2
    assert "\u2068" not in load_texts("en")("event.roll.other", name="flagship", dice="3-1")


def direction_of(text: str) -> str | None:
    """The direction that a text alone shows in: that of its first letter outside of isolates."""
    depth = 0
    for letter in text:
        kind = unicodedata.bidirectional(letter)
        if kind in ("LRI", "RLI", "FSI"):
            depth += 1
        elif kind == "PDI":
            depth -= 1
        elif not depth and kind in ("L", "R", "AL"):
            return "ltr" if kind == "L" else "rtl"
    return None


@pytest.mark.parametrize("language", [name for name in OTHERS if load_texts(name).isolates])
def test_every_text_of_a_language_written_from_the_right_begins_there(language: str) -> None:
    """Else numbers and names filled in before the first word stand on the wrong side of it."""
    texts = load_texts(language)
    wrong = []
    for key, text in texts.texts.items():
        if text in ("PR", "XGID"):  # nothing but a name
            continue
        filled = dict.fromkeys(placeholders(text), "\u2068x\u2069")
        forms = [text] if isinstance(text, str) else text.values()
        wrong += [key for form in forms if direction_of(form.format(**filled)) != "rtl"]
    assert wrong == []
    assert direction_of(dice_text(texts, (3, 1))) == "rtl", "the numbers stand right of their name"


@pytest.mark.parametrize("language", languages())
def test_every_command_has_words_of_its_own(language: str) -> None:
    texts = load_texts(language)
    keys = [key for key in texts.texts if key.startswith("terminal.words.")]
    words = [word for key in keys for word in texts.words(key)]
    assert len(words) == len(set(words)) and len(keys) > 20


@pytest.mark.parametrize("language", languages())
def test_every_reason_action_and_roll_can_be_told(language: str) -> None:
    texts = load_texts(language)
    for reason in REASONS:
        assert texts(f"cube.reason.{reason}", gain="0.1", loss="0.2", cap=64)
    for action in set(Action) - {Action.THROW_OPENING, Action.NEXT_GAME, Action.RESIGN}:
        assert texts(f"action.{action.value}")
    for high in range(1, 7):
        for low in range(1, high + 1):
            assert f"{high}-{low}" in dice_text(texts, (low, high))


def test_the_dice_have_their_customary_names_in_arabic() -> None:
    arabic = load_texts("ar")
    for dice, name in (((6, 5), "شيش بيش"), ((1, 1), "هب يك"), ((6, 6), "دُشش"), ((3, 1), "سه يك")):
        assert name in dice_text(arabic, dice)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("you", [0, 1, None])
def test_every_event_is_told_in_every_language(language: str, you: int | None) -> None:
    kinds = set()
    for seed, rules in enumerate((ALL_RULES[0], ALL_RULES[4])):
        table = play_on(
            table_with_person(rules, seed, Automatic(rolls=False, bear_off=True)),
            Anybody(np.random.default_rng(seed)),
        )
        announcer = Announcer(load_texts(language), ("Ann", "Bob"), you, not rules.is_money)
        for event in table.events:
            told = announcer(event)
            assert told and "{" not in told
            kinds.add(event.kind)
    assert kinds >= {EventKind.OPENING, EventKind.PLAY, EventKind.HIT, EventKind.SESSION_OVER}


def test_moves_in_words_say_hits_bar_and_off() -> None:
    english = load_texts("en")
    board = np.zeros(26, np.int8)
    board[[25, 3]] = 1, 2
    board[22] = -1
    assert spoken_moves(english, board, [Move(25, 22), Move(22, 21)]) == "bar to 22 hits, 22 to 21"
    assert spoken_moves(english, board, [Move(3, 0)]) == "3 off"
    assert spoken_moves(english, swap(START), []) == "no move"
