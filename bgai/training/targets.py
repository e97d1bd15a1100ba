"""What the net is to learn: lambda-returns over the six outcomes, sampled or looked ahead to."""

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


def lookahead_returns(window: Window, lambda_: float) -> Probs:
    """The lambda-return of every position of a window that looked ahead, `[T, B, 6]`.

    `G_t = L_t + lambda swap_probs(G_{t+1} - V_{t+1})`, where `L_t` is the mean over the 21 rolls:
    the lambda-return without the luck of the dice. What is left of the later plies is how far
    looking ahead there disagrees with the net; nothing where the play was drawn at random. Numbers
    that this carries below 0 are cut.
    """
    assert window.lookahead is not None
    returns = window.lookahead.copy()
    for ply in range(len(returns) - 2, -1, -1):
        disagreement = swap_probs(returns[ply + 1] - window.next_values[ply])
        disagreement[window.is_exact[ply]] = 0  # the next position may be of another game
        if window.is_random is not None:
            disagreement[window.is_random[ply]] = 0
        mixed = np.maximum(returns[ply] + np.float32(lambda_) * disagreement, 0)
        returns[ply] = mixed / mixed.sum(1, keepdims=True)
    return returns


def mean_entropy(targets: Probs) -> float:
    """What the mean cross entropy with `[N, 6]` targets cannot fall below, in nats."""
    return float(-(targets * np.log(np.maximum(targets, np.float32(1e-30)))).sum() / len(targets))
