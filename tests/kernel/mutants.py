"""Faults put in on purpose: each is a line of the package gone wrong, and a test has to notice.

`python -m tests.kernel.mutants` prints which test notices which.
"""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.preloaded import run_apart

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "snippets" / "attention"
NAMES = ("reports", "core", "statements", "by_loops", "gradients", "cache", "cost", "dtypes", "errors")
TESTS = [f"tests/kernel/test_{name}.py" for name in NAMES]


class Mutant(NamedTuple):
    """One fault: in `file`, `old` becomes `new`."""

    name: str
    file: str
    old: str
    new: str


MUTANTS = [
    Mutant("softmax over the queries", "core.py", "= softmax(scores)", "= softmax(scores.mT).mT"),
    Mutant("√d missing", "core.py", "1 / math.sqrt(q.shape[-1])", "1.0"),
    Mutant("d instead of √d", "core.py", "1 / math.sqrt(q.shape[-1])", "1 / q.shape[-1]"),
    Mutant("a float64 scale", "core.py", "1 / math.sqrt(q.shape[-1])", "1 / np.sqrt(q.shape[-1])"),
    Mutant("scaled last", "core.py", "(q * scale) @ k.swapaxes(-1, -2)", "(q @ k.swapaxes(-1, -2)) * scale"),
    Mutant("a large scale first", "scores.py", "abs(scale) <= 1", "True"),
    Mutant(
        "√d_model instead of √d_head",
        "multi_head.py",
        "partial(attention, **options)",
        'partial(attention, **{"scale": a["w_q"].shape[-1] ** -0.5, **options})',
    ),
    Mutant("softcap does not scale back", "scores.py", "softcap * np.tanh", "np.tanh"),
    Mutant(
        "mask after softmax",
        "core.py",
        "weights = softmax(scores)",
        "weights = softmax(score(q, k)) * (scores != -np.inf)",
    ),
    Mutant("mask polarity", "masks.py", 'allowed = as_array("mask", mask)', "allowed = ~np.asarray(mask)"),
    Mutant("-1e4 for minus infinity", "core.py", "score(q, k), -np.inf)", "score(q, k), -1e4)"),
    Mutant("lowest finite number", "core.py", "score(q, k), -np.inf)", "score(q, k), np.finfo(q.dtype).min)"),
    Mutant("additive bias dropped", "scores.py", "else scores + bias", "else scores + 0 * bias"),
    Mutant("-inf in the bias hides nothing", "masks.py", "visible & (bias != -np.inf)", "visible & (bias == bias)"),
    Mutant("hidden NaN leaks", "nonfinite.py", "if visible is True or np.isfinite(v).all():", "if True:"),
    Mutant("visible NaN vanishes", "nonfinite.py", "total + np.where", "total + 0 * np.where"),
    Mutant("causal top-left", "core.py", "np.arange(n_k - n_q, n_k)", "np.arange(n_q)"),
    Mutant(
        "causal top-left for long queries",
        "core.py",
        "np.arange(n_k - n_q, n_k)",
        "(np.arange(n_q) + max(n_k - n_q, 0))",
    ),
    Mutant("causal without the token itself", "core.py", "return keys <= queries", "return keys < queries"),
    Mutant(
        "window one too wide", "tiles.py", "columns >= positions - self.behind", "columns > positions - self.behind - 2"
    ),
    Mutant(
        "window one too far ahead",
        "tiles.py",
        "columns <= positions + self.ahead",
        "columns < positions + self.ahead + 2",
    ),
    Mutant("alignments swapped", "masks.py", 'return None if align == "bottom-right" else 0', "return None"),
    Mutant("padding on the other side", "masks.py", 'if side == "right" else', 'if side == "left" else'),
    Mutant("padding takes positions", "masks.py", "mask.cumsum(axis=-1) - 1, 0)", "np.arange(mask.shape[-1]), 0)"),
    Mutant("offset of a block ignored", "merge.py", "window=window, offset=offset)", "window=window)"),
    Mutant("sink hides instead of taking", "sinks.py", "n_k)), np.True_)", "n_k)), np.False_)"),
    Mutant("sink has a value", "sinks.py", "np.zeros((*v.shape[:-2]", "np.ones((*v.shape[:-2]"),
    Mutant("sink left out of tiles", "tiled.py", "if options.sink is not None:", "if False:"),
    Mutant("ALiBi's slopes from 1", "alibi.py", "np.arange(1, n + 1) / n", "np.arange(n) / n"),
    Mutant("ALiBi of the other heads", "alibi.py", "2 * (n_heads - n), 2) / (2 * n)", "n_heads - n + 1) / (2 * n)"),
    Mutant("ALiBi rewards distance", "alibi.py", "= -alibi_slopes(", "= alibi_slopes("),
    Mutant(
        "padding hides queries",
        "masks.py",
        "np.arange(n_k) < counts[..., None, None]",
        "(np.arange(n_k) < counts[..., None, None]).swapaxes(-1, -2)",
    ),
    Mutant("maximum not subtracted", "core.py", "np.exp(below_maximum(scores))", "np.exp(scores)"),
    Mutant("empty row has no maximum", "core.py", ", initial=lowest", ""),
    Mutant(
        "empty row divides by 0",
        "core.py",
        "np.maximum(exps.sum(axis=-1, keepdims=True), 1)",
        "exps.sum(-1)[..., None]",
    ),
    Mutant("temperature multiplies", "probabilities.py", "(scores / 2) / (temperature / 2)", "(scores) * temperature"),
    Mutant("differences overflow", "probabilities.py", "(scores / 2) / (temperature / 2)", "(scores) / temperature"),
    Mutant("half computed in half", "checks.py", "array.astype(np.float32) if array", "array if array"),
    Mutant("byte order kept", "checks.py", "if not array.dtype.isnative:", "if False:"),
    Mutant(
        "split without transpose",
        "core.py",
        "x.reshape(*x.shape[:-1], n_heads, x.shape[-1] // n_heads).swapaxes(-3, -2)",
        "x.reshape(*x.shape[:-2], n_heads, x.shape[-2], x.shape[-1] // n_heads)",
    ),
    Mutant(
        "merge without transpose",
        "core.py",
        "x.swapaxes(-3, -2).reshape(*x",
        "x.reshape(*x",
    ),
    Mutant(
        "heads tiled, not repeated",
        "core.py",
        "np.repeat(x, n_heads // x.shape[-3], axis=-3)",
        "np.concatenate([x] * (n_heads // x.shape[-3]), axis=-3)",
    ),
    Mutant("floor division of heads", "heads.py", "if shape[-1] % n_heads:", "if 0:"),
    Mutant("V through W_k", "multi_head.py", "linear(source, w_v, b_v", "linear(source, w_k, b_v"),
    Mutant("V through W_k in a layer", "multi_head.py", 'project(source, a["w_v"]', 'project(source, a["w_k"]'),
    Mutant("bias of q dropped", "multi_head.py", "linear(x, w_q, b_q", "linear(x, w_q, None"),
    Mutant("bias of q dropped in a layer", "multi_head.py", 'a["w_q"], a.get("b_q"))', 'a["w_q"], None)'),
    Mutant("context ignored", "multi_head.py", "source = x if context is None else context", "source = x"),
    Mutant("context ignored in a layer", "multi_head.py", 'a.get("context", a["x"])', 'a["x"]'),
    Mutant("output bias dropped", "multi_head.py", 'output + a["b_o"]', "output"),
    Mutant("fused q k v in another order", "multi_head.py", "return q, k, v\n\n", "return q, v, k\n\n"),
    Mutant("cache writes at the start", "cache.py", "self._length : total, :] = x", ": total - self._length, :] = x"),
    Mutant("free slots are keys", "cache.py", "[which][..., : self._length, :]", "[which][...]"),
    Mutant("prefill not causal", "cache.py", 'setdefault("causal", True)', 'setdefault("causal", False)'),
    Mutant("capacity off by one", "cache.py", "total > self.capacity:", "total > self.capacity + 1:"),
    Mutant("forks share memory", "cache.py", "twin._keep(slice(0, self._length))", "pass"),
    Mutant("copies share memory", "cache.py", "def __copy__", "def _copy"),
    Mutant("window drops one too many", "cache.py", "self.n_first - (self.window - 1))", "self.n_first - self.window)"),
    Mutant(
        "first tokens dropped",
        "cache.py",
        "np.r_[: self.n_first, self.n_first + n",
        "np.r_[n : self.n_first + n, self.n_first + n",
    ),
    Mutant(
        "positions restart after dropping", "cache.py", "return self._length + self._dropped", "return self._length"
    ),
    Mutant("beams stay as they were", "cache.py", "[buffer[index] for", "[buffer for"),
    Mutant("rollback keeps all", "cache.py", "self._keep(slice(0, length))", "self._keep(slice(0, None))"),
    Mutant("rollback writes over what was read", "cache.py", "self._keep(slice(0, length))", "self._length = length"),
    Mutant(
        "growing loses the past", "cache.py", "longer[..., : self._length, :] = buffer", "longer[..., :0, :] = buffer"
    ),
    Mutant("gradient: scale twice", "gradients.py", "keys, visible) * scale", "keys, visible) * scale**2"),
    Mutant(
        "gradient: scale left out", "gradients.py", "visible.swapaxes(-1, -2)) * scale", "visible.swapaxes(-1, -2))"
    ),
    Mutant("gradient: row sum left out", "gradients.py", "(dw - (w * dw).sum(axis=-1, keepdims=True))", "dw"),
    Mutant("gradient: 0 times infinity", "gradients.py", "np.where(w == 0, 0, dw)", "dw"),
    Mutant("gradient: bias after softcap", "gradients.py", "dout, **options).dscores", "dout, **options).dscores * 2"),
    Mutant("gradient: softcap left out", "gradients.py", "* _softcap_slope(q, keys, **options)", "* 1.0"),
    Mutant(
        "tiled gradient: last tile only", "tiled.py", "dk[..., columns, :] += part.dk", "dk[..., columns, :] = part.dk"
    ),
    Mutant(
        "gradient: group averaged",
        "gradients.py",
        "grad.reshape(grouped).sum(axis=-3)",
        "grad.reshape(grouped).mean(axis=-3)",
    ),
    Mutant(
        "gradient: hidden NaN",
        "gradients.py",
        "dscores = np.where(visible, step.dscores * ",
        "dscores = np.where(True, step.dscores * ",
    ),
    Mutant("gradient: NaN of a query spreads", "gradients.py", "np.where(visible, np.broad", "np.where(True, np.broad"),
    Mutant("gradient: temperature left out", "gradients.py", "keepdims=True)) / divisor", "keepdims=True))"),
    Mutant(
        "variance over d - 1",
        "normalization.py",
        "(centred * centred).mean(axis=-1, keepdims=True)",
        "centred.var(axis=-1, ddof=1, keepdims=True)",
    ),
    Mutant(
        "eps outside the root",
        "normalization.py",
        "np.sqrt(variance + eps_scaled)",
        "(np.sqrt(variance) + eps_scaled)",
    ),
    Mutant("squares overflow", "normalization.py", "exponent > np.finfo", "exponent > 1e9 * np.finfo"),
    Mutant("0 times minus infinity", "activations.py", "np.maximum(array, np.finfo(array.dtype).min)", "array"),
    Mutant("GELU's constant", "activations.py", "0.044715", "0.04715"),
    Mutant("GELU's forms swapped", "activations.py", 'if approximate == "none":', 'if approximate != "none":'),
    Mutant("rotary pairings swapped", "rotations.py", "if check_flag(", "if not ("),
    Mutant(
        "rotary positions restart", "rotations.py", "np.arange(n) if positions is None else positions", "np.arange(n)"
    ),
    Mutant("rotary writes into its input", "rotations.py", "np.empty(x.shape, dtype)", "x"),
    Mutant(
        "rotary turns backwards",
        "rotations.py",
        "first] * cos - x[..., second] * sin",
        "first] * cos + x[..., second] * sin",
    ),
    Mutant(
        "embedding positions restart",
        "embedding.py",
        "np.arange(x.shape[-2]) if positions is None else positions",
        "np.arange(x.shape[-2])",
    ),
    Mutant("negative ids wrap around", "embedding.py", "index.min() < 0:", "index.min() < -len(table):"),
    Mutant("MACs for FLOPs", "cost.py", "return 2 * m * k * n", "return m * k * n"),
    Mutant("cache of keys only", "cost.py", "_bytes(2 * kept", "_bytes(kept"),
    Mutant("cache of query heads", "cost.py", "kept * config.n_kv_heads", "kept * config.n_heads"),
    Mutant("windowed cache grows on", "cost.py", "kept = min(kept, ", "kept = max(kept, "),
    Mutant("half a byte is none", "cost.py", "math.ceil(", "math.floor("),
    Mutant("causal pairs without the token itself", "cost.py", "ahead = 0 if check", "ahead = -1 if check"),
    Mutant("no gate is a gate", "configs.py", 'check_flag("gated", self.gated)', "bool(self.gated)"),
    Mutant("masks in lists are lost", "checks.py", "any(_holds(value, kind) for value in values)", "False"),
]


