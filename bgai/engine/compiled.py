"""How the engine's inner loops are compiled, and how a batch is spread over the cores."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache, partial
from itertools import pairwise
from typing import Any, TypeVar, cast

import numba

Result = TypeVar("Result")


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function on first use, without the GIL, and keep the machine code on disk.

    Where no cache folder can be written (a read-only installation without a home folder), the
    function is compiled anew in each process. The cache does not see changes in functions of
    another file, so a kernel calls kernels of its own module only.
    """
    return _compiled(function)


def fast_math_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """A `kernel` whose sums may be reordered, so that they use the vector units."""
    return _compiled(function, fastmath=True)


def fused_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """A `kernel` that may round a product and a sum together, but adds in the order written."""
    return _compiled(function, fastmath={"contract"})


def _compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    try:
        compiled = numba.njit(function, nogil=True, cache=True, **options)
    except RuntimeError:  # "cannot cache function: no locator available"
        compiled = numba.njit(function, nogil=True, **options)
    return cast(Callable[..., Any], compiled)


def thread_count() -> int:
    """Threads that batch work is spread over: `BGAI_THREADS`, else the cores this process has."""
    text = os.environ.get("BGAI_THREADS")
    if text is None:
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    if not (text.isascii() and text.isdecimal()) or int(text) < 1:
        raise ValueError(f"BGAI_THREADS must be a positive integer, got {text!r}")
    return int(text)


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="bgai")


_this_thread = threading.local()


def _run(task: Callable[[], Result]) -> Result:
    _this_thread.in_task = True
    try:
        return task()
    finally:
        _this_thread.in_task = False


def run_tasks(tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    """Run tasks that release the GIL for most of their time, one per thread, in order of start.

    Within a task, further tasks run one after the other: the cores are taken already.

    Returns:
        Their results, in the order of `tasks`. The first error is raised when all have ended.
    """
    threads = thread_count()
    if len(tasks) < 2 or threads < 2 or getattr(_this_thread, "in_task", False):
        return [task() for task in tasks]
    futures = [_pool(threads).submit(_run, task) for task in tasks]
    wait(futures)
    return [future.result() for future in futures]


def map_slices(work: Callable[[int, int], Result], rows: int, smallest: int) -> list[Result]:
    """Call `work(start, stop)` on consecutive slices of `rows`, one slice per thread.

    Args:
        work: releases the GIL for most of its time.
        smallest: fewer rows than this are not worth another thread.

    Returns:
        The results in the order of the slices.
    """
    slices = min(thread_count(), max(1, rows // smallest))
    if slices == 1:
        return [work(0, rows)]
    bounds = [rows * i // slices for i in range(slices + 1)]
    return run_tasks([partial(work, *ends) for ends in pairwise(bounds)])
