"""All that a cube decision needs besides the board."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

DEFAULT_CAP = 64
LARGEST_CUBE = 2**60  # what the kernels can count with


class Owner(Enum):
    """Who may turn the cube next, seen by the player about to roll."""

    CENTRED = "centred"
    PLAYER = "player"
    OPPONENT = "opponent"

    def swapped(self) -> Owner:
        """The same owner seen by the other player."""
        return _SWAPPED[self]


_SWAPPED = {
    Owner.CENTRED: Owner.CENTRED,
    Owner.PLAYER: Owner.OPPONENT,
    Owner.OPPONENT: Owner.PLAYER,
}


@dataclass(frozen=True)
class CubeState:
    """All that a cube decision needs besides the board, seen by the player about to roll.

    Attributes:
        value: points at stake without gammons.
        owner: who may turn the cube; at money a centred cube may be above 1 (automatic doubles).
        away: points that the player and the opponent still need; None for money.
        is_crawford: the game of a match that is played without the cube.
        jacoby: gammons count only once a player has turned the cube; money only.
        beavers: who is doubled may redouble at once and keep the cube; money only.
        cap: the largest value the cube may reach; 1 = no cube.
    """

    value: int = 1
    owner: Owner = Owner.CENTRED
    away: tuple[int, int] | None = None
    is_crawford: bool = False
    jacoby: bool = False
    beavers: bool = False
    cap: int = DEFAULT_CAP

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            ValueError: no game can have this cube; the message names the value.
        """
        check_cube_number("the cube's cap", self.cap)
        check_cube_number("the cube", self.value)
        if not isinstance(self.owner, Owner):
            raise ValueError(f"the owner of the cube is one of {list(Owner)}, got {self.owner!r}")
        for name in ("is_crawford", "jacoby", "beavers"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} is True or False, got {getattr(self, name)!r}")
        if self.value > self.cap:
            raise ValueError(f"the cube is at most {self.cap}, got {self.value}")
        if self.value == 1 and self.owner is not Owner.CENTRED:
            raise ValueError(f"a cube at 1 is in the middle, got owner {self.owner.value!r}")
        if self.away is None:
            if self.is_crawford:
                raise ValueError("the Crawford game is one of a match, got it for money")
        else:
            self._check_match(self.away)

    def _check_match(self, away: tuple[int, int]) -> None:
        if not isinstance(away, tuple) or [type(points) for points in away] != [int, int]:
            raise ValueError(f"away is two whole numbers of points, got {away!r}")
        if min(away) < 1:
            raise ValueError(f"both players still need 1 point or more, got {away}")
        if self.jacoby or self.beavers:
            name = "Jacoby rule" if self.jacoby else "beaver"
            raise ValueError(f"there is no {name} in a match, got one at {away} away")
        if self.owner is Owner.CENTRED and self.value > 1:
            raise ValueError(f"the cube of a match starts at 1, got {self.value} in the middle")
        own, other = away if self.owner is Owner.PLAYER else away[::-1]
        if self.owner is not Owner.CENTRED and was_dead(self.value, own, other):
            raise ValueError(
                f"nobody turned a cube to {self.value} at {away} away, owner {self.owner.value}: "
                "it was dead"
            )
        if not self.is_crawford:
            return
        # both are in a match to 1 point
        if 1 not in away:
            raise ValueError(f"in the Crawford game a player is 1 away, got {away}")
        if self.value > 1:
            raise ValueError(f"the cube is not turned in the Crawford game, got {self.value}")

    @property
    def is_post_crawford(self) -> bool:
        """Whether a player of the match is 1 away and the cube is in play."""
        return self.away is not None and 1 in self.away and not self.is_crawford

    def may_double(self) -> bool:
        """Whether the player about to roll may double: the cube is theirs to turn and not dead.

        It is dead when the player wins the match with the points already at stake.
        """
        return (
            self.owner is not Owner.OPPONENT
            and not self.is_crawford
            and 2 * self.value <= self.cap
            and (self.away is None or self.away[0] > self.value)
        )

    def swapped(self) -> CubeState:
        """The same cube seen by the other player."""
        away = None if self.away is None else (self.away[1], self.away[0])
        return replace(self, owner=self.owner.swapped(), away=away)

    def doubled(self) -> CubeState:
        """The cube after a double and a take, seen by the same player, who has doubled.

        Raises:
            ValueError: the player may not double.
        """
        if not self.may_double():
            raise ValueError(f"the player about to roll may not double: {self}")
        return replace(self, value=2 * self.value, owner=Owner.OPPONENT)


def was_dead(value: int, own_away: int, other_away: int) -> bool:
    """Whether an owned cube could not have come to this value at a score of the match.

    Whoever gave it away, and the owner before that, was not yet sure of the match with it.

    Args:
        own_away, other_away: points that the owner and the other player still need.
    """
    return other_away <= value // 2 or (value > 2 and own_away <= value // 4)


def check_cube_number(name: str, number: int) -> None:
    """Refuse what a cube cannot show.

    Raises:
        ValueError: the number is not a power of two.
    """
    if not isinstance(number, int) or isinstance(number, bool):
        raise ValueError(f"{name} must be a whole number, got {number!r}")
    if number > LARGEST_CUBE:
        raise ValueError(f"{name} is at most {LARGEST_CUBE}, got {number}")
    if number < 1 or number & (number - 1):
        raise ValueError(f"{name} must be a power of two (1, 2, 4 ...), got {number}")
