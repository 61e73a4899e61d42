"""Answer in our words what torch was asked, and say how near is near enough."""

from collections.abc import Callable
from typing import Any

import numpy as np

import attention
from tests.oracles.frozen import Array, Case

EPSILON = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
ALLOWED = 8  # epsilons of the dtype; 3.3 were measured at most


def our_attention(case: Case) -> dict[str, Array]:
    """Return output and gradients; grouped heads share their keys by themselves."""
    q, k, v, gradient = (case.array(name) for name in ("q", "k", "v", "gradient"))
    options: dict[str, Any] = {"mask": case.optional("mask"), "bias": case.optional("bias"), **case.settings}
    output = attention.attention(q, k, v, **options).output
    dq, dk, dv = attention.attention_backward(q, k, v, gradient, **options)
    return {"output": output, "d_q": dq, "d_k": dk, "d_v": dv}


def our_multi_head(case: Case) -> dict[str, Array]:
    """Return output and the weights of every head."""
    x, context, mask = case.array("x"), case.optional("context"), case.optional("mask")
    if "lengths" in case.inputs:
        n_k = (x if context is None else context).shape[-2]
        mask = attention.padding_mask(case.inputs["lengths"], n_k)[:, None]
    parameters: dict[str, Any] = {name: case.array(name) for name in case.inputs if name[:2] in ("w_", "b_")}
    _, weights, output = attention.multi_head_attention(x, context=context, mask=mask, **parameters, **case.settings)
    return {"output": output, "weights": weights}


def our_softmax(case: Case) -> dict[str, Array]:
    """Return weights and gradient."""
    weights = attention.softmax(case.array("scores"), **case.settings)
    return {
        "weights": weights,
        "d_scores": attention.softmax_backward(weights, case.array("gradient"), **case.settings),
    }


OURS: dict[str, Callable[[Case], dict[str, Array]]] = {
    "attention": our_attention,
    "grouped": our_attention,
    "multi_head": our_multi_head,
    "softmax": our_softmax,
}


def assert_near(case: Case, ours: Array, theirs: Array) -> None:
    """Compare two answers to a case; a NaN in either fails."""
    assert ours.shape == theirs.shape
    away = distance(case, ours, theirs)
    assert away <= ALLOWED, f"{away} epsilons apart; at most {ALLOWED} are rounding"


def distance(case: Case, ours: Array, theirs: Array) -> float:
    """Count the epsilons between two answers, relative to the largest number that went into them.

    What is given is of size 1, or that times a steep scale: a small gradient is the rest of such numbers that cancel,
    and keeps their rounding.
    """
    a, b = ours.astype(np.float64), theirs.astype(np.float64)
    steep = max(1.0, case.settings.get("scale") or 1.0, 1 / case.settings.get("temperature", 1.0))
    return float(np.abs(a - b).max(initial=0.0) / EPSILON[case.dtype] / np.abs(b).max(initial=steep))
