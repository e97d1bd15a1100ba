"""`bgai train`: self-play training from a configuration file, into a folder."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from bgai.interface.commands.options import refuse

if TYPE_CHECKING:
    from bgai.search import Evaluator
    from bgai.training.config import TrainConfig
    from bgai.training.distributed import Workers
    from bgai.training.run import Measure
    from bgai.training.trainer import Trainer

HELP = """
Example:
  bgai train configs/demo.toml --run runs/demo

Trains value nets by self-play from random weights. Everything goes to the run's folder:
checkpoint.pt (the nets, and all that is needed to go on), metrics.jsonl, TensorBoard files.
Stop it with Ctrl-C at any moment; the same command goes on where it stopped.

torchrun spreads the games and the gradients over processes, on one host or on several:
  torchrun --nproc-per-node 2 -m -- bgai train configs/demo.toml --run runs/demo
  torchrun --nnodes 2 --node-rank 0 --nproc-per-node 1 --rdzv-endpoint HOST:29400 \\
    -m -- bgai train configs/demo.toml --run runs/demo
(Without the -- some torchruns take --run for theirs.) The second is for HOST, which writes the
run's folder; the other host says --node-rank 1. Where a host's own name does not lead to its
address, set GLOO_SOCKET_IFNAME to the network interface that does.
"""

_LINE_SECONDS = 15.0
_MEASURE_SEED = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", type=Path, help="a TOML file, such as those in configs/")
    parser.add_argument("--run", type=Path, help="the run's folder (runs/NAME_OF_THE_CONFIG)")
    parser.add_argument("--device", default="cpu", help="where the nets learn (%(default)s)")
    parser.add_argument("--set", type=Path, metavar="FILE", help="also measure the error on a set")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    values = parser.add_argument_group("values that replace those of the file")
    for name, (placeholder, text) in _OVERRIDES.items():
        values.add_argument(f"--{name}", metavar=placeholder, help=text)


_WITHOUT_STAGES = "the file's later stages are left out unless their lengths are given, too"

_OVERRIDES = {
    "encoding": ("NAME", "how the nets see a board"),
    "hidden": ("UNITS,UNITS", "units of each hidden layer of a value net"),
    "nets": ("N", "value nets that learn together and count by their mean"),
    "nets_margin": (
        "X",
        "points behind one net's best beyond which the others do not see a play in training",
    ),
    "games": ("N", f"games of the first stage, TD(lambda); {_WITHOUT_STAGES}"),
    "minutes": ("M", f"minutes of the first stage; {_WITHOUT_STAGES}"),
    "scout_units": ("N", "hidden units of the small net that shortlists plays"),
    "shortlist": ("N", "plays of a roll that it leaves, at most"),
    "shortlist_margin": ("X", "points behind its best beyond which it leaves none"),
    "exact_endgames": ("true|false", "whether races are valued by the tables and the race net"),
    "games_at_once": ("N", "games played in lockstep"),
    "window_plies": ("N", "plies played between two rounds of learning"),
    "lambda_": ("X", "how far outcomes reach back: 0 = one ply, 1 = the whole window"),
    "minibatch": ("N", "positions per step of the optimizer"),
    "learning_rate": ("X", "Adam's step size at the start; falls in a straight line"),
    "final_learning_rate": ("X", "Adam's step size at the end of the first stage"),
    "lookahead_games": ("N", "games of the second stage, which looks one ply ahead"),
    "lookahead_minutes": ("M", "minutes of the second stage instead"),
    "lookahead_learning_rate": ("X", "Adam's step size at its start"),
    "lookahead_final_learning_rate": ("X", "Adam's step size at its end"),
    "lookahead_minibatch": ("N", "positions per step after the first stage"),
    "lookahead_passes": ("N", "rounds in which each of them is learnt"),
    "grown_hidden": (
        "UNITS,UNITS",
        "units of each hidden layer in a third stage, with bigger nets; a run that has ended may "
        "get one",
    ),
    "grown_games": ("N", "games of the third stage"),
    "grown_minutes": ("M", "minutes of the third stage instead"),
    "grown_learning_rate": ("X", "Adam's step size at its start"),
    "grown_final_learning_rate": ("X", "Adam's step size at its end"),
    "regrown_hidden": (
        "UNITS,UNITS",
        "units of each hidden layer in a fourth stage, with nets bigger still",
    ),
    "regrown_games": ("N", "games of the fourth stage"),
    "regrown_minutes": ("M", "minutes of the fourth stage instead"),
    "regrown_learning_rate": ("X", "Adam's step size at its start"),
    "regrown_final_learning_rate": ("X", "Adam's step size at its end"),
    "random_plays": ("X", "share of random plays after the first stage"),
    "revive": ("true|false", "whether units that are always off are begun anew"),
    "averaging": ("X", "the weights kept are a mean over about the last 1/X of a stage"),
    "seed": ("N", "of weights and dice"),
    "checkpoint_minutes": ("M", "minutes between two checkpoints"),
    "measure_minutes": ("M,M", "minutes at which the nets are kept and measured"),
    "measure_games": ("N", "games against each baseline in a measurement"),
}


_OF_LATER_STAGES = ("lookahead_minibatch", "lookahead_passes", "random_plays")


def run(args: argparse.Namespace) -> int:
    from bgai.training.config import load_config

    # what can be wrong is checked before torch is loaded, which takes seconds
    config = load_config(args.config, _overrides(args))
    _check_effects(args, config)

    from bgai.training.distributed import WorkerLostError, connected_workers
    from bgai.training.trainer import DivergedError

    try:
        with connected_workers(args.device) as workers:
            try:
                return _train(args, workers.ask_first(lambda: config), workers)
            except DivergedError as error:  # in all processes at the same time
                if workers.is_first:
                    print(f"bgai: {error}", file=sys.stderr)
                return 1
    except WorkerLostError as error:
        print(f"bgai: {error}", file=sys.stderr)
        return 1


def _check_effects(args: argparse.Namespace, config: TrainConfig) -> None:
    """Refuse options that this configuration makes no use of.

    Raises:
        ValueError: names one of them.
    """
    from bgai.training.config import Stage, length_options, rate_options

    if not config.measure_minutes:
        refuse(args, ("--set", "--measure_games"), "without measure_minutes")
    if config.scout_units is None:
        refuse(args, ("--shortlist", "--shortlist_margin"), "without scout_units")
    for stage in Stage:
        if not config.has(stage):
            others = [*rate_options(stage), *(_OF_LATER_STAGES if stage == Stage.LOOKAHEAD else ())]
            lengths = " or ".join(length_options(stage))
            refuse(args, [f"--{name}" for name in others], f"without {lengths}")


def _train(args: argparse.Namespace, config: TrainConfig, workers: Workers) -> int:
    from bgai.engine.files import check_writable
    from bgai.interface.long_work import stop_on_signal
    from bgai.interface.warm_up import announced_compilation
    from bgai.training.run import open_run, rehearse

    folder: Path = args.run or Path("runs") / args.config.stem
    workers.ask_first(lambda: check_writable(folder / "config.json"))
    measure = _make_measure(config, args.set, workers)
    device = workers.own_device(args.device)
    run = open_run(folder, config, device, workers)
    if workers.is_first:
        _announce(folder, run.trainer)
    with announced_compilation(is_announced=workers.is_first):
        workers.together(lambda: rehearse(config, device))
    notice = "stopping after this window and saving ..."
    with stop_on_signal(notice) as signal_received, _Progress(run.trainer) as progress:
        complete = run.train(
            progress.telling(measure), progress.report, lambda: signal_received() is not None
        )
        stopped_by = signal_received()
    if workers.is_first:
        _print_summary(folder, run.trainer, args.json)
    return 0 if complete or stopped_by is None else 128 + stopped_by


def _announce(folder: Path, trainer: Trainer) -> None:
    print(f"{folder}: {json.dumps(trainer.config.to_dict())}", file=sys.stderr)
    now, before = trainer.workers.size, trainer.processes_before
    if now > 1:
        print(f"{now} processes train together", file=sys.stderr)
    if trainer.games:
        print(f"going on after {trainer.games} games", file=sys.stderr)
    if before not in (None, now):
        print(
            f"with new games: their number of processes was {before} and is {now}", file=sys.stderr
        )


def _print_summary(folder: Path, trainer: Trainer, as_json: bool) -> None:
    from bgai.training.run import run_summary

    summary = {"run": str(folder), **run_summary(trainer)}
    if as_json:
        print(json.dumps(summary))
        return
    state = "complete" if trainer.is_complete else "stopped; the same command goes on"
    print(
        f"{folder}: {state}: {trainer.games} games in {summary['minutes']} minutes "
        f"({summary['games_per_s']} games/s), {folder / 'checkpoint.pt'}"
    )


def _overrides(args: argparse.Namespace) -> dict[str, Any]:
    """The values given as flags, in the types that TOML would give them."""
    given = {name: getattr(args, name) for name in _OVERRIDES}
    return {name: _value(name, text) for name, text in given.items() if text is not None}


def _value(name: str, text: str) -> Any:
    if name == "encoding":
        return text
    if name in ("exact_endgames", "revive"):
        if text not in ("true", "false"):
            raise ValueError(f"--{name} must be true or false, got {text!r}")
        return text == "true"
    placeholder, _ = _OVERRIDES[name]
    try:
        if "," in placeholder:
            number: Callable[[str], Any] = int if "UNITS" in placeholder else float
            return [number(part) for part in text.split(",") if part]
        return int(text) if text.lstrip("-").isdigit() else float(text)
    except ValueError:
        raise ValueError(f"--{name} must be a number or numbers, got {text!r}") from None


def _make_measure(config: TrainConfig, set_file: Path | None, workers: Workers) -> Measure:
    """What is measured of the averaged weights, read and built before the training starts."""
    from bgai.evaluation.arena import play_match
    from bgai.evaluation.benchmark_set import evaluate_checker_set, read_checker_set
    from bgai.interface.players import make_player
    from bgai.search import EvaluatorPlayer

    # asked of the first, which alone measures and may alone have the file
    checker_set = workers.ask_first(lambda: read_checker_set(set_file) if set_file else None)
    pubeval = make_player("pubeval", _MEASURE_SEED)

    def measure(evaluator: Evaluator) -> dict[str, float]:
        player = EvaluatorPlayer("net", evaluator)
        result = play_match(player, pubeval, config.measure_games, _MEASURE_SEED)
        values = {
            "eval/ppg_vs_pubeval": float(result.ppg),
            "eval/ppg_vs_pubeval_se": float(result.standard_error),
        }
        if checker_set is not None:
            errors = evaluate_checker_set(player, checker_set)
            values["eval/error_mp"] = float(errors.error_mp)
            values["eval/error_mp_se"] = float(errors.standard_error_mp)
        return values

    return measure


class _Progress:
    """A bar on a terminal, a line now and then elsewhere; both on stderr."""

    def __init__(self, trainer: Trainer) -> None:
        self._trainer = trainer
        self._is_shown = trainer.workers.is_first
        self._is_terminal = sys.stderr.isatty()
        self._line_at = time.monotonic()
        self._bar = tqdm(
            total=100.0,
            initial=round(100 * trainer.progress, 2),
            disable=not (self._is_terminal and self._is_shown),
            bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed}<{remaining}{postfix}",
            desc="training",
            file=sys.stderr,
        )

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def report(self, trainer: Trainer, metrics: dict[str, float]) -> None:
        """Show how far the run is, once for all processes."""
        if not self._is_shown:
            return
        rate = trainer.games / trainer.seconds
        loss = metrics.get("train/loss_nats", float("nan"))
        state = f"{trainer.games} games, {rate:.0f} games/s, loss {loss:.4f}"
        self._bar.n = round(100 * trainer.progress, 2)
        self._bar.set_postfix_str(state)
        if not self._is_terminal and time.monotonic() - self._line_at >= _LINE_SECONDS:
            self._line_at = time.monotonic()
            print(f"{100 * trainer.progress:5.1f}%  {state}", file=sys.stderr)

    def telling(self, measure: Measure) -> Measure:
        """The same measurement, which also says what it found."""

        def measure_and_tell(evaluator: Evaluator) -> dict[str, float]:
            values = measure(evaluator)
            games, minutes = self._trainer.games, self._trainer.seconds / 60
            found = _measured_words(values)
            tqdm.write(f"minute {minutes:.0f}, {games} games: {found}", file=sys.stderr)
            return values

        return measure_and_tell


def _measured_words(values: dict[str, float]) -> str:
    """Each number of a measurement with its standard error."""
    ppg, ppg_se = values["eval/ppg_vs_pubeval"], values["eval/ppg_vs_pubeval_se"]
    words = f"{ppg:+.3f} +- {ppg_se:.3f} points per game against pubeval"
    if "eval/error_mp" in values:
        words += f", error {values['eval/error_mp']:.1f} +- {values['eval/error_mp_se']:.1f} mp"
    return words
