"""The page while its server computes, stops, forgets the table, or serves two windows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="the extra `dev` is not installed")
pytest.importorskip("fastapi", reason="the extra `web` is not installed")

from playwright.sync_api import Browser, Page, Route, expect  # noqa: E402  (after the skips)

from bgai.interface.bot import load_bot  # noqa: E402
from bgai.interface.web.app import create_app  # noqa: E402
from tests.interface.web.browser import (  # noqa: E402
    AFTER_31,
    NEARLY_OFF,
    PATIENCE,
    Person,
    serving,
)
from tests.interface.web.conftest import SETTINGS  # noqa: E402

MAT = (
    " 3 point match\n\n Game 1\n You : 0                        racer : 0\n"
    "  1) 31: 8/5 6/5                 64: 24/"
)


class Server:
    """A server that can be stopped, and started anew at the same address without its tables."""

    def __init__(self, bot: str) -> None:
        self._bot = bot
        self._running = ExitStack()
        self.address = ""
        self.start()

    def start(self) -> None:
        port = int(self.address.rpartition(":")[2] or 0)
        app = create_app(load_bot(self._bot), seed=1)
        self.address = self._running.enter_context(serving(app, port))

    def stop(self) -> None:
        self._running.close()


@pytest.fixture
def server(race_bot: str) -> Iterator[Server]:
    made = Server(race_bot)
    yield made
    made.stop()


@pytest.fixture
def visitor(browser: Browser, server: Server) -> Iterator[Person]:
    """Somebody at a page whose server may go; the page itself must make no mistake."""
    context = browser.new_context()
    context.set_default_timeout(1000 * PATIENCE)
    context.add_init_script(f"localStorage['bgai-settings'] ??= JSON.stringify({SETTINGS})")
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(server.address)
    page.wait_for_selector("body[data-ready]")
    yield Person(page)
    context.close()
    assert errors == []


def kept_steps(person: Person, path: Path) -> int:
    with person.page.expect_download() as caught:
        person.page.locator("#notice-save").click()
    caught.value.save_as(path)
    return len(json.loads(path.read_text())["steps"])


def test_a_match_outlives_its_server(visitor: Person, server: Server, tmp_path: Path) -> None:
    visitor.start(position=AFTER_31.removesuffix("6") + "0")  # without a cube
    visitor.click(8)
    visitor.click(6)
    visitor.page.click("#act-confirm")
    visitor.wait()
    played = str(visitor.page.locator("#log li").first.text_content())
    server.stop()
    visitor.page.click("#act-undo")
    visitor.expect_text("#notice-text", "The server does not answer.")
    assert visitor.warned.startswith("The server does not answer.")
    for button in ("#act-hint", "#open-account", "#act-undo"):
        visitor.page.click(button)
        visitor.wait()
    assert kept_steps(visitor, tmp_path / "kept.json") >= 1
    server.start()
    visitor.page.click("#notice-retry")
    visitor.expect_text("#notice-text", "goes on from what was kept here")
    assert visitor.warned.startswith("The server answers again")
    assert str(visitor.page.locator("#log li").first.text_content()) == played


def test_a_server_that_has_forgotten_the_table_is_told_it_anew(
    visitor: Person, server: Server
) -> None:
    visitor.start(position=AFTER_31)
    visitor.click(8)
    server.stop()
    server.start()
    visitor.click(6)  # with the move that was made before
    visitor.expect_text("#notice-text", "goes on from what was kept here")
    assert visitor.is_shown("#act-confirm")
    server.stop()
    server.start()
    visitor.page.reload()
    visitor.expect_text("#notice-text", "goes on from what was kept here")
    visitor.wait()
    assert visitor.is_shown("#act-confirm") and not visitor.is_shown("#dialog-new")


def test_a_window_that_is_behind_changes_nothing_and_is_told(page: Page, person: Person) -> None:
    person.start(position=AFTER_31)
    other = Person(page.context.new_page())
    other.page.goto(page.url)
    other.wait()
    other.click(8)
    assert other.label(5).startswith("Point 5, 1 yours")
    person.click(13)
    person.expect_text("#notice-text", "This table has changed")
    assert person.label(5).startswith("Point 5, 1 yours")
    assert person.label(13).startswith("Point 13, 5 yours")
    person.click(6)
    assert person.is_shown("#act-confirm") and not person.is_shown("#notice")


def test_what_takes_long_is_said_and_marked_as_busy(page: Page, person: Person) -> None:
    person.start(position=AFTER_31)
    held: list[Route] = []
    page.route("**/hints*", lambda route: held.append(route))
    page.click("#act-hint")
    expect(page.locator("#prompt")).to_have_text("Thinking ...", timeout=1000 * PATIENCE)
    assert person.said == "Thinking ..."
    assert page.locator("#hints").get_attribute("aria-busy") == "true"
    held.pop().continue_()
    page.wait_for_selector("#hints tbody tr")
    assert page.locator("#hints").get_attribute("aria-busy") == "false"
    person.expect_text("#prompt", "Your turn to move")


@pytest.mark.parametrize("way", ["Escape", "Cancel"])
def test_putting_the_first_dialog_away_begins_the_usual_match(person: Person, way: str) -> None:
    page = person.page
    assert page.evaluate("document.activeElement.value") == "7"
    page.fill("#new-form [name=games_limit]", "3")
    if way == "Escape":
        page.keyboard.press("Escape")
    else:
        page.locator("#new-form .close").click()
    person.expect_text("#match-text", "match to 7, game 1")
    assert "at most" not in page.inner_text("#match-text")


def test_the_last_roll_lies_on_the_board_when_the_game_is_over(person: Person) -> None:
    person.start(position=NEARLY_OFF.replace(":00:", ":66:"))
    assert person.is_over(), "the only play has been made"
    assert person.page.locator(".dice.yours .die:not(.used)").count() == 2


def test_a_loaded_file_tells_its_position_and_what_it_lacks(person: Person, tmp_path: Path) -> None:
    page = person.page
    person.start(position=AFTER_31)
    path = tmp_path / "torn.mat"
    path.write_text(MAT)
    page.click("#open-files")
    page.set_input_files("#load-file", path)
    person.expect_text("#notice-text", "breaks off in line 5")
    person.wait()
    assert "Yours:" in person.said and "Your turn" in person.said and "throw" not in person.said
    assert page.inner_text("#seed-text") == ""
    assert "not finished" in person.warned


def test_an_empty_paste_says_so(person: Person) -> None:
    person.start(position=AFTER_31)
    person.page.click("#open-files")
    person.page.click("#paste-form button")
    person.expect_text("#dialog-files .error", "Paste a GNU id or an XGID first.")


def test_undo_by_a_click_is_said_and_the_help_begins_at_its_top(person: Person) -> None:
    person.start(position=AFTER_31)
    person.click(8)
    person.page.click("#act-undo")
    person.wait()
    assert person.said == "Taken back."
    person.page.click("#open-help")
    assert person.page.evaluate("document.activeElement.id") == "help-title"
    assert person.page.evaluate("document.getElementById('dialog-help').scrollTop") == 0


def test_a_hint_opens_to_the_chances_of_both_sides(person: Person) -> None:
    person.start(position=AFTER_31)
    person.page.click("#act-hint")
    opener = person.page.locator("#hints .opener").first
    opener.focus()
    person.page.keyboard.press("Enter")
    assert opener.get_attribute("aria-expanded") == "true"
    told = person.page.locator("#hints .detail").first.inner_text()
    assert "You: wins" in told and "racer: wins" in told and "backgammons" in told
    person.expect_text("#hints", "Judged by racer, 0-ply.")


def test_a_match_to_one_point_shows_no_cube(person: Person) -> None:
    person.start(match_length=1, games_limit=1, starts="you")
    assert not person.is_shown("#act-double") and person.page.locator(".cube").count() == 0
    person.expect_text("#match-text", "at most one game")
