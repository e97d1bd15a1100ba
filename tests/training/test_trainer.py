import argparse
import dataclasses
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from bgai.engine import START
from bgai.interface.cli import main
from bgai.interface.commands import train
from bgai.model.checkpoint import load_checkpoint, load_evaluators, save_checkpoint
from bgai.training import run as runs
from bgai.training.config import Stage, TrainConfig, config_from_dict, load_config
from bgai.training.learner import Learner
from bgai.training.metrics import MetricsLog, drop_lines_after, last_measured
from bgai.training.trainer import DivergedError, Trainer

SMALL = {"hidden": [16, 8], "games_at_once": 32, "window_plies": 4, "minibatch": 64}


def small_config(**values: object) -> TrainConfig:
    return config_from_dict({**SMALL, "games": 100_000, **values})


def write_config(folder: Path, **values: object) -> Path:
    lines = [f"{name} = {json.dumps(value)}" for name, value in {**SMALL, **values}.items()]
    path = folder / "small.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def optimizer_steps(trainer: Trainer) -> int:
    state = trainer.learners[0].state()["optimizer"]["state"]
    return int(state[0]["step"]) if state else 0


def assert_same(first: Trainer, second: Trainer) -> None:
    assert (first.games, first.positions) == (second.games, second.positions)
    learners: list[tuple[Learner[Any], Learner[Any]]]
    learners = list(zip(first.learners, second.learners, strict=True))
    if first.scout_learner is not None and second.scout_learner is not None:
        learners.append((first.scout_learner, second.scout_learner))
    for one, other in learners:
        for name, value in one.net.state_dict().items():
            assert torch.equal(value, other.net.state_dict()[name]), name
            assert torch.equal(one.averaged[name], other.averaged[name]), name
    assert (first.self_play.boards == second.self_play.boards).all()


@pytest.mark.parametrize(
    "scout",
    [
        {},
        {"scout_units": 4, "shortlist": 3, "shortlist_margin": 0.2},
        {"scout_units": 4, "games": 1, "lookahead_games": 100_000},
    ],
)
def test_a_resumed_run_is_the_run_that_was_never_stopped(
    tmp_path: Path, scout: dict[str, float]
) -> None:
    config = small_config(**scout)
    straight = Trainer(config)
    for _ in range(10):
        straight.train_window()
    run = runs.open_run(tmp_path, config)
    for _ in range(5):
        run.trainer.train_window()
    run.save()
    resumed = runs.open_run(tmp_path, config).trainer
    for _ in range(5):
        resumed.train_window()
    assert_same(straight, resumed)


def test_the_seed_decides() -> None:
    first, same, other = (Trainer(small_config(seed=seed)) for seed in (1, 1, 2))
    for trainer in (first, same, other):
        trainer.train_window()
    assert_same(first, same)
    assert not torch.equal(first.learners[0].net.first.weights, other.learners[0].net.first.weights)


def test_training_learns() -> None:
    config = small_config(hidden=[32], games_at_once=256, games=4000, learning_rate=0.005)
    trainer = Trainer(config)
    trainer.train_window()
    first = trainer.train_window()["train/loss_nats"]
    while not trainer.is_complete:
        last = trainer.train_window()["train/loss_nats"]
    assert last < first - 0.25
    ahead = START.copy()
    ahead[[24, 5]] = 0, 2  # both back checkers are already home
    even, better = trainer.averaged_evaluator()(np.stack([START, ahead]))
    assert better[:3].sum() > even[:3].sum() + 0.1


@pytest.mark.parametrize("who", ["net", "scout"])
def test_a_diverging_run_stops_before_anything_is_saved(tmp_path: Path, who: str) -> None:
    config = small_config(checkpoint_minutes=1e-9, scout_units=4)
    run = runs.open_run(tmp_path, config)
    run.trainer.train_window()
    run.save()
    saved = (tmp_path / runs.CHECKPOINT).read_bytes()
    learner = run.trainer.learners[0] if who == "net" else run.trainer.scout_learner
    assert learner is not None
    with torch.no_grad():
        next(learner.net.parameters()).fill_(float("inf"))
    with pytest.raises(DivergedError, match=r"start again with a learning_rate below 0\.001"):
        run.train(lambda evaluator: {}, lambda trainer, metrics: None, lambda: False)
    assert (tmp_path / runs.CHECKPOINT).read_bytes() == saved


