"""What the models share: checking a prompt, remembering keys and values, and one attention step with its trace."""

from collections.abc import Mapping
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from ..cache import KVCache
from ..checks import Array
from ..dot_product import Options, attention
from ..heads import merge_heads
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
        raise ValueError("the prompts have different lengths; give them one by one") from None
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
    lengths = [len(cache) for cache in caches]
    if len(set(lengths)) > 1:
        raise ValueError(f"the caches of the layers hold {lengths} tokens; all must hold the same")
    return caches


def next_tokens(ids: ArrayLike, n_positions: int, caches: list[KVCache]) -> tuple[Array, Array]:
    """Return the ids, [..., n], and their positions after what is cached; refuse what will not fit before it is kept.

    >>> next_tokens([5, 6], n_positions=1024, caches=[KVCache(capacity=1)])
    Traceback (most recent call last):
        ...
    ValueError: the prompt reaches 2 tokens; a cache has a capacity of 1
    """
    past = len(caches[0]) if caches else 0
    array = check_prompt(ids, n_positions, past)
    total = past + array.shape[-1]
    for cache in caches:
        if cache.capacity is not None and total > cache.capacity:
            raise ValueError(f"the prompt reaches {total} tokens; a cache has a capacity of {cache.capacity}")
    return array, np.arange(past, total)


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
