"""Why a cube decision is what it is, as a code and numbers that any language can tell."""

from __future__ import annotations

from bgai.cube import Action, CubeDecision, Response, pack_states
from bgai.cube.state_rows import is_free_double
from bgai.match import Owner

REASONS = (
    "no_cube",
    "crawford",
    "not_owner",
    "cap",
    "dead",
    "too_good",
    "beavered",
    "keep",
    "free",
    "passed",
    "worth_a_beaver",
    "taken",
)


def reason_of(decision: CubeDecision) -> tuple[str, dict[str, float]]:
    """One of `REASONS` and the numbers that it mentions; says the same as `decision.reason`."""
    state, nd, dt, dp = decision.state, decision.nd, decision.dt, decision.dp
    if decision.action is Action.NOT_AVAILABLE:
        return _not_available(decision)
    if decision.action is Action.TOO_GOOD:
        return "too_good", {"gain": nd - dp}
    if decision.action is Action.NO_DOUBLE:
        if decision.response is Response.BEAVER:
            return "beavered", {}
        return "keep", {"gain": nd - min(dt, dp)}
    if is_free_double(pack_states(state, 1))[0]:
        return "free", {}
    if decision.response is Response.PASS:
        return "passed", {"loss": dt - dp}
    if decision.response is Response.BEAVER:
        return "worth_a_beaver", {}
    return "taken", {"gain": dt - nd, "loss": dp - dt}


def _not_available(decision: CubeDecision) -> tuple[str, dict[str, float]]:
    state = decision.state
    if state.cap == 1:
        return "no_cube", {}
    if state.is_crawford:
        return "crawford", {}
    if state.owner is Owner.OPPONENT:
        return "not_owner", {}
    if 2 * state.value > state.cap:
        return "cap", {"cap": state.cap}
    return "dead", {}
