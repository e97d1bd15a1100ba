"""The page for everyone: both languages, keyboard and screen reader, small and large windows."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytest.importorskip("playwright", reason="the extra `dev` is not installed")
pytest.importorskip("fastapi", reason="the extra `web` is not installed")

from axe_playwright_python.sync_playwright import Axe  # noqa: E402  (after the skips)
from playwright.sync_api import Page  # noqa: E402

from bgai.interface.texts import load_texts  # noqa: E402
from tests.interface.web.browser import (  # noqa: E402
    AFTER_31,
    DESKTOP,
    DOUBLED,
    PHONE,
    PHONE_ON_ITS_SIDE,
    Person,
)

# -- languages


def test_arabic_mirrors_the_page_but_not_the_board(person: Person) -> None:
    page = person.page
    person.start(position=AFTER_31)
    page.evaluate("window.isStillHere = true")

    def left_edges() -> list[float]:
        board = page.locator("#board").bounding_box()
        assert board is not None
        return [round(person.cell(s).bounding_box()["x"] - board["x"], 1) for s in range(1, 25)]

    before = left_edges()
    aside = page.locator("aside").bounding_box()
    page.select_option("#language", "ar")
    page.wait_for_selector("html[dir=rtl][lang=ar]")
    mirrored = page.locator("aside").bounding_box()
    assert aside is not None and mirrored is not None and mirrored["x"] < aside["x"]
    assert left_edges() == before
    arabic = load_texts("ar")
    assert page.inner_text("#open-new") == arabic("web.nav.new")
    person.cell(13).focus()
    person.press("ArrowRight")
    assert person.page.evaluate("document.activeElement.dataset.slot") == "14"
    person.press("c")
    assert arabic("dice.spoken.31") in person.said
    assert page.evaluate("window.isStillHere"), "without a reload"
    page.select_option("#language", "en")
    person.expect_text("#open-new", "New game")


def test_a_turn_can_be_played_in_arabic(person: Person) -> None:
    person.choose("language", "ar")
    person.start(position=AFTER_31)
    person.click(8)
    person.click(6)
    person.page.click("#act-confirm")
    person.wait()
    assert "8/5 6/5" in str(person.page.locator("#log li").nth(0).text_content())


def test_what_the_server_refuses_is_english_in_arabic_too(person: Person) -> None:
    person.choose("language", "ar")
    person.page.fill("#new-form [name=position]", "nonsense")
    person.page.click("#new-form [type=submit]")
    person.expect_text("#new-form .error", "position:")
    error = person.page.locator("#new-form .error")
    assert error.get_attribute("lang") == "en"
    assert error.evaluate("node => getComputedStyle(node).direction") == "ltr"


X_OF = """([selector, words]) => words.map((word) => {
    const [node] = document.querySelector(selector).childNodes;
    const start = node.data.indexOf(word);
    const range = document.createRange();
    range.setStart(node, start);
    range.setEnd(node, start + word.length);
    return range.getBoundingClientRect().x;
})"""


def test_a_roll_in_arabic_shows_its_numbers_before_their_name(person: Person) -> None:
    person.choose("language", "ar")
    person.start(position=AFTER_31)
    name = load_texts("ar")("dice.spoken.31")
    numbers_x, name_x = person.page.evaluate(X_OF, ["#prompt", ["3-1", name]])
    assert numbers_x > name_x, "which is read from the right"


# -- keyboard and screen reader


def test_arrows_walk_the_horseshoe(person: Person) -> None:
    person.start(position=AFTER_31)
    person.cell(1).focus()
    visited = []
    for _ in range(24):
        visited.append(int(person.page.evaluate("document.activeElement.dataset.slot")))
        person.press("ArrowLeft" if visited[-1] < 13 else "ArrowRight")
    assert visited == list(range(1, 25)), "the empty bar is passed over"
    person.cell(8).focus()
    person.press("ArrowUp")
    assert person.page.evaluate("document.activeElement.dataset.slot") == "17"
    person.press("End")
    assert person.page.evaluate("document.activeElement.dataset.slot") == "off-you"


def test_assistive_programs_play_by_clicks_without_a_pointer(person: Person) -> None:
    person.start(position=AFTER_31)
    person.cell(8).dispatch_event("click")
    assert person.said == "Picked up. Legal: 5, 7, 4."
    person.cell(5).dispatch_event("click")
    person.wait()
    assert person.said.startswith("8 to 5. 1 left to play.")
    assert person.page.evaluate("document.activeElement.dataset.slot") == "5"


def test_a_checker_is_picked_up_put_back_and_dropped(person: Person) -> None:
    person.start(position=AFTER_31)
    person.cell(8).focus()
    person.press("Enter")
    assert person.said == "Picked up. Legal: 5, 7, 4."
    assert person.cell(8).get_attribute("aria-selected") == "true"
    person.press("Escape")
    assert person.said == "Put back."
    person.press("Enter", "ArrowRight")
    person.press("Enter")
    assert person.said.startswith("8 to 7. 3 left to play.")
    person.press("Enter")
    assert person.said.startswith("Picked up.")
    person.press("ArrowLeft", "ArrowLeft", "ArrowLeft", "Enter")
    assert person.warned == "Not legal."


def test_keys_tell_dice_checkers_cube_and_more(person: Person) -> None:
    person.start(position=AFTER_31)
    said = {}
    for key in "cidpswo":
        person.press(key)
        said[key] = person.said
    assert said["c"] == "Your dice: 3-1."
    assert "5 on 6" in said["i"] and "Yours:" in said["i"] and "racer:" in said["i"]
    assert said["d"] == "cube 1, in the middle"
    assert said["p"] == "Pips: you 167, opponent 167"
    assert "match to 5" in said["s"]
    assert "3-1" in said["w"]
    assert said["o"] == "Point 6, 5 yours, can move"


def test_the_same_words_twice_are_two_changes(person: Person) -> None:
    person.start(position=AFTER_31)
    texts = []
    for _ in range(2):
        person.press("c")
        texts.append(person.page.locator("#polite").text_content())
    assert texts[0] != texts[1] and "3-1" in str(texts[0]) and "3-1" in str(texts[1])


def test_the_opponents_turn_is_one_announcement(person: Person) -> None:
    person.start(position=AFTER_31)
    person.click(8)
    person.click(6)
    person.press("Enter")
    assert re.match(r"racer (rolls|doubles)", person.said)


def test_letter_keys_can_be_switched_off(person: Person) -> None:
    person.start(position=AFTER_31)
    person.choose("shortcuts", False)
    person.cell(6).focus()
    before = person.said
    person.press("c", "Backspace")
    assert person.said == before


def test_help_lists_the_keys(person: Person) -> None:
    person.start(position=AFTER_31)
    person.press("h")
    rows = person.page.locator("#help-keys tr")
    assert rows.count() > 20 and rows.filter(has_text="Shift+D").count() == 1


# -- windows and accessibility


@pytest.mark.parametrize(
    "window",
    [
        {"viewport": DESKTOP},
        {"viewport": PHONE, "has_touch": True},
        {"viewport": PHONE_ON_ITS_SIDE, "has_touch": True},
    ],
)
def test_the_board_fits_the_window(person: Person, window: dict[str, Any]) -> None:
    width, height = window["viewport"]["width"], window["viewport"]["height"]
    for side in ("right", "left"):
        person.choose("homeSide", side)
        person.start(position=AFTER_31)
        assert person.page.evaluate("document.documentElement.scrollWidth") <= width
        for slot in (1, 12, 13, 24, "bar-you", "off-you"):
            box = person.cell(slot).bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= width
            assert box["y"] + box["height"] <= height and box["width"] >= 24
        for name in ("double", "undo", "hint", "resign"):
            action = person.page.locator(f"#act-{name}").bounding_box()
            assert action is not None and action["y"] + action["height"] <= height
            assert action["x"] >= 0 and action["x"] + action["width"] <= width


@pytest.mark.parametrize(
    ("window", "language"),
    [
        ({"viewport": DESKTOP}, "en"),
        ({"viewport": PHONE, "color_scheme": "dark"}, "ar"),
    ],
)
def test_axe_finds_nothing(person: Person, window: dict[str, Any], language: str) -> None:
    person.choose("language", language)
    assert_accessible(person.page, "the new-game dialog")
    person.start(position=AFTER_31)
    person.page.click("#act-hint")
    person.page.wait_for_selector("#hints tbody tr")
    assert_accessible(person.page, "a game")
    for name in ("help", "settings", "files"):
        person.page.click(f"#open-{name}")
        assert_accessible(person.page, name)
        person.page.keyboard.press("Escape")
    person.start(position=DOUBLED)
    assert_accessible(person.page, "a double")


def assert_accessible(page: Page, place: str) -> None:
    found = Axe().run(page)
    assert found.violations_count == 0, f"{place}: {found.generate_report()}"


def test_the_documentation_of_the_api_asks_a_question(person: Person, address: str) -> None:
    page = person.page
    page.goto(f"{address}/docs")
    section = page.locator("section", has_text="POST /api/best-plays")
    section.locator("textarea").wait_for()
    section.get_by_role("button", name="Ask").click()
    section.get_by_role("status").filter(has_text="Status 200").wait_for()
    section.locator("pre", has_text="equity").wait_for()
    assert_accessible(page, "docs")
    page.evaluate("void (window.fetch = () => Promise.reject(new TypeError()))")
    section.get_by_role("button", name="Ask").click()
    section.get_by_role("status").filter(has_text="does not answer").wait_for()
    assert not section.locator("pre").is_visible(), "of the answer before"
