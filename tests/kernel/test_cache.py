"""With a cache or without: the same answers, token by token and chunk by chunk."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attention import Config, KVCache, attention, cache_bytes
from tests.kernel.reports import Array, close

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


COPIES: dict[str, Callable[[KVCache], KVCache]] = {
    "fork": KVCache.fork,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda cache: pickle.loads(pickle.dumps(cache)),
}


def filled(n: int, **options: Any) -> KVCache:
    """A cache of the tokens 0 … n - 1; each key and value is its position."""
    cache = KVCache(**options)
    for token in range(n):
        cache.append([[float(token)]], [[float(token)]])
    return cache


def held(cache: KVCache) -> list[int]:
    assert cache.k.tolist() == cache.v.tolist()
    return [int(key) for key in cache.k[:, 0]]


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("capacity", [None, 4])
def test_every_copy_goes_on_by_itself(way: str, capacity: int | None) -> None:
    cache = filled(2, capacity=capacity)
    one, other = COPIES[way](cache), COPIES[way](cache)
    one.append([[7.0]], [[7.0]])
    other.append([[8.0]], [[8.0]])
    cache.append([[9.0]], [[9.0]])
    assert [held(each) for each in (one, other, cache)] == [[0, 1, 7], [0, 1, 8], [0, 1, 9]]
    assert one.capacity == capacity


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_of_an_empty_cache_is_one(way: str) -> None:
    cache = KVCache(capacity=1)
    COPIES[way](cache).append([[1.0]], [[1.0]])
    assert len(cache) == 0


@pytest.mark.parametrize("capacity", [None, 5])
def test_what_is_taken_back_is_written_anew(capacity: int | None) -> None:
    cache = filled(5, capacity=capacity)
    early = cache.k
    cache.truncate(3)
    assert (held(cache), len(cache), cache.position) == ([0, 1, 2], 3, 3)
    cache.append([[9.0], [8.0]], [[9.0], [8.0]])
    assert held(cache) == [0, 1, 2, 9, 8]
    assert early[:, 0].tolist() == [0, 1, 2, 3, 4]
    cache.truncate(0)
    assert len(cache) == 0
    with pytest.raises(ValueError, match="length is 1, but 0 tokens are cached: it cannot be more"):
        cache.truncate(1)


def test_beams_go_on_from_the_rows_they_are_given() -> None:
    rng = np.random.default_rng(3)
    k, v, q = rng.standard_normal((3, 2, 4, 2)), rng.standard_normal((3, 2, 4, 1)), rng.standard_normal((4, 2, 1, 2))
    cache, rows = KVCache(), [2, 0, 2, 2]
    cache.append(k, v)
    early = cache.k
    cache.reorder(rows)
    np.testing.assert_array_equal(cache.attend(q).output, attention(q, k[rows], v[rows]).output)
    cache.append(q, q[..., :1])
    assert cache.k.shape == (4, 2, 5, 2)
    np.testing.assert_array_equal(early, k)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([0, 2], "rows go from 0 to 2; the cache has sequences 0 to 1"),
        ([-1], "rows go from -1 to -1; the cache has sequences 0 to 1"),
        ([[0]], r"rows has shape \(1, 1\), k \(2, 1, 1\) and v \(2, 1, 1\): rows must be"),
    ],
)
def test_rows_that_are_not_there_are_refused(rows: Any, message: str) -> None:
    cache = KVCache()
    cache.append(np.ones((2, 1, 1)), np.ones((2, 1, 1)))
    with pytest.raises(ValueError, match=message):
        cache.reorder(rows)
    assert cache.k.shape == (2, 1, 1)


def test_a_cache_of_one_sequence_has_no_beams() -> None:
    with pytest.raises(ValueError, match="have an axis of sequences first"):
        filled(2).reorder([0])
    with pytest.raises(ValueError, match="0 tokens are cached: append"):
        KVCache().reorder([0])


def in_window(n: int, window: int, n_first: int) -> Array:
    """What each of n tokens sees, one pair at a time."""
    return np.array([[j <= i and (i - j < window or j < n_first) for j in range(n)] for i in range(n)])


@pytest.mark.parametrize("chunks", CHUNKS, ids=str)
@pytest.mark.parametrize(("window", "n_first"), [(1, 0), (3, 0), (3, 1), (2, 2), (9, 0)])
@pytest.mark.parametrize("heads", [(), (2,)], ids=str)
def test_a_window_gives_the_rows_of_attention_over_all(
    chunks: list[int], window: int, n_first: int, heads: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(4)
    q, k, v = rng.standard_normal((3, *heads, 7, 3))
    cache, rows = KVCache(window=window, n_first=n_first), []
    for tokens in np.split(np.arange(7), np.cumsum(chunks)[:-1]):
        cache.append(k[..., tokens, :], v[..., tokens, :])
        rows.append(cache.attend(q[..., tokens, :]).output)
        assert len(cache) <= n_first + window - 1 + len(tokens)
    expected = attention(q, k, v, mask=in_window(7, window, n_first)).output
    assert close(np.concatenate(rows, axis=-2), expected, 1e-14)
    assert cache.position == 7


def test_a_windowed_cache_takes_the_bytes_that_the_cost_says() -> None:
    config = Config(1, 1, 1, 1, 1, 1, window=3, n_windowed_layers=1)
    for n in range(1, 8):
        cache = filled(n, window=3, capacity=3)
        assert held(cache) == list(range(n))[-3:]
        assert cache.k.nbytes + cache.v.nbytes == cache_bytes(config, n, bytes_per_number=8)
    assert held(filled(7, window=2, n_first=2)) == [0, 1, 5, 6]


def test_a_smaller_window_and_a_mask_narrow_a_windowed_cache() -> None:
    cache, q = filled(7, window=4), [[0.0]]
    assert cache.attend(q, window=2).weights.tolist() == [[0, 0, 0.5, 0.5]]
    assert cache.attend(q, mask=[True, False, False, True]).weights.tolist() == [[0.5, 0, 0, 0.5]]
    assert cache.attend(q, causal=False).weights.tolist() == [[0.25] * 4]
    with pytest.raises(ValueError, match="window is 5, but the cache keeps the last 4 tokens: it cannot be larger"):
        cache.attend(q, window=5)


def test_queries_whose_keys_were_dropped_are_refused() -> None:
    cache = filled(7, window=3)
    with pytest.raises(ValueError, match=r"q has shape \(2, 1\), but tokens before 4 were dropped"):
        cache.attend([[0.0], [0.0]])
    with pytest.raises(ValueError, match="the next token attends to 2 before it, and older ones were dropped"):
        cache.truncate(1)
    cache.truncate(2)
    assert (held(cache), cache.position) == ([4, 5], 6)
    cache.append([[9.0]], [[9.0]])
    assert cache.attend([[0.0]]).weights.tolist() == [[1 / 3] * 3]


def test_appending_nothing_drops_nothing() -> None:
    cache = filled(5, window=3)
    cache.append(np.ones((0, 1)), np.ones((0, 1)))
    assert held(cache) == [2, 3, 4]
    with pytest.raises(ValueError, match="0 tokens are cached"):
        KVCache(window=3).attend([[0.0]], causal=False)
    with pytest.raises(ValueError, match=r"q has shape \(1,\)"):
        cache.attend([0.0])


def test_a_refused_append_drops_nothing_either() -> None:
    cache = filled(5, window=3, capacity=3)
    for error, k in ((ValueError, [[1.0, 2.0]]), (TypeError, np.ones((1, 1), "f4")), (ValueError, np.ones((2, 1)))):
        with pytest.raises(error):
            cache.append(k, np.ones(np.shape(k), np.asarray(k).dtype))
        assert held(cache) == [2, 3, 4]


def test_first_tokens_without_a_window_are_refused() -> None:
    with pytest.raises(ValueError, match="n_first is 2, but without a window all tokens are kept"):
        KVCache(n_first=2)
    with pytest.raises(ValueError, match="window is 0"):
        KVCache(window=0)
    with pytest.raises(TypeError, match="n_first is True"):
        KVCache(window=2, n_first=True)
