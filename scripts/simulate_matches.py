"""Play random games under every combination of options and check each step against the rules.

    python scripts/simulate_matches.py --games 100000

Random legal plays, doubles, answers and resignations; nothing chooses well. After every step an
account of its own, kept in the simplest words of the rules, is compared with the state: points,
cube, Crawford game, what may be done, the end of the session; now and then also both ids. Prints
what was seen and exits with 0, or the first broken rule and exits with 1.
"""

from __future__ import annotations

import argparse
import bisect
import itertools
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from tqdm import tqdm

from bgai.engine import CHECKERS, Board, legal_afterstates
from bgai.match import (
    Action,
    Decision,
    Ending,
    MatchState,
    Result,
    Rules,
    accept_resignation,
    allowed_actions,
    beaver,
    decline_resignation,
    double,
    gnu_id_of,
    money_rules,
    new_session,
    next_game,
    pass_double,
    played,
    raccoon,
    resign,
    resignation_levels,
    roll_dice,
    state_from_gnu_id,
    state_from_xgid,
    take,
    throw_opening,
    xgid_of,
)

GAMES_PER_TASK = 2_500
SESSIONS_AT_ONCE = 64
STEPS_BETWEEN_IDS = 50

SIMPLE_STEPS = {
    Action.DOUBLE: double,
    Action.TAKE: take,
    Action.PASS: pass_double,
    Action.BEAVER: beaver,
    Action.RACCOON: raccoon,
    Action.ACCEPT: accept_resignation,
    Action.DECLINE: decline_resignation,
    Action.NEXT_GAME: next_game,
}

CALM = {
    Action.ROLL: 16.0,
    Action.PLAY: 100.0,
    Action.TAKE: 6.0,
    Action.RESIGN: 0.03,
}
"""Weights of actions in half of the sessions, 1 where none is named; in the others all are 1."""


class BrokenRuleError(Exception):
    """A state that the rules forbid."""


def all_options() -> list[Rules]:
    """Every combination of options that is tried."""
    caps, limits = (1, 2, 8, 64), (None, 1, 4)
    matches = [
        Rules(length, limit, crawford, cap=cap)
        for length, limit, crawford, cap in itertools.product(
            (1, 2, 3, 5, 7, 11), limits, (False, True), caps
        )
    ]
    sessions = [
        money_rules(
            games_limit=limit, jacoby=jacoby, beavers=beavers, automatic_doubles=automatic, cap=cap
        )
        for limit, jacoby, beavers, automatic, cap in itertools.product(
            limits, (False, True), (False, True), (0, 1, 3), caps
        )
    ]
    return matches + sessions


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


@dataclass
class Session:
    """A session on its way, with its account and its own dice."""

    state: MatchState
    account: Account
    weights: dict[Action, float]
    steps: int = 0


def require(holds: bool, rule: str, state: MatchState) -> None:
    """Stop at a state that breaks a rule."""
    if not holds:
        raise BrokenRuleError(f"{rule}: {state}")


def borne_off(state: MatchState) -> tuple[int, int]:
    """Checkers that the player on roll and the other have borne off."""
    # plain numbers: for one board at a time an array is slow
    own = sum([count for count in state.position if count > 0])
    return CHECKERS - own, CHECKERS - own + sum(state.position)


def check_state(session: Session) -> None:
    """Compare the state with the account."""
    state, account = session.state, session.account
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
    if session.steps % STEPS_BETWEEN_IDS == 0:
        check_ids(state)


def check_crawford(account: Account, state: MatchState, last: Result) -> None:
    """A match that went on after a player had reached match point had one Crawford game."""
    earlier = list(state.score)
    earlier[last.winner] -= last.points
    went_on = rules_want_crawford(state.rules) and max(earlier) + 1 == state.rules.match_length
    require(account.crawford_games == went_on, "Crawford exactly once", state)


def rules_want_crawford(rules: Rules) -> bool:
    """In a match to 1 nobody ever reaches match point: all begin there."""
    return rules.crawford and rules.match_length != 1


def check_actions(session: Session, allowed: tuple[Action, ...]) -> None:
    """Nothing is allowed that the rules forbid, and all that they grant."""
    state, account = session.state, session.account
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


def make_step(session: Session, action: Action, rng: np.random.Generator) -> None:
    """Carry an action out (all but plays), in the state and in the account."""
    before, account = session.state, session.account
    if action is Action.THROW_OPENING:
        first, second = rng.integers(1, 7, 2).tolist()
        session.state = throw_opening(before, (first, second))
        if first != second:
            starter = session.state.turn
            require((first, second)[starter] == max(first, second), "the higher starts", before)
        elif account.automatic < before.rules.automatic_doubles:
            account.automatic += 2 * account.cube <= before.rules.cap
            account.cube = 1 << account.automatic
    elif action is Action.ROLL:
        session.state = roll_dice(before, rng.integers(1, 7, 2))
    elif action is Action.RESIGN:
        levels = resignation_levels(before)
        session.state = resign(before, int(rng.choice(levels)))
    else:
        session.state = SIMPLE_STEPS[action](before)
        write_down(account, before, action)


def write_down(account: Account, before: MatchState, action: Action) -> None:
    """What an action means to the scorer."""
    match action:
        case Action.DOUBLE | Action.BEAVER | Action.RACCOON:
            account.offered.append(account.cube << len(account.offered))
        case Action.TAKE:
            account.cube, account.owner = 2 * account.offered[-1], 1 - before.turn
            account.offered = []
        case Action.PASS:
            doubled_first = len(account.offered) % 2 == 1  # by the player on roll, or raccoon
            account.game_won(before.turn if doubled_first else 1 - before.turn, account.offered[-1])
        case Action.ACCEPT:
            account.game_won(1 - before.turn, worth(account, before.resigned))
        case Action.NEXT_GAME:
            account.new_game()


