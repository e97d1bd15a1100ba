"""Compare nets on decisions that are valued by looking further ahead, closer than duels can.

    python scripts/compare_nets.py runs/a/checkpoint.pt runs/b/checkpoint.pt --labels plays.npz

A net plays games with itself, and decisions are drawn at random from all of them in which there was
a choice. Of each, the plays worth considering (the best few at 0-ply by any of the nets, within a
margin) are valued once by a judge: a net that looks 2 plies ahead, with the endgame tables. What
the play that a net prefers is worth less than the best valued one is the net's loss. All nets
decide the same, so their differences have much smaller standard errors than their losses.

Values are kept in the file of --labels. Stopped at any moment, the same command goes on from there;
other nets can be scored on the file later, and only those of their plays that it does not know are
valued then. More plays can make the best one better, so the losses of a net can rise a little as
the file grows; differences between two nets stay what they are.

The judge is a net of this project, and no referee:

- What it misjudges, 2 plies do not always mend. A net that errs as the judge does is not charged
  for it, one that knows better is charged instead; the judge itself, nets that learned from it
  and nets of the same run are favoured most. Take as judge none of the nets compared.
- The best of several values that are slightly off is too high: losses come out a little too large,
  for all nets alike.
- The positions are those the playing net reaches. What it avoids (back games, say) hardly occurs.

So a difference here says where to look; whether it is strength, duels and other judges say.
0-ply is the net alone, as GNU Backgammon counts.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bgai.cube.efficiency import KINDS, position_kinds
from bgai.evaluation.benchmark_set import POINTS_TO_MP
from bgai.interface.players import make_player
from bgai.search import Evaluator, EvaluatorPlayer, best_afterstates

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # for what another script offers

from scripts.valued_decisions import (  # noqa: E402 (after the path)
    FEWEST_PLAYS,
    About,
    ValuedDecisions,
    Values,
    draw_decisions,
    read_decisions,
    value_plays,
    values_of,
    without_values,
    worth_considering,
)

SHIPPED_NET = ROOT / "checkpoints" / "flagship" / "net.pt"
ALL = "all"


@dataclass(frozen=True)
class Score:
    """How well a net decides on the positions of one kind, in millipoints.

    Attributes:
        loss_mp: mean loss per decision, `loss_error_mp` its standard error.
        difference_mp: mean loss less that of the first net, with its paired standard error.
        rms_mp: root mean square of what the net's values of the valued plays are off.
        bias_mp: their mean: positive where the net thinks too well of the player who has moved.
    """

    net: str
    kind: str
    decisions: int
    loss_mp: float
    loss_error_mp: float
    difference_mp: float
    difference_error_mp: float
    rms_mp: float
    bias_mp: float


def check_judge(valued: ValuedDecisions, judge: Evaluator, name: str) -> None:
    """Whether the judge is the one that valued the first plays of a set.

    Raises:
        ValueError: it values them otherwise.
    """
    known = np.flatnonzero(np.isfinite(valued.values))[:8]
    if not len(known):
        return
    off = float(np.abs(values_of(judge, valued.after[known]) - valued.values[known]).max())
    if off > 1e-3:  # one net's exported twin rounds otherwise
        raise ValueError(
            f"the plays were valued by {valued.about.judge}; {name} is another net: its values "
            f"are up to {off:.3f} points off"
        )


def scores(valued: ValuedDecisions, nets: Mapping[str, Values]) -> list[Score]:
    """Every net on all decisions, then on each kind of which there are two at least.

    Args:
        nets: `[M]` 0-ply values of all plays, for the player who moved; the choice of each net on
            each decision must be valued.
    """
    counts = np.diff(valued.offsets)
    known = np.isfinite(valued.values)
    worths = valued.values.astype(np.float64)
    best = np.maximum.reduceat(np.where(known, worths, -np.inf), valued.offsets[:-1])
    losses = {
        net: best - worths[best_afterstates(values, valued.offsets)] for net, values in nets.items()
    }
    assert all(np.isfinite(loss).all() for loss in losses.values())
    first = next(iter(losses.values()))
    kinds = position_kinds(valued.boards)
    parts = {ALL: np.ones(len(kinds), np.bool_)}
    parts |= {kind: kinds == number for number, kind in enumerate(KINDS)}
    found = []
    for kind, of_kind in parts.items():
        if of_kind.sum() < 2:  # a standard error needs two
            continue
        plays = known & np.repeat(of_kind, counts)
        for net, loss in losses.items():
            off = POINTS_TO_MP * (nets[net][plays] - worths[plays])
            lost = _mean_and_error(loss[of_kind])
            difference = _mean_and_error((loss - first)[of_kind])
            rms, bias = float(np.sqrt(np.mean(off**2))), float(off.mean())
            found.append(Score(net, kind, int(of_kind.sum()), *lost, *difference, rms, bias))
    return found


def _mean_and_error(points: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Mean and standard error of values in points, in millipoints."""
    error = points.std(ddof=1) / np.sqrt(len(points))
    return POINTS_TO_MP * float(points.mean()), POINTS_TO_MP * float(error)


