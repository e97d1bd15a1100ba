"""The configuration of a training run: a frozen dataclass, read from TOML, overridden by flags."""

from __future__ import annotations

import dataclasses
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any, get_args, get_type_hints

from bgai.engine.afterstates import MOST_AFTERSTATES
from bgai.model.net_config import MOST_UNITS, NetConfig


class Stage(IntEnum):
    """The parts of a run, in their order; a run may end after each of them."""

    SELF_PLAY = 0
    LOOKAHEAD = 1
    GROWN = 2
    REGROWN = 3


_LARGEST = 2**63 - 1
_MOST = {
    "nets": 64,
    "scout_units": MOST_UNITS,
    "shortlist": MOST_AFTERSTATES,
    "games_at_once": 2**20,
    "window_plies": 2**10,
    "lookahead_passes": 2**10,
    "minibatch": 2**20,
    "lookahead_minibatch": 2**20,
    "measure_games": 10**7,
}
"""What takes memory or hours; more is a slip of the pen."""

_PREFIXES = {
    Stage.SELF_PLAY: "",
    Stage.LOOKAHEAD: "lookahead_",
    Stage.GROWN: "grown_",
    Stage.REGROWN: "regrown_",
}

GROWING = {Stage.GROWN: Stage.LOOKAHEAD, Stage.REGROWN: Stage.GROWN}
"""The stages that begin with bigger nets, and the one that each must follow."""


def length_options(stage: Stage) -> tuple[str, str]:
    """The settings that say how long a stage is, in games or in minutes."""
    return f"{_PREFIXES[stage]}games", f"{_PREFIXES[stage]}minutes"


def rate_options(stage: Stage) -> tuple[str, str]:
    """The settings that say Adam's step size at the start and at the end of a stage."""
    return f"{_PREFIXES[stage]}learning_rate", f"{_PREFIXES[stage]}final_learning_rate"


def hidden_option(stage: Stage) -> str:
    """The setting that says the layers that a stage begins with."""
    return f"{_PREFIXES[stage]}hidden"


