"""A real Chromium, a real server, and a person who only clicks or only types."""

from __future__ import annotations

import os
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from playwright.sync_api import Browser, Page, Playwright, expect
from starlette.types import ASGIApp

from bgai.interface.web.guard import GuardedProtocol

CHROMIUM = os.environ.get("BGAI_CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
DESKTOP, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
PHONE_ON_ITS_SIDE = {"width": 844, "height": 390}
PATIENCE = 60.0  # seconds; machines are busy
MOST_ACTIONS = 1500

# positions at the page's side of the board: the person is at the bottom
NEARLY_OFF = "XGID=-BB--------------------bb-:0:0:1:00:0:0:0:1:6"
DOUBLED = "XGID=-b----E-C---eE---c-e----B-:0:0:-1:D:0:0:0:5:6"
AFTER_31 = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:5:6"
CAPPED = "XGID=-b----E-C---eE---c-e----B-:6:1:1:00:0:0:0:0:6"  # at 64, its largest value
DOUBLE_ONES = "XGID=-b----E-C---eE---c-e----B-:0:0:1:11:0:0:0:5:6"

NEW_TABLE = """async options => {
    const { game } = await import("/static/js/game.js");
    document.querySelectorAll("dialog[open]").forEach((dialog) => dialog.close());
    await game.newTable(options);
    const { focusCell } = await import("/static/js/board.js");
    focusCell();
}"""


@contextmanager
def serving(app: ASGIApp, port: int = 0) -> Iterator[str]:
    """The address of a server that runs meanwhile; 0 for any port."""
    config = uvicorn.Config(
        app, interface="asgi3", http=GuardedProtocol, ws="none", log_level="critical"
    )
    server = uvicorn.Server(config)
    listener = socket.create_server(("127.0.0.1", port))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        server.force_exit = True
        thread.join(PATIENCE)
        listener.close()


def launch(playwright: Playwright) -> Browser:
    assert CHROMIUM is not None
    # as root, and in containers, Chromium has no sandbox of its own
    return playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])


CHOOSE = """async ([name, value]) =>
    (await import("/static/js/settings.js")).change(name, value)"""


class Person:
    """What a person does at the page."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def start(self, **options: Any) -> None:
        """Sit down at a new table, past the dialog."""
        self.page.evaluate(NEW_TABLE, {"seed": 1, **options})
        self.wait()

    def choose(self, name: str, value: object) -> None:
        """Change a setting."""
        self.page.evaluate(CHOOSE, [name, value])
        if name == "language":
            self.page.wait_for_selector(f"html[lang={value}]")

    def wait(self) -> None:
        """Until nothing is going on any more."""
        self.page.wait_for_selector("#board[aria-busy=false]")

    def cell(self, slot: int | str) -> Any:
        return self.page.locator(f'#board-grid [data-slot="{slot}"]')

    def label(self, slot: int | str) -> str:
        return str(self.cell(slot).get_attribute("aria-label"))

    def click(self, slot: int | str, button: Any = "left") -> None:
        self.cell(slot).click(button=button)
        self.wait()

    def drag(self, start: int | str, end: int | str) -> None:
        self.cell(start).drag_to(self.cell(end))
        self.wait()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.wait()

    @property
    def said(self) -> str:
        """What the polite live region says."""
        return str(self.page.locator("#polite").text_content()).strip("\u00a0")

    @property
    def warned(self) -> str:
        return str(self.page.locator("#urgent").text_content()).strip("\u00a0")

    def is_shown(self, selector: str) -> bool:
        return self.page.locator(selector).is_visible()

    def expect_text(self, selector: str, text: str) -> None:
        expect(self.page.locator(selector)).to_contain_text(text, timeout=1000 * PATIENCE)

    def is_over(self) -> bool:
        return self.page.locator("[data-action=next_game], [data-action=new]").count() > 0 and (
            self.is_shown("#dialog-answer")
        )


def play_by_clicks(person: Person) -> int:
    """Play until the game is over, by the mouse; the number of clicks."""
    for clicks in range(MOST_ACTIONS):
        person.wait()
        if person.is_over():
            return clicks
        if person.is_shown("#dialog-answer"):
            person.page.locator("#answer-buttons button").first.click()
        elif person.is_shown("#act-confirm"):
            person.page.locator("#act-confirm").click()
        elif person.is_shown("#act-roll"):
            person.page.locator("#act-roll").click()
        else:
            person.page.locator("#board-grid .movable").first.click()
    raise AssertionError("the game does not end")


def play_by_keyboard(person: Person) -> int:
    """Play until the game is over, by keys alone; the number of turns."""
    for turns in range(MOST_ACTIONS):
        person.wait()
        if person.is_over():
            return turns
        if person.is_shown("#dialog-answer"):
            person.press("Tab", "Enter")  # from the question to its first answer
            continue
        prompt = str(person.page.locator("#prompt").text_content())
        if "to move" in prompt:
            person.press("f", "Enter", "t", "Enter")
        else:
            person.press("Enter")
    raise AssertionError("the game does not end")
