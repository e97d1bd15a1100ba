"""A position as people write it: read from any notation, shown as a drawing in a notebook."""

from __future__ import annotations

from dataclasses import dataclass

from bgai.engine import (
    UNFINISHED,
    Board,
    check_boards,
    outcomes,
    parse_position,
    position_id,
)
from bgai.engine.gnu_id import POSITION_ID_LENGTH
from bgai.engine.xgid import RolledDice
from bgai.interface.drawing import draw
from bgai.match import MatchState, parse_match_id, state_from_gnu_id, state_from_xgid


@dataclass(frozen=True, eq=False, repr=False)
class Position:
    """A board, and what else is known of the moment.

    Attributes:
        board: `[26]`, seen by the player about to roll.
        dice: the roll to be played.
        state: score and cube.
    """

    board: Board
    dice: RolledDice | None = None
    state: MatchState | None = None

    def __post_init__(self) -> None:
        """Check the board and the dice.

        Raises:
            ValueError: there is no such board or roll.
        """
        board = check_boards(self.board)
        if board.ndim != 1:
            raise ValueError(f"a position is one board [26], got shape {board.shape}")
        object.__setattr__(self, "board", board)
        if self.dice is not None:
            if len(self.dice) != 2 or not all(die in range(1, 7) for die in self.dice):
                raise ValueError(f"a roll is two dice 1..6, got {self.dice}")
            object.__setattr__(self, "dice", (int(self.dice[0]), int(self.dice[1])))

    @classmethod
    def from_id(cls, text: str) -> Position:
        """The position that an id names.

        Args:
            text: a GNU position id, alone or with its match id behind a colon, or an XGID.

        Raises:
            ValueError: it is none of these, no game can come to this, or it tells a score but the
                game is over.
        """
        board, dice = parse_position(text)
        position_text, colon, match_text = text.strip().partition(":")
        if not colon:
            return cls(board)
        if int(outcomes(board)) != UNFINISHED:
            raise ValueError(f"the game is over in {text!r}: nothing is left to decide")
        if len(position_text) != POSITION_ID_LENGTH:
            return cls(board, dice, state_from_xgid(text))
        match_id = parse_match_id(match_text)
        dice = (match_id.first_die, match_id.second_die) if match_id.first_die else None
        return cls(board, dice, state_from_gnu_id(text))

    @property
    def id(self) -> str:
        """The GNU position id."""
        return position_id(self.board)

    def __repr__(self) -> str:
        dice = "" if self.dice is None else f", {self.dice[0]}-{self.dice[1]}"
        return f"Position({self.id!r}{dice})"

    def svg(self) -> str:
        """The drawing, for a page or a file."""
        return draw(self.board, self.dice, self.state)

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        return self.svg()
