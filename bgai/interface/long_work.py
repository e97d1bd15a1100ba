"""Work that takes long: how it is shown on stderr, and how a signal ends it."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from tqdm import tqdm

_LINE_SECONDS = 15.0


@contextmanager
def stop_on_signal(notice: str) -> Iterator[Callable[[], int | None]]:
    """Note the first SIGINT or SIGTERM instead of dying; a second SIGINT interrupts at once.

    Args:
        notice: what is said on stderr when a signal comes.

    Yields:
        A function that returns the signal's number, None before one comes.
    """
    received: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        if received and number == signal.SIGINT:
            raise KeyboardInterrupt
        received.append(number)
        print(notice, file=sys.stderr, flush=True)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: received[0] if received else None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def counted(total: int, done: int, unit: str) -> Iterator[Callable[[int, str], None]]:
    """Show how many of something are done: a bar on a terminal, a line now and then elsewhere.

    Args:
        total: how many there are to be.
        done: how many there are already.

    Yields:
        A function to call with each number of further ones and a few words on the state of things.
    """
    is_terminal = sys.stderr.isatty()
    begun = line_at = time.monotonic()
    begun_at = done
    bar = tqdm(total=total, initial=done, unit=f" {unit}", disable=not is_terminal, file=sys.stderr)

    def report(more: int, state: str) -> None:
        nonlocal done, line_at
        done += more
        bar.set_postfix_str(state, refresh=False)
        bar.update(more)
        now = time.monotonic()
        if not is_terminal and now - line_at >= _LINE_SECONDS:
            line_at = now
            rate = (done - begun_at) / (now - begun)
            words = f"{done} of {total} {unit}, {rate:.1f} a second"
            print(f"{words}, {state}" if state else words, file=sys.stderr, flush=True)

    with bar:
        yield report
