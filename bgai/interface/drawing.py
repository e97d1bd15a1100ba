"""A position as an SVG drawing that stands by itself: no style sheet, no script, no font file.

The player about to roll sits at the bottom, home at the right. Everything is painted on the
drawing's own wood, so that it can be read on a light page and on a dark one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from bgai.engine import BAR, OPPONENT_BAR, Board, borne_off, pip_counts
from bgai.interface.texts import load_texts
from bgai.interface.texts.board_words import Side, describe_board
from bgai.match import MatchState
from bgai.match.state import CUBE_ANSWERS

WIDTH, HEIGHT = 906, 780
RADIUS = 29
SHOWN_IN_STACK, SHOWN_ON_BAR = 5, 3

_COLUMN, _LEFT = 62, 14
_BAR_LEFT, _BAR_WIDTH = _LEFT + 6 * _COLUMN, 64
_RIGHT = _BAR_LEFT + _BAR_WIDTH
_TRAY_LEFT, _TRAY_WIDTH = _RIGHT + 6 * _COLUMN + 8, 68
_TOP, _BOTTOM, _POINT_HEIGHT = 46, 734, 292
_MIDDLE = (_TOP + _BOTTOM) / 2

_WOOD, _FIELD, _TRAY, _WRITING = "#6d4222", "#e6d2ae", "#52301a", "#f6e7d0"
_POINTS = ("#c99c6b", "#a8613a")  # even, odd
_SIDES = {"player": ("#fbf3e2", "#5b4630"), "opponent": ("#3b2a20", "#d9b98c")}  # face, edge
_DIE, _PIP = "#fffdf7", "#2a2119"

_PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


def draw(board: Board, dice: Sequence[int] | None = None, state: MatchState | None = None) -> str:
    """The drawing of a position.

    Args:
        board: `[26]`, seen by the player about to roll.
        dice: the roll to be played.
        state: whose score and cube are shown; its `turn` is the player about to roll.

    Returns:
        An `<svg>` element. Its title and description tell the same to those who do not see it;
        each point, bar and tray is a group with `data-slot` and `data-checkers`, as in `board`.
    """
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'width="{WIDTH // 2}" height="{HEIGHT // 2}" direction="ltr" '
            'font-family="system-ui, sans-serif" text-anchor="middle">',
            f"<title>{escape(_title(dice))}</title>",
            f"<desc>{escape(_description(board, dice, state))}</desc>",
            *_surface(),
            *(_slot(f"{slot}", slot, int(board[slot])) for slot in range(BAR + 1)),
            *_trays(board),
            *_dice(dice),
            *_cube(state),
            *_counts(board, state),
            "</svg>",
        ]
    )


def _title(dice: Sequence[int] | None) -> str:
    return "Backgammon position" + ("" if dice is None else f", {dice[0]}-{dice[1]} to play")


def _description(board: Board, dice: Sequence[int] | None, state: MatchState | None) -> str:
    sides = Side("Player on roll"), Side("Opponent")
    told = [describe_board(load_texts("en"), board, *sides).replace("\n", " ")]
    if dice is not None:
        told.append(f"To play: {dice[0]}-{dice[1]}.")
    if state is not None:
        told.append(f"{_cube_words(state)}.")
        scores = [_score_text(state, seat) for seat in (state.turn, 1 - state.turn)]
        told.append(f"Player on roll {scores[0]}, opponent {scores[1]}.")
    return " ".join(told)


def _surface() -> Iterator[str]:
    """The wood, both halves, the trays' places, the points and their numbers."""
    yield _rectangle(0, 0, WIDTH, HEIGHT, _WOOD, 18)
    for left in (_LEFT, _RIGHT):
        yield _rectangle(left, _TOP, 6 * _COLUMN, _BOTTOM - _TOP, _FIELD)
    for top in (_TOP, _BOTTOM - _POINT_HEIGHT):
        yield _rectangle(_TRAY_LEFT, top, _TRAY_WIDTH, _POINT_HEIGHT, _TRAY, 6)
    for point in range(1, BAR):
        centre, base = _centre(point), _TOP if point > 12 else _BOTTOM
        tip = base + (1 if point > 12 else -1) * (_POINT_HEIGHT - 8)
        half = _COLUMN / 2 - 2
        yield (
            f'<polygon points="{centre - half},{base} {centre + half},{base} {centre},{tip}" '
            f'fill="{_POINTS[point % 2]}"/>'
        )
        yield _text(centre, _TOP - 9 if point > 12 else _BOTTOM + 26, point, 23)


def _centre(slot: int) -> float:
    """Where the middle of a point or the bar is, from the left."""
    if slot in (BAR, OPPONENT_BAR):
        return _BAR_LEFT + _BAR_WIDTH / 2
    column = slot - 13 if slot > 12 else 12 - slot
    return (_LEFT if column < 6 else _RIGHT - 6 * _COLUMN) + (column + 0.5) * _COLUMN


def _place(slot: int, index: int) -> tuple[float, float]:
    """The centre of the checker number `index` on a point or bar."""
    if slot in (BAR, OPPONENT_BAR):  # from the middle to where it enters; the cube is in between
        away = 66 + index * 2 * RADIUS
        return _centre(slot), _MIDDLE - away if slot == BAR else _MIDDLE + away
    away = RADIUS + 1 + index * (2 * RADIUS - 1)
    return _centre(slot), _TOP + away if slot > 12 else _BOTTOM - away


