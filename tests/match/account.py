"""A scorer's account of a session in the simplest words of the rules, and what it forbids.

It shares no code with `bgai.match` beyond the state it looks at, so that one can check the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from bgai.engine import CHECKERS
from bgai.match import (
    Action,
    Decision,
    MatchState,
    Result,
    Rules,
    gnu_id_of,
    resignation_levels,
    state_from_gnu_id,
    state_from_xgid,
    xgid_of,
)


class BrokenRuleError(Exception):
    """A state that the rules forbid."""


@dataclass
class Account:
    """What a careful scorer with pencil and paper knows of one session."""

    rules: Rules
    score: list[int] = field(default_factory=lambda: [0, 0])
    games: int = 0
    cube: int = 1
    owner: int | None = None
    automatic: int = 0
    plays: int = 0  # in the present game
    crawford_games: int = 0
    is_crawford: bool = False
    offered: list[int] = field(default_factory=list)  # the value before each unanswered double

    def new_game(self) -> None:
        """The cube goes back to the middle; the first game at match point is Crawford's."""
        self.cube, self.owner, self.offered = 1, None, []
        self.automatic = self.plays = 0
        length = self.rules.match_length
        at_match_point = length is not None and length > 1 and max(self.score) == length - 1
        self.is_crawford = self.rules.crawford and at_match_point and not self.crawford_games
        self.crawford_games += self.is_crawford

    def game_won(self, winner: int, points: int) -> None:
        """Write down the points of a game."""
        self.score[winner] += points
        self.games += 1

    def is_finished(self) -> bool:
        """Whether nothing more is to be played."""
        rules = self.rules
        enough = rules.match_length is not None and max(self.score) >= rules.match_length
        return enough or (rules.games_limit is not None and self.games >= rules.games_limit)

    def may_double(self, player: int) -> bool:
        """Whether a player about to roll may double."""
        length = self.rules.match_length
        is_dead = length is not None and self.score[player] + self.cube >= length
        return (
            self.owner in (None, player)
            and not self.is_crawford
            and not is_dead
            and 2 * self.cube <= self.rules.cap
        )

    def write_down(self, before: MatchState, action: Action) -> None:
        """What an action means to the scorer."""
        match action:
            case Action.DOUBLE | Action.BEAVER | Action.RACCOON:
                self.offered.append(self.cube << len(self.offered))
            case Action.TAKE:
                self.cube, self.owner = 2 * self.offered[-1], 1 - before.turn
                self.offered = []
            case Action.PASS:
                doubled_first = len(self.offered) % 2 == 1  # by the player on roll, or raccoon
                self.game_won(before.turn if doubled_first else 1 - before.turn, self.offered[-1])
            case Action.ACCEPT:
                self.game_won(1 - before.turn, self.worth(before.resigned))
            case Action.NEXT_GAME:
                self.new_game()

    def worth(self, level: int) -> int:
        """Points of a single game, gammon or backgammon."""
        if self.rules.jacoby and self.owner is None:
            return self.cube
        return level * self.cube


def require(holds: bool, rule: str, state: MatchState) -> None:
    """Stop at a state that breaks a rule."""
    if not holds:
        raise BrokenRuleError(f"{rule}: {state}")


def borne_off(state: MatchState) -> tuple[int, int]:
    """Checkers that the player on roll and the other have borne off."""
    # plain numbers: for one board at a time an array is slow
    own = sum([count for count in state.position if count > 0])
    return CHECKERS - own, CHECKERS - own + sum(state.position)


def check_state(state: MatchState, account: Account) -> None:
    """Compare the state with the account."""
    rules = state.rules
    require(list(state.score) == account.score, "the points are those of the games", state)
    require(state.games_played == account.games, "every game is counted once", state)
    require(state.cube_value == account.cube, "the cube shows what was agreed", state)
    require(state.cube_owner == account.owner, "the cube is the last taker's", state)
    require(state.cube_value <= rules.cap, "the cube keeps its cap", state)
    require(state.is_crawford == account.is_crawford, "Crawford: the first at match point", state)
    require(account.crawford_games <= 1, "Crawford at most once", state)
    finished = state.decision is Decision.SESSION_OVER
    require(
        finished == (account.is_finished() and state.is_over),
        "play ends at the points or the games",
        state,
    )
    off = borne_off(state)
    require(min(off) >= 0, "no more than 15 checkers", state)
    require(state.is_over or max(off) < CHECKERS, "a game ends with the last checker", state)
    if finished and state.result is not None and not rules.is_money:
        check_crawford(account, state, state.result)


def check_crawford(account: Account, state: MatchState, last: Result) -> None:
    """A match that went on after a player had reached match point had one Crawford game."""
    earlier = list(state.score)
    earlier[last.winner] -= last.points
    went_on = rules_want_crawford(state.rules) and max(earlier) + 1 == state.rules.match_length
    require(account.crawford_games == went_on, "Crawford exactly once", state)


def rules_want_crawford(rules: Rules) -> bool:
    """In a match to 1 nobody ever reaches match point: all begin there."""
    return rules.crawford and rules.match_length != 1


def check_actions(state: MatchState, account: Account, allowed: tuple[Action, ...]) -> None:
    """Nothing is allowed that the rules forbid, and all that they grant."""
    may_double = state.decision is Decision.ROLL and account.may_double(state.turn)
    require((Action.DOUBLE in allowed) == may_double, "who may double", state)
    require(not may_double or account.plays > 0, "no double before the first roll", state)
    offered_next = account.cube << (len(account.offered) + 1)
    fits = state.rules.beavers and offered_next <= state.rules.cap
    is_answer = state.decision is Decision.ANSWER_DOUBLE
    require((Action.BEAVER in allowed) == (fits and is_answer), "who may beaver", state)
    is_answer = state.decision is Decision.ANSWER_BEAVER
    require((Action.RACCOON in allowed) == (fits and is_answer), "who may raccoon", state)
    levels = resignation_levels(state)
    require((Action.RESIGN in allowed) == bool(levels), "who may resign", state)
    gammons = len(levels) - (1 in levels)
    require(not gammons or not borne_off(state)[0], "no gammon with a checker off", state)
    if state.actor is not None and state.decision is not Decision.ANSWER_RESIGNATION:
        answers_double = len(account.offered) % 2 == 1
        require((state.actor != state.turn) == answers_double, "who is to answer", state)


def check_ids(state: MatchState) -> None:
    """Both ids read back as what they can tell."""
    if state.is_over or state.decision is Decision.ANSWER_RACCOON:
        return
    told = gnu_id_of(state)
    require(gnu_id_of(state_from_gnu_id(told)) == told, f"the id {told} reads back", state)
    # behind a beaver the id does not tell whose a cube above 1 was
    is_told = state.decision is not Decision.ANSWER_BEAVER or state.cube_value == 1
    if is_told or state.cube_owner is not None:
        require(same_table(state, state_from_gnu_id(told)), f"{told} is the same table", state)
    if state.decision not in (Decision.OPENING, Decision.ANSWER_RESIGNATION):
        told = xgid_of(state)
        require(xgid_of(state_from_xgid(told)) == told, f"{told} reads back", state)
        require(same_table(state, state_from_xgid(told)), f"{told} is the same table", state)


def same_table(state: MatchState, other: MatchState) -> bool:
    """Whether two states agree in all that ids can tell."""
    return all(
        getattr(state, name) == getattr(other, name)
        for name in ("score", "cube_value", "cube_owner", "turn", "decision", "position")
    ) and sorted(state.dice or ()) == sorted(other.dice or ())
