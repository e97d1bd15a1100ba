"""A session at a table: who sits there, what has been done, and what may be done now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bgai.cube.match_equity import LONGEST_MATCH
from bgai.engine import Board, Move, legal_plays, swap
from bgai.interface.table.automatic import Automatic
from bgai.interface.table.dice import Dice, checked_roll, next_throw
from bgai.interface.table.events import Event, events_of
from bgai.interface.table.step import Step, make_step, turn_of
from bgai.interface.table.turn import Turn
from bgai.match import (
    Action,
    Decision,
    MatchState,
    Rules,
    allowed_actions,
    new_session,
    resignation_levels,
)
from bgai.search import MatchPlayer, decide


@dataclass(frozen=True)
class Seat:
    """Who sits at one side of the table: a bot, or a person where there is no player."""

    name: str
    player: MatchPlayer | None = None

    @property
    def is_person(self) -> bool:
        return self.player is None


class Table:
    """A money session or match in progress or over.

    Everything that a person does is a method named after it; each returns the events that it
    causes and refuses with a ValueError what is not allowed now. `advance` then lets the bots, the
    dice and what is automatic go on until a person has to decide. A turn is moved checker by
    checker (`move`, `undo_move`) until it is complete and confirmed, or played whole (`play`).

    Attributes:
        seats: the two sides; player 0 and 1 of the states.
        seed: the dice follow from it, the game and the turn alone.
        manual_dice: dice are thrown by hand, and `roll` is told them, for both sides.
        automatic: what is done for persons without asking.
        steps: all that has been done, oldest first.
    """

    def __init__(
        self,
        seats: tuple[Seat, Seat],
        rules: Rules | None = None,
        seed: int = 0,
        *,
        manual_dice: bool = False,
        automatic: Automatic | None = None,
        start: MatchState | None = None,
    ) -> None:
        """
        Args:
            rules: of a new session; the usual match if None.
            start: go on from here instead; has rules of its own.

        Raises:
            ValueError: the seed is negative, or both rules and a start are given, or the start is
                over, or the match is longer than any that bots and the coach can judge.
        """
        if seed < 0:
            raise ValueError(f"the seed of the dice must be 0 or more, got {seed}")
        if start is not None and rules is not None and rules != start.rules:
            raise ValueError(f"the start has rules of its own: {start.rules}, got {rules}")
        if start is not None and start.is_over:
            raise ValueError(f"nothing is left to play: {start.decision.value}")
        self.seats = seats
        self.seed = seed
        self.manual_dice = manual_dice
        self.automatic = automatic or Automatic()
        self.start = start or new_session(rules or Rules())
        length = self.start.rules.match_length
        if length is not None and length > LONGEST_MATCH:
            raise ValueError(f"a match is to {LONGEST_MATCH} points at most, got {length}")
        self.steps: list[Step] = []
        self._turn: Turn | None = None
        self._bot_rolls = False  # a bot has chosen to roll and waits for dice thrown by hand
        self._begin_turn()

    # -- what is on the table

    @property
    def state(self) -> MatchState:
        """The moment after the last step; the moves of a turn in progress are not in it."""
        return self.steps[-1].after if self.steps else self.start

    @property
    def actor(self) -> int | None:
        """The seat whose decision it is; None where nobody has one."""
        return self.state.actor

    @property
    def is_over(self) -> bool:
        """Whether the whole session is over."""
        return self.state.decision is Decision.SESSION_OVER

    @property
    def events(self) -> list[Event]:
        """Everything that has happened, oldest first."""
        return [event for step in self.steps for event in events_of(step)]

    @property
    def allowed(self) -> tuple[Action, ...]:
        """What a person may do now; empty while a bot decides."""
        if self.awaits_dice:
            return (Action.THROW_OPENING if self.actor is None else Action.ROLL,)
        if self.actor is not None and not self.seats[self.actor].is_person:
            return ()
        return allowed_actions(self.state)

    @property
    def resignation_levels(self) -> tuple[int, ...]:
        """The levels at which the person who decides may resign."""
        return resignation_levels(self.state) if Action.RESIGN in self.allowed else ()

    @property
    def awaits_dice(self) -> bool:
        """Whether dice thrown by hand must be told with `roll` before anything else."""
        if not self.manual_dice:
            return False
        return self.state.decision is Decision.OPENING or self._bot_rolls

    def board_for(self, seat: int) -> Board:
        """The checkers now, the moves of the turn in progress made, `[26]` seen by a seat."""
        board = self.state.board if self._turn is None else self._turn.board
        return board.copy() if seat == self.state.turn else swap(board)

    # -- the turn in progress

    @property
    def turn(self) -> Turn | None:
        """The turn in progress, where dice are to be played."""
        return self._turn

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves made in the turn in progress."""
        return () if self._turn is None else self._turn.moves

    @property
    def legal_moves(self) -> tuple[Move, ...]:
        """The single moves that may be made now."""
        return () if self._turn is None else self._turn.legal_moves

    @property
    def dice_left(self) -> tuple[int, ...]:
        """The dice of the turn in progress that are still to be played, the larger first."""
        return () if self._turn is None else self._turn.dice_left

    @property
    def may_confirm(self) -> bool:
        """Whether the turn in progress is complete."""
        return self._turn is not None and self._turn.is_complete

    def move(self, start: int, end: int) -> None:
        """Move one checker from a point to another, by one die or along `Turn.ways`.

        Raises:
            ValueError: it is not legal now.
        """
        turn, move = self._persons_turn(), Move(start, end)
        is_one_die = move in turn.legal_moves
        way = None if is_one_die else turn.ways(start).get(end)
        self._turn = turn.with_move(move) if way is None else turn.with_moves(way)

    def undo_move(self) -> None:
        """Take back the last move of the turn in progress.

        Raises:
            ValueError: there is none.
        """
        turn = self._persons_turn()
        if not turn.moves:
            raise ValueError(f"no move of the roll {turn.dice[0]}-{turn.dice[1]} has been made")
        self._turn = Turn(turn.position, turn.dice, turn.moves[:-1])

    def undo_moves(self) -> None:
        """Take back all moves of the turn in progress, if there are any."""
        turn = self._persons_turn()
        self._turn = Turn(turn.position, turn.dice)

    def confirm(self) -> list[Event]:
        """End the turn in progress with the moves made.

        Raises:
            ValueError: more must be moved.
        """
        return self.play(self._persons_turn().moves)

    def play(self, moves: Sequence[Move]) -> list[Event]:
        """Play the whole roll, whatever has been moved so far; no moves where none is legal.

        Raises:
            ValueError: a move is not legal, or more must be moved.
        """
        self._persons_turn()
        return self._do(Action.PLAY, moves=moves)

    # -- everything else that a person does

    def roll(self, dice: Sequence[int] | None = None) -> list[Event]:
        """Throw the dice: those of the opening, or those of the actor who does not double.

        Args:
            dice: as thrown by hand (in the opening seat 0's die, then seat 1's); None where the
                program throws them.
        """
        action = Action.THROW_OPENING if self.actor is None else Action.ROLL
        self._check_person(action)
        if (dice is not None) != self.manual_dice:
            told = None if dice is None else tuple(dice)
            thrower = "hand" if self.manual_dice else "the program"
            raise ValueError(f"the dice are thrown by {thrower}, got {told}")
        return self._do(action, dice=self._throw() if dice is None else checked_roll(dice))

    def double(self) -> list[Event]:
        """Offer to double the stakes."""
        return self._act(Action.DOUBLE)

    def take(self) -> list[Event]:
        """Accept the double, beaver or raccoon on the table."""
        return self._act(Action.TAKE)

    def pass_(self) -> list[Event]:
        """Give the game up rather than play for the stakes offered."""
        return self._act(Action.PASS)

    def beaver(self) -> list[Event]:
        """Redouble at once and keep the cube."""
        return self._act(Action.BEAVER)

    def raccoon(self) -> list[Event]:
        """Answer a beaver by doubling once more."""
        return self._act(Action.RACCOON)

    def resign(self, level: int) -> list[Event]:
        """Offer to lose a single game (1), a gammon (2) or a backgammon (3)."""
        self._check_person(Action.RESIGN)
        return self._do(Action.RESIGN, level=level)

    def accept(self) -> list[Event]:
        """Agree to the resignation on the table."""
        return self._act(Action.ACCEPT)

    def decline(self) -> list[Event]:
        """Want more than the resignation on the table offers."""
        return self._act(Action.DECLINE)

    def next_game(self) -> list[Event]:
        """Set the checkers up again after a game."""
        return self._act(Action.NEXT_GAME)

    def undo_turn(self) -> None:
        """Go back to the last real decision of a person, or to the start of the turn in progress.

        What was automatic, or had no alternative, is taken back along with it. The same dice come
        again, unless they are thrown by hand.

        Raises:
            ValueError: no person has decided anything.
        """
        if self.moves:
            self.undo_moves()
            return
        for number in reversed(range(len(self.steps))):
            if self.is_decision(self.steps[number]):
                del self.steps[number:]
                self._begin_turn()
                return
        raise ValueError(f"there is nothing to take back in {len(self.steps)} steps")

    def is_decision(self, step: Step) -> bool:
        """Whether a person decided something with this step."""
        seat = step.seat
        is_persons = seat is not None and self.seats[seat].is_person
        return is_persons and not step.is_automatic and step.is_choice

    # -- what goes on by itself

    def advance(self) -> list[Event]:
        """Let bots, dice and what is automatic go on until a person must decide or a game is over.

        Returns:
            What happened; `awaits_dice` says whether dice thrown by hand are needed next.
        """
        happened: list[Event] = []
        while events := self.advance_once():
            happened += events
        return happened

    def advance_once(self) -> list[Event]:
        """`advance` by one step, for those who show each; empty where a person must decide."""
        state = self.state
        if state.is_over or self.awaits_dice or self.moves:
            return []
        if state.actor is None:
            return self._do(Action.THROW_OPENING, dice=self._throw())
        player = self.seats[state.actor].player
        if player is not None:
            return self._bot_decides(player)
        done = self.automatic.action(state, self.manual_dice)
        if done is None:
            return []
        action, moves = done
        dice = self._throw() if action is Action.ROLL else None
        return self._do(action, dice=dice, moves=moves, is_automatic=True)

    def _bot_decides(self, player: MatchPlayer) -> list[Event]:
        state = self.state
        choice = decide(player, [state])[0]
        if choice.action is Action.ROLL:
            if self.manual_dice:
                self._bot_rolls = True
                return []
            return self._do(choice.action, dice=self._throw())
        if choice.action is Action.PLAY:
            assert choice.after is not None and state.dice is not None
            plays = legal_plays(state.board, state.dice)
            moves = next(
                (play.moves for play in plays if np.array_equal(play.after, choice.after)), None
            )
            if moves is None:
                raise ValueError(f"{player.name} played illegally: {choice.after.tolist()}")
            return self._do(choice.action, moves=moves)
        return self._do(choice.action, level=choice.level)

    # -- inner workings

    def add(self, step: Step) -> None:
        """Append a step that was made from the present state: for those who load a session.

        Raises:
            ValueError: it begins elsewhere.
        """
        if step.before != self.state:
            raise ValueError(f"the step {step.action.value} does not follow the state on the table")
        self.steps.append(step)
        self._begin_turn()

    def resume_turn(self, moves: Sequence[Move]) -> None:
        """Make the moves of a turn in progress: for those who load a session.

        Raises:
            ValueError: there is no such turn, or a move is not legal.
        """
        self._turn = turn_of(self.state, moves)

    def _do(
        self,
        action: Action,
        *,
        dice: Dice | None = None,
        moves: Sequence[Move] = (),
        level: int = 0,
        is_automatic: bool = False,
    ) -> list[Event]:
        step = make_step(
            self.state, action, dice=dice, moves=moves, level=level, is_automatic=is_automatic
        )
        self.add(step)
        return events_of(step)

    def _act(self, action: Action) -> list[Event]:
        self._check_person(action)
        return self._do(action)

    def _begin_turn(self) -> None:
        self._bot_rolls = False
        self._turn = turn_of(self.state) if self.state.decision is Decision.PLAY else None

    def _check_person(self, action: Action) -> None:
        if action in self.allowed:
            return
        state = self.state
        decides = "nobody decides"
        if state.actor is not None:
            decides = f"{self.seats[state.actor].name} decides"
        possible = ", ".join(allowed.value for allowed in self.allowed) or "nothing"
        raise ValueError(
            f"{action.value} is not possible now ({decides}: {state.decision.value}); "
            f"possible: {possible}"
        )

    def _throw(self) -> Dice:
        return next_throw(self.seed, self.state, self.steps)

    def _persons_turn(self) -> Turn:
        self._check_person(Action.PLAY)
        assert self._turn is not None
        return self._turn
