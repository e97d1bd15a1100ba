"""Players by name, and the command that measures them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bgai.engine import START, Boards, Probs, legal_afterstates
from bgai.interface import bot, players
from bgai.interface.cli import main
from bgai.interface.players import make_player
from bgai.search import EvaluatorPlayer
from bgai.search.ply import PlyEvaluator
from tests.evaluation.test_benchmark_set import BEARING_OFF, OPENING, written


class FakeBot:
    """Likes to leave the next player many checkers behind; stands in for a trained net."""

    name = "fake"

    def __call__(self, boards: Boards) -> Probs:
        probs = np.zeros((len(boards), 6), np.float32)
        probs[:, 0] = (boards[:, 1:7].clip(0).sum(1) + 1) / 17
        probs[:, 3] = 1 - probs[:, 0]
        return probs

    def player(self, plies: int = 0) -> EvaluatorPlayer:
        name = f"{self.name} ({plies}-ply)" if plies else self.name
        return EvaluatorPlayer(name, PlyEvaluator(self, plies))


@pytest.fixture
def fake_bot(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(bot, "load_bot", lambda spec: FakeBot())
    monkeypatch.setattr(bot, "shipped_bots", lambda: {"fake": Path("fake")})
    return "fake"


@pytest.mark.parametrize("spec", ["random", "pip", "pubeval"])
def test_players_without_files_are_named_as_asked(spec: str) -> None:
    player = make_player(spec, seed=1)
    assert player.name == spec
    after, _ = legal_afterstates(START[None], np.array([[6, 4]]))
    chosen = player.choose(START[None], np.array([[6, 4]]))
    assert chosen.tolist()[0] in after.tolist()


@pytest.mark.parametrize(
    ("package", "spec", "name"),
    [
        ("gnubg_nn", "gnubg:0", "gnubg:0"),
        ("gnubg_nn", "gnubg:1ply", "gnubg:1"),
        ("bgsage", "sage:1", "sage:1"),
        ("bgsage", "sage:1ply", "sage:1"),
        ("bgsage", "sage:2-ply", "sage:2"),
    ],
)
def test_engines_are_named_with_their_plies(package: str, spec: str, name: str) -> None:
    pytest.importorskip(package)
    assert make_player(spec, seed=1).name == name


def test_a_bot_is_a_player(fake_bot: str) -> None:
    player = make_player(fake_bot, seed=1)
    assert player.name == "fake"
    assert player.choose(START[None], np.array([[3, 1]])).shape == (1, 26)


def test_a_bot_can_look_ahead_and_says_so(fake_bot: str) -> None:
    player = make_player(fake_bot, seed=1, plies=1)
    assert player.name == "fake (1-ply)"
    assert player.choose(START[None], np.array([[3, 1]])).shape == (1, 26)


def test_plies_are_for_nets_only() -> None:
    with pytest.raises(ValueError, match="not for pubeval"):
        make_player("pubeval", seed=1, plies=1)


@pytest.mark.parametrize("spec", ["nobody", "gnubg", "gnubg:x", "sage:", "missing.pt", "Random"])
def test_an_unknown_player_is_named_and_told_what_there_is(spec: str) -> None:
    with pytest.raises(ValueError, match=f"no player '{spec}'; there are: random, pip") as caught:
        make_player(spec, seed=1)
    assert players.POSSIBLE in str(caught.value)
    assert "\n" not in str(caught.value)


def test_evaluate_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "pip", "--against", "pubeval", "random", "--games", "20"]) == 0
    out, err = capsys.readouterr()
    assert "0-ply = the net alone" in out
    lines = [line.split() for line in out.splitlines()]
    assert [line[:2] for line in lines if line[:1] in (["pubeval"], ["random"])] == [
        ["pubeval", "20"],
        ["random", "20"],
    ]
    assert "pip - random: 20 of 20 games" in err


def test_evaluate_as_json_is_the_results_of_the_arena_and_the_sets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "set.jsonl", [OPENING, BEARING_OFF])
    arguments = ["pubeval", "--against", "pip", "--set", str(path), "--games", "10"]
    assert main(["evaluate", *arguments, "--seed", "3", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    (match,), (check,) = result["matches"], result["sets"]
    assert (match["first"], match["second"], match["games"], match["seed"]) == (
        "pubeval",
        "pip",
        10,
        3,
    )
    assert (check["player"], check["set"], check["decisions"]) == ("pubeval", "set.jsonl", 2)


def test_evaluate_with_a_set_alone_plays_no_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "set.jsonl", [OPENING, BEARING_OFF])
    assert main(["evaluate", "pubeval", "--set", str(path)]) == 0
    out, err = capsys.readouterr()
    assert "set.jsonl: 2 decisions" in out
    assert err == ""


def test_evaluate_meets_pubeval_when_nothing_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "pip", "--games", "4", "--json"]) == 0
    matches = json.loads(capsys.readouterr().out)["matches"]
    assert [match["second"] for match in matches] == ["pubeval"]


def test_evaluate_judges_the_luck_of_the_games(
    fake_bot: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["evaluate", "pip", "--luck", fake_bot, "--games", "4"]
    assert main(arguments) == 0
    table = capsys.readouterr().out.splitlines()
    head, row = next(
        (line, below) for line, below in zip(table, table[1:], strict=False) if "no luck" in line
    )
    assert len(head.replace("std err", "stderr").replace("no luck", "luck").split()) == len(
        row.split()
    )
    assert main([*arguments, "--json"]) == 0
    (match,) = json.loads(capsys.readouterr().out)["matches"]
    assert match["adjusted_ppg"] == pytest.approx(float(row.split()[4]), abs=1e-4)
    assert match["adjusted_standard_error"] == pytest.approx(float(row.split()[5]), abs=1e-4)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nobody"], 2, "no player 'nobody'"),
        (["pip", "--against", "somebody"], 2, "no player 'somebody'"),
        (["pip", "--games", "7"], 2, "got 7"),
        (["pip", "--games", "many"], 2, "many"),
        (["pip", "--seed", "-1"], 2, "got -1"),
        (["pip", "--plies", "1"], 2, "not for pip"),
        (["pip", "--luck", "pubeval"], 2, "--luck takes a bot or checkpoint, got pubeval"),
        (["pip", "--luck", "flagship", "--money"], 2, "--luck is for cubeless games"),
        (["pip", "--set", "no/such/file"], 2, "no/such/file"),
        ([], 2, "NET"),
    ],
)
def test_evaluate_misused_prints_one_line(
    arguments: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", *arguments]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert message in err


def test_evaluate_help_starts_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "--help"]) == 0
    help_text = capsys.readouterr().out
    assert help_text.startswith("Example:\n  bgai evaluate ")
    assert "0-ply = the net alone" in help_text