def worth(account: Account, level: int) -> int:
    """Points of a single game, gammon or backgammon."""
    if account.rules.jacoby and account.owner is None:
        return account.cube
    return level * account.cube


def make_play(session: Session, after: Board) -> None:
    """Play a roll, in the state and in the account."""
    before, account = session.state, session.account
    session.state = played(before, after)
    account.plays += 1
    require(np.array_equal(session.state.board, after), "the board is what was left", before)
    opponent, own = borne_off(session.state)  # seen by the next player
    if own == CHECKERS:
        stays_behind = any(count > 0 for count in session.state.position[19:])  # bar included
        level = 1 if opponent else 3 if stays_behind else 2
        account.game_won(before.turn, worth(account, level))
        result = session.state.result
        ended = result is not None and result.ending is Ending.BORNE_OFF and result.level == level
        require(ended, "the last checker off wins", session.state)


def choose_action(
    session: Session, allowed: tuple[Action, ...], rng: np.random.Generator
) -> Action:
    """One of the allowed actions at random."""
    if len(allowed) == 1:
        return allowed[0]
    sums = list(itertools.accumulate(session.weights.get(action, 1.0) for action in allowed))
    place = bisect.bisect_right(sums, rng.random() * sums[-1], hi=len(allowed) - 1)
    return allowed[place]


def new_random_session(rules: Rules, is_calm: bool) -> Session:
    """A session before its first throw."""
    account = Account(rules)
    account.new_game()
    return Session(new_session(rules), account, CALM if is_calm else {})


def simulate(games: int, seed: int) -> Counter[str]:
    """Play at least so many games under all options in turn; the seed decides all of it.

    Returns:
        How often each action, way to end and special game was seen.

    Raises:
        BrokenRuleError: a state broke a rule.
    """
    rng = np.random.default_rng(seed)
    options = all_options()
    order = itertools.cycle(rng.permutation(len(options)).tolist())
    seen: Counter[str] = Counter()

    def fresh() -> Session:
        return new_random_session(options[next(order)], bool(rng.integers(2)))

    sessions = [fresh() for _ in range(SESSIONS_AT_ONCE)]
    while seen["games"] < games:
        to_play: list[Session] = []
        for session in sessions:
            allowed = allowed_actions(session.state)
            check_actions(session, allowed)
            action = choose_action(session, allowed, rng)
            seen[action.value] += 1
            if action is Action.PLAY:
                to_play.append(session)
            else:
                make_step(session, action, rng)
        _play_rolls(to_play, rng)
        for place, session in enumerate(sessions):
            session.steps += 1
            check_state(session)
            if _count(session, seen):
                sessions[place] = fresh()
    return seen


def _play_rolls(sessions: list[Session], rng: np.random.Generator) -> None:
    if not sessions:
        return
    boards = np.stack([session.state.board for session in sessions])
    after, offsets = legal_afterstates(boards, np.array([s.state.dice for s in sessions]))
    for session, row in zip(sessions, rng.integers(offsets[:-1], offsets[1:]), strict=True):
        make_play(session, after[row])


def _count(session: Session, seen: Counter[str]) -> bool:
    """Count a game that has just ended; whether the session is to be left."""
    state = session.state
    if state.result is None:
        return False
    seen["games"] += 1
    seen[f"{state.result.ending.value} at level {state.result.level}"] += 1
    seen["Crawford games"] += state.is_crawford
    length = state.rules.match_length
    if state.decision is Decision.SESSION_OVER:
        seen["sessions"] += 1
        return True
    # a money session without a limit has no end of its own
    return length is None and state.rules.games_limit is None and state.games_played >= 6


def _simulate_task(task: tuple[int, int]) -> Counter[str] | str:
    try:
        return simulate(*task)
    except (BrokenRuleError, ValueError) as error:
        return f"seed {task[1]}: {error}"


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(
        description="Check match and cube rules on random games.",
        epilog="example: python scripts/simulate_matches.py --games 100000",
    )
    parser.add_argument("--games", type=int, default=100_000, help="games to play")
    parser.add_argument("--seed", type=int, default=1, help="decides every game")
    parser.add_argument("--processes", type=int, default=2, help="how many work at once")
    options = parser.parse_args(argv)
    if options.games < 1 or options.processes < 1:
        parser.error(
            f"--games and --processes are 1 or more, got {options.games}, {options.processes}"
        )
    sizes = [
        min(GAMES_PER_TASK, options.games - first)
        for first in range(0, options.games, GAMES_PER_TASK)
    ]
    tasks = [(size, options.seed * 1_000_000 + place) for place, size in enumerate(sizes)]
    started = time.perf_counter()
    total: Counter[str] = Counter()
    with multiprocessing.Pool(options.processes) as pool:
        for seen in tqdm(pool.imap_unordered(_simulate_task, tasks), total=len(tasks)):
            if isinstance(seen, str):
                print(f"broken rule: {seen}")
                return 1
            total.update(seen)
    for name, count in sorted(total.items()):
        print(f"{count:>12,} {name}")
    print(
        f"no rule broken; {len(all_options())} combinations of options, "
        f"{time.perf_counter() - started:.0f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
