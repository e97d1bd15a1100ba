"""The learning curves, on metrics written by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from scripts.plot_learning import METRICS, Curve, main, markdown_table, mean_curve, read_curve

ERROR, PPG = METRICS


def write_run(folder: Path, errors: dict[float, float]) -> Path:
    """A run that measured an error at some minutes, between lines that measured nothing."""
    folder.mkdir()
    lines = []
    for minute, error in errors.items():
        lines.append({"games": 100, "time_s": 60 * minute, "train/loss_nats": 1.0})
        measured = {ERROR.name: error, PPG.name: -error / 100}
        lines.append({"games": 100, "time_s": 60 * minute, **measured})
    (folder / "metrics.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8"
    )
    return folder


def curve(minutes: list[float], values: list[float]) -> Curve:
    return Curve("run", np.array(minutes), np.array(values))


def test_a_curve_holds_the_lines_that_have_the_metric(tmp_path: Path) -> None:
    read = read_curve(write_run(tmp_path / "a", {1: 40.0, 2: 30.0}), ERROR)
    assert read.run == "a"
    assert read.minutes.tolist() == [1, 2]
    assert read.values.tolist() == [40, 30]


def test_a_row_takes_the_nearest_measurement_within_a_tenth() -> None:
    read = curve([0.95, 1.6, 3.0], [40, 30, 20])
    assert read.value_at(1) == 40
    assert read.value_at(2) is None
    assert read.value_at(3) == 20
    assert curve([], []).value_at(1) is None


def test_the_mean_is_taken_where_every_run_has_been() -> None:
    mean = mean_curve([curve([1, 2, 3], [10, 20, 30]), curve([1.5, 2.5], [30, 50])])
    assert mean.minutes.tolist() == [2]
    assert mean.values.tolist() == [30]  # 20, and 40 between the other run's measurements


def test_the_mean_reaches_as_far_as_runs_that_end_a_moment_apart() -> None:
    mean = mean_curve([curve([1, 30.02], [10, 4]), curve([1.01, 30.01], [12, 6])])
    assert mean.values.tolist() == [11, 5]


def test_the_mean_with_a_run_that_measured_nothing_is_empty() -> None:
    assert len(mean_curve([curve([1], [10]), curve([], [])]).minutes) == 0


def test_the_table_has_each_run_the_mean_and_its_standard_error(tmp_path: Path) -> None:
    runs = [
        write_run(tmp_path / "a", {1: 40.0, 2: 30.0}),
        write_run(tmp_path / "b", {1: 42.0}),
    ]
    table = markdown_table(ERROR, [read_curve(run, ERROR) for run in runs]).splitlines()
    assert table[2:] == [
        "| minutes | mean | a | b |",
        "| ---: | ---: | ---: | ---: |",
        "| 1 | 41.0 ± 1.0 | 40.0 | 42.0 |",
        "| 2 | 30.0 (1 of 2) | 30.0 | - |",
    ]


def test_the_command_prints_the_tables_and_draws_the_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    run = write_run(tmp_path / "a", {1: 40.0, 2: 30.0})
    picture = tmp_path / "learning.png"
    assert main([str(run), "--out", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    printed = capsys.readouterr().out
    assert ERROR.title in printed and PPG.title in printed


def test_a_folder_without_metrics_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path)]) == 2
    assert f"{tmp_path} is not a training run" in capsys.readouterr().err


@pytest.mark.parametrize("line", ["{", "3", f'{{"{ERROR.name}": 1}}', f'{{"{ERROR.name}": null}}'])
def test_a_line_that_is_not_metrics_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "metrics.jsonl").write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="metrics.jsonl:1: not a line of metrics"):
        read_curve(tmp_path, ERROR)
