from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from bgai.engine import START, UNFINISHED, Boards, outcomes
from bgai.interface.cli import main
from bgai.model.checkpoint import Checkpoint, load_checkpoint, load_evaluators, save_checkpoint
from bgai.training import fit as fits
from bgai.training.fit import Fit, FitSettings, held_out_error, run_fit
from bgai.training.labels import Labels, Manifest, shard_path, write_manifest, write_shard
from bgai.training.trainer import DivergedError
from tests.engine.positions import random_positions
from tests.model.test_value_net import sharp_net
from tests.search.test_rollout import rough_evaluator

QUICK = FitSettings(
    passes=3, minibatch=16, learning_rate=5e-3, final_learning_rate=1e-4, held_out=0.2
)


def some_boards() -> Boards:
    boards, _ = random_positions(np.random.default_rng(1), games=40, plies=20)
    boards = np.unique(boards, axis=0)
    running: Boards = boards[outcomes(boards) == UNFINISHED]
    return running


@pytest.fixture(autouse=True, scope="module")
def short_rounds() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fits, "_STEPS_PER_ROUND", 4)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Labels in which the pip count tells who wins."""
    folder = tmp_path_factory.mktemp("labels")
    boards = some_boards()
    write_manifest(folder, Manifest("net", None, {}, len(boards), "0"))
    # a chance of 0 where the outcome is impossible
    errors = np.zeros(len(boards), np.float32)
    write_shard(shard_path(folder, 0), Labels(boards, rough_evaluator(boards), errors))
    return folder


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("net") / "net.pt"
    start = sharp_net(16, 8)
    summary = {"games": 7, "metrics": {}}
    save_checkpoint(
        path, Checkpoint(start.config, [dict(start.state_dict())], {"seed": 1}, summary)
    )
    return path


def test_a_fit_lowers_the_error_on_positions_that_it_has_not_seen(net: Path, folder: Path) -> None:
    fit = Fit(net, [folder], QUICK)
    assert 0.1 < fit.before.positions / (fit.before.positions + fit.positions) < 0.3
    while fit.done < fit.rounds:
        fit.learn()
    assert fit.after().error_mp < 0.6 * fit.before.error_mp
    assert fit.after().divergence_nats < 0.6 * fit.before.divergence_nats


def test_a_stopped_fit_goes_on_as_if_it_had_not_been(
    tmp_path: Path, net: Path, folder: Path
) -> None:
    straight, stopped = Fit(net, [folder], QUICK), Fit(net, [folder], QUICK)
    assert run_fit(straight, tmp_path / "a.pt", lambda loss: None, bool, bool)
    assert not run_fit(
        stopped, tmp_path / "b.pt", lambda loss: None, bool, lambda: stopped.done == 5
    )
    assert load_checkpoint(tmp_path / "b.pt").training
    going_on = Fit(net, [folder], QUICK)
    going_on.restore(tmp_path / "b.pt")
    assert going_on.done == 5
    assert run_fit(going_on, tmp_path / "b.pt", lambda loss: None, bool, bool)
    one, other = load_checkpoint(tmp_path / "a.pt"), load_checkpoint(tmp_path / "b.pt")
    for name, weight in one.weights[0].items():
        assert torch.equal(weight, other.weights[0][name]), name
    assert not other.training


def test_a_fitted_net_is_a_checkpoint_that_says_how_it_was_made(
    tmp_path: Path, net: Path, folder: Path
) -> None:
    fit = Fit(net, [folder], QUICK)
    run_fit(fit, tmp_path / "fitted.pt", lambda loss: None, bool, bool)
    assert load_evaluators(tmp_path / "fitted.pt")[0](START[None]).shape == (1, 6)
    found = load_checkpoint(tmp_path / "fitted.pt")
    assert found.config == {"seed": 1} and found.summary["games"] == 7
    (made,) = found.summary["fits"]
    assert made["settings"]["passes"] == 3 and made["labels"][0]["net"] == "net"
    assert made["after"]["error_mp"] < made["before"]["error_mp"]


def test_what_is_there_already_is_not_overwritten(tmp_path: Path, net: Path, folder: Path) -> None:
    path = tmp_path / "fitted.pt"
    path.write_bytes(net.read_bytes())
    with pytest.raises(ValueError, match="there already, with another net"):
        Fit(net, [folder], QUICK).restore(path)
    fit = Fit(net, [folder], QUICK)
    run_fit(fit, path, lambda loss: None, bool, lambda: fit.done == 1)
    with pytest.raises(ValueError, match="there already, with another settings"):
        Fit(net, [folder], FitSettings(seed=2)).restore(path)


def test_the_learning_rate_falls_and_no_label_is_learnt_twice_in_a_pass(
    net: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit = Fit(net, [folder, folder], QUICK)
    rates: list[float] = []
    learnt: list[int] = []

    def note(boards: Boards, probs: object, rows: np.ndarray, minibatch: int, rate: float) -> float:
        rates.append(rate)
        learnt.extend(rows)
        fit._learner.rounds += 1
        return 0.0

    monkeypatch.setattr(fit._learner, "learn", note)
    while fit.done < fit.rounds:
        fit.learn()
    assert rates[0] == QUICK.learning_rate and rates == sorted(rates, reverse=True)
    assert rates[-1] == pytest.approx(QUICK.final_learning_rate)
    assert sorted(learnt[: fit.positions]) == list(range(fit.positions))
    assert len(learnt) == 3 * fit.positions


def test_a_diverging_fit_is_not_saved(tmp_path: Path, net: Path, folder: Path) -> None:
    fit = Fit(net, [folder], QUICK)
    with torch.no_grad():
        fit._learner.net.first.bias.fill_(float("inf"))
    with pytest.raises(DivergedError, match="learning_rate"):
        run_fit(fit, tmp_path / "fitted.pt", lambda loss: None, bool, bool)
    assert not (tmp_path / "fitted.pt").exists()


def test_a_net_has_no_error_on_what_it_says_itself() -> None:
    boards = some_boards()
    error = held_out_error(rough_evaluator, boards, rough_evaluator(boards))
    assert error.error_mp == 0 and error.divergence_nats == pytest.approx(0, abs=1e-6)
    turned = rough_evaluator(boards)[:, [3, 4, 5, 0, 1, 2]]
    assert held_out_error(rough_evaluator, boards, turned).divergence_nats > 0.1


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"passes": 0}, "passes must be positive, got 0"),
        ({"learning_rate": 1e-7}, "final_learning_rate must be at most"),
        ({"held_out": 0.0}, "held_out must be between 0 and 1, got 0.0"),
        ({"seed": -1}, "seed must be 0 or more, got -1"),
    ],
)
def test_wrong_settings_are_named(values: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FitSettings(**values)  # type: ignore[arg-type]


def test_the_command_fits_and_refuses_what_is_complete(
    tmp_path: Path, net: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    to = tmp_path / "fitted.pt"
    command = ["fit", str(net), "--labels", str(folder), "--to", str(to), "--held_out", "0.2"]
    flags = ["--minibatch", "16", "--learning_rate", "0.005", "--json"]
    assert main([*command, *flags]) == 0
    done = json.loads(capsys.readouterr().out)
    assert done["complete"] and done["after"]["error_mp"] < done["before"]["error_mp"]
    assert main([*command, *flags]) == 2
    assert "complete" in capsys.readouterr().err
    assert main([*command[:3], str(tmp_path / "missing"), *command[4:]]) == 2
    errors = capsys.readouterr().err
    assert "missing" in errors and errors.count("\n") == 1


def test_a_signal_ends_the_command_and_the_same_command_goes_on(
    tmp_path: Path,
    net: Path,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ["fit", str(net), "--labels", str(folder), "--to", str(tmp_path / "fitted.pt")]
    words += ["--minibatch", "16", "--held_out", "0.2", "--json"]
    learn = Fit.learn

    def interrupted(fit: Fit) -> float:
        if fit.done == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return learn(fit)

    monkeypatch.setattr(Fit, "learn", interrupted)
    assert main(words) == 128 + signal.SIGINT
    stopped = json.loads(capsys.readouterr().out)
    assert stopped["rounds"] == 3 and not stopped["complete"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["complete"]