def test_a_later_stage_that_diverges_can_go_on_with_smaller_steps() -> None:
    trainer = Trainer(small_config(games=1, lookahead_games=100_000))
    while trainer.games < 1:
        trainer.train_window()
    with torch.no_grad():
        next(iter(trainer.learners[0].averaged.values())).fill_(float("inf"))
    with pytest.raises(DivergedError, match="go on with a lookahead_learning_rate below"):
        trainer.train_window()
    assert "lookahead_learning_rate" in runs.CHANGEABLE


def test_a_damaged_checkpoint_points_to_the_one_before(tmp_path: Path) -> None:
    run = runs.open_run(tmp_path, small_config())
    run.save()
    run.trainer.train_window()
    run.save()
    path = tmp_path / runs.CHECKPOINT
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ValueError, match=r"damaged.*rename .*checkpoint\.previous\.pt"):
        runs.open_run(tmp_path, small_config())
    os.replace(tmp_path / runs.PREVIOUS, path)
    assert runs.open_run(tmp_path, small_config()).trainer.games == 0


@pytest.mark.parametrize("name", [runs.CHECKPOINT, runs.PREVIOUS])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"learners": []}, "1 nets learn, the checkpoint has 0"),
        ({"learners": [{}]}, "damaged training state: KeyError"),
        ({"processes": None}, "damaged training state: TypeError"),
        ({"processes": [{"boards": 5}]}, "damaged training state: "),
    ],
)
def test_a_run_does_not_go_on_from_a_damaged_state(
    tmp_path: Path, change: dict[str, Any], message: str, name: str
) -> None:
    runs.open_run(tmp_path, small_config()).save()
    path = tmp_path / name
    os.replace(tmp_path / runs.CHECKPOINT, path)
    saved = load_checkpoint(path)
    training = {**saved.training, **change}
    save_checkpoint(path, dataclasses.replace(saved, training=training))
    with pytest.raises(ValueError, match=rf"{path}: {message}"):
        runs.open_run(tmp_path, small_config())


def test_a_run_does_not_go_on_from_weights_that_have_diverged(tmp_path: Path) -> None:
    runs.open_run(tmp_path, small_config()).save()
    path = tmp_path / runs.CHECKPOINT
    saved = load_checkpoint(path)
    saved.training["learners"][0]["weights"]["first.bias"].fill_(float("nan"))
    save_checkpoint(path, saved)
    with pytest.raises(ValueError, match="the weights that learn are not all numbers"):
        runs.open_run(tmp_path, small_config())


def test_a_run_does_not_go_on_from_a_scout_that_has_diverged(tmp_path: Path) -> None:
    config = small_config(scout_units=4)
    runs.open_run(tmp_path, config).save()
    path = tmp_path / runs.CHECKPOINT
    saved = load_checkpoint(path)
    next(iter(saved.training["scout"]["weights"].values())).fill_(float("nan"))
    save_checkpoint(path, saved)
    with pytest.raises(ValueError, match="the weights that learn are not all numbers"):
        runs.open_run(tmp_path, config)


def test_a_complete_run_that_is_started_again_stays_as_it_is(tmp_path: Path) -> None:
    def train(config: TrainConfig) -> None:
        run = runs.open_run(tmp_path, config)
        assert run.train(lambda evaluator: {}, lambda trainer, metrics: None, lambda: False)

    def content() -> list[bytes]:
        names = (runs.CHECKPOINT, runs.PREVIOUS, "metrics.jsonl")
        return [(tmp_path / name).read_bytes() for name in names]

    config = small_config(games=20, checkpoint_minutes=1e-9)
    train(config)
    before = content()
    train(config)
    assert content() == before


