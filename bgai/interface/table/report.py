"""A session summed up: what each side gave up, and how the dice fell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bgai.interface.table.coach import Coach, Judgement
from bgai.interface.table.step import Step
from bgai.match import Action

RATING = 500
"""PR is this times the mean error in points per unforced decision, as XG counts it."""


@dataclass(frozen=True)
class SideReport:
    """What one seat did.

    Attributes:
        plays, cube_decisions: unforced ones; obvious ones do not count (`Coach`'s CLOSE, SPREAD).
        play_error, cube_error: given up in all, in millipoints.
        luck: of the seat's own rolls together, in points of cubeless games with the cube at 1.
        worst: the steps that cost most with their judgements, worst first; none that cost nothing.
    """

    seat: int
    plays: int
    cube_decisions: int
    play_error: float
    cube_error: float
    luck: float
    worst: tuple[tuple[int, Judgement], ...]

    @property
    def decisions(self) -> int:
        return self.plays + self.cube_decisions

    @property
    def error(self) -> float:
        """Given up in all, in millipoints."""
        return self.play_error + self.cube_error

    @property
    def pr(self) -> float | None:
        """Performance rating: 500 x mean error per unforced decision; None without any."""
        return RATING * self.error / 1000 / self.decisions if self.decisions else None


def report(coach: Coach, steps: Sequence[Step], worst: int = 5) -> tuple[SideReport, SideReport]:
    """Both seats' account of some steps, such as a whole session's or a game's.

    Args:
        worst: how many of the costliest decisions are listed.
    """
    judged = coach.judge(steps)
    lucks = [0.0, 0.0]
    for step, luck in zip(steps, coach.luck(steps), strict=True):
        lucks[step.after.turn] += luck or 0.0
    return _side(0, judged, lucks[0], worst), _side(1, judged, lucks[1], worst)


def _side(seat: int, judged: Sequence[Judgement | None], luck: float, worst: int) -> SideReport:
    own = [
        (number, judgement)
        for number, judgement in enumerate(judged)
        if judgement is not None and judgement.seat == seat
    ]
    plays = [judgement for _, judgement in own if judgement.action is Action.PLAY]
    cubes = [judgement for _, judgement in own if judgement.action is not Action.PLAY]
    costly = [item for item in own if item[1].error > 0]
    costly.sort(key=lambda item: -item[1].error)
    return SideReport(
        seat,
        sum(judgement.is_unforced for judgement in plays),
        sum(judgement.is_unforced for judgement in cubes),
        sum(judgement.error for judgement in plays),
        sum(judgement.error for judgement in cubes),
        luck,
        tuple(costly[:worst]),
    )
