"""Recordings: what real models answered, stored small for lessons to read; and where each comes from.

A recording is <name>.json, which `lessonkit.recordings` reads, and for whole arrays <name>.npz beside it. Both
remember the programs that wrote them; the .json also names the package and the hash of the weights.
"""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lessonkit.recordings import recording_folder
from tests.models.programs import PROGRAMS

Array = np.ndarray[Any, np.dtype[Any]]
ROOT = Path(__file__).parents[2]
FOLDER = recording_folder()
LIVE = ROOT / "tests" / "models_live"
WAY = "run: PYTHONPATH=snippets .venv-oracles/bin/python -m tests.models_live.record"


@dataclass
class Recording:
    """Numbers and words go into `facts`, whole arrays into `arrays`."""

    facts: dict[str, Any]
    arrays: dict[str, Array] = field(default_factory=dict)


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def recorder(name: str) -> str:
    """Return what a recording remembers of the programs that wrote it."""
    programs = [path.read_text("utf-8") for path in (Path(__file__), *(LIVE / file for file in PROGRAMS[name]))]
    return hashlib.sha256("".join(programs).encode()).hexdigest()


def rounded(value: Any) -> Any:
    """Return a fact as JSON can hold it, floats to six significant digits."""
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [rounded(item) for item in value]
    if isinstance(value, float | np.floating):
        return float(f"{value:.6g}")
    return value.item() if isinstance(value, np.generic) else value


def write(name: str, recording: Recording, folder: Path = FOLDER) -> None:
    """Write a recording; nothing in the files depends on when or where they were written."""
    facts = {"recorder": recorder(name)} | rounded(recording.facts)
    (folder / f"{name}.json").write_text(json.dumps(facts, ensure_ascii=False, indent=1) + "\n", "utf-8")
    if recording.arrays:
        arrays = recording.arrays | {"recorder": np.array(recorder(name))}
        np.savez_compressed(folder / f"{name}.npz", **arrays)  # type: ignore[arg-type]


def read(name: str, folder: Path = FOLDER) -> Recording:
    """Read a recording, arrays in float64."""
    facts = json.loads((folder / f"{name}.json").read_text("utf-8"))
    path = folder / f"{name}.npz"
    if not path.is_file():
        return Recording(facts)
    with np.load(path) as stored:
        arrays = {key: array.astype(np.float64) for key, array in stored.items() if key != "recorder"}
        facts["recorder of the arrays"] = str(stored["recorder"])
    return Recording(facts, arrays)
