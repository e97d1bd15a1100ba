"""Whole sessions and matches, and writing them as .mat files (Jellyfish's text format).

The format has no standard; what is written here follows GNU Backgammon 1.07's own files, with
headers that eXtreme Gammon writes, and two more for the rules that those have no place for: to
other programs they are comments. `bgai.interface.mat_reader` reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bgai.engine import is_hit, make_move
from bgai.engine.files import write_whole
from bgai.interface.protocols.engine import moves_text
from bgai.interface.table.step import Step
from bgai.interface.table.table import Table
from bgai.match import Action, Decision, MatchState, Rules

_LEFT_WIDTH = 28
_DECLINED = (Action.RESIGN, Action.DECLINE)


@dataclass(frozen=True, repr=False)
class MatchRecord:
    """A session or match as it was played.

    Attributes:
        names: of player 0 and player 1.
        start: before the first step, usually `new_session(rules)`.
        steps: all that was done, oldest first, each going on from the state the last one left. A
            resignation by the player not on roll is one `ACCEPT` without a `RESIGN` before it.
        breaks_off: the line of a file within which it ends, so that something is lost.
    """

    names: tuple[str, str]
    start: MatchState
    steps: tuple[Step, ...]
    breaks_off: int | None = None

    def __repr__(self) -> str:
        return f"MatchRecord({self.names}, {len(self.games())} games, score {self.state.score})"

    @property
    def state(self) -> MatchState:
        """The state that the last step left."""
        return self.steps[-1].after if self.steps else self.start

    def games(self) -> list[tuple[MatchState, tuple[Step, ...]]]:
        """Each game: the state it began in, and its steps."""
        games: list[tuple[MatchState, list[Step]]] = [(self.start, [])]
        for step in self.steps:
            if step.action is Action.NEXT_GAME:
                games.append((step.after, []))
            else:
                games[-1][1].append(step)
        return [(start, tuple(steps)) for start, steps in games]


def record_of_table(table: Table) -> MatchRecord:
    """What has been played at a table so far."""
    names = table.seats[0].name, table.seats[1].name
    return MatchRecord(names, table.start, tuple(table.steps))


def write_mat(path: Path, record: MatchRecord, event: str = "") -> None:
    """Write a .mat file; arguments and errors as of `format_mat`.

    Raises:
        OSError: it cannot be written.
    """
    write_whole(path, format_mat(record, event).encode())


def format_mat(record: MatchRecord, event: str = "") -> str:
    """A session or match as the text of a .mat file.

    Args:
        event: what it was played for.

    The file does not tell what was offered and declined.

    Raises:
        ValueError: the file cannot tell an automatic double, or a game that does not start at its
            beginning.
    """
    rules = record.start.rules
    lines = [*_header_lines(rules, event), "", f" {rules.match_length or 0} point match"]
    for number, (start, steps) in enumerate(record.games(), start=1):
        if start.decision is not Decision.OPENING:
            raise ValueError(
                f"a .mat file has whole games, but game {number} starts where the decision is "
                f"{start.decision.value}"
            )
        lines += ["", f" Game {number}", _score_line(record.names, start.score)]
        lines += _rows(list(_cells(number, steps)))
    return "\n".join([*lines, ""])


def _header_lines(rules: Rules, event: str) -> list[str]:
    switches = {"Crawford": rules.crawford}
    if rules.is_money:
        switches = {"Jacoby": rules.jacoby, "Beaver": rules.beavers}
    pairs = [
        *([("Event", event.replace('"', "'"))] if event else []),
        ("Variation", "Backgammon"),
        *((name, "On" if is_on else "Off") for name, is_on in switches.items()),
        ("CubeLimit", str(rules.cap)),
        *([("GamesLimit", str(rules.games_limit))] if rules.games_limit else []),
        *([("AutomaticDoubles", str(rules.automatic_doubles))] if rules.automatic_doubles else []),
    ]
    return [f'; [{name} "{" ".join(value.split())}"]' for name, value in pairs]


def _score_line(names: tuple[str, str], score: tuple[int, int]) -> str:
    left, right = (
        f"{_plain_name(name)} : {points}" for name, points in zip(names, score, strict=True)
    )
    return f" {left:<{_LEFT_WIDTH + 2}} {right}"


def _plain_name(name: str) -> str:
    """A name that does not break the line it stands in."""
    return " ".join(name.replace(":", "_").split()) or "?"


def _cells(number: int, steps: Sequence[Step]) -> Iterator[tuple[int, str]]:
    """What is written of a game: each time the player in whose column it stands, and the text."""
    for place, step in enumerate(steps):
        before, after, action = step.before, step.after, step.action
        following = steps[place + 1 :]
        if action is Action.PLAY:
            yield before.turn, f"{_dice_text(before)}: {_moves_text(step)}".rstrip()
        elif action in (Action.DOUBLE, Action.BEAVER, Action.RACCOON):
            word = "Doubles" if action is Action.DOUBLE else _redoubling_word(following)
            yield _actor(before), f" {word} => {2 * after.stake_if_passed}"
        elif action is Action.PASS:
            yield _actor(before), " Drops"
        elif action is Action.TAKE and (
            before.decision is Decision.ANSWER_DOUBLE or not _is_rolled_on(following)
        ):
            yield _actor(before), " Takes"
        elif action is Action.THROW_OPENING and after.decision is Decision.OPENING:
            _check_cube_untouched(number, step)
        elif action is Action.RESIGN and before.dice is not None and _is_accepted(following):
            yield before.turn, f"{_dice_text(before)}:"
        if after.result is not None:
            yield after.result.winner, _winning_text(after)


def _redoubling_word(following: Sequence[Step]) -> str:
    """How a beaver or raccoon is called.

    GNU Backgammon calls both `Beavers`, writes no take after them, and takes it as told by the next
    roll; where there is none, it loses its way in the next game. So they are `Beavers` only if they
    are taken and rolled on.
    """
    actions = [step.action for step in following]
    if actions[:1] == [Action.TAKE] and _is_rolled_on(following[1:]):
        return "Beavers"
    if actions[:2] == [Action.RACCOON, Action.TAKE] and _is_rolled_on(following[2:]):
        return "Beavers"
    return "Doubles"


def _is_rolled_on(following: Sequence[Step]) -> bool:
    """Whether dice are thrown before the game ends, or nothing more is known of it."""
    kept = [step.action for step in following if step.action not in _DECLINED]
    return not kept or kept[0] is Action.ROLL


def _check_cube_untouched(number: int, step: Step) -> None:
    """
    Raises:
        ValueError: the equal dice of the opening have doubled the cube.
    """
    if step.after.cube_value > step.before.cube_value:
        raise ValueError(
            f"a .mat file cannot tell the automatic double to {step.after.cube_value} in game "
            f"{number}"
        )


def _is_accepted(following: Sequence[Step]) -> bool:
    """Whether a resignation is."""
    return bool(following) and following[0].action is Action.ACCEPT


def _actor(state: MatchState) -> int:
    assert state.actor is not None
    return state.actor


def _moves_text(step: Step) -> str:
    """Every single move written out, `*` after each that hits."""
    board, texts = step.before.board, []
    for move in step.moves:
        texts.append(moves_text((move,)) + "*" * is_hit(board, move))
        board = make_move(board, move)
    return " ".join(texts)


def _dice_text(state: MatchState) -> str:
    assert state.dice is not None
    return f"{state.dice[0]}{state.dice[1]}"


def _winning_text(state: MatchState) -> str:
    assert state.result is not None
    points, length = state.result.points, state.rules.match_length
    is_last = length is not None and max(state.score) >= length
    return f" Wins {points} point{'s' * (points > 1)}{' and the match' * is_last}"


def _rows(cells: list[tuple[int, str]]) -> list[str]:
    """The cells in two columns, numbered; what ends a game in the left one is not numbered."""
    lines: list[str] = []
    left: str | None = None
    number = 0
    for player, text in cells:
        if player == 1:
            number += left is None
            # two blanks at least end what stands in the left column
            beside = f"{left or ''}  "
            lines.append(f"{number:3d}) {beside:<{_LEFT_WIDTH}}{text}")
            left = None
            continue
        if left is not None:
            lines.append(f"{number:3d}) {left}")
            left = None
        if text.startswith(" Wins"):
            lines.append(f"     {text}")
            continue
        number += 1
        left = text
    if left is not None:
        lines.append(f"{number:3d}) {left}")
    return lines
