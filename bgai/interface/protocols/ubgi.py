"""UBGI, the Universal Backgammon Interface: a controller asks on stdin, the bot answers on stdout.

The drafts differ, and all three are understood: 0.01 (a bare XGID or FIBS board line is answered by
a bare action), 0.1 (`setoption name X value Y`, `newsession`, `setscore`, `setcube`, `setturn`,
`go role chequer`) and 0.2 (`set`, `get`, `keys`, `go chequer`). Errors are those of 0.2:
`bad_command`, `bad_value`, `bad_state`, `unsupported`.

Sources: https://github.com/oysteijo/Universal-Backgammon-Interface (0.01),
https://github.com/bungogood/bgci/tree/main/docs (0.1 and 0.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TextIO

from bgai.engine import parse_position
from bgai.interface.protocols.engine import Engine, moves_of_play, moves_text
from bgai.interface.protocols.fibs_board import parse_fibs_board, state_from_fibs_board
from bgai.interface.protocols.ubgi_session import UbgiSession, read_session
from bgai.match import (
    Action,
    Decision,
    MatchState,
    state_from_gnu_id,
    state_from_xgid,
)
from bgai.search import Choice

PROTOCOL = "0.2"
MOST_PLY = 4
"""UBGI counts the plies of a play with its own: 1-ply is the net alone."""

EVALUATION_MODES = ("auto", "cubeful", "cubeless")
"""auto: cubeful once a session, a score or a cube has been told."""

_ANSWERS = {Action.TAKE: "take", Action.PASS: "drop", Action.BEAVER: "beaver"}
_BARE = {Action.ROLL: "roll", Action.DOUBLE: "double", Action.RACCOON: "double", **_ANSWERS}


class UbgiError(ValueError):
    """A command that cannot be done, with the code that UBGI names it by."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"error {code} {' '.join(text.split())}")


@dataclass(frozen=True)
class _Key:
    """A setting: its name in version 0.1 and 0.2, its kind and its range, as both write them."""

    option: str
    key: str
    option_kind: str
    kind: str
    about: str


_KEYS = (
    _Key(
        "Ply",
        "engine.ply",
        f"spin default {{}} min 1 max {MOST_PLY}",
        f"int 1..{MOST_PLY} {{}}",
        "1 is the net alone (gnubg 0-ply)",
    ),
    _Key(
        "EvalMode",
        "engine.eval_mode",
        "combo default {} " + " ".join(f"var {mode}" for mode in EVALUATION_MODES),
        f"enum {'|'.join(EVALUATION_MODES)} {{}}",
        "auto is cubeful once a session or cube is told",
    ),
    _Key(
        "Variant",
        "game.variant",
        "combo default {} var backgammon",
        "enum backgammon {}",
        "the game played",
    ),
)


