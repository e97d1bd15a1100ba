"""The shape of a value net, which is checked without loading torch."""

from __future__ import annotations

from dataclasses import dataclass

from bgai.model.encoding import make_encoding

MOST_UNITS = 8192  # of a layer; more is a slip of the pen


@dataclass(frozen=True)
class NetConfig:
    """The shape of a value net."""

    encoding: str = "slots-v1"
    hidden: tuple[int, ...] = (256, 32)
    """Units of each hidden layer, the first one fed by the encoding."""

    def __post_init__(self) -> None:
        make_encoding(self.encoding)
        if not self.hidden or not all(1 <= units <= MOST_UNITS for units in self.hidden):
            raise ValueError(
                f"hidden must be layer sizes of 1 to {MOST_UNITS}, got {list(self.hidden)}"
            )
