"""States to start from, and positions that one play decides."""

from __future__ import annotations

from typing import Any

from bgai.engine import swap
from bgai.match import Decision, MatchState, Rules, money_rules, play, position_of, roll_dice
from tests.engine.positions import board_of

MONEY = money_rules()

LAST_CHECKER = {1: 1}
"""The player on roll bears off the last checker with any roll."""

ONE_OFF = {24: 14}
ALL_LEFT_OUTSIDE = {24: 14, 12: 1}  # the loser's checkers, in the winner's numbering
ALL_LEFT_IN_HOME = {24: 14, 3: 1}
ALL_LEFT_ON_BAR = {24: 14, 0: 1}


def on_roll(rules: Rules = MONEY, **fields: Any) -> MatchState:
    """A state before a roll; `fields` as in `MatchState`."""
    return MatchState(rules, decision=Decision.ROLL, **fields)


def before_last_roll(rules: Rules, loser: dict[int, int], **fields: Any) -> MatchState:
    """The player on roll wins next; `loser` are the other's checkers as the winner sees them."""
    return on_roll(rules, position=position_of(board_of(LAST_CHECKER, loser)), **fields)


def win(state: MatchState) -> MatchState:
    """The player on roll bears off the last checker."""
    board = state.board
    board[1] = 0
    return play(roll_dice(state, (2, 1)), swap(board))
