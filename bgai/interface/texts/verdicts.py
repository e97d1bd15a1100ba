"""What the coach thinks, in words: the cube's verdict, a remark on a decision, what was better."""

from __future__ import annotations

from bgai.cube import Action as CubeAction
from bgai.cube import CubeDecision
from bgai.interface.table import Coach, Judgement, Step, reason_of
from bgai.interface.texts import Texts
from bgai.interface.texts.announce import play_text
from bgai.match import Action

MENTIONED = 5
"""Millipoints; smaller errors are not worth a word while one plays."""

_VERDICTS = {
    CubeAction.NOT_AVAILABLE: ("cube.action.not_available",) * 2,
    CubeAction.NO_DOUBLE: ("cube.action.no_double", "cube.action.no_redouble"),
    CubeAction.DOUBLE: ("cube.action.double", "cube.action.redouble"),
    CubeAction.TOO_GOOD: ("cube.action.too_good", "cube.action.too_good_redouble"),
}


def verdict(texts: Texts, decision: CubeDecision) -> str:
    """What to do with the cube and why."""
    key = _VERDICTS[decision.action][decision.is_redouble]
    code, numbers = reason_of(decision)
    shown = {
        name: f"{number:.3f}" if isinstance(number, float) else number
        for name, number in numbers.items()
    }
    return texts("cube.verdict", action=texts(key), reason=texts(f"cube.reason.{code}", **shown))


def remark(texts: Texts, coach: Coach, step: Step, is_spoken: bool) -> str | None:
    """What the coach says about a decision; None where it was right, or all but right."""
    judgement = coach.judge([step])[0]
    if judgement is None or judgement.error < MENTIONED:
        return None
    key = "coach.play" if judgement.action is Action.PLAY else "coach.answer"
    best = best_text(texts, coach, step, judgement, is_spoken)
    return texts(key, best=best, error=f"{judgement.error:.0f}")


def made_text(texts: Texts, step: Step) -> str:
    """What was done, a play in notation."""
    if step.action is not Action.PLAY:
        return texts(f"action.{step.action.value}")
    return play_text(texts, step.before.board, step.moves, False)


def best_text(
    texts: Texts, coach: Coach, step: Step, judgement: Judgement, is_spoken: bool = False
) -> str:
    """What should have been done."""
    if judgement.best is not Action.PLAY:
        return texts(f"action.{judgement.best.value}")
    best = coach.ranking(step.before)[0]
    return play_text(texts, step.before.board, best.play.moves, is_spoken)
