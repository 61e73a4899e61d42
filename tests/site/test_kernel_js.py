"""The arithmetic of the figures is the package's: the same steps of attention, the same numbers."""

from typing import Any

import numpy as np
import pytest

from attention import attention, causal_mask, padding_mask, sliding_window_mask, softmax, split_heads
from tests.conftest import figure
from tests.site.javascript import array, call

CASES = 2400
SAME = 1e-12  # of the largest number involved
KINDS = ("all", "causal", "window", "padding", "random", "empty row")
rng = np.random.default_rng(20)


def visible(kind: str, n_q: int, n_k: int) -> tuple[Any, tuple[Any, ...]]:
    """The package's mask, and the call that makes it in the kernel; a mask of no rule is handed over."""
    window, length, causal = int(rng.integers(1, n_k + 2)), int(rng.integers(0, n_k + 1)), bool(rng.random() < 0.5)
    masks = {
        "all": (None, ()),
        "causal": (causal_mask(n_q, n_k), ("causalMask", n_q, n_k)),
        "window": (
            sliding_window_mask(n_q, n_k, window=window, causal=causal),
            ("slidingWindowMask", n_q, n_k, window, causal),
        ),
        "padding": (np.tile(padding_mask(length, n_k), (n_q, 1)), ("paddingMask", length, n_q, n_k)),
    }
    if kind in masks:
        return masks[kind]
    mask = rng.random((n_q, n_k)) < 0.6
    if kind == "empty row":
        mask[rng.integers(n_q)] = False
    return mask, ()


def case(number: int) -> dict[str, Any]:
    n_q, n_k, d, d_v = (int(x) for x in rng.integers(1, 7, 4))
    size = float(rng.choice([0.1, 1, 5, 40]))
    q, k, v = (size * rng.normal(size=shape) for shape in ((n_q, d), (n_k, d), (n_k, d_v)))
    kind = KINDS[number % len(KINDS)]
    mask, made_by = visible(kind, n_q, n_k)
    if mask is not None and number % 2:  # what is hidden from all may hold anything
        k[~mask.any(axis=0)] = v[~mask.any(axis=0)] = np.nan
    return {
        "q": q, "k": k, "v": v, "mask": mask, "made by": made_by,
        "scale": (None, 1.0, 0.3)[number % 3], "temperature": float(rng.choice([0.25, 1, 3])),
    }  # fmt: skip


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    return [case(number) for number in range(CASES)]


def test_attention_is_the_packages(cases: list[dict[str, Any]]) -> None:
    answers = call(
        "kernel.js",
        [("attend", one["q"], one["k"], one["v"], {"scale": one["scale"], "visible": one["mask"]}) for one in cases],
    )
    worst = 0.0
    for one, answer in zip(cases, answers, strict=True):
        expected = attention(one["q"], one["k"], one["v"], scale=one["scale"], mask=one["mask"])
        for name, right in expected._asdict().items():
            worst = max(worst, off(array(answer[name]), right))
    figure("kernel.js against the package", f"{worst:.1e}, {CASES} cases", "at most 1e-12")
    assert worst <= SAME


def test_masks_are_the_packages(cases: list[dict[str, Any]]) -> None:
    ruled = [one for one in cases if one["made by"]]
    answers = call("kernel.js", [one["made by"] for one in ruled])
    assert len(ruled) == CASES // 2
    assert all(np.array_equal(answer, one["mask"]) for one, answer in zip(ruled, answers, strict=True))


def test_temperature_and_entropy_are_the_packages(cases: list[dict[str, Any]]) -> None:
    rows = [one["q"][0] for one in cases]
    hot = [softmax(row, temperature=one["temperature"]) for row, one in zip(rows, cases, strict=True)]
    answers = call("kernel.js", [("softmax", row, one["temperature"]) for row, one in zip(rows, cases, strict=True)])
    assert max(off(array(answer), right) for answer, right in zip(answers, hot, strict=True)) <= SAME
    bits = [-sum(w * np.log2(w) for w in row if w > 0) for row in hot]
    answers = call("kernel.js", [("entropy", row) for row in hot])
    assert max(off(array(answer), right) for answer, right in zip(answers, map(np.array, bits), strict=True)) <= SAME


def off(ours: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> float:
    """How far apart they are, measured by the largest finite number; what is not finite must be the same."""
    finite = np.isfinite(right)
    if not np.array_equal(finite, np.isfinite(ours)) or not np.array_equal(ours[~finite], right[~finite]):
        return float("inf")
    size = max(1.0, float(np.abs(right[finite]).max(initial=0)))
    return float(np.abs(ours[finite] - right[finite]).max(initial=0)) / size


def test_the_laboratory_computes_what_its_python_does() -> None:
    states = []
    for number in range(60):
        n, d, heads = int(rng.integers(2, 7)), 2 * int(rng.integers(1, 4)), int(rng.integers(1, 3))
        q, k, v = rng.normal(size=(3, n, d))
        states.append({
            "q": q[: n if number % 3 else 1], "k": k, "v": v, "root_d": bool(number % 2), "causal": number % 4 < 2,
            "temperature": float(rng.choice([0.5, 1, 4])), "heads": heads,
            "window": int(rng.integers(1, n + 1)) if number % 5 else None,
        })  # fmt: skip
    for state, every in zip(states, call("bench.js", [("computeHeads", state) for state in states]), strict=True):
        q, k, v = (split_heads(state[name], state["heads"]) for name in "qkv")
        scale = (q.shape[-1] ** -0.5 if state["root_d"] else 1.0) / state["temperature"]
        step = attention(q, k, v, scale=scale, causal=state["causal"], window=state["window"])
        for name in ("scores", "weights", "output"):
            np.testing.assert_allclose(
                array([head[name] for head in every]), getattr(step, name), rtol=0, atol=SAME * 40
            )


def test_numbers_are_written_as_the_tables_write_them() -> None:
    given = [(-0.001, False), (-1.5, False), (-np.inf, False), (0.98201, True), (-0.0, True)]
    assert call("bench.js", [("written", x, percent) for x, percent in given]) == [
        "0.00", "−1.50", "−∞", "98.2 %", "0.0 %",
    ]  # fmt: skip
