"""How fast, in how much memory: `tiled_attention` against textbook NumPy, torch and onnxruntime on this machine.

And how much the public functions add to their core, where there is little to compute.

    PYTHONPATH=snippets python -m tests.bench.run --lengths 256,512,1024,2048,4096,8192 --json bench.json

12 heads, d 64, float32. In each round every competitor runs once, in turn; reported are medians of the ratios within
a round, so that what slows the machine down slows all of them down. No test asserts a time.
"""

import argparse
import importlib.metadata
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.competitors import CORES, HEADS, MODES, NEEDS, WIDTH, Call, prepare
from tests.bench.overhead import overheads
from tests.bench.report import OURS, Rows, facts, show


def seconds(call: Call) -> float:
    time.sleep(0.02)  # threads of the competitor before may still be spinning
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure(names: list[str], modes: list[str], n: int, budget: float) -> Rows:
    """Time everything at one length, and compare: with torch (or the first there is), with plain, with our answer."""
    calls = {(mode, name): prepare(name, mode, n) for mode in modes for name in names}
    answers = {key: call() for key, call in calls.items()}
    difference = {(mode, name): float(np.abs(x - answers[mode, OURS]).max()) for (mode, name), x in answers.items()}
    answers.clear()
    round_seconds = sum(seconds(call) for call in calls.values())
    rounds = [
        {key: seconds(call) for key, call in calls.items()}
        for _ in range(round(min(25, max(5, budget / round_seconds))))
    ]
    return [row(rounds, mode, name, n, names, modes) | {"difference": difference[mode, name]} for mode, name in calls]


def row(
    rounds: list[dict[tuple[str, str], float]], mode: str, name: str, n: int, names: list[str], modes: list[str]
) -> dict[str, Any]:
    """One competitor in one mode, compared with the others round by round."""
    median = statistics.median(times[mode, name] for times in rounds)
    base = "torch SDPA" if "torch SDPA" in names else names[0]
    return {
        "mode": mode,
        "n": n,
        "name": name,
        "ms": 1e3 * median,
        "ratio": statistics.median(times[mode, name] / times[mode, base] for times in rounds),
        "to_first_mode": statistics.median(times[mode, name] / times[modes[0], name] for times in rounds),
        "peak_mib": peak(name, mode, n),
        "gflops": pairs(mode, n) * HEADS * 4 * WIDTH / median / 1e9,
    }


def pairs(mode: str, n: int) -> int:
    """How many pairs of tokens see each other: what there is to compute, whatever a competitor does compute."""
    reach = min(MODES[mode].get("window", n), n)
    return n * n if mode == "plain" else reach * n - reach * (reach - 1) // 2


def peak(name: str, mode: str, n: int) -> float:
    """MiB that one call adds to a process of its own, at most; NaN where the system does not tell."""
    command = [sys.executable, "-m", "tests.bench.run", "--peak", name, "--modes", mode, "--lengths", str(n)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def print_peak(name: str, mode: str, n: int) -> None:
    call = prepare(name, mode, n)
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not reset.exists():
        print("nan")
        return
    reset.write_text("5")  # the high-water mark starts again from what is in use now

    def kib(field: str) -> int:
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith(field))

    before = kib("VmRSS")
    call()
    print((kib("VmHWM") - before) / 1024)


def sgemm_rate() -> float:
    """GFLOP/s of one large float32 product, best of five: what the machine could do at most."""
    a = np.random.default_rng(0).standard_normal((2048, 2048), dtype=np.float32)
    return 2 * 2048**3 / min(seconds(lambda: a @ a) for _ in range(5)) / 1e9


def fits(name: str, n: int) -> bool:
    """Whether there is memory for it: textbook NumPy holds some four arrays of scores at once."""
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 2**33
    return name != "textbook NumPy" or 4 * HEADS * n * n * 4 < 0.8 * free


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Benchmark tiled_attention.")
    parser.add_argument("--lengths", default="256,512,1024,2048,4096,8192")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--names", default=",".join(NEEDS), help="whom to measure; tiled_attention must be among them")
    parser.add_argument("--seconds", type=float, default=20, help="to spend on each length, about")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--peak", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    options = read_options()
    modes, lengths = options.modes.split(","), [int(n) for n in options.lengths.split(",")]
    if options.peak:
        print_peak(options.peak, modes[0], lengths[0])
        return
    requested = options.names.split(",")
    installed = [name for name in requested if importlib.util.find_spec(NEEDS[name])]
    left_out = [f"{name}: {NEEDS[name]} is not installed" for name in requested if name not in installed]
    rows: Rows = []
    for n in lengths:
        names = [name for name in installed if fits(name, n)]
        left_out += [f"{name}, {n} tokens: too little memory is free" for name in installed if name not in names]
        rows += measure(names, modes, n, options.seconds)
        print(f"measured: {n} tokens", file=sys.stderr)
    versions = {module: importlib.metadata.version(module) for module in sorted({NEEDS[name] for name in installed})}
    machine = {"machine": f"{platform.system()} {platform.machine()}", "cores": CORES, "sgemm_gflops": sgemm_rate()}
    report = machine | {"versions": versions, "rows": rows, "facts": facts(rows) | overheads(), "left_out": left_out}
    show(report)
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
