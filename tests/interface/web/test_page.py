"""The page in a real browser; skipped where there is none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="the extra `dev` is not installed")

from axe_playwright_python.sync_playwright import Axe  # noqa: E402  (after the skip)
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright  # noqa: E402

from bgai.interface.bot import load_bot  # noqa: E402
from bgai.interface.texts import load_texts  # noqa: E402
from bgai.interface.web.app import create_app  # noqa: E402
from bgai.interface.web.server import LOOPBACK_NAMES  # noqa: E402
from tests.interface.web.browser import (  # noqa: E402
    CHROMIUM,
    DESKTOP,
    PATIENCE,
    PHONE,
    Person,
    launch,
    play_by_clicks,
    play_by_keyboard,
    serving,
)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")

NEARLY_OFF = "XGID=-BB--------------------bb-:0:0:1:00:0:0:0:1:6"
DOUBLED = "XGID=-b----E-C---eE---c-e----B-:0:0:-1:D:0:0:0:5:6"
AFTER_31 = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:5:6"
DOUBLE_ONES = "XGID=-b----E-C---eE---c-e----B-:0:0:1:11:0:0:0:5:6"


@pytest.fixture(scope="module")
def address(race_bot: str) -> Iterator[str]:
    with serving(create_app(load_bot(race_bot), hosts=LOOPBACK_NAMES)) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        yield chromium
        chromium.close()


@pytest.fixture
def window() -> dict[str, Any]:
    """The options of the window; parametrized by the tests that need another one."""
    return {"viewport": DESKTOP}


@pytest.fixture
def page(browser: Browser, address: str, window: dict[str, Any]) -> Iterator[Page]:
    """The page, which must ask for nothing from elsewhere and report no error."""
    context = browser.new_context(**window)
    context.set_default_timeout(1000 * PATIENCE)
    context.add_init_script(
        'localStorage["bgai-settings"] ??= JSON.stringify({ speed: "instant", language: "en" })'
    )
    opened = context.new_page()
    errors: list[str] = []
    opened.on("console", lambda message: _note(message, errors))
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on(
        "request",
        lambda request: request.url.startswith((address, "blob:")) or errors.append(request.url),
    )
    opened.goto(address)
    opened.wait_for_selector("body[data-ready]")
    yield opened
    context.close()
    assert errors == []


def _note(message: ConsoleMessage, errors: list[str]) -> None:
    # what the server refuses the browser reports, too; the page shows it
    if message.type in ("error", "warning") and "status of 400" not in message.text:
        errors.append(message.text)


@pytest.fixture
def person(page: Page) -> Person:
    return Person(page)


def set_option(person: Person, name: str, value: object) -> None:
    person.page.evaluate(
        """async ([name, value]) =>
            (await import("/static/js/settings.js")).change(name, value)""",
        [name, value],
    )
    if name == "language":
        person.page.wait_for_selector(f"html[lang={value}]")


# -- whole games


def test_a_game_can_be_won_or_lost_by_clicks_alone(person: Person) -> None:
    set_option(person, "onlyPlays", False)
    set_option(person, "autoRoll", False)
    person.start(position=NEARLY_OFF)
    assert play_by_clicks(person) > 3
    person.expect_text("#answer-title", "match")


def test_a_game_can_be_won_or_lost_by_keyboard_alone(person: Person) -> None:
    set_option(person, "onlyPlays", False)
    set_option(person, "autoRoll", False)
    person.start(position=NEARLY_OFF)
    assert play_by_keyboard(person) > 1
    person.expect_text("#answer-title", "match")


@pytest.mark.slow
def test_a_whole_match_by_clicks_alone(person: Person) -> None:
    page = person.page
    page.check("#new-form [value='3']")
    page.fill("#new-form [name=seed]", "7")
    page.click("#new-form [type=submit]")
    while True:
        play_by_clicks(person)
        if person.is_shown("[data-action=new]"):
            break
        page.click("[data-action=next_game]")
    person.expect_text("#answer-title", "wins the match")


@pytest.mark.slow
def test_a_whole_game_by_keyboard_alone(person: Person) -> None:
    person.press("Enter")  # the new-game dialog has the focus: its form is sent as it stands
    assert play_by_keyboard(person) > 10
    person.expect_text("#answer-text", "match to 7")


# -- moving checkers


def test_a_click_plays_the_larger_die_and_a_right_click_the_other(person: Person) -> None:
    person.start(position=AFTER_31)
    person.click(13)
    assert person.label(10) == "Point 10, 1 yours, blot, can move"
    person.page.click("#act-undo")
    person.wait()
    person.click(13, button="right")
    assert person.label(12).startswith("Point 12, 5 theirs"), "12 is blocked: the 3 is played"
    assert person.label(10).startswith("Point 10, 1 yours")


def test_a_click_on_the_dice_swaps_them_until_a_checker_has_moved(person: Person) -> None:
    person.start(position=AFTER_31)
    person.page.click("#dice-button")
    person.click(8)
    assert person.label(7).startswith("Point 7, 1 yours")
    assert not person.is_shown("#dice-button")


def test_a_checker_is_dragged_along_several_dice(person: Person) -> None:
    person.start(position=AFTER_31)
    person.drag(24, 20)
    assert person.label(20).startswith("Point 20, 1 yours")
    assert person.is_shown("#act-confirm")


def test_all_four_hops_of_a_double_are_targets(person: Person) -> None:
    person.start(position=DOUBLE_ONES)
    person.cell(8).focus()
    person.press("Enter")
    legal = [slot for slot in range(1, 25) if ", legal" in person.label(slot)]
    assert legal == [4, 5, 6, 7]
    assert person.page.locator("circle.target").count() == 4


def test_a_checker_dropped_elsewhere_goes_back(person: Person) -> None:
    person.start(position=AFTER_31)
    before = [person.label(slot) for slot in (13, 19)]
    person.drag(13, 19)
    assert [person.label(slot) for slot in (13, 19)] == before


def test_moves_can_be_taken_back_until_the_turn_is_ended(person: Person) -> None:
    person.start(position=AFTER_31)
    person.click(8)
    person.click(6)
    assert person.is_shown("#act-confirm")
    person.press("Shift+Backspace")
    assert person.label(8).startswith("Point 8, 3 yours")
    assert not person.is_shown("#act-confirm")


def test_a_click_on_the_tray_bears_off_all_that_the_dice_allow(person: Person) -> None:
    set_option(person, "onlyPlays", False)
    person.start(position=NEARLY_OFF.replace(":00:", ":66:"))
    person.click("off-you")
    assert person.label("off-you").startswith("Your checkers off, 15")


# -- the cube, resigning, dice by hand


def test_a_double_is_answered_in_a_dialog_that_tells_score_and_pips(person: Person) -> None:
    person.start(position=DOUBLED)
    dialog = person.page.get_by_role("alertdialog")
    text = str(dialog.text_content())
    assert "doubles to 2" in text and "167" in text and "match to 5" in text
    assert person.page.evaluate("document.activeElement.id") == "answer-title"
    person.press("Enter")
    assert dialog.is_visible(), "Enter alone answers nothing"
    dialog.get_by_role("button", name="Take").click()
    person.wait()
    person.expect_text("#cube-text", "cube 2, yours")


def test_a_double_is_offered_by_shift_d(person: Person) -> None:
    person.start(position=DOUBLED.replace(":-1:D:", ":1:00:"))
    person.press("Shift+D")
    person.expect_text("#log", "You double to 2.")


def test_a_resignation_is_confirmed_and_answered(person: Person) -> None:
    person.start(position=NEARLY_OFF.replace(":1:00:", ":1:21:"))
    person.page.click("#act-resign")
    person.page.get_by_role("button", name="Lose a single game").click()
    person.expect_text("#log", "You offer to lose a single game.")


def test_dice_are_typed_by_hand(person: Person) -> None:
    person.start(manual_dice=True)
    field = person.page.locator("#dice-form [name=dice]")
    field.fill("77")
    field.press("Enter")
    person.expect_text("#dice-form .error", "from 1 to 6")
    field.fill("31")
    field.press("Enter")
    person.wait()
    person.expect_text("#prompt", "3-1")


# -- the new-game dialog


def test_every_option_of_a_new_game_reaches_the_table(person: Person) -> None:
    page = person.page
    page.check("#new-form [value=money]")
    for name in ("jacoby", "beavers"):
        page.check(f"#new-form [name={name}]")
    page.fill("#new-form [name=games_limit]", "3")
    page.fill("#new-form [name=automatic_doubles]", "1")
    page.select_option("#new-form [name=cap]", "8")
    page.select_option("#new-form [name=plies]", "1")
    page.select_option("#new-form [name=starts]", "you")
    page.fill("#new-form [name=seed]", "12345")
    page.click("#new-form [type=submit]")
    person.expect_text("#match-text", "money, game 1, at most 3 games, Jacoby rule, beavers")
    person.expect_text("#seed-text", "12345")
    person.expect_text("#log", "you start")
    view = page.evaluate("import('/static/js/game.js').then(({ game }) => game.view)")
    assert view["match"]["cap"] == 8 and view["match"]["automatic_doubles"] == 1
    assert view["plies"] == 1


def test_a_position_that_is_none_is_refused_in_the_dialog(person: Person) -> None:
    person.page.fill("#new-form [name=position]", "nonsense")
    person.page.click("#new-form [type=submit]")
    person.expect_text("#new-form .error", "position:")


# -- the coach, files


def test_hints_show_equities_and_chances(person: Person) -> None:
    person.start(position=AFTER_31)
    person.page.click("#act-hint")
    rows = person.page.locator("#hints tbody tr")
    rows.first.wait_for()
    assert rows.count() == 5
    assert re.search(r"\d+/\d+.*[+\u2212]\d\.\d{3}.*\d+\.\d%", str(rows.first.text_content()))
    assert "equity" in person.said


def test_the_coach_tells_the_error_and_sums_the_session_up(person: Person) -> None:
    set_option(person, "coach", True)
    person.start(position=NEARLY_OFF.replace(":1:00:", ":1:21:"))
    play_by_clicks(person)
    assert str(person.page.locator("#coach-remark").text_content()).startswith("Coach: ")
    person.page.click("[data-action=account]")
    person.page.wait_for_selector("#account svg")
    person.expect_text("#account", "PR")
    assert person.page.locator("#account tbody").first.locator("tr").count() == 2


def test_a_session_is_saved_as_mat_and_loaded_again(person: Person, tmp_path: Path) -> None:
    person.start(match_length=3, starts="you")
    person.page.locator("#board-grid .movable").first.click()
    for button in ("#save-mat", "#save-session"):
        person.page.click("#open-files")
        with person.page.expect_download() as caught:
            person.page.click(button)
        path = tmp_path / caught.value.suggested_filename
        caught.value.save_as(path)
        person.page.set_input_files("#load-file", path)
        person.page.wait_for_selector("#dialog-files", state="hidden")
        person.expect_text("#match-text", "match to 3")


def test_ids_are_shown_and_pasted(person: Person) -> None:
    person.start(position=AFTER_31)
    page = person.page
    page.click("#open-files")
    assert page.input_value("#id-xgid") == AFTER_31
    page.fill("#paste-form [name=position]", page.input_value("#id-gnu"))
    page.click("#paste-form button")
    page.wait_for_selector("#dialog-files", state="hidden")
    assert person.label(13).startswith("Point 13, 5 yours, can move")


def test_a_reload_goes_on_with_the_game(person: Person) -> None:
    person.start(position=AFTER_31)
    person.click(8)
    person.page.reload()
    person.page.wait_for_selector("body[data-ready]")
    person.wait()
    assert person.label(5).startswith("Point 5, 1 yours")
    assert not person.is_shown("#dialog-new")


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
    set_option(person, "language", "ar")
    person.start(position=AFTER_31)
    person.click(8)
    person.click(6)
    person.page.click("#act-confirm")
    person.wait()
    assert "8/5 6/5" in str(person.page.locator("#log li").nth(0).text_content())


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
    set_option(person, "shortcuts", False)
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


@pytest.mark.parametrize("window", [{"viewport": DESKTOP}, {"viewport": PHONE, "has_touch": True}])
def test_the_board_fits_the_window(person: Person, window: dict[str, Any]) -> None:
    width, height = window["viewport"]["width"], window["viewport"]["height"]
    for side in ("right", "left"):
        set_option(person, "homeSide", side)
        person.start(position=AFTER_31)
        assert person.page.evaluate("document.documentElement.scrollWidth") <= width
        for slot in (1, 12, 13, 24, "bar-you", "off-you"):
            box = person.cell(slot).bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= width
            assert box["y"] + box["height"] <= height and box["width"] >= 24
        roll = person.page.locator("#act-hint").bounding_box()
        assert roll is not None and roll["y"] + roll["height"] <= height


@pytest.mark.parametrize(
    ("window", "language"),
    [
        ({"viewport": DESKTOP}, "en"),
        ({"viewport": PHONE, "color_scheme": "dark"}, "ar"),
    ],
)
def test_axe_finds_nothing(person: Person, window: dict[str, Any], language: str) -> None:
    set_option(person, "language", language)
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
    section.locator("pre", has_text="200").wait_for()
    assert_accessible(page, "docs")
