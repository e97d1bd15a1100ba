"""What a UBGI controller has told so far, and the state that it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bgai.engine import Board
from bgai.engine.xgid import RolledDice
from bgai.match import Decision, MatchState, Rules, money_rules, position_of
from bgai.match.cube_state import DEFAULT_CAP
from bgai.match.state import Position

_OWNERS = {"center": None, "centre": None, "p0": 0, "p1": 1}


@dataclass(frozen=True)
class UbgiSession:
    """What has been told; what has not is money, the cube in the middle, player 0 on roll.

    Attributes:
        is_told: anything about a session, a score or a cube has been told.
        whole: a state that an id has told whole; its position and dice may be replaced.
        crawford_game: the number of the game (from 0) in which a player was first 1 away.
    """

    rules: Rules = field(default_factory=money_rules)
    score: tuple[int, int] = (0, 0)
    cube_value: int = 1
    cube_owner: int | None = None
    turn: int = 0
    position: Position | None = None
    dice: RolledDice | None = None
    whole: MatchState | None = None
    is_told: bool = False
    game: int = 0
    crawford_game: int | None = None

    def next_game(self) -> UbgiSession:
        """A new game of the same session: no position, the cube in the middle at 1."""
        return UbgiSession(
            self.rules,
            self.score,
            is_told=self.is_told and self.whole is None,
            game=self.game + 1,
            crawford_game=self.crawford_game,
        )

    def with_score(self, score: tuple[int, int]) -> UbgiSession:
        length = self.rules.match_length
        is_near = length is not None and length - 1 in score
        crawford_game = self.crawford_game
        if is_near and crawford_game is None:
            crawford_game = self.game
        return replace(self, score=score, crawford_game=crawford_game, whole=None, is_told=True)

    def with_cube(self, value: int, owner: str) -> UbgiSession:
        """
        Raises:
            ValueError: there is no such owner.
        """
        if owner not in _OWNERS:
            raise ValueError(f"the owner must be center, p0 or p1, got {owner}")
        return replace(self, cube_value=value, cube_owner=_OWNERS[owner], whole=None, is_told=True)

    def with_position(self, board: Board) -> UbgiSession:
        """A position seen by the player on roll."""
        return replace(self, position=position_of(board), dice=None, whole=None)

    def with_state(self, state: MatchState) -> UbgiSession:
        """A state that an id tells whole."""
        return replace(self, whole=state, position=state.position, dice=state.dice, is_told=True)

    def state(self) -> MatchState | None:
        """The state to decide; None while no position is told.

        Raises:
            ValueError: no game can come to this.
        """
        if self.position is None:
            return None
        if self.whole is not None:
            return self._whole_with_dice(self.whole)
        return MatchState(
            self._rules(),
            self.score,
            is_crawford=self._is_crawford(),
            cube_value=self.cube_value,
            cube_owner=self.cube_owner,
            turn=self.turn,
            decision=Decision.ROLL if self.dice is None else Decision.PLAY,
            position=self.position,
            dice=self.dice,
        )

    def _whole_with_dice(self, state: MatchState) -> MatchState:
        if self.dice is not None:
            return replace(state, decision=Decision.PLAY, dice=self.dice)
        if state.decision is Decision.PLAY:  # its dice are used up
            return replace(state, decision=Decision.ROLL, dice=None)
        return state

    def _rules(self) -> Rules:
        """The rules, with as many automatic doubles and as large a cap as the cube needs."""
        cap = max(DEFAULT_CAP, self.cube_value)
        if not self.rules.is_money or self.cube_owner is not None:
            return replace(self.rules, cap=cap)
        return replace(self.rules, cap=cap, automatic_doubles=self.cube_value.bit_length() - 1)

    def _is_crawford(self) -> bool:
        length = self.rules.match_length
        if length is None or not self.rules.crawford or self.cube_value > 1:
            return False
        at_match_point = [score == length - 1 for score in self.score]
        return sum(at_match_point) == 1 and self.crawford_game == self.game


def read_session(words: Sequence[str]) -> UbgiSession:
    """`newsession type money|match [length N] [jacoby on|off] [crawford on|off] [beavers on|off]`.

    Raises:
        ValueError: the words are anything else.
    """
    told = dict(zip(words[::2], words[1::2], strict=False))
    unknown = set(told) - {"type", "length", "jacoby", "crawford", "beavers"}
    if len(words) % 2 or unknown or told.get("type") not in ("money", "match"):
        raise ValueError(f"expected newsession type money|match ..., got {' '.join(words)}")
    switches = {}
    for name in ("jacoby", "crawford", "beavers"):
        value = told.get(name, "on" if name == "crawford" else "off")
        if value not in ("on", "off"):
            raise ValueError(f"{name} must be on or off, got {value}")
        switches[name] = value == "on"
    if told["type"] == "money":
        rules = money_rules(jacoby=switches["jacoby"], beavers=switches["beavers"])
        return UbgiSession(rules, is_told=True)
    length = told.get("length", "")
    if not length.isdigit():
        raise ValueError(f"a match needs its length in points, got {length!r}")
    return UbgiSession(Rules(int(length), crawford=switches["crawford"]), is_told=True)
