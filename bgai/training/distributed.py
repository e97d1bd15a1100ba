"""Several processes that train the same nets, on one host or more, as `torchrun` starts them.

Each plays games of its own and learns from them; gradients are averaged before every step of the
optimizer, so that all hold the same weights. A trainer asks its `Workers` for the little that this
takes; without torchrun they are the one process there is, and every question is answered at once.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor

from bgai.engine.compiled import thread_count

Value = TypeVar("Value")

_START_S = 300.0  # until all have begun: a host may have to read torch from a slow disk
_ANSWER_S = 45.0  # after which a process that does not answer is given up
_PULSE_S = 5.0  # between two signs of life of a process that is at work for long


class WorkerLostError(RuntimeError):
    """Another process of the run has ended, or does not answer."""


class Workers:
    """The processes of a run, seen by one of them; of this class, the only one there is.

    Every method that waits for the others must be called by all, in the same order.
    """

    rank = 0
    size = 1

    @property
    def is_first(self) -> bool:
        """Whether this is the process that writes the run's folder and reports."""
        return self.rank == 0

    def share(self, count: int) -> int:
        """What falls to each process of a number of games or positions: the same, rounded up."""
        return -(-count // self.size)

    def own_seed(self, seed: np.random.SeedSequence) -> np.random.SeedSequence:
        """The seed that this process makes of one which all have."""
        return seed

    def own_device(self, name: str) -> str:
        """The device of that name which this process uses."""
        return name

    def average_gradients(self, parameters: Iterable[Tensor]) -> None:
        """Replace every gradient by its mean over the processes."""

    def keep_equal(self, parameters: Iterable[Tensor]) -> None:
        """Give all processes the first one's parameters.

        With the same gradients they are the same already, unless the processors of two hosts round
        differently.
        """

    def sums(self, *numbers: float) -> list[float]:
        """The sum of each number over the processes."""
        return list(numbers)

    def gather(self, value: Value) -> list[Value]:
        """Each process's value (plain data, arrays, tensors), by rank."""
        return [value]

    def together(self, work: Callable[[], Value]) -> Value:
        """Do work that may take long, and wait until all have done theirs."""
        return work()

    def ask_first(self, work: Callable[[], Value]) -> Value:
        """What the first process finds, which alone does the work.

        Raises:
            ValueError, OSError: in all processes, where the work raised it.
        """
        return work()


ALONE = Workers()


class TorchWorkers(Workers):
    """The processes of a group of `torch.distributed`.

    Raises:
        WorkerLostError: by whatever waits for the others, when one of them is gone.
    """

    def __init__(self, group: dist.ProcessGroup) -> None:
        self._group = group
        self.rank, self.size = dist.get_rank(), dist.get_world_size()

    def leave(self) -> None:
        """Part from the others; nothing may be asked of them any more.

        The last reference to a group ends its threads. One that still lets go of a tensor while
        Python itself is ending would abort the process.
        """
        dist.destroy_process_group()
        del self._group

    def own_seed(self, seed: np.random.SeedSequence) -> np.random.SeedSequence:
        return seed.spawn(self.size)[self.rank]

    def own_device(self, name: str) -> str:
        return f"cuda:{os.environ.get('LOCAL_RANK', '0')}" if name == "cuda" else name

    def average_gradients(self, parameters: Iterable[Tensor]) -> None:
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        together = _joined(gradients)
        with self._noticing_a_loss():
            dist.all_reduce(together, group=self._group)
        _spread(together.div_(self.size), gradients)

    def keep_equal(self, parameters: Iterable[Tensor]) -> None:
        parts = [parameter.detach() for parameter in parameters]
        together = _joined(parts)
        with self._noticing_a_loss():
            dist.broadcast(together, 0, group=self._group)
        _spread(together, parts)

    def sums(self, *numbers: float) -> list[float]:
        totals = torch.tensor(numbers, dtype=torch.float64)  # holds counts up to 2^53
        with self._noticing_a_loss():
            dist.all_reduce(totals, group=self._group)
        return [float(total) for total in totals]

    def gather(self, value: Value) -> list[Value]:
        values: list[Any] = [None] * self.size
        with self._noticing_a_loss():
            dist.all_gather_object(values, value, group=self._group)
        return values

    def together(self, work: Callable[[], Value]) -> Value:
        is_done = threading.Event()
        with ThreadPoolExecutor(1) as beside:
            pulse = beside.submit(self._pulse_until_all, is_done)
            try:
                result = work()
            finally:
                is_done.set()
            pulse.result()
        return result

    def _pulse_until_all(self, is_done: threading.Event) -> None:
        """Meet the others now and then until all are done; who stays away is lost."""
        while self.sums(is_done.wait(_PULSE_S)) != [self.size]:
            pass

    def ask_first(self, work: Callable[[], Value]) -> Value:
        def answer() -> tuple[Any, Exception | None]:
            if not self.is_first:
                return None, None
            try:
                return work(), None
            except (ValueError, OSError) as error:
                return None, error

        answers = [self.together(answer)]
        with self._noticing_a_loss():
            dist.broadcast_object_list(answers, 0, group=self._group)
        ((result, error),) = answers
        if error is not None:
            raise error
        found: Value = result
        return found

    @contextmanager
    def _noticing_a_loss(self) -> Iterator[None]:
        try:
            yield
        except RuntimeError as error:  # whatever torch's backends raise
            reason = str(error).splitlines()[0]
            raise WorkerLostError(
                f"process {self.rank} of {self.size}: another one has ended or does not answer; "
                f"the same command goes on from the last checkpoint ({reason})"
            ) from error


def _joined(parts: list[Tensor]) -> Tensor:
    """All numbers in one row, so that they travel at once; on the CPU if not on a CUDA device."""
    row = torch.cat([part.reshape(-1) for part in parts])
    return row if row.is_cuda else row.cpu()


def _spread(row: Tensor, parts: list[Tensor]) -> None:
    """Write the numbers of a row back to where they came from."""
    pieces = torch.split(row, [part.numel() for part in parts])
    for part, numbers in zip(parts, pieces, strict=True):
        part.copy_(numbers.view_as(part))


@contextmanager
def connected_workers(device: str) -> Iterator[Workers]:
    """The processes that torchrun has started this one among; else this one alone.

    Args:
        device: where the nets learn: gloo joins processes on CPUs, nccl those on CUDA devices.

    Raises:
        ValueError: only some of torchrun's variables are in the environment.
        WorkerLostError: not all have come.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) < 2:
        yield ALONE
        return
    _share_the_host()
    on_cuda = device.startswith("cuda") and torch.cuda.is_available()
    backend = "cpu:gloo,cuda:nccl" if on_cuda else "gloo"
    try:
        dist.init_process_group(backend, timeout=timedelta(seconds=_START_S))
        # all are there now, and may be given less time
        workers = TorchWorkers(
            dist.new_group(backend=backend, timeout=timedelta(seconds=_ANSWER_S))
        )
    except RuntimeError as error:
        reason = str(error).splitlines()[0]
        raise WorkerLostError(f"the processes of this run did not meet ({reason})") from error
    yield workers
    # not after an error: there may be nobody left to wait for
    workers.sums(0)
    workers.leave()


def _share_the_host() -> None:
    """Set what the user has not: this process's share of the cores, and how it finds the others."""
    here = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    if "BGAI_THREADS" not in os.environ:
        os.environ["BGAI_THREADS"] = str(max(1, thread_count() // here))
    loopback = {"lo", "lo0"} & {name for _, name in socket.if_nameindex()}
    if here == int(os.environ["WORLD_SIZE"]) and loopback:
        # a host's own name may lead anywhere; all on one host need no name
        os.environ.setdefault("GLOO_SOCKET_IFNAME", loopback.pop())
    # makes a wait for a CUDA device end with an error that Python sees, not with an abort
    os.environ.setdefault("TORCH_NCCL_BLOCKING_WAIT", "1")
