"""What may be done now, and what follows: pure functions from one `MatchState` to the next.

The game reads in this order: `new_session`, `throw_opening`, `play`, then turns of `roll_dice` (or
`double` and its answers) and `play`, until somebody has borne off, passed or resigned; then
`next_game`. Every function refuses with a ValueError what the rules do not allow now.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

import numpy as np
import numpy.typing as npt

from bgai.engine import UNFINISHED, Board, check_dice, legal_afterstates, outcomes
from bgai.engine.outcomes import LOSE
from bgai.match.rules import Rules
from bgai.match.state import (
    Decision,
    Ending,
    MatchState,
    Position,
    Result,
    is_session_over,
    points_won,
    resignation_levels,
)


class Action(Enum):
    """What can be done; `RESIGN` at one of `resignation_levels`."""

    THROW_OPENING = "throw opening"
    ROLL = "roll"
    DOUBLE = "double"
    TAKE = "take"
    PASS = "pass"
    BEAVER = "beaver"
    RACCOON = "raccoon"
    PLAY = "play"
    RESIGN = "resign"
    ACCEPT = "accept"
    DECLINE = "decline"
    NEXT_GAME = "next game"


def allowed_actions(state: MatchState) -> tuple[Action, ...]:
    """Everything that the rules allow now; empty once the session is over."""
    match state.decision:
        case Decision.OPENING:
            return (Action.THROW_OPENING,)
        case Decision.ROLL:
            doubling = (Action.DOUBLE,) if state.cube_state().may_double() else ()
            return (Action.ROLL, *doubling, *_resigning(state))
        case Decision.PLAY:
            return (Action.PLAY, *_resigning(state))
        case Decision.ANSWER_RESIGNATION:
            return (Action.ACCEPT, Action.DECLINE)
        case Decision.GAME_OVER:
            return (Action.NEXT_GAME,)
        case Decision.SESSION_OVER:
            return ()
        case _:
            return (Action.TAKE, Action.PASS, *_redoubling(state))


def _resigning(state: MatchState) -> tuple[Action, ...]:
    # a single game can always be lost; only what has been declined may leave nothing to offer
    return (Action.RESIGN,) if not state.declined or resignation_levels(state) else ()


def _redoubling(state: MatchState) -> tuple[Action, ...]:
    """The beaver or raccoon that may answer the double or beaver on the table."""
    if not state.rules.beavers or 4 * state.stake_if_passed > state.rules.cap:
        return ()
    if state.decision is Decision.ANSWER_DOUBLE:
        return (Action.BEAVER,)
    return (Action.RACCOON,) if state.decision is Decision.ANSWER_BEAVER else ()


def new_session(rules: Rules) -> MatchState:
    """A session or match before its first opening throw."""
    return MatchState(rules)


def throw_opening(state: MatchState, dice: npt.ArrayLike) -> MatchState:
    """Each player has thrown one die: the higher one starts and plays both.

    Args:
        dice: player 0's die and player 1's.

    Equal dice are to be thrown again; they double the cube, which stays in the middle, as often as
    the rules want it and its cap allows.
    """
    _check_allowed(state, Action.THROW_OPENING)
    first, second = _rolled(dice)
    if first == second:
        doubled = 2 * state.cube_value
        limit = min(state.rules.cap, 1 << state.rules.automatic_doubles)
        return replace(state, cube_value=doubled) if doubled <= limit else state
    return replace(
        state,
        turn=int(second > first),
        decision=Decision.PLAY,
        dice=(max(first, second), min(first, second)),
    )


def roll_dice(state: MatchState, dice: npt.ArrayLike) -> MatchState:
    """The player on roll does not double and has rolled."""
    _check_allowed(state, Action.ROLL)
    return replace(state, decision=Decision.PLAY, dice=_rolled(dice), declined=0)


def double(state: MatchState) -> MatchState:
    """The player on roll offers to double the stakes."""
    _check_allowed(state, Action.DOUBLE)
    return replace(state, decision=Decision.ANSWER_DOUBLE, declined=0)


def beaver(state: MatchState) -> MatchState:
    """The player just doubled doubles once more and will keep the cube."""
    _check_allowed(state, Action.BEAVER)
    return replace(state, decision=Decision.ANSWER_BEAVER)


def raccoon(state: MatchState) -> MatchState:
    """The doubler answers a beaver by doubling a third time; the other will keep the cube."""
    _check_allowed(state, Action.RACCOON)
    return replace(state, decision=Decision.ANSWER_RACCOON)


def take(state: MatchState) -> MatchState:
    """The double, beaver or raccoon is accepted: the cube is the doubled player's, not on roll."""
    _check_allowed(state, Action.TAKE)
    return replace(
        state,
        cube_value=2 * state.stake_if_passed,
        cube_owner=1 - state.turn,
        decision=Decision.ROLL,
    )


