"""A bot's card, `bot.json`: who it is, where it comes from and how strong it is."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from bgai.engine.files import parse_json

FORMAT_VERSION = 1
CARD_FILE, VALUE_FILE, WEIGHTS_FILE = "bot.json", "value.onnx", "weights.npz"


@dataclass(frozen=True)
class BotCard:
    """What `bot.json` says: who the bot is, where it comes from and how strong it is.

    Attributes:
        encoding: name of the encoding inside the graph.
        training: how it was trained: games, steps, config, commit, as far as known.
        strength: measured results, each with opponent, ply, games, value and standard error.
        licence: an SPDX identifier.
        value_sha256: of `value.onnx`, checked on load; written by `save_bot`.
        weights_sha256: the same of `weights.npz`; empty if the bot has none.
    """

    name: str
    encoding: str
    training: dict[str, Any] = field(default_factory=dict)
    strength: list[dict[str, Any]] = field(default_factory=list)
    licence: str = "MIT"
    value_sha256: str = ""
    weights_sha256: str = ""

    def __post_init__(self) -> None:
        for key in ("name", "encoding", "licence"):
            value = getattr(self, key)
            if not isinstance(value, str) or not value.strip():
                raise ValueError(f"{key} in {CARD_FILE} must be a text, got {value!r}")
        if not isinstance(self.training, dict) or not isinstance(self.strength, list):
            raise ValueError(f"{CARD_FILE} needs an object `training` and a list `strength`")

    def to_json(self) -> str:
        return json.dumps({"format_version": FORMAT_VERSION, **asdict(self)}, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> BotCard:
        """The card in a `bot.json`; keys unknown to this version are left aside.

        Raises:
            ValueError: not JSON, an unknown format version, a missing or wrong entry.
        """
        card = parse_json(text, "a bot's card")
        if not isinstance(card, dict):
            raise ValueError(f"{CARD_FILE} must be an object, got {type(card).__name__}")
        if card.get("format_version") != FORMAT_VERSION:
            raise ValueError(
                f"format_version must be {FORMAT_VERSION}, got {card.get('format_version')!r}"
            )
        missing = {"name", "encoding"} - card.keys()
        if missing:
            raise ValueError(f"{CARD_FILE} lacks {', '.join(sorted(missing))}")
        known = cls.__dataclass_fields__
        return cls(**{key: value for key, value in card.items() if key in known})
