"""The opponents that need no other package."""

from __future__ import annotations

import numpy as np
import pytest

from bgai.engine import START, Board, Boards, has_contact, legal_afterstates, swap
from bgai.engine.move_text import parse_play
from bgai.evaluation import play_match
from bgai.evaluation.opponents import PipPlayer, PubevalPlayer, RandomPlayer
from bgai.evaluation.opponents.optional import import_optional
from bgai.evaluation.opponents.pip import (
    BORNE_OFF_PIPS,
    POINT_PIPS,
    STRAGGLER_PIPS,
    pip_scores,
)
from bgai.evaluation.opponents.pubeval import point_inputs, pubeval_scores
from bgai.search import Player
from tests.engine.positions import board_of, random_positions


def play(player: Player, board: Board, dice: tuple[int, int]) -> list[int]:
    after: list[int] = player.choose(board[None], np.array([dice]))[0].tolist()
    return after


def left_by(text: str, board: Board, dice: tuple[int, int]) -> list[int]:
    after: list[int] = parse_play(board, dice, text).after.tolist()
    return after


@pytest.mark.parametrize("player", [RandomPlayer(1), PipPlayer(), PubevalPlayer()])
def test_every_choice_is_an_afterstate_of_its_board(player: Player) -> None:
    boards, dice = random_positions(np.random.default_rng(1), games=20, plies=20)
    after, offsets = legal_afterstates(boards, dice)
    for board, choice in enumerate(player.choose(boards, dice)):
        legal = after[offsets[board] : offsets[board + 1]]
        assert (legal == choice).all(1).sum() == 1, (boards[board].tolist(), dice[board])


@pytest.mark.parametrize("player", [PipPlayer(), PubevalPlayer()])
def test_a_choice_does_not_depend_on_the_rest_of_the_batch(player: Player) -> None:
    boards, dice = random_positions(np.random.default_rng(2), games=10, plies=10)
    together = player.choose(boards, dice)
    alone = [player.choose(boards[i : i + 1], dice[i : i + 1])[0] for i in range(len(boards))]
    assert together.tolist() == np.stack(alone).tolist()


def test_random_chooses_every_afterstate_equally_often() -> None:
    after, _ = legal_afterstates(START[None], np.array([[3, 1]]))
    games = 200 * len(after)
    chosen = RandomPlayer(5).choose(np.tile(START, (games, 1)), np.tile([3, 1], (games, 1)))
    counts = (chosen[:, None] == after[None]).all(2).sum(0)
    assert counts.sum() == games
    assert np.abs(counts - 200).max() < 5 * np.sqrt(200)


def test_random_depends_on_the_order_of_boards_but_not_on_how_they_are_cut() -> None:
    boards, dice = random_positions(np.random.default_rng(3), games=10, plies=4)
    cut, whole = RandomPlayer(6), RandomPlayer(6)
    parts = [cut.choose(boards[a:b], dice[a:b]) for a, b in ((0, 1), (1, 25), (25, 40))]
    assert np.concatenate(parts).tolist() == whole.choose(boards, dice).tolist()
    assert RandomPlayer(7).choose(boards, dice).tolist() != np.concatenate(parts).tolist()


def race_and_contact_score(mover: Board) -> tuple[float, float]:
    """Pubeval's race and contact scores of a position seen by the player who has just moved."""
    after = swap(mover)[None]
    offsets = np.array([0, 1])
    race = pubeval_scores(after, offsets, is_race=np.array([True]))
    contact = pubeval_scores(after, offsets, is_race=np.array([False]))
    return float(race[0]), float(contact[0])


def test_pubeval_of_a_race_worked_out_by_hand() -> None:
    # two own checkers on point 1, 13 off; an opposing blot on point 20
    own_point, opposing_blot, off = -7.26713, 0.0, 3.4204
    race, _ = race_and_contact_score(board_of({1: 2}, {20: 1}))
    assert race == pytest.approx(own_point + opposing_blot + off * 13 / 15)


def test_pubeval_of_a_contact_position_worked_out_by_hand() -> None:
    # own 7:1 6:4 5:3, 7 off; opposing blot on point 3 and one checker on the bar
    blot_7 = -0.33248
    four_on_6 = 3.35809 + 0.57353 * 0.5  # a point, and half of one above three
    three_on_5 = 4.37655 + 0.45481  # a point, and exactly three
    bar, blot_3, off = 5.62596, 0.63211, -2.758
    _, contact = race_and_contact_score(board_of({7: 1, 6: 4, 5: 3}, {3: 1, 0: 1}))
    by_hand = blot_7 + four_on_6 + three_on_5 + bar / 2 + blot_3 + off * 7 / 15
    assert contact == pytest.approx(by_hand)


@pytest.mark.parametrize(
    ("count", "inputs"),
    [
        (-2, [0, 0, 0, 0, 0]),
        (-1, [1, 0, 0, 0, 0]),
        (0, [0, 0, 0, 0, 0]),
        (1, [0, 1, 0, 0, 0]),
        (2, [0, 0, 1, 0, 0]),
        (3, [0, 0, 1, 1, 0]),
        (4, [0, 0, 1, 0, 0.5]),
        (7, [0, 0, 1, 0, 2]),
    ],
)
def test_pubeval_sees_a_point_through_five_inputs(count: int, inputs: list[float]) -> None:
    assert point_inputs(count).tolist() == inputs


