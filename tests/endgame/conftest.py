"""Both tables, built once for all the tests."""

from __future__ import annotations

import pytest

from bgai.endgame import ExactEndgames, build_endgames


@pytest.fixture(scope="session")
def endgames() -> ExactEndgames:
    return build_endgames()
