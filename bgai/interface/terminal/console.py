"""Lines in, lines out: a keyboard or a pipe."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Literal


class Console:
    """Asks for lines and prints them, so that a transcript reads the same from a pipe."""

    def __init__(self) -> None:
        self._echo = not sys.stdin.isatty()
        if not self._echo:
            with suppress(ImportError):  # Windows has its own line editing
                import readline  # noqa: F401  (line editing and history for `input`)

    def say(self, text: str = "") -> None:
        print(_writable(text), flush=True)

    def ask(self, prompt: str) -> str:
        """One line without the spaces around it.

        Raises:
            EOFError: the input has ended.
        """
        line = input(_writable(prompt)).strip()
        if self._echo:
            print(_writable(line))
        return line


def _writable(text: str) -> str:
    """A text with what the output cannot write, such as bytes of no encoding, escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def draws_unicode() -> bool:
    """Whether the output can show more than ASCII."""
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


def wants_colour(choice: Literal["auto", "always", "never"]) -> bool:
    """Whether to colour: on a terminal that can, unless NO_COLOR is set (https://no-color.org)."""
    if choice != "auto":
        return choice == "always"
    return (
        sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") not in (None, "dumb")
    )
