"""The comparison of nets: what is drawn, what is valued, how it is counted, what the file keeps."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from bgai.engine import START, Boards, Probs, equity, legal_afterstates
from bgai.search import Evaluator
from bgai.search.ply import PlyEvaluator
from scripts import compare_nets, valued_decisions
from scripts.compare_nets import main, scores
from scripts.valued_decisions import (
    About,
    ValuedDecisions,
    draw_decisions,
    read_decisions,
    values_of,
    without_values,
    worth_considering,
    write_decisions,
)
from tests.interface.players import race_evaluator

ABOUT = About(player="racer", judge="racer", plies=1, decisions=2, seed=1)


def shy_evaluator(boards: Boards) -> Probs:
    """As the racer, but a blot within reach frightens it."""
    probs = race_evaluator(boards).copy()
    fear = 0.01 * (boards == 1)[:, :24].sum(1, dtype=np.float32)
    moved = np.minimum(fear, probs[:, 0])
    probs[:, 0] -= moved
    probs[:, 3] += moved
    return probs


NETS: dict[str, Evaluator] = {"racer": race_evaluator, "shy": shy_evaluator}


@pytest.fixture(autouse=True)
def short_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """The racer hits whatever it can: its games with itself have no end."""
    monkeypatch.setattr(valued_decisions, "MOST_PLIES", 40)


@pytest.fixture
def fake_nets(monkeypatch: pytest.MonkeyPatch) -> None:
    """`racer` and `shy` are nets, without endgame tables."""

    def load(spec: str, plies: int = 0) -> Evaluator:
        return PlyEvaluator(NETS[spec], plies)

    monkeypatch.setattr(compare_nets, "load_evaluator", load)


def two_decisions() -> ValuedDecisions:
    """An opening 3-1 and an opening 6-4."""
    return without_values(ABOUT, np.stack([START, START]), np.array([[3, 1], [6, 4]]))


def command(labels: Path, *nets: str, decisions: int = 12) -> list[str]:
    words = ["--labels", str(labels), "--decisions", str(decisions), "--plies", "1", "--json"]
    return [*nets, *words, "--judge", "racer"]


def test_every_drawn_decision_has_a_choice() -> None:
    boards, dice = draw_decisions(race_evaluator, 60, seed=3)
    assert boards.shape == (60, 26)
    assert (np.diff(legal_afterstates(boards, dice)[1]) > 1).all()
    assert len(np.unique(boards, axis=0)) > 30, "they are from all over the games"


def test_the_draw_depends_on_the_seed_alone() -> None:
    first, again, other = (draw_decisions(race_evaluator, 20, seed)[0] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_plays_worth_considering_are_the_best_few_within_the_margin_and_two_at_least() -> None:
    points = np.array([0.5, 0.1, 0.45, 0.44, -1.0, 0.3, 0.9, 0.3])
    considered = worth_considering(points, np.array([0, 5, 8]), most=3, margin=0.1)
    assert considered.tolist() == [True, False, True, True, False, True, True, False]
    wider = worth_considering(points, np.array([0, 5, 8]), most=2, margin=9)
    assert wider.tolist() == [True, False, True, False, False, True, True, False]


def test_a_loss_is_what_the_best_valued_play_is_worth_more() -> None:
    valued = two_decisions()
    split = valued.offsets[1]
    valued.values[[0, 1, split, split + 1]] = 0.3, 0.1, -0.2, 0.0
    first, second = (np.full(len(valued.after), -1, np.float32) for _ in range(2))
    first[[0, split]] = 0.4, -0.1  # takes the plays worth 0.3 and -0.2: loses 0 and 0.2
    second[[1, split + 1]] = 0.4, 0.4  # those worth 0.1 and 0.0: loses 0.2 and 0
    second[[0, split]] = 0.3, -0.2
    one, other = scores(valued, {"one": first, "other": second})[:2]
    assert (one.net, one.kind, one.decisions) == ("one", "all", 2)
    assert one.loss_mp == pytest.approx(100, abs=1e-3)
    assert one.loss_error_mp == pytest.approx(100, abs=1e-3)  # (0, 200): deviation 141, by root 2
    assert (one.difference_mp, one.difference_error_mp) == (0, 0)
    assert other.difference_mp == pytest.approx(0, abs=1e-3)
    assert other.difference_error_mp == pytest.approx(200, abs=1e-3)  # 0.2 and -0.2
    # off by 0, 0.3, 0 and 0.4 on the four valued plays
    assert other.rms_mp == pytest.approx(250, abs=1e-3)
    assert other.bias_mp == pytest.approx(175, abs=1e-3)


def test_kinds_are_those_of_the_decisions_and_two_are_needed() -> None:
    race = np.zeros(26, np.int8)
    race[[1, 2, 10]], race[[20, 24]] = 2, -3
    boards = np.stack([START, START, race])
    valued = without_values(ABOUT, boards, np.array([[3, 1], [6, 4], [2, 1]]))
    valued.values[:] = 0
    found = scores(valued, {"one": np.zeros_like(valued.values)})
    assert [(score.kind, score.decisions) for score in found] == [("all", 3), ("contact", 2)]


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    valued = two_decisions()
    valued.values[2] = 0.25
    write_decisions(tmp_path / "set.npz", valued)
    read = read_decisions(tmp_path / "set.npz")
    assert read.about == ABOUT
    np.testing.assert_array_equal(read.values, valued.values)
    np.testing.assert_array_equal(read.after, valued.after)


def cut_short(content: bytes) -> bytes:
    return content[:-200]


def no_archive(content: bytes) -> bytes:
    return b"values"


@pytest.mark.parametrize("damage", [cut_short, no_archive])
def test_a_damaged_file_is_named(damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "set.npz"
    write_decisions(path, two_decisions())
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match=f"{path}: no sound set"):
        read_decisions(path)


def test_a_file_of_another_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as later:
        later.setattr(valued_decisions, "VERSION", 99)
        write_decisions(tmp_path / "set.npz", two_decisions())
    with pytest.raises(ValueError, match="bgai-valued-decisions 99, this is .* 1"):
        read_decisions(tmp_path / "set.npz")


def test_plays_that_the_rules_do_not_give_are_refused(tmp_path: Path) -> None:
    valued = two_decisions()
    valued.after[0] = START
    write_decisions(tmp_path / "set.npz", valued)
    with pytest.raises(ValueError, match="not those of this version of the rules"):
        read_decisions(tmp_path / "set.npz")


@pytest.mark.usefixtures("fake_nets")
def test_the_values_are_those_of_the_judge_looking_ahead(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "set.npz"
    assert main(command(path, "racer", "shy")) == 0
    valued = read_decisions(path)
    known = np.isfinite(valued.values)
    assert (np.add.reduceat(known, valued.offsets[:-1]) >= 2).all()
    expected = -equity(PlyEvaluator(race_evaluator, 1)(valued.after[known]))
    np.testing.assert_array_equal(valued.values[known], expected)
    result = json.loads(capsys.readouterr().out)
    assert result["about"]["player"] == "racer"
    assert [score["net"] for score in result["scores"][:2]] == ["racer", "shy"]
    assert result["scores"][1]["difference_mp"] != 0


class Interrupted:
    """A judge that is stopped by Ctrl-C when it is asked the third time."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, boards: Boards) -> Probs:
        self.asked += 1
        if self.asked > 2:
            raise KeyboardInterrupt
        return PlyEvaluator(race_evaluator, 1)(boards)


