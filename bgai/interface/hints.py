"""Ranked plays, evaluations and cube decisions, as data and as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bgai.cube import Action, CubeDecision, pack_states, swap_states
from bgai.engine import OUTCOMES, Board, Dice, Probs, equity, swap_probs
from bgai.engine.move_text import format_play
from bgai.engine.moves import Play, legal_plays
from bgai.match import CubeState, Owner
from bgai.search import EvaluatorPlayer

_HEADING = (
    "                                          win, by points      lose, by points\n"
    "    play                  equity   diff    1     2     3        1     2     3"
)

_OWNERS = {
    Owner.CENTRED: "in the middle",
    Owner.PLAYER: "owned by the player on roll",
    Owner.OPPONENT: "owned by the opponent",
}


@dataclass(frozen=True)
class RankedPlay:
    """A play with its value for the mover.

    Attributes:
        equity: what the plays are ranked by: points per cube, cubeful where a cube is given.
        difference: equity minus the best play's; 0 or negative.
        probs: `[6]`, for the mover.
        is_cubeful: which of the two `equity` is.
    """

    play: Play
    text: str
    equity: float
    difference: float
    probs: Probs
    is_cubeful: bool = False

    def as_json(self) -> dict[str, Any]:
        """Both equities, the cubeful one null where no cube is given."""
        return {
            "play": self.text,
            "equity": round(float(equity(self.probs.astype(np.float64))), 6),
            "cubeful_equity": round(self.equity, 6) if self.is_cubeful else None,
            "difference": round(self.difference, 6),
            "probs": probs_as_json(self.probs),
        }


def rank_plays(
    player: EvaluatorPlayer,
    board: Board,
    dice: Dice | Sequence[int],
    state: CubeState | None = None,
) -> list[RankedPlay]:
    """Every play of a roll, the best first, valued as the player values it when it plays.

    Args:
        board: `[26]`, seen by the player on roll, the game not over.
        dice: two dice.
        state: score and cube, seen by the player on roll; None for cubeless money.

    Raises:
        ValueError: the match equity table does not know the score.
    """
    plays = legal_plays(board, dice)
    after = np.stack([play.after for play in plays])
    if state is None:
        probs: Probs = swap_probs(player.evaluator(after))
        equities = equity(probs.astype(np.float64))
    else:
        decisions = player.decide_cube(after, swap_states(pack_states(state, len(after))))
        probs, equities = swap_probs(decisions.probs.astype(np.float32)), -decisions.equities
    best = float(equities.max())
    return [
        RankedPlay(
            plays[row],
            format_play(board, plays[row].moves),
            float(equities[row]),
            float(equities[row]) - best,
            probs[row],
            is_cubeful=state is not None,
        )
        for row in np.argsort(-equities, kind="stable")
    ]


def ranking_lines(ranked: Sequence[RankedPlay], heading: str = _HEADING) -> list[str]:
    """A table of plays, at most 80 columns wide."""
    return [
        *heading.split("\n"),
        *(
            f"{place:2d}. {item.text:<20} {item.equity:+7.3f} {item.difference:+7.3f}"
            f" {_percentages(item.probs)}"
            for place, item in enumerate(ranked, start=1)
        ),
    ]


def _percentages(probs: Probs) -> str:
    cells = [f"{100 * float(chance):5.1f}" for chance in probs]
    return f"{' '.join(cells[:3])}  | {' '.join(cells[3:])}"


def evaluation_lines(probs: Probs) -> list[str]:
    """The value of a position for the player about to roll.

    Args:
        probs: `[6]`.
    """
    names = ("single", "gammon", "backgammon")
    lines = [f"cubeless equity {float(equity(probs)):+.3f} (points, cube at 1)"]
    for verb, chances in (("win", probs[:3]), ("lose", probs[3:])):
        parts = [
            f"{name} {100 * float(chance):.1f}%"
            for name, chance in zip(names, chances, strict=True)
        ]
        lines.append(f"{verb:<5}{100 * float(chances.sum()):5.1f}%: {', '.join(parts)}")
    return lines


def probs_as_json(probs: Probs) -> dict[str, float]:
    """`[6]` -> by outcome name."""
    return {name: round(float(chance), 6) for name, chance in zip(OUTCOMES, probs, strict=True)}


def cube_lines(decision: CubeDecision) -> list[str]:
    """A cube decision for the player about to roll, at most 80 columns wide.

    Where the player may not double, what doubling would bring is left out.
    """
    state = decision.state
    lines = [cube_state_text(state)]
    heading = "cubeful equity (in points per cube)"
    lines.append(heading if decision.chances is None else f"{heading:<36}  match winning chance")
    chances = decision.chances or (None, None, None)
    values = (decision.nd, decision.dt, decision.dp)
    verb = "redouble" if decision.is_redouble else "double"
    names = (f"ND  no {verb}", f"DT  {verb}, take", f"DP  {verb}, pass")
    shown = 1 if decision.action is Action.NOT_AVAILABLE else 3
    for name, value, chance in list(zip(names, values, chances, strict=True))[:shown]:
        in_match = "" if chance is None else f"{100 * chance:13.2f}%"
        lines.append(f"  {name:<20} {value:+8.3f}{in_match}")
    if decision.action is Action.NOT_AVAILABLE:
        return [*lines, str(decision)]
    action, _, response = str(decision).partition(", ")
    return [*lines, f"{action}: {decision.reason}", f"answer to a {verb}: {response}"]


def cube_state_text(state: CubeState) -> str:
    """Score and cube in words."""
    if state.away is None:
        rules = [name for name in ("jacoby", "beavers") if getattr(state, name)]
        score = ", ".join(["money", *rules])
    else:
        score = f"match, {state.away[0]} away against {state.away[1]} away"
        if state.is_crawford:
            score += ", Crawford"
    return f"{score}; cube {state.value}, {_OWNERS[state.owner]}"


def cube_as_json(decision: CubeDecision) -> dict[str, Any]:
    """A cube decision with the state it is for."""
    return {"state": cube_state_as_json(decision.state), **decision.to_json()}


def cube_state_as_json(state: CubeState) -> dict[str, Any]:
    """Score and cube, seen by the player on roll."""
    return {**vars(state), "owner": state.owner.value}
