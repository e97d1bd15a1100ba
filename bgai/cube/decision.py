"""What to do with the cube: double or not, take, pass or beaver, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from bgai.cube.efficiency import CubeEfficiency, default_efficiency
from bgai.cube.inputs import Numbers, check_efficiencies, check_probs, check_scores, is_money
from bgai.cube.ladder import DP, DT, ND, cubeful_values
from bgai.cube.match_equity import MatchEquityTable, kazaross_xg2
from bgai.cube.state_rows import (
    BEAVERS,
    CAP,
    OWNER,
    VALUE,
    StateRows,
    is_free_double,
    may_double,
    pack_states,
    unpack_state,
)
from bgai.engine import Board, Boards
from bgai.match.cube_state import CubeState, Owner

TIE = 1e-9  # equities closer than this differ by rounding only


class Action(Enum):
    """What the player about to roll does with the cube."""

    NOT_AVAILABLE = "not available"
    NO_DOUBLE = "no double"
    DOUBLE = "double"
    TOO_GOOD = "too good to double"


class Response(Enum):
    """What the opponent does when doubled."""

    TAKE = "take"
    PASS = "pass"
    BEAVER = "beaver"


ACTIONS = tuple(Action)
RESPONSES = tuple(Response)
_ACTION_CODES = {action: code for code, action in enumerate(ACTIONS)}
_RESPONSE_CODES = {response: code for code, response in enumerate(RESPONSES)}


@dataclass(frozen=True)
class CubeDecision:
    """One decision, seen by the player about to roll.

    Attributes:
        probs: the six outcome probabilities that it rests on.
        nd, dt, dp: no double, double and take, double and pass, in points per current cube; in a
            match so scaled that winning and losing the present stake are +1 and -1.
        chances: in a match the same three as chances of winning it.
        action: what the player should do.
        response: what the opponent should do if doubled, also where doubling is wrong.
        reason: why, as a sentence without its full stop.
    """

    state: CubeState
    probs: tuple[float, ...]
    nd: float
    dt: float
    dp: float
    chances: tuple[float, float, float] | None
    action: Action
    response: Response
    reason: str

    @property
    def is_redouble(self) -> bool:
        """Whether the player would turn a cube of their own."""
        return self.state.owner is Owner.PLAYER

    def __str__(self) -> str:
        """The customary words, such as "redouble, pass" or "no double, beaver"."""
        if self.action is Action.NOT_AVAILABLE:
            return f"no cube: {self.reason}"
        words = self.action.value
        if self.is_redouble:
            words = words.replace("double", "redouble")
        return f"{words}, {self.response.value}"

    def to_json(self) -> dict[str, Any]:
        chances = None
        if self.chances is not None:
            chances = dict(zip(("nd", "dt", "dp"), self.chances, strict=True))
        return {
            "nd": self.nd,
            "dt": self.dt,
            "dp": self.dp,
            "match_winning_chances": chances,
            "action": self.action.value,
            "response": self.response.value,
            "text": str(self),
            "reason": self.reason,
        }


@dataclass(frozen=True, eq=False)
class CubeDecisions:
    """A batch of decisions; a row of it is a `CubeDecision`.

    Attributes:
        states: `[N, 9]`.
        probs: `[N, 6]`.
        nd, dt, dp: `[N]`.
        chances: `[N, 3]`; NaN at money.
        actions, responses: `[N]` places in `ACTIONS` and `RESPONSES`.
    """

    states: StateRows
    probs: Numbers
    nd: Numbers
    dt: Numbers
    dp: Numbers
    chances: Numbers
    actions: npt.NDArray[np.int8]
    responses: npt.NDArray[np.int8]

    @property
    def doubles(self) -> npt.NDArray[np.bool_]:
        """Where the player should double, `[N]`."""
        doubles: npt.NDArray[np.bool_] = self.actions == _ACTION_CODES[Action.DOUBLE]
        return doubles

    @property
    def takes(self) -> npt.NDArray[np.bool_]:
        """Where the opponent should not pass, `[N]`."""
        takes: npt.NDArray[np.bool_] = self.responses != _RESPONSE_CODES[Response.PASS]
        return takes

    @property
    def equities(self) -> Numbers:
        """The value of each position when both sides do the right thing, `[N]`; see `nd`."""
        return np.where(self.doubles, _value_of_double(self.dt, self.dp, self.responses), self.nd)

    def __len__(self) -> int:
        return len(self.nd)

    def __iter__(self) -> Iterator[CubeDecision]:
        return (self[row] for row in range(len(self)))

    def __getitem__(self, row: int) -> CubeDecision:
        state = unpack_state(self.states[row])
        nd, dt, dp = (float(numbers[row]) for numbers in (self.nd, self.dt, self.dp))
        action, response = ACTIONS[self.actions[row]], RESPONSES[self.responses[row]]
        chances = None
        if state.away is not None:
            chances = (
                float(self.chances[row, ND]),
                float(self.chances[row, DT]),
                float(self.chances[row, DP]),
            )
        reason = _reason(state, nd, dt, dp, action, response)
        probs = tuple(self.probs[row].tolist())
        return CubeDecision(state, probs, nd, dt, dp, chances, action, response, reason)


def decide_batch(
    probs: npt.ArrayLike,
    states: CubeState | Sequence[CubeState] | StateRows,
    efficiency: npt.ArrayLike,
    table: MatchEquityTable | None = None,
    known: Numbers | None = None,
) -> CubeDecisions:
    """The right cube action for every row, at money and at match scores mixed.

    Doubling is right when the worse of double / take and double / pass beats no double. A taker
    who gains by it beavers where that is allowed, which makes double / take count twice; under the
    Jacoby rule doubling may be right even then, when not doubling is worse still. Doubling that
    risks nothing is always right unless playing on for a gammon is better.

    Args:
        probs: `[N, 6]`.
        states: one for all, or `[N]`.
        efficiency: x in 0..1: one number, `[N]`, or `[N, 2]` before a double and after a take.
        table: Kazaross XG2 unless given.
        known: `[N, 2]` ND and DT that are known exactly, in points per current cube at money; NaN
            for the others.

    Raises:
        ValueError: bad probabilities or efficiencies, or a score that the table does not know;
            names the value.
    """
    table = table or kazaross_xg2()
    rows = check_probs(probs)
    packed = pack_states(states, len(rows))
    efficiencies = check_efficiencies(efficiency, len(rows))
    check_scores(packed, table)
    values, equities = cubeful_values(rows, packed, efficiencies, table.chances)
    if known is not None:
        equities[:, :2] = np.where(np.isnan(known), equities[:, :2], known)
    nd, dt, dp = equities.T
    responses = _responses(packed, dt, dp)
    return CubeDecisions(
        states=packed,
        probs=rows,
        nd=nd,
        dt=dt,
        dp=dp,
        chances=np.where(is_money(packed)[:, None], np.nan, values),
        actions=_actions(packed, nd, dp, _value_of_double(dt, dp, responses)),
        responses=responses,
    )


def decide(
    probs: npt.ArrayLike,
    state: CubeState,
    efficiency: npt.ArrayLike,
    table: MatchEquityTable | None = None,
) -> CubeDecision:
    """The right cube action for one position; `probs` `[6]`, the rest as in `decide_batch`."""
    rows = check_probs(probs)
    if len(rows) != 1:
        raise ValueError(f"a decision rests on 6 probabilities, got {len(rows)} rows of them")
    return decide_batch(rows, state, np.atleast_1d(efficiency)[None], table)[0]


def _responses(states: StateRows, dt: Numbers, dp: Numbers) -> npt.NDArray[np.int8]:
    may_beaver = (states[:, BEAVERS] != 0) & (4 * states[:, VALUE] <= states[:, CAP])
    taken = np.where(
        may_beaver & (dt < 0), _RESPONSE_CODES[Response.BEAVER], _RESPONSE_CODES[Response.TAKE]
    )
    return np.where(dt > dp, _RESPONSE_CODES[Response.PASS], taken).astype(np.int8)


def _value_of_double(dt: Numbers, dp: Numbers, responses: npt.NDArray[np.int8]) -> Numbers:
    """What doubling brings after the best response."""
    taken = np.where(responses == _RESPONSE_CODES[Response.BEAVER], 2 * dt, dt)
    return np.minimum(taken, dp)


def _actions(states: StateRows, nd: Numbers, dp: Numbers, doubled: Numbers) -> npt.NDArray[np.int8]:
    # on a tie the player doubles when it ends the game or when nothing can be lost by it
    tie_counts = is_free_double(states) | (doubled == dp)
    is_right = np.where(tie_counts, nd <= doubled + TIE, nd < doubled - TIE)
    not_doubled = np.where(nd > dp, _ACTION_CODES[Action.TOO_GOOD], _ACTION_CODES[Action.NO_DOUBLE])
    actions = np.where(is_right, _ACTION_CODES[Action.DOUBLE], not_doubled)
    actions = np.where(may_double(states), actions, _ACTION_CODES[Action.NOT_AVAILABLE])
    return actions.astype(np.int8)


def _reason(
    state: CubeState, nd: float, dt: float, dp: float, action: Action, response: Response
) -> str:
    if action is Action.NOT_AVAILABLE:
        return _why_not_available(state)
    if action is Action.TOO_GOOD:
        return f"playing on for a gammon is worth {nd - dp:.3f} more than the pass"
    if action is Action.NO_DOUBLE:
        if response is Response.BEAVER:
            return "the opponent gains by the double and would beaver"
        return f"the cube is worth {nd - min(dt, dp):.3f} more where it is"
    if is_free_double(pack_states(state, 1))[0]:
        return "a lost game loses the match anyway, so that the double risks nothing"
    if response is Response.PASS:
        return f"the opponent has to pass, who would lose {dt - dp:.3f} by taking"
    if response is Response.BEAVER:
        return "gammons count only with a turned cube, which is worth even a beaver"
    return f"a higher stake is worth {dt - nd:.3f}, and passing would cost {dp - dt:.3f}"


def _why_not_available(state: CubeState) -> str:
    if state.cap == 1:
        return "this game is played without the cube"
    if state.is_crawford:
        return "the Crawford game is played without the cube"
    if state.owner is Owner.OPPONENT:
        return "the opponent owns the cube"
    if 2 * state.value > state.cap:
        return f"the cube is at its cap of {state.cap}"
    return "the cube is dead: the present stake wins the match already"


class ExactEquities(Protocol):
    """Equities for money in points per current cube, for the player about to roll."""

    @property
    def no_double(self) -> npt.NDArray[np.floating]:
        """`[N, 3]` in the order of `OWNERS`."""
        ...

    @property
    def double_take(self) -> npt.NDArray[np.floating]:
        """`[N]`."""
        ...


ExactCube: TypeAlias = Callable[[Boards], tuple[ExactEquities, npt.NDArray[np.bool_]]]
"""Boards `[N, 26]` -> what is known exactly, and of which boards, `[N]`."""

_DOUBLES_TO_COME = 8  # a cap so many times the cube away changes no digit of a bear-off's equity


@dataclass(frozen=True)
class CubeModel:
    """Everything that turns probabilities into cube decisions: a table and the efficiencies.

    Attributes:
        exact: knows some positions without a model; asked for money.
    """

    table: MatchEquityTable = field(default_factory=kazaross_xg2)
    efficiency: CubeEfficiency = field(default_factory=default_efficiency)
    exact: ExactCube | None = None

    def decide_batch(
        self,
        probs: npt.ArrayLike,
        boards: Boards,
        states: CubeState | Sequence[CubeState] | StateRows,
    ) -> CubeDecisions:
        """`probs` `[N, 6]` and `boards` `[N, 26]`, both for the player about to roll."""
        packed = pack_states(states, len(boards))
        known = None if self.exact is None else self._known(self.exact, boards, packed)
        return decide_batch(probs, packed, self.efficiency(boards, packed), self.table, known)

    def _known(self, exact: ExactCube, boards: Boards, states: StateRows) -> Numbers | None:
        """`[N, 2]` exact ND and DT; NaN where they are not known, None where none are."""
        equities, known = exact(boards)
        known = known & is_money(states) & (states[:, CAP] >= _DOUBLES_TO_COME * states[:, VALUE])
        if not known.any():
            return None
        no_double = np.take_along_axis(equities.no_double, states[:, [OWNER]], axis=1)
        both = np.concatenate([no_double, equities.double_take[:, None]], axis=1)
        return np.where(known[:, None], both, np.nan)

    def decide(self, probs: npt.ArrayLike, board: Board, state: CubeState) -> CubeDecision:
        """The same for one position, `[6]` and `[26]`."""
        return self.decide_batch(probs, board[None], state)[0]