def _slot(name: str, slot: int, count: int) -> str:
    """The checkers on a point or bar; positive the player's."""
    side = "player" if count > 0 else "opponent"
    most = SHOWN_ON_BAR if slot in (BAR, OPPONENT_BAR) else SHOWN_IN_STACK
    shown = min(abs(count), most)
    parts = [_checker(*_place(slot, index), side) for index in range(shown)]
    if abs(count) > most:
        x, y = _place(slot, shown - 1)
        parts.append(_text(x, y + 9, abs(count), 26, _SIDES[side][1]))
    return _group(name, count, parts)


def _checker(x: float, y: float, side: str) -> str:
    face, edge = _SIDES[side]
    outer = f'<circle cx="{x}" cy="{y}" r="{RADIUS - 1}" fill="{face}" stroke="{edge}"'
    ring = f'<circle cx="{x}" cy="{y}" r="{RADIUS * 0.62:.0f}" fill="none" stroke="{edge}"'
    # only one side has a ring, so that shape tells them apart where colour does not
    return f'{outer} stroke-width="2"/>' + (f'{ring} stroke-width="2"/>' * (side == "opponent"))


def _trays(board: Board) -> Iterator[str]:
    """The checkers borne off, lying on their sides: the player's below."""
    thickness = (_POINT_HEIGHT - 12) / 15
    own, opponent = (int(count) for count in borne_off(board))
    for side, count in (("player", own), ("opponent", opponent)):
        face, edge = _SIDES[side]
        slabs = []
        for index in range(count):
            away = 6 + index * thickness
            top = _BOTTOM - away - thickness if side == "player" else _TOP + away
            slabs.append(
                _rectangle(_TRAY_LEFT + 5, round(top + 1, 1), _TRAY_WIDTH - 10, 16.7, face, 4, edge)
            )
        yield _group(f"off-{side}", count if side == "player" else -count, slabs)


def _dice(dice: Sequence[int] | None) -> Iterator[str]:
    """In the player's right half."""
    for place, value in enumerate(dice or ()):
        x = _RIGHT + 3 * _COLUMN + (70 * place - 35)
        yield _rectangle(x - 28, _MIDDLE - 28, 56, 56, _DIE, 11, _PIP)
        for column, row in _PIPS[value]:
            centre = f'cx="{x + 15 * column}" cy="{_MIDDLE + 15 * row}"'
            yield f'<circle {centre} r="5.5" fill="{_PIP}"/>'


def _cube(state: MatchState | None) -> Iterator[str]:
    """At the middle of the bar or at its owner's end; an offered one lies in the left half."""
    if state is None or not state.rules.has_cube or state.is_crawford:
        return
    x, y, side, value = _centre(BAR), _MIDDLE, 54, state.cube_value
    if state.decision in CUBE_ANSWERS:
        x, side, value = _LEFT + 3 * _COLUMN, 76, 2 * state.stake_if_passed
    elif state.cube_owner is not None:
        y = _BOTTOM - 36 if state.cube_owner == state.turn else _TOP + 36
    shown = 64 if value == 1 else value  # a cube that nobody has turned shows its largest side
    yield _rectangle(x - side / 2, y - side / 2, side, side, _DIE, 9, _PIP)
    yield _text(x, y + side * 0.19, shown, side // (2 if shown < 100 else 3), _PIP)


def _cube_words(state: MatchState) -> str:
    if not state.rules.has_cube:
        return "No cube"
    if state.is_crawford:
        return "Crawford game, no cube"
    if state.decision in CUBE_ANSWERS:
        return f"The cube is offered at {2 * state.stake_if_passed}"
    owners = {None: "in the middle", state.turn: "the player's", 1 - state.turn: "the opponent's"}
    return f"Cube {state.cube_value}, {owners[state.cube_owner]}"


def _counts(board: Board, state: MatchState | None) -> Iterator[str]:
    """Pip counts and scores, each at its side's edge of the bar."""
    own, opponent = (int(count) for count in pip_counts(board))
    for row, pips in ((0, opponent), (1, own)):
        y = _BOTTOM + 26 if row else _TOP - 9
        yield _text(_centre(BAR), y, pips, 23)
        if state is not None:
            seat = state.turn if row else 1 - state.turn
            score = _score_text(state, seat)
            yield _text(_TRAY_LEFT + _TRAY_WIDTH / 2, y, score, 16)


def _score_text(state: MatchState, seat: int) -> str:
    """What a seat still needs in a match, what it has won in a money session."""
    away = state.away
    return f"{state.score[seat]} won" if away is None else f"{away[seat]} away"


def _group(name: str, count: int, parts: Sequence[str]) -> str:
    return f'<g data-slot="{name}" data-checkers="{count}">{"".join(parts)}</g>' if parts else ""


def _rectangle(
    x: float, y: float, width: float, height: float, fill: str, corner: int = 0, edge: str = "none"
) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{corner}" fill="{fill}" '
        f'stroke="{edge}"/>'
    )


def _text(x: float, y: float, content: object, size: int, fill: str = _WRITING) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}">{escape(str(content))}</text>'