def killer(mutant: Mutant | None, tests: list[str] = TESTS) -> str:
    """Return the first of the tests that fails on a copy of the package with this fault in it; '' if all pass."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "attention"
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        if mutant:
            source = (copy / mutant.file).read_text("utf-8")
            (copy / mutant.file).write_text(source.replace(mutant.old, mutant.new), "utf-8")
        env = {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        done = run_apart(_try, tests, cwd=ROOT, env=env)
    failed = re.search(r"^FAILED \S*::(\S+)", done.stdout, re.MULTILINE)
    if done.returncode not in (0, 1) or (done.returncode == 1) != (failed is not None):
        raise RuntimeError(f"the tests did not run: {done.stdout}")
    return failed[1] if failed else ""


def _try(tests: list[str]) -> None:
    """Run the tests until one fails: the first file alone, for most faults go no further."""
    options = ["-x", "-q", "--tb=no", "--assert=plain", "-p", "no:cacheprovider", "-o", "pythonpath=", "-o", "addopts="]
    for part in filter(None, (tests[:1], tests[1:])):
        if failed := pytest.main([*options, *part]):
            sys.exit(failed)


def killers(mutants: list[Mutant]) -> Iterator[str]:
    """Try all of them, two at a time."""
    with ThreadPoolExecutor(2) as pool:
        yield from pool.map(killer, mutants)


def main() -> int:
    """Print every fault and the test that catches it; 1 where one is not caught."""
    survivors = 0
    print(f"{'fault':36}{'where':20}caught by")
    for mutant, test in zip(MUTANTS, killers(MUTANTS), strict=True):
        print(f"{mutant.name:36}{mutant.file:20}{test or 'NOBODY'}", flush=True)
        survivors += not test
    print(f"{len(MUTANTS) - survivors} of {len(MUTANTS)} caught")
    return int(survivors > 0)


if __name__ == "__main__":
    sys.exit(main())
