from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from bgai.engine import UNFINISHED, outcomes, possible_outcomes, roll
from bgai.interface.bot import Bot, load_bot, save_bot
from bgai.interface.bot_card import BotCard
from bgai.interface.commands.export import KERNELS_TOLERANCE, TOLERANCE, random_boards
from bgai.model.checkpoint import Checkpoint, make_evaluator, save_checkpoint
from bgai.model.net_config import NetConfig
from bgai.model.onnx_export import largest_difference, onnx_bytes
from bgai.model.value_net import ValueNet
from bgai.model.weights_file import pack_weights
from bgai.search import PLAY_MARGIN, Panel, choose_plays
from tests.interface.conftest import Bgai

CARD = BotCard("small", "slots-v1")


def _net(*hidden: int, seed: int = 1) -> ValueNet:
    """Random weights whose outputs differ widely from board to board."""
    torch.manual_seed(seed)
    net = ValueNet(NetConfig(hidden=hidden))
    with torch.no_grad():
        list(net.parameters())[-2].mul_(30)
    return net.eval()


@pytest.fixture(scope="module")
def small_bot() -> Bot:
    return Bot(CARD, onnx_bytes([_net(16, 8)]))


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "checkpoint.pt"
    net = _net(16, 8)
    summary = {"games": 12, "steps": 3}
    save_checkpoint(path, Checkpoint(net.config, [net.state_dict()], {"seed": 1}, summary))
    return path


@pytest.mark.parametrize("hidden", [(16,), (16, 8), (24, 16, 8)])
def test_a_bot_agrees_with_its_net(hidden: tuple[int, ...]) -> None:
    net = _net(*hidden)
    boards = random_boards(5_000, seed=3)
    assert largest_difference([net], Bot(CARD, onnx_bytes([net])), boards) <= TOLERANCE


def test_a_bot_of_several_nets_says_their_mean() -> None:
    nets = [_net(16, 8), _net(16, 8, seed=2), _net(16, 8, seed=3)]
    boards = random_boards(5_000, seed=3)
    graph = Bot(CARD, onnx_bytes(nets))
    assert largest_difference(nets, graph, boards) <= TOLERANCE
    kernels = Bot(CARD, b"not looked into", weights=pack_weights([_weights(net) for net in nets]))
    assert largest_difference(nets, kernels, boards) <= KERNELS_TOLERANCE
    assert largest_difference(nets[:1], graph, boards) > 0.1


def test_a_bot_of_several_nets_plays_as_they_do_together() -> None:
    nets = [_net(16, 8), _net(16, 8, seed=2)]
    bot = Bot(CARD, b"", weights=pack_weights([_weights(net) for net in nets]))
    boards = random_boards(2_000, seed=3)
    boards = boards[outcomes(boards) == UNFINISHED]
    dice = roll(np.random.default_rng(1), len(boards))
    panel = Panel([make_evaluator(net) for net in nets], PLAY_MARGIN)
    chosen = bot.best_afterstates(boards, dice)
    np.testing.assert_array_equal(chosen, choose_plays(panel, boards, dice)[0])
    np.testing.assert_array_equal(chosen, bot.player().choose(boards, dice))
    of_one, _ = choose_plays(panel.evaluators[0], boards, dice)
    assert 0.02 < (chosen != of_one).any(1).mean() < 0.9


@pytest.mark.slow
def test_a_bot_agrees_with_its_net_on_100_000_boards() -> None:
    net = _net(256, 32)
    boards = random_boards(100_000, seed=4)
    assert largest_difference([net], Bot(CARD, onnx_bytes([net])), boards) <= TOLERANCE


def test_random_boards_hold_every_stage_of_the_game() -> None:
    boards = random_boards(40_000, seed=5)
    assert boards.shape == (40_000, 26)
    assert (outcomes(boards) != UNFINISHED).any()
    assert (boards[:, 25] > 0).any() and (boards[:, 0] < 0).any()


