"""The scripts about the cube run and print what they promise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bgai.cube import load_table
from scripts import benchmark_cube, compare_match_equities


def test_the_benchmark_prints_rates(capsys: pytest.CaptureFixture[str]) -> None:
    assert benchmark_cube.main(["--decisions", "200", "--repeats", "1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["decisions"] == 200
    assert report["money"]["per_second"] > 0 and report["match"]["cpu_ns"] > 0
    assert benchmark_cube.main(["--decisions", "200", "--repeats", "1"]) == 0
    assert "decisions/s" in capsys.readouterr().out


def test_a_computed_table_is_compared_and_saved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.json"
    arguments = ["--gammons", "0.25", "--backgammons", "0.01", "--points", "4", "--out", str(path)]
    assert compare_match_equities.main(arguments) == 0
    assert "largest difference" in capsys.readouterr().out
    assert load_table(path).points == 4


def test_wrong_rates_are_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        compare_match_equities.main(["--gammons", "0.1", "--backgammons", "0.2"])
    assert stopped.value.code == 2
    assert "got 0.2 and 0.1" in capsys.readouterr().err
