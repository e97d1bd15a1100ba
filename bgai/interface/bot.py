"""Bots: a trained net as a folder, or one zip of it, that plays without torch.

A bot holds `bot.json` (its card) and `value.onnx`: input `boards` int8 `[N, 26]`, output `probs`
float32 `[N, 6]`, both for the player about to roll. Encoding, impossible outcomes and finished
games are inside the graph, so any language with an ONNX runtime can use it. Nets of this project
bring `weights.npz` too: with them bgai's own kernels say the same in a third of the time.
"""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bgai.cube import CubeDecision, CubeModel
from bgai.endgame import Endgames, load_or_build
from bgai.engine import Board, Boards, Offsets, Probs, check_boards, check_dice, outcomes
from bgai.engine.files import UNREADABLE_ZIP, write_whole
from bgai.engine.outcomes import UNFINISHED
from bgai.interface.bot_card import CARD_FILE, VALUE_FILE, WEIGHTS_FILE, BotCard
from bgai.match import CubeState, Decision, MatchState
from bgai.model.weights_file import unpack_evaluators
from bgai.search import PLAY_MARGIN, Evaluator, EvaluatorPlayer, Panel
from bgai.search.ply import PlyEvaluator
from bgai.search.select import PlaysEvaluator, ValuedPlays, Worth, choose_plays, cubeless_worth

PREFERRED_BOTS: tuple[str, ...] = ("flagship",)
"""Shipped bots to play with when none is named, the best first; the others follow by name."""

_FILES = (CARD_FILE, VALUE_FILE, WEIGHTS_FILE)  # the last may be missing
_LARGEST_FILE = 512 * 2**20  # bytes; a damaged or hostile zip shall not fill the memory


class Bot(PlaysEvaluator):
    """Trained nets, ready to play. It is an `Evaluator` itself, so search can use it."""

    def __init__(
        self,
        card: BotCard,
        value_onnx: bytes,
        endgames: Endgames | None = None,
        weights: bytes | None = None,
    ) -> None:
        """
        Args:
            value_onnx: the bytes of `value.onnx`; not looked into if there are `weights`.
            endgames: what they know is not left to the net.
            weights: the bytes of `weights.npz`, of the same nets.

        Raises:
            ValueError: the graph is damaged or has other inputs and outputs than a bot's, or the
                weights are not those of nets.
        """
        self.card = card
        nets = [_graph(value_onnx)] if weights is None else _nets(weights, card.encoding)
        self._panel = Panel(nets, PLAY_MARGIN, endgames)
        self.cube_model = CubeModel(exact=endgames.cube_equities if endgames else None)

    @property
    def name(self) -> str:
        return self.card.name

    def __repr__(self) -> str:
        return f"Bot({self.name!r})"

    def __call__(self, boards: Boards) -> Probs:
        """`[N, 26]` int8 -> `[N, 6]` float32 without checks: for boards the engine made."""
        return self._panel(boards)

    def value(self, after: Boards, offsets: Offsets, worth: Worth = cubeless_worth) -> ValuedPlays:
        """The plays that may be the best (`bgai.search.select.PlaysEvaluator`), without checks."""
        return self._panel.value(after, offsets, worth)

    def player(self, plies: int = 0) -> EvaluatorPlayer:
        """The bot at the table: its plays, its cube, its resignations.

        Args:
            plies: turns to look ahead; 0 is the net alone.

        Raises:
            ValueError: negative `plies`.
        """
        name = f"{self.name} ({plies}-ply)" if plies else self.name
        return EvaluatorPlayer(name, PlyEvaluator(self, plies), self.cube_model)

    def evaluate(self, boards: npt.ArrayLike) -> Probs:
        """Outcome probabilities of boards from outside.

        Args:
            boards: `[N, 26]` integers, seen by the player about to roll.

        Returns:
            `[N, 6]` float32 for that player; exact where the game is over.

        Raises:
            ValueError: not boards, or impossible ones.
        """
        return self(_checked(boards))

    def best_afterstates(
        self, boards: npt.ArrayLike, dice: npt.ArrayLike, plies: int = 0
    ) -> Boards:
        """The position the bot leaves on each board.

        Args:
            boards: `[B, 26]`, seen by the player about to play, no game over.
            dice: `[B, 2]`, each 1..6.
            plies: turns to look ahead; 0 is the net alone.

        Returns:
            `[B, 26]` int8, seen by the *next* player.

        Raises:
            ValueError: not boards or dice, a finished game, negative `plies`.
        """
        checked = _checked(boards)
        over = outcomes(checked) != UNFINISHED
        if over.any():
            raise ValueError(f"the game on board {int(np.argmax(over))} is over")
        return choose_plays(PlyEvaluator(self, plies), checked, check_dice(dice))[0]

    def cube(
        self, board: npt.ArrayLike, state: CubeState | MatchState, plies: int = 0
    ) -> CubeDecision:
        """What to do with the cube before a roll, and how the opponent should answer a double.

        Args:
            board: `[26]`, seen by the player about to roll - the doubler, where a double is to be
                answered; the game not over.
            state: the cube seen by that player, or a moment of a session on this very board.
            plies: turns to look ahead; 0 is the net alone.

        Returns:
            ND, DT and DP in points per current cube (in a match also as chances of winning it),
            the probabilities they rest on, the action, the response and the reason.

        Raises:
            ValueError: not a board, a finished game, negative `plies`, a score that the match
                equity table does not know, or a state with another board or another decision.
        """
        checked = check_boards(board)
        if checked.ndim != 1:
            raise ValueError(f"a cube decision is on one board [26], got {list(checked.shape)}")
        if int(outcomes(checked)) != UNFINISHED:
            raise ValueError(f"the game on board {checked.tolist()} is over")
        cube_state = _cube_state(checked, state)
        probs = PlyEvaluator(self, plies)(checked[None])[0]
        return self.cube_model.decide(probs, checked, cube_state)