def pass_double(state: MatchState) -> MatchState:
    """The actor gives the game up at the stake before the double, beaver or raccoon."""
    _check_allowed(state, Action.PASS)
    # a beaver is answered by the doubler, the other two by the doubled player
    winner = 1 - state.turn if state.decision is Decision.ANSWER_BEAVER else state.turn
    return _ended(state, Result(winner, 1, state.stake_if_passed, Ending.PASSED))


def resign(state: MatchState, level: int) -> MatchState:
    """The player on roll offers to lose a single game (1), a gammon (2) or a backgammon (3)."""
    levels = resignation_levels(state)
    if level not in levels:
        raise ValueError(
            f"player {state.turn} may resign at {levels or 'no level'} now, got {level} "
            f"(the decision is {state.decision.value})"
        )
    return replace(state, decision=Decision.ANSWER_RESIGNATION, resigned=level, declined=0)


def accept_resignation(state: MatchState) -> MatchState:
    """The other player agrees to the resignation."""
    _check_allowed(state, Action.ACCEPT)
    level = state.resigned
    points = points_won(state, level)
    return _ended(state, Result(1 - state.turn, level, points, Ending.RESIGNED))


def decline_resignation(state: MatchState) -> MatchState:
    """The other player wants more: the game goes on where it stood."""
    _check_allowed(state, Action.DECLINE)
    decision = Decision.ROLL if state.dice is None else Decision.PLAY
    return replace(state, decision=decision, resigned=0, declined=state.resigned)


def play(state: MatchState, after: Board) -> MatchState:
    """The roll is played.

    Args:
        after: `[26]`, the board that the turn leaves, seen by the next player.

    Raises:
        ValueError: no legal play leaves it.
    """
    _check_allowed(state, Action.PLAY)
    legal, _ = legal_afterstates(state.board[None], np.array([state.dice]))
    if np.shape(after) != legal[0].shape or not (legal == after).all(-1).any():
        raise ValueError(
            f"the roll {state.dice} cannot leave the board {np.asarray(after).tolist()}, "
            f"played from {list(state.position)}"
        )
    return played(state, after)


def played(state: MatchState, after: Board) -> MatchState:
    """The roll is played: `play` for those who took `after` from `legal_afterstates` themselves."""
    _check_allowed(state, Action.PLAY)
    position: Position = tuple(after.tolist())
    next_player = 1 - state.turn
    outcome = int(outcomes(after))
    if outcome != UNFINISHED:
        level = outcome - LOSE + 1  # the next player has lost
        result = Result(state.turn, level, points_won(state, level), Ending.BORNE_OFF)
        return _ended(state, result, next_player, position)
    return replace(
        state,
        turn=next_player,
        decision=Decision.ROLL,
        position=position,
        dice=None,
        declined=0,
    )


def next_game(state: MatchState) -> MatchState:
    """The next game of the session, before its opening throw."""
    _check_allowed(state, Action.NEXT_GAME)
    rules, result = state.rules, state.result
    assert result is not None
    length = rules.match_length
    is_crawford = False
    if length is not None and rules.crawford:
        before = state.score[result.winner] - result.points
        loser = state.score[1 - result.winner]
        # the first game after a player has reached match point; nobody had before this one
        is_crawford = max(state.score) == length - 1 > max(before, loser)
    return MatchState(rules, state.score, state.games_played, is_crawford)


def _ended(
    state: MatchState, result: Result, turn: int | None = None, position: Position | None = None
) -> MatchState:
    """The game is over and its points are written down."""
    won = result.points
    score = state.score[0] + won * (result.winner == 0), state.score[1] + won * (result.winner == 1)
    games_played = state.games_played + 1
    is_last = is_session_over(state.rules, score, games_played)
    return MatchState(
        state.rules,
        score,
        games_played,
        state.is_crawford,
        state.cube_value,
        state.cube_owner,
        state.turn if turn is None else turn,
        decision=Decision.SESSION_OVER if is_last else Decision.GAME_OVER,
        position=state.position if position is None else position,
        result=result,
    )


def _check_allowed(state: MatchState, action: Action) -> None:
    if action not in allowed_actions(state):
        raise ValueError(
            f"{action.value} is not allowed now: the decision is {state.decision.value}, the cube "
            f"{state.cube_value} (owner {state.cube_owner}, cap {state.rules.cap}), "
            f"player {state.turn} on roll, the score {state.score}"
        )


def _rolled(dice: npt.ArrayLike) -> tuple[int, int]:
    checked = check_dice(dice)
    if checked.shape != (2,):
        raise ValueError(f"a roll is two dice, got shape {checked.shape}")
    return int(checked[0]), int(checked[1])
