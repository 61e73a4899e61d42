"""Files that take long to make are made once and stored under .cache.

A stored file begins with the hash of its content, so that half a file, or one that somebody has changed, is made again.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path


def read(path: Path) -> bytes | None:
    """The content of a stored file; None where there is none, or another than has been stored."""
    try:
        digest, _, content = path.read_bytes().partition(b"\n")
    except FileNotFoundError:
        return None
    return content if digest == hash_line(content) else None


def write(path: Path, content: bytes) -> None:
    """Store the content with its hash."""
    write_whole(path, hash_line(content) + b"\n" + content)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file beside, then rename it, so that nobody reads half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.partial")
    try:
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def hash_line(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def read_or_make(path: Path, make: Callable[[], bytes], report: Callable[[str], None] = print) -> bytes:
    """Return the file's content; make and store it first where there is none, or where it has been damaged."""
    content = read(path)
    if content is None:
        if path.exists():
            report(f"{path.name}: damaged in .cache, so it is made again")
        content = make()
        write(path, content)
    return content
