"""Rulers between two senses of a word: where a vector stands, how often that is right, and how sure it is.

The reading of a vector is 2 (x - middle) · d / |d|², where d leads from the mean of one sense to that of the other: the
mean of the first sense reads 1, that of the second -1, halfway is 0. Every layer has a ruler of its own.
"""

from collections.abc import Callable, Iterator

import numpy as np

from tests.models.recorded import Array

RESAMPLES = 300
TRUSTED = 0.85  # a layer whose ruler is right less often is not to be read


def middle(first: Array, second: Array) -> Array:
    """Return what lies halfway between the means.

    [groups, 2, layers, d] twice -> [layers, d]
    """
    return np.asarray((first.mean(axis=(0, 1)) + second.mean(axis=(0, 1))) / 2)


def direction(first: Array, second: Array) -> Array:
    """Return what leads from the second mean to the first.

    [groups, 2, layers, d] twice -> [layers, d]
    """
    return np.asarray(first.mean(axis=(0, 1)) - second.mean(axis=(0, 1)))


def reading(x: Array, zero: Array, d: Array) -> Array:
    """Return how far along d a vector lies, counted from zero.

    [..., layers, d] -> [..., layers]
    """
    return np.asarray(2 * ((x - zero) * d).sum(axis=-1) / (d * d).sum(axis=-1))


def ruler(first: Array, second: Array) -> Callable[[Array], Array]:
    """Return the function that reads vectors between two senses."""
    zero, d = middle(first, second), direction(first, second)
    return lambda x: reading(x, zero, d)


def left_out(first: Array, second: Array) -> tuple[Array, Array]:
    """Return every sentence's reading by a ruler made without its group.

    -> [groups, 2, layers] twice
    """
    n = range(len(first)), range(len(second))
    return (
        np.array([ruler(np.delete(first, i, 0), second)(first[i]) for i in n[0]]),
        np.array([ruler(first, np.delete(second, i, 0))(second[i]) for i in n[1]]),
    )


def resampled(groups: int, seed: int) -> Iterator[Array]:
    """Yield the indices of groups drawn with replacement, RESAMPLES times."""
    rng = np.random.default_rng(seed)
    for _ in range(RESAMPLES):
        yield rng.integers(0, groups, groups)


def interval(values: Array) -> Array:
    """Return the middle 95 %.

    [resamples, ...] -> [..., 2]
    """
    return np.stack([np.quantile(values, 0.025, axis=0), np.quantile(values, 0.975, axis=0)], axis=-1)


def resampled_rulers(first: Array, second: Array) -> list[Callable[[Array], Array]]:
    """Return the rulers of resampled groups of sentences."""
    pairs = zip(resampled(len(first), 1), resampled(len(second), 2), strict=True)
    return [ruler(first[a], second[b]) for a, b in pairs]


def share_right(first: Array, second: Array) -> tuple[Array, Array]:
    """Return how often readings have the right sign, [layers], and its interval.

    [groups, 2, layers] twice
    """
    right = (first > 0).mean(axis=1), (second < 0).mean(axis=1)
    pairs = zip(resampled(len(first), 3), resampled(len(second), 4), strict=True)
    spread = [(right[0][a].mean(axis=0) + right[1][b].mean(axis=0)) / 2 for a, b in pairs]
    return (right[0].mean(axis=0) + right[1].mean(axis=0)) / 2, interval(np.array(spread))


def unit(x: Array) -> Array:
    """Return vectors of length 1 in the same directions."""
    return np.asarray(x / np.linalg.norm(x, axis=-1, keepdims=True))


def mean_cosine(first: Array, second: Array, same: bool = False) -> tuple[Array, Array]:
    """Return the mean cosine of a sentence of one sense and one of another, [layers], and its interval.

    Where both are the `same` sense, sentences of one group are not compared.
    """
    a, b = unit(first).mean(axis=1), unit(second).mean(axis=1)  # [groups, layers, d]
    cosines = np.einsum("ild,jld->ijl", a, b)

    def mean(i: Array, j: Array) -> Array:
        apart = i[:, None] != j if same else np.ones((len(i), len(j)), bool)
        return np.asarray(cosines[i[:, None], j][apart].mean(axis=0))

    seeds = (5, 5) if same else (5, 6)
    pairs = zip(resampled(len(a), seeds[0]), resampled(len(b), seeds[1]), strict=True)
    spread = [mean(i, j) for i, j in pairs]
    return mean(np.arange(len(a)), np.arange(len(b))), interval(np.array(spread))