def _checked(boards: npt.ArrayLike) -> Boards:
    checked = check_boards(boards)
    if checked.ndim != 2:
        raise ValueError(f"boards must be [N, 26], got {list(checked.shape)}; one is board[None]")
    return checked


def _cube_state(board: Board, state: CubeState | MatchState) -> CubeState:
    """The cube of a state that asks for a cube decision on this board."""
    if isinstance(state, CubeState):
        return state
    if not isinstance(state, MatchState):
        raise ValueError(f"state must be a CubeState or a MatchState, got {state!r}")
    if state.decision not in (Decision.ROLL, Decision.ANSWER_DOUBLE):
        raise ValueError(
            f"no double is to be offered or answered, the decision is {state.decision.value}"
        )
    if not np.array_equal(state.board, board):
        raise ValueError(f"the state has the board {list(state.position)}, got {board.tolist()}")
    return state.cube_state()


def _graph(value_onnx: bytes) -> Evaluator:
    from bgai.interface.onnx_evaluator import OnnxEvaluator  # here: most bots need no onnxruntime

    return OnnxEvaluator(value_onnx)


def _nets(weights: bytes, encoding: str) -> Sequence[Evaluator]:
    try:
        return unpack_evaluators(weights, encoding)
    except ValueError as error:
        raise ValueError(f"{WEIGHTS_FILE}: {error}") from None


def load_bot(path_or_name: str | os.PathLike[str], exact_endgames: bool = True) -> Bot:
    """The bot in a folder or zip, or the shipped bot of that name.

    Args:
        exact_endgames: whether races come from the endgame tables and the race net instead of the
            bot's own nets. The tables lie in the user's cache folder; the first bot to need them
            builds them, which takes seconds.

    Raises:
        ValueError: no such bot, or what is there is not a sound one; says what is wrong.
        OSError: a file cannot be read.
    """
    path = Path(path_or_name)
    if not path.exists():
        shipped = shipped_bots()
        if str(path_or_name) not in shipped:
            names = ", ".join(shipped) or "none"
            raise ValueError(
                f"no bot {str(path_or_name)!r}: not a folder or zip; bots that ship: {names}"
            )
        path = shipped[str(path_or_name)]
    if path.suffix == ".pt":
        raise ValueError(f"{path} is a checkpoint: `bgai export` makes a bot of it")
    files = _read_folder(path) if path.is_dir() else _read_zip(path)
    try:
        card = BotCard.from_json(files[CARD_FILE])
        value_onnx, weights = files[VALUE_FILE], files.get(WEIGHTS_FILE)
        if card.value_sha256 not in ("", _sha256(value_onnx)):
            raise ValueError(f"{VALUE_FILE} is not the file that {CARD_FILE} belongs to")
        if card.weights_sha256 != ("" if weights is None else _sha256(weights)):
            raise ValueError(f"{WEIGHTS_FILE} is not the file that {CARD_FILE} belongs to")
        return Bot(card, value_onnx, load_or_build() if exact_endgames else None, weights)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _read_folder(path: Path) -> dict[str, bytes]:
    for name in (CARD_FILE, VALUE_FILE):
        if not (path / name).is_file():
            raise ValueError(f"{path} is not a bot: it has no {name}")
    names = [name for name in _FILES if (path / name).is_file()]
    return {name: (path / name).read_bytes() for name in names}


