from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

from bgai.interface import cli
from bgai.interface.cli import COMMANDS, main
from bgai.interface.warm_up import NOTICE, announced_compilation
from tests.interface.conftest import Bgai

START_ID = "4HPwATDgc/ABMA"


def _assert_one_line(err: str) -> None:
    assert err.startswith("bgai: ")
    assert err.count("\n") == 1


def _without_notice(err: str) -> str:
    """What stderr has besides the line about a first run, which a slow machine gets."""
    return err.replace(f"{NOTICE}\n", "")


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
    "argv",
    [
        ["play", "--load", "no/such"],
        ["export", "no/such", "--to", "no/bot"],
        ["train", "no/such"],
        ["evaluate", "pip", "--set", "no/such"],
        ["evaluate", "pip", "--cube-set", "no/such"],
        ["evaluate", "no/such"],
        ["hint", START_ID, "--bot", "no/such"],
    ],
)
def test_a_missing_file_is_one_line_and_exit_code_2(bgai: Bgai, argv: Sequence[str]) -> None:
    code, out, err = bgai(*argv)
    assert (code, out) == (2, "")
    _assert_one_line(err)
    assert "no/such" in err


@pytest.mark.parametrize(
    ("argv", "kind"),
    [
        (["play", "--load", "FILE"], "a saved session"),
        (["evaluate", "pip", "--set", "FILE"], "a valued checker decision"),
        (["evaluate", "pip", "--cube-set", "FILE"], "a valued cube decision"),
        (["export", "FILE", "--to", "new", "--strength", "FILE"], "what `bgai evaluate --json`"),
        (["train", "FILE"], "not a TOML file"),
        (["hint", START_ID, "--bot", "FILE"], "neither a folder nor a sound zip"),
    ],
)
def test_a_damaged_file_is_one_line_that_says_what_it_should_be(
    bgai: Bgai, race_bot: str, tmp_path: Path, argv: Sequence[str], kind: str
) -> None:
    diary = tmp_path / "diary.txt"
    diary.write_text("dear diary")
    argv = [str(diary) if word == "FILE" else word for word in argv]
    code, out, err = bgai(*argv, *(["--bot", race_bot] if argv[0] == "play" else []))
    assert (code, out) == (2, "")
    _assert_one_line(err)
    assert str(diary) in err and kind in err


@pytest.mark.parametrize(
    ("argv", "option"),
    [
        ("play --money --no-crawford", "--no-crawford"),
        ("play --jacoby", "--jacoby"),
        ("play --money --no-cube --jacoby", "--jacoby"),
        ("play --money --cap 1 --beavers", "--beavers"),
        ("play --no-cube --no-crawford", "--no-crawford"),
        ("play --port 80", "--port 80"),
        ("play --no-browser", "--no-browser"),
        ("play --web --money", "--money"),
        ("play --web --coach", "--coach"),
        ("play --web --board words", "--board words"),
        ("play --load README.md --match 3", "--match 3"),
        ("play --load README.md --watch", "--watch"),
        ("play --load README.md --seed 3", "--seed 3"),
        ("play --single --cap 4", "--cap 4"),
        ("play --watch --ask-roll", "--ask-roll"),
        ("play --dice manual --seed 3", "--seed 3"),
        ("play --board words --home left", "--home left"),
        (f"hint {START_ID} --top 3", "--top 3"),
        ("evaluate pip --jacoby", "--jacoby"),
        ("evaluate pip --match 3 --beavers", "--beavers"),
        ("evaluate pip --money --cap 1 --beavers", "--beavers"),
        ("evaluate pip --cap 4", "--cap 4"),
        ("evaluate pip --set README.md --games 8", "--games 8"),
        ("evaluate pip --cube-set README.md --money", "--money"),
        ("train configs/demo.toml --lookahead_learning_rate 0.1", "--lookahead_learning_rate 0.1"),
        ("serve ubgi --port 3", "--port 3"),
        ("serve http --no-jacoby", "--no-jacoby"),
        ("serve http --workers 2 --plies 1", "--plies 1"),
        ("serve gnubg --workers 2", "--workers 2"),
    ],
)
def test_an_option_without_effect_is_refused(bgai: Bgai, argv: str, option: str) -> None:
    code, out, err = bgai(*argv.split())
    assert (code, out) == (2, "")
    _assert_one_line(err)
    assert err.startswith(f"bgai: {option} ")


