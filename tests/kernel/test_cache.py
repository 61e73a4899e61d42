"""With a cache or without: the same answers, token by token and chunk by chunk."""

from typing import Any

import numpy as np
import pytest

from attention import Config, KVCache, attention, cache_bytes
from tests.kernel.reports import close

CHUNKS = [[7], [1] * 7, [3, 4], [2, 1, 4], [6, 1]]
OPTIONS: list[dict[str, Any]] = [{}, {"window": 1}, {"window": 3}, {"scale": 0.2}, {"softcap": 0.9}]


@pytest.mark.parametrize("chunks", CHUNKS, ids=str)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize(("n_heads", "n_kv_heads"), [(4, 4), (4, 2), (4, 1)])
def test_cached_is_recomputed(chunks: list[int], options: dict[str, Any], n_heads: int, n_kv_heads: int) -> None:
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((2, n, 7, 3)) for n in (n_heads, n_kv_heads, n_kv_heads))
    plain, cache, rows = attention(q, k, v, causal=True, **options), KVCache(), []
    for tokens in np.split(np.arange(7), np.cumsum(chunks)[:-1]):
        cache.append(k[..., tokens, :], v[..., tokens, :])
        rows.append(cache.attend(q[..., tokens, :], **options).output)
    assert close(np.concatenate(rows, axis=-2), plain.output, 1e-14)


def test_masks_and_biases_lie_over_all_cached_keys() -> None:
    rng = np.random.default_rng(1)
    q, k, v = rng.standard_normal((3, 4, 2))
    mask, bias = np.array([True, False, True, True]), rng.standard_normal(4)
    cache = KVCache()
    cache.append(k, v)
    answer = cache.attend(q[-1:], mask=mask, bias=bias)
    assert close(answer.output, attention(q[-1:], k, v, mask=mask, bias=bias).output, 1e-15)


def test_cross_attention_may_look_everywhere() -> None:
    rng = np.random.default_rng(2)
    q, k, v = rng.standard_normal((5, 2)), rng.standard_normal((3, 2)), rng.standard_normal((3, 2))
    cache = KVCache()
    cache.append(k, v)
    np.testing.assert_array_equal(cache.attend(q, causal=False).output, attention(q, k, v).output)


def test_what_was_cached_cannot_change_afterwards() -> None:
    k = v = np.ones((2, 2))
    cache = KVCache()
    cache.append(k, v)
    k[:] = 7
    assert (cache.k == 1).all()
    for view in (cache.k, cache.v):
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 7
    early = cache.k
    cache.append(np.full((1, 2), 3.0), np.full((1, 2), 3.0))
    assert early.tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_cache_keeps_the_dtype_and_takes_the_bytes_that_the_cost_says(dtype: str) -> None:
    config = Config(n_layers=1, d_model=8, n_heads=4, n_kv_heads=2, d_head=4, d_ff=16)
    cache = KVCache()
    for n in range(1, 6):
        cache.append(np.ones((2, 1, 4), dtype), np.ones((2, 1, 4), dtype))
        size = np.dtype(dtype).itemsize
        assert cache.k.nbytes + cache.v.nbytes == cache_bytes(config, n, bytes_per_number=size)
        assert len(cache) == n
    assert cache.attend(np.ones((4, 1, 4), dtype)).output.dtype == np.dtype(dtype)


def test_many_appends_copy_seldom() -> None:
    cache, rooms = KVCache(), set()
    for _ in range(100):
        cache.append([[1.0]], [[2.0]])
        rooms.add(cache._buffers[0].shape[-2])
    assert rooms == {1, 2, 4, 8, 16, 32, 64, 128}


def test_a_capacity_is_set_aside_at_once_and_never_exceeded() -> None:
    cache = KVCache(capacity=5)
    cache.append([[1.0]], [[2.0]])
    first = cache._buffers[0]
    for _ in range(4):
        cache.append([[1.0]], [[2.0]])
    assert cache._buffers[0] is first
    assert len(first) == 5


def test_a_first_append_that_does_not_fit_leaves_the_cache_empty() -> None:
    cache = KVCache(capacity=2)
    with pytest.raises(ValueError, match="0 tokens are cached, more would make 3; capacity is 2"):
        cache.append(np.ones((3, 2)), np.ones((3, 2)))
    assert len(cache) == 0
    cache.append(np.ones((2, 4)), np.ones((2, 4)))
    assert len(cache) == 2


def test_appending_nothing_is_no_event() -> None:
    cache = KVCache()
    cache.append(np.ones((2, 2)), np.ones((2, 2)))
    cache.append(np.ones((0, 2)), np.ones((0, 2)))
    assert len(cache) == 2


def test_an_empty_cache_is_a_cache_all_the_same() -> None:
    cache = KVCache()
    kept = cache or KVCache()
    assert kept is cache
