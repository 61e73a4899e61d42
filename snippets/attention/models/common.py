"""What the models share: checking a prompt, padding, keys and values of tokens before, one attention step traced."""

from collections.abc import Mapping
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from ..cache import KVCache
from ..checks import Array, as_array
from ..dot_product import Options, attention
from ..heads import merge_heads
from ..masks import real_positions
from .trace import Trace, note


def pair(weights: Mapping[str, Array], name: str) -> tuple[Array, Array]:
    """Return the weight and the bias that a checkpoint stores under one name.

    >>> pair({"ln.weight": np.array([2]), "ln.bias": np.array([0])}, "ln")
    (array([2]), array([0]))
    """
    return weights[f"{name}.weight"], weights[f"{name}.bias"]


def check_prompt(ids: ArrayLike, n_positions: int, past: int = 0) -> Array:
    """Return the ids as an array, [..., n], or refuse a prompt the model has no place for.

    >>> check_prompt([5, 6], n_positions=1024, past=1023)
    Traceback (most recent call last):
        ...
    ValueError: the prompt reaches 1025 tokens; the model has positions for 1024
    """
    try:
        array = np.asarray(ids)
    except ValueError:
        way = "give them one by one, or padded with the real tokens named by real="
        raise ValueError(f"the prompts have different lengths; {way}") from None
    if array.size == 0:
        raise ValueError("the prompt is empty: there must be at least one token")
    if array.ndim < 1:
        raise ValueError(f"ids has shape {array.shape}; it must be (..., n)")
    if past + array.shape[-1] > n_positions:
        total = past + array.shape[-1]
        raise ValueError(f"the prompt reaches {total} tokens; the model has positions for {n_positions}")
    return array


def layer_caches(caches: list[KVCache] | None, n_layers: int) -> list[KVCache]:
    """Return one cache for every layer: those given, or new ones.

    >>> layer_caches([KVCache()], n_layers=2)
    Traceback (most recent call last):
        ...
    ValueError: 1 caches for 2 layers: every layer needs its own
    """
    if caches is None:
        return [KVCache() for _ in range(n_layers)]
    different = len({id(cache) for cache in caches})
    if not different == len(caches) == n_layers:
        raise ValueError(f"{different} caches for {n_layers} layers: every layer needs its own")
    positions = [cache.position for cache in caches]
    if len(set(positions)) > 1:
        raise ValueError(f"the caches of the layers hold {positions} tokens; all must hold the same")
    return caches


def next_tokens(
    ids: ArrayLike, n_positions: int, caches: list[KVCache], real: ArrayLike | None = None
) -> tuple[Array, Array, Array | None]:
    """Return the ids, [..., n], their positions after what is cached, and the mask that hides padding, if there is any.

    What will not fit is refused before any cache keeps a part of it.

    >>> next_tokens([5, 6], n_positions=1024, caches=[KVCache(capacity=1)])
    Traceback (most recent call last):
        ...
    ValueError: 0 tokens are cached, more would make 2; capacity is 1
    """
    past = caches[0].position if caches else 0
    array = check_prompt(ids, n_positions, past)
    for cache in caches:
        cache.check_capacity(array.shape[-1])
    if real is None:
        return array, np.arange(past, past + array.shape[-1]), None
    if any(cache.window is not None for cache in caches):
        raise ValueError("a cache with a window drops tokens, padding too: give prompts one by one, without real=")
    positions, mask = hide_padding(real, array.shape, past)
    return array, positions[..., past:], mask


def hide_padding(real: ArrayLike, shape: tuple[int, ...], past: int = 0) -> tuple[Array, Array]:
    """Return the positions of real tokens, and the mask over (..., n_heads, n_q, n_k) that hides all others.

    >>> positions, mask = hide_padding([[False, True, True]], shape=(1, 2), past=1)
    >>> positions.tolist(), mask.shape
    ([[0, 0, 1]], (1, 1, 1, 3))
    """
    positions, expected = real_positions(real), (*shape[:-1], past + shape[-1])
    if positions.shape != expected:
        rule = f"with what is cached it must be {expected}"
        raise ValueError(f"real has shape {positions.shape} and ids {shape}: {rule}")
    return positions, as_array("real", real)[..., None, None, :]


def both(mask: ArrayLike | None, padding: Array | None) -> ArrayLike | None:
    """Return the mask that allows what both allow; None allows everything.

    >>> both([True, False], np.array([[True, True]])), both(None, None)
    (array([[ True, False]]), None)
    """
    if mask is None or padding is None:
        return padding if mask is None else mask
    allowed: Array = as_array("mask", mask) & padding
    return allowed


def attend(
    q: Array, k: Array, v: Array, cache: KVCache | None, trace: Trace | None, **options: Unpack[Options]
) -> Array:
    """Let every head attend, causally through a cache or freely without one, and set the heads side by side.

    [..., n_heads, n, d], [..., n_kv_heads, n, d], [..., n_kv_heads, n, d] -> [..., n, n_heads · d]
    """
    if cache is None:
        done = attention(q, k, v, **options)
    else:
        cache.append(k, v)
        done = cache.attend(q, **options)
    note(trace, q=q, k=k, v=v, scores=done.scores, weights=done.weights, outputs=done.output)
    return merge_heads(done.output)
