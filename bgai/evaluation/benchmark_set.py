"""Sets of checker decisions that a stronger judge has already valued.

A set is a text file with one JSON object a line:

* `board`: 26 integers seen by the player to move; positive = that player's checkers, `[25]` their
  bar, and `[0]` the opponent's bar *as a positive count* (bgai's own boards have it negative);
* `dice`: two integers;
* `cands`: the plays that were valued, at least two, each with the `board` it leaves (seen by the
  same player, written the same way) and its cubeless money equity `eq` for that player. Usually
  only the best plays are listed.

The error of a choice is the best `eq` minus its own; a choice that is not listed is charged the
worst listed one. Other keys are left aside; empty lines too.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bgai.engine import (
    BAR,
    CHECKERS,
    OPPONENT_BAR,
    UNFINISHED,
    Board,
    Boards,
    Dice,
    Offsets,
    check_boards,
    check_dice,
    has_contact,
    legal_afterstates,
    outcomes,
    swap,
)
from bgai.engine.board import HOME
from bgai.engine.files import parse_json
from bgai.engine.gnu_id import position_id
from bgai.engine.move_text import format_play
from bgai.engine.moves import legal_plays
from bgai.search import Player

POINTS_TO_MP = 1000
PR_PER_POINT = 500

KINDS = ("contact", "bar", "race", "bear-off")
"""With contact, and a checker on the bar or not; without, and all checkers home or not."""


@dataclass(frozen=True)
class CheckerSet:
    """Valued decisions; arrays as from `legal_afterstates`, but with the listed plays only.

    Attributes:
        boards: `[N, 26]`, seen by the player to move.
        dice: `[N, 2]`.
        after: `[M, 26]` listed plays, seen by the *next* player.
        equities: `[M]` points, for the player who has just moved.
        offsets: `[N + 1]`; rows `offsets[i]:offsets[i + 1]` belong to decision i.
    """

    name: str
    boards: Boards
    dice: Dice
    after: Boards
    equities: npt.NDArray[np.float64]
    offsets: Offsets


@dataclass(frozen=True)
class Decision:
    """One decision: what was chosen, what was best, and what the difference cost.

    `chosen` and `best` are the texts of plays; `is_listed`: whether the choice was.
    """

    board: Board
    dice: tuple[int, int]
    chosen: str
    best: str
    error_mp: float
    is_listed: bool

    @property
    def position_id(self) -> str:
        """GNU Backgammon's id of the board."""
        return position_id(self.board)

    def to_json(self) -> dict[str, Any]:
        return {
            "position_id": self.position_id,
            "board": self.board.tolist(),
            "dice": list(self.dice),
            "chosen": self.chosen,
            "best": self.best,
            "error_mp": self.error_mp,
            "is_listed": self.is_listed,
        }


@dataclass(frozen=True)
class KindResult:
    """The decisions of one of `KINDS`."""

    kind: str
    decisions: int
    error_mp: float


@dataclass(frozen=True)
class CheckerResult:
    """How well a player decides on a set.

    Attributes:
        error_mp: mean error, `standard_error_mp` its standard error.
        pr: 500 x mean error in points.
        best_share: how often the best play was chosen, 0..1.
        unlisted_share: how often the choice was not listed.
        kinds: the parts of the set, those that occur.
        worst: the dearest decisions, worst first.
    """

    player: str
    set_name: str
    decisions: int
    error_mp: float
    standard_error_mp: float
    pr: float
    best_share: float
    unlisted_share: float
    kinds: tuple[KindResult, ...]
    worst: tuple[Decision, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "player": self.player,
            "set": self.set_name,
            "decisions": self.decisions,
            "error_mp": self.error_mp,
            "standard_error_mp": self.standard_error_mp,
            "pr": self.pr,
            "best_share": self.best_share,
            "unlisted_share": self.unlisted_share,
            "kinds": {
                kind.kind: {"decisions": kind.decisions, "error_mp": kind.error_mp}
                for kind in self.kinds
            },
            "worst": [decision.to_json() for decision in self.worst],
        }


def evaluate_checker_set(player: Player, checker_set: CheckerSet, worst: int = 5) -> CheckerResult:
    """Let a player decide a whole set and add up what its choices cost.

    Args:
        worst: how many of the dearest decisions to return.
    """
    chosen = player.choose(checker_set.boards, checker_set.dice)
    errors, best_rows, is_listed = _errors(checker_set, chosen)
    kinds = position_kinds(checker_set.boards)
    dearest = np.argsort(-errors, kind="stable")[:worst]
    mean = float(errors.mean())
    return CheckerResult(
        player=player.name,
        set_name=checker_set.name,
        decisions=len(errors),
        error_mp=POINTS_TO_MP * mean,
        standard_error_mp=POINTS_TO_MP * float(errors.std(ddof=1) / np.sqrt(len(errors))),
        pr=PR_PER_POINT * mean,
        best_share=float((errors == 0).mean()),
        unlisted_share=float((~is_listed).mean()),
        kinds=tuple(
            KindResult(kind, int(of_kind.sum()), POINTS_TO_MP * float(errors[of_kind].mean()))
            for number, kind in enumerate(KINDS)
            if (of_kind := kinds == number).any()
        ),
        worst=tuple(
            _describe(
                checker_set.boards[i],
                checker_set.dice[i],
                chosen[i],
                checker_set.after[best_rows[i]],
                errors[i],
                is_listed[i],
            )
            for i in dearest
            if errors[i] > 0
        ),
    )


