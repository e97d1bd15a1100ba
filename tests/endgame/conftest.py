"""The endgames, with tables built once for all the tests."""

from __future__ import annotations

import pytest

from bgai.endgame import Endgames, build_endgames


@pytest.fixture(scope="session")
def endgames() -> Endgames:
    return build_endgames()
