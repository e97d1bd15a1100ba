from pathlib import Path
from typing import Any

import pytest
import torch

from bgai.model import checkpoint as checkpoints
from bgai.model.checkpoint import Checkpoint, load_checkpoint, load_nets, save_checkpoint
from bgai.model.net_config import NetConfig
from bgai.model.value_net import ValueNet


def small_checkpoint() -> Checkpoint:
    config = NetConfig(hidden=(8, 4))
    return Checkpoint(config, [ValueNet(config).state_dict()], {"seed": 1}, {"games": 5})


def test_a_checkpoint_comes_back_as_it_was(tmp_path: Path) -> None:
    saved = small_checkpoint()
    save_checkpoint(tmp_path / "net.pt", saved)
    loaded = load_checkpoint(tmp_path / "net.pt")
    assert (loaded.net, loaded.config, loaded.summary) == (saved.net, saved.config, saved.summary)
    (net,) = load_nets(tmp_path / "net.pt")
    for name, value in net.state_dict().items():
        torch.testing.assert_close(value, saved.weights[0][name], rtol=0, atol=0)
    assert [path.name for path in tmp_path.iterdir()] == ["net.pt"]


@pytest.mark.parametrize("kept", [0, 1, 100, 0.5, 0.99])
def test_a_truncated_checkpoint_is_refused_in_one_line(tmp_path: Path, kept: float) -> None:
    path = tmp_path / "net.pt"
    save_checkpoint(path, small_checkpoint())
    content = path.read_bytes()
    path.write_bytes(content[: int(kept if kept >= 1 else kept * len(content))])
    with pytest.raises(ValueError, match=r"net\.pt: not a checkpoint, or damaged") as caught:
        load_checkpoint(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"hello", b"\x80\x02N.", b"PK\x03\x04junk"])
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "net.pt").write_bytes(content)
    with pytest.raises(ValueError, match=r"net\.pt"):
        load_checkpoint(tmp_path / "net.pt")


def test_another_torch_file_is_refused(tmp_path: Path) -> None:
    torch.save({"weights": torch.zeros(3)}, tmp_path / "net.pt")
    with pytest.raises(ValueError, match="not a bgai-checkpoint"):
        load_checkpoint(tmp_path / "net.pt")


def test_another_format_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "VERSION", 99)
        save_checkpoint(tmp_path / "net.pt", small_checkpoint())
    with pytest.raises(ValueError, match="format version 99"):
        load_checkpoint(tmp_path / "net.pt")


def test_weights_of_another_net_are_refused(tmp_path: Path) -> None:
    other = Checkpoint(NetConfig(hidden=(8,)), small_checkpoint().weights, {}, {})
    save_checkpoint(tmp_path / "net.pt", other)
    with pytest.raises(ValueError, match="do not fit"):
        load_nets(tmp_path / "net.pt")


def test_a_full_disk_leaves_the_old_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "net.pt"
    save_checkpoint(path, small_checkpoint())
    before = path.read_bytes()

    def full(values: object, file: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(torch, "save", full)
    with pytest.raises(OSError, match="No space left"):
        save_checkpoint(path, small_checkpoint())
    assert path.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["net.pt"]


def test_a_changed_byte_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "net.pt"
    save_checkpoint(path, small_checkpoint())
    content = bytearray(path.read_bytes())
    weights = small_checkpoint().weights[0]["first.weights"].numel() * 4
    assert weights > len(content) / 2, "the changed byte is one of them"
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"net\.pt: .*damaged"):
        load_checkpoint(path)


def test_damage_at_the_end_of_the_file_is_told_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "net.pt"
    save_checkpoint(path, small_checkpoint())
    whole = path.read_bytes()
    for place in range(whole.rfind(b"PK\1\2", 0, -600), len(whole), 3):
        for bit in (1, 8, 128):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
            try:
                load_checkpoint(path)  # a time of day or the like may have changed
            except ValueError as error:
                assert "net.pt: " in str(error)


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        *(
            (name, None, f"{name} must be a table")
            for name in ("net", "config", "summary", "training")
        ),
        ("weights", None, "weights must be those of nets"),
        ("weights", [], "weights must be those of nets"),
        ("weights", [None], "weights must be a table"),
    ],
)
def test_a_checkpoint_without_a_part_is_refused(
    tmp_path: Path, name: str, value: object, complaint: str
) -> None:
    path = tmp_path / "net.pt"
    save_checkpoint(path, small_checkpoint())
    values = torch.load(path, weights_only=True)
    torch.save({**values, name: value}, path)
    with pytest.raises(ValueError, match=f"net.pt: {complaint}, got "):
        load_checkpoint(path)


def test_the_first_format_held_the_weights_of_one_net(tmp_path: Path) -> None:
    path = tmp_path / "net.pt"
    saved = small_checkpoint()
    save_checkpoint(path, saved)
    values = torch.load(path, weights_only=True)
    assert values["version"] == 2
    torch.save({**values, "version": 1, "weights": values["weights"][0]}, path)
    (weights,) = load_checkpoint(path).weights
    torch.testing.assert_close(weights, saved.weights[0], rtol=0, atol=0)


def test_a_checkpoint_of_several_nets_holds_each(tmp_path: Path) -> None:
    first, second = small_checkpoint(), small_checkpoint()
    both = Checkpoint(first.net, [*first.weights, *second.weights], {}, {})
    save_checkpoint(tmp_path / "net.pt", both)
    for net, weights in zip(load_nets(tmp_path / "net.pt"), both.weights, strict=True):
        torch.testing.assert_close(dict(net.state_dict()), weights, rtol=0, atol=0)


@pytest.mark.parametrize(
    "bias",
    [
        torch.full((8,), float("nan")),
        torch.full((8,), -1e30),
        torch.zeros(8, dtype=torch.int8),
        torch.zeros(8, dtype=torch.complex64),
        torch.zeros(8).to_sparse(),
        [0.0] * 8,
    ],
)
def test_weights_that_are_not_numbers_are_refused(tmp_path: Path, bias: Any) -> None:
    checkpoint = small_checkpoint()
    checkpoint.weights[0]["first.bias"] = bias
    save_checkpoint(tmp_path / "net.pt", checkpoint)
    with pytest.raises(ValueError, match=r"net\.pt: weights 'first.bias' are not all float32"):
        load_checkpoint(tmp_path / "net.pt")
