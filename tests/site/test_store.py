"""Stored files: whole, or made again. Costs 0.1 processor-seconds."""

import os
from pathlib import Path

import pytest

from sitekit import store


def test_a_stored_file_is_made_once(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file"
    assert store.read_or_make(path, lambda: b"content\n\n") == b"content\n\n"
    assert store.read_or_make(path, lambda: b"other") == b"content\n\n"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("damage", [lambda old: old[:-3], lambda old: old + b"x", lambda old: b"", lambda old: old[9:]])
def test_a_damaged_file_is_made_again_and_the_log_says_so(tmp_path: Path, damage: object) -> None:
    assert callable(damage)
    path, lines = tmp_path / "file", list[str]()
    store.write(path, b"content")
    path.write_bytes(damage(path.read_bytes()))
    assert store.read_or_make(path, lambda: b"again", lines.append) == b"again"
    assert lines == ["file: damaged in .cache, so it is made again"]
    assert store.read(path) == b"again"


def test_what_cannot_be_written_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    store.write(path, b"old")

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        store.write(path, b"new")
    assert store.read(path) == b"old"
    assert list(tmp_path.iterdir()) == [path]
