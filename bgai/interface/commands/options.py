"""Options that several commands share, and those that would have no effect."""

from __future__ import annotations

import argparse
from collections.abc import Iterable


def given(args: argparse.Namespace, options: Iterable[str]) -> list[str]:
    """Those of some options that were given, with their values.

    Args:
        options: as typed, such as `--no-cube`: flags, and options that are None when left out.
    """
    found = []
    for option in options:
        value = getattr(args, option.removeprefix("--").replace("-", "_"))
        if value is not None and value is not False:
            found.append(option if value is True else f"{option} {value}")
    return found


def refuse(args: argparse.Namespace, options: Iterable[str], why: str) -> None:
    """Refuse options that would have no effect.

    Args:
        options: as for `given`.
        why: completes the sentence "OPTION has no effect ...".

    Raises:
        ValueError: one of them was given; names it.
    """
    for option in given(args, options):
        raise ValueError(f"{option} has no effect {why}")


def check_match_length(points: int | None) -> None:
    """Whether a match can be played to so many points; None is no match.

    Raises:
        ValueError: it cannot; names the length.
    """
    from bgai.cube.match_equity import LONGEST_MATCH

    if points is not None and not 1 <= points <= LONGEST_MATCH:
        raise ValueError(f"--match must be 1..{LONGEST_MATCH} points, got {points}")


def check_port(port: int | None) -> None:
    """Whether a program can listen there; None is the usual port.

    Raises:
        ValueError: it cannot; names the port.
    """
    if port is not None and not 0 <= port <= 65535:
        raise ValueError(f"--port must be 0..65535, got {port}")
