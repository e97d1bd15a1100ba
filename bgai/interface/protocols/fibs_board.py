"""FIBS's `board:` lines (boardstyle 3), which servers, clients and GNU Backgammon share.

52 values: two names, then numbers in the order of `FibsBoard`. Every line is told to somebody, its
first player ("You" on FIBS, here the *viewer*); the checkers, the turn and the dice are absolute:
positive checkers are the side O, negative ones X.

Source: the FIBS client protocol specification, "board state"
(http://www.fibs.com/fibs_interface.html#board_state), and comments in GNU Backgammon on what its
fields really hold.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from bgai.engine import BAR, OPPONENT_BAR, SLOTS, borne_off, legal_plays, swap
from bgai.match import Decision, MatchState, Rules, money_rules, position_of
from bgai.match.cube_state import DEFAULT_CAP
from bgai.match.state import CUBE_ANSWERS

O_SIDE, X_SIDE, NOBODY = 1, -1, 0
"""Whose checkers or turn, as a line writes it."""

DESCENDING, ASCENDING = -1, 1
"""Which way the viewer plays: from point 24 to 1, or from 1 to 24."""

UNLIMITED = 9999
"""How FIBS writes the length of a money session; others write 0."""

NO_CRAWFORD_RULE = 3

_WIDTHS = {"points": SLOTS, "player_dice": 2, "opponent_dice": 2}
_NUMBER = re.compile(r"[+-]?[0-9]{1,5}")


@dataclass(frozen=True)
class FibsBoard:
    """The values of a line as they are written; `player` is the viewer.

    Attributes:
        match_length: points, 0 or `UNLIMITED` for money.
        points: slots 0..25, O's checkers positive; 0 and 25 are the bars.
        turn: whose turn: `O_SIDE`, `X_SIDE`, or `NOBODY` once the game is over. While a double is
            to be answered, the doubler's.
        player_dice, opponent_dice: zeros for who has not rolled.
        player_may_double, opponent_may_double: 1 where the cube is in the middle or theirs.
        was_doubled: not 0 while a double (or beaver) is to be answered by the viewer. The doubler
            is told it by two zeros in the flags before.
        color: the viewer's side.
        direction: the viewer's; X and O go opposite ways.
        home, bar: the viewer's slots; follow from the direction.
        can_move: checkers that the viewer can move.
        forced_move: in truth 3 where a player is 1 away and there is no Crawford rule, else 0.
        did_crawford: in truth 1 once the Crawford game has been played.
        redoubles: of an unlimited match; GNU Backgammon: 0 in the Crawford game, else 1.
    """

    player: str
    opponent: str
    match_length: int
    player_score: int
    opponent_score: int
    points: tuple[int, ...]
    turn: int
    player_dice: tuple[int, ...]
    opponent_dice: tuple[int, ...]
    cube: int
    player_may_double: int
    opponent_may_double: int
    was_doubled: int
    color: int
    direction: int
    home: int
    bar: int
    player_off: int
    opponent_off: int
    player_bar: int
    opponent_bar: int
    can_move: int
    forced_move: int
    did_crawford: int
    redoubles: int

    def __post_init__(self) -> None:
        """Check what decides how the rest is read.

        Raises:
            ValueError: a value means nothing; the message names it.
        """
        if self.turn not in (O_SIDE, X_SIDE, NOBODY):
            raise ValueError(f"the turn is 1, -1 or 0, got {self.turn}")
        if self.color not in (O_SIDE, X_SIDE):
            raise ValueError(f"the color is 1 or -1, got {self.color}")
        if self.direction not in (ASCENDING, DESCENDING):
            raise ValueError(f"the direction is 1 or -1, got {self.direction}")
        for dice in (self.player_dice, self.opponent_dice):
            if max(dice) > 6 or min(dice) < 0 or (min(dice) == 0 < max(dice)):
                raise ValueError(f"dice are both 1..6 or both 0, got {dice}")

    @property
    def viewer_turns(self) -> bool:
        """Whether the turn is the viewer's."""
        return self.turn == self.color


_FIELDS = tuple(field.name for field in fields(FibsBoard))
_NAMES, _NUMBERS = _FIELDS[:2], _FIELDS[2:]
_VALUES = len(_NAMES) + sum(_WIDTHS.get(name, 1) for name in _NUMBERS)


