"""gnubg and Sage, where their packages are installed: our choice is theirs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bgai.engine import START, UNFINISHED, Boards, Dice, legal_afterstates, outcomes, swap
from bgai.engine.gnu_id import position_id
from bgai.evaluation.opponents import GnubgPlayer, PubevalPlayer, SagePlayer
from bgai.evaluation.opponents.gnubg import from_gnubg_sides, gnubg_sides
from bgai.evaluation.opponents.sage import sage_boards
from bgai.search import Player
from tests.engine.positions import board_of, random_games, random_positions


@pytest.fixture
def gnubg() -> Any:
    return pytest.importorskip("gnubg_nn")


@pytest.fixture
def sage() -> Any:
    return pytest.importorskip("bgsage")


def ordinary_positions(seed: int, games: int, plies: int) -> tuple[Boards, Dice]:
    """Positions of random games from the start, and a roll for each."""
    rng = np.random.default_rng(seed)
    played = list(random_games(rng, np.tile(START, (games, 1)), plies))
    return np.concatenate([boards for boards, _ in played]), np.concatenate(
        [dice for _, dice in played]
    )


def test_boards_survive_the_way_to_gnubg_and_back() -> None:
    boards, _ = random_positions(np.random.default_rng(1), games=20, plies=10)
    assert from_gnubg_sides(gnubg_sides(boards)).tolist() == boards.tolist()


def test_gnubg_sides_are_the_opponent_and_the_player_on_roll_in_their_own_numbering() -> None:
    board = board_of({24: 1, 25: 2}, {1: 3, 20: 1, 0: 4})
    opponent, on_roll = gnubg_sides(board[None])[0].tolist()
    assert {p + 1: n for p, n in enumerate(on_roll) if n} == {24: 1, 25: 2}
    assert {p + 1: n for p, n in enumerate(opponent) if n} == {24: 3, 5: 1, 25: 4}


def test_gnubg_reads_our_boards_as_its_own_ids_say(gnubg: Any) -> None:
    boards, _ = random_positions(np.random.default_rng(2), games=20, plies=10)
    ids = [gnubg.position_id(sides) for sides in gnubg_sides(boards).tolist()]
    assert ids == [position_id(board) for board in boards]


def test_gnubg_plays_the_best_afterstate_by_its_own_probabilities(gnubg: Any) -> None:
    boards, dice = ordinary_positions(3, games=12, plies=25)
    after, offsets = legal_afterstates(boards, dice)
    equities = []
    for sides in gnubg_sides(after).tolist():
        win, win_gammon, win_backgammon, gammon, backgammon = gnubg.probabilities(sides, 0)
        # for the next player; an afterstate may have ended the game, which gnubg also knows
        equities.append(2 * win - 1 + win_gammon + win_backgammon - gammon - backgammon)
    chosen = GnubgPlayer(0).choose(boards, dice)
    for i in range(len(boards)):
        rows = slice(offsets[i], offsets[i + 1])
        if outcomes(after[rows]).max() != UNFINISHED:
            continue  # a finished board is nobody's roll
        of_chosen = np.array(equities[rows])[(after[rows] == chosen[i]).all(1)]
        assert of_chosen == pytest.approx(min(equities[rows]), abs=1e-6), boards[i].tolist()


def test_gnubg_sits_out_a_roll_that_cannot_be_played(gnubg: Any) -> None:
    board = board_of({25: 1, 1: 14}, {19: 2, 20: 2, 21: 2, 22: 2, 23: 2, 24: 2, 18: 3})
    assert GnubgPlayer(0).choose(board[None], np.array([[6, 3]])).tolist() == [swap(board).tolist()]


def test_our_pubeval_plays_as_the_one_in_gnubg(gnubg: Any) -> None:
    boards, dice = ordinary_positions(4, games=20, plies=40)
    chosen = PubevalPlayer().choose(boards, dice)
    for board, (first, second), choice in zip(boards, dice.tolist(), chosen, strict=True):
        moves = gnubg.pub_best_move(gnubg_sides(board[None])[0].tolist(), first, second)
        mover = board.copy()
        for start, end in zip(moves[::2], moves[1::2], strict=True):  # slots less one, -1 = off
            mover[start + 1] -= 1
            if end >= 0 and mover[end + 1] == -1:
                mover[end + 1], mover[0] = 0, mover[0] - 1
            if end >= 0:
                mover[end + 1] += 1
        assert choice.tolist() == swap(mover).tolist(), (board.tolist(), first, second)


def test_sage_boards_have_the_opponents_bar_positive() -> None:
    board = board_of({24: 1, 25: 2}, {1: 3, 0: 4})
    converted = sage_boards(board[None])[0]
    assert (converted[0], converted[25], converted[1], converted[24]) == (4, 2, -3, 1)
    assert board[0] == -4


def test_sage_plays_the_best_move_of_its_own_analyzer(sage: Any) -> None:
    boards, dice = ordinary_positions(5, games=10, plies=30)
    analyzer = sage.BgBotAnalyzer(eval_level="1ply", cubeful=False, bearoff_db=False)
    chosen = sage_boards(swap(SagePlayer(1).choose(boards, dice))).tolist()
    for board, roll, choice in zip(
        sage_boards(boards).tolist(), dice.tolist(), chosen, strict=True
    ):
        moves = analyzer.checker_play(board, *roll, jacoby=False).moves
        if len(moves) > 1:
            assert choice == moves[0].board, (board, roll)


@pytest.mark.parametrize(("package", "spec"), [("gnubg_nn", "gnubg"), ("bgsage", "sage")])
def test_an_engines_choice_does_not_depend_on_the_rest_of_the_batch(
    package: str, spec: str
) -> None:
    pytest.importorskip(package)
    player: Player = GnubgPlayer(0) if spec == "gnubg" else SagePlayer(1)
    boards, dice = random_positions(np.random.default_rng(6), games=8, plies=10)
    together = player.choose(boards, dice)
    backwards = player.choose(boards[::-1], dice[::-1])[::-1]
    assert together.tolist() == backwards.tolist()


def test_engines_refuse_plies_they_do_not_have() -> None:
    with pytest.raises(ValueError, match="gnubg's plies must be 0 .* got -1"):
        GnubgPlayer(-1)
    with pytest.raises(ValueError, match="sage's plies must be 1 .* got 0"):
        SagePlayer(0)
