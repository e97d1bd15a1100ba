"""What is wrong with a question: the exact field, and a sentence that names the value sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from fastapi import Request
from pydantic import BaseModel

NUMBERS_TAG, TEXT_TAG = "26 numbers", "an id"
"""The notations of a position, as pydantic names them on the way to a mistake in one."""

_NO_FIELD = frozenset(("body", "query", "path", NUMBERS_TAG, TEXT_TAG))
_NOTHING_SENT = frozenset(("missing", "json_invalid"))  # mistakes without a value to repeat
_LONGEST_VALUE = 60  # characters of it that a message repeats


class FieldError(ValueError):
    """A wrong value and the field that it stands in.

    Attributes:
        status: of the answer: 400 for what is never right, 409 for what is not possible now.
    """

    def __init__(self, field: str, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.field = field
        self.status = status


def shown(value: Any) -> str:
    """A value as JSON, its end cut off if it is long."""
    text = json.dumps(value, default=str)  # not ASCII is escaped, lone surrogates among it
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]} ..."


_EXPECTED: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "missing": lambda _: "is missing",
    "json_invalid": lambda found: f"JSON cannot be read from it, {found['error']}",
    "extra_forbidden": lambda _: "there is no such field",
    "greater_than_equal": lambda limits: f"must be at least {limits['ge']}",
    "less_than_equal": lambda limits: f"must be at most {limits['le']}",
    "less_than": lambda limits: f"must be less than {limits['lt']}",
    "too_long": lambda limits: f"has at most {limits['max_length']} entries",
    "too_short": lambda limits: f"has at least {limits['min_length']} entries",
    "string_too_long": lambda limits: f"has at most {limits['max_length']} characters",
    "string_too_short": lambda limits: f"has at least {limits['min_length']} characters",
    "string_unicode": lambda _: "a text of whole characters is expected",
    "literal_error": lambda limits: f"must be {limits['expected']}",
    "union_tag_not_found": lambda _: "a list of 26 whole numbers or an id is expected",
    "model_attributes_type": lambda _: "an object is expected",
    "model_type": lambda _: "an object is expected",
    **{
        f"{kind}_{what}": lambda _, noun=noun: f"{noun} is expected"  # type: ignore[misc]
        for kind, noun in (
            ("int", "a whole number"),
            ("bool", "true or false"),
            ("string", "a text"),
            ("list", "a list"),
            ("tuple", "a list"),
            ("dict", "an object"),
        )
        for what in ("type", "parsing", "from_float", "parsing_size")
    },
}
"""From the kind of a mistake to what is expected instead, given its limits."""


def problem_of(error: Mapping[str, Any]) -> tuple[str | None, str]:
    """The field of a mistake that pydantic has found, and what is wrong, with the value sent.

    The field of an entry is that of its list or object, a dot and the number from 0 or the name;
    None where the whole question is none.
    """
    place = ".".join(str(part) for part in error["loc"] if part not in _NO_FIELD) or None
    word = _EXPECTED.get(error["type"])
    expected = error["msg"] if word is None else word(error.get("ctx", {}))
    if error["type"] in _NOTHING_SENT:
        return place, expected
    return place, f"{expected}, got {_sent(error)}"


def _sent(error: Mapping[str, Any]) -> str:
    limits = error.get("ctx", {})
    if error["type"] in ("too_long", "too_short") and "actual_length" in limits:
        return str(limits["actual_length"])
    if error["type"].startswith("string_too"):
        return str(len(error["input"]))
    return shown(error.get("input"))


async def check_query(request: Request) -> None:
    """Refuse parameters that a call does not know, and those that are given twice.

    Raises:
        FieldError: names the parameter.
    """
    known: set[str] = set()
    for field in request.scope["route"].dependant.query_params:
        model = field.field_info.annotation
        is_model = isinstance(model, type) and issubclass(model, BaseModel)
        known |= set(model.model_fields) if is_model else {field.alias}
    given: set[str] = set()
    for name, value in request.query_params.multi_items():
        if name not in known:
            listed = f"; known: {', '.join(sorted(known, key=_in_order))}" if known else ""
            raise FieldError(name, f"there is no such parameter, got {shown(value)}{listed}")
        if name in given:
            raise FieldError(name, f"is given twice, the second time as {shown(value)}")
        given.add(name)


def _in_order(name: str) -> tuple[str, int]:
    """So that p2 stands before p10."""
    letters = name.rstrip("0123456789")
    return letters, int(name[len(letters) :] or -1)