def _finished_and_racing_boards() -> np.ndarray:
    rows = [
        {6: -15},  # won, the opponent's checkers in the winner's home: backgammon
        {7: -15},  # gammon
        {0: -1, 9: -14},  # backgammon from the bar
        {7: -3},  # single
        {19: 15},  # lost: backgammon
        {18: 15},
        {25: 1, 3: 14},
        {3: 2},
        {1: 15, 24: -15},  # a race, none off, both home
        {20: 15, 6: -15},  # contact
        {3: 5, 22: -15},  # the opponent can still lose a gammon, the mover cannot
        {8: 15, 10: -2, 20: -13},
    ]
    boards = np.zeros((len(rows), 26), np.int8)
    for board, row in zip(boards, rows, strict=True):
        for slot, count in row.items():
            board[slot] = count
    return boards


def test_impossible_outcomes_and_finished_games_are_exact_in_the_graph(small_bot: Bot) -> None:
    boards = np.concatenate([_finished_and_racing_boards(), random_boards(20_000, seed=6)])
    probs = small_bot(boards)
    possible = possible_outcomes(boards)
    assert (probs[~possible] == 0).all()
    assert (probs[possible] > 0).all()
    over = outcomes(boards) != UNFINISHED
    assert over[:8].all() and not over[8:12].any()
    np.testing.assert_array_equal(probs[over], np.eye(6, dtype=np.float32)[outcomes(boards)[over]])
    np.testing.assert_allclose(probs.sum(1), 1, atol=1e-5)


@pytest.mark.parametrize("count", [1, 2, 21, 257])
def test_the_graph_takes_any_batch(small_bot: Bot, count: int) -> None:
    boards = random_boards(300, seed=7)
    np.testing.assert_allclose(small_bot(boards[:count]), small_bot(boards)[:count], atol=1e-6)


def test_the_same_net_gives_the_same_file() -> None:
    assert onnx_bytes([_net(16, 8)]) == onnx_bytes([_net(16, 8)])


@pytest.mark.parametrize("name", ["small", "small.zip"])
def test_export_writes_a_bot_with_its_card(
    bgai: Bgai, checkpoint: Path, tmp_path: Path, name: str
) -> None:
    measured = tmp_path / "measured.json"
    measured.write_text('{"opponent": "random", "ppg": 1.5}')
    target = tmp_path / name
    code, out, err = bgai(
        "export", checkpoint, "--to", target, "--check", "500", "--strength", measured
    )
    assert (code, err) == (0, "")
    assert "on 500 boards: " in out
    card = load_bot(target).card
    assert (card.name, card.encoding, card.licence) == ("small", "slots-v1", "MIT")
    assert card.training == {
        "hidden": [16, 8],
        "nets": 1,
        "config": {"seed": 1},
        "games": 12,
        "steps": 3,
    }
    assert card.strength == [{"opponent": "random", "ppg": 1.5}]


def test_export_never_overwrites_without_force(
    bgai: Bgai, checkpoint: Path, tmp_path: Path
) -> None:
    command = ("export", checkpoint, "--to", tmp_path / "bot", "--check", "0", "--name")
    assert bgai(*command, "first")[0] == 0
    code, _, err = bgai(*command, "second")
    assert code == 2 and "add --force" in err
    assert load_bot(tmp_path / "bot").name == "first"
    assert bgai(*command, "second", "--force")[0] == 0
    assert load_bot(tmp_path / "bot").name == "second"


def test_export_refuses_a_file_that_is_no_checkpoint(bgai: Bgai, tmp_path: Path) -> None:
    (tmp_path / "net.pt").write_text(json.dumps({"weights": 1}))
    code, out, err = bgai("export", tmp_path / "net.pt", "--to", tmp_path / "bot")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1 and "net.pt" in err
    assert not (tmp_path / "bot").exists()


