from __future__ import annotations

import errno
import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bgai.endgame import EndgameEvaluator, load_or_build
from bgai.engine import START, Boards, Probs
from bgai.engine.files import write_whole
from bgai.interface.cli import main
from bgai.model.checkpoint import Checkpoint, save_checkpoint
from bgai.search.ply import PlyEvaluator
from bgai.search.rollout import RolloutSettings
from bgai.training import generation, labels, positions
from bgai.training.generation import Labeller, generate, labelled_positions
from bgai.training.labels import Labels, LabelSettings, read_labels, read_shard, write_shard
from bgai.training.positions import PositionSettings
from tests.engine.positions import board_of
from tests.model.test_value_net import sharp_net
from tests.search.test_rollout import rough_evaluator

ONE_PLY = LabelSettings(PositionSettings(), plies=1)
SHORT_ROLLOUT = LabelSettings(PositionSettings(), rollout=RolloutSettings(36, 2))
LABELLER = Labeller(rough_evaluator, "the net's hash")


@pytest.fixture(autouse=True, scope="module")
def small() -> Iterator[None]:
    """Few games at a time and small shards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(positions, "_GAMES_PER_TASK", 4)
        patch.setattr(generation, "_FEWEST", 24)
        patch.setattr(generation, "_MOST", 24)
        patch.setattr(generation, "_LOOKS_AT_ONCE", 8)
        yield


def make(
    folder: Path,
    count: int = 60,
    settings: LabelSettings = ONE_PLY,
    should_stop: Callable[[], bool] = lambda: False,
) -> bool:
    return generate(folder, LABELLER, settings, count, lambda more: None, should_stop)


@pytest.fixture(scope="module")
def three_shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("labels") / "three"
    assert make(folder)
    return folder


def test_labels_are_the_lookahead_of_distinct_positions(three_shards: Path) -> None:
    found = read_labels(three_shards)
    assert len(found) == 72 == labelled_positions(three_shards), "whole shards of 24"
    assert len(np.unique(found.boards, axis=0)) == 72
    np.testing.assert_array_equal(found.probs, PlyEvaluator(rough_evaluator, 1)(found.boards))
    assert not found.standard_errors.any()


def test_rollouts_are_labels_with_errors(tmp_path: Path) -> None:
    settings = LabelSettings(PositionSettings(), rollout=RolloutSettings(36, 3))
    assert make(tmp_path, 24, settings)
    found = read_labels(tmp_path)
    assert (found.standard_errors > 0).mean() > 0.5
    alone = LABELLER.label(settings, found.boards[5:6], np.random.SeedSequence((1, 0)).spawn(2)[1])
    np.testing.assert_array_equal(alone.probs[0], found.probs[5])


def test_what_the_tables_know_is_what_they_say() -> None:
    endgames = load_or_build()
    boards = np.stack([board_of({1: 2, 3: 2}, {24: 2, 22: 2}), START])
    labeller = Labeller(rough_evaluator, "", endgames=endgames)
    expected = EndgameEvaluator(rough_evaluator, endgames)(boards)
    for settings in (ONE_PLY, SHORT_ROLLOUT):
        found = labeller.label(settings, boards, np.random.SeedSequence(1))
        np.testing.assert_array_equal(found.probs[0], expected[0])
        assert (found.probs[1] != expected[1]).any()


def test_a_stopped_generation_goes_on_as_if_it_had_not_been(
    tmp_path: Path, three_shards: Path
) -> None:
    asked = iter([False] * 6)
    assert not make(tmp_path / "labels", should_stop=lambda: next(asked, True))
    assert 0 < labelled_positions(tmp_path / "labels") < 72
    assert make(tmp_path / "labels")
    for name in ("labels.json", "shard-00000.npz", "shard-00001.npz", "shard-00002.npz"):
        assert (tmp_path / "labels" / name).read_bytes() == (three_shards / name).read_bytes()


def test_a_folder_may_grow_but_not_change(tmp_path: Path) -> None:
    assert make(tmp_path, 24)
    assert make(tmp_path, 48) and labelled_positions(tmp_path) == 48
    with pytest.raises(ValueError, match="holds labels with plies 1, not None"):
        make(tmp_path, 48, SHORT_ROLLOUT)
    with pytest.raises(ValueError, match="holds labels with net the net's hash, not another"):
        generate(tmp_path, Labeller(rough_evaluator, "another"), ONE_PLY, 48, lambda _: None, bool)
    strange = tmp_path / "strange"
    strange.mkdir()
    (strange / "letter.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(ValueError, match="holds other things than labels"):
        make(strange)


def test_a_full_disk_leaves_whole_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, content: bytes) -> None:
        if path.name == "shard-00001.npz":
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        write_whole(path, content)

    monkeypatch.setattr(labels, "write_whole", full)
    with pytest.raises(OSError, match=r"No space left.*shard-00001"):
        make(tmp_path)
    assert len(read_labels(tmp_path)) == 24


def some_labels(boards: Boards, probs: list[float]) -> Labels:
    rows: Probs = np.tile(np.array(probs, np.float32), (len(boards), 1))
    return Labels(boards, rows, np.zeros(len(boards), np.float32))


EVEN = [0.4, 0.1, 0.0, 0.4, 0.1, 0.0]
ONE_OFF = board_of({6: 5, 5: 5, 4: 4}, {12: 15})
"""The player has borne off a checker, so cannot lose a gammon."""


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (some_labels(START[None], [0.5] * 6), "probs"),
        (some_labels(START[None], [1.2, 0, 0, -0.2, 0, 0]), "probs"),
        (some_labels(START[None], [float("nan")] * 6), "probs"),
        (some_labels(ONE_OFF[None], EVEN), "probs"),
        (some_labels(START[None] * 2, EVEN), "no game has the board"),
        (some_labels(board_of({}, {1: 3})[None], [0, 0, 0, 1, 0, 0]), "no game has the board"),
        (some_labels(START[None].astype(np.int16), EVEN), "boards must be int8"),
        (some_labels(START[None, :25], EVEN), "boards must be int8"),
    ],
)
def test_what_no_shard_holds_is_refused(tmp_path: Path, found: Labels, message: str) -> None:
    write_shard(tmp_path / "shard-00000.npz", found)
    with pytest.raises(ValueError, match=rf"shard-00000\.npz: .*{message}"):
        read_shard(tmp_path / "shard-00000.npz")


def test_a_damaged_shard_is_noticed(tmp_path: Path, three_shards: Path) -> None:
    whole = (three_shards / "shard-00000.npz").read_bytes()
    path = tmp_path / "shard.npz"
    path.write_bytes(whole)
    expected = read_shard(path)
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        try:
            found = read_shard(path)  # a time of day or the like may have changed
        except ValueError as error:
            assert "shard.npz: " in str(error)
        else:
            assert (found.boards == expected.boards).all() and (found.probs == expected.probs).all()
    for content in (whole[:500], b"", b"not a zip file"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"shard\.npz: "):
            read_shard(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "format version 2, this is 1"),
        ({"format": "other"}, "not a bgai-labels file"),
        ({"shard_positions": 23}, "24 positions, not 23"),
        ({"shard_positions": 0}, "at least 1, got 0"),
        ({"settings": 5}, "settings must be a table, got 5"),
    ],
)
def test_another_format_is_refused(
    tmp_path: Path, three_shards: Path, change: dict[str, object], message: str
) -> None:
    values = json.loads((three_shards / "labels.json").read_text(encoding="utf-8"))
    (tmp_path / "labels.json").write_text(json.dumps({**values, **change}), encoding="utf-8")
    shard = (three_shards / "shard-00000.npz").read_bytes()
    (tmp_path / "shard-00000.npz").write_bytes(shard)
    with pytest.raises(ValueError, match=message):
        read_labels(tmp_path)


def test_a_damaged_description_is_refused_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "labels.json").write_text("{")
    with pytest.raises(ValueError, match=rf"{tmp_path / 'labels.json'}: not a description"):
        read_labels(tmp_path)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"plies": 0}, "plies must be 1 to 4, got 0"),
        ({"plies": 1, "rollout": RolloutSettings()}, "give plies or rollout"),
        ({}, "give plies or rollout"),
        ({"plies": 1, "seed": -1}, "seed must be 0 or more, got -1"),
    ],
)
def test_wrong_settings_are_named(values: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LabelSettings(PositionSettings(), **values)  # type: ignore[arg-type]


def small_net(path: Path) -> Path:
    net = sharp_net(8, 8)
    save_checkpoint(path, Checkpoint(net.config, [dict(net.state_dict())], {}, {"games": 0}))
    return path


def test_the_command_makes_labels_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    net = small_net(tmp_path / "net.pt")
    words = ["generate", str(net), "--to", str(tmp_path / "labels"), "--json"]
    assert main([*words, "--positions", "24"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["positions"] == 24 and first["complete"]
    assert main([*words, "--positions", "48", "--target", "plies:1"]) == 0
    assert json.loads(capsys.readouterr().out)["positions"] == 48
    assert main([*words, "--positions", "48", "--target", "rollout"]) == 2
    assert "choose another --to" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--target", "plies:9"], "plies must be 1 to 4, got 9"),
        (["--target", "deep"], "--target must be plies:1 to plies:4 or rollout, got 'deep'"),
        (["--trials", "36"], "--trials and --rollout_plies go with --target rollout"),
        (["--target", "rollout", "--trials", "7"], "multiple of 36, got 7"),
        (["--from", "nowhere"], "got 'nowhere'"),
        (["--positions", "0"], "--positions must be at least 1, got 0"),
        (["--scout", "{net}"], "no scout in this checkpoint"),
    ],
)
def test_misuse_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    net = small_net(tmp_path / "net.pt")
    given = [word.format(net=net) for word in words]
    command = ["generate", str(net), "--to", str(tmp_path / "labels"), "--positions", "24"]
    assert main([*command, *given]) == 2
    errors = capsys.readouterr().err
    assert message in errors and errors.count("\n") == 1
    assert not (tmp_path / "labels").exists()


def test_a_signal_ends_the_command_and_the_same_command_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["generate", str(small_net(tmp_path / "net.pt")), "--to", str(tmp_path / "labels")]
    words += ["--positions", "48", "--json"]
    label = Labeller.label
    calls = 0

    def interrupted(*given: Any) -> Labels:
        nonlocal calls
        calls += 1
        if calls == 5:  # in the second shard
            os.kill(os.getpid(), signal.SIGTERM)
        return label(*given)

    monkeypatch.setattr(Labeller, "label", interrupted)
    assert main(words) == 128 + signal.SIGTERM
    stopped = capsys.readouterr()
    assert json.loads(stopped.out)["positions"] == 24 and "stopping" in stopped.err
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["positions"] == 48
