"""A moment of a money session or a match: all that is on the table and whose decision it is.

Players 0 and 1 exist here only to keep the score and the turn; boards know no colour.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bgai.engine import (
    BAR,
    CHECKERS,
    OPPONENT_BAR,
    SLOTS,
    START,
    Board,
    check_boards,
    possible_outcomes,
)
from bgai.engine.outcomes import LOSE, LOSE_BACKGAMMON
from bgai.match.cube_state import CubeState, Owner, check_cube_number, was_dead
from bgai.match.rules import Rules

Position: TypeAlias = tuple[int, ...]
"""A board as 26 plain numbers, which cannot change; seen by the player on roll."""

START_POSITION: Position = tuple(int(count) for count in START)


class Decision(Enum):
    """What is to be decided now."""

    OPENING = "opening"  # nobody's: each player throws one die
    ROLL = "roll"  # roll, double or resign
    ANSWER_DOUBLE = "answer double"  # take, pass or beaver
    ANSWER_BEAVER = "answer beaver"  # the doubler's: take, pass or raccoon
    ANSWER_RACCOON = "answer raccoon"  # take or pass
    PLAY = "play"  # the dice lie: play them, or resign
    ANSWER_RESIGNATION = "answer resignation"
    GAME_OVER = "game over"  # another game follows
    SESSION_OVER = "session over"


CUBE_ANSWERS = (Decision.ANSWER_DOUBLE, Decision.ANSWER_BEAVER, Decision.ANSWER_RACCOON)
OVER = (Decision.GAME_OVER, Decision.SESSION_OVER)


class Ending(Enum):
    """How a game came to its end."""

    BORNE_OFF = "borne off"
    PASSED = "passed"
    RESIGNED = "resigned"


@dataclass(frozen=True)
class Result:
    """How a game ended.

    Attributes:
        winner: player 0 or 1.
        level: 1, gammon 2, backgammon 3, as it lay on the board or was resigned; 1 after a pass.
        points: what the winner got for it.
    """

    winner: int
    level: int
    points: int
    ending: Ending


@dataclass(frozen=True)
class MatchState:
    """One moment; the functions of `actions` say what may be done and what follows.

    Attributes:
        rules: the options of the session.
        score: points of player 0 and player 1.
        games_played: games that are over, the present one included once it is.
        is_crawford: the present game is the Crawford game.
        cube_value: what the cube shows; while a double, beaver or raccoon is unanswered still the
            value before it.
        cube_owner: 0, 1, or None in the middle.
        turn: the player on roll, from whose side `position` is seen; whose decision it is says
            `actor`. After the last play of a game the loser.
        decision: what is to be decided.
        position: the checkers.
        dice: the roll to be played; in the opening, dice that were equal are not kept.
        resigned: the level 1..3 that the player on roll offers to lose.
        declined: the level that the other player has just refused to accept.
        result: how the game ended, once it has.
    """

    rules: Rules = field(default_factory=Rules)
    score: tuple[int, int] = (0, 0)
    games_played: int = 0
    is_crawford: bool = False
    cube_value: int = 1
    cube_owner: int | None = None
    turn: int = 0
    decision: Decision = Decision.OPENING
    position: Position = START_POSITION
    dice: tuple[int, int] | None = None
    resigned: int = 0
    declined: int = 0
    result: Result | None = None

    def __post_init__(self) -> None:
        """Check that a game can come to this.

        Raises:
            ValueError: it cannot; the message names the value.
        """
        if self.turn not in (0, 1):
            raise ValueError(f"the player on roll is 0 or 1, got {self.turn}")
        if self.cube_owner not in (None, 0, 1):
            raise ValueError(f"the owner of the cube is 0, 1 or None, got {self.cube_owner}")
        _check_position(self.position, self.is_over)
        _check_score(self)
        _check_cube(self)
        _check_crawford(self)
        _check_decision(self)

    @property
    def board(self) -> Board:
        """The checkers as int8 `[26]`, seen by the player on roll; a new array."""
        return np.array(self.position, np.int8)

    @property
    def is_over(self) -> bool:
        """Whether the present game is over."""
        return self.decision in OVER

    @property
    def actor(self) -> int | None:
        """The player whose decision it is; None where nobody has one."""
        if self.decision in (Decision.OPENING, *OVER):
            return None
        if self.decision in (
            Decision.ANSWER_DOUBLE,
            Decision.ANSWER_RACCOON,
            Decision.ANSWER_RESIGNATION,
        ):
            return 1 - self.turn
        return self.turn

    @property
    def away(self) -> tuple[int, int] | None:
        """Points that player 0 and player 1 still need; None for money."""
        length = self.rules.match_length
        return None if length is None else (length - self.score[0], length - self.score[1])

    @property
    def is_post_crawford(self) -> bool:
        """Whether a player of the match is 1 away and the cube is in play."""
        return not self.is_over and self.cube_state().is_post_crawford

    @property
    def stake_if_passed(self) -> int:
        """Points that the actor loses by passing the double, beaver or raccoon on the table.

        Raises:
            ValueError: nothing of the kind is to be answered.
        """
        if self.decision not in CUBE_ANSWERS:
            raise ValueError(f"no double is to be answered, the decision is {self.decision.value}")
        return self.cube_value << CUBE_ANSWERS.index(self.decision)

    @property
    def leader(self) -> int | None:
        """The player with more points; None at equal scores."""
        if self.score[0] == self.score[1]:
            return None
        return int(self.score[1] > self.score[0])

    def exchanged(self) -> MatchState:
        """The same moment with the numbers of the players exchanged."""
        result = self.result
        return replace(
            self,
            score=self.score[::-1],
            cube_owner=None if self.cube_owner is None else 1 - self.cube_owner,
            turn=1 - self.turn,
            result=None if result is None else replace(result, winner=1 - result.winner),
        )

    def cube_state(self) -> CubeState:
        """What a cube decision needs, seen, like `board`, by the player on roll.

        While a double is to be answered that is the doubler, and the cube the one before it.

        Raises:
            ValueError: the game is over.
        """
        if self.is_over:
            raise ValueError(f"no cube decision is left: {self.decision.value}")
        owner = Owner.CENTRED
        if self.cube_owner is not None:
            owner = Owner.PLAYER if self.cube_owner == self.turn else Owner.OPPONENT
        away = self.away
        if away is not None:
            away = away[self.turn], away[1 - self.turn]
        return CubeState(
            self.cube_value,
            owner,
            away,
            self.is_crawford,
            self.rules.jacoby,
            self.rules.beavers,
            self.rules.cap,
        )


def position_of(board: npt.ArrayLike) -> Position:
    """A board `[26]` as plain numbers.

    Raises:
        ValueError: it is not a board (`bgai.engine.check_boards`).
    """
    return tuple(check_boards(board).ravel().tolist())


def points_won(state: MatchState, level: int) -> int:
    """What a game of this cube is worth when it is won at a level: 1, gammon 2, backgammon 3."""
    if state.rules.jacoby and state.cube_owner is None:
        level = 1  # no player has turned the cube
    return level * state.cube_value


def resignation_levels(state: MatchState) -> tuple[int, ...]:
    """The levels at which the player on roll may resign now, lowest first.

    Only before or after rolling, only what can still be lost and counts, and nothing that the
    other player has just declined.
    """
    if state.decision not in (Decision.ROLL, Decision.PLAY):
        return ()
    return tuple(level for level in _levels_to_lose(state) if level > state.declined)


def _levels_to_lose(state: MatchState) -> tuple[int, ...]:
    if state.rules.jacoby and state.cube_owner is None:
        return (1,)
    can_be_lost = possible_outcomes(state.board)[LOSE : LOSE_BACKGAMMON + 1]
    return tuple(level for level in (1, 2, 3) if can_be_lost[level - 1])


def checkers_left(position: Position) -> tuple[int, int]:
    """Checkers that the player on roll and the other have not yet borne off."""
    own = sum([count for count in position if count > 0])
    return own, own - sum(position)


def _check_position(position: Position, is_over: bool) -> None:
    # plain numbers: an array of this size costs more to make than to check
    if len(position) != SLOTS:
        raise ValueError(f"a position has {SLOTS} numbers, got {len(position)}: {position}")
    own, opponent = checkers_left(position)
    if own > CHECKERS or opponent > CHECKERS:
        raise ValueError(f"a side has at most {CHECKERS} checkers, got {own} and {opponent}")
    if own == opponent == 0:
        raise ValueError(f"both sides have borne off all checkers: {position}")
    if 0 in (own, opponent) and not is_over:
        raise ValueError(f"a side has borne off all checkers, but the game goes on: {position}")
    if position[BAR] < 0 or position[OPPONENT_BAR] > 0:
        raise ValueError(
            f"slot 25 is the own bar (>= 0) and slot 0 the opponent's (<= 0), "
            f"got {position[BAR]} and {position[OPPONENT_BAR]}"
        )


def _check_score(state: MatchState) -> None:
    rules = state.rules
    if min(state.score) < 0:
        raise ValueError(f"a score is 0 or more, got {state.score}")
    if state.games_played < state.is_over:
        raise ValueError(f"a game is over, but games_played is {state.games_played}")
    most_games = rules.games_limit
    if most_games is not None and state.games_played > most_games - (not state.is_over):
        raise ValueError(f"the limit is {most_games} games, got {state.games_played} played")
    length = rules.match_length
    if length is not None and not state.is_over and max(state.score) >= length:
        raise ValueError(f"the match is to {length} points, got the score {state.score}")
    if min(state.score) >= (length or max(state.score) + 1):
        raise ValueError(f"one player only wins a match to {length}, got {state.score}")
    if state.is_over and (state.decision is Decision.SESSION_OVER) != is_session_over(
        rules, state.score, state.games_played
    ):
        raise ValueError(
            f"{state.decision.value} at the score {state.score} of a match to {length}, "
            f"after {state.games_played} games of {most_games}"
        )


def is_session_over(rules: Rules, score: tuple[int, int], games_played: int) -> bool:
    """Whether no game follows one that is over: the points or the games are reached."""
    return (rules.match_length is not None and max(score) >= rules.match_length) or (
        rules.games_limit is not None and games_played >= rules.games_limit
    )


def _check_cube(state: MatchState) -> None:
    value, owner, rules = state.cube_value, state.cube_owner, state.rules
    check_cube_number("the cube", value)
    if value > rules.cap:
        raise ValueError(f"the cube is at most {rules.cap}, got {value}")
    if owner is None:
        if value > 1 << rules.automatic_doubles:
            raise ValueError(
                f"a cube in the middle is at most {1 << rules.automatic_doubles} here, got {value}"
            )
        return
    if value == 1:
        raise ValueError(f"a cube at 1 is in the middle, got the owner {owner}")
    if state.decision is Decision.OPENING:
        raise ValueError(f"nobody owns the cube before the opening roll, got the owner {owner}")
    away = state.away
    if away is None or state.is_over:
        return
    if was_dead(value, away[owner], away[1 - owner]):
        raise ValueError(f"player {owner} cannot own a cube of {value} at {away} away: it was dead")


def _check_crawford(state: MatchState) -> None:
    if not state.is_crawford:
        return
    rules = state.rules
    if rules.is_money or not rules.crawford:
        raise ValueError(f"these rules have no Crawford game: {rules}")
    if state.cube_value > 1:
        raise ValueError(f"the cube is not turned in the Crawford game, got {state.cube_value}")
    away = state.away
    # in a match to 1 point both players are at match point from the start
    if (
        away is not None
        and not state.is_over
        and (away[0] == 1) + (away[1] == 1) != (2 if rules.match_length == 1 else 1)
    ):
        raise ValueError(f"in the Crawford game one player is 1 away, got {away} away")


def _check_decision(state: MatchState) -> None:
    decision = state.decision
    if (state.result is not None) != state.is_over:
        raise ValueError(f"a result belongs to a game that is over, got {state.result}")
    if decision is Decision.OPENING and state.position != START_POSITION:
        raise ValueError(f"a game begins in the starting position, got {state.position}")
    if state.dice is None:
        if decision is Decision.PLAY:
            raise ValueError("there are no dice to play, got None")
    else:
        if decision not in (Decision.PLAY, Decision.ANSWER_RESIGNATION):
            raise ValueError(f"no dice lie when the decision is {decision.value}: {state.dice}")
        if len(state.dice) != 2 or not 1 <= min(state.dice) <= max(state.dice) <= 6:
            raise ValueError(f"a roll is two dice 1..6, got {state.dice}")
    if decision in CUBE_ANSWERS:
        _check_offer(state)
    _check_resignation(state)


def _check_offer(state: MatchState) -> None:
    decision = state.decision
    if not state.cube_state().may_double():
        raise ValueError(f"player {state.turn} may not double a cube of {state.cube_value}")
    if decision is Decision.ANSWER_DOUBLE:
        return
    if not state.rules.beavers:
        raise ValueError(f"these rules have no beavers, but the decision is {decision.value}")
    offered = 2 * state.stake_if_passed
    if offered > state.rules.cap:
        raise ValueError(f"the cube is at most {state.rules.cap}, got {offered} offered")


def _check_resignation(state: MatchState) -> None:
    if state.decision is Decision.ANSWER_RESIGNATION:
        levels = _levels_to_lose(state)
        if state.resigned not in levels:
            raise ValueError(
                f"the player on roll can lose {levels} times the cube, resigned {state.resigned}"
            )
    elif state.resigned:
        raise ValueError(f"no resignation is to be answered, got {state.resigned} resigned")
    if state.declined not in (0, 1, 2, 3):
        raise ValueError(f"a resignation is at 1, 2 or 3, got {state.declined} declined")
    if state.declined and state.decision not in (Decision.ROLL, Decision.PLAY):
        raise ValueError(f"nothing was declined just now, got {state.declined}")
