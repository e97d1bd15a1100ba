"""Reading .mat files (Jellyfish's text format) as GNU Backgammon and others write them.

Every action is made through the rules, so a file that is read is a match that can be played.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from bgai.engine import CANNOT_MOVE, legal_plays, parse_play, swap
from bgai.interface.mat import MatchRecord
from bgai.interface.mat_lines import Cell, File, Game, parse_lines
from bgai.interface.table.step import Step, make_step
from bgai.match import (
    Action,
    Decision,
    MatchState,
    Rules,
    accept_resignation,
    money_rules,
    position_of,
    resign,
)
from bgai.match.cube_state import DEFAULT_CAP
from bgai.match.rules import LARGEST_CAP
from bgai.match.state import CUBE_ANSWERS

_OFFER = re.compile(
    r"(doubles?|redoubles?|beavers?|raccoons?)(?:\s*(?:=>|to)?\s*(\d+))?", re.IGNORECASE
)
_ANSWER = re.compile(r"(takes?|accepts?)|(?:drops?|passes|rejects?)", re.IGNORECASE)
_WIN = re.compile(r"wins?\s+(\d+)\s+points?\b.*", re.IGNORECASE)


def read_mat(path: Path) -> MatchRecord:
    """The session or match in a file; errors as of `parse_mat`, naming the file.

    Raises:
        OSError: it cannot be read.
    """
    try:
        return parse_mat(path.read_text(encoding="utf-8", errors="replace"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def parse_mat(text: str) -> MatchRecord:
    """The session or match that the text of a .mat file tells.

    A take that a file leaves out after a beaver is understood, and so is a resignation, which a
    file tells only by who wins how much. Where it does not say whether a money session is played by
    the Jacoby rule, it is if only then the points that were won are right.

    A last line that nothing ends may have lost its own end: what of it cannot be played is left
    out, and the record says where the file breaks off.

    Raises:
        ValueError: the text is no .mat file, or what is in it is against the rules; names the line.
    """
    file = parse_lines(text)
    if file.length is None:
        raise ValueError("not a .mat file: it has no line such as ` 7 point match`")
    if not file.games:
        raise ValueError("the file has no game")
    knows_jacoby = bool(file.length) or "jacoby" in file.tags
    torn, mistakes = [], []
    for jacoby in (False,) if knows_jacoby else (False, True):
        try:
            record = _replay(file, _rules(file, jacoby))
        except ValueError as error:
            mistakes.append(error)
            continue
        if not record.breaks_off:
            return record
        torn.append(record)
    if torn:
        return torn[0]
    raise mistakes[0]


def _rules(file: File, jacoby: bool) -> Rules:
    cells = [cell for game in file.games for cell in game.cells]
    offers = [_OFFER.fullmatch(cell.text) for cell in cells]
    largest = max((int(offer[2]) for offer in offers if offer and offer[2]), default=1)
    cap = max(_cap(file.tags.get("cubelimit", "")), largest)
    games_limit = _number(file.tags.get("gameslimit", "")) or None
    if file.length:
        crawford = file.tags.get("crawford", "On").lower() != "off"
        return Rules(file.length, games_limit, crawford, cap=cap)
    has_beaver = any(_is_redouble(cell, answer) for cell, answer in pairwise(cells))
    return money_rules(
        jacoby=jacoby or file.tags.get("jacoby", "").lower() == "on",
        beavers=has_beaver or file.tags.get("beaver", "").lower() == "on",
        games_limit=games_limit,
        automatic_doubles=_number(file.tags.get("automaticdoubles", "")),
        cap=cap,
    )


def _is_redouble(offer: Cell, answer: Cell) -> bool:
    """Whether a double is answered by another."""
    return all(_OFFER.fullmatch(cell.text) for cell in (offer, answer))


def _cap(text: str) -> int:
    """The largest cube of a header, if it is one that can be played with."""
    value = _number(text)
    is_cube = 0 < value <= LARGEST_CAP and value & (value - 1) == 0
    return value if is_cube else DEFAULT_CAP


def _number(text: str) -> int:
    """That of a header; 0 where it is none."""
    return int(text) if text.isdecimal() else 0


def _replay(file: File, rules: Rules) -> MatchRecord:
    first = file.games[0]
    at_match_point = [score + 1 == rules.match_length for score in first.score]
    try:
        start = MatchState(
            rules,
            first.score,
            games_played=max(first.number - 1, 0),
            is_crawford=rules.crawford and sum(at_match_point) == 1,
        )
    except ValueError as error:
        raise ValueError(f"line {first.line}: {error}") from None
    replay = _Replay(start, [], file.torn_line, file.torn_line if file.is_torn else None)
    for game in file.games:
        replay.play_game(game)
    return MatchRecord(first.names, start, tuple(replay.steps), replay.breaks_off)


@dataclass
class _Replay:
    """The match so far, made step by step.

    Attributes:
        torn_line: where a mistake is taken for a line that has lost its end.
        breaks_off: the line in which that was so.
    """

    state: MatchState
    steps: list[Step]
    torn_line: int | None
    breaks_off: int | None

    def play_game(self, game: Game) -> None:
        """
        Raises:
            ValueError: naming the line.
        """
        line = game.line
        if game.head_line is None and self.steps:
            self.breaks_off = self.torn_line or game.line  # the file ends in the head of a game
            return
        try:
            if self.steps:
                self._check_game_over()
                self._do(Action.NEXT_GAME)
            if game.score != self.state.score:
                raise ValueError(
                    f"game {game.number} starts at {game.score[0]}-{game.score[1]}, but the score "
                    f"was {self.state.score[0]}-{self.state.score[1]}"
                )
            for place, cell in enumerate(game.cells):
                line = cell.line
                following = game.cells[place + 1].text if place + 1 < len(game.cells) else ""
                self._do_cell(cell, following)
        except ValueError as error:
            torn = self.torn_line
            if torn is None or torn not in (line, None if game.cells else game.head_line):
                raise ValueError(f"line {line}: {error}") from None
            self.breaks_off = torn

    def _check_game_over(self) -> None:
        if not self.state.is_over:
            raise ValueError("another game begins, but the one before is not over")

    def _do(self, action: Action, **details: object) -> None:
        step = make_step(self.state, action, **details)  # type: ignore[arg-type]  # passed through
        self._add(step)

    def _add(self, step: Step) -> None:
        self.steps.append(step)
        self.state = step.after

    def _do_cell(self, cell: Cell, following: str) -> None:
        word = cell.text.lower()
        if word[0].isdigit():
            self._roll(cell.player, cell.text, following)
        elif offer := _OFFER.fullmatch(cell.text):
            self._offer(cell.player, offer)
        elif answer := _ANSWER.fullmatch(cell.text):
            self._answer(cell, Action.TAKE if answer[1] else Action.PASS)
        elif word.startswith("win"):
            self._win(cell.player, cell.text)
        elif not word.startswith("resign"):  # which tells nothing that the points do not tell
            raise ValueError(f"cannot read {cell.text!r}")

    def _check_actor(self, player: int, text: str) -> None:
        if self.state.actor != player:
            raise ValueError(
                f"{text!r} is player {player + 1}'s, but the decision is not theirs "
                f"({self.state.decision.value})"
            )

    def _answer(self, cell: Cell, action: Action) -> None:
        if self.state.decision not in CUBE_ANSWERS:
            raise ValueError(f"{cell.text!r}, but no double is to be answered")
        self._check_actor(cell.player, cell.text)
        self._do(action)

    def _roll(self, player: int, text: str, following: str) -> None:
        dice, moves = (int(text[0]), int(text[1])), text[3:].strip()
        if self.state.decision is Decision.OPENING:
            if dice[0] == dice[1]:
                raise ValueError(f"a game does not open with equal dice, got {text!r}")
            thrown = sorted(dice, reverse=player == 0)  # who starts has thrown the larger die
            self._do(Action.THROW_OPENING, dice=(thrown[0], thrown[1]))
        else:
            if self.state.decision in (Decision.ANSWER_BEAVER, Decision.ANSWER_RACCOON):
                self._do(Action.TAKE)
            self._check_actor(player, text)
            self._do(Action.ROLL, dice=dice)
        if moves.strip("? "):
            self._play(moves)
        else:
            self._play_unwritten(following)

    def _play(self, text: str) -> None:
        assert self.state.dice is not None
        self._do(Action.PLAY, moves=parse_play(self.state.board, self.state.dice, text).moves)

    def _play_unwritten(self, following: str) -> None:
        """A roll alone: a dance, or the last roll of who then resigns, or the only play."""
        assert self.state.dice is not None
        plays = legal_plays(self.state.board, self.state.dice)
        if not plays[0].moves:
            self._play(CANNOT_MOVE)
        elif len(plays) == 1 and not following.lower().startswith("win"):
            self._do(Action.PLAY, moves=plays[0].moves)
        elif following and not following.lower().startswith(("win", "resign")):
            raise ValueError(f"the roll {self.state.dice} is not played")

    def _offer(self, player: int, offer: re.Match[str]) -> None:
        self._check_actor(player, offer[0])
        is_beaver = self.state.decision is not Decision.ROLL
        if not is_beaver and offer[1].lower().startswith(("beaver", "raccoon")):
            raise ValueError(f"{offer[0]!r}, but no double is to be answered")
        action = Action.DOUBLE
        if is_beaver:
            is_second = self.state.decision is Decision.ANSWER_BEAVER
            action = Action.RACCOON if is_second else Action.BEAVER
        self._do(action)
        if offer[2] and int(offer[2]) != 2 * self.state.stake_if_passed:
            raise ValueError(
                f"the cube is offered at {offer[2]}, but that would be "
                f"{2 * self.state.stake_if_passed}"
            )

    def _win(self, player: int, text: str) -> None:
        found = _WIN.fullmatch(text)
        if found is None:
            raise ValueError(f"expected `Wins N points`, got {text!r}")
        points = int(found[1])
        if not self.state.is_over:
            self._give_up(player, points)
        result = self.state.result
        assert result is not None
        if (result.winner, result.points) != (player, points):
            raise ValueError(
                f"player {player + 1} wins {points} points by the file, by the rules player "
                f"{result.winner + 1} wins {result.points}"
            )

    def _give_up(self, winner: int, points: int) -> None:
        """The game ends before it is over: the loser has passed or resigned."""
        if self.state.decision in CUBE_ANSWERS and self.state.actor != winner:
            if points == self.state.stake_if_passed:
                self._do(Action.PASS)
                return
        if self.state.decision in (Decision.ANSWER_BEAVER, Decision.ANSWER_RACCOON):
            self._do(Action.TAKE)
        state = self.state
        if state.decision not in (Decision.ROLL, Decision.PLAY):
            raise ValueError(f"nobody can resign now: the decision is {state.decision.value}")
        level, rest = divmod(points, state.cube_value)
        if rest or not 1 <= level <= 3:
            raise ValueError(f"a cube of {state.cube_value} does not win {points} points")
        if state.turn != winner:
            self._do(Action.RESIGN, level=level)
            self._do(Action.ACCEPT)
            return
        self._add(_resigned_out_of_turn(state, level))


def _resigned_out_of_turn(state: MatchState, level: int) -> Step:
    """The player not on roll resigns, and the other accepts."""
    turned = replace(
        state,
        turn=1 - state.turn,
        position=position_of(swap(state.board)),
        decision=Decision.ROLL,
        dice=None,
        declined=0,
    )
    return Step(Action.ACCEPT, state, accept_resignation(resign(turned, level)), level=level)
