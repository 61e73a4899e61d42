"""What checking costs where there is little to compute: the public functions beside the core that they call, n = d = 4.

PYTHONPATH=snippets python -m tests.bench.overhead
"""

import timeit
from collections.abc import Callable
from typing import Any

import numpy as np

from attention import attention, core, multi_head_attention

N = 4
ROUNDS, CALLS = 60, 200
Call = Callable[[], Any]


def pairs() -> dict[str, tuple[Call, Call]]:
    """Each public function and what it calls in the core, on the same arrays."""
    q, k, v, *w = np.random.default_rng(0).standard_normal((7, N, N))
    return {
        "attention": (lambda: attention(q, k, v), lambda: core.attend(q, k, v)),
        "causal attention": (
            lambda: attention(q, k, v, causal=True),
            lambda: core.attend(q, k, v, core.causal(N, N)),
        ),
        "multi_head_attention": (
            lambda: multi_head_attention(q, *w, n_heads=2),
            lambda: core.multi_head(q @ w[0], q @ w[1], q @ w[2], w[3], 2, 2),
        ),
    }


def ratio(public: Call, bare: Call) -> float:
    """Return the public function's time over the core's, each the least of its rounds; they run in turn."""
    rounds = [[timeit.timeit(call, number=CALLS) for call in (public, bare)] for _ in range(ROUNDS)]
    return min(times[0] for times in rounds) / min(times[1] for times in rounds)


def overheads() -> dict[str, float]:
    """Return the ratio of each pair, under the words that the report prints."""
    return {f"{name}, n = d = {N}: time over that of its core": ratio(*calls) for name, calls in pairs().items()}


if __name__ == "__main__":
    for words, value in overheads().items():
        print(f"{words}: {value:.2f}")