def test_pubeval_makes_the_five_point_with_an_opening_three_one() -> None:
    assert play(PubevalPlayer(), START, (3, 1)) == left_by("8/5 6/5", START, (3, 1))
    assert play(PubevalPlayer(), START, (1, 3)) == left_by("8/5 6/5", START, (1, 3))


def test_pubeval_races_only_if_there_was_no_contact_before_the_play() -> None:
    # all good plays break contact; they are judged as contact all the same
    board = board_of({5: 1, 6: 1, 9: 1}, {7: 1, 18: 5})
    after, offsets = legal_afterstates(board[None], np.array([[5, 4]]))
    as_race, as_contact = (
        pubeval_scores(after, offsets, is_race=np.array([is_race])).argmax()
        for is_race in (True, False)
    )
    assert has_contact(board) and not has_contact(after[[as_race, as_contact]]).any()
    assert as_race != as_contact
    assert play(PubevalPlayer(), board, (5, 4)) == after[as_contact].tolist()


def test_pubeval_ends_the_game_when_it_can() -> None:
    board = board_of({1: 2}, {24: 2, 23: 13})
    assert sum(play(PubevalPlayer(), board, (6, 5))) == 15  # only the opponent's are left
    board = board_of({3: 1, 1: 1}, {2: 2, 24: 13})  # with contact
    assert sum(play(PubevalPlayer(), board, (3, 1))) == 15


def test_pubeval_beats_random_by_far() -> None:
    result = play_match(PubevalPlayer(), RandomPlayer(1), games=400, seed=1)
    assert result.ppg - 5 * result.standard_error > 2


def test_pip_beats_random_and_loses_to_pubeval() -> None:
    pip = PipPlayer()
    against_random = play_match(pip, RandomPlayer(1), games=400, seed=1)
    against_pubeval = play_match(pip, PubevalPlayer(), games=400, seed=1)
    assert against_random.ppg - 5 * against_random.standard_error > 1
    assert against_pubeval.ppg + 3 * against_pubeval.standard_error < 0


def score(mover: Board, is_ahead: bool = False) -> float:
    """Pip's score of a position seen by the player who has just moved."""
    after: Boards = swap(mover)[None]
    return float(pip_scores(after, np.array([0, 1]), np.array([is_ahead]))[0])


def test_pip_counts_the_race_and_the_checkers_off() -> None:
    assert score(board_of({6: 2}, {20: 1})) == 5 - 12 + BORNE_OFF_PIPS * 13
    assert score(board_of({6: 1}, {20: 1})) == 5 - 6 + BORNE_OFF_PIPS * 14


def test_pip_fears_a_blot_by_what_it_loses_and_how_often_it_is_hit() -> None:
    # from point 4: 14 is 10 away (3 rolls of 36), 12 is 8 (6), 10 is 6 (17), 8 is 4 (15)
    safe = board_of({12: 2, 10: 2}, {4: 1, 20: 2})
    blots = board_of({14: 1, 12: 1, 10: 1, 8: 1}, {4: 1, 20: 2})
    risk = (11 * 3 + 13 * 6 + 15 * 17 + 17 * 15) / 36
    assert score(safe) - score(blots) == pytest.approx(risk)


def test_pip_ahead_runs_and_behind_holds_points() -> None:
    # the opponent's checkers on 12 have passed 6 and 5 and can meet only those on 24
    passed = board_of({24: 2, 6: 2, 5: 2}, {12: 2})
    behind, ahead = score(passed, is_ahead=False), score(passed, is_ahead=True)
    assert behind - ahead == pytest.approx(2 * STRAGGLER_PIPS)
    # from 1 they have both points before them
    blocked = board_of({24: 2, 6: 2, 5: 2}, {1: 2})
    behind, ahead = score(blocked, is_ahead=False), score(blocked, is_ahead=True)
    assert behind - ahead == pytest.approx(2 * STRAGGLER_PIPS + 2 * POINT_PIPS)


def test_pip_hits_when_it_can_do_so_safely() -> None:
    board = board_of({8: 1, 6: 3, 24: 2}, {4: 1, 19: 5, 21: 4})
    assert play(PipPlayer(), board, (4, 2)) == left_by("8/4* 6/4", board, (4, 2))


def test_pip_bears_off_in_a_race() -> None:
    board = board_of({6: 1, 4: 2, 1: 1}, {24: 3})
    assert play(PipPlayer(), board, (6, 1)) == left_by("6/off 1/off", board, (6, 1))


def test_a_missing_package_is_named_with_the_command_that_installs_it() -> None:
    with pytest.raises(
        ValueError, match=r"gnubg needs .*no_such_module.* pip install '\.\[gnubg\]'"
    ):
        import_optional("no_such_module", "gnubg")