def test_export_writes_nothing_if_bot_and_net_disagree(
    bgai: Bgai, checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = onnx_bytes([_net(16, 8, seed=2)])
    monkeypatch.setattr("bgai.model.onnx_export.onnx_bytes", lambda nets: other)
    code, _, err = bgai("export", checkpoint, "--to", tmp_path / "bot")
    assert code == 1 and "nothing written" in err
    assert not (tmp_path / "bot").exists()


def _weights(net: ValueNet) -> dict[str, np.ndarray]:
    return {name: value.numpy() for name, value in net.state_dict().items()}


def _packed(net: ValueNet) -> bytes:
    return pack_weights([_weights(net)])


@pytest.mark.parametrize("hidden", [(16,), (24, 16, 8)])
def test_the_kernels_say_what_the_graph_says(hidden: tuple[int, ...]) -> None:
    net = _net(*hidden)
    boards = random_boards(5_000, seed=8)
    bot = Bot(CARD, b"not looked into", weights=_packed(net))
    assert largest_difference([net], bot, boards) <= KERNELS_TOLERANCE


@pytest.mark.parametrize("name", ["small", "small.zip"])
def test_an_exported_bot_plays_with_the_kernels(
    bgai: Bgai, checkpoint: Path, tmp_path: Path, name: str
) -> None:
    assert bgai("export", checkpoint, "--to", tmp_path / name)[0] == 0
    boards = random_boards(300, seed=9)
    exported = load_bot(tmp_path / name, exact_endgames=False)
    expected = Bot(exported.card, b"", weights=_packed(_net(16, 8)))
    np.testing.assert_array_equal(exported(boards), expected(boards))


def test_weights_that_do_not_belong_to_the_card_are_noticed(
    bgai: Bgai, checkpoint: Path, tmp_path: Path
) -> None:
    bot = tmp_path / "bot"
    assert bgai("export", checkpoint, "--to", bot, "--check", "0")[0] == 0
    whole = (bot / "weights.npz").read_bytes()
    (bot / "weights.npz").write_bytes(whole[:-1])
    with pytest.raises(ValueError, match=r"bot: weights\.npz is not the file"):
        load_bot(bot)
    (bot / "weights.npz").unlink()
    with pytest.raises(ValueError, match=r"bot: weights\.npz is not the file"):
        load_bot(bot)


def test_a_bot_without_weights_takes_the_place_of_one_with_them(
    bgai: Bgai, checkpoint: Path, tmp_path: Path
) -> None:
    bot = tmp_path / "bot"
    assert bgai("export", checkpoint, "--to", bot, "--check", "0")[0] == 0
    graph = onnx_bytes([_net(16, 8, seed=2)])
    save_bot(bot, CARD, graph, overwrite=True)
    boards = random_boards(300, seed=9)
    replaced = load_bot(bot, exact_endgames=False)
    np.testing.assert_array_equal(replaced(boards), Bot(CARD, graph)(boards))


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"layers.1.weight": None}, "no value net has just these weights"),
        ({"other": np.zeros(3)}, "no value net has just these weights"),
        ({"layers.0.weight": np.zeros((8, 17))}, r"do not fit together: .*0\.weight \[8, 17\]"),
        ({"layers.1.bias": np.zeros(5), "layers.1.weight": np.zeros((5, 8))}, "do not fit"),
        ({"first.bias": np.full(16, np.nan)}, r"not all numbers of at most 1e\+06"),
        ({"layers.0.weight": np.full((8, 16), -1e38)}, r"not all numbers of at most 1e\+06"),
    ],
)
def test_weights_that_make_up_no_net_are_refused(
    changes: dict[str, np.ndarray | None], complaint: str
) -> None:
    weights = _weights(_net(16, 8)) | changes
    content = pack_weights([{name: value for name, value in weights.items() if value is not None}])
    with pytest.raises(ValueError, match=f"weights.npz: .*{complaint}"):
        Bot(CARD, b"", weights=content)


def test_weights_as_written_when_a_bot_was_one_net_are_read() -> None:
    content = io.BytesIO()
    np.savez(content, **_weights(_net(16, 8)))  # type: ignore[arg-type]
    boards = random_boards(300, seed=9)
    old = Bot(CARD, b"", weights=content.getvalue())
    np.testing.assert_array_equal(old(boards), Bot(CARD, b"", weights=_packed(_net(16, 8)))(boards))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x93NUMPY\x01\x00"])
def test_damaged_weights_are_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="weights.npz: no sound"):
        Bot(CARD, b"", weights=content)