def parse_fibs_board(text: str) -> FibsBoard:
    """The values of a `board:` line.

    Raises:
        ValueError: it is none, or a value of it means nothing.
    """
    head, *values = text.strip().split(":")
    if head.lower() != "board" or len(values) != _VALUES:
        raise ValueError(
            f"a board line is board: and {_VALUES} values with colons between, "
            f"got {head[:20]!r} and {len(values)} values"
        )
    numbers = [_number(value) for value in values[len(_NAMES) :]]
    read: dict[str, Any] = dict(zip(_NAMES, values, strict=False))
    for name in _NUMBERS:
        width = _WIDTHS.get(name, 1)
        read[name] = tuple(numbers[:width]) if width > 1 else numbers[0]
        del numbers[:width]
    return FibsBoard(**read)


def format_fibs_board(board: FibsBoard) -> str:
    """Write a line; a colon in a name becomes `_`."""
    values = ["board", *(getattr(board, name).replace(":", "_") for name in _NAMES)]
    for name in _NUMBERS:
        value = getattr(board, name)
        values += map(str, value if isinstance(value, tuple) else (value,))
    return ":".join(values)


def fibs_board_of(
    state: MatchState,
    viewer: int = 0,
    names: tuple[str, str] = ("You", "Opponent"),
    color: int = O_SIDE,
    direction: int = DESCENDING,
) -> FibsBoard:
    """What a player is told of a state.

    Args:
        viewer: the player of the state who is told, 0 or 1.
        names: the viewer's, the other's.
        color, direction: the viewer's.

    A line has no room for most options of a session, the games played, or what has been declined.

    Raises:
        ValueError: a line cannot say this: the game has not begun or is over, or a beaver or a
            resignation is to be answered.
    """
    if state.decision not in (Decision.ROLL, Decision.PLAY, Decision.ANSWER_DOUBLE):
        raise ValueError(f"a board line cannot say that the decision is {state.decision.value}")
    is_turn = state.turn == viewer
    view = state.board if is_turn else swap(state.board)
    raw = color * (view if direction == DESCENDING else view[::-1])
    dice, no_dice = state.dice or (0, 0), (0, 0)
    off = borne_off(view)
    may_double, doubled = _doubling_fields(state, viewer)
    no_crawford, did_crawford = _crawford_fields(state)
    rules = state.rules
    return FibsBoard(
        *names,
        match_length=UNLIMITED if rules.match_length is None else rules.match_length,
        player_score=state.score[viewer],
        opponent_score=state.score[1 - viewer],
        points=tuple(raw.tolist()),
        turn=color if is_turn else -color,
        player_dice=dice if is_turn else no_dice,
        opponent_dice=no_dice if is_turn else dice,
        cube=state.cube_value,
        player_may_double=may_double[0],
        opponent_may_double=may_double[1],
        was_doubled=doubled,
        color=color,
        direction=direction,
        home=0 if direction == DESCENDING else BAR,
        bar=BAR if direction == DESCENDING else 0,
        player_off=int(off[0]),
        opponent_off=int(off[1]),
        player_bar=int(view[BAR]),
        opponent_bar=-int(view[OPPONENT_BAR]),
        can_move=_movable(state) if is_turn and state.dice else 0,
        forced_move=no_crawford,
        did_crawford=did_crawford,
        redoubles=0,
    )


def state_from_fibs_board(
    board: FibsBoard, viewer: int = 0, *, jacoby: bool = False, beavers: bool = False
) -> MatchState:
    """The state that a line tells.

    Args:
        viewer: the player of the state that the line's first player becomes, 0 or 1.
        jacoby, beavers: options of a money session, which a line does not tell.

    Returns:
        The state. A double of a cube that the doubler does not own is a beaver, where the doubler
        himself is the viewer, or a raccoon (GNU Backgammon writes them so). The other options are
        the usual ones, with as many automatic doubles and as large a cap as the cube needs.

    Raises:
        ValueError: the game is over, or no game can come to this.
    """
    if board.turn == NOBODY:
        raise ValueError("the game is over (turn 0)")
    turn = viewer if board.viewer_turns else 1 - viewer
    scores = board.player_score, board.opponent_score
    score = scores if viewer == 0 else scores[::-1]
    dice = board.player_dice if board.viewer_turns else board.opponent_dice
    # GNU Backgammon gives the dice to both; elsewhere the other's are those of the last turn
    if not any(dice) and any(board.player_dice) and board.player_dice == board.opponent_dice:
        dice = board.player_dice
    decision, value, owner = _cube(board, turn, viewer)
    if decision is None:
        decision = Decision.PLAY if any(dice) else Decision.ROLL
    return MatchState(
        rules=_rules(board, value, owner, decision, jacoby, beavers),
        score=score,
        is_crawford=_is_crawford(board),
        cube_value=value,
        cube_owner=owner,
        turn=turn,
        decision=decision,
        position=position_of(_mover_board(board)),
        dice=(dice[0], dice[1]) if decision is Decision.PLAY else None,
    )