def table(valued: ValuedDecisions, found: Sequence[Score]) -> str:
    """The result for people."""
    about = valued.about
    width = max(len(score.net) for score in found)
    lines = [
        f"{about.decisions:,} decisions of games of {about.player} (seed {about.seed}), "
        f"{int(np.isfinite(valued.values).sum()):,} plays valued {about.plies}-ply by "
        f"{about.judge}; millipoints",
    ]
    kind = ""
    for score in found:
        if score.kind != kind:
            kind = score.kind
            heading = f"{kind} ({score.decisions:,})"
            lines.append(
                f"\n{heading:<{width}}  {'loss':>8}{'':10}{'to the first':>13}{'':8}"
                f"{'value rms':>10}{'bias':>8}"
            )
        lines.append(
            f"{score.net:<{width}}  {score.loss_mp:8.2f} ± {score.loss_error_mp:<6.2f} "
            f"{score.difference_mp:+13.2f} ± {score.difference_error_mp:<6.2f}"
            f"{score.rms_mp:9.1f}{score.bias_mp:+8.1f}"
        )
    return "\n".join(lines)


def load_evaluator(spec: str, plies: int = 0) -> Evaluator:
    """A net with the endgames, looking `plies` ahead.

    Args:
        spec: a checkpoint, a bot's folder or zip, or the name of one that ships.

    Raises:
        ValueError: it is no net.
        OSError: its file cannot be read.
    """
    player = make_player(spec, seed=0, plies=plies)
    if not isinstance(player, EvaluatorPlayer):
        raise ValueError(f"nets are compared, {spec} is none")
    return player.evaluator


def open_decisions(options: argparse.Namespace) -> ValuedDecisions:
    """The set in the file of --labels, or a new one.

    Raises:
        ValueError: the file was made otherwise than the options say.
    """
    path: Path = options.labels
    if not path.exists():
        judge = options.judge or os.path.relpath(SHIPPED_NET)
        about = About(
            player=options.player or judge,
            judge=judge,
            plies=2 if options.plies is None else options.plies,
            decisions=options.decisions or 4000,
            seed=1 if options.seed is None else options.seed,
        )
        drawn = draw_decisions(load_evaluator(about.player), about.decisions, about.seed)
        return without_values(about, *drawn)
    valued = read_decisions(path)
    for name in ("player", "plies", "decisions", "seed"):
        made, asked = getattr(valued.about, name), getattr(options, name)
        if asked not in (None, made):
            raise ValueError(f"{path} was made with {name} {made}, got --{name} {asked}")
    return valued


def compare(options: argparse.Namespace) -> tuple[ValuedDecisions, list[Score]]:
    """Everything the command does; the file of --labels is made or added to."""
    evaluators = {net: load_evaluator(net) for net in options.nets}
    valued = open_decisions(options)
    nets = {net: values_of(evaluator, valued.after) for net, evaluator in evaluators.items()}
    wanted = np.isnan(valued.values) & np.any(
        [
            worth_considering(values, valued.offsets, options.plays, options.margin)
            for values in nets.values()
        ],
        axis=0,
    )
    if wanted.any():
        name = options.judge or valued.about.judge
        judge = load_evaluator(name, valued.about.plies)
        check_judge(valued, judge, name)
        value_plays(options.labels, valued, np.flatnonzero(wanted).tolist(), judge)
    return valued, scores(valued, nets)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "nets", nargs="+", metavar="NET", help="checkpoints (*.pt), which are faster, or bots"
    )
    parser.add_argument("--labels", type=Path, required=True, metavar="FILE", help="the values")
    parser.add_argument("--judge", metavar="NET", help="(flagship; the file's)")
    parser.add_argument("--plies", type=int, help="that the judge looks ahead (2; the file's)")
    parser.add_argument("--player", metavar="NET", help="plays the games (the judge; the file's)")
    parser.add_argument("--decisions", type=int, help="(4000; the file's)")
    parser.add_argument("--seed", type=int, help="of dice and draw (1; the file's)")
    parser.add_argument("--plays", type=int, default=6, help="by each net at most (%(default)s)")
    parser.add_argument(
        "--margin", type=float, default=0.12, help="points behind its best (%(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    return parser


def _check(options: argparse.Namespace) -> None:
    if options.plays < FEWEST_PLAYS:
        raise ValueError(f"plays must be at least {FEWEST_PLAYS}, got {options.plays}")
    if not options.margin >= 0:
        raise ValueError(f"margin must be at least 0, got {options.margin}")
    if options.decisions is not None and options.decisions < 2:
        raise ValueError(f"decisions must be at least 2, got {options.decisions}")
    if options.seed is not None and options.seed < 0:
        raise ValueError(f"seed must be at least 0, got {options.seed}")


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    options = _parser().parse_args(argv)
    try:
        _check(options)
        valued, found = compare(options)
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, ValueError) else 1
    except KeyboardInterrupt:
        print(f"stopped; the same command goes on with {options.labels}", file=sys.stderr)
        return 1
    if options.json:
        content = {"about": asdict(valued.about), "scores": [asdict(score) for score in found]}
        print(json.dumps(content))
    else:
        print(table(valued, found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
