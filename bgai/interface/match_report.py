"""A match that was played, judged: errors, PR and luck of both sides, as a notebook shows it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

from bgai.interface.bot import Bot, default_bot, load_bot
from bgai.interface.mat import MatchRecord, record_of_table
from bgai.interface.mat_reader import read_mat
from bgai.interface.position import Position
from bgai.interface.table import Coach, SideReport, load_session, report
from bgai.interface.texts import load_texts
from bgai.interface.texts.verdicts import best_text, made_text

_COLUMNS = ("player", "decisions", "errors in plays, mp", "errors with the cube, mp", "PR", "luck")
_NOTE = (
    "PR is 500 times the mean error per unforced decision, obvious ones not counted. Luck is that "
    "of a side's own rolls, in points, without the cube."
)


@dataclass(frozen=True)
class CostlyDecision:
    """A decision that gave something up.

    Attributes:
        position: what lay on the table, seen by the player on roll.
        error: in millipoints.
    """

    game: int
    name: str
    position: Position
    made: str
    best: str
    error: float


@dataclass(frozen=True, repr=False)
class MatchReport:
    """A match and what a bot thinks of it.

    Attributes:
        judge: the bot's name.
        sides: of player 0 and player 1.
        worst: of both sides, the costliest first.
    """

    record: MatchRecord
    judge: str
    sides: tuple[SideReport, SideReport]
    worst: tuple[CostlyDecision, ...]

    def __repr__(self) -> str:
        sides = [
            f"{name} {points}, PR {_rating(side)}"
            for name, points, side in zip(
                self.record.names, self.record.state.score, self.sides, strict=True
            )
        ]
        return f"MatchReport({'; '.join(sides)})"

    def _repr_html_(self) -> str:
        """What a notebook shows; it has no colours of its own."""
        return "".join([*self._table_of_sides(), *self._table_of_worst()])

    def _table_of_sides(self) -> Iterator[str]:
        length, score = self.record.start.rules.match_length, self.record.state.score
        played = "money session" if length is None else f"match to {length}"
        games = len(self.record.games())
        unfinished = "" if self.record.state.is_over else ", the last not finished"
        caption = (
            f"{' and '.join(self.record.names)}, {played}: {score[0]}-{score[1]} after {games} "
            f"game{'s' * (games != 1)}{unfinished}; judged by {self.judge}"
        )
        if self.record.breaks_off is not None:
            caption += f". The file breaks off in line {self.record.breaks_off}"
        yield f"<table><caption>{escape(caption)}</caption>{_head(_COLUMNS)}<tbody>"
        for name, side in zip(self.record.names, self.sides, strict=True):
            cells = (
                side.decisions,
                f"{side.play_error:.0f}",
                f"{side.cube_error:.0f}",
                _rating(side),
                f"{side.luck:+.2f}",
            )
            yield f'<tr><th scope="row">{escape(name)}</th>{_cells(cells)}</tr>'
        yield f"</tbody></table><p><small>{_NOTE}</small></p>"

    def _table_of_worst(self) -> Iterator[str]:
        if not self.worst:
            return
        columns = ("game", "player", "position", "made", "better", "error, mp")
        yield f"<table><caption>Costliest decisions</caption>{_head(columns)}<tbody>"
        for item in self.worst:
            shown = f"<details><summary>{item.position.id}</summary>{item.position.svg()}</details>"
            before = _cells((item.game, item.name))
            after = _cells((item.made, item.best, f"{item.error:.0f}"))
            yield f"<tr>{before}<td>{shown}</td>{after}</tr>"
        yield "</tbody></table>"


def analyse_match(
    path: str | os.PathLike[str], bot: Bot | str | None = None, plies: int = 0, worst: int = 5
) -> MatchReport:
    """Judge a match or money session by a bot.

    Args:
        path: a .mat file, or a session that `bgai play` has saved.
        bot: itself, its folder or zip, or the name of one that ships; None for the preferred one.
        plies: turns to look ahead; 0 is the net alone.
        worst: how many of the costliest decisions are listed.

    Raises:
        ValueError: the file is damaged or holds something else, negative `plies`.
        OSError: it cannot be read.
    """
    if not isinstance(bot, Bot):
        bot = default_bot() if bot is None else load_bot(bot)
    player = bot.player(plies)
    file = Path(path)
    if file.suffix.lower() == ".mat":
        record = read_mat(file)
    else:
        record = record_of_table(load_session(file, lambda name: player))
    return report_of(record, Coach(player), worst)


def report_of(record: MatchRecord, coach: Coach, worst: int = 5) -> MatchReport:
    """Judge a match by a coach."""
    sides = report(coach, record.steps, worst)
    texts = load_texts("en")
    costly = sorted(
        (item for side in sides for item in side.worst), key=lambda item: -item[1].error
    )
    return MatchReport(
        record,
        coach.name,
        sides,
        tuple(
            CostlyDecision(
                step.before.games_played + 1,
                record.names[judgement.seat],
                Position(step.before.board, step.before.dice, step.before),
                made_text(texts, step),
                best_text(texts, coach, step, judgement),
                judgement.error,
            )
            for step, judgement in ((record.steps[number], found) for number, found in costly)
        )[:worst],
    )


def _rating(side: SideReport) -> str:
    return "-" if side.pr is None else f"{side.pr:.2f}"


def _head(columns: tuple[str, ...]) -> str:
    cells = "".join(f'<th scope="col">{name}</th>' for name in columns)
    return f"<thead><tr>{cells}</tr></thead>"


def _cells(values: tuple[object, ...]) -> str:
    return "".join(f"<td>{escape(str(value))}</td>" for value in values)
