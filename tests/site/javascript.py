"""Call functions of the site's JavaScript modules under node, many at once: one process answers them all."""

import json
import subprocess
from collections.abc import Iterable
from typing import Any

import numpy as np

from sitekit.live.figures import FOLDER
from sitekit.node import node

# JSON has no word for what is not finite; it travels as text.
SCRIPT = """
import { readFileSync } from "node:fs";
const [path, calls] = JSON.parse(readFileSync(0, "utf8"), (_, x) => (x === "NaN" || /^-?Infinity$/.test(x) ? +x : x));
const module = await import(path);
const answers = calls.map(([name, ...given]) => module[name](...given));
process.stdout.write(JSON.stringify(answers, (_, x) => (typeof x === "number" && !isFinite(x) ? String(x) : x)));
"""


def call(module: str, calls: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Return what each call, (name, argument, ...), answers; an option that is None is left out."""
    given = json.dumps([str(FOLDER / module), [plain(one) for one in calls]])
    done = subprocess.run(
        [node(), "--input-type=module", "-e", SCRIPT],
        input=given,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


def plain(value: Any) -> Any:
    """The value as JSON takes it."""
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items() if inner is not None}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, float) and not np.isfinite(value):
        return "NaN" if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def array(answer: Any) -> np.ndarray[Any, Any]:
    """A matrix of numbers, "-Infinity" among them."""
    return np.array(answer, dtype=float)
