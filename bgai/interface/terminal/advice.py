"""What the coach says, as lines of text: hints, verdicts and the account of a session."""

from __future__ import annotations

from collections.abc import Sequence

from bgai.cube import Action as CubeAction
from bgai.cube import CubeDecision
from bgai.engine import format_play
from bgai.interface.hints import RankedPlay, ranking_lines
from bgai.interface.table import Coach, JudgedPlay, Judgement, Step, Table, reason_of, report
from bgai.interface.texts import Texts
from bgai.interface.texts.announce import play_text, spoken_moves
from bgai.match import Action, MatchState

MENTIONED = 5
"""Millipoints; smaller errors are not worth a word while one plays."""


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
        lines.append(f"  {texts(key):<20} {value:+8.3f}{in_percent}")
    lines.append(verdict(texts, decision))
    if is_possible:
        response = texts(f"action.{decision.response.value}")
        lines.append(texts("cube.response", response=response))
    return lines


def verdict(texts: Texts, decision: CubeDecision) -> str:
    """What to do with the cube and why."""
    key = _VERDICTS[decision.action][decision.is_redouble]
    code, numbers = reason_of(decision)
    shown = {
        name: f"{number:.3f}" if isinstance(number, float) else number
        for name, number in numbers.items()
    }
    return texts("cube.verdict", action=texts(key), reason=texts(f"cube.reason.{code}", **shown))


_VERDICTS = {
    CubeAction.NOT_AVAILABLE: ("cube.action.not_available",) * 2,
    CubeAction.NO_DOUBLE: ("cube.action.no_double", "cube.action.no_redouble"),
    CubeAction.DOUBLE: ("cube.action.double", "cube.action.redouble"),
    CubeAction.TOO_GOOD: ("cube.action.too_good", "cube.action.too_good_redouble"),
}


def remark(texts: Texts, coach: Coach, step: Step, is_spoken: bool) -> str | None:
    """What the coach says about a decision; None where it was right, or all but right."""
    judgement = coach.judge([step])[0]
    if judgement is None or judgement.error < MENTIONED:
        return None
    key = "coach.play" if judgement.action is Action.PLAY else "coach.answer"
    best = _best_text(texts, coach, step, judgement, is_spoken)
    return texts(key, best=best, error=f"{judgement.error:.0f}")


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
                made=_made_text(texts, step),
                best=_best_text(texts, coach, step, judgement, False),
                error=f"{judgement.error:.0f}",
            )
        )
    return lines


def _made_text(texts: Texts, step: Step) -> str:
    if step.action is not Action.PLAY:
        return texts(f"action.{step.action.value}")
    return play_text(texts, step.before.board, step.moves, False)


def _best_text(
    texts: Texts, coach: Coach, step: Step, judgement: Judgement, is_spoken: bool
) -> str:
    if judgement.best is not Action.PLAY:
        return texts(f"action.{judgement.best.value}")
    best = coach.ranking(step.before)[0]
    return play_text(texts, step.before.board, best.play.moves, is_spoken)
