"""Sets of cube decisions that a stronger judge has already valued.

A set is a text file with one JSON object a line:

* `board`: 26 integers before the roll, seen by the player on roll; positive = that player's
  checkers, `[25]` their bar, and `[0]` the opponent's bar *as a positive count*;
* `cube` and `owner` (`centered` or `player`); for match play `away1` (player on roll), `away2` and
  `is_crawford`, else money without Jacoby;
* `nd`, `dt`, `dp`: equities of no double, double / take, double / pass per current cube, in match
  play normalised to the same scale;
* `probs`: win, win gammon or better, win backgammon, lose gammon or worse, lose backgammon,
  cubeless.

Every line asks two questions. Whether to double: the error is max(nd, min(dt, dp)) minus the value
of what was chosen. And whether the opponent should take, also where doubling is wrong: the error is
max(-dt, -dp) minus the value of what was chosen. Other keys are left aside; empty lines too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bgai.cube import StateRows, pack_states, unpack_state
from bgai.cube.efficiency import KINDS, position_kinds
from bgai.cube.inputs import check_probs
from bgai.cube.state_rows import MONEY, OPPONENT_AWAY
from bgai.engine import UNFINISHED, Board, Boards, from_cumulative, outcomes, position_id
from bgai.engine.files import parse_json
from bgai.evaluation.benchmark_set import POINTS_TO_MP, entry, file_board
from bgai.match.cube_state import CubeState, Owner

Numbers: TypeAlias = npt.NDArray[np.float64]
CubeChoices: TypeAlias = tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]
"""Whether to double and whether the opponent takes, `[N]` each."""
CubeMaker: TypeAlias = Callable[[Boards, StateRows], CubeChoices]
"""Decides on boards `[N, 26]` and states `[N, 9]`, both seen by the player about to roll."""

OWNERS_OF_FILE = {"centered": Owner.CENTRED, "player": Owner.PLAYER}
LARGEST_EQUITY = 100.0


@dataclass(frozen=True, eq=False)
class CubeSet:
    """Valued decisions, seen by the player about to roll.

    Attributes:
        boards: `[N, 26]`.
        states: `[N, 9]`.
        nd, dt, dp: `[N]`.
        probs: `[N, 6]`, the judge's own.
    """

    name: str
    boards: Boards
    states: StateRows
    nd: Numbers
    dt: Numbers
    dp: Numbers
    probs: Numbers


@dataclass(frozen=True)
class QuestionResult:
    """One of the two questions over a set or a part of it.

    Attributes:
        error_mp: mean error, `standard_error_mp` its standard error.
        right_share: how often the choice cost nothing, 0..1.
    """

    decisions: int
    error_mp: float
    standard_error_mp: float
    right_share: float


@dataclass(frozen=True)
class CubeMistake:
    """One choice that cost something; `question` is "double" or "take"."""

    question: str
    board: Board
    state: CubeState
    chosen: str
    nd: float
    dt: float
    dp: float
    error_mp: float

    @property
    def position_id(self) -> str:
        """GNU Backgammon's id of the board."""
        return position_id(self.board)

    def to_json(self) -> dict[str, Any]:
        return {
            "question": self.question,
            "position_id": self.position_id,
            "board": self.board.tolist(),
            "cube": self.state.value,
            "owner": self.state.owner.value,
            "away": None if self.state.away is None else list(self.state.away),
            "is_crawford": self.state.is_crawford,
            "chosen": self.chosen,
            "nd": self.nd,
            "dt": self.dt,
            "dp": self.dp,
            "error_mp": self.error_mp,
        }


@dataclass(frozen=True)
class CubeResult:
    """How well the cube is handled on a set.

    Attributes:
        double, take: all decisions.
        parts: the same for money, match and every kind of position that occurs.
        worst: the dearest choices of both questions, worst first.
    """

    player: str
    set_name: str
    double: QuestionResult
    take: QuestionResult
    parts: dict[str, tuple[QuestionResult, QuestionResult]]
    worst: tuple[CubeMistake, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "player": self.player,
            "set": self.set_name,
            "double": vars(self.double),
            "take": vars(self.take),
            "parts": {
                part: {"double": vars(double), "take": vars(take)}
                for part, (double, take) in self.parts.items()
            },
            "worst": [mistake.to_json() for mistake in self.worst],
        }


def evaluate_cube_set(
    player: str, decide: CubeMaker, cube_set: CubeSet, worst: int = 10
) -> CubeResult:
    """The errors of a cube handler on a set.

    Args:
        player: its name, for the report.
        worst: how many of the dearest choices to list.

    Raises:
        ValueError: the handler does not return one answer a decision.
    """
    doubles, takes = (np.asarray(answer) for answer in decide(cube_set.boards, cube_set.states))
    for answer in (doubles, takes):
        if answer.shape != cube_set.nd.shape or answer.dtype != np.bool_:
            raise ValueError(
                f"expected {len(cube_set.nd)} booleans, got {answer.dtype} of {answer.shape}"
            )
    doubled = np.minimum(cube_set.dt, cube_set.dp)
    of_double = np.maximum(cube_set.nd, doubled) - np.where(doubles, doubled, cube_set.nd)
    of_take = np.where(takes, cube_set.dt, cube_set.dp) - doubled
    errors = np.stack([of_double, of_take]) * POINTS_TO_MP
    return CubeResult(
        player=player,
        set_name=cube_set.name,
        double=_question(errors[0]),
        take=_question(errors[1]),
        parts={
            name: (_question(errors[0, rows]), _question(errors[1, rows]))
            for name, rows in _parts(cube_set).items()
            if rows.any()
        },
        worst=_worst(cube_set, doubles, takes, errors, worst),
    )


