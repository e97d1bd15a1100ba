"""The JSON API: answers are what bgai computes, and a wrong question names its field."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the extra `web` is not installed")
pytest.importorskip("httpx2", reason="the extra `dev` is not installed")

from fastapi.testclient import TestClient  # noqa: E402
from starlette.responses import Response  # noqa: E402
from starlette.types import Receive, Scope, Send  # noqa: E402

from bgai.engine import START, equity, legal_afterstates, position_id  # noqa: E402
from bgai.interface.bot import load_bot  # noqa: E402
from bgai.interface.web import answers  # noqa: E402
from bgai.interface.web.api import api_calls  # noqa: E402
from bgai.interface.web.direct import DirectCalls  # noqa: E402
from bgai.interface.web.guard import Guard  # noqa: E402

START_ID = "4HPwATDgc/ABMA"
START_XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:6"
BEAR_OFF = [0, 2, 2, 0, 0, 0, 1, *[0] * 12, -1, 0, -2, 0, 0, -3, 0]


def asked(client: TestClient, path: str, **question: Any) -> Any:
    response = client.post(f"/api/{path}", json=question)
    assert response.status_code == 200, response.text
    return response.json()


def refused(client: TestClient, path: str, **question: Any) -> tuple[str, str]:
    """The field and the message of a refusal."""
    response = client.post(f"/api/{path}", json=question)
    assert response.status_code == 400, response.text
    answer = answers.ErrorAnswer.model_validate(response.json())
    return str(answer.field), answer.message


def test_the_best_play_leaves_the_afterstate_the_bot_likes_best(
    client: TestClient, race_bot: str
) -> None:
    found = asked(client, "best-plays", position=START_ID, dice=[3, 1])
    answers.BestPlaysAnswer.model_validate(found)
    bot = load_bot(race_bot)
    after, _ = legal_afterstates(START[None], np.array([[3, 1]]))
    equities = -equity(bot(after))
    assert len(found["plays"]) == len(after)
    assert found["plays"][0]["equity"] == pytest.approx(float(equities.max()), abs=1e-5)
    assert found["plays"][0]["after"] in {position_id(board) for board in after}
    differences = [play["difference"] for play in found["plays"]]
    assert differences[0] == 0 and differences == sorted(differences, reverse=True)


def test_a_position_means_the_same_in_every_notation(client: TestClient) -> None:
    notations = [START.tolist(), START_ID, f"{START_ID}:cAkAAAAAAAAE", START_XGID]
    found = [asked(client, "legal-plays", position=notation, dice=[6, 5]) for notation in notations]
    answers.LegalPlaysAnswer.model_validate(found[0])
    assert all(answer == found[0] for answer in found)


def test_the_dice_of_an_xgid_are_used(client: TestClient) -> None:
    found = asked(client, "legal-plays", position=START_XGID.replace(":00:", ":65:"))
    assert found["dice"] == [6, 5]


def test_top_cuts_the_list(client: TestClient) -> None:
    assert len(asked(client, "best-plays", position=START_ID, dice=[3, 1], top=2)["plays"]) == 2


def test_a_dance_is_one_play_without_moves(client: TestClient) -> None:
    board = [0, *[0] * 18, -2, -2, -2, -2, -2, -2, 1]
    found = asked(client, "best-plays", position=board, dice=[6, 6])
    assert [play["moves"] for play in found["plays"]] == [[]]


def test_with_a_score_the_plays_are_ranked_with_the_cube(client: TestClient) -> None:
    found = asked(client, "best-plays", position=START_ID, dice=[3, 1], cube={"away": [3, 5]})
    cubeful = [play["cubeful_equity"] for play in found["plays"]]
    assert cubeful == sorted(cubeful, reverse=True)
    assert found["plays"][-1]["difference"] == pytest.approx(cubeful[-1] - cubeful[0], abs=2e-6)


def test_an_evaluation_is_the_bots(client: TestClient, race_bot: str) -> None:
    found = asked(client, "evaluation", position=BEAR_OFF)
    answers.EvaluationAnswer.model_validate(found)
    board = np.array(BEAR_OFF, np.int8)
    probs = load_bot(race_bot)(board[None])[0]
    assert list(found["probs"].values()) == pytest.approx(probs.tolist(), abs=1e-6)
    assert found["equity"] == pytest.approx(float(equity(probs)), abs=1e-5)


def test_looking_ahead_changes_the_evaluation(client: TestClient) -> None:
    flat, deep = (asked(client, "evaluation", position=START_ID, plies=plies) for plies in (0, 1))
    assert flat["plies"] == 0 and deep["plies"] == 1
    assert flat["probs"] != deep["probs"]


def test_a_cube_decision_follows_score_and_cube(client: TestClient) -> None:
    money = asked(client, "cube", position=BEAR_OFF)
    answers.CubeAnswer.model_validate(money)
    assert money["cube"]["match_winning_chances"] is None
    match = asked(client, "cube", position=BEAR_OFF, cube={"away": [1, 3], "is_crawford": True})
    assert match["cube"]["action"] == "not available"
    assert set(match["cube"]["match_winning_chances"]) == {"nd", "dt", "dp"}


def test_an_id_tells_score_and_cube(client: TestClient) -> None:
    crawford = START_XGID.replace(":0:0:0:0:6", ":2:0:1:3:6")
    assert asked(client, "cube", position=crawford)["cube"]["state"]["is_crawford"]


def test_dice_are_random_and_in_an_opening_never_equal(client: TestClient) -> None:
    rolls = {tuple(client.get("/api/dice").json()["dice"]) for _ in range(60)}
    assert len(rolls) > 10 and all(1 <= die <= 6 for dice in rolls for die in dice)
    for _ in range(40):
        first, second = client.get("/api/dice", params={"opening": True}).json()["dice"]
        assert first != second


def test_the_bot_names_itself(client: TestClient) -> None:
    answer = answers.BotAnswer.model_validate(client.get("/api/bot").json())
    assert answer.name == "racer"


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("position", {"position": [0] * 25}),
        ("position", {"position": [0] * 26}),
        ("position.0", {"position": [16, *[0] * 25]}),
        ("position", {"position": [1, *START.tolist()[1:]]}),
        ("position.25", {"position": [*START.tolist()[:-1], 0.5]}),
        ("position", {"position": "4HPwATDgc/ABM"}),
        ("position", {"position": "XGID=" + "-" * 26}),
        ("position", {"position": "x" * 5000}),
        ("position", {"position": None}),
        ("dice.1", {"dice": [3, 7]}),
        ("dice.1", {"dice": [3]}),
        ("dice", {"dice": "31"}),
        ("dice.0", {"dice": [True, 1]}),
        ("plies", {"plies": -1}),
        ("plies", {"plies": 9}),
        ("top", {"top": 0}),
        ("cube.value", {"cube": {"value": 3}}),
        ("cube", {"cube": {"value": 2}, "position": START_XGID}),
        ("cube.away", {"cube": {"away": [3, 99]}}),
        ("cube.jacoby", {"cube": {"away": [3, 4], "jacoby": True}}),
        ("cube.owner", {"cube": {"owner": "nobody"}}),
        ("cube.worth", {"cube": {"worth": 2}}),
        ("colour", {"colour": "white"}),
    ],
)
def test_a_wrong_value_is_refused_with_the_name_of_its_field(
    client: TestClient, field: str, wrong: dict[str, Any]
) -> None:
    question = {"position": START_ID, "dice": [3, 1], **wrong}
    found, message = refused(client, "best-plays", **question)
    assert found == field and message.startswith(f"{field}: ")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"plies": 9}, "plies: must be at most 2, got 9"),
        ({"position": 5}, "position: a list of 26 whole numbers or an id is expected, got 5"),
        ({"position": [0] * 25}, "position: has at least 26 entries, got 25"),
        ({"position": "x" * 5000}, "position: has at most 1000 characters, got 5000"),
        ({"dice": [3, 7]}, "dice.1: must be at most 6, got 7"),
        ({"dice": [True, 1]}, "dice.0: a whole number is expected, got true"),
        ({"dice": [3]}, "dice.1: is missing"),
        ({"dice": "31"}, 'dice: a list is expected, got "31"'),
        ({"cube": 5}, "cube: an object is expected, got 5"),
        ({"cube": {"owner": "nobody"}}, "cube.owner: must be .*'opponent', got \"nobody\""),
        ({"cube": {"owner": "player"}}, "cube.owner: a cube at 1 .* 'player'"),
        ({"cube": {"is_crawford": True}}, "cube.is_crawford: the Crawford game is one of a match"),
        ({"cube": {"away": [0, 3]}}, r"cube.away: .*got \(0, 3\)"),
        ({"colour": "white"}, 'colour: there is no such field, got "white"'),
    ],
)
def test_a_refusal_says_what_was_sent_and_what_is_expected(
    client: TestClient, wrong: dict[str, Any], message: str
) -> None:
    _, found = refused(client, "best-plays", **{"position": START_ID, "dice": [3, 1], **wrong})
    assert re.fullmatch(message + ".*", found), found


def test_unknown_parameters_and_those_given_twice_are_refused(client: TestClient) -> None:
    for path, field in (
        ("/api/dice?n=3", "n"),
        ("/api/bot?name=x", "name"),
        ("/eval?p1=2&p24=-2&p99=3", "p99"),
        ("/eval?p1=2&p1=3&p24=-2", "p1"),
        ("/move?die1=3&die2=1&p1=2&p24=-2&P1=2", "P1"),
        ("/table/settings?x=1", "x"),
    ):
        response = client.get(path)
        assert response.status_code == 400 and response.json()["field"] == field, path
    response = client.post("/api/evaluation?plies=2", json={"position": START_ID})
    assert response.status_code == 400 and response.json()["field"] == "plies"


def test_a_missing_value_is_refused_with_the_name_of_its_field(client: TestClient) -> None:
    assert refused(client, "best-plays", dice=[3, 1])[0] == "position"
    assert refused(client, "best-plays", position=START_ID)[0] == "dice"


def test_a_finished_game_has_nothing_to_decide(client: TestClient) -> None:
    over = [0, *[0] * 23, -15, 0]
    assert refused(client, "evaluation", position=over)[0] == "position"


def test_a_body_that_is_no_json_is_refused(client: TestClient) -> None:
    for content, kind in ((b"{no", "application/json"), (b"{}", "text/plain"), (b"[]", "")):
        response = client.post("/api/cube", content=content, headers={"content-type": kind})
        assert response.status_code == 400
        answers.ErrorAnswer.model_validate(response.json())


def test_a_body_of_another_content_type_is_told_the_one_that_is_expected(
    client: TestClient,
) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        headers = {"content-type": kind}
        response = client.post("/api/cube", content=b'{"position": "x"}', headers=headers)
        assert response.status_code == 400
        message = f'the content type must be application/json, got "{kind}"'
        assert response.json() == {"message": message, "field": None}


def test_a_body_that_cannot_be_read_is_told_apart_from_an_empty_object(client: TestClient) -> None:
    headers = {"content-type": "application/json"}
    message = client.post("/api/cube", content=b'{"position": }', headers=headers).json()["message"]
    assert "JSON cannot be read from it, Expecting value" in message and "{}" not in message


def test_an_unknown_path_or_method_is_answered_in_json(client: TestClient) -> None:
    for response, status in ((client.get("/api/nothing"), 404), (client.get("/api/cube"), 405)):
        assert response.status_code == status
        answers.ErrorAnswer.model_validate(response.json())


def test_the_openapi_document_lists_every_call_and_its_errors(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    calls = {"/api/best-plays", "/api/legal-plays", "/api/evaluation", "/api/cube", "/api/dice"}
    assert calls | {"/move", "/eval"} <= set(paths)
    for path in calls:
        for operation in paths[path].values():
            assert "400" in operation["responses"] and "422" not in operation["responses"]


def test_the_pages_load_nothing_from_elsewhere(client: TestClient) -> None:
    for path in ("/", "/docs"):
        response = client.get(path)
        assert response.status_code == 200
        assert "http" not in response.text.replace("http-equiv", "")
        assert response.headers["content-security-policy"].startswith("default-src 'self'")


@pytest.mark.parametrize(
    ("path", "question"),
    [
        ("legal-plays", {"position": START_ID, "dice": [3, 1]}),
        ("best-plays", {"position": BEAR_OFF, "dice": [6, 6], "cube": {"away": [3, 5]}}),
        ("best-plays", {"position": START.tolist(), "dice": [4, 3], "top": 2}),
        ("evaluation", {"position": START_XGID}),
        ("cube", {"position": BEAR_OFF, "cube": {"owner": "player", "value": 2}}),
    ],
)
def test_a_question_answered_at_once_gets_the_bytes_that_the_framework_answers(
    client: TestClient, path: str, question: dict[str, Any]
) -> None:
    # a parameter of the content type is enough to leave the direct way
    slow = {"content-type": "application/json; charset=utf-8"}
    direct = client.post(f"/api/{path}", json=question)
    framed = client.post(f"/api/{path}", content=direct.request.content, headers=slow)
    assert direct.status_code == framed.status_code == 200
    assert direct.content == framed.content
    assert direct.headers == framed.headers


def test_plain_questions_do_not_reach_the_framework_and_others_do(race_bot: str) -> None:
    reached: list[str] = []

    async def framework(scope: Scope, receive: Receive, send: Send) -> None:
        reached.append(scope["path"])
        body = (await receive())["body"]
        await Response(body, 418)(scope, receive, send)

    guarded = Guard(DirectCalls(framework, api_calls(load_bot(race_bot))), None)
    plain = TestClient(guarded)
    plain.post("/api/evaluation", json={"position": START_ID})
    assert reached == []
    for path, question in (
        ("/api/evaluation", {"position": "nothing"}),
        ("/api/evaluation", {"position": START_ID, "plies": 1}),
        ("/api/dice", {}),
    ):
        answer = plain.post(path, json=question)
        assert answer.status_code == 418 and answer.json() == question
    assert reached == ["/api/evaluation", "/api/evaluation", "/api/dice"]