def _number(value: str) -> int:
    if _NUMBER.fullmatch(value.strip()) is None:
        raise ValueError(f"a board line has numbers after the names, got {value!r}")
    return int(value)


def _movable(state: MatchState) -> int:
    """How many dice the turn will use."""
    return len(legal_plays(state.board, state.dice or ())[0].moves)


def _doubling_fields(state: MatchState, viewer: int) -> tuple[tuple[int, int], int]:
    """Who may double (the viewer, the other), and whether the viewer was doubled."""
    is_doubled = state.decision is Decision.ANSWER_DOUBLE
    if is_doubled and state.turn == viewer:
        return (0, 0), 0
    owner = state.cube_owner
    return (int(owner in (None, viewer)), int(owner in (None, 1 - viewer))), int(is_doubled)


def _crawford_fields(state: MatchState) -> tuple[int, int]:
    if state.away is None or 1 not in state.away or state.is_crawford:
        return 0, 0
    return (0, 1) if state.rules.crawford else (NO_CRAWFORD_RULE, 0)


def _is_crawford(board: FibsBoard) -> bool:
    if board.match_length in (0, UNLIMITED):
        return False
    scores = board.player_score, board.opponent_score
    at_match_point = [score == board.match_length - 1 for score in scores]
    told = board.forced_move or board.did_crawford or board.redoubles
    return sum(at_match_point) == 1 and not told


def _mover_board(board: FibsBoard) -> npt.NDArray[np.int64]:
    """The checkers, not checked, seen by the player on roll; `[26]`."""
    raw = board.color * np.array(board.points, np.int64)
    view = raw if board.direction == DESCENDING else raw[::-1]
    mover = view if board.viewer_turns else -view[::-1]
    # some write a bar without its sign
    mover[BAR], mover[OPPONENT_BAR] = abs(mover[BAR]), -abs(mover[OPPONENT_BAR])
    return mover


def _cube(board: FibsBoard, turn: int, viewer: int) -> tuple[Decision | None, int, int | None]:
    """What is to be answered, if anything, and the cube before the double on the table."""
    value = board.cube
    owner = _owner(board, viewer)
    is_told_to_doubler = not board.player_may_double and not board.opponent_may_double
    if not board.was_doubled and not is_told_to_doubler:
        return None, value, owner
    if is_told_to_doubler:
        return Decision.ANSWER_DOUBLE, value, None if value == 1 else turn
    if owner != 1 - turn:
        return Decision.ANSWER_DOUBLE, value, owner
    # doubled by somebody who does not own the cube: beavers have turned it on the way
    decision = Decision.ANSWER_BEAVER if viewer == turn else Decision.ANSWER_RACCOON
    value //= 2 if decision is Decision.ANSWER_BEAVER else 4
    return decision, value, None if value <= 1 else turn


def _owner(board: FibsBoard, viewer: int) -> int | None:
    if bool(board.player_may_double) == bool(board.opponent_may_double):
        return None
    return viewer if board.player_may_double else 1 - viewer


def _rules(
    board: FibsBoard,
    value: int,
    owner: int | None,
    decision: Decision,
    jacoby: bool,
    beavers: bool,
) -> Rules:
    cap = max(DEFAULT_CAP, board.cube * (2 if decision in CUBE_ANSWERS else 1))
    if board.match_length not in (0, UNLIMITED):
        return Rules(board.match_length, crawford=board.forced_move != NO_CRAWFORD_RULE, cap=cap)
    return money_rules(
        jacoby=jacoby,
        beavers=beavers or decision in (Decision.ANSWER_BEAVER, Decision.ANSWER_RACCOON),
        automatic_doubles=value.bit_length() - 1 if owner is None else 0,
        cap=cap,
    )
