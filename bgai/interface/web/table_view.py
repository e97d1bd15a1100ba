"""A table as the page sees it: plain data, from the person's side of the board."""

from __future__ import annotations

from typing import Any

from bgai.engine import Move, borne_off, dice_after_move, format_play, is_hit, pip_counts
from bgai.interface.hints import probs_as_json
from bgai.interface.table import JudgedPlay, Judgement, SideReport, report
from bgai.interface.texts import Texts, languages, load_texts
from bgai.interface.texts.announce import Announcer, spoken_moves
from bgai.interface.texts.verdicts import best_text, made_text, remark, verdict
from bgai.interface.web.live_table import LiveTable, Shown
from bgai.match import Action, Decision, gnu_id_of, xgid_of
from bgai.match.state import CUBE_ANSWERS

HINTS_SHOWN = 5

ByLanguage = dict[str, str]


def view(live: LiveTable) -> dict[str, Any]:
    """Everything that is on the table and may be done now."""
    table, state = live.table, live.table.state
    board = table.board_for(live.you)
    result = state.result
    return {
        "you": live.you,
        "names": [seat.name for seat in table.seats],
        "plies": live.plies,
        "judge": live.coach.name,
        "version": live.version,
        "seed": table.seed if live.is_seeded else None,
        "board": board.tolist(),
        "off": [int(count) for count in borne_off(board)],
        "pips": [int(count) for count in pip_counts(board)],
        "turn": _side(live, state.turn),
        "actor": _side(live, state.actor),
        "decision": state.decision.value,
        "allowed": [action.value for action in table.allowed],
        "awaits_dice": table.awaits_dice,
        "manual_dice": table.manual_dice,
        "dice": None if state.dice is None else list(state.dice),
        "dice_left": list(table.dice_left),
        "moves": [list(move) for move in table.moves],
        "legal_moves": _legal_moves(live),
        "ways": _ways(live),
        "may_confirm": table.may_confirm and Action.PLAY in table.allowed,
        "may_undo": _may_undo(live),
        "resignation_levels": list(table.resignation_levels),
        "resigned": state.resigned,
        "cube": _cube(live),
        "match": _match(live),
        "result": None
        if result is None
        else {
            "winner": _side(live, result.winner),
            "level": result.level,
            "points": result.points,
            "ending": result.ending.value,
        },
        "ids": _ids(live),
    }


def _side(live: LiveTable, seat: int | None) -> str | None:
    """`you`, `them`, or None for nobody."""
    if seat is None:
        return None
    return "you" if seat == live.you else "them"


def _is_your_turn(live: LiveTable) -> bool:
    return Action.PLAY in live.table.allowed


def _legal_moves(live: LiveTable) -> list[dict[str, Any]]:
    """The single moves that the person may make now, and the die that each uses."""
    table = live.table
    if not _is_your_turn(live) or table.turn is None:
        return []
    left = table.dice_left
    found = []
    for move in table.legal_moves:
        rest = dice_after_move(left, move)
        die = next(die for die in left if left.count(die) > rest.count(die))
        hits = is_hit(table.turn.board, move)
        found.append({"from": move.start, "to": move.end, "die": die, "hits": hits})
    return found


def _ways(live: LiveTable) -> dict[str, list[dict[str, Any]]]:
    """For each checker that may be moved, where it can go with one die or several."""
    table = live.table
    if not _is_your_turn(live) or table.turn is None:
        return {}
    starts = sorted({move.start for move in table.legal_moves}, reverse=True)
    return {
        str(start): [
            {"to": end, "moves": [list(move) for move in moves], "hits": _hits(live, moves)}
            for end, moves in table.turn.ways(start).items()
        ]
        for start in starts
    }


def _hits(live: LiveTable, moves: tuple[Move, ...]) -> bool:
    turn = live.table.turn
    assert turn is not None
    return bool(turn.with_moves(moves).board[0] != turn.board[0])


def _may_undo(live: LiveTable) -> bool:
    table = live.table
    return bool(table.moves) or any(table.is_decision(step) for step in table.steps)


def _cube(live: LiveTable) -> dict[str, Any]:
    state = live.table.state
    offered = None
    if state.decision in CUBE_ANSWERS:
        offered = 2 * state.stake_if_passed
    return {
        "value": state.cube_value,
        "owner": _side(live, state.cube_owner),
        "offered": offered,
        "is_in_play": state.rules.has_cube and not state.is_crawford,
    }


def _match(live: LiveTable) -> dict[str, Any]:
    state = live.table.state
    rules = state.rules
    return {
        "length": rules.match_length,
        "games_limit": rules.games_limit,
        "game": state.games_played + (not state.is_over),
        "score": [state.score[live.you], state.score[live.bot_seat]],
        "is_crawford": state.is_crawford,
        "is_post_crawford": state.is_post_crawford and rules.has_cube,
        "crawford": rules.crawford,
        "jacoby": rules.jacoby,
        "beavers": rules.beavers,
        "automatic_doubles": rules.automatic_doubles,
        "cap": rules.cap,
    }


