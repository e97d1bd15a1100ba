"""Open Sage, through the optional package bgsage.

Sage counts as XG does: 1-ply is its nets alone, what bgai and gnubg call 0-ply. The nets play
alone: its bear-off database, which its analyzer adds, is left out.

Plays: without a cube it ranks our afterstates by cubeless money equity. With one it ranks by its
cubeful equity, at money or at the score, and our rules check its choice. From 2-ply on it looks
only at those plays that its move filter keeps.

Cube: it decides at money and at match scores, by Janowski's model on the probabilities that its
nets, or its search, find. (Its analyzer lets the cube into the search from 2-ply on, which takes
many times longer.) It does not know that a cube may have a cap: it is only kept from passing it.

Sage's nets are chosen by the board before the play, so its equities of afterstates alone would be
others. Choosing holds the GIL for about half of its time, and threads make it no faster.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bgai.cube import StateRows
from bgai.cube.state_rows import (
    AWAY,
    BEAVERS,
    CAP,
    IS_CRAWFORD,
    JACOBY,
    OPPONENT_AWAY,
    OWNER,
    VALUE,
    may_double,
)
from bgai.engine import OPPONENT_BAR, Boards, legal_afterstates, swap
from bgai.evaluation.opponents.engine_player import NeverResigns, alike, check_plays
from bgai.evaluation.opponents.optional import import_optional
from bgai.search.player import BEAVER, PASS, TAKE

MOST_PLIES = 4

_FILTER = 5, 0.08  # the most plays it searches, and how far they may be behind: its own default
_THREADS = 1


class SagePlayer(NeverResigns):
    """Plays what Sage plays at `plies` (1 = its nets alone)."""

    def __init__(self, plies: int) -> None:
        """
        Raises:
            ValueError: `plies` is not 1..4, or bgsage is not installed.
        """
        if not 1 <= plies <= MOST_PLIES:
            raise ValueError(
                f"sage's plies must be 1 (its nets alone) to {MOST_PLIES}, got {plies}"
            )
        self.name = f"sage:{plies}"
        self._plies = plies
        weights = import_optional("bgsage", "sage").default_weights()
        self._library = import_optional("bgbot_cpp", "sage")
        files = weights.strategy_type, weights.weight_paths_list, weights.hidden_sizes_list
        self._nets = self._library.create_strategy(*files)
        self._search = self._library.create_multipy(*files, n_plies=plies)
        # without the cache a choice depends on nothing but its position, and is no slower
        self._search.set_cache_enabled(False)
        owner = self._library.CubeOwner
        self._owners = owner.CENTERED, owner.PLAYER, owner.OPPONENT

    def choose(self, boards: Boards, dice: npt.NDArray[np.int64]) -> Boards:
        """`[B, 26]`, `[B, 2]` -> `[B, 26]` afterstates, seen by the next player; cubeless."""
        after, offsets = legal_afterstates(boards, dice)
        candidates = sage_boards(swap(after)).tolist()
        before = sage_boards(boards).tolist()
        rows = offsets[:-1].copy()
        for game in np.flatnonzero(np.diff(offsets) > 1):
            plays = candidates[offsets[game] : offsets[game + 1]]
            rows[game] += self._search.best_move_index(plays, before[game])
        return after[rows]

    def choose_cubeful(
        self, boards: Boards, dice: npt.NDArray[np.int64], states: StateRows
    ) -> Boards:
        """The same by cubeful equity, at money and at match scores."""
        after, offsets = legal_afterstates(boards, dice)
        chosen = after[offsets[:-1]]
        has_choice = np.diff(offsets) > 1
        strategies = (self._nets,) if self._plies == 1 else (self._nets, self._search)
        for group in alike(_options(states)):
            asked = group[has_choice[group]]
            if len(asked):
                results = self._library.batch_checker_play(
                    self._checker_questions(boards[asked], dice[asked], states[asked]),
                    *strategies,
                    *_FILTER,
                    _THREADS,
                    **_as_arguments(states[asked[0]]),
                )
                chosen[asked] = self._best_plays(results)
        check_plays(self.name, boards, dice, after, offsets, chosen)
        return chosen

    def doubles(self, boards: Boards, states: StateRows) -> npt.NDArray[np.bool_]:
        """Whether Sage doubles, `[B]`."""
        may = may_double(states)
        doubling = np.zeros(len(boards), np.bool_)
        doubling[may] = self._cube_actions(boards[may], states[may])[:, 0]
        return doubling

    def responses(self, boards: Boards, states: StateRows) -> npt.NDArray[np.int8]:
        """`PASS`, `TAKE` or `BEAVER`, `[B]`; boards and states are those of the doubler."""
        _, takes, beavers = self._cube_actions(boards, states).T
        return np.where(beavers, BEAVER, np.where(takes, TAKE, PASS)).astype(np.int8)

    def _checker_questions(
        self, boards: Boards, dice: npt.NDArray[np.int64], states: StateRows
    ) -> list[dict[str, Any]]:
        rows = zip(sage_boards(boards).tolist(), dice.tolist(), self._cubes(states), strict=True)
        names = "cube_value", "cube_owner", "away1", "away2", "is_crawford"
        return [
            {
                "board": board,
                "die1": first,
                "die2": second,
                **dict(zip(names, cube, strict=False)),  # money has no score
            }
            for board, (first, second), cube in rows
        ]

    def _best_plays(self, results: list[dict[str, Any]]) -> Boards:
        """The first of the moves, which come sorted, that was looked at with all plies."""
        level = f"{self._plies}-ply"
        boards = [
            next(move["board"] for move in result["moves"] if move["eval_level"] == level)
            for result in results
        ]
        return swap(sage_boards(np.array(boards, np.int8)))

    def _cube_actions(self, boards: Boards, states: StateRows) -> npt.NDArray[np.bool_]:
        """`[B, 3]`: whether to double, whether to take, and whether to beaver instead."""
        actions = np.empty((len(boards), 3), np.bool_)
        names = "should_double", "should_take", "is_beaver"
        for group in alike(_options(states)):
            rows = zip(sage_boards(boards[group]).tolist(), self._cubes(states[group]), strict=True)
            results = self._library.batch_evaluate_positions(
                [(board, *cube) for board, cube in rows],
                self._nets if self._plies == 1 else self._search,
                _THREADS,
                **_as_arguments(states[group[0]]),
            )
            actions[group] = [[result[name] for name in names] for result in results]
        return actions

    def _cubes(self, states: StateRows) -> list[tuple[Any, ...]]:
        """Value and owner of the cube and, in a match, points away and Crawford."""
        columns = [VALUE, OWNER, AWAY, OPPONENT_AWAY, IS_CRAWFORD]
        return [
            (value, self._owners[owner], *((away, other, bool(crawford)) if away else ()))
            for value, owner, away, other, crawford in states[:, columns].tolist()
        ]


def _options(states: StateRows) -> npt.NDArray[np.int64]:
    """Whether the Jacoby rule and beavers count in each state, `[N, 2]`: one answer for a call."""
    may_beaver = (states[:, BEAVERS] != 0) & (4 * states[:, VALUE] <= states[:, CAP])
    return np.stack([states[:, JACOBY], may_beaver], axis=1)


def _as_arguments(state: npt.NDArray[np.int64]) -> dict[str, bool]:
    """The options of one state `[9]` as Sage's functions take them."""
    jacoby, beaver = _options(state[None])[0].tolist()
    return {"jacoby": bool(jacoby), "beaver": bool(beaver)}


def sage_boards(boards: Boards) -> Boards:
    """`[N, 26]` boards as Sage wants them: the opponent's bar as a positive count; and back."""
    converted = boards.copy()
    converted[:, OPPONENT_BAR] *= -1
    return converted
