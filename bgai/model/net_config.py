"""The shape of a value net, which is checked without loading torch."""

from __future__ import annotations

from dataclasses import dataclass

from bgai.model.encoding import encoding_features

MOST_UNITS = 8192  # of a layer; more is a slip of the pen


@dataclass(frozen=True)
class NetConfig:
    """The shape of a value net."""

    encoding: str = "slots-v1"
    hidden: tuple[int, ...] = (256, 32)
    """Units of each hidden layer, the first one fed by the encoding."""

    def __post_init__(self) -> None:
        encoding_features(self.encoding)
        if not self.hidden or not all(1 <= units <= MOST_UNITS for units in self.hidden):
            raise ValueError(
                f"hidden must be layer sizes of 1 to {MOST_UNITS}, got {list(self.hidden)}"
            )

    def layers_grown_to(self, hidden: tuple[int, ...]) -> list[int]:
        """Which of this net's layers each layer of a bigger net of such `hidden` layers holds.

        Layers are added before the last one (after the first if it is the only one), and hold what
        the layer before them does.

        Raises:
            ValueError: a layer is too narrow for what it is to hold, or there are too few.
        """
        refusal = f"hidden {list(self.hidden)} cannot grow to {list(hidden)}: "
        added = len(hidden) - len(self.hidden)
        if added < 0:
            raise ValueError(f"{refusal}it needs at least {len(self.hidden)} layers")
        before = max(1, len(self.hidden) - 1)
        held = [*range(before), *[before - 1] * added, *range(before, len(self.hidden))]
        for number, (units, layer) in enumerate(zip(hidden, held, strict=True), start=1):
            if units < self.hidden[layer]:
                raise ValueError(
                    f"{refusal}layer {number} must hold the {self.hidden[layer]} units of layer "
                    f"{layer + 1}"
                )
        return held