def test_going_on_keeps_the_metrics_of_the_moment_it_goes_on_from(tmp_path: Path) -> None:
    for time_s in (10.0004, 10.0006):  # which is rounded down, and up
        with MetricsLog(tmp_path, 0) as log:
            log.write(1, 1, time_s, {"eval/x": 1.0})
        drop_lines_after(tmp_path, time_s)
        assert last_measured(tmp_path) == pytest.approx(time_s, abs=1e-3)
        (tmp_path / "metrics.jsonl").unlink()


def test_tensorboard_forgets_what_is_done_again(tmp_path: Path) -> None:
    for games, value in ((0, 1.0), (10, 2.0)):  # a run of 20 games, resumed after 10
        with MetricsLog(tmp_path, games) as log:
            for step in (games + 10, games + 20):
                log.write(step, 1, 1.0, {"eval/x": value})
    seen = EventAccumulator(str(tmp_path / "tensorboard"))
    seen.Reload()
    points = [(event.step, event.value) for event in seen.Scalars("eval/x")]
    assert points == [(10, 1.0), (20, 2.0), (30, 2.0)]


def test_a_kill_between_two_renames_loses_nothing(tmp_path: Path) -> None:
    run = runs.open_run(tmp_path, small_config())
    run.trainer.train_window()
    run.save()
    os.replace(tmp_path / runs.CHECKPOINT, tmp_path / runs.PREVIOUS)
    assert runs.open_run(tmp_path, small_config()).trainer.positions == run.trainer.positions


def test_a_strange_line_among_the_metrics_does_not_stop_a_run(tmp_path: Path) -> None:
    run = runs.open_run(tmp_path, small_config())
    run.trainer.train_window()
    run.save()
    good = '{"games": 0, "time_s": 0.0}\n'
    (tmp_path / "metrics.jsonl").write_text(good + "garbage\n" + '{"games": 1, "time_', "utf-8")
    runs.open_run(tmp_path, small_config())
    assert (tmp_path / "metrics.jsonl").read_text("utf-8") == good


