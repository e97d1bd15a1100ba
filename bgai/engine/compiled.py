"""How the engine's inner loops are compiled, and how a batch is spread over the cores."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

import numba

Result = TypeVar("Result")


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function on first use, without the GIL, and keep the machine code on disk.

    Where no cache folder can be written (a read-only installation without a home folder), the
    function is compiled anew in each process. The cache does not see changes in functions of
    another file, so a kernel calls kernels of its own module only.
    """
    try:
        return numba.njit(function, nogil=True, cache=True)
    except RuntimeError:  # numba: "cannot cache function: no locator available"
        return numba.njit(function, nogil=True)


def fast_math_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """A `kernel` whose sums may be reordered, so that they use the vector units."""
    try:
        return numba.njit(function, nogil=True, cache=True, fastmath=True)
    except RuntimeError:
        return numba.njit(function, nogil=True, fastmath=True)


def thread_count() -> int:
    """Threads that batch work is spread over: `BGAI_THREADS`, else the cores this process has."""
    text = os.environ.get("BGAI_THREADS")
    if text is None:
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    if not text.isdigit() or int(text) < 1:
        raise ValueError(f"BGAI_THREADS must be a positive integer, got {text!r}")
    return int(text)


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="bgai")


def map_slices(
    work: Callable[[int, int], Result], rows: int, smallest: int, unit: int = 1
) -> list[Result]:
    """Call `work(start, stop)` on consecutive slices of `rows`, one slice per thread.

    Args:
        work: releases the GIL for most of its time.
        smallest: fewer rows than this are not worth another thread.
        unit: slices start at multiples of this.

    Returns:
        The results in the order of the slices.
    """
    slices = min(thread_count(), max(1, rows // smallest))
    if slices == 1:
        return [work(0, rows)]
    bounds = [rows * i // slices // unit * unit for i in range(slices)] + [rows]
    futures = [
        _pool(slices - 1).submit(work, start, stop)
        for start, stop in zip(bounds[1:-1], bounds[2:], strict=True)
    ]
    first = work(bounds[0], bounds[1])
    return [first, *(future.result() for future in futures)]
