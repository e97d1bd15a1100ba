"""The page's calls without a browser: whole sessions, refusals, and the coach's agreement."""

from __future__ import annotations

import random
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `web` is not installed")
pytest.importorskip("httpx2", reason="the extra `dev` is not installed")

from fastapi.testclient import TestClient  # noqa: E402  (after the skips)

from bgai.interface.texts import languages  # noqa: E402

MOST_ACTIONS = 3000


def opened(client: TestClient, **options: Any) -> dict[str, Any]:
    response = client.post("/table/new", json={"seed": 1, **options})
    assert response.status_code == 200, response.text
    table: dict[str, Any] = response.json()
    return table


def acted(client: TestClient, name: str, **question: Any) -> dict[str, Any]:
    response = client.post(f"/table/{name}/action", json=question)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def some_action(view: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Something that the server lists as possible."""
    if view["may_confirm"]:
        return {"action": "confirm"}
    if view["legal_moves"]:
        start = rng.choice(list(view["ways"]))
        return {"action": "move", "moves": rng.choice(view["ways"][start])["moves"]}
    answers = [action for action in view["allowed"] if action not in ("resign", "play")]
    return {"action": rng.choice(answers).replace("next game", "next_game")}


@pytest.mark.parametrize(
    "options",
    [
        {"match_length": 1},
        {"match_length": None, "games_limit": 3, "beavers": True, "jacoby": True},
        {"match_length": 2, "cap": 1, "starts": "bot"},
    ],
)
def test_whatever_the_server_lists_can_be_done_until_the_session_is_over(
    client: TestClient, options: dict[str, Any]
) -> None:
    rng = random.Random(1)
    table = opened(client, **options)
    view, length = table["view"], len(table["events"])
    for _ in range(MOST_ACTIONS):
        if view["decision"] == "session over":
            break
        answer = acted(client, table["id"], **some_action(view, rng))
        assert answer["kept"] == length
        view, length = answer["view"], length + len(answer["events"])
    assert view["decision"] == "session over"
    again = client.get(f"/table/{table['id']}").json()
    assert len(again["events"]) == length and again["view"] == view


def test_every_event_is_told_in_every_language(client: TestClient) -> None:
    for event in opened(client, starts="bot")["events"]:
        assert set(event["text"]) == set(event["spoken"]) == set(languages())
        assert all(event["text"].values()) and len(event["board"]) == 26


def test_the_board_is_seen_from_the_persons_side(client: TestClient) -> None:
    # the bottom player is to answer the top player's double
    view = opened(client, position="XGID=-a----E-C---eE---c-e----B-:0:0:-1:D:0:0:0:5:6")["view"]
    assert view["board"][6] == 5 and view["board"][1] == -1
    assert view["actor"] == "you" and view["turn"] == "them"
    assert view["cube"]["offered"] == 2


def test_a_move_that_is_not_listed_is_refused_and_changes_nothing(client: TestClient) -> None:
    table = opened(client, starts="you")
    before = client.get(f"/table/{table['id']}").json()["view"]
    good = before["legal_moves"][0]
    moves = [[good["from"], good["to"]], [3, 2]]
    response = client.post(f"/table/{table['id']}/action", json={"action": "move", "moves": moves})
    assert response.status_code == 409
    assert client.get(f"/table/{table['id']}").json()["view"] == before


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("match_length", {"match_length": 65}),
        ("games_limit", {"games_limit": 0}),
        ("cap", {"cap": 3}),
        ("jacoby", {"jacoby": True}),
        ("automatic_doubles", {"match_length": None, "automatic_doubles": -1}),
        ("seed", {"seed": -1}),
        ("starts", {"starts": "you", "manual_dice": True}),
        ("plies", {"plies": 3}),
        ("position", {"position": "XGID=nonsense"}),
    ],
)
def test_a_table_that_cannot_be_is_refused_with_the_name_of_the_field(
    client: TestClient, field: str, wrong: dict[str, Any]
) -> None:
    response = client.post("/table/new", json=wrong)
    assert response.status_code == 400 and response.json()["field"] == field


def test_unknown_tables_actions_and_missing_values_are_refused(client: TestClient) -> None:
    assert client.get("/table/unknown").status_code == 404
    name = opened(client, starts="you")["id"]
    for question, status in (
        ({"action": "cheat"}, 400),
        ({"action": "move"}, 400),
        ({"action": "resign"}, 400),
        ({"action": "take"}, 409),
        ({"action": "undo_turn"}, 409),
    ):
        response = client.post(f"/table/{name}/action", json=question)
        assert response.status_code == status, question
        assert response.json()["message"]


@pytest.mark.parametrize(
    ("field", "question"),
    [
        ("action", {"action": "take"}),
        ("action", {"action": "roll"}),
        ("moves", {"action": "move", "moves": [[3, 2]]}),
        ("moves", {"action": "move", "moves": None}),
        ("moves", {"action": "move", "moves": {}}),
        ("moves", {"action": "move", "moves": []}),
        ("moves", {"action": "confirm", "moves": [[3, 2]]}),
        ("level", {"action": "take", "level": 3}),
        ("dice", {"action": "confirm", "dice": [3, 1]}),
        ("cheat", {"action": "take", "cheat": True}),
        ("moves.0.1", {"action": "move", "moves": [[3, 26]]}),
        ("version", {"action": "undo_turn", "version": 999}),
    ],
)
def test_a_refused_action_names_the_field_that_is_wrong(
    client: TestClient, field: str, question: dict[str, Any]
) -> None:
    name = opened(client, starts="you")["id"]
    answer = client.post(f"/table/{name}/action", json=question).json()
    assert answer["field"] == field and answer["message"].startswith(f"{field}: ")


def test_the_coach_blames_nobody_for_its_own_best_play(client: TestClient) -> None:
    table = opened(client, starts="you")
    best = client.get(f"/table/{table['id']}/hints").json()["plays"][0]
    acted(client, table["id"], action="move", moves=best["moves"])
    acted(client, table["id"], action="confirm")
    judged = client.get(f"/table/{table['id']}/judgement").json()
    assert judged["error"] == pytest.approx(0, abs=1e-6)
    account = client.get(f"/table/{table['id']}/account").json()
    assert [side["side"] for side in account["sides"]] == ["you", "them"]
    assert all(0 <= point["game"] <= 1 for point in account["outlook"])


def test_undo_shortens_the_log_and_meets_the_same_dice(client: TestClient) -> None:
    table = opened(client, starts="you")
    best = client.get(f"/table/{table['id']}/hints").json()["plays"][0]

    def play() -> list[dict[str, Any]]:
        acted(client, table["id"], action="move", moves=best["moves"])
        events: list[dict[str, Any]] = acted(client, table["id"], action="confirm")["events"]
        return events

    first = play()
    undone = acted(client, table["id"], action="undo_turn")
    assert undone["kept"] == len(table["events"]) and undone["events"] == []
    assert play() == first


@pytest.mark.parametrize("kind", ["session", "mat"])
def test_a_kept_session_goes_on_where_it_was(client: TestClient, kind: str) -> None:
    table = opened(client, match_length=3, starts="you")
    best = client.get(f"/table/{table['id']}/hints").json()["plays"][0]
    acted(client, table["id"], action="move", moves=best["moves"])
    view = acted(client, table["id"], action="confirm")["view"]
    response = client.get(f"/table/{table['id']}/{kind}")
    kept = response.json() if kind == "session" else response.text
    loaded = client.post("/table/saved", json={kind: kept}).json()["view"]
    for name in ("board", "decision", "match", "cube", "you"):
        assert loaded[name] == view[name]


@pytest.mark.parametrize("wrong", [{}, {"session": {"format": "other"}}, {"mat": "no match"}])
def test_a_damaged_file_is_refused(client: TestClient, wrong: dict[str, Any]) -> None:
    response = client.post("/table/saved", json=wrong)
    assert response.status_code == 400 and response.json()["field"] in ("session", "mat")


BARE_ID = "sGfwATDgc/ABMA"  # after an opening 31


@pytest.mark.parametrize("starts", ["you", "bot"])
def test_a_position_alone_is_played_by_the_chosen_rules_and_starter(
    client: TestClient, starts: str
) -> None:
    options = {"match_length": 3, "crawford": False, "cap": 8, "starts": starts}
    table = opened(client, position=BARE_ID, **options)
    match = table["view"]["match"]
    assert (match["length"], match["crawford"], match["cap"]) == (3, False, 8)
    assert table["notes"] == []
    rolled = [event["side"] for event in table["events"] if event["kind"] in ("roll", "double")]
    assert rolled[:1] == ([] if starts == "you" else ["them"])
    money = opened(client, position=BARE_ID, match_length=None, jacoby=True)["view"]["match"]
    assert money["length"] is None and money["jacoby"]


def test_the_starting_position_alone_is_a_game_from_its_beginning(client: TestClient) -> None:
    table = opened(client, position="4HPwATDgc/ABMA", match_length=5)
    assert table["events"][0]["kind"] == "opening" and table["view"]["match"]["length"] == 5


def test_an_id_with_a_match_wins_over_choices_that_contradict_it_and_says_so(
    client: TestClient,
) -> None:
    xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:5:6"
    table = opened(client, position=xgid, match_length=7, starts="bot", games_limit=2)
    match = table["view"]["match"]
    assert (match["length"], match["games_limit"]) == (5, 2)
    assert table["view"]["actor"] == "you"
    (note,) = table["notes"]
    assert set(note) == set(languages())
    assert "match to 5" in note["en"] and "What to play for" in note["en"]
    assert "Who starts" in note["en"] and "At most" not in note["en"]
    assert opened(client, position=xgid, match_length=5, cap=64)["notes"] == []
    assert opened(client, position=xgid)["notes"] == []


def test_an_action_meant_for_another_state_is_refused_and_changes_nothing(
    client: TestClient,
) -> None:
    table = opened(client, starts="you")
    name, view = table["id"], table["view"]
    move = [[view["legal_moves"][0]["from"], view["legal_moves"][0]["to"]]]
    acted(client, name, action="move", moves=move, version=view["version"])
    acted(client, name, action="undo_move")
    before = client.get(f"/table/{name}").json()["view"]
    question = {"action": "move", "moves": move, "version": view["version"]}
    response = client.post(f"/table/{name}/action", json=question)
    assert response.status_code == 409 and response.json()["field"] == "version"
    assert client.get(f"/table/{name}/hints?version={view['version']}").status_code == 409
    assert client.get(f"/table/{name}").json()["view"] == before
    acted(client, name, **{**question, "version": before["version"]})


def test_a_session_put_together_from_its_changes_is_the_one_that_is_saved(
    client: TestClient,
) -> None:
    rng = random.Random(2)
    table = opened(client, match_length=1)
    session, view = table["session"], table["view"]
    for number in range(60):
        if view["decision"] == "session over":
            break
        is_undone = number % 7 == 6 and view["may_undo"]
        question = {"action": "undo_turn"} if is_undone else some_action(view, rng)
        answer = acted(client, table["id"], **question)
        view, changes = answer["view"], answer["session_changes"]
        kept = session["steps"][: changes["kept_steps"]]
        session = {**session, "steps": kept + changes["steps"], "moves": changes["moves"]}
        assert session == client.get(f"/table/{table['id']}/session").json()


def test_the_seed_is_told_only_of_dice_that_it_has_thrown(client: TestClient) -> None:
    table = opened(client, match_length=3, cap=1, starts="you")
    best = client.get(f"/table/{table['id']}/hints").json()["plays"][0]
    acted(client, table["id"], action="move", moves=best["moves"])
    view = acted(client, table["id"], action="confirm")["view"]
    assert view["seed"] == 1
    session = client.get(f"/table/{table['id']}/session").json()
    mat = client.get(f"/table/{table['id']}/mat").text
    seeds = [
        client.post("/table/saved", json=kept).json()["view"]["seed"]
        for kept in ({"session": session}, {"session": {**session, "seed": 2}}, {"mat": mat})
    ]
    assert seeds == [1, None, None]
    assert opened(client, manual_dice=True)["view"]["seed"] is None


def test_a_mat_file_that_breaks_off_says_where(client: TestClient) -> None:
    head = " 3 point match\n\n Game 1\n A : 0                       B : 0\n"
    for rows, told in (
        ("  1) 31: 8/5 6/5\n", ["not finished"]),
        ("  1) 31: 8/5 6/5              64: 24/", ["breaks off in line 5", "not finished"]),
        ("  1) 31: 8/5 6/5\n      Wins 1 point\n", []),
    ):
        answer = client.post("/table/saved", json={"mat": head + rows}).json()
        assert len(answer["notes"]) == bool(told)
        for words in told:
            assert words in answer["notes"][0]["en"]


def test_a_saved_match_beyond_the_match_equity_table_is_refused(client: TestClient) -> None:
    mat = " 65 point match\n\n Game 1\n You : 0  Bot : 0\n  1) 64: 24/14\n"
    session = client.get(f"/table/{opened(client)['id']}/session").json()
    session["start"]["rules"]["match_length"] = 65
    for field, saved in (("mat", mat), ("session", session)):
        response = client.post("/table/saved", json={field: saved})
        assert response.status_code == 400 and response.json()["field"] == field
        assert "a match is to 64 points at most, got 65" in response.json()["message"]


def test_a_match_to_one_point_has_no_cube(client: TestClient) -> None:
    assert not opened(client, match_length=1)["view"]["cube"]["is_in_play"]
    assert opened(client, match_length=2)["view"]["cube"]["is_in_play"]


def test_a_match_to_one_point_has_no_crawford_game_to_come_after(client: TestClient) -> None:
    assert not opened(client, match_length=1)["view"]["match"]["is_post_crawford"]
    after = opened(client, position="XGID=-b----E-C---eE---c-e----B-:0:0:1:00:2:1:0:3:6")
    assert after["view"]["match"]["is_post_crawford"]


def test_the_account_tells_what_was_played_when(client: TestClient) -> None:
    table = opened(client, position="XGID=-ABC-----------------ccc--:0:0:1:12:0:0:0:1:6")
    for move in ([3, 1], [3, 2]):  # where two checkers could be borne off
        acted(client, table["id"], action="move", moves=[move])
    acted(client, table["id"], action="confirm")
    account = client.get(f"/table/{table['id']}/account").json()
    (item,) = account["worst"]
    assert (item["game"], item["turn"], item["dice"]) == (1, 1, [2, 1])
    assert (item["made"]["en"], item["best"]["en"]) == ("3/2 3/1", "2/off 1/off")
    assert [point["turn"] for point in account["outlook"]][:2] == [1, 2]
