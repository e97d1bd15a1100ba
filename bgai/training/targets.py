"""What the net is to learn: lambda-returns over the six outcomes."""

from __future__ import annotations

import numpy as np

from bgai.engine import Probs, swap_probs
from bgai.training.self_play import Window


def lambda_returns(window: Window, lambda_: float) -> Probs:
    """The lambda-return of every position of a window, `[T, B, 6]`.

    `G_t = swap_probs((1 - lambda) V_{t+1} + lambda G_{t+1})`, or the exact value of what was played
    where it is known; the last of the window is the value of what was played (Sutton & Barto 2018,
    section 12.1).
    """
    returns = np.empty_like(window.next_values)
    following = window.next_values[-1]
    for ply in range(len(returns) - 1, -1, -1):
        value = window.next_values[ply]
        mixed = (1 - lambda_) * value + lambda_ * following
        following = swap_probs(np.where(window.is_exact[ply][:, None], value, mixed))
        returns[ply] = following
    return returns