def _read_zip(path: Path) -> dict[str, bytes]:
    """The files of a bot, at the top of a zip or in the one folder it holds."""
    try:
        with zipfile.ZipFile(path) as archive:
            files = {}
            for name in _FILES:
                members = [item for item in archive.infolist() if Path(item.filename).name == name]
                if name == WEIGHTS_FILE and not members:
                    continue
                if len(members) != 1:
                    raise ValueError(f"{path} is not a bot: it has {len(members)} {name}, not 1")
                if members[0].file_size > _LARGEST_FILE:
                    raise ValueError(f"{path}: {name} is {members[0].file_size} bytes")
                files[name] = archive.read(members[0])
            return files
    except UNREADABLE_ZIP as error:
        raise ValueError(f"{path} is neither a folder nor a sound zip: {error}") from None


def save_bot(
    path: Path,
    card: BotCard,
    value_onnx: bytes,
    overwrite: bool = False,
    weights: bytes | None = None,
) -> None:
    """Write a bot as a zip if `path` ends in `.zip`, else as a folder.

    Every file is written beside its place and then moved there, so a reader never sees half a
    file; in a folder, the card comes last.

    Raises:
        ValueError: there is a bot already, and `overwrite` is not asked for.
    """
    check_free(path, overwrite)
    files = {VALUE_FILE: value_onnx}
    if weights is not None:
        files[WEIGHTS_FILE] = weights
    hashes = ["" if content is None else _sha256(content) for content in (value_onnx, weights)]
    card = replace(card, value_sha256=hashes[0], weights_sha256=hashes[1])
    files[CARD_FILE] = card.to_json().encode()
    if path.suffix == ".zip":
        path.parent.mkdir(parents=True, exist_ok=True)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        write_whole(path, packed.getvalue())
        return
    path.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        write_whole(path / name, content)
    if weights is None:
        (path / WEIGHTS_FILE).unlink(missing_ok=True)  # of the bot that was there


def check_free(path: Path, overwrite: bool) -> None:
    """Whether a bot may be written to `path`.

    Raises:
        ValueError: there is one already, and `overwrite` is not asked for, or another file.
    """
    if path.suffix != ".zip" and path.is_file():
        raise ValueError(f"{path} is a file: a bot is a folder, or a zip whose name ends in .zip")
    taken = [path] if path.suffix == ".zip" else [path / name for name in _FILES]
    for file in taken:
        if file.exists() and not overwrite:
            raise ValueError(f"{file} exists; add --force to overwrite it")


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def shipped_bots() -> Mapping[str, Path]:
    """The bots that come with bgai by name, the preferred ones first.

    They lie in the package's folder `bots`, in a checkout in `checkpoints`.
    """
    package = Path(__file__).parents[1]
    folders = [package / "bots"]
    if (package.parent / "pyproject.toml").is_file():
        folders.append(package.parent / "checkpoints")
    found: dict[str, Path] = {}
    for folder in folders:
        for path in sorted(folder.iterdir()) if folder.is_dir() else []:
            if (path / CARD_FILE).is_file() or path.suffix == ".zip":
                found.setdefault(path.name.removesuffix(".zip"), path)
    order = [name for name in PREFERRED_BOTS if name in found]
    return {name: found[name] for name in [*order, *(n for n in found if n not in order)]}


def default_bot() -> Bot:
    """The bot to play with when none is named: the first of `shipped_bots`.

    Raises:
        ValueError: none ships with this copy.
    """
    for path in shipped_bots().values():
        return load_bot(path)
    raise ValueError("no bot ships with this copy of bgai: name one with --bot FOLDER_OR_ZIP")
