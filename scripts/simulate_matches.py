"""Play random games under every combination of options and check each step against the rules.

    python scripts/simulate_matches.py --games 100000

Random legal plays, doubles, answers and resignations; nothing chooses well. After every step an
account of its own (`tests/match/account.py`) is compared with the state: points, cube, Crawford
game, what may be done, the end of the session; now and then also both ids. Prints what was seen and
exits with 0, or the first broken rule and exits with 1.
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
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the folder that holds tests/

from bgai.engine import CHECKERS, Board, legal_afterstates  # noqa: E402 (after the path)
from bgai.match import (  # noqa: E402
    Action,
    Decision,
    Ending,
    MatchState,
    Rules,
    accept_resignation,
    allowed_actions,
    beaver,
    decline_resignation,
    double,
    money_rules,
    new_session,
    next_game,
    pass_double,
    played,
    raccoon,
    resign,
    resignation_levels,
    roll_dice,
    take,
    throw_opening,
)
from tests.match.account import (  # noqa: E402
    Account,
    BrokenRuleError,
    borne_off,
    check_actions,
    check_ids,
    check_state,
    require,
)

GAMES_PER_TASK = 500
SESSIONS_AT_ONCE = 16
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
class Session:
    """A session on its way, with its account and its own dice."""

    state: MatchState
    account: Account
    weights: dict[Action, float]
    steps: int = 0


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
        session.state = roll_dice(before, rng.integers(1, 7, 2).tolist())
    elif action is Action.RESIGN:
        levels = resignation_levels(before)
        session.state = resign(before, int(rng.choice(levels)))
    else:
        session.state = SIMPLE_STEPS[action](before)
        account.write_down(before, action)


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
        account.game_won(before.turn, account.worth(level))
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
            check_actions(session.state, session.account, allowed)
            action = choose_action(session, allowed, rng)
            seen[action.value] += 1
            if action is Action.PLAY:
                to_play.append(session)
            else:
                make_step(session, action, rng)
        _play_rolls(to_play, rng)
        for place, session in enumerate(sessions):
            session.steps += 1
            check_state(session.state, session.account)
            if session.steps % STEPS_BETWEEN_IDS == 0:
                check_ids(session.state)
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
