"""The two scripts that stand beside the engine: the long comparison and the benchmark."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from bgai.engine import Boards, Offsets, legal_afterstates
from scripts import benchmark_engine, check_afterstates


@pytest.fixture
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_afterstates, "GAMES", 10)
    monkeypatch.setattr(check_afterstates, "PLIES", 20)


@pytest.mark.usefixtures("few_games")
def test_a_comparison_without_a_difference_counts_what_it_compared() -> None:
    checked = check_afterstates.check_games(seed=3)
    assert checked.difference == ""
    assert checked.positions == 200
    assert checked.afterstates > 200


@pytest.mark.usefixtures("few_games")
def test_a_missing_afterstate_is_named_with_its_board_and_roll(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def forgetful(boards: Boards, dice: Any) -> tuple[Boards, Offsets]:
        after, offsets = legal_afterstates(boards, dice)
        offsets = offsets.copy()
        if offsets[-1] - offsets[-2] > 1:
            offsets[-1] -= 1
        return after[: offsets[-1]], offsets

    monkeypatch.setattr(check_afterstates, "legal_afterstates", forgetful)
    difference = check_afterstates.check_games(seed=3).difference
    assert difference.startswith("seed 3: board [")
    assert "roll [" in difference


@pytest.mark.parametrize("script", [check_afterstates, benchmark_engine])
def test_a_number_of_positions_below_one_is_misuse(
    script: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        script.main(["--positions", "0"])
    assert stopped.value.code == 2
    assert "must be at least 1" in capsys.readouterr().err


def test_the_benchmark_reports_rates_of_all_contenders(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BGAI_THREADS", "1")  # and have it put back: the benchmark changes it
    arguments = ["--positions", "300", "--repeats", "1", "--sample", "300", "--json"]
    assert benchmark_engine.main(arguments) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["positions"] == 300
    assert result["afterstates"] > 300
    names = [peer.name for peer in benchmark_engine.installed_peers()]
    assert list(result["afterstates_per_s"])[3:] == names
    assert all(rate > 0 for rate in result["afterstates_per_s"].values())


def test_the_benchmark_refuses_a_peer_that_plays_by_other_rules() -> None:
    boards, dice = benchmark_engine.positions_of_games(seed=1, count=50)
    stays = benchmark_engine.Peer(
        "never moves", list, lambda board, first, second: [board], lambda rows: np.array(rows)
    )
    difference = benchmark_engine.first_difference(stays, boards, dice)
    assert difference.startswith("position ")
    assert ", roll " in difference
