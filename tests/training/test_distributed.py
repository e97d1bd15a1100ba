"""Training by several processes: real ones on this machine, as torchrun starts them."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bgai.engine import START
from bgai.interface.cli import main
from bgai.model.checkpoint import load_checkpoint
from bgai.training.distributed import ALONE, Workers, connected_workers
from bgai.training.run import CHECKPOINT, open_run
from scripts.benchmark_distributed import main as benchmark
from scripts.benchmark_distributed import markdown_table
from tests.training.distributed_worker import (
    COMPLAINT,
    SMALL,
    STAGES,
    WINDOWS,
    stage_config,
    train,
)

ROOT = Path(__file__).resolve().parents[2]
TORCHRUN = [sys.executable, "-m", "torch.distributed.run"]
TRAIN = [sys.executable, "-m", "bgai", "train"]
LIMIT_S = 900  # of anything that is started here, on a busy machine too
ENDLESS = 10_000_000

Started = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture(scope="module")
def start() -> Iterator[Started]:
    """Starts processes, and ends those that a failed test leaves behind."""
    started: list[subprocess.Popen[str]] = []

    def start(
        command: Sequence[str | Path], environment: Mapping[str, object] | None = None
    ) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [str(word) for word in command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=os.environ | {name: str(value) for name, value in (environment or {}).items()},
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.terminate()  # torchrun passes this on to its processes, unlike a SIGKILL
            try:
                process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start_pair(
    start: Started,
    commands: Sequence[Sequence[str | Path]],
    address: str = "127.0.0.1",
    of_hosts: Sequence[Mapping[str, object]] = (),
) -> list[subprocess.Popen[str]]:
    """Two processes with the environment that torchrun gives, but nobody who looks after them."""
    meeting = {"MASTER_ADDR": address, "MASTER_PORT": free_port(), "WORLD_SIZE": 2}
    hosts = of_hosts or [{"LOCAL_WORLD_SIZE": 2, "LOCAL_RANK": rank} for rank in range(2)]
    return [
        start(command, {**meeting, "RANK": rank, **host})
        for rank, (command, host) in enumerate(zip(commands, hosts, strict=True))
    ]


def write_config(folder: Path, **values: object) -> Path:
    all_values = {**SMALL, "checkpoint_minutes": 1e-4, **values}
    path = folder / "small.toml"
    lines = [f"{name} = {json.dumps(value)}\n" for name, value in all_values.items()]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def wait_for_games(run: Path, processes: Sequence[subprocess.Popen[str]]) -> None:
    """Wait until a checkpoint has finished games."""
    deadline = time.monotonic() + LIMIT_S
    while games_saved(run) == 0:
        for process in processes:
            if process.poll() is not None:
                pytest.fail(f"ended with {process.returncode}: {process.communicate()[1]}")
        assert time.monotonic() < deadline, "no game was finished"
        time.sleep(0.1)


def games_saved(run: Path) -> int:
    try:
        return int(load_checkpoint(run / CHECKPOINT).summary["games"])
    except FileNotFoundError:  # not yet, or just now making way for the next
        return 0


@pytest.fixture(scope="module")
def seen(start: Started, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What two processes saw that torchrun started, by rank; and the folder of their runs."""
    folder = tmp_path_factory.mktemp("workers")
    torchrun = [*TORCHRUN, "--standalone", "--nproc-per-node", "2"]
    process = start([*torchrun, "-m", "tests.training.distributed_worker", folder])
    _, errors = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0, errors
    files = [folder / f"rank{rank}.json" for rank in range(2)]
    return {"ranks": [json.loads(file.read_text("utf-8")) for file in files], "folder": folder}


def test_gradients_are_averaged_and_numbers_summed_over_the_processes(seen: Any) -> None:
    for of_rank in seen["ranks"]:
        assert of_rank["mean_gradient"] == [1.5, 3.5, 3.5]
        assert of_rank["sums"] == [1, 20]
        assert of_rank["gathered"] == [0, 1]
        assert of_rank["equal_parameter"] == [0, 0, 0]


def test_no_thread_that_worked_outlives_the_connection(seen: Any) -> None:
    """Such a thread now and then aborted a process that had done all its work.

    torch keeps those of its first group, which only lets the processes meet.
    """
    for of_rank in seen["ranks"]:
        within, after = of_rank["gloo_threads"]
        assert after <= within / 2


def test_an_error_of_the_first_process_is_raised_in_all(seen: Any) -> None:
    assert [of_rank["complaint"] for of_rank in seen["ranks"]] == [COMPLAINT, COMPLAINT]


