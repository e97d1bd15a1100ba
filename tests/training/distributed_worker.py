"""One of the processes that `test_distributed.py` lets torchrun start; tells it what it saw.

python -m torch.distributed.run --nproc-per-node 2 -m tests.training.distributed_worker FOLDER
"""

from __future__ import annotations

import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch

from bgai.training.config import TrainConfig, config_from_dict
from bgai.training.distributed import TorchWorkers, Workers, connected_workers
from bgai.training.learner import Learner
from bgai.training.run import open_run
from bgai.training.trainer import Trainer

WINDOWS, STOP_AFTER = 10, 8  # the last stage begins before the stop
SMALL = {"hidden": [16, 8], "games_at_once": 31, "window_plies": 32, "minibatch": 201}
STAGES: dict[str, dict[str, object]] = {
    "lambda_returns": {"games": 100_000, "scout_units": 4},
    "lookahead": {"games": 1, "lookahead_games": 100_000},
    "several_nets": {"games": 1, "lookahead_games": 100_000, "nets": 2, "nets_margin": 0.01},
    "grown": {"games": 16, "lookahead_games": 16, "grown_games": 100_000, "grown_hidden": [20, 9]},
    "regrown": {
        **{"games": 16, "lookahead_games": 16, "grown_games": 16, "regrown_games": 100_000},
        **{"grown_hidden": [20, 9], "regrown_hidden": [20, 20, 9]},
    },
}
COMPLAINT = "the first process has something to complain about"


def stage_config(stage: str) -> TrainConfig:
    return config_from_dict({**SMALL, **STAGES[stage]})


def fingerprints(trainer: Trainer) -> dict[str, str]:
    """Of what all processes should have alike, and of what each has for itself."""
    learners: list[Learner[Any]] = [*trainer.learners]
    if trainer.scout_learner is not None:
        learners.append(trainer.scout_learner)
    weights, games = sha256(), sha256()
    for learner in learners:
        for values in (learner.net.state_dict(), learner.averaged):
            for value in values.values():
                weights.update(value.numpy().tobytes())
    games.update(trainer.self_play.boards.tobytes())
    games.update(repr(trainer.self_play.state()["rng"]).encode())
    return {"weights": weights.hexdigest(), "games": games.hexdigest()}


def train(trainer: Trainer, windows: int) -> list[int]:
    """Returns the stage of each window."""
    stages = []
    for _ in range(windows):
        trainer.train_window()
        stages.append(int(trainer._stage))
    return stages


def straight_and_resumed(stage: str, folder: Path, workers: Workers) -> dict[str, Any]:
    """The same run twice, the second time with a stop in the middle."""
    config = stage_config(stage)
    straight = Trainer(config, workers=workers)
    stages = train(straight, WINDOWS)
    run = open_run(folder / stage, config, workers=workers)
    train(run.trainer, STOP_AFTER)
    run.save()
    resumed = open_run(folder / stage, config, workers=workers).trainer
    train(resumed, WINDOWS - STOP_AFTER)
    return {
        "stages": stages,
        "straight": fingerprints(straight),
        "resumed": fingerprints(resumed),
        "own_games_at_once": len(straight.self_play.boards),
        "counters": [straight.games, straight.positions, straight.seconds],
    }


def mean_gradient(workers: Workers) -> list[float]:
    """What two parameters' gradients, rank + 1 and rank + 3, become."""
    parameters = [torch.zeros(1), torch.zeros(2)]
    for parameter, gradient in zip(parameters, (1, 3), strict=True):
        parameter.grad = torch.full_like(parameter, workers.rank + gradient)
    workers.average_gradients(parameters)
    return [float(value) for each in parameters if each.grad is not None for value in each.grad]


def complaint_of_the_first(workers: Workers) -> str:
    def complain() -> None:
        raise ValueError(COMPLAINT)

    try:
        workers.ask_first(complain)
    except ValueError as error:
        return str(error)
    return "none"


def gloo_threads() -> int:
    """How many threads of this process are a connection's, where Linux tells."""
    names = [(each / "comm").read_text() for each in Path("/proc/self/task").glob("*")]
    return sum("gloo" in name for name in names)


def main(folder: Path) -> None:
    with connected_workers("cpu") as workers:
        parameter = torch.full((3,), float(workers.rank))
        workers.keep_equal([parameter])
        # the rest must be equal without help: here all processors round alike
        TorchWorkers.keep_equal = Workers.keep_equal  # type: ignore[method-assign]
        seen = {
            "equal_parameter": parameter.tolist(),
            "mean_gradient": mean_gradient(workers),
            "sums": workers.sums(workers.rank, 10),
            "gathered": workers.gather(workers.rank),
            "complaint": complaint_of_the_first(workers),
            **{stage: straight_and_resumed(stage, folder, workers) for stage in STAGES},
        }
        threads_within = gloo_threads()
    seen["gloo_threads"] = [threads_within, gloo_threads()]
    (folder / f"rank{workers.rank}.json").write_text(json.dumps(seen), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
