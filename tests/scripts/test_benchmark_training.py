"""The training benchmark: its arithmetic, and one small run of each peer that is installed."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from scripts.benchmark_training import (
    PEERS,
    Measurement,
    main,
    markdown_table,
    read_progress,
    run_measured,
    second_half_rate,
    to_json,
    train_peer,
)


def measurement(games_per_s: float) -> Measurement:
    return Measurement(games_per_s, games=100, cores=1.5, peak_mb=300)


def test_progress_is_read_from_the_metrics(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text(
        '{"games": 10, "positions": 600, "time_s": 1.0}\n{"games": 30, "time_s": 2.0}\n',
        encoding="utf-8",
    )
    assert read_progress(tmp_path) == [(1.0, 10), (2.0, 30)]


def test_the_rate_is_that_of_the_second_half() -> None:
    assert second_half_rate([(1, 0), (4, 10), (5, 100), (7, 300), (10, 600)]) == 100


@pytest.mark.parametrize("progress", [[], [(10, 600)], [(10, 600), (10, 600)]])
def test_too_few_lines_give_no_rate(progress: list[tuple[float, int]]) -> None:
    with pytest.raises(ValueError, match=f"{len(progress)} line.* of metrics give no rate"):
        second_half_rate(progress)


def test_the_table_has_medians_and_ratios() -> None:
    measured = {
        "bgai": [measurement(rate) for rate in (900, 1000, 5000)],
        "peer": [measurement(rate) for rate in (400, 500, 600)],
    }
    assert markdown_table(measured).splitlines()[2:] == [
        "| bgai | 1000.0 | 900.0 - 5000.0 | 1.00 | 1.50 | 300 |",
        "| peer | 500.0 | 400.0 - 600.0 | 2.00 | 1.50 | 300 |",
    ]


def test_the_json_has_every_measurement() -> None:
    assert json.loads(to_json({"bgai": [measurement(900)]})) == {
        "bgai": [{"games_per_s": 900, "games": 100, "cores": 1.5, "peak_mb": 300}]
    }


def test_memory_is_at_least_what_the_command_took() -> None:
    _, peak_mb = run_measured([sys.executable, "-c", "bytearray(200 << 20)"], limit_s=60)
    assert peak_mb > 200


def test_a_command_that_fails_says_its_last_words() -> None:
    with pytest.raises(RuntimeError, match="failed with 1:\nno such thing"):
        run_measured([sys.executable, "-c", "exit('no such thing')"], limit_s=60)


def test_a_command_that_does_not_end_is_stopped() -> None:
    with pytest.raises(RuntimeError, match="did not end within 0 s"):
        run_measured([sys.executable, "-c", "import time; time.sleep(60)"], limit_s=0.2)


@pytest.mark.parametrize("peer", PEERS)
def test_a_peer_goes_on_from_its_own_weights_and_writes_metrics(
    peer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("bgbot_cpp")
    monkeypatch.setitem(PEERS, peer, replace(PEERS[peer], games_per_call=2))
    train_peer(peer, tmp_path, minutes=0.001)
    played = [games for _, games in read_progress(tmp_path)]
    assert played == list(range(2, 2 * len(played) + 2, 2))
    for ending in PEERS[peer].resume.values():
        assert (tmp_path / f"{peer}{ending}.weights").is_file()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--minutes", "0"], "minutes must be positive, got 0.0"),
        (["--rounds", "0"], "rounds must be 1 or more, got 0"),
        ([], "there is no"),
    ],
)
def test_misuse_is_one_line_and_exit_code_2(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "none.toml"), *words]) == 2
    assert message in capsys.readouterr().err