def _ids(live: LiveTable) -> dict[str, str | None]:
    """The position of the last step; None where a notation cannot tell it."""
    state = live.table.state
    if live.you == 0:  # ids have player 1 at the bottom of the board
        state = state.exchanged()
    found: dict[str, str | None] = {}
    for name, write in (("gnu", gnu_id_of), ("xgid", xgid_of)):
        try:
            found[name] = write(state)
        except ValueError:
            found[name] = None
    return found


def events(live: LiveTable, happened: list[Shown]) -> list[dict[str, Any]]:
    """What happened, with the board after it and a sentence in every language."""
    tellers = [
        (name, _announcer(live, is_spoken))
        for name, is_spoken in (("text", False), ("spoken", True))
    ]
    return [
        {
            **shown.event.as_json(),
            "side": _side(live, shown.event.seat),
            "board": list(shown.board),
            **{
                name: {language: teller(shown.event) for language, teller in by_language.items()}
                for name, by_language in tellers
            },
        }
        for shown in happened
    ]


def _announcer(live: LiveTable, is_spoken: bool) -> dict[str, Announcer]:
    first, second = (seat.name for seat in live.table.seats)
    is_match = not live.table.state.rules.is_money
    return {
        language: Announcer(load_texts(language), (first, second), live.you, is_match, is_spoken)
        for language in languages()
    }


def hints(live: LiveTable, most: int = HINTS_SHOWN) -> dict[str, Any]:
    """What the coach would do now: `plays`, or the `cube` verdict, or the `answer`."""
    state, coach = live.table.state, live.coach
    if state.actor != live.you:
        return {}
    if state.decision is Decision.PLAY:
        return {"plays": [_play(live, play) for play in coach.ranking(state)[:most]]}
    if state.decision is Decision.ANSWER_RESIGNATION:
        action = Action.ACCEPT if coach.accepts(state) else Action.DECLINE
        return {"answer": {"action": action.value}}
    decision = coach.cube(state)
    numbers = {name: getattr(decision, name) for name in ("nd", "dt", "dp")}
    chances = decision.to_json()["match_winning_chances"]
    found: dict[str, Any] = {
        "cube": {
            **numbers,
            "chances": chances,
            "is_possible": decision.state.may_double(),
            "probs": list(decision.probs),
            "verdict": {name: verdict(load_texts(name), decision) for name in languages()},
        }
    }
    if state.decision in CUBE_ANSWERS:
        found["answer"] = {"action": coach.best_answer(state).value}
    return found


def _play(live: LiveTable, judged: JudgedPlay) -> dict[str, Any]:
    board = live.table.state.board
    return {
        "play": format_play(board, judged.play.moves),
        "moves": [list(move) for move in judged.play.moves],
        "spoken": {
            name: spoken_moves(load_texts(name), board, judged.play.moves) for name in languages()
        },
        "equity": judged.equity,
        "difference": judged.difference,
        "chance": judged.chance,
        "probs": probs_as_json(judged.probs),
    }


def judgement(live: LiveTable) -> dict[str, Any]:
    """What the coach says about the person's last decision."""
    step = live.last_judged()
    if step is None:
        return {}
    judged = live.coach.judge([step])[0]
    assert judged is not None
    return {
        "number": live.table.steps.index(step) + 1,
        "error": judged.error,
        "remark": {name: _remark(load_texts(name), live, step) for name in languages()},
    }


def _remark(texts: Texts, live: LiveTable, step: Any) -> str | None:
    return remark(texts, live.coach, step, False)


def account(live: LiveTable) -> dict[str, Any]:
    """The session summed up so far: both sides' errors, the worst decisions, the outlook."""
    sides = report(live.coach, live.table.steps)
    return {
        "sides": [_side_account(live, sides[seat]) for seat in (live.you, live.bot_seat)],
        "worst": [_worst(live, number, judged) for number, judged in sides[live.you].worst],
        "outlook": [
            {"turn": turn, "game": outlook.game, "match": outlook.match}
            for turn, outlook in live.outlooks()
        ],
    }


def _worst(live: LiveTable, number: int, judged: Judgement) -> dict[str, Any]:
    """A costly decision: when it was, what was done, and what would have been better."""
    steps = live.table.steps
    step = steps[number]
    dice, game = step.before.dice, step.before.games_played
    return {
        "game": game + 1,
        "turn": 1
        + sum(
            other.action is Action.PLAY and other.before.games_played == game
            for other in steps[:number]
        ),
        "dice": sorted(dice, reverse=True) if dice and step.action is Action.PLAY else None,
        "error": judged.error,
        "made": {name: made_text(load_texts(name), step) for name in languages()},
        "best": {
            name: best_text(load_texts(name), live.coach, step, judged) for name in languages()
        },
    }


def _side_account(live: LiveTable, side: SideReport) -> dict[str, Any]:
    return {
        "name": live.table.seats[side.seat].name,
        "side": _side(live, side.seat),
        "decisions": side.decisions,
        "play_error": side.play_error,
        "cube_error": side.cube_error,
        "pr": side.pr,
        "luck": side.luck,
    }


def language_list() -> list[ByLanguage]:
    """Every language with its own name and direction."""
    return [
        {"code": code, "name": load_texts(code).name, "direction": load_texts(code).direction}
        for code in languages()
    ]