@pytest.mark.parametrize("command", ["play", "evaluate pip"])
@pytest.mark.parametrize("points", ["0", "-3", "65", "100000"])
def test_every_command_has_the_same_longest_match(bgai: Bgai, command: str, points: str) -> None:
    code, _, err = bgai(*command.split(), "--match", points)
    assert (code, err) == (2, f"bgai: --match must be 1..64 points, got {points}\n")


def test_a_wrong_training_configuration_is_refused_before_torch_is_loaded(tmp_path: Path) -> None:
    config = tmp_path / "typo.toml"
    config.write_text("gmes = 3\n")
    done = _python(
        "import sys; from bgai.interface.cli import main\n"
        f"print(main(['train', {str(config)!r}]), 'torch' in sys.modules)"
    )
    assert done.stdout == "2 False\n"
    assert "unknown key 'gmes'" in done.stderr
    _assert_one_line(done.stderr)


@pytest.mark.parametrize("argv", ["endgame build --to FILE", "train configs/demo.toml --run FILE"])
def test_a_folder_that_cannot_be_written_is_found_before_the_work(
    bgai: Bgai, tmp_path: Path, argv: str
) -> None:
    (tmp_path / "file").write_bytes(b"")
    target = str(tmp_path / "file")
    code, out, err = bgai(*argv.replace("FILE", target).split())
    assert (code, out, err) == (2, "", f"bgai: {target}: Not a directory\n")


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
    assert code == 2
    assert "pip install '.[train]'" in err
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
    assert _without_notice(process.stderr.read().decode()) == ""
    assert process.wait(timeout=300) == 1


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_offers_what_the_command_line_asks_for(name: str) -> None:
    command = import_module(f"bgai.interface.commands.{name}")
    assert callable(command.add_arguments) and callable(command.run)


def test_only_the_asked_command_is_imported() -> None:
    code = (
        "import sys; from bgai.interface.cli import main; main(['hint', '--help'])\n"
        "found = [m.removeprefix('bgai.interface.commands.') for m in sys.modules]\n"
        f"print([m for m in found if m in {list(COMMANDS)}])\n"
        "print([m for m in ('torch', 'numba', 'onnxruntime') if m in sys.modules])"
    )
    assert _python(code).stdout.splitlines()[-2:] == ["['hint']", "[]"]


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
    assert (done.returncode, _without_notice(done.stderr)) == (0, "")


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
    assert lines[:2] == ["money; cube 1, in the middle", "cubeful equity (in points per cube)"]
    assert [line[:3] for line in lines[4:]] == [" 1.", " 2.", " 3."]
    assert max(map(len, lines)) <= 80


def test_hint_says_that_a_position_alone_is_ranked_without_the_cube(
    bgai: Bgai, race_bot: str
) -> None:
    lines = bgai("hint", START_ID, "--dice", "31", "--bot", race_bot)[1].splitlines()
    assert lines[0] == "cubeless equity (points for money, cube at 1)"


@pytest.mark.parametrize("is_announced", [True, False])
def test_a_long_compilation_is_told_once_wherever_stderr_goes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, is_announced: bool
) -> None:
    class Impatient(threading.Timer):
        def start(self) -> None:
            self.function(*self.args, **self.kwargs)

    monkeypatch.setattr(threading, "Timer", Impatient)
    with announced_compilation(is_announced):
        pass
    assert capsys.readouterr() == ("", f"{NOTICE}\n" if is_announced else "")


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