def test_a_folder_with_another_run_is_refused(tmp_path: Path) -> None:
    runs.open_run(tmp_path, small_config()).save()
    with pytest.raises(ValueError, match="seed 1, not 2"):
        runs.open_run(tmp_path, small_config(seed=2))
    longer = runs.open_run(tmp_path, small_config(games=200_000, minibatch=128))
    assert longer.trainer.config.games == 200_000


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"lambda_": 1.3}, r"lambda_ must be in \[0, 1\], got 1.3"),
        ({"lambda": 0.7}, "unknown key 'lambda'"),
        ({"minibatch": 0}, "minibatch must be positive, got 0"),
        ({"minibatch": 10.5}, "minibatch must be of type int, got 10.5"),
        ({"minibatch": True}, "minibatch must be of type int, got True"),
        ({"hidden": 256}, "hidden must be a list, got 256"),
        ({"hidden": [256, "x"]}, "hidden must be of type int, got 'x'"),
        ({"learning_rate": float("nan")}, "learning_rate must be positive, got nan"),
        ({"final_learning_rate": 1}, "final_learning_rate must be at most"),
        ({"minutes": 3}, "give games or minutes"),
        ({"seed": -1}, "seed must be 0 or more, got -1"),
        ({"seed": 10**40}, "seed must be at most 9223372036854775807, got one of 41 digits"),
        ({"measure_minutes": [10**400]}, "measure_minutes must be at most 9223372036854775807"),
        ({"encoding": "best"}, "got 'best'"),
        ({"learning_rate": float("inf")}, "learning_rate must be positive, got inf"),
        ({"measure_games": 3}, "measure_games must be an even number of at least 4, got 3"),
        ({"measure_minutes": [1, float("nan")]}, "measure_minutes must be positive, got nan"),
        ({"hidden": [99_999_999]}, r"got \[99999999\]"),
        ({"scout_units": 10**9}, "scout_units must be at most 8192, got 1000000000"),
        ({"games_at_once": 10**12}, "games_at_once must be at most 1048576, got 1000000000000"),
        ({"measure_games": 10**8}, "measure_games must be at most 10000000, got 100000000"),
        ({"minibatch": 10**9}, "minibatch must be at most 1048576, got 1000000000"),
    ],
)
def test_a_wrong_value_is_refused_by_name(values: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        small_config(**values)


def test_flags_replace_values_of_the_file(tmp_path: Path) -> None:
    path = write_config(tmp_path, games=1000)
    assert load_config(path, {"minutes": 2.0}).games is None
    assert load_config(path, {"seed": 7}).seed == 7


def test_all_lengths_given_anew_keep_what_the_nets_grow_to() -> None:
    path = Path("configs/flagship.toml")
    lengths = {"minutes": 1.0, "lookahead_minutes": 2.0, "grown_minutes": 3.0}
    whole = load_config(path)
    assert load_config(path, lengths | {"regrown_minutes": 4.0}).net(Stage.REGROWN) == whole.net(
        Stage.REGROWN
    )
    shorter = load_config(path, lengths)
    assert shorter.regrown_hidden is None and not shorter.has(Stage.REGROWN)
    assert shorter.net(Stage.REGROWN) == whole.net(Stage.GROWN)


def test_the_learning_rate_falls_from_the_first_to_the_final_one() -> None:
    config = small_config(learning_rate=0.01, final_learning_rate=0.001)
    rates = [config.learning_rate_at(progress) for progress in (0, 0.25, 0.5, 0.75, 1)]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] == pytest.approx(0.01) and rates[-1] == pytest.approx(0.001)


def test_each_stage_has_its_own_learning_rate() -> None:
    config = small_config(
        games=100,
        learning_rate=1e-2,
        final_learning_rate=1e-3,
        lookahead_games=300,
        lookahead_learning_rate=1e-4,
        lookahead_final_learning_rate=1e-5,
    )
    rates = [config.learning_rate_at(config.progress(games, 0)) for games in (0, 50, 100, 400)]
    assert rates == pytest.approx([1e-2, 5.5e-3, 1e-4, 1e-5])
    stages = [config.stage_at(config.progress(games, 0)) for games in (0, 99, 100, 400)]
    assert [stage for stage, _ in stages] == [0, 0, 1, 1]
    assert [done for _, done in stages] == pytest.approx([0, 0.99, 0, 1])


def test_each_stage_has_its_own_minibatch() -> None:
    config = small_config(lookahead_games=300, minibatch=32, lookahead_minibatch=48)
    assert [config.minibatch_in(stage) for stage in Stage] == [32, 48, 48, 48]
    same = small_config(lookahead_games=300, minibatch=17)
    assert [same.minibatch_in(stage) for stage in Stage] == [17, 17, 17, 17]


def test_every_value_can_be_given_as_a_flag(tmp_path: Path) -> None:
    lengths = {"games": 5, "lookahead_games": 6, "grown_games": 7, "regrown_games": 8}
    shapes = {"grown_hidden": [20, 9], "regrown_hidden": [20, 20, 9]}
    whole = small_config(**lengths, **shapes, nets=2, nets_margin=0.1, measure_minutes=[1.5])
    parser = argparse.ArgumentParser()
    train.add_arguments(parser)
    flags = ["x.toml"]
    for name, value in whole.to_dict().items():
        text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
        flags += [f"--{name}", text.lower() if isinstance(value, bool) else text]
    (tmp_path / "x.toml").write_text("")
    found = load_config(tmp_path / "x.toml", train._overrides(parser.parse_args(flags)))
    assert found == whole
    assert train._OVERRIDES.keys() == {field.name for field in dataclasses.fields(TrainConfig)}


