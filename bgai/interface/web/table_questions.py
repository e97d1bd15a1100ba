"""What the page may ask of a table: a new one, an action, one that was saved."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr

from bgai.interface.table import Automatic
from bgai.interface.web.questions import Die, FieldError, Plies, PositionText, read_position
from bgai.match import Decision, MatchState, Rules, money_rules
from bgai.match.cube_state import DEFAULT_CAP

LONGEST_MATCH = 64  # what the match equity table knows

ActionName = Literal[
    "roll",
    "double",
    "take",
    "pass",
    "beaver",
    "raccoon",
    "resign",
    "accept",
    "decline",
    "next_game",
    "move",
    "undo_move",
    "undo_moves",
    "undo_turn",
    "confirm",
]
Point = Annotated[StrictInt, Field(ge=0, le=25)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class AutomaticQuestion(Strict):
    """What is done for the person; see `bgai.interface.table.Automatic`."""

    rolls: StrictBool = True
    only_plays: StrictBool = True
    bear_off: StrictBool = False

    def automatic(self) -> Automatic:
        return Automatic(self.rolls, self.only_plays, self.bear_off)


class NewTableQuestion(Strict):
    """A new session of a person against the bot. Rules as in `bgai.match.Rules`."""

    match_length: Annotated[StrictInt, Field(ge=1, le=LONGEST_MATCH)] | None = 7
    games_limit: Annotated[StrictInt, Field(ge=1, le=10_000)] | None = None
    crawford: StrictBool = True
    jacoby: StrictBool = False
    beavers: StrictBool = False
    automatic_doubles: StrictInt = 0
    cap: StrictInt = DEFAULT_CAP
    position: PositionText | None = None
    """Go on from here, with the rules of its id; the person has to decide first."""
    name: Annotated[StrictStr, Field(min_length=1, max_length=40)] = "You"
    plies: Plies = 0
    seed: Annotated[StrictInt, Field(ge=0, lt=2**63)] | None = None
    starts: Literal["dice", "you", "bot"] = "dice"
    manual_dice: StrictBool = False
    automatic: AutomaticQuestion = AutomaticQuestion()

    def rules(self) -> Rules:
        """
        Raises:
            FieldError: nobody can play by these rules.
        """
        options = {name: getattr(self, name) for name in Rules.__dataclass_fields__}
        if self.match_length is None:
            options["crawford"] = False
        try:
            return Rules(**options)
        except ValueError as error:
            named = (name for name in Rules.__dataclass_fields__ if name in str(error))
            raise FieldError(next(named, "cap"), str(error)) from error

    def start(self) -> MatchState | None:
        """The state that `position` names.

        Raises:
            FieldError: there is none, or nothing is to be played there.
        """
        if self.position is None:
            return None
        asked = read_position(self.position)
        if asked.state is None:
            return MatchState(
                money_rules(jacoby=self.jacoby, beavers=self.beavers, cap=self.cap),
                decision=Decision.ROLL,
                position=tuple(asked.board.tolist()),
            )
        length = asked.state.rules.match_length
        if length is not None and length > LONGEST_MATCH:
            raise FieldError("position", f"a match is to {LONGEST_MATCH} points at most: {length}")
        return asked.state


class ActionQuestion(Strict):
    """One thing that the person does."""

    action: ActionName
    dice: tuple[Die, Die] | None = None
    moves: Annotated[list[tuple[Point, Point]], Field(max_length=4)] = []
    level: Annotated[StrictInt, Field(ge=1, le=3)] | None = None


class SavedQuestion(Strict):
    """A session that was kept: the JSON of `/session`, or the text of a .mat file."""

    session: dict[str, Any] | None = None
    mat: StrictStr | None = None
    plies: Plies = 0
    automatic: AutomaticQuestion = AutomaticQuestion()
