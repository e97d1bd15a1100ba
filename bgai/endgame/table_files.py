"""Tables on disk: checked when read, written whole.

A file is one line of text, `bgai-endgame FORMAT SHA256`, where the checksum is that of everything
after the line; a second line, JSON with the table's kind, its checkers, and name, type and shape of
its arrays; then their numbers one after the other, little-endian.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bgai.engine.files import write_whole

FORMAT = 1

_MAGIC = b"bgai-endgame"


class StoredTable(NamedTuple):
    """What a file holds."""

    kind: str
    checkers: int
    arrays: dict[str, npt.NDArray[Any]]


def save_table(path: Path, table: StoredTable) -> None:
    """Write a table; its folder is made.

    Raises:
        OSError: naming the path that cannot be written.
    """
    parts = {
        name: np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        for name, array in table.arrays.items()
    }
    header = {
        "kind": table.kind,
        "checkers": table.checkers,
        "arrays": [[name, part.dtype.str, part.shape] for name, part in parts.items()],
    }
    payload = b"".join([json.dumps(header).encode(), b"\n", *(p.tobytes() for p in parts.values())])
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, b"%s %d %s\n" % (_MAGIC, FORMAT, _checksum(payload)) + payload)


def read_table(path: Path, kind: str) -> StoredTable:
    """Read a table.

    Raises:
        ValueError: the file is no table of that kind, of another format, or damaged; names it.
        OSError: it cannot be read.
    """
    first_line, _, payload = path.read_bytes().partition(b"\n")
    words = first_line.split(b" ")
    if words[0] != _MAGIC or len(words) != 3:
        raise ValueError(f"{path}: not an endgame table, it begins with {first_line[:40]!r}")
    if words[1] != b"%d" % FORMAT:
        raise ValueError(f"{path}: the format must be {FORMAT}, got {words[1]!r}")
    if _checksum(payload) != words[2]:
        raise ValueError(f"{path}: damaged, the checksum is not {words[2]!r}")
    header_line, _, numbers = payload.partition(b"\n")
    try:
        header = json.loads(header_line)
        table = StoredTable(header["kind"], header["checkers"], _arrays(header["arrays"], numbers))
    except (ValueError, LookupError, TypeError):
        raise ValueError(f"{path}: no table's header, or other numbers than it says") from None
    if table.kind != kind:
        raise ValueError(f"{path}: expected a {kind} table, got a {table.kind} one")
    return table


def _checksum(payload: bytes) -> bytes:
    return sha256(payload).hexdigest().encode()


def _arrays(descriptions: list[Any], numbers: bytes) -> dict[str, npt.NDArray[Any]]:
    arrays: dict[str, npt.NDArray[Any]] = {}
    offset = 0
    for name, dtype, shape in descriptions:
        count = int(np.prod(shape))
        flat = np.frombuffer(numbers, dtype, count, offset)
        offset += flat.nbytes
        # a copy is aligned, and in the machine's own byte order
        arrays[name] = flat.reshape(shape).astype(np.dtype(dtype).newbyteorder("="))
    return arrays