@pytest.mark.parametrize("path", sorted(Path("configs").glob("*.toml")), ids=lambda path: path.stem)
def test_every_recipe_can_be_made_short(path: Path) -> None:
    config = load_config(path, {"minutes": 1.0})
    assert config.progress(0, 60) == 1
    assert config.stage_at(1) == (Stage.SELF_PLAY, 1)


def test_a_run_of_an_older_version_is_refused_in_one_line(tmp_path: Path) -> None:
    run = runs.open_run(tmp_path, small_config())
    run.save()
    saved = load_checkpoint(tmp_path / runs.CHECKPOINT)
    old = {"learner": saved.training["learners"][0], "looks_ahead": False}
    save_checkpoint(tmp_path / runs.CHECKPOINT, dataclasses.replace(saved, training=old))
    with pytest.raises(ValueError, match="older version of bgai, .* cannot go on") as caught:
        runs.open_run(tmp_path, small_config())
    assert "\n" not in str(caught.value)


def steps_of_second_stage(windows: int, **overrides: Any) -> list[int]:
    """Steps of the optimizer in each of the first windows of the second stage."""
    trainer = Trainer(small_config(games=1, lookahead_games=10**6, **overrides))
    while trainer.games < 1:
        trainer.train_window()
    done = [0]
    for _ in range(windows):
        trainer.train_window()
        done.append(optimizer_steps(trainer))
    return np.diff(done).tolist()


def test_the_second_stage_takes_more_steps_with_a_smaller_minibatch() -> None:
    (_, few), (_, many) = (steps_of_second_stage(2, lookahead_minibatch=size) for size in (64, 32))
    assert many == 2 * few > 0


def test_positions_of_the_second_stage_are_learnt_again_as_often_as_asked_for() -> None:
    nothing, *steps = steps_of_second_stage(5, lookahead_passes=3)
    assert nothing == 0
    assert steps == [steps[0], 2 * steps[0], 3 * steps[0], 3 * steps[0]]


def test_the_second_stage_starts_from_the_averaged_weights() -> None:
    trainer = Trainer(
        small_config(
            games=1,
            lookahead_games=1000,
            lookahead_learning_rate=1e-9,
            lookahead_final_learning_rate=1e-9,
        )
    )
    while trainer.games < 1:
        trainer.train_window()
    averaged = {name: value.clone() for name, value in trainer.learners[0].averaged.items()}
    trainer.train_window()
    for name, value in trainer.learners[0].net.state_dict().items():
        torch.testing.assert_close(value, averaged[name], rtol=0, atol=1e-6)


