"""Ninety faults that people reported of other attention code, with the right values: tests/cases/reports.jsonl."""

import json
from pathlib import Path
from typing import Any

import numpy as np

LINES = (Path(__file__).parents[1] / "cases" / "reports.jsonl").read_text("utf-8").splitlines()
REPORTS: dict[str, dict[str, Any]] = {report["id"]: report for report in map(json.loads, LINES)}
Array = np.ndarray[Any, np.dtype[Any]]


def numbers(values: Any) -> Array:
    """JSON has no inf and no nan: there they are words."""
    if isinstance(values, list):
        return np.array([numbers(value) for value in values])
    return np.array(float(values) if isinstance(values, str) else values)


def inputs(name: str, *, dtype: str = "float64") -> dict[str, Any]:
    """The arguments of a report in the package's terms: causal is a boolean, arrays have the dtype it names."""
    case = REPORTS[name]["input"]
    dtype = case.get("dtype", dtype)
    arguments = {key: numbers(case[key]).astype(dtype) for key in ("x", "q", "k", "v", "dout", "bias") if key in case}
    arguments |= {key: case[key] for key in ("scale", "window", "temperature") if key in case}
    if "mask" in case:
        arguments["mask"] = np.array(case["mask"])
    if "causal" in case:
        arguments["causal"] = case["causal"] == "bottom_right"
    return arguments


def right(name: str, which: int = 0) -> Array:
    return numbers(REPORTS[name]["right"]["values"][which]["value"])


def close(answer: Any, expected: Any, tolerance: float) -> bool:
    """Whether both have one shape and no number is off by more; NaN is never close, not even to NaN."""
    answer, expected = np.asarray(answer, np.float64), np.asarray(expected, np.float64)
    return answer.shape == expected.shape and bool((np.abs(answer - expected) <= tolerance).all())