@dataclass(frozen=True)
class TrainConfig:
    """One training run. `games` or `minutes` says how long; the learning rate follows it.

    The first stage learns lambda-returns; a second may look ahead, a third do so with bigger nets,
    a fourth with nets bigger still.
    """

    encoding: str = "slots-v1"
    hidden: tuple[int, ...] = (256, 32)
    """Units of each hidden layer of a value net."""
    nets: int = 1
    """Value nets that learn the same positions, each in an order of its own, and play and count by
    their mean."""
    nets_margin: float | None = None
    """Points behind the best of one of several nets, each in turn, beyond which the others are not
    asked about a play in training; left out, all are asked about all."""
    games: int | None = None
    """Finished games of the first stage."""
    minutes: float | None = None
    """Minutes of training in the first stage; measuring and saving are not counted."""
    scout_units: int | None = None
    """Hidden units of a small net that learns beside the value nets and shortlists plays in
    self-play; left out, they see every afterstate."""
    shortlist: int = 5
    """Afterstates of each roll that the scout leaves to the value net, at most."""
    shortlist_margin: float | None = None
    """Points behind the scout's best beyond which it leaves out an afterstate."""
    exact_endgames: bool = False
    """Whether races take their values from the endgame tables and the race net."""
    games_at_once: int = 1024
    """Games played in lockstep."""
    window_plies: int = 4
    """Plies played between two rounds of learning; lambda-returns look no further."""
    lambda_: float = 0.7
    """How far outcomes reach back: 0 = one ply, 1 = the whole window."""
    minibatch: int = 512
    """Positions per step of the optimizer."""
    learning_rate: float = 1e-3
    """Adam's step size at the start; falls in a straight line."""
    final_learning_rate: float = 2e-5
    """Adam's step size at the end (of the first stage)."""
    lookahead_games: int | None = None
    """Games of a second stage, which follows `games`: positions are learnt from the mean over the
    21 rolls of the best reply instead of lambda-returns; it begins with the averaged weights."""
    lookahead_minutes: float | None = None
    """The same, following `minutes`."""
    lookahead_learning_rate: float = 1e-4
    """Adam's step size at the start of the second stage; falls in a straight line."""
    lookahead_final_learning_rate: float = 5e-6
    """Adam's step size at its end."""
    lookahead_minibatch: int | None = None
    """Positions per step after the first stage; left out, as in the first. Such positions cost
    more to play than to learn and their targets are nearly free of luck: small steps waste
    less."""
    lookahead_passes: int = 1
    """Rounds in which a position is learnt after the first stage, among those played just
    before."""
    grown_hidden: tuple[int, ...] | None = None
    """Units of each hidden layer in a third stage, in which the nets have become bigger and go on
    as in the second."""
    grown_games: int | None = None
    """Games of the third stage."""
    grown_minutes: float | None = None
    """The same, following `minutes`."""
    grown_learning_rate: float = 5e-4
    """Adam's step size at the start of the third stage; falls in a straight line."""
    grown_final_learning_rate: float = 5e-6
    """Adam's step size at its end."""
    regrown_hidden: tuple[int, ...] | None = None
    """Units of each hidden layer in a fourth stage, after the nets have grown once more."""
    regrown_games: int | None = None
    """Games of the fourth stage."""
    regrown_minutes: float | None = None
    """The same, following `minutes`."""
    regrown_learning_rate: float = 4e-4
    """Adam's step size at the start of the fourth stage; falls in a straight line."""
    regrown_final_learning_rate: float = 5e-6
    """Adam's step size at its end."""
    random_plays: float = 0.0
    """Share of the plays after the first stage that are drawn at random, so that the nets meet
    positions, too, that good play avoids."""
    revive: bool = False
    """Whether units that are off in every position are begun anew, now and then."""
    averaging: float = 16.0
    """The exported weights are an average over about the last 1/averaging of the run or stage."""
    seed: int = 1
    checkpoint_minutes: float = 2.0
    """Minutes between two checkpoints."""
    measure_minutes: tuple[float, ...] = ()
    """Minutes at which the averaged weights are kept and measured; the time does not count."""
    measure_games: int = 2000
    """Games against each baseline in a measurement."""

    def __post_init__(self) -> None:
        self.net()
        if (self.games is None) == (self.minutes is None):
            raise ValueError(f"give games or minutes, got {self.games} and {self.minutes}")
        positive = [
            "nets", "nets_margin", "scout_units", "shortlist", "shortlist_margin", "games_at_once",
            "window_plies", "minibatch", "lookahead_minibatch", "lookahead_passes", "averaging",
            "checkpoint_minutes", "measure_games",
        ]  # fmt: skip
        for stage in Stage:
            positive += [*length_options(stage), *rate_options(stage)]
        for name in positive:
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise ValueError(f"{name} must be positive, got {value}")
        for name, most in _MOST.items():
            if (getattr(self, name) or 0) > most:
                raise ValueError(f"{name} must be at most {most}, got {getattr(self, name)}")
        if self.measure_games < 4 or self.measure_games % 2:
            raise ValueError(
                f"measure_games must be an even number of at least 4, got {self.measure_games}"
            )
        for minutes in self.measure_minutes:
            if not 0 < minutes < math.inf:
                raise ValueError(f"measure_minutes must be positive, got {minutes}")
        for name in ("lambda_", "random_plays"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be in [0, 1], got {getattr(self, name)}")
        for stage in Stage:
            self._check_rates(stage)
            self._check_unit(stage)
        if self.nets_margin is not None and self.nets == 1:
            raise ValueError(f"nets_margin {self.nets_margin} goes with several nets, there is one")
        for stage, before in GROWING.items():
            self._check_growing(stage, before)
        if self.seed < 0:
            raise ValueError(f"seed must be 0 or more, got {self.seed}")

    def _check_rates(self, stage: Stage) -> None:
        """A stage's steps become no bigger, and are not bigger than 1."""
        (first, last), (start, end) = rate_options(stage), self._learning_rates(stage)
        if start > 1:
            raise ValueError(f"{first} must be at most 1, got {start}")
        if end > start:
            raise ValueError(f"{last} must be at most {first} {start}, got {end}")

    def _check_unit(self, stage: Stage) -> None:
        """A stage's length is in games or in minutes as the first one's is."""
        units = length_options(Stage.SELF_PLAY)
        for name, unit, other in zip(length_options(stage), units, units[::-1], strict=True):
            value = getattr(self, name)
            if value is not None and getattr(self, unit) is None:
                raise ValueError(f"{name} goes with {unit}, got {value} with {other}")

    def _check_growing(self, stage: Stage, before: Stage) -> None:
        """A stage of bigger nets has a shape that they fit in, a length, and one before it."""
        hidden = self._grown_to(stage)
        own = {hidden_option(stage): hidden, **self._length_given(stage)}
        needed = own | self._length_given(before)
        missing = [name for name, value in needed.items() if value is None]
        for name, value in own.items():
            if missing and value is not None:
                raise ValueError(f"{name} {value} goes with {missing[0]}, which is not given")
        if hidden is not None:
            self.net(stage)
            self.net(before).layers_grown_to(hidden)

    def _grown_to(self, stage: Stage) -> tuple[int, ...] | None:
        """The layers that nets grow to at the start of a stage."""
        hidden: tuple[int, ...] | None = getattr(self, hidden_option(stage))
        return hidden

    def _length_given(self, stage: Stage) -> dict[str, float | None]:
        """The name of a stage's length, and what it is."""
        games, minutes = length_options(stage)
        return {f"{games} or {minutes}": getattr(self, games) or getattr(self, minutes)}

    def net(self, stage: Stage = Stage.SELF_PLAY) -> NetConfig:
        """The shape of each net in a stage."""
        grown = [self._grown_to(growing) for growing in GROWING if growing <= stage]
        return NetConfig(self.encoding, [self.hidden, *filter(None, grown)][-1])

    def _lengths(self) -> list[float]:
        """Games or minutes of each stage."""
        in_minutes = self.games is None
        return [getattr(self, length_options(stage)[in_minutes]) or 0 for stage in Stage]

    def _learning_rates(self, stage: Stage) -> tuple[float, float]:
        """Adam's step size at the start and at the end of a stage."""
        start, end = rate_options(stage)
        return getattr(self, start), getattr(self, end)

    def has(self, stage: Stage) -> bool:
        """Whether a stage has a length."""
        return bool(self._lengths()[stage])

    def progress(self, games: int, seconds: float) -> float:
        """How much of the run is done, 0..1."""
        return min(1.0, (seconds / 60 if self.games is None else games) / sum(self._lengths()))

    def stage_at(self, progress: float) -> tuple[Stage, float]:
        """The stage at a point of the run and how much of it is done, both in 0..1."""
        lengths = self._lengths()
        done = progress * sum(lengths)
        last = max(stage for stage in Stage if lengths[stage])
        for stage in Stage:
            if done < lengths[stage] or stage == last:
                return stage, min(1.0, done / lengths[stage])
            done -= lengths[stage]
        raise AssertionError("there is a last stage")

    def learning_rate_at(self, progress: float) -> float:
        """The step size at a point of the run, `progress` in 0..1."""
        stage, done = self.stage_at(progress)
        start, end = self._learning_rates(stage)
        return start + done * (end - start)

    def minibatch_in(self, stage: Stage) -> int:
        """Positions per step in a stage."""
        own = None if stage == Stage.SELF_PLAY else self.lookahead_minibatch
        return self.minibatch if own is None else own

    def to_dict(self) -> dict[str, Any]:
        """Plain data; what is off is left out."""
        values = dataclasses.asdict(self)
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
            if value is not None
        }


