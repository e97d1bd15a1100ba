from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from bgai.endgame import (
    Endgames,
    bear_off_plays,
    build_one_sided,
    build_two_sided,
    default_folder,
    load_endgames,
    load_or_build,
    save_endgames,
    storage,
)
from bgai.endgame.table_files import StoredTable, read_table, save_table

FILES = (storage.ONE_SIDED_FILE, storage.TWO_SIDED_FILE)


def small_endgames() -> Endgames:
    plays = bear_off_plays(2)
    return Endgames(build_one_sided(plays, 2), build_two_sided(plays, 2))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder, made for the purpose, with small tables."""
    save_endgames(small_endgames(), tmp_path / "a" / "b")
    return tmp_path / "a" / "b"


def assert_equal(one: Endgames, other: Endgames) -> None:
    assert np.array_equal(one.one_sided.to_last, other.one_sided.to_last)
    assert np.array_equal(one.one_sided.to_first, other.one_sided.to_first)
    assert np.array_equal(one.two_sided.equities, other.two_sided.equities)


def test_what_is_saved_is_what_is_loaded(folder: Path) -> None:
    assert_equal(load_endgames(folder), small_endgames())
    assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)


def test_two_builds_are_the_same_to_the_bit(folder: Path, tmp_path: Path) -> None:
    save_endgames(small_endgames(), tmp_path)
    for name in FILES:
        assert (folder / name).read_bytes() == (tmp_path / name).read_bytes()


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("place", [0.02, 0.1, 0.5, 0.999])
def test_a_damaged_byte_is_noticed(folder: Path, name: str, place: float) -> None:
    content = bytearray((folder / name).read_bytes())
    content[int(place * len(content))] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(ValueError, match=name):
        load_endgames(folder)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kept", [0, 10, 100, -1])
def test_a_file_cut_short_is_noticed(folder: Path, name: str, kept: int) -> None:
    (folder / name).write_bytes((folder / name).read_bytes()[:kept])
    with pytest.raises(ValueError, match=name):
        load_endgames(folder)


def test_a_file_of_another_format_is_noticed(folder: Path) -> None:
    path = folder / FILES[0]
    path.write_bytes(path.read_bytes().replace(b"bgai-endgame 1 ", b"bgai-endgame 2 ", 1))
    with pytest.raises(ValueError, match="format must be 1, got b'2'"):
        load_endgames(folder)


def test_a_table_of_the_other_kind_is_noticed(folder: Path) -> None:
    (folder / FILES[0]).write_bytes((folder / FILES[1]).read_bytes())
    with pytest.raises(ValueError, match="expected a one-sided table, got a two-sided one"):
        load_endgames(folder)


@pytest.mark.parametrize(
    "payload",
    [
        b"no JSON\n",
        b"5\n",
        b'{"kind": "one-sided"}\n',
        b'{"kind": "one-sided", "checkers": 15, "arrays": [["counts", "<f4", [9]]]}\n123',
        b'{"kind": "one-sided", "checkers": 15, "arrays": [["counts", "none", [9]]]}\n123',
    ],
)
def test_a_checksum_alone_makes_no_table(folder: Path, payload: bytes) -> None:
    checksum = sha256(payload).hexdigest().encode()
    (folder / FILES[0]).write_bytes(b"bgai-endgame 1 " + checksum + b"\n" + payload)
    with pytest.raises(ValueError, match=rf"{FILES[0]}: no table's header"):
        load_endgames(folder)


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / FILES[1]).unlink()
    with pytest.raises(FileNotFoundError) as caught:
        load_endgames(folder)
    assert str(caught.value.filename) == str(folder / FILES[1])


def test_arrays_keep_their_type_and_shape_in_little_endian_order(tmp_path: Path) -> None:
    arrays = {
        "first": np.arange(6, dtype=np.float32).reshape(2, 3),
        "second": np.arange(4, dtype=">u2")[::2],
        "third": np.empty((0, 5), np.float64),
    }
    save_table(tmp_path / "table", StoredTable("kind", 3, arrays))
    stored = read_table(tmp_path / "table", "kind")
    assert stored.checkers == 3
    for name, array in arrays.items():
        assert stored.arrays[name].dtype == array.dtype.newbyteorder("=")
        assert np.array_equal(stored.arrays[name], array)
    assert (tmp_path / "table").read_bytes().endswith(b"\0\0\2\0")


def test_what_is_there_is_loaded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "build_endgames", None)
    assert_equal(load_or_build(folder), small_endgames())


@pytest.mark.parametrize("content", [None, b"bgai-endgame 0 0\n", b""])
def test_what_is_missing_or_damaged_is_built_anew(
    folder: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    monkeypatch.setattr(storage, "build_endgames", lambda report: small_endgames())
    path = folder / FILES[0]
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    assert_equal(load_or_build(folder), small_endgames())
    assert_equal(load_endgames(folder), small_endgames())


def test_without_a_home_folder_the_tables_are_built_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("BGAI_ENDGAME", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    monkeypatch.setattr(storage, "build_endgames", lambda report: small_endgames())
    assert_equal(load_or_build(), small_endgames())
    with pytest.raises(FileNotFoundError, match="no home folder"):
        default_folder()


def test_a_folder_that_cannot_be_made_costs_no_more_than_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "build_endgames", lambda report: small_endgames())
    (tmp_path / "file").write_text("in the way")
    assert_equal(load_or_build(tmp_path / "file"), small_endgames())


def test_the_folder_is_the_users_cache_or_the_one_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BGAI_ENDGAME", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert default_folder() == Path.home() / ".cache" / "bgai" / "endgame"
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    assert default_folder() == Path.home() / ".cache" / "bgai" / "endgame"
    monkeypatch.setenv("XDG_CACHE_HOME", "/tmp/cache")
    assert default_folder() == Path("/tmp/cache/bgai/endgame")
    monkeypatch.setenv("BGAI_ENDGAME", "tables")
    assert default_folder() == Path("tables")
