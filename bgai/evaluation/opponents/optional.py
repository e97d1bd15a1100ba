"""Packages of other engines, which bgai does without."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def import_optional(module: str, extra: str) -> ModuleType:
    """The module of an optional dependency.

    Raises:
        ValueError: it is not installed; says how to install it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise ValueError(
            f"{extra} needs the package {module}, which is not installed: pip install '.[{extra}]'"
        ) from None
