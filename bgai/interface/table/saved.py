"""Sessions kept as JSON: the start and every step, each checked by the rules on the way back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

from bgai.engine import Move
from bgai.engine.files import cache_folder, parse_json, write_whole
from bgai.interface.table.step import Step, make_step
from bgai.interface.table.table import Seat, Table
from bgai.match import Action, Decision, MatchState, Rules
from bgai.search import MatchPlayer

FORMAT, VERSION = "bgai-session", 1
OLD_FORMAT = "bgai-game"
"""What single games without a cube were saved as."""

Kind = TypeVar("Kind", bound=Enum)
FindPlayer = Callable[[str], MatchPlayer]
"""From the saved name of a bot to the one that goes on playing; another one may."""

_PLAIN_FIELDS = (
    "games_played",
    "is_crawford",
    "cube_value",
    "cube_owner",
    "turn",
    "resigned",
    "declined",
)

_MAY_BE_NOTHING = ("cube_owner", "match_length", "games_limit")
_TOO_LARGE = 2**63
_TRUTHS = ("is_crawford", "crawford", "jacoby", "beavers")


def table_to_json(table: Table) -> dict[str, Any]:
    """All of a session as plain data; what is automatic belongs to the person, not to it."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "seats": [{"name": seat.name, "is_person": seat.is_person} for seat in table.seats],
        "seed": table.seed,
        "manual_dice": table.manual_dice,
        "start": _state_to_json(table.start),
        "steps": steps_to_json(table.steps),
        "moves": [list(move) for move in table.moves],
    }


