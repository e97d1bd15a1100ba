"""wildbg's two calls: its parameters, its fields."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `web` is not installed")
pytest.importorskip("httpx2", reason="the extra `dev` is not installed")

from fastapi.testclient import TestClient  # noqa: E402

from bgai.interface.web.wildbg import EXAMPLE, EvalResponse, MoveResponse  # noqa: E402

START = {f"p{point}": count for point, count in EXAMPLE.items()}


def get(client: TestClient, path: str, **parameters: int) -> Any:
    response = client.get(path, params=parameters)
    assert response.status_code == 200, response.text
    return response.json()


def test_a_forced_play_is_told_as_wildbg_tells_it(client: TestClient) -> None:
    found = get(client, "/move", die1=3, die2=1, p5=1, p24=-1)
    MoveResponse.model_validate(found)
    assert [move["play"] for move in found["moves"]] == [
        [{"from": 5, "to": 2}, {"from": 2, "to": 1}]
    ]


def test_a_double_may_leave_three_positions(client: TestClient) -> None:
    found = get(client, "/move", die1=1, die2=1, p5=2, p24=-1)
    assert sorted(len(move["play"]) for move in found["moves"]) == [4, 4, 4]


def test_the_bar_is_25_and_off_is_0(client: TestClient) -> None:
    entering = get(client, "/move", die1=6, die2=5, p25=1, p6=2, p1=-2)
    assert {move["play"][0]["from"] for move in entering["moves"]} == {25}
    bearing_off = get(client, "/move", die1=6, die2=6, p6=1, p24=-1)
    assert bearing_off["moves"][0]["play"] == [{"from": 6, "to": 0}]


def test_where_nothing_can_be_moved_one_entry_has_an_empty_play(client: TestClient) -> None:
    closed = {f"p{point}": -2 for point in range(19, 25)}
    found = get(client, "/move", die1=6, die2=5, p25=1, **closed)
    assert [move["play"] for move in found["moves"]] == [[]]


def test_chances_are_cumulative(client: TestClient) -> None:
    found = get(client, "/eval", **START)
    EvalResponse.model_validate(found)
    chances = found["probabilities"]
    assert chances["win"] >= chances["winG"] >= chances["winBg"] >= 0
    assert 1 - chances["win"] >= chances["loseG"] >= chances["loseBg"] >= 0
    assert set(found["cube"]) == {"double", "accept"}


def test_a_one_pointer_needs_no_cube(client: TestClient) -> None:
    leading = {"p1": 2, "p24": -10}
    assert get(client, "/eval", **leading)["cube"]["double"]
    assert not get(client, "/eval", **leading, x_away=1, o_away=1)["cube"]["double"]


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("p0", {"p0": 1}),
        ("p25", {"p25": -1}),
        ("p6", {"p6": 16}),
        ("position", {"p6": 15}),
        ("die1", {"die1": 7}),
        ("die2", {"die2": "x"}),
        ("x_away", {"x_away": 3, "o_away": 5}),
        ("x_away", {"x_away": 1}),
    ],
)
def test_a_wrong_parameter_is_named(
    client: TestClient, field: str, wrong: dict[str, int | str]
) -> None:
    response = client.get("/move", params={"die1": 3, "die2": 1, **START, **wrong})
    assert response.status_code == 400
    assert response.json()["message"].startswith(f"{field}: ")


def test_missing_dice_are_named(client: TestClient) -> None:
    response = client.get("/move", params={"die1": 3, **START})
    assert response.status_code == 400 and response.json()["field"] == "die2"


def test_a_position_without_checkers_says_which_parameters_are_missing(client: TestClient) -> None:
    for query, told in (({}, "none of them"), ({"p1": 3}, "p1=3"), ({"p24": -2}, "p24=-2")):
        response = client.get("/eval", params=query)
        assert response.status_code == 400
        assert "p0 to p25" in response.json()["message"] and told in response.json()["message"]


def test_dice_that_a_client_gives_to_both_calls_are_not_minded(client: TestClient) -> None:
    assert get(client, "/eval", **START, die1=3, die2=1) == get(client, "/eval", **START)
