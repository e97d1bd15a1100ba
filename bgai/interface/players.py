"""Players by name: what `--against` and the like accept."""

from __future__ import annotations

import re
from pathlib import Path

from bgai.cube import CubeModel
from bgai.endgame import load_or_build
from bgai.evaluation.opponents import (
    GnubgPlayer,
    PipPlayer,
    PubevalPlayer,
    RandomPlayer,
    SagePlayer,
)
from bgai.search import (
    PLAY_MARGIN,
    EvaluatorPlayer,
    MatchPlayer,
    Panel,
    PipCubePlayer,
    Player,
)
from bgai.search.ply import PlyEvaluator

POSSIBLE = (
    "random, pip, pubeval, gnubg:N (N = 0: its net alone), sage:N (N = 1: its net alone), "
    "a bot (folder, zip or the name of one that ships), a checkpoint (*.pt); "
    "any of them with +pip-cube after it turns the cube by the pip count"
)
"""The kinds of players, for help and messages."""

PIP_CUBE = "+pip-cube"
_ENGINE = re.compile(r"(gnubg|sage):([0-9]+)(?:-?ply)?")


def make_player(spec: str, seed: int, plies: int = 0) -> Player:
    """The player that `spec` names.

    Args:
        spec: one of `POSSIBLE`.
        seed: for players that draw lots; the others always play the same way.
        plies: turns that a bot or checkpoint looks ahead; 0 is the net alone.

    Raises:
        ValueError: there is no such player, a package it needs is missing, its file is damaged,
            or `plies` is given for a player that is no net.
        OSError: its file cannot be read.
    """
    if spec.endswith(PIP_CUBE):
        checker_player = make_player(spec.removesuffix(PIP_CUBE), seed, plies)
        return PipCubePlayer(checker_player.name + PIP_CUBE, checker_player)
    player = _built_in(spec, seed)
    if player is not None:
        if plies:
            raise ValueError(f"plies can be chosen for a bot or checkpoint only, not for {spec}")
        return player
    return _net_player(spec, plies)


def with_cube(player: Player) -> MatchPlayer:
    """The player itself, or with the pip count's cube if it has none of its own."""
    if isinstance(player, MatchPlayer):
        return player
    return PipCubePlayer(player.name + PIP_CUBE, player)


def _built_in(spec: str, seed: int) -> Player | None:
    if spec == "random":
        return RandomPlayer(seed)
    if spec == "pip":
        return PipCubePlayer("pip", PipPlayer())
    if spec == "pubeval":
        return PubevalPlayer()
    engine = _ENGINE.fullmatch(spec)
    if engine is None:
        return None
    plies = int(engine[2])
    return GnubgPlayer(plies) if engine[1] == "gnubg" else SagePlayer(plies)


def _net_player(spec: str, plies: int) -> EvaluatorPlayer:
    """A bot or checkpoint, with the endgames."""
    from bgai.interface.bot import load_bot, shipped_bots

    path = Path(spec)
    if not path.exists() and spec not in shipped_bots():
        raise ValueError(f"no player {spec!r}; there are: {POSSIBLE}")
    if path.suffix != ".pt":
        return load_bot(spec).player(plies)
    try:
        from bgai.model.checkpoint import load_evaluators
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ValueError(f"{spec} needs torch: pip install '.[train]'") from None
    endgames = load_or_build()
    evaluator = Panel(load_evaluators(path), PLAY_MARGIN, endgames)
    name = f"{path.stem} ({plies}-ply)" if plies else path.stem
    model = CubeModel(exact=endgames.cube_equities)
    return EvaluatorPlayer(name, PlyEvaluator(evaluator, plies), model)
