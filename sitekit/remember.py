"""Remember on disk what takes long to make, how a notebook was rendered for one.

mkdocs-jupyter does that itself, but not with a template of our own.
"""

import hashlib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .paths import CACHE

STORE = CACHE / "rendered-notebooks"
LIBRARIES = ("mkdocs-jupyter", "nbconvert", "nbformat")


def remembered(render: Callable[..., str]) -> Callable[..., str]:
    """Wrap mkdocs-jupyter's nb2html: an answer is stored under a hash of all that it depends on."""

    def wrapper(path: str, custom_template: str, **options: Any) -> str:
        digest = hashlib.sha256(repr(sorted(options.items())).encode())
        digest.update("".join(f"{name}=={version(name)}" for name in LIBRARIES).encode())
        for read in (path, custom_template):
            digest.update(Path(read).read_bytes())
        stored = STORE / f"{Path(path).stem}-{digest.hexdigest()[:24]}.html"
        return kept(stored, lambda: render(path, custom_template=custom_template, **options).encode()).decode()

    return wrapper


def kept(path: Path, make: Callable[[], bytes]) -> bytes:
    """The file's content; where there is no such file yet, it is made first."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(make())
    return path.read_bytes()