def _describe(
    board: Board, dice: Dice, chosen: Board, best: Board, error: float, is_listed: bool
) -> Decision:
    texts = {
        play.after.tobytes(): format_play(board, play.moves) for play in legal_plays(board, dice)
    }
    return Decision(
        board=board,
        dice=(int(dice[0]), int(dice[1])),
        chosen=texts[chosen.tobytes()],
        best=texts[best.tobytes()],
        error_mp=POINTS_TO_MP * float(error),
        is_listed=bool(is_listed),
    )


def _errors(
    checker_set: CheckerSet, chosen: Boards
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Per decision: the error in points, the row of the best play, whether the choice is listed."""
    starts, counts = checker_set.offsets[:-1], np.diff(checker_set.offsets)
    is_chosen = (checker_set.after == np.repeat(chosen, counts, axis=0)).all(1)
    best = np.maximum.reduceat(checker_set.equities, starts)
    worst = np.minimum.reduceat(checker_set.equities, starts)
    gained = np.maximum.reduceat(np.where(is_chosen, checker_set.equities, -np.inf), starts)
    is_listed = np.isfinite(gained)
    is_best = checker_set.equities == np.repeat(best, counts)
    rows = np.flatnonzero(is_best)
    best_rows = rows[np.searchsorted(rows, starts)]
    return best - np.where(is_listed, gained, worst), best_rows, is_listed


def position_kinds(boards: Boards) -> npt.NDArray[np.int64]:
    """Which of `KINDS` each board is, `[N]`."""
    is_home = ~(boards[:, HOME + 1 :] > 0).any(1)
    with_contact = np.where(boards[:, BAR] > 0, KINDS.index("bar"), KINDS.index("contact"))
    without = np.where(is_home, KINDS.index("bear-off"), KINDS.index("race"))
    return np.where(has_contact(boards), with_contact, without)


def read_checker_set(path: Path) -> CheckerSet:
    """A set from a file in the format above.

    Raises:
        ValueError: a line is malformed, a position impossible, a play illegal or listed twice, or
            a decision forced; names the file, the line and the value.
        OSError: the file cannot be read.
    """
    decisions = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            decisions.append(_decision(parse_json(line, "a valued checker decision")))
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
    if len(decisions) < 2:
        raise ValueError(f"{path} must hold at least 2 decisions, got {len(decisions)}")
    boards, dice, after, equities = zip(*decisions, strict=True)
    return CheckerSet(
        name=path.name,
        boards=np.stack(boards),
        dice=np.stack(dice),
        after=np.concatenate(after),
        equities=np.concatenate(equities),
        offsets=np.cumsum([0, *(len(plays) for plays in after)]),
    )


def _decision(line: Any) -> tuple[Board, Dice, Boards, npt.NDArray[np.float64]]:
    """Board `[26]`, dice `[2]`, listed afterstates `[K, 26]` and their equities `[K]`."""
    board = file_board(entry(line, "board"))
    if outcomes(board) != UNFINISHED:
        raise ValueError(f"the game is over on board {board.tolist()}")
    dice = check_dice(_numbers(entry(line, "dice"), "dice"))
    if dice.shape != (2,):
        raise ValueError(f"dice must be two numbers, got {line['dice']}")
    plays = entry(line, "cands")
    if not isinstance(plays, list) or len(plays) < 2:
        raise ValueError(f"cands must list at least 2 plays, got {plays}")
    after = swap(np.stack([file_board(entry(play, "board")) for play in plays]))
    equities = np.array([_equity(entry(play, "eq")) for play in plays])
    legal = {row.tobytes() for row in legal_afterstates(board[None], dice[None])[0]}
    if len(legal) < 2:
        raise ValueError(f"the play is forced: {dice.tolist()} on board {board.tolist()}")
    listed: set[bytes] = set()
    for play, row in zip(plays, after, strict=True):
        if row.tobytes() not in legal:
            raise ValueError(f"{dice.tolist()} cannot leave board {play['board']}")
        if row.tobytes() in listed:
            raise ValueError(f"board {play['board']} is listed twice")
        listed.add(row.tobytes())
    return board, dice, after, equities


def entry(mapping: Any, key: str) -> Any:
    if not isinstance(mapping, dict):
        raise ValueError(f"expected an object with {key}, got {mapping!r:.80}")
    if key not in mapping:
        raise ValueError(f"{key} is missing in {mapping!r:.80}")
    return mapping[key]


def _numbers(value: Any, key: str) -> npt.NDArray[np.int64]:
    is_list = isinstance(value, list) and all(type(item) is int for item in value)
    if not is_list or not all(abs(item) <= CHECKERS for item in value):
        raise ValueError(f"{key} must be a list of integers from -15 to 15, got {value!r}")
    return np.array(value, np.int64)


def file_board(value: Any) -> Board:
    """A board of the file's kind as bgai's."""
    board = _numbers(value, "board")
    if len(board) > OPPONENT_BAR:
        if board[OPPONENT_BAR] < 0:
            raise ValueError(f"board[0], the opponent's bar, must not be negative, got {value}")
        board[OPPONENT_BAR] *= -1
    return check_boards(board)


def _equity(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 3:
        raise ValueError(f"eq must be a number from -3 to 3, got {value!r}")
    return float(value)
