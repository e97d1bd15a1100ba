"""What the coach says, as lines of text: hints, cube decisions and the account of a session."""

from __future__ import annotations

from collections.abc import Sequence

from bgai.cube import Action as CubeAction
from bgai.cube import CubeDecision
from bgai.engine import format_play
from bgai.interface.hints import RankedPlay, ranking_lines
from bgai.interface.table import Coach, JudgedPlay, Table, report
from bgai.interface.texts import Texts
from bgai.interface.texts.announce import spoken_moves
from bgai.interface.texts.verdicts import best_text, made_text, verdict
from bgai.match import MatchState


def hint_lines(
    texts: Texts, state: MatchState, plays: Sequence[JudgedPlay], is_spoken: bool
) -> list[str]:
    """A table of plays, or a sentence for each where they are read aloud."""
    board = state.board
    if is_spoken:
        return [
            texts(
                "terminal.hint.spoken",
                number=number,
                play=spoken_moves(texts, board, play.play.moves),
                equity=f"{play.equity:+.3f}",
                difference=f"{play.difference:+.3f}",
                win=f"{100 * float(play.probs[:3].sum()):.1f}",
                gammon=f"{100 * float(play.probs[1:3].sum()):.1f}",
            )
            for number, play in enumerate(plays, start=1)
        ]
    ranked = [
        RankedPlay(
            play.play,
            format_play(board, play.play.moves),
            play.equity,
            play.difference,
            play.probs,
        )
        for play in plays
    ]
    return ranking_lines(ranked, texts("terminal.hint.heading"))


def cube_lines(texts: Texts, decision: CubeDecision) -> list[str]:
    """A cube decision for the player about to roll, at most 80 columns wide.

    Where the player may not double, what doubling would bring is left out.
    """
    in_match = decision.chances is not None
    heading = texts("cube.equities")
    lines = [f"{heading:<36}  {texts('cube.chances')}" if in_match else heading]
    chances = decision.chances or (None, None, None)
    values = (decision.nd, decision.dt, decision.dp)
    is_possible = decision.action is not CubeAction.NOT_AVAILABLE
    keys = ("cube.value.nd", "cube.value.dt", "cube.value.dp")
    for key, value, chance in list(zip(keys, values, chances, strict=True))[
        : 3 if is_possible else 1
    ]:
        in_percent = "" if chance is None else f"{100 * chance:13.2f}%"
        lines.append(f"  {texts(key):<20} {texts.apart(f'{value:+8.3f}')}{texts.apart(in_percent)}")
    lines.append(verdict(texts, decision))
    if is_possible:
        response = texts(f"action.{decision.response.value}")
        lines.append(texts("cube.response", response=response))
    return lines


def report_lines(texts: Texts, coach: Coach, table: Table, names: tuple[str, str]) -> list[str]:
    """Errors and PR of both sides, and what cost most."""
    lines = [texts("report.heading")]
    sides = report(coach, table.steps)
    for side, name in zip(sides, names, strict=True):
        pr = "-" if side.pr is None else f"{side.pr:.2f}"
        numbers = {"error": f"{side.error:.0f}", "luck": f"{side.luck:+.2f}", "pr": pr}
        lines.append(texts("report.row", name=name, decisions=side.decisions, **numbers))
    lines.append(texts("report.note"))
    worst = [item for side in sides if table.seats[side.seat].is_person for item in side.worst]
    if worst:
        lines.append(texts("report.worst"))
    for number, judgement in sorted(worst, key=lambda item: -item[1].error):
        step = table.steps[number]
        lines.append(
            texts(
                "report.worst_row",
                game=step.before.games_played + 1,
                name=names[judgement.seat],
                made=made_text(texts, step),
                best=best_text(texts, coach, step, judgement),
                error=f"{judgement.error:.0f}",
            )
        )
    return lines
