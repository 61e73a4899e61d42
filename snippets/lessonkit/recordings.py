"""What real models answered, recorded: for readers who do not have the weights at hand."""

import json
from pathlib import Path
from typing import Any

RECORDED: dict[str, str] = {}  # name -> text, for where there is no folder beside this module: in a notebook


def recording_folder() -> Path:
    """Return where the recordings are."""
    return Path(__file__).with_name("recorded")


def recording(name: str) -> dict[str, Any]:
    """Return what was recorded under a name: words, numbers, nested lists.

    Each recording names the model, its package and the hash of its weights; `make test-models` runs the model again
    and compares. Raises ValueError for a name that was not recorded.

    >>> recording("smollm2")["n_layers"]
    30
    """
    if name in RECORDED:
        return dict(json.loads(RECORDED[name]))
    known = sorted(path.stem for path in recording_folder().glob("*.json"))
    if name not in known:
        raise ValueError(f"recording {name!r}: there is none of that name; there are {', '.join(known)}")
    return dict(json.loads((recording_folder() / f"{name}.json").read_text("utf-8")))