@pytest.mark.parametrize("stage", STAGES)
def test_all_processes_hold_the_same_weights_and_play_games_of_their_own(
    seen: Any, stage: str
) -> None:
    first, second = (of_rank[stage]["straight"] for of_rank in seen["ranks"])
    assert first["weights"] == second["weights"]
    assert first["games"] != second["games"]


@pytest.mark.parametrize("stage", STAGES)
def test_a_resumed_run_of_two_processes_is_the_run_that_was_never_stopped(
    seen: Any, stage: str
) -> None:
    for of_rank in seen["ranks"]:
        assert of_rank[stage]["resumed"] == of_rank[stage]["straight"]


@pytest.mark.parametrize("stage", STAGES)
def test_the_counters_and_the_clock_are_those_of_all_processes(seen: Any, stage: str) -> None:
    first, second = (of_rank[stage] for of_rank in seen["ranks"])
    assert first["counters"] == second["counters"]
    games, positions, seconds = first["counters"]
    assert first["own_games_at_once"] == second["own_games_at_once"] == 16  # half of 31
    assert positions == WINDOWS * 32 * int(SMALL["window_plies"])  # type: ignore[call-overload]
    assert games > 0 and seconds > 0


def test_all_stages_were_trained_and_the_last_one_resumed(seen: Any) -> None:
    last = dict(lambda_returns=0, lookahead=1, several_nets=1, grown=2, regrown=3)
    for stage in STAGES:
        for of_rank in seen["ranks"]:
            assert sorted(set(of_rank[stage]["stages"])) == list(range(last[stage] + 1))
        resumed_from = load_checkpoint(seen["folder"] / stage / CHECKPOINT)
        assert resumed_from.training["stage"] == last[stage]


def test_another_number_of_processes_goes_on_with_new_games(seen: Any) -> None:
    folder, config = seen["folder"] / "lookahead", stage_config("lookahead")
    before = load_checkpoint(folder / CHECKPOINT)
    trainer = open_run(folder, config).trainer
    assert (trainer.processes_before, trainer.workers.size) == (2, 1)
    assert trainer.games == before.summary["games"]
    assert (trainer.self_play.boards == START).all() and len(trainer.self_play.boards) == 31
    fresh = np.random.SeedSequence(config.seed).spawn(1)[0]
    assert trainer.self_play.rng.random() != np.random.default_rng(fresh).random()
    train(trainer, 2)
    assert trainer.positions > before.summary["positions"]


