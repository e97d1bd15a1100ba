"""Playing at the page in a real browser; skipped where there is none."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="the extra `dev` is not installed")
pytest.importorskip("fastapi", reason="the extra `web` is not installed")

from playwright.sync_api import Page, Route  # noqa: E402  (after the skips)

from tests.interface.web.browser import (  # noqa: E402
    AFTER_31,
    CAPPED,
    DOUBLE_ONES,
    DOUBLED,
    NEARLY_OFF,
    Person,
    play_by_clicks,
    play_by_keyboard,
)

# -- whole games


def test_a_whole_game_by_clicks_alone(person: Person) -> None:
    page = person.page
    page.check("#new-form [value=other]")
    page.fill("#new-form [name=match_length]", "1")
    page.fill("#new-form [name=seed]", "7")
    page.click("#new-form [type=submit]")
    assert play_by_clicks(person) > 20
    person.expect_text("#answer-title", "the match")


def test_a_whole_game_by_keyboard_alone(person: Person) -> None:
    person.page.keyboard.press("Enter")  # the new-game dialog has the focus
    person.page.wait_for_selector("#dialog-new", state="hidden")
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
    person.choose("onlyPlays", False)
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


def test_a_double_may_be_beavered_where_beavers_are_agreed(person: Person) -> None:
    person.start(position=DOUBLED.replace(":0:0:0:5:6", ":0:0:2:0:6"))
    dialog = person.page.get_by_role("alertdialog")
    assert "pass" not in dialog.get_by_role("heading").inner_text().lower(), (
        "there are more answers"
    )
    assert dialog.get_by_role("button").all_inner_texts() == ["Take", "Pass", "Beaver"]
    dialog.get_by_role("button", name="Beaver").click()
    person.expect_text("#log", "You beaver: the cube is offered back at 4.")


def test_the_button_names_no_cube_beyond_the_cap(person: Person) -> None:
    person.start(position=CAPPED)
    button = person.page.locator("#act-double")
    assert button.is_disabled() and button.inner_text() == "Double"
    person.start(position=DOUBLED.replace(":-1:D:", ":1:00:"))
    assert button.inner_text() == "Double to 2"


def test_a_double_is_offered_by_shift_d(person: Person) -> None:
    person.start(position=DOUBLED.replace(":-1:D:", ":1:00:"))
    person.press("Shift+D")
    person.expect_text("#log", "You double to 2.")


def test_an_offered_cube_does_not_lie_on_the_opponents_last_dice(person: Person) -> None:
    person.start(match_length=3, starts="bot")  # whose dice stay, or who has doubled already
    shown = person.page.evaluate(
        """async () => {
            const { game } = await import("/static/js/game.js");
            const { displayOf } = await import("/static/js/display.js");
            return [null, 4].map((offered) => {
                const cube = { ...game.view.cube, offered };
                const view = { ...game.view, dice: null, cube };
                return displayOf(Object.assign(Object.create(game), { view })).dice !== null;
            });
        }"""
    )
    assert shown == [True, False]


def test_a_resignation_is_confirmed_and_answered(person: Person) -> None:
    person.start(position=NEARLY_OFF.replace(":1:00:", ":1:21:"))
    person.page.click("#act-resign")
    person.page.get_by_role("button", name="Lose a single game").click()
    person.expect_text("#log", "You offer to lose a single game.")


@pytest.mark.parametrize("typed", ["31", "\u0663 \u0661", "\u06f3\u060c\u06f1"])
def test_dice_are_typed_by_hand(person: Person, typed: str) -> None:
    person.start(manual_dice=True)
    field = person.page.locator("#dice-form [name=dice]")
    field.fill("77")
    field.press("Enter")
    person.expect_text("#dice-form .error", "from 1 to 6")
    field.fill(typed)
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


@pytest.mark.parametrize(
    "kind, name, wrong", [("other", "match_length", "99"), ("money", "automatic_doubles", "9")]
)
def test_a_wrong_value_that_is_not_shown_keeps_no_game_from_starting(
    person: Person, kind: str, name: str, wrong: str
) -> None:
    page = person.page
    page.check(f"#new-form [value={kind}]")
    page.fill(f"#new-form [name={name}]", wrong)
    page.click("#new-form [type=submit]")
    assert person.is_shown("#dialog-new"), "what is shown is still checked"
    page.check("#new-form [value='3']")
    page.click("#new-form [type=submit]")
    person.expect_text("#match-text", "match to 3")


def test_a_seed_that_the_page_would_round_is_refused_in_the_dialog(person: Person) -> None:
    seed = person.page.locator("#new-form [name=seed]")
    for digits, is_valid in ((15, True), (16, False)):
        seed.fill("9" * digits)
        assert seed.evaluate("field => field.checkValidity()") == is_valid


def test_a_position_that_is_none_is_refused_in_the_dialog(person: Person) -> None:
    person.page.fill("#new-form [name=position]", "nonsense")
    person.page.click("#new-form [type=submit]")
    person.expect_text("#new-form .error", "position:")


def test_a_match_of_no_length_is_not_started(person: Person) -> None:
    person.page.check("#new-form [value=other]")
    person.page.fill("#new-form [name=match_length]", "")
    person.page.click("#new-form [type=submit]")
    assert person.is_shown("#new-form [name=match_length]:invalid")


# -- the coach, files


def test_hints_show_equities_and_chances(person: Person) -> None:
    person.start(position=AFTER_31)
    person.page.click("#act-hint")
    rows = person.page.locator("#hints tbody tr:not(.detail)")
    rows.first.wait_for()
    assert rows.count() == 5
    assert re.search(r"\d+/\d+.*[+\u2212]\d\.\d{3}.*\d+\.\d%", str(rows.first.text_content()))
    assert "equity" in person.said


def test_the_coach_tells_the_error_and_sums_the_session_up(person: Person) -> None:
    person.choose("coach", True)
    person.start(position=NEARLY_OFF.replace(":1:00:", ":1:21:"))
    play_by_clicks(person)
    person.expect_text("#coach-remark", "Coach: ")
    person.page.click("[data-action=account]")
    person.page.wait_for_selector("#account svg")
    person.expect_text("#account", "PR")
    assert person.page.locator("#account tbody").first.locator("tr").count() == 2


def test_the_coach_does_not_free_the_board_for_the_next_action(person: Person) -> None:
    page = person.page
    judgements: list[Route] = []
    actions: list[Route] = []
    person.choose("coach", True)
    person.start(position=AFTER_31)
    person.click(8)
    person.click(6)
    page.route("**/judgement*", lambda route: judgements.append(route))
    page.click("#act-confirm")
    page.click("#act-answer")  # the opponent has doubled, the coach still thinks
    page.route("**/action", lambda route: actions.append(route))
    page.click("[data-action=take]")
    assert judgements and not actions
    judgements[0].continue_()
    wait_until(page, lambda: bool(actions))
    assert page.get_attribute("#board", "aria-busy") == "true"
    actions[0].continue_()
    person.wait()
    person.expect_text("#coach-remark", "Coach: ")


def wait_until(page: Page, test: Callable[[], bool]) -> None:
    for _ in range(1000):
        if test():
            return
        page.wait_for_timeout(10)
    raise AssertionError("it does not happen")


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
    page.click("#copy-gnu")
    person.expect_text("#dialog-files .working", "Copied.")
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
