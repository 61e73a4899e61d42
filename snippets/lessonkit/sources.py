"""What a matrix on a page was computed from, so that each of its numbers can be explained."""

import json
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import softmax

Matrix = NDArray[np.float64]


def source_of(role: str, values: Matrix, of: Any) -> str:
    """Return, as JSON, the matrices that scores, weights or an output come from, once they are seen to give them.

    scores of (q, k): dot products, times one factor. weights of scores: softmax. output of (weights, v): a product.

    >>> source_of("output", np.array([[2.0]]), of=([[0.5, 0.5]], [[1], [3]]))
    '{"w": [[0.5, 0.5]], "v": [[1.0], [3.0]]}'
    """
    if role == "weights":
        scores = as_matrix(of)
        check_gives(values, softmax(scores), "weights of scores are softmax(scores)")
        return as_json(s=scores)
    if role not in ("scores", "output"):
        raise ValueError(f"role is {role!r}; only scores, weights and output are computed of something")
    first, second = (as_matrix(one) for one in of)
    if role == "output":
        check_gives(values, first @ second, "an output of (weights, v) is weights @ v")
        return as_json(w=first, v=second)
    products = first @ second.T
    seen = np.isfinite(values)
    largest = np.argmax(np.abs(np.where(seen, products, 0)))
    factor = float(values.flat[largest] / products.flat[largest]) if products.flat[largest] else 1.0
    rule = "scores of (q, k) are q kᵀ times one factor"
    check_gives(np.where(seen, values, 0), np.where(seen, products * factor, 0), rule)
    return as_json(q=first, k=second, factor=factor)


def as_matrix(values: ArrayLike) -> Matrix:
    """Return the values as a matrix; a vector is one row."""
    return np.atleast_2d(np.asarray(values, dtype=float))


def check_gives(values: Matrix, computed: Matrix, rule: str) -> None:
    """Refuse a source that does not give the values: an explanation must not say what was not computed."""
    if values.shape != computed.shape or not np.allclose(values, computed, rtol=1e-9, atol=1e-12):
        raise ValueError(f"of does not give the values, of shape {values.shape}: {rule}")


def as_json(**parts: Matrix | float) -> str:
    """Return matrices and numbers as JSON, in full precision; what is not finite, as hidden scores are, is null."""
    return json.dumps({name: plain_numbers(part) for name, part in parts.items()})


def plain_numbers(part: Matrix | float) -> object:
    """Return a number or a matrix in Python's own numbers."""
    if isinstance(part, float):
        return part
    return [[number if np.isfinite(number) else None for number in row] for row in part.tolist()]
