"""GNU Backgammon match ids: 67 bits, 12 characters, beside a position id.

The bits stand in the order of `GnuMatchId`, each number from its lowest bit up, fill bytes from the
lowest bit up, and the bytes are written in base64. (The manual lists 66 bits; the program also
writes the last one. Ids from before it read as played with Jacoby.)
"""

from __future__ import annotations

import base64
import string
from dataclasses import dataclass, fields

from bgai.engine import board_from_position_id, position_id
from bgai.match.cube_state import DEFAULT_CAP
from bgai.match.rules import Rules, money_rules
from bgai.match.state import CUBE_ANSWERS, START_POSITION, Decision, MatchState, position_of

MATCH_ID_LENGTH = 12
MATCH_ID_BITS = 67

NO_GAME, PLAYING, LAST_GAME_STATE = 0, 1, 4
CENTRED_CUBE = 3

_BYTES = 9
_ALPHABET = frozenset(string.ascii_letters + string.digits + "+/")
_WIDTHS = (4, 2, 1, 1, 3, 1, 1, 2, 3, 3, 15, 15, 15, 1)


@dataclass(frozen=True)
class GnuMatchId:
    """The fields of a match id as they are written.

    Attributes:
        cube_exponent: the cube shows 2 to the power of this; before a double that is unanswered,
            but with the beavers that have followed it.
        cube_owner: 0, 1, or 3 in the middle; once a beaver has been made, the doubled player.
        on_roll: the player from whose side the position id is seen.
        is_crawford: 1 in the Crawford game.
        game_state: 0 none, 1 playing, 2 over, 3 resigned, 4 dropped.
        actor: the player whose decision it is.
        is_doubled: 1 while a double is to be answered.
        resigned: the level 1..3 of a resignation to be answered, else 0.
        first_die, second_die: 0 where there are none; gnubg writes the larger first.
        match_length: points, 0 for money.
        score_0, score_1: points.
        is_without_jacoby: 1 in a match, too.
    """

    cube_exponent: int = 0
    cube_owner: int = CENTRED_CUBE
    on_roll: int = 0
    is_crawford: int = 0
    game_state: int = PLAYING
    actor: int = 0
    is_doubled: int = 0
    resigned: int = 0
    first_die: int = 0
    second_die: int = 0
    match_length: int = 0
    score_0: int = 0
    score_1: int = 0
    is_without_jacoby: int = 1

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            ValueError: a number does not fit into its bits, or means nothing.
        """
        for name, width in zip(_NAMES, _WIDTHS, strict=True):
            value = getattr(self, name)
            if not 0 <= value < 1 << width:
                raise ValueError(f"the {name} of a match id is 0..{(1 << width) - 1}, got {value}")
        if self.cube_owner == 2:
            raise ValueError("the cube_owner of a match id is 0, 1 or 3, got 2")
        if self.game_state > LAST_GAME_STATE:
            raise ValueError(f"the game_state of a match id is 0..4, got {self.game_state}")
        dice = self.first_die, self.second_die
        if max(dice) > 6 or (min(dice) == 0 < max(dice)):
            raise ValueError(f"the dice of a match id are both 1..6 or both 0, got {dice}")


_NAMES = tuple(field.name for field in fields(GnuMatchId))


def parse_match_id(text: str) -> GnuMatchId:
    """The fields of a match id of 12 characters.

    Raises:
        ValueError: the text is not a match id, or a field of it means nothing.
    """
    if len(text) != MATCH_ID_LENGTH or not _ALPHABET.issuperset(text):
        raise ValueError(f"a match id is {MATCH_ID_LENGTH} letters, digits, + and /, got {text!r}")
    number = int.from_bytes(base64.b64decode(text), "little")
    if number >> MATCH_ID_BITS:
        raise ValueError(f"a match id has {MATCH_ID_BITS} bits and then zeros, got {text!r}")
    values = []
    for width in _WIDTHS:
        values.append(number & ((1 << width) - 1))
        number >>= width
    try:
        return GnuMatchId(*values)
    except ValueError as error:
        raise ValueError(f"{error} in the match id {text!r}") from error


def format_match_id(match_id: GnuMatchId) -> str:
    """Write a match id."""
    number = shift = 0
    for name, width in zip(_NAMES, _WIDTHS, strict=True):
        number |= getattr(match_id, name) << shift
        shift += width
    return base64.b64encode(number.to_bytes(_BYTES, "little")).decode()


def gnu_id_of(state: MatchState) -> str:
    """The position id and match id of a state, with a colon between.

    Options that a match id has no room for are lost: the games limit, whether there is a Crawford
    game, beavers, automatic doubles and the cap of the cube; so are the games played, what has been
    declined, and, behind a beaver, whether a cube above 1 was the doubler's or in the middle.

    Raises:
        ValueError: the game is over: a match id does not tell its points.
    """
    if state.is_over:
        raise ValueError(
            f"a match id is written of a game that goes on, not {state.decision.value}"
        )
    shown, owner = state.cube_value, state.cube_owner
    if state.decision in (Decision.ANSWER_BEAVER, Decision.ANSWER_RACCOON):
        shown, owner = state.stake_if_passed, 1 - state.turn
    dice = sorted(state.dice or (0, 0), reverse=True)
    match_id = GnuMatchId(
        cube_exponent=shown.bit_length() - 1,
        cube_owner=CENTRED_CUBE if owner is None else owner,
        on_roll=state.turn,
        is_crawford=int(state.is_crawford),
        game_state=NO_GAME if state.decision is Decision.OPENING else PLAYING,
        actor=state.turn if state.actor is None else state.actor,
        is_doubled=int(state.decision in CUBE_ANSWERS),
        resigned=state.resigned,
        first_die=dice[0],
        second_die=dice[1],
        match_length=state.rules.match_length or 0,
        score_0=state.score[0],
        score_1=state.score[1],
        is_without_jacoby=int(not state.rules.jacoby),
    )
    return f"{position_id(state.board)}:{format_match_id(match_id)}"


def state_from_gnu_id(text: str) -> MatchState:
    """The state that a position id and a match id name.

    Args:
        text: both ids with a colon between.

    Returns:
        The state. Options that a match id has no room for are the usual ones, but as many automatic
        doubles and as large a cap as the cube on the table needs.

    Raises:
        ValueError: an id is wrong, no game can come to this, or the game is over.
    """
    position_text, _, match_text = text.strip().partition(":")
    board = board_from_position_id(position_text)
    match_id = parse_match_id(match_text)
    try:
        decision, value, owner = _decision(match_id)
        return MatchState(
            rules=_rules(match_id, decision, value, owner),
            score=(match_id.score_0, match_id.score_1),
            is_crawford=bool(match_id.is_crawford),
            cube_value=value,
            cube_owner=owner,
            turn=match_id.on_roll,
            decision=decision,
            position=START_POSITION if decision is Decision.OPENING else position_of(board),
            dice=(match_id.first_die, match_id.second_die) if match_id.first_die else None,
            resigned=match_id.resigned,
        )
    except ValueError as error:
        raise ValueError(f"{error} in the match id {match_text!r}") from error


def _decision(match_id: GnuMatchId) -> tuple[Decision, int, int | None]:
    """What is to be decided, and the cube and its owner before an unanswered double."""
    value = 1 << match_id.cube_exponent
    owner = None if match_id.cube_owner == CENTRED_CUBE else match_id.cube_owner
    is_own = match_id.actor == match_id.on_roll
    if match_id.game_state == NO_GAME:
        return Decision.OPENING, value, owner
    if match_id.game_state != PLAYING:
        raise ValueError(f"the game is over (game_state {match_id.game_state})")
    if match_id.is_doubled and match_id.resigned:
        raise ValueError(f"a double and a resignation ({match_id.resigned}) are both unanswered")
    if match_id.is_doubled:
        return _unanswered(match_id, value, owner, is_own)
    if is_own == bool(match_id.resigned):
        raise ValueError(
            f"player {match_id.on_roll} is on roll, nothing is left for player {match_id.actor} "
            f"to decide (resigned {match_id.resigned})"
        )
    if match_id.resigned:
        return Decision.ANSWER_RESIGNATION, value, owner
    return (Decision.PLAY if match_id.first_die else Decision.ROLL), value, owner


def _unanswered(
    match_id: GnuMatchId, value: int, owner: int | None, is_own: bool
) -> tuple[Decision, int, int | None]:
    """The double, beaver or raccoon on the table; beavers have given the cube to the doubled."""
    if owner != 1 - match_id.on_roll:
        if is_own:
            raise ValueError(f"player {match_id.on_roll} is to answer a double of their own")
        return Decision.ANSWER_DOUBLE, value, owner
    before = value // (2 if is_own else 4)
    if before == 0:
        raise ValueError(f"a beaver or raccoon leaves a cube above {value}")
    decision = Decision.ANSWER_BEAVER if is_own else Decision.ANSWER_RACCOON
    return decision, before, None if before == 1 else match_id.on_roll


def _rules(match_id: GnuMatchId, decision: Decision, value: int, owner: int | None) -> Rules:
    times = 1
    if decision in CUBE_ANSWERS:
        times = 2 << CUBE_ANSWERS.index(decision)
    cap = max(DEFAULT_CAP, times * value)
    if match_id.match_length:
        return Rules(match_id.match_length, cap=cap)
    return money_rules(
        jacoby=not match_id.is_without_jacoby,
        beavers=decision in (Decision.ANSWER_BEAVER, Decision.ANSWER_RACCOON),
        automatic_doubles=value.bit_length() - 1 if owner is None else 0,
        cap=cap,
    )
