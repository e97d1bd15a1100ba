"""Probabilities and states that several tests use."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bgai.engine import from_cumulative
from bgai.match.cube_state import CubeState, Owner, was_dead

# the start position as GNU Backgammon's 0-ply sees it, for the player about to roll
START_PROBS: npt.NDArray[np.float64] = from_cumulative(
    np.array([0.521483, 0.153909, 0.007563, 0.129867, 0.007548])
).astype(np.float64)

NO_CAP = 2**30


def singles(win: float) -> npt.NDArray[np.float64]:
    """A game without gammons, `[6]`."""
    return np.array([win, 0, 0, 1 - win, 0, 0])


def random_probs(rng: np.random.Generator, rows: int) -> npt.NDArray[np.float64]:
    return rng.dirichlet([3, 1.5, 0.2, 3, 1.5, 0.2], rows)


def with_win_chance(probs: npt.NDArray[np.float64], win: float) -> npt.NDArray[np.float64]:
    """The same shares of gammons at another win chance."""
    wins, losses = probs[:3] / probs[:3].sum(), probs[3:] / probs[3:].sum()
    return np.concatenate([win * wins, (1 - win) * losses])


def random_state(rng: np.random.Generator, longest: int = 12) -> CubeState:
    """Money and matches, all owners, caps near and far."""
    value = int(2 ** rng.integers(0, 5))
    owners = [Owner.CENTRED] if value == 1 else [Owner.PLAYER, Owner.OPPONENT]
    owner = owners[rng.integers(len(owners))]
    cap = value * int(2 ** rng.integers(0, 5))
    if rng.random() < 0.3:
        jacoby, beavers = (bool(flag) for flag in rng.integers(0, 2, 2))
        return CubeState(value=value, owner=owner, jacoby=jacoby, beavers=beavers, cap=cap)
    away = (int(rng.integers(1, longest + 1)), int(rng.integers(1, longest + 1)))
    own, other = away if owner is Owner.PLAYER else away[::-1]
    while value > 1 and was_dead(value, own, other):
        value //= 2  # nobody turns a dead cube
    owner = Owner.CENTRED if value == 1 else owner
    is_crawford = value == 1 and 1 in away and away != (1, 1) and rng.random() < 0.5
    return CubeState(value=value, owner=owner, away=away, is_crawford=bool(is_crawford), cap=cap)
