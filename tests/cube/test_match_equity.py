"""Match equity tables: published, extended, read from a file, computed from gammon rates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bgai.cube import MatchEquityTable, extended, kazaross_xg2, load_table, table_from_rates
from bgai.cube.match_equity import (
    POINTS_OF_A_GAME,
    SHARES_OF_POINTS,
    TRAILER_GAMMON_SHARE,
    table_from_figures,
    table_to_json,
)

TABLE = kazaross_xg2()
PUBLISHED = kazaross_xg2(25)


def small_file() -> dict[str, Any]:
    return {
        "name": "small",
        "source": "made for a test",
        "pre": [[0.5, 0.7, 0.75], [0.3, 0.5, 0.6], [0.25, 0.4, 0.5]],
        "post": [0.5, 0.49, 0.32],
    }


def test_the_published_figures_before_and_after_the_crawford_game_are_kept_apart() -> None:
    assert TABLE.chance(2, 1) == 0.32264  # the Crawford game is next
    assert TABLE.chance(2, 1, is_post_crawford=True) == 0.48803
    assert TABLE.chance(3, 1, is_post_crawford=True) == 0.32264
    assert TABLE.chance(1, 2, is_post_crawford=True) == pytest.approx(1 - 0.48803)
    assert TABLE.chance(1, 1) == TABLE.chance(1, 1, is_post_crawford=True) == 0.5
    assert TABLE.chance(5, 3) == 0.35205


def test_having_won_is_1_and_having_lost_is_0() -> None:
    assert (TABLE.chances[:, 0, 1:] == 1).all()
    assert (TABLE.chances[:, 1:, 0] == 0).all()


def test_both_sides_chances_sum_to_1() -> None:
    inner = TABLE.chances[:, 1:, 1:]
    assert inner + np.swapaxes(inner, 1, 2) == pytest.approx(np.ones_like(inner))


def test_a_table_falls_with_the_points_needed_beyond_its_published_part_too() -> None:
    assert TABLE.points == 64
    assert (np.diff(TABLE.chances[0, 1:, 1:], axis=0) < 0).all()
    assert (np.diff(TABLE.chances[1, 1:, 1]) < 0).all()
    # a step across the edge is like the steps before and after it
    diagonal = [TABLE.chance(away, away + 2) for away in range(15, 40)]
    assert np.abs(np.diff(diagonal)).max() < 0.004


def test_the_rule_of_the_extension_meets_the_published_figures() -> None:
    before, after = PUBLISHED.chances[0], PUBLISHED.chances[1, :, 1]
    for away in range(8, 26):
        for other in range(8, 26):
            steps = zip(POINTS_OF_A_GAME, SHARES_OF_POINTS, strict=True)
            mean = sum(
                share * (before[max(away - k, 0), other] + before[away, max(other - k, 0)]) / 2
                for k, share in steps
            )
            assert mean == pytest.approx(before[away, other], abs=7e-4)
    single, gammon = (1 - TRAILER_GAMMON_SHARE) / 2, TRAILER_GAMMON_SHARE / 2
    for away in range(20, 26):
        assert single * after[away - 1] + gammon * after[away - 2] == pytest.approx(
            before[away, 1], abs=1e-4
        )
        assert single * after[away - 2] + gammon * after[away - 4] == pytest.approx(
            after[away], abs=1e-4
        )


def test_the_shares_of_points_are_shares() -> None:
    assert sum(SHARES_OF_POINTS) == pytest.approx(1)


def test_extending_keeps_what_is_known() -> None:
    assert extended(PUBLISHED, 10) is PUBLISHED
    assert (TABLE.chances[:, :26, :26] == PUBLISHED.chances).all()
    with pytest.raises(ValueError, match="points must be at least 1, got 0"):
        extended(PUBLISHED, 0)


def test_scores_that_no_table_knows_are_refused() -> None:
    away: Any
    for away in (0, 65, -1, 1.5, True, "three"):
        with pytest.raises(ValueError, match=rf"must be in 1\.\.64, got {away!r}"):
            TABLE.chance(away, 3)
    with pytest.raises(ValueError, match="one side is 1 away, got 3 and 2"):
        TABLE.chance(3, 2, is_post_crawford=True)


def test_a_table_is_read_from_a_file_and_written_back(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps(small_file()))
    table = load_table(path)
    assert (table.name, table.points) == ("small", 3)
    assert table.chance(3, 2) == 0.4
    assert table.chance(3, 1, is_post_crawford=True) == 0.32
    assert table_to_json(table) == small_file()


WRONG_FILES: dict[str, tuple[dict[str, Any], str]] = {
    "no post": ({"post": None}, "post must be between 0 and 1, got nan"),
    "too large": ({"post": [0.5, 1.2, 0.3]}, r"post\[1\] must be between 0 and 1, got 1\.2"),
    "NaN": ({"post": [0.5, float("nan"), 0.3]}, r"post\[1\] must be between 0 and 1, got nan"),
    "huge": ({"post": [0.5, 10**400, 0.3]}, "post must hold lists of numbers"),
    "ragged": ({"pre": [[0.5, 0.6], [0.4]]}, "pre must hold lists of numbers of one length"),
    "another size": ({"post": [0.5, 0.49]}, r"got shapes \(3, 3\) and \(2,\)"),
    "no complement": (
        {"pre": [[0.5, 0.7, 0.75], [0.31, 0.5, 0.6], [0.25, 0.4, 0.5]]},
        r"pre\[0\]\[1\] and pre\[1\]\[0\] must sum to 1, got 0\.7 and 0\.31",
    ),
    "growing": (
        {"pre": [[0.5, 0.6, 0.55], [0.4, 0.5, 0.6], [0.45, 0.4, 0.5]]},
        "pre must fall with the points needed, got 0.55 .* and 0.6 below it",
    ),
    "unequal at 1 away": ({"post": [0.49, 0.48, 0.3]}, "both 1 away, must be 0.5, got 0.49"),
    "post growing": ({"post": [0.5, 0.3, 0.4]}, "post must not grow, got 0.3 at 1 and 0.4"),
}


@pytest.mark.parametrize("wrong", WRONG_FILES.values(), ids=WRONG_FILES.keys())
def test_a_wrong_table_is_refused_with_the_file_and_the_value(
    tmp_path: Path, wrong: tuple[dict[str, Any], str]
) -> None:
    change, message = wrong
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(small_file() | change))
    with pytest.raises(ValueError, match=rf"wrong\.json: .*{message}"):
        load_table(path)


def test_a_file_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "wrong.json"
    for text, message in (
        ("[1]", "is a JSON object, got list"),
        ("{", "not a match equity table: damaged, or no JSON"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            load_table(path)
    path.write_text('{"name": "x"}')
    with pytest.raises(ValueError, match="needs source, pre, post"):
        load_table(path)


def test_a_table_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        TABLE.chances[0, 3, 3] = 0.6


@pytest.fixture(scope="module")
def computed() -> MatchEquityTable:
    return table_from_rates(gammons=0.27, backgammons=0.012, points=25)


def test_a_table_computed_from_usual_gammon_rates_is_close_to_the_published_one(
    computed: MatchEquityTable,
) -> None:
    difference = (computed.chances - PUBLISHED.chances)[:, 1:, 1:]
    assert np.abs(difference).max() < 0.016
    assert np.sqrt((difference[0] ** 2).mean()) < 0.004


def test_computed_figures_worked_by_hand() -> None:
    table = table_from_rates(gammons=0.2, backgammons=0, points=4, opening_spread=0)
    # after Crawford: at 2 away the cube decides; at 3 away the trailer comes to 1 away or wins
    assert table.chance(2, 1, is_post_crawford=True) == 0.5
    assert table.chance(3, 1, is_post_crawford=True) == pytest.approx(0.5 * (0.8 * 0.5 + 0.2))
    # in the Crawford game a single win leaves the trailer 1 away, a gammon wins the match
    assert table.chance(2, 1) == pytest.approx(0.5 * (0.8 * 0.5 + 0.2))


def test_the_free_drop_costs_the_trailer_at_two_away() -> None:
    table = table_from_rates(0.27, 0.01, 4, opening_spread=0.024)
    assert table.chance(2, 1, is_post_crawford=True) == pytest.approx(0.5 - 0.024 / 2)


def test_more_gammons_help_the_trailer() -> None:
    few, many = (table_from_rates(share, 0, 7) for share in (0.1, 0.4))
    assert many.chance(7, 1) > few.chance(7, 1)


def test_rates_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="got 0.3 and 0.2"):
        table_from_rates(0.2, 0.3, 5)
    with pytest.raises(ValueError, match="points must be at least 2, got 1"):
        table_from_rates(0.2, 0, 1)
    with pytest.raises(ValueError, match="efficiency must be in"):
        table_from_rates(0.2, 0, 5, efficiency=2)


def test_figures_need_two_points_at_least() -> None:
    with pytest.raises(ValueError, match="n at least 2"):
        table_from_figures("x", "y", [[0.5]], [0.5])
