import numpy as np

from bgai.engine import START, Boards, legal_afterstates
from bgai.search import Scout, choose_plays, shortlist

DICE = np.array([[3, 1], [6, 5]])
BOARDS = np.repeat(START[None], 2, axis=0)


class Numbered:
    """Scores afterstates by a table that the test fills."""

    def __init__(self, scores: list[float]) -> None:
        self._scores = np.array(scores, np.float32)

    def __call__(self, after: Boards) -> np.ndarray:
        assert len(after) == len(self._scores)
        return self._scores


def test_a_shortlist_is_the_best_few_of_each_board_in_their_order() -> None:
    after = np.arange(8 * 26, dtype=np.int16).reshape(8, 26).astype(np.int8)
    offsets = np.array([0, 5, 6, 8])
    scout = Scout(Numbered([0.1, 0.5, 0.3, 0.4, 0.2, -1.0, 0.0, 0.0]), keep=2)
    kept, kept_offsets = shortlist(after, offsets, scout)
    np.testing.assert_array_equal(kept_offsets, [0, 2, 3, 5])
    np.testing.assert_array_equal(kept, after[[1, 3, 5, 6, 7]])


def test_a_shortlist_longer_than_the_list_keeps_all() -> None:
    after, offsets = legal_afterstates(BOARDS, DICE)
    scout = Scout(lambda rows: rows[:, 3].astype(np.float32), keep=1000)
    kept, kept_offsets = shortlist(after, offsets, scout)
    np.testing.assert_array_equal(kept, after)
    np.testing.assert_array_equal(kept_offsets, offsets)


def test_the_evaluator_chooses_among_what_the_scout_leaves() -> None:
    after, offsets = legal_afterstates(BOARDS, DICE)
    seen: list[Boards] = []

    def evaluator(boards: Boards) -> np.ndarray:
        seen.append(boards)
        return np.tile(np.array([0, 0, 0, 1, 0, 0], np.float32), (len(boards), 1))

    scout = Scout(lambda rows: -np.arange(len(rows), dtype=np.float32), keep=1)
    chosen, probs = choose_plays(evaluator, BOARDS, DICE, scout)
    np.testing.assert_array_equal(chosen, after[offsets[:-1]])
    np.testing.assert_array_equal(seen[0], chosen)
    assert probs.shape == (2, 6)


def test_a_margin_leaves_out_what_is_too_far_behind_but_never_the_best() -> None:
    scores = np.array([0.5, 0.9, 0.85, -2.0, -1.0], np.float32)
    after, offsets = np.arange(5 * 26, dtype=np.int8).reshape(5, 26), np.array([0, 3, 5])
    for margin, expected in ((0.1, [1, 2, 4]), (0.0, [1, 4]), (0.5, [0, 1, 2, 4])):
        kept, _ = shortlist(after, offsets, Scout(lambda _: scores, 3, margin))
        assert kept.tolist() == after[expected].tolist()
