"""Time one layer, for the cost chapter to show as an illustration.

Run it by hand, on a quiet machine, from the root of the repository:
    python snippets/lessons/data/record_cost_times.py
It writes cost-times.json beside itself; copy the numbers into cost.py.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import json
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from attention import MODELS, attention, feed_forward, linear  # noqa: E402

LENGTHS = [128, 256, 512, 1024, 2048, 4096]
REPEATS = 15
GPT2 = MODELS["gpt2"]


def best(call: Callable[[], object]) -> float:
    """Return the shortest of several runs, in milliseconds."""
    call()
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return round(1000 * min(times), 2)


def main() -> None:
    rng = np.random.default_rng(0)
    d, d_head = GPT2.d_model, GPT2.d_head

    def draw(*shape: int) -> np.ndarray:
        return rng.normal(size=shape).astype(np.float32) / np.sqrt(
            np.float32(shape[0])
        )

    square, w_in, w_out = draw(d, d), draw(d, 4 * d), draw(4 * d, d)

    def projections(x: np.ndarray) -> None:
        for _ in range(4):  # q, k, v and the one after the heads
            linear(x, square)
        feed_forward(x, w_in, w_out, activation=lambda h: h)

    def heads(n: int, q: np.ndarray) -> None:
        for _ in range(GPT2.n_heads):  # one at a time: less memory
            attention(q, q, q)

    pairs, rest = [], []
    for n in LENGTHS:
        q, x = draw(n, d_head), draw(n, d)
        pairs.append(best(lambda n=n, q=q: heads(n, q)))
        rest.append(best(lambda x=x: projections(x)))
        print(n, pairs[-1], rest[-1])
    record = {
        "what": "one layer of GPT-2's size, float32, milliseconds",
        "machine": f"{cpu()}, one thread",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "shortest_of": REPEATS,
        "tokens": LENGTHS,
        "pairs_ms": pairs,
        "rest_ms": rest,
    }
    text = json.dumps(record, indent=1) + "\n"
    (HERE / "cost-times.json").write_text(text, "utf-8")


def cpu() -> str:
    """Return what the processor calls itself."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text("utf-8").splitlines() if info.exists() else []
    names = [line for line in lines if line.startswith("model name")]
    return (
        names[0].partition(":")[2].strip() if names else platform.machine()
    )


if __name__ == "__main__":
    main()