def _parts(cube_set: CubeSet) -> dict[str, npt.NDArray[np.bool_]]:
    is_money = cube_set.states[:, OPPONENT_AWAY] == MONEY
    kinds = position_kinds(cube_set.boards)
    return {
        "money": is_money,
        "match": ~is_money,
        **{name: kinds == code for code, name in enumerate(KINDS)},
    }


def _question(errors: Numbers) -> QuestionResult:
    """Errors `[N]` in mp; the standard error of a single one is not known and given as 0."""
    spread = float(errors.std(ddof=1)) if len(errors) > 1 else 0.0
    return QuestionResult(
        decisions=len(errors),
        error_mp=float(errors.mean()),
        standard_error_mp=spread / len(errors) ** 0.5,
        right_share=float((errors == 0).mean()),
    )


def _worst(
    cube_set: CubeSet,
    doubles: npt.NDArray[np.bool_],
    takes: npt.NDArray[np.bool_],
    errors: Numbers,
    count: int,
) -> tuple[CubeMistake, ...]:
    """The dearest of `errors` `[2, N]`."""
    order = np.argsort(-errors, axis=None, kind="stable")[:count]
    mistakes = []
    for question, row in zip(*np.unravel_index(order, errors.shape), strict=True):
        if errors[question, row] <= 0:
            break
        if question == 0:
            chosen = "double" if doubles[row] else "no double"
        else:
            chosen = "take" if takes[row] else "pass"
        mistakes.append(
            CubeMistake(
                question=("double", "take")[question],
                board=cube_set.boards[row],
                state=unpack_state(cube_set.states[row]),
                chosen=chosen,
                nd=float(cube_set.nd[row]),
                dt=float(cube_set.dt[row]),
                dp=float(cube_set.dp[row]),
                error_mp=float(errors[question, row]),
            )
        )
    return tuple(mistakes)


def read_cube_set(path: Path) -> CubeSet:
    """A set from a file in the format above.

    Raises:
        ValueError: a line is malformed, or a position or a cube impossible; names the file, the
            line and the value.
        OSError: the file cannot be read.
    """
    boards, states, equities, probs = [], [], [], []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            content = parse_json(line, "a valued cube decision")
            boards.append(_unfinished_board(content))
            states.append(_state(content))
            equities.append([_equity(content, key) for key in ("nd", "dt", "dp")])
            probs.append(_probs(entry(content, "probs")))
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
    if len(boards) < 2:
        raise ValueError(f"{path} must hold at least 2 decisions, got {len(boards)}")
    nd, dt, dp = np.array(equities).T
    return CubeSet(
        name=path.name,
        boards=np.stack(boards),
        states=pack_states(states, len(states)),
        nd=nd,
        dt=dt,
        dp=dp,
        probs=np.stack(probs),
    )


def _unfinished_board(content: Any) -> Board:
    board = file_board(entry(content, "board"))
    if outcomes(board) != UNFINISHED:
        raise ValueError(f"the game is over on board {board.tolist()}")
    return board


def _state(content: Any) -> CubeState:
    owner = entry(content, "owner")
    if not isinstance(owner, str) or owner not in OWNERS_OF_FILE:
        raise ValueError(f"owner must be {' or '.join(OWNERS_OF_FILE)}, got {owner!r}")
    is_match = any(key in content for key in ("away1", "away2", "is_crawford"))
    is_crawford = entry(content, "is_crawford") if is_match else False
    if not isinstance(is_crawford, bool):
        raise ValueError(f"is_crawford must be true or false, got {is_crawford!r}")
    return CubeState(
        value=_whole(content, "cube"),
        owner=OWNERS_OF_FILE[owner],
        away=(_whole(content, "away1"), _whole(content, "away2")) if is_match else None,
        is_crawford=is_crawford,
    )


def _whole(content: Any, key: str) -> int:
    value = entry(content, key)
    if type(value) is not int:
        raise ValueError(f"{key} must be an integer, got {value!r}")
    return value


def _equity(content: Any, key: str) -> float:
    value = entry(content, key)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not abs(value) <= LARGEST_EQUITY:
        raise ValueError(f"{key} must be a number from -100 to 100, got {value!r}")
    return float(value)


def _probs(value: Any) -> Numbers:
    """Five cumulative numbers of the file's kind as six probabilities."""
    is_list = isinstance(value, list) and len(value) == 5
    if not is_list or not all(type(number) in (int, float) for number in value):
        raise ValueError(f"probs must be a list of 5 numbers, got {value!r}")
    try:
        # the figures are rounded, so that a class may be short of its better ones by a digit
        probs = check_probs(from_cumulative(np.array(value, np.float64)).round(5))
    except (ValueError, OverflowError):
        raise ValueError(f"probs must be nested chances in [0, 1], got {value}") from None
    row: Numbers = probs[0]
    return row