class Ubgi:
    """One conversation: takes lines, gives the lines that answer them."""

    def __init__(self, engine: Engine, version: str) -> None:
        self._engine = engine
        self._version = version
        self._session = UbgiSession()
        self._mode = EVALUATION_MODES[0]
        self._commands: dict[str, Callable[[list[str]], Iterable[str]]] = {
            "ubgi": self._introduce,
            "isready": lambda _: ["readyok"],
            "newgame": self._new_game,
            "newsession": self._new_session,
            "setscore": self._set_score,
            "setcube": self._set_cube,
            "setturn": self._set_turn,
            "position": self._position,
            "dice": self._dice,
            "go": self._go,
            "stop": lambda _: [],
            "setoption": self._set_option,
            "set": self._set_key,
            "get": self._get,
            "keys": lambda _: self._key_lines(),
        }

    def answer(self, line: str) -> list[str]:
        """The lines that answer one line; an `error` line where it cannot be done."""
        words = line.split()
        if not words:
            return []
        try:
            if words[0].lower().startswith(("board:", "xgid=")):
                return [self._bare_action(line)]
            command = self._commands.get(words[0])
            if command is None:
                raise UbgiError("bad_command", f"unknown command {words[0][:40]}")
            return list(command(words[1:]))
        except UbgiError as error:
            return [str(error)]
        except ValueError as error:
            return [str(UbgiError("bad_value", str(error)))]

    # -- introduction and settings

    def _introduce(self, _: list[str]) -> Iterator[str]:
        yield f"id name bgai {self._engine.name}"
        yield "id author the bgai project"
        yield f"id version {self._version}"
        yield f"proto {PROTOCOL}"
        for key in _KEYS:
            default = self._value(key)
            yield f"option name {key.option} type {key.option_kind.format(default)}"
        yield from self._key_lines()
        yield "ubgiok"

    def _key_lines(self) -> list[str]:
        return [f"key {key.key} {key.kind.format(self._value(key))} {key.about}" for key in _KEYS]

    def _value(self, key: _Key) -> str:
        if key.option == "Ply":
            return str(self._engine.plies + 1)
        return self._mode if key.option == "EvalMode" else "backgammon"

    def _set_option(self, words: list[str]) -> list[str]:
        if len(words) != 4 or (words[0], words[2]) != ("name", "value"):
            raise UbgiError("bad_command", "expected: setoption name NAME value VALUE")
        return self._change("option", words[1], words[3])

    def _set_key(self, words: list[str]) -> list[str]:
        if len(words) != 2:
            raise UbgiError("bad_command", "expected: set KEY VALUE")
        return self._change("key", *words)

    def _change(self, spelling: str, name: str, value: str) -> list[str]:
        key = _find_key(spelling, name)
        if key.option == "Ply":
            if not value.isdigit() or not 1 <= int(value) <= MOST_PLY:
                raise UbgiError("bad_value", f"{name} must be 1..{MOST_PLY}, got {value}")
            self._engine = self._engine.with_plies(int(value) - 1)
        elif key.option == "EvalMode":
            if value not in EVALUATION_MODES:
                modes = ", ".join(EVALUATION_MODES)
                raise UbgiError("bad_value", f"{name} must be one of {modes}, got {value}")
            self._mode = value
        elif value.lower() != "backgammon":
            raise UbgiError("unsupported", f"variant {value}")
        return []

    def _get(self, words: list[str]) -> list[str]:
        if len(words) != 1:
            raise UbgiError("bad_command", "expected: get KEY")
        key = _find_key("key", words[0])
        return [f"value {key.key} {self._value(key)}"]

    # -- what is on the table

    def _new_game(self, _: list[str]) -> list[str]:
        self._session = self._session.next_game()
        return []

    def _new_session(self, words: list[str]) -> list[str]:
        self._session = read_session(words)
        return []

    def _set_score(self, words: list[str]) -> list[str]:
        if len(words) != 2 or not all(word.isdigit() for word in words):
            raise UbgiError("bad_command", "expected: setscore P0 P1")
        self._session = self._session.with_score((int(words[0]), int(words[1])))
        return []

    def _set_cube(self, words: list[str]) -> list[str]:
        if len(words) != 4 or (words[0], words[2]) != ("value", "owner") or not words[1].isdigit():
            raise UbgiError("bad_command", "expected: setcube value N owner center|p0|p1")
        self._session = self._session.with_cube(int(words[1]), words[3])
        return []

    def _set_turn(self, words: list[str]) -> list[str]:
        if len(words) != 1 or words[0] not in ("p0", "p1"):
            raise UbgiError("bad_command", "expected: setturn p0|p1")
        self._session = replace(self._session, turn=int(words[0][1]))
        return []

    def _position(self, words: list[str]) -> list[str]:
        if len(words) != 2 or words[0] not in ("gnubgid", "xgid"):
            raise UbgiError("bad_command", "expected: position gnubgid|xgid ID")
        kind, text = words
        if kind == "gnubgid" and ":" not in text:
            self._session = self._session.with_position(parse_position(text)[0])
        else:
            state = state_from_gnu_id(text) if kind == "gnubgid" else state_from_xgid(text)
            self._session = self._session.with_state(state)
        return []

    def _dice(self, words: list[str]) -> list[str]:
        if len(words) != 2 or not all(word in tuple("123456") for word in words):
            raise UbgiError("bad_value", f"expected: dice D D, each 1..6, got {' '.join(words)}")
        self._session = replace(self._session, dice=(int(words[0]), int(words[1])))
        return []

    # -- decisions

    def _go(self, words: list[str]) -> list[str]:
        role = _role(words)
        state = self._session.state()
        if state is None:
            raise UbgiError("bad_state", "missing position")
        if role is None:
            role = "chequer" if state.decision is Decision.PLAY else "cube"
        if role == "cube":
            return [f"bestcube {self._cube_action(state)}"]
        if state.decision is not Decision.PLAY:
            raise UbgiError("bad_state", "missing dice")
        answer = self._play(state)
        self._session = replace(self._session, dice=None)  # they are used up
        if role == "chequer":
            return [f"bestmove {answer}"]
        return [f"bestturn cube={self._cube_action(state)} move={answer}"]

    def _play(self, state: MatchState) -> str:
        is_cubeful = self._mode == "cubeful" or (self._mode == "auto" and self._session.is_told)
        choice = self._engine.choose(state) if is_cubeful else self._engine.choose_cubeless(state)
        return _play_text(state, choice) or "pass"

    def _cube_action(self, state: MatchState) -> str:
        """Of a turn whose dice are thrown, what was right before the roll."""
        if state.decision is Decision.PLAY:
            state = replace(state, decision=Decision.ROLL, dice=None)
        choice = self._engine.choose(state)
        if choice.action in _ANSWERS:
            return _ANSWERS[choice.action]
        return "double" if choice.action in (Action.DOUBLE, Action.RACCOON) else "nodouble"

    def _bare_action(self, line: str) -> str:
        """Draft 0.01: the action alone, a blank line where no checker can move."""
        if line.lower().lstrip().startswith("board:"):
            state = state_from_fibs_board(parse_fibs_board(line))
        else:
            state = state_from_xgid(line)
        choice = self._engine.choose(state)
        if choice.action is Action.PLAY:
            return _play_text(state, choice)
        return _BARE.get(choice.action, "roll")


def serve_streams(ubgi: Ubgi, lines: TextIO, out: TextIO) -> None:
    """Answer every line of a stream until it ends or says `quit`."""
    for line in lines:
        if line.strip() == "quit":
            return
        for answer in ubgi.answer(line):
            print(answer, file=out, flush=True)


def _play_text(state: MatchState, choice: Choice) -> str:
    assert choice.after is not None
    return moves_text(moves_of_play(state, choice.after))


def _find_key(spelling: str, name: str) -> _Key:
    """The setting of a name, either version's spelling being welcome in either command."""
    for key in _KEYS:
        if name.lower() in (key.option.lower(), key.key):
            return key
    raise UbgiError("unsupported", f"{spelling} {name}")


def _role(words: list[str]) -> str | None:
    """The role of `go [role] chequer|cube|turn [movetime N] ...`; limits are not needed."""
    if words[:1] == ["role"]:
        words = words[1:]
        if not words:
            raise UbgiError("bad_command", "expected: go role chequer|cube|turn")
    if not words:
        return None
    if words[0] in ("chequer", "cube", "turn"):
        return words[0]
    if words[0] in ("movetime", "depth", "nodes", "trials"):
        return None
    raise UbgiError("unsupported", f"go {words[0]}")