def test_the_command_trains_measures_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = write_config(tmp_path, games=40, measure_minutes=[0.0001], measure_games=4)
    command = ["train", str(config), "--run", str(tmp_path / "run"), "--json"]
    assert main(command) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["complete"] and first["games"] >= 40
    lines = (tmp_path / "run" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    names = {name for line in lines for name in json.loads(line)}
    assert {"games", "time_s", "train/loss_nats", "eval/ppg_vs_pubeval"} <= names
    assert len(list((tmp_path / "run" / "snapshots").glob("*.pt"))) == 1
    assert list((tmp_path / "run" / "tensorboard").iterdir())

    shutil.rmtree(tmp_path / "run" / "snapshots")  # the metrics say what was measured
    assert main([*command, "--games", "80"]) == 0
    assert not (tmp_path / "run" / "snapshots").exists()
    second = json.loads(capsys.readouterr().out)
    assert second["games"] >= 80 > first["games"] - 1
    checkpoint = load_checkpoint(tmp_path / "run" / "checkpoint.pt")
    assert checkpoint.summary["games"] == second["games"]
    assert load_evaluators(tmp_path / "run" / "checkpoint.pt")[0](START[None]).shape == (1, 6)


def measuring(folder: Path, minutes: list[float]) -> tuple[runs.Run, list[float]]:
    """A run of three windows more, and the minutes at which it has measured."""
    run = runs.open_run(folder, small_config(measure_minutes=minutes))
    measured = []
    stops = iter([False, False, False, True])

    def measure(evaluator: object) -> dict[str, float]:
        measured.append(run.trainer.seconds / 60)
        return {"eval/x": 1.0}

    run.train(measure, lambda trainer, metrics: None, lambda: next(stops))
    return run, measured


def test_of_minutes_that_have_gone_by_the_last_is_measured_and_none_again(tmp_path: Path) -> None:
    run, measured = measuring(tmp_path, [])
    assert not measured
    gone_by = [run.trainer.seconds / 60 / part for part in (4, 3, 2)]
    run, measured = measuring(tmp_path, gone_by)
    assert len(measured) == 1
    assert [path.name for path in (tmp_path / runs.SNAPSHOTS).iterdir()] == [
        run._snapshot(gone_by[-1]).name
    ]
    assert not measuring(tmp_path, gone_by)[1]


def test_a_snapshot_of_work_that_is_gone_is_measured_again(tmp_path: Path) -> None:
    run, _ = measuring(tmp_path, [])
    minute = (run.trainer.seconds + 1e-3) / 60
    run._snapshot(minute).parent.mkdir()
    run._snapshot(minute).write_text("as a run left it that was ahead of this checkpoint")
    run, measured = measuring(tmp_path, [minute])
    assert len(measured) == 1
    load_checkpoint(run._snapshot(minute))


def test_a_checkout_around_an_installed_bgai_is_not_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = runs.git_commit()
    assert own is None or re.fullmatch("[0-9a-f]{40}", own)
    program = tmp_path / "program" / "site-packages" / "run.py"
    program.parent.mkdir(parents=True)
    program.write_text("")
    monkeypatch.setattr(runs, "__file__", str(program))
    assert runs.git_commit() is None
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], [*author, "commit", "-q", "--allow-empty", "-m", "first"]):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True, timeout=60)
    assert runs.git_commit() is None
    for words in (["add", "."], [*author, "commit", "-q", "-m", "bgai's own"]):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True, timeout=60)
    assert runs.git_commit() is not None


def test_a_terminated_run_saves_and_can_go_on(tmp_path: Path) -> None:
    config = write_config(tmp_path, games=10_000_000)
    command = [sys.executable, "-m", "bgai", "train", str(config), "--run", str(tmp_path / "run")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        metrics = tmp_path / "run" / "metrics.jsonl"
        deadline = time.monotonic() + 120
        while not (metrics.exists() and metrics.read_text()) and time.monotonic() < deadline:
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert "Traceback" not in errors
    assert load_checkpoint(tmp_path / "run" / "checkpoint.pt").summary["positions"] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.toml"], "missing.toml"),
        (["{config}", "--lambda_", "2"], ".toml with --lambda_: lambda_ must be in [0, 1], got 2"),
        (["{config}", "--hidden", "256,x"], "--hidden must be a number or numbers, got '256,x'"),
        (["{config}", "--device", "nonsense"], "--device nonsense"),
        (["{config}", "--device", "meta"], "--device meta"),
        (["{config}", "--set", "missing.jsonl"], "missing.jsonl"),
    ],
)
def test_misuse_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    config = write_config(tmp_path, games=10)
    words = [word.format(config=config) for word in arguments]
    assert main(["train", *words, "--run", str(tmp_path / "run")]) == 2
    errors = capsys.readouterr().err
    assert message in errors and errors.count("\n") == 1
    assert not (tmp_path / "run" / "checkpoint.pt").exists()


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe hidden = [", b"games = " + 10_000 * b"[", b"games = " + 5_000 * b"1"],
    ids=["bytes", "brackets", "digits"],
)
def test_a_file_that_is_not_toml_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    (tmp_path / "bad.toml").write_bytes(content)
    assert main(["train", str(tmp_path / "bad.toml")]) == 2
    errors = capsys.readouterr().err
    assert "bad.toml: not a TOML file" in errors and errors.count("\n") == 1
