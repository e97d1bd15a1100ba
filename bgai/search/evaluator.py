"""What search needs of a value function; a net merely fits."""

from __future__ import annotations

from typing import Protocol

from bgai.engine import Boards, Probs


class Evaluator(Protocol):
    """Boards to outcome probabilities, both for the player about to roll."""

    def __call__(self, boards: Boards) -> Probs:
        """`[N, 26]` int8 -> `[N, 6]` float32, rows sum to 1, exact where the game is over."""
        ...