def test_a_lost_process_ends_the_other_and_the_run_goes_on_from_its_checkpoint(
    start: Started, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    command: list[str | Path] = [write_config(tmp_path, games=ENDLESS), "--run", run]
    survivor, victim = start_pair(start, [[*TRAIN, *command]] * 2)
    wait_for_games(run, [survivor, victim])
    victim.kill()
    _, errors = survivor.communicate(timeout=LIMIT_S)
    assert survivor.returncode == 1
    assert len(re.findall(r"^bgai: process 0 of 2: another one has ended", errors, re.M)) == 1
    assert "Traceback" not in errors

    saved = games_saved(run)
    torchrun = start(
        [*TORCHRUN, "--standalone", "--nproc-per-node", "2", "-m", "--", "bgai", "train"]
        + [*command, "--games", str(saved + 40)]
    )
    output, errors = torchrun.communicate(timeout=LIMIT_S)
    assert torchrun.returncode == 0, errors
    assert output.count("complete") == errors.count(f"going on after {saved} games") == 1
    assert "with new games" not in errors
    assert games_saved(run) >= saved + 40

    assert main(["train", *map(str, command), "--games", str(saved + 41)]) == 0
    assert "their number of processes was 2 and is 1" in capsys.readouterr().err


def test_a_signal_to_any_process_stops_all_and_the_first_one_saves(
    start: Started, tmp_path: Path
) -> None:
    config = write_config(tmp_path, games=ENDLESS)
    runs = [tmp_path / f"run{rank}" for rank in range(2)]
    pair = start_pair(start, [[*TRAIN, config, "--json", "--run", run] for run in runs])
    wait_for_games(runs[0], pair)
    pair[1].send_signal(signal.SIGTERM)
    (output, errors), (silence, _) = (process.communicate(timeout=LIMIT_S) for process in pair)
    assert [process.returncode for process in pair] == [0, 128 + signal.SIGTERM], errors
    summary, saved = json.loads(output), load_checkpoint(runs[0] / CHECKPOINT).summary
    assert (summary["games"], summary["positions"]) == (saved["games"], saved["positions"])
    assert not silence and not runs[1].exists(), "the first process alone writes and reports"


def test_shares_are_equal_and_rounded_up() -> None:
    workers = Workers()
    workers.size = 3
    assert [workers.share(count) for count in (1, 1024, 1026, 1027)] == [1, 342, 342, 343]


@pytest.mark.parametrize("size", [None, "1"])
def test_one_process_makes_no_group(monkeypatch: pytest.MonkeyPatch, size: str | None) -> None:
    if size is None:
        monkeypatch.delenv("WORLD_SIZE", raising=False)
    else:
        monkeypatch.setenv("WORLD_SIZE", size)
    with connected_workers("cpu") as workers:
        assert workers is ALONE
        assert not torch.distributed.is_initialized()


def test_the_benchmark_shares_out_the_cores_and_tells_medians(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    lines = markdown_table({1: [100, 300, 200], 2: [250, 150, 150]}).splitlines()
    assert "The same 2 cores" in lines[0]
    assert lines[4:] == [
        "| 1 | 2 | 200.0 | 100.0 - 300.0 | 1.00 |",
        "| 2 | 1 | 150.0 | 150.0 - 250.0 | 0.75 |",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--minutes", "0"], "minutes must be positive, got 0.0"),
        (["--rounds", "0"], "rounds must be 1 or more, got 0"),
        (["--processes", "1", "0"], "processes must be 1 or more, got [1, 0]"),
        ([], "there is no"),
    ],
)
def test_misuse_of_the_benchmark_is_one_line(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert benchmark([str(tmp_path / "none.toml"), *words]) == 2
    assert message in capsys.readouterr().err


ADDRESSES = ("10.231.77.1", "10.231.77.2")
HOSTS = ("bgai-host0", "bgai-host1")


@pytest.fixture
def hosts() -> Iterator[list[list[str]]]:
    """Two network namespaces joined by a cable; for each, the words that start a program in it."""
    if shutil.which("ip") is None or os.geteuid() != 0:
        pytest.skip("network namespaces need root and the program ip")

    def ip(*words: str) -> None:
        done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"ip {' '.join(words)}: {done.stderr.strip()}")

    try:
        for host in HOSTS:
            ip("netns", "add", host)
            ip("-n", host, "link", "set", "lo", "up")
        ip(
            "-n",
            HOSTS[0],
            "link",
            "add",
            "cable",
            "type",
            "veth",
            "peer",
            "cable",
            "netns",
            HOSTS[1],
        )
        for host, address in zip(HOSTS, ADDRESSES, strict=True):
            ip("-n", host, "addr", "add", f"{address}/24", "dev", "cable")
            ip("-n", host, "link", "set", "cable", "up")
        yield [["ip", "netns", "exec", host] for host in HOSTS]
    finally:
        for host in HOSTS:
            subprocess.run(["ip", "netns", "del", host], capture_output=True, check=False)


@pytest.mark.slow
def test_two_hosts_train_one_net(start: Started, hosts: list[list[str]], tmp_path: Path) -> None:
    config = write_config(tmp_path, games=100)
    runs = [tmp_path / f"run{number}" for number in range(2)]
    meeting = ["--nnodes", "2", "--rdzv-endpoint", f"{ADDRESSES[0]}:29400"]
    pair = [
        start(
            [*host, *TORCHRUN, *meeting, "--node-rank", str(rank), "--nproc-per-node", "1"]
            + ["-m", "--", "bgai", "train", config, "--run", run],
            {"GLOO_SOCKET_IFNAME": "cable"},
        )
        for rank, (host, run) in enumerate(zip(hosts, runs, strict=True))
    ]
    texts = [process.communicate(timeout=LIMIT_S) for process in pair]
    assert [process.returncode for process in pair] == [0, 0], texts
    assert not runs[1].exists(), "the first process alone writes"
    checkpoint = load_checkpoint(runs[0] / CHECKPOINT)
    assert checkpoint.summary["games"] >= 100 and len(checkpoint.training["processes"]) == 2


@pytest.mark.slow
def test_a_cut_cable_ends_both_hosts_within_about_a_minute(
    start: Started, hosts: list[list[str]], tmp_path: Path
) -> None:
    config, run = write_config(tmp_path, games=ENDLESS), tmp_path / "run"
    one_each = {"LOCAL_WORLD_SIZE": 1, "LOCAL_RANK": 0, "GLOO_SOCKET_IFNAME": "cable"}
    commands: list[list[str | Path]] = [[*host, *TRAIN, config, "--run", run] for host in hosts]
    pair = start_pair(start, commands, ADDRESSES[0], [one_each, one_each])
    wait_for_games(run, pair)
    subprocess.run(["ip", "-n", HOSTS[1], "link", "set", "cable", "down"], check=True)
    for process in pair:
        _, errors = process.communicate(timeout=100)  # the wait of 45 s, and a slow machine
        assert process.returncode == 1 and "another one has ended or does not answer" in errors
