"""The benchmark of the API asks every call and loses nothing."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("fastapi", reason="the extra `web` is not installed")

from scripts import benchmark_api  # noqa: E402  (after the skip)


def test_every_call_is_answered_and_none_lost(
    race_bot: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--seconds", "0.2", "--connections", "3", "--bot", race_bot, "--json"]
    with ThreadPoolExecutor(1) as other:  # in this thread, a browser's event loop may be running
        assert other.submit(benchmark_api.main, arguments).result() == 0
    report = json.loads(capsys.readouterr().out)
    assert set(report["calls"]) == set(benchmark_api.CALLS)
    for row in report["calls"].values():
        assert row["answers"] >= 3 and row["lost"] == 0