@pytest.mark.usefixtures("fake_nets")
def test_a_stopped_command_goes_on_and_ends_where_one_ends_that_was_not_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, stopped = tmp_path / "whole.npz", tmp_path / "stopped.npz"
    assert main(command(whole, "racer", "shy")) == 0
    monkeypatch.setenv("BGAI_THREADS", "1")
    monkeypatch.setattr(valued_decisions, "_PLAYS_AT_ONCE", 10)
    load = compare_nets.load_evaluator
    with monkeypatch.context() as breaking:
        breaking.setattr(
            compare_nets,
            "load_evaluator",
            lambda spec, plies=0: Interrupted() if plies else load(spec),
        )
        assert main(command(stopped, "racer", "shy")) == 1
    assert "the same command goes on" in capsys.readouterr().err
    assert np.isfinite(read_decisions(stopped).values).sum() == 20
    assert main(command(stopped, "racer", "shy")) == 0
    np.testing.assert_array_equal(read_decisions(stopped).values, read_decisions(whole).values)


@pytest.mark.usefixtures("fake_nets")
def test_another_net_adds_only_the_plays_that_have_no_value_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    together, later = tmp_path / "together.npz", tmp_path / "later.npz"
    assert main(command(together, "racer", "shy")) == 0
    assert main(command(later, "racer")) == 0
    before = read_decisions(later).values
    assert main(["racer", "shy", "--labels", str(later)]) == 0, "the file knows the rest"
    after = read_decisions(later).values
    np.testing.assert_array_equal(after[np.isfinite(before)], before[np.isfinite(before)])
    np.testing.assert_array_equal(after, read_decisions(together).values)


@pytest.mark.usefixtures("fake_nets")
def test_a_judge_that_values_otherwise_may_not_add_to_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "set.npz"
    assert main(command(path, "racer")) == 0
    assert main(["shy", "--labels", str(path), "--judge", "shy"]) == 2
    assert "valued by racer; shy is another net" in capsys.readouterr().err


@pytest.mark.usefixtures("fake_nets")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--seed", "2"], "was made with seed 1, got --seed 2"),
        (["--plies", "3"], "was made with plies 1, got --plies 3"),
        (["--plays", "1"], "plays must be at least 2, got 1"),
        (["--margin", "-0.1"], "margin must be at least 0, got -0.1"),
        (["--decisions", "1"], "decisions must be at least 2, got 1"),
        (["--seed", "-1"], "seed must be at least 0, got -1"),
    ],
)
def test_misuse_is_one_line_and_exit_code_2(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_decisions(tmp_path / "set.npz", two_decisions())
    assert main(["racer", "--labels", str(tmp_path / "set.npz"), *words]) == 2
    assert message in capsys.readouterr().err


def test_a_player_without_a_net_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pip", "--labels", str(tmp_path / "set.npz")]) == 2
    assert "pip is none" in capsys.readouterr().err


def test_values_do_not_depend_on_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    after: npt.NDArray[np.int8] = draw_decisions(race_evaluator, 40, seed=5)[0]
    found = []
    for threads in "1", "2":
        monkeypatch.setenv("BGAI_THREADS", threads)
        found.append(values_of(race_evaluator, after))
    np.testing.assert_array_equal(found[0], found[1])
