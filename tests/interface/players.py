"""Players for tables in tests: quick bots without a net, and a person who does anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bgai.cube import StateRows
from bgai.cube.state_rows import BEAVERS, CAP, VALUE
from bgai.engine import UNFINISHED, Boards, Probs, legal_afterstates, outcomes
from bgai.interface.table import Automatic, Seat, Table
from bgai.match import Action, MatchState, Rules, money_rules, resignation_levels
from bgai.search import EvaluatorPlayer
from bgai.search.player import BEAVER, PASS, TAKE

ALL_RULES = (
    Rules(3),
    Rules(1),
    Rules(5, crawford=False),
    Rules(3, games_limit=2, cap=1),
    money_rules(games_limit=3, jacoby=True, beavers=True, automatic_doubles=2),
    money_rules(games_limit=2, beavers=True, cap=8),
    money_rules(games_limit=1, cap=1),
)


ENTERS_ONLY = {25: 2, 6: 13}, {22: 2, 1: 13}
"""With 4-3 one of the two checkers on the bar enters on 21, and nothing else can move."""

_WEIGHTS = np.arange(26.0) ** 1.1  # a little more for the rear, so that no two plays are alike


def race_evaluator(boards: Boards) -> Probs:
    """The chance to win grows with the lead in pips; some games are gammons. Exact at the end."""
    own, opponent = boards.clip(0) @ _WEIGHTS, (-boards[:, ::-1]).clip(0) @ _WEIGHTS
    win = 1 / (1 + np.exp((own - opponent) / 12))
    probs = np.zeros((len(boards), 6), np.float32)
    probs[:, 0], probs[:, 1] = 0.8 * win, 0.2 * win
    probs[:, 3], probs[:, 4] = 0.8 * (1 - win), 0.2 * (1 - win)
    ended = outcomes(boards)
    over = ended != UNFINISHED
    probs[over] = np.eye(6, dtype=np.float32)[ended[over]]
    return probs


def racer() -> EvaluatorPlayer:
    """A bot that hands out and answers doubles by the lead in pips."""
    return EvaluatorPlayer("racer", race_evaluator)


@dataclass
class Gambler:
    """A bot whose every decision follows from the position alone, cube and resignations included.

    It answers each kind of question in every way now and then, and is quick.
    """

    name: str = "gambler"
    resigns: bool = True
    doubles_at: int = 3

    def _number(self, board: Sequence[int]) -> int:
        return int(sum(slot * count for slot, count in enumerate(board)))

    def choose(self, boards: Boards, dice: npt.NDArray[np.int64]) -> Boards:
        after, offsets = legal_afterstates(boards, dice)
        picked = [
            start + self._number(board.tolist()) % (stop - start)
            for board, start, stop in zip(boards, offsets, offsets[1:], strict=False)
        ]
        return after[picked]

    def choose_cubeful(
        self, boards: Boards, dice: npt.NDArray[np.int64], states: StateRows
    ) -> Boards:
        return self.choose(boards, dice)

    def doubles(self, boards: Boards, states: StateRows) -> npt.NDArray[np.bool_]:
        return np.array([self._number(board) % self.doubles_at == 0 for board in boards.tolist()])

    def responses(self, boards: Boards, states: StateRows) -> npt.NDArray[np.int8]:
        numbers = np.array([self._number(board) % 5 for board in boards.tolist()])
        may_beaver = (states[:, BEAVERS] != 0) & (4 * states[:, VALUE] <= states[:, CAP])
        answers = np.select([numbers == 0, (numbers < 3) & may_beaver], [PASS, BEAVER], TAKE)
        return answers.astype(np.int8)

    def resignations(self, states: Sequence[MatchState]) -> list[int]:
        return [
            next(iter(resignation_levels(state)), 0)
            if self.resigns and self._number(state.position) % 19 == 0
            else 0
            for state in states
        ]

    def accepts(self, state: MatchState) -> bool:
        return self._number(state.position) % 2 == 0


@dataclass
class Anybody:
    """A person who does anything that is allowed, by lot; plays checker by checker."""

    rng: np.random.Generator
    seen: set[Action] = field(default_factory=set)

    def act(self, table: Table) -> None:
        """One action of the person who decides, or the next game."""
        allowed = [
            action
            for action in table.allowed
            if action is not Action.RESIGN or self.rng.random() < 0.02
        ]
        action = allowed[self.rng.integers(len(allowed))]
        self.seen.add(action)
        if action is Action.PLAY:
            self.play(table)
        elif action is Action.RESIGN:
            levels = table.resignation_levels
            table.resign(levels[self.rng.integers(len(levels))])
        else:
            self.methods(table)[action]()

    def play(self, table: Table) -> None:
        """One move after the other, now and then one taken back."""
        while table.legal_moves:
            start, end = table.legal_moves[self.rng.integers(len(table.legal_moves))]
            table.move(start, end)
            if self.rng.random() < 0.1:
                table.undo_move()
        table.confirm()

    @staticmethod
    def methods(table: Table) -> dict[Action, Callable[[], object]]:
        return {
            Action.ROLL: table.roll,
            Action.THROW_OPENING: table.roll,
            Action.DOUBLE: table.double,
            Action.TAKE: table.take,
            Action.PASS: table.pass_,
            Action.BEAVER: table.beaver,
            Action.RACCOON: table.raccoon,
            Action.ACCEPT: table.accept,
            Action.DECLINE: table.decline,
            Action.NEXT_GAME: table.next_game,
        }


def table_with_person(rules: Rules, seed: int, automatic: Automatic | None = None) -> Table:
    """A person in seat 0 against the gambler."""
    seats = Seat("Ann"), Seat("gambler", Gambler())
    return Table(seats, rules, seed, automatic=automatic)


def play_on(table: Table, person: Anybody, steps: int = 10_000) -> Table:
    """Let a person play a session on, for at most some steps."""
    while steps:
        table.advance()
        if table.is_over:
            break
        person.act(table)
        steps -= 1
    return table
