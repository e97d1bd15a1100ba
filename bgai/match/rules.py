"""The options of a money session or a match."""

from __future__ import annotations

from dataclasses import dataclass

from bgai.match.cube_state import DEFAULT_CAP, check_cube_number

MOST_MATCH_LENGTH = 2**15 - 1
LARGEST_CAP = 2**15


@dataclass(frozen=True)
class Rules:
    """What is agreed before the first game. `Rules()` is a match to 7, the usual one.

    Attributes:
        match_length: the points that win the match; None for money.
        games_limit: play ends after that many games, whatever the score; None for no limit.
        crawford: the first game after a player has reached match point has no cube. Means nothing
            for money.
        jacoby: gammons count only once a player has turned the cube; money only.
        beavers: who is doubled may redouble at once and keep the cube, and the doubler may then
            redouble once more (raccoon); money only.
        automatic_doubles: how often in a game equal opening dice double the cube; money only.
        cap: the largest value of the cube; 1 plays without a cube.
    """

    match_length: int | None = 7
    games_limit: int | None = None
    crawford: bool = True
    jacoby: bool = False
    beavers: bool = False
    automatic_doubles: int = 0
    cap: int = DEFAULT_CAP

    def __post_init__(self) -> None:
        """Check every option.

        Raises:
            ValueError: an option cannot be played; the message names its value.
        """
        check_cube_number("the cube's cap", self.cap)
        if self.cap > LARGEST_CAP:
            raise ValueError(f"the cube's cap is at most {LARGEST_CAP}, got {self.cap}")
        if self.games_limit is not None and self.games_limit < 1:
            raise ValueError(f"the games limit must be 1 or more, got {self.games_limit}")
        most = LARGEST_CAP.bit_length() - 1
        if not 0 <= self.automatic_doubles <= most:
            raise ValueError(f"automatic_doubles must be 0..{most}, got {self.automatic_doubles}")
        if self.match_length is None:
            return
        if not isinstance(self.match_length, int):
            raise ValueError(f"a match is to a whole number of points, got {self.match_length!r}")
        if not 1 <= self.match_length <= MOST_MATCH_LENGTH:
            raise ValueError(
                f"a match is to 1..{MOST_MATCH_LENGTH} points, got {self.match_length}"
            )
        for name in ("jacoby", "beavers", "automatic_doubles"):
            if getattr(self, name):
                raise ValueError(f"{name} is for money only, got {getattr(self, name)} in a match")

    @property
    def is_money(self) -> bool:
        """Whether every point counts, and not who first has so many."""
        return self.match_length is None

    @property
    def has_cube(self) -> bool:
        """Whether the stakes can be doubled at all."""
        return self.cap > 1 and self.match_length != 1


def money_rules(
    *,
    games_limit: int | None = None,
    jacoby: bool = False,
    beavers: bool = False,
    automatic_doubles: int = 0,
    cap: int = DEFAULT_CAP,
) -> Rules:
    """The rules of a money session, arguments as in `Rules`."""
    return Rules(
        match_length=None,
        games_limit=games_limit,
        crawford=False,
        jacoby=jacoby,
        beavers=beavers,
        automatic_doubles=automatic_doubles,
        cap=cap,
    )
