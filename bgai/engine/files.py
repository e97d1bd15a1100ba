"""Files that are read with one clear message if they are wrong, and written whole."""

from __future__ import annotations

import errno
import json
import lzma
import os
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

UNREADABLE_ZIP = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    RuntimeError,
)
"""What reading a damaged zip file ends in, by the place of the damage, beside OSError."""


def parse_json(content: bytes | str, kind: str) -> Any:
    """The value of a JSON text.

    Args:
        kind: what the text should be, such as "a saved session".

    Raises:
        ValueError: it is not JSON; names the kind.
    """
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        start = content[:40]
        text = start.decode(errors="replace") if isinstance(start, bytes) else start
        raise ValueError(f"not {kind}: damaged, or no JSON; it begins with {text!r}") from None


def check_writable(path: Path) -> None:
    """Whether a file can be written, its folders being made, without writing it.

    Raises:
        OSError: naming the path that stands in the way.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    folder = path.parent
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))


def cache_folder() -> Path:
    """`bgai` in the user's cache folder; it need not exist.

    Raises:
        OSError: the user has no home folder, and `XDG_CACHE_HOME` names no other place.
    """
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # the XDG base directory specification: a relative path is to be ignored
    cache = named if named.is_absolute() else Path(os.path.expanduser("~/.cache"))
    if not cache.is_absolute():
        raise FileNotFoundError(errno.ENOENT, "the user has no home folder", str(cache))
    return cache / "bgai"


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that a reader finds the old content or the new one, never half of it.

    Only one process at a time may write it.

    Raises:
        OSError: naming `path`; what was there is untouched and nothing is left beside it.
    """
    beside = path.with_name(f".{path.name}.part")
    try:
        with open(beside, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        beside.unlink(missing_ok=True)
