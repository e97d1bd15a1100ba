from pathlib import Path

import pytest

from bgai.engine.files import check_writable, parse_json, write_whole


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_names_the_file_and_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        write_whole(path, b"new")
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_path_that_cannot_be_written_is_found_before_the_work(tmp_path: Path) -> None:
    check_writable(tmp_path / "new" / "folder" / "file")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_bytes(b"")
    check_writable(tmp_path / "file")
    with pytest.raises(NotADirectoryError) as caught:
        check_writable(tmp_path / "file" / "folder" / "file")
    assert caught.value.filename == str(tmp_path / "file")
    with pytest.raises(IsADirectoryError):
        check_writable(tmp_path)


def test_a_folder_without_permission_is_found_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(PermissionError) as caught:
        check_writable(tmp_path / "folder" / "file")
    assert caught.value.filename == str(tmp_path)


@pytest.mark.parametrize("content", [b"", b"dear diary", b"\xff\xfe\x00", b"[" * 100_000, "{"])
def test_what_is_no_json_is_refused_by_what_it_should_be(content: bytes | str) -> None:
    with pytest.raises(ValueError, match="not a saved session: damaged, or no JSON"):
        parse_json(content, "a saved session")
