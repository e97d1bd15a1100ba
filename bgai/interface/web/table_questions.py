"""What the page may ask of a table: a new one, an action, one that was saved."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr

from bgai.cube.match_equity import LONGEST_MATCH
from bgai.interface.table import Automatic
from bgai.interface.web.problems import FieldError, shown
from bgai.interface.web.questions import Die, Plies, PositionText
from bgai.match import Rules
from bgai.match.cube_state import DEFAULT_CAP

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
    """Go on from here; a position alone is played by the rules below, by whoever `starts`.

    With a match id, or in an XGID, it has rules of its own, and the person has to decide first.
    """
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


class ActionQuestion(Strict):
    """One thing that the person does."""

    action: ActionName
    dice: tuple[Die, Die] | None = None
    moves: Annotated[list[tuple[Point, Point]], Field(max_length=4)] | None = None
    level: Annotated[StrictInt, Field(ge=1, le=3)] | None = None
    version: StrictInt | None = None
    """The table's `version` that the person saw; another one is refused. None: whatever it is."""

    def check_fields(self) -> None:
        """
        Raises:
            FieldError: a field that the action needs is missing, or one has no meaning with it.
        """
        needed = _NEEDED.get(self.action)
        if needed is not None and not getattr(self, needed):
            raise FieldError(needed, f"the action {self.action} needs {_EXAMPLES[needed]}")
        allowed = needed or ("dice" if self.action == "roll" else None)
        for name in ("dice", "moves", "level"):
            if name != allowed and name in self.model_fields_set:
                value = shown(getattr(self, name))
                raise FieldError(name, f"has no meaning with the action {self.action}, got {value}")


_NEEDED = {"move": "moves", "resign": "level"}
_EXAMPLES = {
    "moves": "moves, such as [[13, 7]]",
    "level": "a level: 1 a single game, 2 a gammon, 3 a backgammon",
}


class SavedQuestion(Strict):
    """A session that was kept: the JSON of `/session`, or the text of a .mat file."""

    session: dict[str, Any] | None = None
    mat: StrictStr | None = None
    plies: Plies = 0
    automatic: AutomaticQuestion = AutomaticQuestion()
