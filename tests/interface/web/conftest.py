"""The web application with the small race bot, for a test client and for a real browser.

What the extras install is imported in the fixtures, so that tests skip where it is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fastapi.testclient import TestClient
    from playwright.sync_api import Browser, ConsoleMessage, Page, Request
    from starlette.types import ASGIApp

    from tests.interface.web.browser import Person

REFUSED = re.compile("status of 4(00|09)")
SETTINGS = '{ "speed": "instant", "language": "en" }'


@pytest.fixture(scope="session")
def application(race_bot: str) -> ASGIApp:
    from bgai.interface.bot import load_bot
    from bgai.interface.web.app import create_app
    from bgai.interface.web.server import LOOPBACK_NAMES

    return create_app(load_bot(race_bot), seed=1, hosts=LOOPBACK_NAMES)


@pytest.fixture(scope="session")
def client(application: ASGIApp) -> TestClient:
    from fastapi.testclient import TestClient

    return TestClient(application, base_url="http://localhost")


@pytest.fixture(scope="session")
def address(application: ASGIApp) -> Iterator[str]:
    """Of a real server."""
    from tests.interface.web.browser import serving

    with serving(application) as found:
        yield found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real Chromium; skips where there is none."""
    from playwright.sync_api import sync_playwright

    from tests.interface.web.browser import CHROMIUM, launch

    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        yield chromium
        chromium.close()


@pytest.fixture
def window() -> dict[str, Any]:
    """The options of the window; parametrized by the tests that need another one."""
    from tests.interface.web.browser import DESKTOP

    return {"viewport": DESKTOP}


@pytest.fixture
def page(browser: Browser, address: str, window: dict[str, Any]) -> Iterator[Page]:
    """The page, which must ask for nothing from elsewhere and report no error."""
    from tests.interface.web.browser import PATIENCE

    context = browser.new_context(**window)
    context.set_default_timeout(1000 * PATIENCE)
    context.add_init_script(f"localStorage['bgai-settings'] ??= JSON.stringify({SETTINGS})")
    opened = context.new_page()
    errors: list[str] = []

    def note_message(message: ConsoleMessage) -> None:
        # what the server refuses the browser reports, too; the page shows it
        if message.type in ("error", "warning") and not REFUSED.search(message.text):
            errors.append(message.text)

    def note_request(request: Request) -> None:
        if not request.url.startswith((address, "blob:")):
            errors.append(f"a request to {request.url}")

    opened.on("console", note_message)
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("request", note_request)
    opened.goto(address)
    opened.wait_for_selector("body[data-ready]")
    yield opened
    context.close()
    assert errors == []


@pytest.fixture
def person(page: Page) -> Person:
    from tests.interface.web.browser import Person

    return Person(page)
