"""`bgai endgame` and the benchmark, with tables of few checkers to be quick."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bgai.endgame
from bgai.endgame import Endgames, Report, storage
from bgai.interface.cli import main
from scripts import benchmark_endgame


@pytest.fixture(autouse=True)
def ready_made(monkeypatch: pytest.MonkeyPatch, endgames: Endgames) -> None:
    def build(report: Report) -> Endgames:
        for percent in range(101):
            report("a table", percent / 100)
        return endgames

    monkeypatch.setattr(bgai.endgame, "build_endgames", build)


def test_tables_are_built_and_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["endgame", "build", "--to", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert out.count("checksum right") == 2 and "built in" in out
    assert err == ""
    assert main(["endgame", "check", "--to", str(tmp_path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [table["checkers"] for table in report["tables"]] == [15, 6]
    for table in report["tables"]:
        assert Path(table["file"]).stat().st_size == table["bytes"]
        assert table["error"] is None


def test_the_folder_is_the_one_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BGAI_ENDGAME", str(tmp_path / "named"))
    assert main(["endgame", "build", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["folder"] == str(tmp_path / "named")
    assert (tmp_path / "named" / storage.TWO_SIDED_FILE).exists()


def test_a_check_names_what_is_missing_or_damaged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / storage.ONE_SIDED_FILE).write_bytes(b"bgai-endgame 1 0\n")
    assert main(["endgame", "check", "--to", str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert storage.ONE_SIDED_FILE in lines[0] and "damaged" in lines[0]
    assert storage.TWO_SIDED_FILE in lines[1] and "No such file" in lines[1]


def test_an_action_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["endgame", "guess"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_benchmark_prints_rates(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, endgames: Endgames
) -> None:
    monkeypatch.setattr(benchmark_endgame, "build_endgames", lambda: endgames)
    assert benchmark_endgame.main(["--boards", "200", "--repeats", "1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert min(report["boards_per_second"].values()) > 0
    assert benchmark_endgame.main(["--boards", "200", "--repeats", "1"]) == 0
    assert "two-sided" in capsys.readouterr().out
