"""Every text of the terminal and the page, one JSON file per language.

A text has a key such as `event.take.you`, and placeholders in braces. Where a number decides the
form of the words, the file holds the forms by plural category (CLDR's `one`, `two`, `few` ...), and
`count` chooses. A third language is one more file: a test compares keys and placeholders.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Any, Literal, TypeAlias

Text: TypeAlias = "str | dict[str, str]"
PLURAL_CATEGORIES = ("zero", "one", "two", "few", "many", "other")

_ISOLATE, _POP = "\u2068", "\u2069"  # first strong isolate: foreign words do not disturb the line


@dataclass(frozen=True)
class Texts:
    """The texts of one language: `texts("terminal.stopped")`.

    Attributes:
        language: such as `en`.
        name: how its speakers call it.
        direction: which way it is written.
        plurals: rows of category, modulus (0: none), lowest and highest: a number belongs to the
            first row in whose range its remainder lies, else to `other`.
        isolates: wrap what is filled in so that a bidirectional line keeps its order.
    """

    language: str
    name: str
    direction: Literal["ltr", "rtl"]
    plurals: tuple[tuple[str, int, int, int], ...]
    texts: Mapping[str, Text]
    isolates: bool = False

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key with its placeholders filled in; `count` also chooses the plural."""
        text = self.texts[key]
        if not isinstance(text, str):
            count = values["count"]
            assert isinstance(count, int)
            text = text.get(self.category(count), text["other"])
        return text.format(**{name: self.apart(value) for name, value in values.items()})

    def apart(self, value: object) -> object:
        """What is filled into a line, kept in its own order where the line runs the other way."""
        if self.isolates and isinstance(value, str) and value:
            return f"{_ISOLATE}{value}{_POP}"
        return value

    def __contains__(self, key: str) -> bool:
        return key in self.texts

    def category(self, count: int) -> str:
        """The plural category of a number."""
        for category, modulus, low, high in self.plurals:
            if low <= (count % modulus if modulus else count) <= high:
                return category
        return "other"

    def words(self, key: str) -> tuple[str, ...]:
        """A text that is a list of words with commas between."""
        return tuple(word.strip() for word in self(key).split(","))


def languages() -> tuple[str, ...]:
    """The languages there are, English first."""
    found = sorted(
        file.name.removesuffix(".json")
        for file in files(__name__).iterdir()
        if file.name.endswith(".json")
    )
    return tuple(sorted(found, key=lambda language: language != "en"))


@cache
def load_texts(language: str) -> Texts:
    """The texts of a language.

    Raises:
        ValueError: there is no such language.
    """
    if language not in languages():
        raise ValueError(f"language must be one of {', '.join(languages())}, got {language!r}")
    content = read_texts(language)
    head = content["language"]
    return Texts(
        language,
        head["name"],
        head["direction"],
        tuple((row[0], row[1], row[2], row[3]) for row in head["plurals"]),
        content["texts"],
        isolates=head["direction"] == "rtl",
    )


def read_texts(language: str) -> dict[str, Any]:
    """A language's file as it stands, for a page that chooses the forms itself."""
    text = files(__name__).joinpath(f"{language}.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def placeholders(text: Text) -> frozenset[str]:
    """The names in braces of a text; a plural form may leave `count` to its words."""
    forms = [text] if isinstance(text, str) else [*text.values()]
    names = {name for form in forms for _, name, _, _ in Formatter().parse(form) if name}
    return frozenset(names if isinstance(text, str) else names | {"count"})
