"""Files that take long to make are made once and stored under .cache."""

import os
from collections.abc import Callable
from pathlib import Path


def read_or_make(path: Path, make: Callable[[], bytes]) -> bytes:
    """Return the file's content; make the file first where there is none yet."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}.partial")  # written beside and renamed: never read half-written
        partial.write_bytes(make())
        partial.replace(path)
    return path.read_bytes()
