"""The arena: pairs of games with the same dice both ways, and their points."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from bgai.engine import (
    OUTCOMES,
    START,
    UNFINISHED,
    Board,
    Boards,
    Dice,
    Probs,
    outcomes,
    pip_counts,
    swap,
)
from bgai.evaluation import ArenaResult, play_match
from bgai.evaluation.arena import pair_dice
from bgai.evaluation.opponents import PipPlayer, PubevalPlayer, RandomPlayer
from bgai.interface.bot import load_bot


def lost_board(own_checkers: dict[int, int]) -> Board:
    """A board whose player has lost: the opponent has borne off everything."""
    board = np.zeros(26, np.int8)
    for slot, count in own_checkers.items():
        board[slot] = count
    return board


LOST = {
    "single": lost_board({6: 14}),
    "gammon": lost_board({6: 15}),
    "backgammon": lost_board({6: 14, 19: 1}),
}


class Winner:
    """Ends each game at its first turn; the rules are not asked."""

    def __init__(self, kind: str) -> None:
        self.name = kind
        self._lost = LOST[kind]

    def choose(self, boards: Boards, dice: Dice) -> Boards:
        return np.tile(self._lost, (len(boards), 1))


class Sleeper:
    """Never moves."""

    name = "sleeper"

    def choose(self, boards: Boards, dice: Dice) -> Boards:
        return swap(boards)


class Recorder:
    """Plays like pip and keeps what it was asked."""

    name = "recorder"

    def __init__(self) -> None:
        self.asked: list[tuple[Boards, Dice]] = []

    def choose(self, boards: Boards, dice: Dice) -> Boards:
        self.asked.append((boards.copy(), dice.copy()))
        return PipPlayer().choose(boards, dice)


def test_the_boards_of_this_file_are_lost_as_named() -> None:
    names = [OUTCOMES[int(outcomes(board))] for board in LOST.values()]
    assert names == ["lose", "lose_gammon", "lose_backgammon"]


@pytest.mark.parametrize(("kind", "points"), [("single", 1), ("gammon", 2), ("backgammon", 3)])
def test_a_win_counts_its_points_for_the_winner_and_against_the_loser(
    kind: str, points: int
) -> None:
    won = play_match(Winner(kind), Sleeper(), games=8, seed=0)
    lost = play_match(Sleeper(), Winner(kind), games=8, seed=0)
    expected = tuple(8 if points == worth else 0 for worth in (1, 2, 3))
    assert (won.ppg, lost.ppg) == (points, -points)
    assert (won.first_wins, won.second_wins) == (expected, (0, 0, 0))
    assert (lost.first_wins, lost.second_wins) == ((0, 0, 0), expected)


def test_each_player_starts_one_game_of_a_pair() -> None:
    result = play_match(Winner("backgammon"), Winner("single"), games=20, seed=0)
    assert result.first_wins == (0, 0, 10)
    assert result.second_wins == (10, 0, 0)
    assert result.ppg == 1  # (3 - 1) / 2
    assert result.mean_plies == 1


def test_a_ply_is_one_players_turn() -> None:
    # the winner starts one game and ends it at ply 1, and is asked second in the other
    assert play_match(Winner("single"), Sleeper(), games=4, seed=0).mean_plies == 1.5


def test_the_standard_error_is_over_pairs_not_games() -> None:
    # every pair gives (3 - 1) / 2 although its games give 3 and -1
    assert play_match(Winner("backgammon"), Winner("single"), 20, seed=0).standard_error == 0


def test_a_player_against_itself_scores_exactly_zero() -> None:
    result = play_match(PubevalPlayer(), PubevalPlayer(), games=200, seed=3)
    assert result.ppg == 0
    assert result.standard_error == 0
    assert result.first_wins == result.second_wins


def test_both_games_of_a_pair_get_the_same_rolls() -> None:
    first, second = Recorder(), Recorder()
    play_match(first, second, games=4, seed=5, batch=2)
    # two pairs, one after the other; at every ply each player moves in one of the two games
    for (boards, dice), (other_boards, other_dice) in zip(first.asked, second.asked, strict=True):
        assert dice.tolist() == other_dice.tolist()
        assert boards.tolist() == other_boards.tolist()


def test_opening_rolls_are_never_doubles_and_later_ones_are() -> None:
    opening = pair_dice(1, 0, 0, 3000)
    later = pair_dice(1, 1, 0, 3000)
    assert (opening[:, 0] != opening[:, 1]).all()
    assert 400 < (later[:, 0] == later[:, 1]).sum() < 600  # 500 expected
    assert opening.min() == later.min() == 1
    assert opening.max() == later.max() == 6


def test_the_first_turn_is_the_starting_position_with_the_opening_roll() -> None:
    recorder = Recorder()
    play_match(recorder, PipPlayer(), games=20, seed=7)
    boards, dice = recorder.asked[0]
    assert (boards == START).all()
    assert dice.tolist() == pair_dice(7, 0, 0, 10).tolist()


@pytest.mark.parametrize(("start", "stop"), [(0, 1), (1000, 1100), (1023, 1025), (2048, 2060)])
def test_rolls_belong_to_the_pair_and_the_ply(start: int, stop: int) -> None:
    everything = pair_dice(9, 4, 0, 3000)
    assert pair_dice(9, 4, start, stop).tolist() == everything[start:stop].tolist()
    assert pair_dice(9, 5, start, stop + 50).tolist() != everything[start : stop + 50].tolist()


@pytest.mark.parametrize("batch", [2, 7, 64, 1000])
def test_the_batch_size_does_not_change_the_result(batch: int) -> None:
    expected = play_match(PipPlayer(), PubevalPlayer(), games=40, seed=2)
    assert play_match(PipPlayer(), PubevalPlayer(), games=40, seed=2, batch=batch) == expected


def test_a_match_is_determined_by_its_seed() -> None:
    def match(seed: int) -> ArenaResult:
        return play_match(PubevalPlayer(), RandomPlayer(1), games=60, seed=seed)

    assert match(4) == match(4)
    assert match(4).mean_plies != match(5).mean_plies


def test_more_games_begin_with_the_same_games() -> None:
    few, many = Recorder(), Recorder()
    play_match(few, PipPlayer(), games=10, seed=1)
    play_match(many, PipPlayer(), games=40, seed=1)
    assert many.asked[0][1][:5].tolist() == few.asked[0][1].tolist()


def test_progress_tells_every_game_once() -> None:
    ended: list[int] = []
    play_match(PipPlayer(), PubevalPlayer(), games=50, seed=2, batch=20, progress=ended.append)
    assert sum(ended) == 50


def test_a_result_is_plain_json() -> None:
    result = play_match(PipPlayer(), PubevalPlayer(), games=10, seed=2).to_json()
    assert json.loads(json.dumps(result)) == result
    wins = sum(result["first_wins"].values()) + sum(result["second_wins"].values())
    assert wins == result["games"] == 10


@pytest.mark.parametrize("games", [-2, 0, 2, 5])
def test_an_unusable_number_of_games_is_refused(games: int) -> None:
    with pytest.raises(ValueError, match=f"at least 4, got {games}"):
        play_match(PipPlayer(), PipPlayer(), games=games, seed=0)


def test_a_negative_seed_and_an_empty_batch_are_refused() -> None:
    with pytest.raises(ValueError, match="seed must be at least 0, got -1"):
        play_match(PipPlayer(), PipPlayer(), games=4, seed=-1)
    with pytest.raises(ValueError, match="batch must be at least 2, got 1"):
        play_match(PipPlayer(), PipPlayer(), games=4, seed=0, batch=1)


def fair_judge(boards: Boards) -> Probs:
    """Chances from the pip counts alone: a poor judge, but not a blind one."""
    own, opponent = pip_counts(boards)
    winning = 1 / (1 + np.exp((own - opponent - 4) / 12))
    probs = np.zeros((len(boards), len(OUTCOMES)), np.float32)
    probs[:, 0], probs[:, 3] = winning, 1 - winning
    ended = outcomes(boards)
    over = ended != UNFINISHED
    probs[over] = np.eye(len(OUTCOMES), dtype=np.float32)[ended[over]]
    return probs


def test_without_a_judge_nothing_is_adjusted() -> None:
    result = play_match(PipPlayer(), PubevalPlayer(), games=10, seed=2)
    assert result.adjusted_ppg is result.adjusted_standard_error is None
    assert result.to_json()["adjusted_ppg"] is None


def test_a_judge_changes_nothing_but_what_is_adjusted() -> None:
    plain = play_match(PipPlayer(), PubevalPlayer(), games=10, seed=2)
    judged = play_match(PipPlayer(), PubevalPlayer(), games=10, seed=2, luck_judge=fair_judge)
    assert replace(judged, adjusted_ppg=None, adjusted_standard_error=None) == plain
    assert json.loads(json.dumps(judged.to_json()))["adjusted_ppg"] == judged.adjusted_ppg


def test_the_luck_of_a_player_against_itself_cancels_too() -> None:
    result = play_match(PipPlayer(), PipPlayer(), games=10, seed=3, luck_judge=fair_judge)
    assert result.adjusted_ppg == pytest.approx(0, abs=1e-9)
    assert result.adjusted_standard_error == pytest.approx(0, abs=1e-9)


def test_without_luck_the_points_are_the_same_on_average() -> None:
    result = play_match(PipPlayer(), PubevalPlayer(), games=100, seed=4, luck_judge=fair_judge)
    assert result.adjusted_ppg is not None and result.adjusted_standard_error is not None
    assert result.adjusted_standard_error < result.standard_error
    # the two differ by the luck that the judge has found, which spreads less than the points
    assert abs(result.adjusted_ppg - result.ppg) < 3 * result.standard_error


def test_a_judge_who_knows_the_game_halves_the_spread() -> None:
    judge = load_bot("flagship")
    result = play_match(PipPlayer(), PubevalPlayer(), games=40, seed=1, luck_judge=judge)
    assert result.adjusted_ppg is not None and result.adjusted_standard_error is not None
    assert result.adjusted_standard_error < 0.6 * result.standard_error
    assert abs(result.adjusted_ppg - result.ppg) < 3 * result.standard_error


def test_the_batch_size_does_not_change_what_is_adjusted() -> None:
    def adjusted(batch: int) -> float | None:
        result = play_match(
            PipPlayer(), PubevalPlayer(), games=10, seed=2, batch=batch, luck_judge=fair_judge
        )
        return result.adjusted_ppg

    assert adjusted(6) == pytest.approx(adjusted(1000), abs=1e-9)
