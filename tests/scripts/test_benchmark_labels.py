from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bgai.engine import START
from scripts import benchmark_labels
from tests.training.test_labels import small_net


def test_every_kind_of_label_has_a_rate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    short = {name: benchmark_labels.TARGETS[name] for name in ("plies:1", "rollout of 36, 4 plies")}
    monkeypatch.setattr(benchmark_labels, "TARGETS", short)
    boards = np.repeat(START[None], 8, axis=0)
    monkeypatch.setattr(
        benchmark_labels,
        "choose",
        lambda labeller, seed: (boards, benchmark_labels.Rate("choosing", 8, 1.0, 1.0, 0.0)),
    )
    net = small_net(tmp_path / "net.pt")
    assert benchmark_labels.main([str(net), "--seconds", "0.001", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert not report["scout"]
    rates = {rate["work"]: rate for rate in report["rates"]}
    assert set(rates) == {"choosing", *short}
    assert rates["plies:1"]["positions"] >= 8 and rates["plies:1"]["standard_error_mp"] == 0
    assert rates["rollout of 36, 4 plies"]["standard_error_mp"] > 0
