from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version

import pytest

from bgai.interface import cli
from bgai.interface.cli import COMMANDS, main
from tests.interface.conftest import Bgai

START_ID = "4HPwATDgc/ABMA"


def _assert_one_line(err: str) -> None:
    assert err.startswith("bgai: ")
    assert err.count("\n") == 1


def _python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)


def test_help_names_every_command_and_starts_with_an_example(bgai: Bgai) -> None:
    code, out, _ = bgai("--help")
    assert code == 0
    assert out.startswith("Example:\n  bgai ")
    assert all(f"  {name} " in out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_each_command_starts_with_an_example(bgai: Bgai, name: str) -> None:
    code, out, _ = bgai(name, "--help")
    assert code == 0
    assert out.startswith(f"Example:\n  bgai {name} ")
    assert f"usage: bgai {name} " in out


def test_version_is_the_installed_one(bgai: Bgai) -> None:
    assert bgai("--version")[:2] == (0, f"bgai {version('bgai')}\n")


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["sing"],
        ["--loud"],
        ["hint"],
        ["hint", START_ID, "--dice", "71"],
        ["hint", START_ID, "--dice", "3"],
        ["hint", "nonsense"],
        ["hint", START_ID, "--top", "0"],
        ["hint", START_ID, "--top", "few"],
        ["hint", START_ID, "--plies", "-1"],
        ["hint", START_ID, "--bot", "nobody"],
        ["play", "--bot", "nobody"],
        ["play", "--seed", "-3"],
        ["play", "--board", "marble"],
        ["export", "net.pt"],
        ["export", "net.pt", "--to", "x", "--check", "-1"],
    ],
)
def test_misuse_is_one_line_and_exit_code_2(bgai: Bgai, race_bot: str, argv: Sequence[str]) -> None:
    if argv and argv[0] in ("hint", "play") and "--bot" not in argv:
        argv = [*argv, "--bot", race_bot]
    code, out, err = bgai(*argv)
    assert (code, out) == (2, "")
    _assert_one_line(err)


@pytest.mark.parametrize(
    "argv", [["play", "--load", "no/such.json"], ["export", "no/such.pt", "--to", "no/bot"]]
)
def test_a_missing_file_is_one_line_and_exit_code_1(
    bgai: Bgai, race_bot: str, argv: Sequence[str]
) -> None:
    code, out, err = bgai(*argv, *(["--bot", race_bot] if argv[0] == "play" else []))
    assert (code, out) == (1, "")
    _assert_one_line(err)
    assert "No such file" in err and argv[1 if argv[0] == "export" else 2] in err


def _stopped_by(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def run(argv: list[str]) -> int:
        raise error

    monkeypatch.setattr(cli, "_run", run)


def test_ctrl_c_exits_130_without_a_traceback(bgai: Bgai, monkeypatch: pytest.MonkeyPatch) -> None:
    _stopped_by(monkeypatch, KeyboardInterrupt())
    assert bgai("play") == (130, "", "\n")


def test_a_full_disk_is_one_line_and_exit_code_1(
    bgai: Bgai, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stopped_by(monkeypatch, OSError(28, "No space left on device", "bot.json"))
    assert bgai("play") == (1, "", "bgai: bot.json: No space left on device\n")


def test_a_missing_training_package_says_what_to_install(
    bgai: Bgai, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stopped_by(monkeypatch, ModuleNotFoundError("No module named 'torch'", name="torch"))
    code, _, err = bgai("train")
    assert code == 1
    assert "pip install bgai[train]" in err
    _assert_one_line(err)


def test_errors_of_the_program_itself_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    _stopped_by(monkeypatch, KeyError("slot"))
    with pytest.raises(KeyError):
        main(["play"])


def test_a_reader_that_leaves_is_no_error(race_bot: str) -> None:
    command = [sys.executable, "-m", "bgai", "hint", START_ID, "--dice", "66", "--bot", race_bot]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=300) == 1


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_offers_what_the_command_line_asks_for(name: str) -> None:
    command = import_module(f"bgai.interface.commands.{name}")
    assert callable(command.add_arguments) and callable(command.run)


def test_only_the_asked_command_is_imported() -> None:
    code = (
        "import sys; from bgai.interface.cli import main; main(['hint', '--help'])\n"
        "print([m for m in sys.modules if m.startswith('bgai.interface.commands.')])\n"
        "print([m for m in ('torch', 'numba', 'onnxruntime') if m in sys.modules])"
    )
    assert _python(code).stdout.splitlines()[-2:] == ["['bgai.interface.commands.hint']", "[]"]


@pytest.mark.parametrize("argv", [["--help"], ["play", "--bot", "BOT", "--seed", "1"]])
def test_help_and_play_start_without_torch(race_bot: str, argv: list[str]) -> None:
    words = [race_bot if word == "BOT" else word for word in argv]
    code = (
        "import sys; sys.modules['torch'] = sys.modules['onnx'] = None\n"
        "from bgai.interface.cli import main\n"
        f"raise SystemExit(main({words!r}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input="quit\n", capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_hint_ranks_all_plays_by_equity(bgai: Bgai, race_bot: str) -> None:
    code, out, err = bgai("hint", START_ID, "--dice", "31", "--bot", race_bot, "--json")
    assert (code, err) == (0, "")
    hint = json.loads(out)
    assert (hint["position_id"], hint["dice"], hint["bot"]) == (START_ID, [3, 1], "racer")
    plays = hint["plays"]
    assert len(plays) == 16
    equities = [play["equity"] for play in plays]
    assert equities == sorted(equities, reverse=True)
    for play in plays:
        assert play["difference"] == pytest.approx(play["equity"] - equities[0], abs=2e-6)
        assert sum(play["probs"].values()) == pytest.approx(1, abs=1e-5)
        points = dict(zip(play["probs"], (1, 2, 3, -1, -2, -3), strict=True))
        mean = sum(points[name] * chance for name, chance in play["probs"].items())
        assert play["equity"] == pytest.approx(mean, abs=1e-5)


def test_hint_takes_the_dice_of_an_xgid_and_prints_a_table(bgai: Bgai, race_bot: str) -> None:
    xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
    code, out, _ = bgai("hint", xgid, "--bot", race_bot, "--top", "3")
    lines = out.splitlines()
    assert code == 0
    assert [line[:3] for line in lines[2:]] == [" 1.", " 2.", " 3."]
    assert max(map(len, lines)) <= 80


def test_hint_without_dice_evaluates_the_position(bgai: Bgai, race_bot: str) -> None:
    code, out, _ = bgai("hint", START_ID, "--bot", race_bot)
    assert code == 0
    assert out.startswith("cubeless equity ")
    assert "win " in out and "lose " in out and "gammon" in out
    hint = json.loads(bgai("hint", START_ID, "--bot", race_bot, "--json")[1])
    assert "plays" not in hint and set(hint["probs"]) >= {"win", "lose_backgammon"}


def test_hint_refuses_to_play_a_finished_game(bgai: Bgai, race_bot: str) -> None:
    over = "XGID=-a------------------------:0:0:1:00:0:0:0:0:10"
    code, _, err = bgai("hint", over, "--dice", "31", "--bot", race_bot)
    assert code == 2
    assert "the game is over" in err
    _assert_one_line(err)


def test_plies_change_the_answer_of_a_hint(bgai: Bgai, race_bot: str) -> None:
    def best(plies: str) -> float:
        out = bgai("hint", START_ID, "--dice", "31", "--bot", race_bot, "--plies", plies, "--json")[
            1
        ]
        equity: float = json.loads(out)["plays"][0]["equity"]
        return equity

    assert best("0") != best("1")
