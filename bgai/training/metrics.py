"""Metrics: one JSON object a line in `metrics.jsonl`, and the same numbers to TensorBoard."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import TracebackType

from torch.utils.tensorboard import SummaryWriter

from bgai.engine.files import write_whole

_FILE = "metrics.jsonl"


def _rounded(time_s: float) -> float:
    return round(time_s, 3)


class MetricsLog:
    """Appends metrics of a run to its folder.

    Every line has `games`, `positions` and `time_s` (seconds of training); other names are
    `group/name_unit`. TensorBoard's step is `games`.
    """

    def __init__(self, folder: Path, games: int) -> None:
        """To go on after `games`: what TensorBoard has seen of later ones is done again."""
        self._file = open(folder / _FILE, "a", encoding="utf-8")
        self._board = SummaryWriter(str(folder / "tensorboard"), purge_step=games + 1)

    def write(self, games: int, positions: int, time_s: float, values: dict[str, float]) -> None:
        line = {"games": games, "positions": positions, "time_s": _rounded(time_s), **values}
        try:
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()
        except OSError as error:
            raise OSError(error.errno, error.strerror, self._file.name) from None
        for name, value in values.items():
            self._board.add_scalar(name, value, games)

    def __enter__(self) -> MetricsLog:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()
        self._board.close()


def _lines(path: Path) -> list[str]:
    """The lines of a file as they are, none if it is not there."""
    return path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []


def _time_of(line: str) -> float:
    """A line's `time_s`; infinite where a kill or a stranger has left something else."""
    try:
        return float(json.loads(line)["time_s"]) if line.endswith("\n") else math.inf
    except (ValueError, LookupError, TypeError):
        return math.inf


def last_measured(folder: Path) -> float:
    """The `time_s` of the run's last measurement (`eval/...`); 0 if there is none."""
    times = [_time_of(line) for line in _lines(folder / _FILE) if '"eval/' in line]
    return max((time for time in times if time < math.inf), default=0.0)


def drop_lines_after(folder: Path, time_s: float) -> None:
    """Forget the metrics of work that is done again after a resume."""
    path = folder / _FILE
    if not path.exists():
        return
    kept = [line for line in _lines(path) if _time_of(line) <= _rounded(time_s)]
    write_whole(path, "".join(kept).encode())
