"""The benchmark of evaluators: what it evaluates, what it calls, how it counts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bgai.engine import Boards, Probs, equity, legal_afterstates
from bgai.evaluation.opponents.gnubg import forgetful_nets
from bgai.model.checkpoint import load_checkpoint, load_evaluators
from bgai.search import Panel
from scripts.benchmark_evaluator import (
    SHIPPED_NET,
    Contender,
    Positions,
    differences,
    draw_positions,
    gnubg_contenders,
    main,
    measured_rates,
    own_contenders,
    sage_contenders,
    table,
)
from tests.interface.players import race_evaluator


@pytest.fixture(scope="module")
def positions() -> Positions:
    return draw_positions(Panel(load_evaluators(SHIPPED_NET)), count=400, seed=1)


@pytest.fixture(autouse=True)
def threads_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BGAI_THREADS", "1")  # the benchmark changes it


def test_the_boards_are_all_the_plays_of_whole_decisions(positions: Positions) -> None:
    after, offsets = legal_afterstates(positions.boards, positions.dice)
    np.testing.assert_array_equal(positions.after, after)
    np.testing.assert_array_equal(positions.offsets, offsets)
    assert 300 < len(after) < 600
    assert (np.diff(offsets) > 1).all()


def test_each_of_our_ways_evaluates_every_board_once(positions: Positions) -> None:
    seen: list[bytes] = []

    def counting(boards: Boards) -> Probs:
        seen.extend(row.tobytes() for row in boards)
        return race_evaluator(boards)

    expected = sorted(row.tobytes() for row in positions.after)
    for contender in own_contenders(counting, positions, cores=2):
        seen.clear()
        contender.run()
        assert sorted(seen) == expected, contender.name


@pytest.mark.parametrize("package", ["gnubg_nn", "bgbot_cpp"])
def test_a_peer_means_the_same_boards_as_we_do(package: str, positions: Positions) -> None:
    pytest.importorskip(package)
    peers = [
        *(gnubg_contenders(positions) if package == "gnubg_nn" else ()),
        *(sage_contenders(positions, cores=1) if package == "bgbot_cpp" else ()),
    ]
    own = equity(Panel(load_evaluators(SHIPPED_NET))(positions.after))
    assert max(differences(peers, own).values()) < 0.1
    # a board seen from the wrong side would show
    assert min(differences(peers, -own).values()) > 0.2


def test_gnubg_answers_no_board_from_memory(
    positions: Positions, monkeypatch: pytest.MonkeyPatch
) -> None:
    gnubg = pytest.importorskip("gnubg_nn")
    used: list[object] = []
    monkeypatch.setattr(gnubg, "net_use", used.append)
    list(gnubg_contenders(positions))
    assert used == [forgetful_nets(gnubg)]


def test_the_overhead_is_the_share_of_a_call_with_a_finished_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: clock[0])
    monkeypatch.setattr("time.process_time", lambda: clock[0] / 2)  # half a core

    def takes(seconds: float) -> None:
        clock[0] += seconds

    contenders = [
        Contender("slow", lambda: takes(4.0), run_finished=lambda: takes(1.0)),
        Contender("fast", lambda: takes(0.1)),
    ]
    assert measured_rates(contenders, boards=1000, repeats=3) == {
        "slow": {"boards_per_s": 250, "boards_per_processor_s": 500, "overhead": 0.25},
        "fast": {"boards_per_s": 10_000, "boards_per_processor_s": 20_000},
    }


def test_the_benchmark_reports_every_contender_and_a_table(
    capsys: pytest.CaptureFixture[str], positions: Positions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scripts.benchmark_evaluator.SHORTEST_SECONDS", 0.0)
    assert main(["--boards", "200", "--repeats", "1", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    nets = load_checkpoint(SHIPPED_NET)
    layers = "-".join(map(str, nets.net.hidden))
    assert result["size"] == f"{len(nets.weights)} x {layers}"
    assert all(rates["boards_per_s"] > 0 for rates in result["contenders"].values())
    lines = table(result).splitlines()
    for name in result["contenders"]:
        assert any(line.startswith(name) for line in lines)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--boards", "0"], 2, "boards and repeats must be at least 1, got 0, 7"),
        (["--repeats", "0"], 2, "boards and repeats must be at least 1, got 20000, 0"),
        (["--net", "no/such.pt"], 1, "no/such.pt"),
    ],
)
def test_misuse_is_one_line(
    words: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == code
    assert message in capsys.readouterr().err


def test_a_file_that_is_no_net_is_misuse(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "net.pt").write_bytes(b"no net")
    assert main(["--net", str(tmp_path / "net.pt")]) == 2
    assert "not a checkpoint" in capsys.readouterr().err