def config_from_dict(values: Mapping[str, Any], source: str = "config") -> TrainConfig:
    """A checked configuration from plain data.

    Raises:
        ValueError: an unknown key, a value of the wrong type, or one out of range.
    """
    hints = get_type_hints(TrainConfig)
    known = {field.name for field in dataclasses.fields(TrainConfig)}
    if unknown := sorted(set(values) - known):
        raise ValueError(f"{source}: unknown key {unknown[0]!r}; known: {', '.join(sorted(known))}")
    try:
        return TrainConfig(**{name: _typed(name, hints[name], values[name]) for name in values})
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from None


def _typed(name: str, hint: Any, value: Any) -> Any:
    """`value` as the field's type: a list becomes a tuple, an integer may stand for a float."""
    kinds = set(get_args(hint)) - {type(None)} if type(None) in get_args(hint) else {hint}
    kind = kinds.pop()
    if get_args(kind):  # tuple[element, ...]
        if not isinstance(value, list | tuple):
            raise ValueError(f"{name} must be a list, got {value!r}")
        return tuple(_typed(name, get_args(kind)[0], element) for element in value)
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise ValueError(f"{name} must be at most {_LARGEST}, got one of {len(str(value))} digits")
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{name} must be of type {kind.__name__}, got {value!r}")
    return value


def load_config(path: Path, overrides: Mapping[str, Any] | None = None) -> TrainConfig:
    """The configuration in a TOML file, with some values replaced.

    An override of `games` or `minutes` replaces whichever the file gives, all stages' too: a later
    stage whose length is not given again is left out.

    Raises:
        ValueError: the file is not TOML or its content is wrong.
        OSError: the file cannot be read.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # it may hold too many digits or brackets
        raise ValueError(f"{path}: not a TOML file: {error}") from None
    overrides = overrides or {}
    if "games" in overrides or "minutes" in overrides:
        for stage in Stage:
            lengths = length_options(stage)
            for name in lengths:
                values.pop(name, None)
            if stage in GROWING and not overrides.keys() & set(lengths):
                values.pop(hidden_option(stage), None)
    options = "".join(f" --{name}" for name in overrides)
    source = f"{path} with{options}" if options else str(path)
    return config_from_dict({**values, **overrides}, source)
