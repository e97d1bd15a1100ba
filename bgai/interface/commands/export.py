"""`bgai export`: a checkpoint as a bot, a folder or zip that plays without torch."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bgai.engine import Boards

HELP = """
Example:
  bgai export runs/demo/checkpoint.pt --to bots/demo --check 100000

Writes bot.json, value.onnx and weights.npz to a folder, or to one zip if its name ends in .zip. The
bot plays without torch; with onnxruntime and value.onnx alone from any language.
"""

TOLERANCE = 1e-5
"""How far the graph's probabilities may be from the nets'."""

KERNELS_TOLERANCE = 1e-4
"""The same of bgai's kernels, which round the first layer's weights to a grid."""

_CHECK_SEED = 1
_GAMES_AT_ONCE = 512


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("checkpoint", help="a checkpoint of `bgai train`")
    parser.add_argument("--to", required=True, metavar="DIR_OR_ZIP", help="where the bot goes")
    parser.add_argument("--name", help="the bot's name; the name of its folder or zip if left out")
    parser.add_argument("--licence", default="MIT", help="of the bot, an SPDX id (%(default)s)")
    parser.add_argument(
        "--strength",
        metavar="FILE",
        nargs="+",
        default=[],
        help="measurements to put on its card: what `bgai evaluate --json` printed",
    )
    parser.add_argument(
        "--check",
        type=int,
        default=1000,
        metavar="N",
        help="compare bot and nets on N boards and print the largest difference (%(default)s)",
    )
    parser.add_argument("--force", action="store_true", help="overwrite a bot that is there")


def run(args: argparse.Namespace) -> int:
    from bgai.engine.files import check_writable
    from bgai.interface.bot import Bot, check_free, save_bot
    from bgai.interface.bot_card import CARD_FILE, BotCard
    from bgai.interface.warm_up import warm_up

    # everything that can be wrong is checked before the work
    if args.check < 0:
        raise ValueError(f"--check must be at least 0, got {args.check}")
    target = Path(args.to)
    check_free(target, args.force)
    check_writable(target if target.suffix == ".zip" else target / CARD_FILE)
    with open(args.checkpoint, "rb"):  # there, before torch is loaded
        pass
    strength = [_measurement(Path(file)) for file in args.strength]

    from bgai.model.checkpoint import load_checkpoint
    from bgai.model.onnx_export import MINIMUM_ONNXRUNTIME, largest_difference, onnx_bytes
    from bgai.model.weights_file import pack_weights

    checkpoint = load_checkpoint(Path(args.checkpoint))
    nets = checkpoint.nets()
    card = BotCard(
        name=args.name if args.name is not None else target.resolve().name.removesuffix(".zip"),
        encoding=checkpoint.net.encoding,
        training={
            "hidden": list(checkpoint.net.hidden),
            "nets": len(nets),
            "config": checkpoint.config,
            **checkpoint.summary,
        },
        strength=strength,
        licence=args.licence,
    )
    value_onnx = onnx_bytes(nets)
    weights = pack_weights(
        [{name: value.numpy() for name, value in net.state_dict().items()} for net in nets]
    )
    if args.check > 0:
        warm_up()
        boards = random_boards(args.check, _CHECK_SEED)
        for name, bot, tolerance in (
            ("onnxruntime", Bot(card, value_onnx), TOLERANCE),
            ("bgai's kernels", Bot(card, value_onnx, weights=weights), KERNELS_TOLERANCE),
        ):
            difference = largest_difference(nets, bot, boards)
            print(
                f"largest difference between torch and {name} on {len(boards):,} boards: "
                f"{difference:.1e}"
            )
            if not difference <= tolerance:
                print(f"bgai: that is more than {tolerance:.0e}; nothing written", file=sys.stderr)
                return 1
    save_bot(target, card, value_onnx, args.force, weights)
    print(f"{target}: {card.name}, needs onnxruntime {MINIMUM_ONNXRUNTIME} or later")
    return 0


def _measurement(path: Path) -> dict[str, Any]:
    from bgai.engine.files import parse_json

    try:
        measured = parse_json(path.read_bytes(), "what `bgai evaluate --json` prints")
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if not isinstance(measured, dict):
        raise ValueError(f"{path}: not what `bgai evaluate --json` prints: it must be an object")
    return measured


def random_boards(count: int, seed: int) -> Boards:
    """Boards met in games of random plays, finished ones included; `[count, 26]`."""
    import numpy as np

    from bgai.engine import START, legal_afterstates, outcomes, roll
    from bgai.engine.outcomes import UNFINISHED

    rng = np.random.default_rng(seed)
    boards = np.repeat(START[None], min(count, _GAMES_AT_ONCE), axis=0)
    met = [boards]
    while sum(map(len, met)) < count:
        over = outcomes(boards) != UNFINISHED
        boards = np.where(over[:, None], START, boards)
        after, offsets = legal_afterstates(boards, roll(rng, len(boards)))
        boards = after[rng.integers(offsets[:-1], offsets[1:])]
        met.append(boards)
    return np.concatenate(met)[:count]
