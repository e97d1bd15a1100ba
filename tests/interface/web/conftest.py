"""A web application with the small race bot."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="the extra `web` is not installed")
pytest.importorskip("httpx2", reason="the extra `dev` is not installed")

from fastapi.testclient import TestClient  # noqa: E402  (after the skips)

from bgai.interface.bot import load_bot  # noqa: E402
from bgai.interface.web.app import create_app  # noqa: E402
from bgai.interface.web.server import LOOPBACK_NAMES  # noqa: E402


@pytest.fixture(scope="session")
def client(race_bot: str) -> TestClient:
    app = create_app(load_bot(race_bot), seed=1, hosts=LOOPBACK_NAMES)
    return TestClient(app, base_url="http://localhost")