def steps_to_json(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """Some steps as they stand in a saved session."""
    return [_step_to_json(step) for step in steps]


def table_from_json(saved: Any, find_player: FindPlayer) -> Table:
    """The session that `table_to_json` has written.

    Raises:
        ValueError: it is something else, of another version, or a step of it is against the rules;
            names the step.
    """
    _check_format(saved)
    return _table(saved, find_player)


def save_session(path: Path, table: Table) -> None:
    """Write a session as a file.

    Raises:
        ValueError: the file exists and holds something else than a saved session or game.
        OSError: it cannot be written.
    """
    if path.exists() and not _is_ours(path):
        raise ValueError(f"{path} exists and is not a saved session; choose another name")
    write_whole(path, (json.dumps(table_to_json(table), indent=1) + "\n").encode())


def keep_session(table: Table) -> Path:
    """Write a session that is left before its end to the cache folder, in place of the last one.

    Returns:
        The file.

    Raises:
        ValueError, OSError: as of `save_session`, or there is no cache folder.
    """
    path = cache_folder() / "last-session.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    save_session(path, table)
    return path


def load_session(path: Path, find_player: FindPlayer) -> Table:
    """The session in a file, every step of it checked.

    Raises:
        ValueError: not a saved session, of another version, or against the rules.
        OSError: the file cannot be read.
    """
    try:
        return table_from_json(parse_json(path.read_bytes(), "a saved session"), find_player)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _is_ours(path: Path) -> bool:
    try:
        saved = parse_json(path.read_bytes(), "a saved session")
    except ValueError:
        return False
    return isinstance(saved, dict) and saved.get("format") in (FORMAT, OLD_FORMAT)


def _check_format(saved: Any) -> None:
    found = saved.get("format") if isinstance(saved, dict) else None
    if found == OLD_FORMAT:
        raise ValueError(
            "a single game saved by an earlier version of bgai, which cannot be continued"
        )
    if found != FORMAT:
        raise ValueError(f"not a saved session: its format is {found!r}, not {FORMAT!r}")
    if saved.get("version") != VERSION:
        raise ValueError(f"version must be {VERSION}, got {saved.get('version')!r}")


def _table(saved: Mapping[str, Any], find_player: FindPlayer) -> Table:
    found = _list("seats", _entry(saved, "seats"))
    if len(found) != 2:
        raise ValueError(f"a table has 2 seats, got {len(found)}")
    table = Table(
        (_seat(found[0], find_player), _seat(found[1], find_player)),
        seed=_whole("seed", _entry(saved, "seed")),
        manual_dice=_truth("manual_dice", _entry(saved, "manual_dice")),
        start=_state(_object("start", _entry(saved, "start"))),
    )
    for number, step in enumerate(_list("steps", _entry(saved, "steps")), start=1):
        try:
            table.add(_step(table.state, _object("a step", step)))
        except ValueError as error:
            raise ValueError(f"step {number}: {error}") from None
    moves = _moves(_entry(saved, "moves"))
    if moves:
        table.resume_turn(moves)
    return table


def _seat(saved: Any, find_player: FindPlayer) -> Seat:
    seat = _object("a seat", saved)
    name = _entry(seat, "name")
    if not isinstance(name, str):
        raise ValueError(f"the name of a seat is a text, got {name!r}")
    if _truth("is_person", _entry(seat, "is_person")):
        return Seat(name)
    player = find_player(name)
    return Seat(player.name, player)


def _state_to_json(state: MatchState) -> dict[str, Any]:
    return {
        "rules": asdict(state.rules),
        "score": list(state.score),
        **{name: getattr(state, name) for name in _PLAIN_FIELDS},
        "decision": state.decision.value,
        "position": list(state.position),
        "dice": None if state.dice is None else list(state.dice),
    }


def _state(saved: Mapping[str, Any]) -> MatchState:
    plain = {name: _optional(name, _entry(saved, name)) for name in _PLAIN_FIELDS}
    dice = _entry(saved, "dice")
    return MatchState(
        rules=_rules(_object("rules", _entry(saved, "rules"))),
        score=_pair("score", _entry(saved, "score")),
        decision=_one_of(Decision, "decision", _entry(saved, "decision")),
        position=tuple(
            _whole("position", count) for count in _list("position", _entry(saved, "position"))
        ),
        dice=None if dice is None else _pair("dice", dice),
        **plain,
    )


def _rules(saved: Mapping[str, Any]) -> Rules:
    known = {field.name for field in fields(Rules)}
    if set(saved) != known:
        raise ValueError(f"the rules have the entries {sorted(known)}, got {sorted(saved)}")
    return Rules(**{name: _optional(name, value) for name, value in saved.items()})


def _step_to_json(step: Step) -> dict[str, Any]:
    saved: dict[str, Any] = {"action": step.action.value}
    if step.dice is not None:
        saved["dice"] = list(step.dice)
    if step.action is Action.PLAY:
        saved["moves"] = [list(move) for move in step.moves]
    if step.level:
        saved["level"] = step.level
    if step.is_automatic:
        saved["automatic"] = True
    return saved


def _step(state: MatchState, saved: Mapping[str, Any]) -> Step:
    dice = saved.get("dice")
    return make_step(
        state,
        _one_of(Action, "action", _entry(saved, "action")),
        dice=None if dice is None else _pair("dice", dice),
        moves=_moves(saved.get("moves", [])),
        level=_whole("level", saved.get("level", 0)),
        is_automatic=_truth("automatic", saved.get("automatic", False)),
    )


def _moves(saved: Any) -> list[Move]:
    return [Move(*_pair("a move", move)) for move in _list("moves", saved)]


def _entry(saved: Mapping[str, Any], name: str) -> Any:
    if name not in saved:
        raise ValueError(f"a saved session needs {name!r}, got only {sorted(saved)}")
    return saved[name]


def _object(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{name} is an object with named entries, got {value!r}")
    return value


def _list(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{name} is a list, got {value!r}")
    return value


def _one_of(kind: type[Kind], name: str, value: Any) -> Kind:
    values = [member.value for member in kind]
    if value not in values:
        raise ValueError(f"{name} must be one of {', '.join(values)}, got {value!r}")
    return kind(value)


def _pair(name: str, value: Any) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"{name} is two numbers, got {value!r}")
    return _whole(name, value[0]), _whole(name, value[1])


def _whole(name: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{name} must be a whole number, got {value!r}")
    if abs(value) >= _TOO_LARGE:
        raise ValueError(f"{name} must be a number that a game can have, got {value}")
    return value


def _truth(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false, got {value!r}")
    return value


def _optional(name: str, value: Any) -> Any:
    """A number, a truth value or nothing; `Rules` and `MatchState` say more."""
    if value is None:
        if name not in _MAY_BE_NOTHING:
            raise ValueError(f"{name} must be a number, true or false, got null")
    elif not isinstance(value, int):
        raise ValueError(f"{name} must be a number, true, false or null, got {value!r}")
    elif isinstance(value, bool) != (name in _TRUTHS):
        what = "true or false" if name in _TRUTHS else "a whole number"
        raise ValueError(f"{name} must be {what}, got {value!r}")
    return value if value is None or isinstance(value, bool) else _whole(name, value)
