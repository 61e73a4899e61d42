"""Draw the questions: shapes, masks, dtypes and numbers, always the same ones."""

from collections.abc import Callable, Iterator
from itertools import cycle, islice
from typing import Any

import numpy as np

from tests.oracles.frozen import UNIT, Array, Case

SEED = 20170612  # the day "Attention Is All You Need" appeared
DTYPES = ("float64", "float32", "float16", "bfloat16")
LEADING = ((), (2,), (2, 3))
SCALES = (None, None, 0.25, 20.0)
COUNTS = {"attention": 64, "grouped": 12, "multi_head": 16, "softmax": 12}

type Drawn = tuple[dict[str, Array], dict[str, Any]]


def draw() -> list[Case]:
    """Return every case."""
    return [case for kind, count in COUNTS.items() for case in islice(draw_kind(kind), count)]


def draw_kind(kind: str) -> Iterator[Case]:
    """Draw cases of one kind without end; the dtypes take turns."""
    rng = np.random.default_rng([SEED, *kind.encode()])
    draw_one: Callable[[np.random.Generator, int], Drawn] = globals()[f"draw_{kind}"]
    for index, dtype in enumerate(cycle(DTYPES)):
        inputs, settings = draw_one(rng, index // len(DTYPES))
        yield Case(f"{kind}-{index:02}-{dtype}", kind, dtype, inputs, settings)


def numbers(rng: np.random.Generator, *shape: int, spread: float = 1.0) -> Array:
    """Draw sixteenths, normally distributed."""
    return np.clip(np.rint(rng.standard_normal(shape) * spread * UNIT), -127, 127).astype(np.int8)


def draw_attention(rng: np.random.Generator, turn: int) -> Drawn:
    """Queries, keys and values, the gradient that comes back, and each sort of restriction in turn."""
    lead = LEADING[rng.integers(len(LEADING))]
    (n_q, n_k), (d_k, d_v) = rng.integers(1, 9, 2), rng.choice([1, 2, 4, 8], 2)
    inputs = {
        "q": numbers(rng, *lead, n_q, d_k),
        "k": numbers(rng, *lead, n_k, d_k),
        "v": numbers(rng, *lead, n_k, d_v),
        "gradient": numbers(rng, *lead, n_q, d_v),
    }
    settings: dict[str, Any] = {"scale": SCALES[rng.integers(len(SCALES))]}
    restrictions = (no_restriction, mask, shared_mask, bias, causal, window, causal_mask, causal_bias)
    restrictions[turn % len(restrictions)](rng, inputs, settings)
    return inputs, settings


def no_restriction(rng: np.random.Generator, inputs: dict[str, Array], settings: dict[str, Any]) -> None:
    """Every query sees every key."""


def mask(rng: np.random.Generator, inputs: dict[str, Array], settings: dict[str, Any]) -> None:
    """A mask for every query of every head; some queries see nothing."""
    shape = (*inputs["q"].shape[:-1], inputs["k"].shape[-2])
    inputs["mask"] = (rng.random(shape) < 0.6) & (rng.random((*shape[:-1], 1)) < 0.8)


def shared_mask(rng: np.random.Generator, inputs: dict[str, Array], settings: dict[str, Any]) -> None:
    """A mask that broadcasts: the same keys are padding for all queries."""
    inputs["mask"] = rng.random((1, inputs["k"].shape[-2])) < 0.7


def bias(rng: np.random.Generator, inputs: dict[str, Array], settings: dict[str, Any]) -> None:
    """Numbers to add to the scores."""
    inputs["bias"] = numbers(rng, inputs["q"].shape[-2], inputs["k"].shape[-2])


def causal(rng: np.random.Generator, inputs: dict[str, Array], settings: dict[str, Any]) -> None:
    """No looking ahead."""
    settings["causal"] = True


def window(rng: np.random.Generator, inputs: dict[str, Array], settings: dict[str, Any]) -> None:
    """No looking ahead, nor far back."""
    settings.update(causal=True, window=int(rng.integers(1, 5)))


def causal_mask(rng: np.random.Generator, inputs: dict[str, Array], settings: dict[str, Any]) -> None:
    """A mask on top of the causal one."""
    mask(rng, inputs, settings)
    causal(rng, inputs, settings)


def causal_bias(rng: np.random.Generator, inputs: dict[str, Array], settings: dict[str, Any]) -> None:
    """Numbers to add, under a causal mask."""
    bias(rng, inputs, settings)
    causal(rng, inputs, settings)


def draw_grouped(rng: np.random.Generator, turn: int) -> Drawn:
    """Several query heads to each key head; in every third case all of them share one."""
    kv_heads, groups = (1, 4) if turn % 3 == 2 else rng.integers(2, 4, 2)
    n_q, n_k = rng.integers(2, 6, 2)
    inputs = {
        "q": numbers(rng, 2, kv_heads * groups, n_q, 4),
        "k": numbers(rng, 2, kv_heads, n_k, 4),
        "v": numbers(rng, 2, kv_heads, n_k, 4),
        "gradient": numbers(rng, 2, kv_heads * groups, n_q, 4),
    }
    return inputs, {"causal": bool(turn % 2)}


def draw_multi_head(rng: np.random.Generator, turn: int) -> Drawn:
    """A whole layer: projections with and without bias, over itself or over other tokens, with each sort of mask."""
    n_heads, d_head, n_q, n_k = (int(number) for number in rng.integers(1, 5, 4))
    d_model = n_heads * d_head
    inputs = {"x": numbers(rng, 2, n_q, d_model)}
    if turn % 2:
        inputs["context"] = numbers(rng, 2, n_k, d_model)
    inputs |= {name: numbers(rng, d_model, d_model, spread=0.5) for name in ("w_q", "w_k", "w_v", "w_o")}
    if rng.random() < 0.5:
        inputs |= {name: numbers(rng, d_model) for name in ("b_q", "b_k", "b_v", "b_o")}
    n_keys = n_k if turn % 2 else n_q
    if turn == 1:
        inputs["mask"] = rng.random((n_q, n_keys)) < 0.6
        inputs["mask"][:, 0] = True  # where a query sees nothing torch says NaN
    if turn == 2:
        inputs["lengths"] = rng.integers(1, n_keys + 1, 2).astype(np.int8)
    return inputs, {"n_heads": n_heads, "causal": turn == 2}


def draw_softmax(rng: np.random.Generator, turn: int) -> Drawn:
    """Scores along any axis, at any temperature, and the gradient that comes back."""
    shape = tuple(int(size) for size in rng.integers(1, 6, 3))
    inputs = {"scores": numbers(rng, *shape, spread=3.0), "gradient": numbers(rng, *shape)}
    return inputs, {"axis": turn - 1, "temperature": float(rng.choice([0.125, 1.0, 8.0]))}
