"""`bgai evaluate --cube-set`: the command that measures how a player handles the cube."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bgai.cube import CubeModel, pip_cube
from bgai.evaluation import evaluate_cube_set, read_cube_set
from bgai.interface import bot
from bgai.interface.cli import main
from tests.evaluation.test_cube_set import DEAD, MATCH, MONEY, written
from tests.evaluation.test_players import FakeBot


@pytest.fixture
def cube_set(tmp_path: Path) -> str:
    return str(written(tmp_path / "cubes.jsonl", [MONEY, MATCH, DEAD]))


@pytest.fixture
def fake_bot(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(bot, "load_bot", lambda spec: FakeBot())
    monkeypatch.setattr(bot, "shipped_bots", lambda: {"fake": Path("fake")})
    return "fake"


def test_pip_is_measured_by_the_8_9_12_rule(
    cube_set: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", "pip", "--cube-set", cube_set, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    expected = evaluate_cube_set("pip", pip_cube, read_cube_set(Path(cube_set)))
    assert result["cube_sets"] == [expected.to_json()]
    assert result["matches"] == result["sets"] == []  # no games are played


def test_a_net_is_measured_by_the_cube_model_on_its_probs(
    cube_set: str, fake_bot: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", fake_bot, "--cube-set", cube_set, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["cube_sets"]
    judged = read_cube_set(Path(cube_set))
    decisions = CubeModel().decide_batch(FakeBot()(judged.boards), judged.boards, judged.states)
    expected = evaluate_cube_set(
        "fake", lambda boards, states: (decisions.doubles, decisions.takes), judged
    )
    assert found == expected.to_json()


def test_the_text_has_a_line_for_each_part_and_the_dearest_mistakes(
    cube_set: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", "pip", "--cube-set", cube_set]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = [line.strip() for line in out.splitlines()]
    result = evaluate_cube_set("pip", pip_cube, read_cube_set(Path(cube_set)))
    for name, (double, take) in {"all": (result.double, result.take), **result.parts}.items():
        (line,) = [line for line in lines if line.startswith(f"{name} ")]
        words = line.removeprefix(name).split()
        assert words[0] == str(double.decisions)
        assert words[1:3] == [f"{double.error_mp:.2f}", f"{double.standard_error_mp:.2f}"]
        assert words[4:6] == [f"{take.error_mp:.2f}", f"{take.standard_error_mp:.2f}"]
    dearest = lines[lines.index("Dearest mistakes (ND, DT, DP as the judge has them):") + 1 :]
    assert [line.split()[0] for line in dearest] == [one.position_id for one in result.worst]
    assert "2-3 away, cube 2 player  pass  2,000 mp  (+0.300, -1.000, +1.000)" in dearest[0]


@pytest.mark.parametrize("player", ["pubeval", "random"])
def test_a_player_without_a_cube_is_one_clear_line(
    cube_set: str, player: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", player, "--cube-set", cube_set]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert f"{player} has no cube" in err


def test_a_bad_cube_set_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "wrong.jsonl", [MONEY, MONEY | {"cube": 3}])
    assert main(["evaluate", "pip", "--cube-set", str(path)]) == 2
    assert main(["evaluate", "pip", "--cube-set", str(tmp_path / "none.jsonl")]) == 2
    wrong, missing = capsys.readouterr().err.splitlines()
    assert "wrong.jsonl, line 2" in wrong and "got 3" in wrong
    assert "none.jsonl" in missing
