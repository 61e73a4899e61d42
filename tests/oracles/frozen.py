"""Questions put to another library, and its answers: drawn from a seed, written to one file, read back without it.

Numeric inputs are stored as whole sixteenths: small, and exact in every dtype down to bfloat16.
"""

import hashlib
import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ml_dtypes  # noqa: F401  (makes "bfloat16" a dtype that NumPy knows)
import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
UNIT = 16
FOLDER = Path(__file__).parent
TORCH_ANSWERS = FOLDER.parent / "kernel" / "data" / "torch_answers.npz"
ELSEWHERE = FOLDER.parents[1] / "snippets" / "lessons" / "data" / "elsewhere.json"
WRITERS = {  # the programs that write each frozen file
    TORCH_ANSWERS: ("frozen.py", "draws.py", "record.py"),
    ELSEWHERE: ("frozen.py", "callers.py", "elsewhere.py", "probes.py"),
}


@dataclass(frozen=True)
class Case:
    """One question: `inputs` (int8 sixteenths, boolean masks), settings, and, once asked, the `answers`."""

    name: str
    kind: str
    dtype: str
    inputs: dict[str, Array]
    settings: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, Array] = field(default_factory=dict)

    def array(self, name: str) -> Array:
        """Return the input of this name in the dtype of the case; masks stay boolean."""
        stored = self.inputs[name]
        return stored if stored.dtype == bool else (stored / np.float32(UNIT)).astype(self.dtype)

    def optional(self, name: str) -> Array | None:
        """Return the same, or None where there is no such input."""
        return self.array(name) if name in self.inputs else None


def recorder(frozen: Path) -> str:
    """Return what a frozen file remembers of the programs that wrote it."""
    programs = [(FOLDER / name).read_text("utf-8") for name in WRITERS[frozen]]
    return hashlib.sha256("".join(programs).encode()).hexdigest()


def freeze(cases: list[Case], versions: dict[str, str]) -> None:
    """Freeze the cases; nothing in the file depends on when or where it was written.

    All arrays of one dtype lie end to end in one member of the file: a member for each would take twice the space.
    """
    laid_out: dict[str, list[Array]] = {}
    facts = []
    for case in cases:
        sides = {}
        for side, arrays in (("inputs", case.inputs), ("answers", case.answers)):
            sides[side] = {name: [str(array.dtype), array.shape] for name, array in arrays.items()}
            for array in arrays.values():
                laid_out.setdefault(str(array.dtype), []).append(array.reshape(-1))
        facts.append({"name": case.name, "kind": case.kind, "dtype": case.dtype, "settings": case.settings} | sides)
    provenance = json.dumps({"recorder": recorder(TORCH_ANSWERS), "versions": versions, "cases": facts})
    members: dict[str, Array] = {dtype: np.concatenate(arrays) for dtype, arrays in laid_out.items()}
    TORCH_ANSWERS.parent.mkdir(exist_ok=True)
    np.savez_compressed(TORCH_ANSWERS, provenance=np.array(provenance), **members)  # type: ignore[arg-type]


def thaw() -> tuple[list[Case], dict[str, Any]]:
    """Return the frozen cases, and where they come from."""
    with np.load(TORCH_ANSWERS) as stored:
        members = dict(stored)
    provenance = json.loads(str(members.pop("provenance")))
    for facts in provenance["cases"]:
        for side in ("inputs", "answers"):
            facts[side] = {name: take(members, *layout) for name, layout in facts[side].items()}
    return [Case(**facts) for facts in provenance.pop("cases")], provenance


def take(members: dict[str, Array], dtype: str, shape: list[int]) -> Array:
    """Take the next array off the front of its member."""
    front, members[dtype] = np.split(members[dtype], [math.prod(shape)])
    return front.reshape(shape)
