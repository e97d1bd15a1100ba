"""Draw and print how fast training learns, from the metrics of runs that differ only in the seed.

    python scripts/plot_learning.py runs/seed-1 runs/seed-2 runs/seed-3 --out learning.png

Reads `metrics.jsonl` of every run. Prints a Markdown table for each metric (each run, and the mean
with its standard error over the runs) and draws a thin line a run and a thick one for the mean.
Minutes are minutes of training: measuring and saving do not count.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bgai.engine.files import check_writable

TABLE_MINUTES = (1, 2, 3, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300)
TOLERANCE = 0.1
"""A row of the table takes the measurement nearest to its minute, at most this share away."""


@dataclass(frozen=True)
class Metric:
    """What to read from the metrics and how to show it."""

    name: str
    title: str
    digits: int


METRICS = (
    Metric("eval/error_mp", "error on the benchmark set, mp a decision", 1),
    Metric("eval/ppg_vs_pubeval", "points per game against pubeval", 3),
)


@dataclass(frozen=True)
class Curve:
    """The measurements of one metric in one run, in the order of time."""

    run: str
    minutes: NDArray[np.float64]
    values: NDArray[np.float64]

    def value_at(self, minute: float) -> float | None:
        """The measurement nearest to a minute; None where there is none close to it."""
        if not len(self.minutes):
            return None
        nearest = int(np.argmin(np.abs(self.minutes - minute)))
        if abs(self.minutes[nearest] - minute) > TOLERANCE * minute:
            return None
        return float(self.values[nearest])


def read_curve(run: Path, metric: Metric) -> Curve:
    """One metric of a run.

    Raises:
        ValueError: there is no `metrics.jsonl`, or a line of it is not a JSON object with `time_s`.
    """
    path = run / "metrics.jsonl"
    if not path.is_file():
        raise ValueError(f"{run} is not a training run: it has no metrics.jsonl")
    points = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            values = json.loads(line)
            if metric.name in values:
                points.append((values["time_s"] / 60, values[metric.name]))
        except (json.JSONDecodeError, KeyError, TypeError):
            raise ValueError(f"{path}:{number}: not a line of metrics: {line[:80]}") from None
    times_and_values = np.array(sorted(points), dtype=np.float64).reshape(-1, 2)
    return Curve(run.name, times_and_values[:, 0], times_and_values[:, 1])


def mean_curve(curves: Sequence[Curve]) -> Curve:
    """The mean over runs, at the times of the first run that every run has reached, or nearly."""
    if not all(len(curve.minutes) for curve in curves):
        return Curve("mean", np.empty(0), np.empty(0))
    first = max(curve.minutes[0] for curve in curves)
    last = min(curve.minutes[-1] for curve in curves)
    minutes = curves[0].minutes
    minutes = minutes[(minutes > first * (1 - TOLERANCE)) & (minutes < last * (1 + TOLERANCE))]
    values = [np.interp(minutes, curve.minutes, curve.values) for curve in curves]
    return Curve("mean", minutes, np.mean(values, axis=0))


def markdown_table(metric: Metric, curves: Sequence[Curve]) -> str:
    """A row for each minute that some run has a measurement of."""
    digits = metric.digits
    header = ["minutes", "mean", *(curve.run for curve in curves)]
    lines = [f"{metric.title}:", "", _row(header), _row(["---:"] * len(header))]
    for minute in TABLE_MINUTES:
        values = [curve.value_at(minute) for curve in curves]
        known = [value for value in values if value is not None]
        if not known:
            continue
        mean = f"{np.mean(known):.{digits}f}"
        if len(known) > 1:
            mean += f" ± {np.std(known, ddof=1) / np.sqrt(len(known)):.{digits}f}"
        if len(known) < len(values):
            mean += f" ({len(known)} of {len(values)})"
        cells = ["-" if value is None else f"{value:.{digits}f}" for value in values]
        lines.append(_row([str(minute), mean, *cells]))
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def draw(curves_by_metric: dict[Metric, list[Curve]], out: Path) -> None:
    """One panel a metric, minutes of training on a logarithmic axis."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.ticker import FixedLocator, NullLocator, ScalarFormatter

    figure, rows = pyplot.subplots(
        1, len(curves_by_metric), figsize=(5.5 * len(curves_by_metric), 4), squeeze=False
    )
    for axes, (metric, curves) in zip(rows[0], curves_by_metric.items(), strict=True):
        for curve in curves:
            axes.plot(curve.minutes, curve.values, color="tab:blue", linewidth=0.7, alpha=0.6)
        mean = mean_curve(curves)
        label = f"mean of {len(curves)} runs" if len(curves) > 1 else "one run"
        axes.plot(mean.minutes, mean.values, color="tab:blue", linewidth=2, label=label)
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(FixedLocator(TABLE_MINUTES))
        axes.xaxis.set_major_formatter(ScalarFormatter())
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlabel("minutes of training")
        axes.set_title(metric.title, fontsize=10)
        axes.grid(alpha=0.3)
        axes.legend()
    figure.tight_layout()
    figure.savefig(out, dpi=150)
    pyplot.close(figure)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tables and write the picture."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="folder of a run")
    parser.add_argument("--out", type=Path, help="the picture; none is drawn without it")
    arguments = parser.parse_args(argv)
    try:
        if arguments.out is not None:
            check_writable(arguments.out)
            if find_spec("matplotlib") is None:
                raise ValueError("--out needs matplotlib: pip install '.[plot]'")
        curves_by_metric = {
            metric: [read_curve(run, metric) for run in arguments.runs] for metric in METRICS
        }
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print("\n\n".join(markdown_table(*item) for item in curves_by_metric.items()))
    if arguments.out is not None:
        draw(curves_by_metric, arguments.out)
        print(f"drawn: {arguments.out}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
