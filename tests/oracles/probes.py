"""Measure what each library takes for granted, and freeze it.

In .venv-oracles: PYTHONPATH=snippets python -m tests.oracles.probes
"""

import json
from importlib.metadata import version
from typing import Any

import numpy as np

from attention import causal_mask
from tests.oracles.callers import MASK_LAYOUTS, Row, run_python
from tests.oracles.elsewhere import NOT_RUN, ROWS
from tests.oracles.frozen import ELSEWHERE, Array, recorder

TOLERANCE = 1e-6


def one_head(*rows: list[float]) -> Array:
    """One head of one sequence."""
    return np.array(rows, np.float32)[None, None]


def mask_of(*rows: list[bool]) -> Array:
    return np.array(rows, bool)[None, None]


def mask_true_means(row: Row) -> str:
    """Tell which of two equally good keys gets the weight, when the mask is True for the first."""
    q, v = np.zeros((1, 1, 2, 2), np.float32), one_head([1, 0], [0, 1])
    output = row.output(q, q, v, mask_of([True, False], [True, False]), raw=True)
    return {(1.0, 0.0): "attend", (0.0, 1.0): "hide"}[tuple(output[0, 0, 0].tolist())]


def causal_alignment(row: Row) -> str | None:
    """Count the keys that the first of two queries sees, out of four, under the library's own causal switch."""
    if row.causal_call is None:
        return None
    q, k, v = np.zeros((1, 1, 2, 4), np.float32), np.zeros((1, 1, 4, 4), np.float32), np.eye(4, dtype=np.float32)
    seen = int(np.count_nonzero(row.output(q, k, v[None, None])[0, 0, 0]))
    return {1: "top-left", 3: "bottom-right"}[seen]


def default_scale(row: Row) -> str:
    """Read off what is left, at width 16, of dot products that differ by 1."""
    unit, zero = [1.0] + [0.0] * 15, [0.0] * 16
    v = one_head(unit, [0.0, *unit[:-1]])
    weights = row.output(one_head(unit), one_head(unit, zero), v, np.ones((1, 1, 1, 2), bool))[0, 0, 0]
    measured = round(float(np.log(weights[0] / weights[1])), 5)
    return {0.25: "1/√d_k", 1.0: "1"}[measured]


def empty_row(row: Row) -> str:
    """Tell what a query gets that may attend to nothing, while the keys match it unequally."""
    q, v = one_head([3, 0], [3, 0]), one_head([1, 0], [0, 1])
    output = row.output(q, v, v, mask_of([False, False], [False, False]))[0, 0, 0]
    if np.isnan(output).all():
        return "NaN"
    return {(0.0, 0.0): "zeros", (0.5, 0.5): "mean of the values"}[tuple(output.tolist())]


def hidden_nan(row: Row) -> str:
    """Tell whether a NaN in a value that the mask hides reaches the output."""
    q, v = np.zeros((1, 1, 2, 2), np.float32), one_head([1, 0], [np.nan, 1])
    output = row.output(q, q, v, mask_of([True, False], [True, False]))
    return "leaks" if np.isnan(output).any() else "leaves no trace"


def difference(row: Row) -> float:
    """Return the largest difference from ours: under a drawn mask, a causal one, and the library's own switch."""
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((2, row.n_heads, n, 8)).astype(np.float32) for n in (4, 6, 6))
    has_axis = MASK_LAYOUTS[row.mask_layout][0]
    full = (2, row.n_heads, 4, 6)
    drawn = rng.random([size if there else 1 for size, there in zip(full, has_axis, strict=True)]) < 0.6
    drawn[..., 0] = True
    masks = [drawn, causal_mask(4, 6)] if has_axis[2] else [drawn]
    pairs = []
    for mask in (np.broadcast_to(mask, full) for mask in masks):
        pairs.append((row.output(q, k, v, mask), run_python(row.ours, {"q": q, "k": k, "v": v, "mask": mask})))
    if row.causal_call is not None:  # as many queries as keys: there every alignment is the same
        k, v = k[:, :, :4], v[:, :, :4]
        pairs.append((row.output(q, k, v), run_python(row.ours, {"q": q, "k": k, "v": v, "mask": causal_mask(4)})))
    assert all(theirs.shape == ours.shape for theirs, ours in pairs)
    return float(np.max([np.abs(theirs - ours).max() for theirs, ours in pairs]))


def measured() -> list[dict[str, Any]]:
    """Return every row with what was measured; a row that is not equal to ours is an error."""
    return [measure(row) for row in ROWS] + [NOT_RUN]


def measure(row: Row) -> dict[str, Any]:
    away = difference(row)
    if not away <= TOLERANCE:
        raise ValueError(f"{row.name} differs from ours by {away}; at most {TOLERANCE} is rounding")
    fields = {name: getattr(row, name) for name in FIELDS}
    findings = {probe.__name__: probe(row) for probe in PROBES}
    library = {"version": row.package and version(row.package)}
    return fields | library | {"equal_within": TOLERANCE} | findings


FIELDS = ("name", "call", "ours", "causal_call", "layout", "mask_layout", "docs")
PROBES = (mask_true_means, causal_alignment, default_scale, empty_row, hidden_nan)


if __name__ == "__main__":
    table = {"recorder": recorder(ELSEWHERE), "rows": measured()}
    ELSEWHERE.parent.mkdir(parents=True, exist_ok=True)
    ELSEWHERE.write_text(json.dumps(table, ensure_ascii=False, indent=1) + "\n", "utf-8")
