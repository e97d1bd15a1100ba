"""A whole state as an XGID. The player at the bottom is player 1, as in GNU Backgammon."""

from __future__ import annotations

from bgai.engine import Xgid, format_xgid, parse_xgid
from bgai.engine.xgid import BOTTOM, NOBODY, TOP
from bgai.match.cube_state import DEFAULT_CAP
from bgai.match.rules import LARGEST_CAP, Rules, money_rules
from bgai.match.state import Decision, MatchState, position_of

_JACOBY, _BEAVERS = 1, 2
_LARGEST_EXPONENT = LARGEST_CAP.bit_length() - 1
_SIDES = (TOP, BOTTOM)  # of player 0 and player 1
_MARKS = {
    Decision.ROLL: "",
    Decision.PLAY: "",
    Decision.ANSWER_DOUBLE: "D",
    Decision.ANSWER_BEAVER: "B",
    Decision.ANSWER_RACCOON: "R",
}
_DECISIONS = {mark: decision for decision, mark in _MARKS.items() if mark}


def state_from_xgid(text: str) -> MatchState:
    """The state that an XGID names; `text` as for `bgai.engine.parse_xgid`.

    Options that an XGID has no room for are the usual ones, but there are as many automatic doubles
    as the cube on the table needs, and beavers where one is on the table.

    Raises:
        ValueError: the text is not an XGID, or no game can come to this.
    """
    xgid = parse_xgid(text)
    decision = _DECISIONS.get(xgid.mark, Decision.ROLL if xgid.dice is None else Decision.PLAY)
    try:
        return MatchState(
            rules=_rules(xgid),
            score=(xgid.top_score, xgid.bottom_score),
            is_crawford=xgid.match_length > 0 and xgid.rules == 1,
            cube_value=1 << _exponent("cube", xgid.cube_exponent),
            cube_owner=None if xgid.cube_owner == NOBODY else _SIDES.index(xgid.cube_owner),
            turn=_SIDES.index(xgid.turn),
            decision=decision,
            position=position_of(xgid.board),
            dice=xgid.dice,
        )
    except ValueError as error:
        raise ValueError(f"{error} in the XGID {text!r}") from error


def xgid_of(state: MatchState) -> str:
    """The XGID of a state, with `XGID=` in front.

    Options that an XGID has no room for are lost: the games limit, whether there is a Crawford game
    and how many automatic doubles; so are the games played and what has been declined.

    Raises:
        ValueError: an XGID cannot say this: the game has not begun or is over, or a resignation is
            to be answered.
    """
    if state.decision not in _MARKS:
        raise ValueError(f"an XGID cannot say that the decision is {state.decision.value}")
    rules = state.rules
    written = int(state.is_crawford)
    if rules.is_money:
        written = _JACOBY * rules.jacoby + _BEAVERS * rules.beavers
    return format_xgid(
        Xgid(
            board=state.board,
            dice=state.dice,
            mark=_MARKS[state.decision],
            cube_exponent=state.cube_value.bit_length() - 1,
            cube_owner=NOBODY if state.cube_owner is None else _SIDES[state.cube_owner],
            turn=_SIDES[state.turn],
            bottom_score=state.score[1],
            top_score=state.score[0],
            rules=written,
            match_length=rules.match_length or 0,
            largest_cube_exponent=rules.cap.bit_length() - 1,
        )
    )


def _rules(xgid: Xgid) -> Rules:
    cap = DEFAULT_CAP
    if xgid.largest_cube_exponent is not None:
        cap = 1 << _exponent("largest cube", xgid.largest_cube_exponent)
    most = 1 if xgid.match_length else _JACOBY + _BEAVERS
    if xgid.rules > most:
        raise ValueError(f"the rules are 0..{most} here, got {xgid.rules}")
    if xgid.match_length:
        return Rules(xgid.match_length, cap=cap)
    return money_rules(
        jacoby=bool(xgid.rules & _JACOBY),
        beavers=bool(xgid.rules & _BEAVERS) or xgid.mark in ("B", "R"),
        automatic_doubles=xgid.cube_exponent if xgid.cube_owner == NOBODY else 0,
        cap=cap,
    )


def _exponent(name: str, exponent: int) -> int:
    if exponent > _LARGEST_EXPONENT:
        raise ValueError(f"the {name} exponent is at most {_LARGEST_EXPONENT}, got {exponent}")
    return exponent
