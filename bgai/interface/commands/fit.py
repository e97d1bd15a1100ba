"""`bgai fit`: teaches a net from labels that `bgai generate` has made."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bgai.training.fit import Fit, FitSettings, HeldOutError

HELP = """
Example:
  bgai fit NET.pt --labels labels/two-ply labels/back-games --to better.pt

Goes on training the net of a run of one net on labelled positions and writes it as a checkpoint of
its own. A share of the positions is held out: the error on them is printed before and after. Stop
it with Ctrl-C at any moment; the same command goes on where it stopped.
"""

_SAVE_SECONDS = 120.0
_SETTINGS = {
    "passes": (int, "N", "times that every label is learnt"),
    "minibatch": (int, "N", "positions per step of the optimizer"),
    "learning_rate": (float, "X", "Adam's step size at the start; falls in a straight line"),
    "final_learning_rate": (float, "X", "Adam's step size at the end"),
    "averaging": (float, "X", "the weights are an average over about the last 1/X of the way"),
    "held_out": (float, "X", "share of the positions that is measured instead of learnt"),
    "seed": (int, "N", "of the order in which positions are learnt"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("net", type=Path, metavar="NET", help="the checkpoint to begin with (*.pt)")
    parser.add_argument(
        "--labels", type=Path, nargs="+", required=True, metavar="FOLDER", help="what to learn"
    )
    parser.add_argument("--to", type=Path, required=True, metavar="FILE", help="the new net (*.pt)")
    for name, (kind, placeholder, text) in _SETTINGS.items():
        parser.add_argument(f"--{name}", type=kind, metavar=placeholder, help=text)
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def run(args: argparse.Namespace) -> int:
    from bgai.engine.files import check_writable
    from bgai.interface.long_work import counted, stop_on_signal
    from bgai.interface.warm_up import announced_compilation
    from bgai.training.fit import Fit, FitSettings, run_fit
    from bgai.training.trainer import DivergedError

    given = {name: getattr(args, name) for name in _SETTINGS}
    settings = FitSettings(**{name: value for name, value in given.items() if value is not None})
    check_writable(args.to)
    with announced_compilation():
        fit = Fit(args.net, args.labels, settings)
    if args.to.exists():
        fit.restore(args.to)
    _announce(fit, settings)
    saved_at = time.monotonic()

    def should_save() -> bool:
        nonlocal saved_at
        if time.monotonic() - saved_at < _SAVE_SECONDS:
            return False
        saved_at = time.monotonic()
        return True

    with (
        stop_on_signal("stopping after this round and saving ...") as signal_received,
        counted(fit.rounds, fit.done, "rounds") as report,
    ):
        try:
            complete = run_fit(
                fit,
                args.to,
                lambda loss: report(1, f"loss {loss:.4f}"),
                should_save,
                lambda: signal_received() is not None,
            )
        except DivergedError as error:
            print(f"bgai: {error}", file=sys.stderr)
            return 1
        stopped_by = signal_received()
    _print_summary(args, fit, complete)
    return 0 if complete or stopped_by is None else 128 + stopped_by


def _announce(fit: Fit, settings: FitSettings) -> None:
    print(
        f"{fit.positions} positions, {settings.passes} passes; held out before: "
        f"{_error_text(fit.before)}",
        file=sys.stderr,
    )
    if fit.done:
        print(f"going on after {fit.done} of {fit.rounds} rounds", file=sys.stderr)


def _error_text(error: HeldOutError) -> str:
    return (
        f"{error.error_mp:.1f} mp, {error.divergence_nats:.5f} nats on {error.positions} positions"
    )


def _print_summary(args: argparse.Namespace, fit: Fit, complete: bool) -> None:
    import dataclasses

    after = fit.after()
    if args.json:
        summary: dict[str, Any] = {"net": str(args.to), "positions": fit.positions}
        summary |= {"rounds": fit.done, "complete": complete}
        summary |= {"before": dataclasses.asdict(fit.before), "after": dataclasses.asdict(after)}
        print(json.dumps(summary))
        return
    state = "complete" if complete else "stopped; the same command goes on"
    print(f"{args.to}: {state}: {fit.done} of {fit.rounds} rounds")
    print(f"held out before: {_error_text(fit.before)}")
    print(f"held out after:  {_error_text(after)}")
