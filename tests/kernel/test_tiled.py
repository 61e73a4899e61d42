"""Attention in tiles is attention: any shapes, masks, dtypes and blocks, on the readable path and the fast one."""

import tracemalloc
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention import attention, tiled, tiled_attention
from attention.fast import kernel, products
from attention.masks import visible_pairs
from attention.tiles import Band, tiles
from tests.kernel.reports import REPORTS, Array, close, inputs, numbers, right

INF, NAN = np.inf, np.nan
READABLE = {"mask": True}  # a mask that hides nothing, but is one: the fast path leaves it to the readable one
BOTH_PATHS = pytest.mark.parametrize("path", [{}, READABLE], ids=["fast", "readable"])
TILED = ("T01", "T03", "T08", "T10", "K14", "K19", "M01", "M03", "M07", "M10", "W01")
BLOCKS = [(1, 1), (1, 2), (2, 2), (2, 3), (3, 4), (5, 100)]


def drawn(seed: int, *shapes: tuple[int, ...], dtype: Any = np.float64) -> list[Array]:
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("blocks", BLOCKS)
@pytest.mark.parametrize("name", TILED)
def test_reported_cases_come_out_right_in_any_tiles(name: str, blocks: tuple[int, int]) -> None:
    report = REPORTS[name]
    value = report["right"]["values"][0]
    output = tiled_attention(**inputs(name), block_q=blocks[0], block_k=blocks[1])
    assert close(output, right(name), report["tolerance"]["abs"])
    for wrong in value.get("known_wrong", []):
        assert not close(output, numbers(wrong["value"]), report["tolerance"]["abs"])


@pytest.mark.parametrize("block", [1, 2, 3, 4, 100])
def test_t01_a_first_tile_that_nobody_sees_leaves_no_nan(block: int) -> None:
    assert close(tiled_attention(**inputs("T01"), block_k=block), right("T01"), 1e-12)


@BOTH_PATHS
@pytest.mark.parametrize("block_q", [1, 2])
def test_t03_a_partial_tile_is_not_filled_up_with_keys(block_q: int, path: dict[str, Any]) -> None:
    output = tiled_attention(**inputs("T03"), **path, block_q=block_q, block_k=2)
    assert close(output, right("T03"), 1e-12)


@BOTH_PATHS
def test_t08_rising_maxima_agree_for_every_block(path: dict[str, Any]) -> None:
    answers = [tiled_attention(**inputs("T08"), **path, block_k=block) for block in range(1, 9)]
    assert all(close(answer, right("T08"), 1e-12) for answer in answers)


def test_t10_plain_and_tiled_agree_on_empty_rows_and_nan_would_not_pass_for_agreement() -> None:
    plain, in_tiles = attention(**inputs("T10")).output, tiled_attention(**inputs("T10"), block_q=2, block_k=1)
    assert np.allclose(plain, in_tiles, rtol=0, atol=1e-12, equal_nan=False)
    assert (in_tiles[1] == 0).all()
    assert not close([NAN], [NAN], 1)


@pytest.mark.parametrize("path", [{}, {"mask": np.ones((0, 2, 5, 3), bool)}], ids=["fast", "readable"])
def test_k17_an_empty_batch_passes_through(path: dict[str, Any]) -> None:
    q, k, v = (np.ones(REPORTS["K17"]["input"][f"{name}_shape"], np.float32) for name in "qkv")
    output = tiled_attention(q, k, v, **path)
    assert output.shape == (0, 2, 5, 6)
    assert output.dtype == np.float32


@BOTH_PATHS
def test_k19_permuted_arrays_give_what_contiguous_ones_give(path: dict[str, Any]) -> None:
    arrays = [array.transpose(1, 0, 2) for array in drawn(0, (70, 3, 20), (90, 3, 20), (90, 3, 5))]
    copies = [np.ascontiguousarray(array) for array in arrays]
    assert not arrays[0].flags.c_contiguous
    assert close(tiled_attention(*arrays, **path), tiled_attention(*copies, **path), 1e-14)


@st.composite
def calls(draw: st.DrawFn) -> tuple[list[Array], dict[str, Any]]:
    """Arguments of `attention`: leading axes that broadcast, any lengths, widths, dtypes, masks."""
    n_q, n_k, d_k, d_v = (draw(st.integers(low, 20)) for low in (0, 1, 1, 0))
    heads = [draw(st.sampled_from([(), (1,), (4,), (3, 1), (3, 4)])) for _ in "qkv"]
    dtype = draw(st.sampled_from([np.float16, np.float32, np.float64, np.int16]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shapes = [(*head, n, d) for head, (n, d) in zip(heads, [(n_q, d_k), (n_k, d_k), (n_k, d_v)], strict=True)]
    options: dict[str, Any] = {"causal": draw(st.booleans())}
    options["window"] = draw(st.none() | st.integers(1, 25))
    options["scale"] = draw(st.sampled_from([None, 0.3, -1.0]))
    options["softcap"] = draw(st.sampled_from([None, None, 2.0]))
    plane = st.sampled_from([None, None, (), (n_k,), (n_q, 1), (n_q, n_k), (4, 1, n_k), (2, 1, 4, n_q, n_k)])
    if (shape := draw(plane)) is not None:
        options["mask"] = rng.random(shape) < 0.6
    if (shape := draw(plane)) is not None:
        options["bias"] = np.where(rng.random(shape) < 0.2, -INF, rng.standard_normal(shape))
    return [(2 * rng.standard_normal(shape)).astype(dtype) for shape in shapes], options


@given(calls(), st.integers(1, 25), st.integers(1, 25), st.sampled_from([2**18, 2**10, 1]))
def test_tiled_is_plain(call: tuple[list[Array], dict[str, Any]], block_q: int, block_k: int, small: int) -> None:
    arrays, options = call
    plain = attention(*arrays, **options).output
    before = [array.copy() for array in arrays]
    with mock.patch.object(products, "SMALL_PRODUCT", small):
        output = tiled_attention(*arrays, **options, block_q=block_q, block_k=block_k)
    rounding = {np.dtype(np.float16): 2.0**-8, np.dtype(np.float32): 1e-4}.get(plain.dtype, 1e-12)
    assert output.dtype == plain.dtype
    assert close(output, plain, rounding)
    assert all(np.array_equal(*pair) for pair in zip(arrays, before, strict=True))


@BOTH_PATHS
@pytest.mark.parametrize("options", [{}, {"causal": True}, {"window": 100}, {"causal": True, "window": 100}])
@pytest.mark.parametrize(("n_q", "n_k"), [(700, 700), (129, 1500), (300, 65), (1, 1100)])
def test_long_sequences_of_several_tiles_are_plain(
    n_q: int, n_k: int, options: dict[str, Any], path: dict[str, Any]
) -> None:
    q, k, v = drawn(1, (2, n_q, 24), (1, n_k, 24), (2, n_k, 40))
    assert close(tiled_attention(q, k, v, **options, **path), attention(q, k, v, **options).output, 1e-13)


@BOTH_PATHS
@pytest.mark.parametrize(("spread", "one_key"), [(1, 1), (5, 1), (30, 1), (1, 100)])
def test_sharp_scores_are_right_to_rounding(spread: float, one_key: float, path: dict[str, Any]) -> None:
    q, k, v = drawn(2, (300, 64), (700, 64), (700, 64), dtype=np.float32)
    q, k = q * np.float32(spread), k * np.float32(spread)
    k[13] *= np.float32(one_key)
    exact = attention(*(array.astype(np.float64) for array in (q, k, v)))
    unit = 2.0**-24 * max(1, np.abs(exact.scores).max())  # what rounding the scores alone may move a weight by
    output = tiled_attention(q, k, v, **path)
    assert output.dtype == np.float32
    assert close(output, exact.output, 8 * unit * np.abs(v).max())


@BOTH_PATHS
@pytest.mark.parametrize("spread", [1e5, 1e-5])
def test_finite_scores_up_to_100000_give_finite_output(spread: float, path: dict[str, Any]) -> None:
    q, k, v = drawn(3, (40, 4), (50, 4), (50, 4), dtype=np.float32)
    output = tiled_attention(np.sign(q) * np.float32(spread), np.sign(k), v, scale=1, **path, block_k=16)
    assert np.isfinite(output).all()


@BOTH_PATHS
def test_float16_extremes_stay_finite(path: dict[str, Any]) -> None:
    top = np.finfo(np.float16).max
    q = np.full((9, 8), top, np.float16)
    output = tiled_attention(q, q, q, **path, block_k=4)
    assert np.array_equal(output, np.full((9, 8), top, np.float16))


def test_values_near_the_largest_number_do_not_overflow() -> None:
    v = np.full((300, 2), np.finfo(np.float32).max, np.float32)
    ones = np.ones((300, 2), np.float32)
    assert np.isfinite(tiled_attention(ones, ones, v, block_k=64)).all()


@BOTH_PATHS
def test_a_row_that_sees_nothing_is_exactly_zero(path: dict[str, Any]) -> None:
    q, k, v = drawn(4, (5, 3), (2, 3), (2, 3))
    output = tiled_attention(q, k, v, causal=True, **path, block_q=2, block_k=1)
    assert (output[:3] == 0).all()
    assert np.array_equal(np.flatnonzero(output.any(axis=-1)), [3, 4])


@pytest.mark.parametrize("garbage", [NAN, INF, -INF])
def test_garbage_in_a_hidden_key_or_value_changes_nothing(garbage: float) -> None:
    q, k, v = drawn(5, (6, 4), (6, 4), (6, 4))
    bad_k, bad_v = k.copy(), v.copy()
    bad_k[4:], bad_v[4:] = garbage, garbage
    hidings: list[dict[str, Any]] = [{"mask": np.arange(6) < 4}, {"bias": np.where(np.arange(6) < 4, 0, -INF)}]
    for options in hidings:
        spoilt = tiled_attention(q, bad_k, bad_v, block_q=2, block_k=3, **options)
        assert close(spoilt, tiled_attention(q, k[:4], v[:4]), 1e-14)
    causal = tiled_attention(q, bad_k, bad_v, causal=True, block_q=2, block_k=3)
    assert close(causal[:4], tiled_attention(q, k, v, causal=True)[:4], 1e-14)


@pytest.mark.parametrize("where", ["q", "k", "v"])
def test_garbage_that_is_seen_shows_and_spares_other_rows(where: str) -> None:
    q, k, v = drawn(6, (4, 3), (4, 3), (4, 3))
    {"q": q, "k": k, "v": v}[where][2] = NAN
    output = tiled_attention(q, k, v, causal=True, block_q=2, block_k=2)
    assert np.isnan(output[2]).all()
    assert np.isfinite(output[:2]).all()


@BOTH_PATHS
def test_earlier_rows_are_bit_identical_when_a_later_token_changes(path: dict[str, Any]) -> None:
    q, k, v = drawn(7, (2, 50, 8), (2, 50, 8), (2, 50, 8))
    before = tiled_attention(q, k, v, causal=True, **path, block_q=16, block_k=16)
    k[:, 30:], v[:, 30:] = 9, -9
    after = tiled_attention(q, k, v, causal=True, **path, block_q=16, block_k=16)
    assert np.array_equal(before[:, :30], after[:, :30])
    assert (before[:, 30:] != after[:, 30:]).any(axis=-1).all()


@BOTH_PATHS
def test_grouped_heads_share_keys_as_in_plain_attention(path: dict[str, Any]) -> None:
    q, k, v = drawn(8, (2, 6, 9, 4), (2, 3, 9, 4), (2, 3, 9, 4))
    assert close(tiled_attention(q, k, v, **path, block_k=4), attention(q, k, v).output, 1e-14)


@BOTH_PATHS
def test_it_is_silent_even_where_everything_warns(path: dict[str, Any]) -> None:
    q, k, v = drawn(9, (40, 4), (40, 4), (40, 4), dtype=np.float32)
    with np.errstate(all="raise"):
        output = tiled_attention(100 * q, 100 * k, v, causal=True, **path, block_q=8, block_k=8)
    assert np.isfinite(output).all()


@pytest.mark.parametrize(
    ("options", "computed"), [({"causal": True}, 10), ({"causal": True, "window": 5}, 7), ({}, 16)]
)
def test_tiles_that_are_hidden_altogether_are_never_computed(options: dict[str, Any], computed: int) -> None:
    q, k, v = drawn(10, (16, 2), (16, 2), (16, 2))
    with mock.patch.object(tiled, "attend_visible", wraps=tiled.attend_visible) as readable:
        tiled_attention(q, k, v, **options, **READABLE, block_q=4, block_k=4)
    with mock.patch.object(kernel, "tile_scores", wraps=products.tile_scores) as fast:
        tiled_attention(q, k, v, **options, block_q=4, block_k=4)
    assert readable.call_count == fast.call_count == computed


def test_memory_grows_with_the_length_not_with_its_square() -> None:
    peaks = [peak_bytes(1, n, cores=1) for n in (1024, 2048, 4096)]
    assert peaks[2] - peaks[1] <= 2.2 * (4096 - 2048) * 64 * 4  # the output, the keys once more, and little else
    assert peaks[2] < 4096 * 4096 * 4 / 10


def test_twelve_heads_of_8192_tokens_need_less_than_50_mebibytes_more() -> None:
    assert peak_bytes(12, 8192, causal=True, window=256) < 50 * 2**20
    assert peak_bytes(12, 8192, causal=True) < 50 * 2**20


def test_the_readable_path_needs_no_square_memory_either() -> None:
    assert peak_bytes(1, 4096, mask=True) < 4096 * 4096 * 4 / 8


def peak_bytes(heads: int, n: int, cores: int = 2, **options: Any) -> int:
    """What a call allocates beyond its arguments, at most."""
    q, k, v = drawn(11, *3 * [(heads, n, 64)], dtype=np.float32)
    with mock.patch.object(kernel, "_cores", return_value=cores):
        tracemalloc.start()
        tiled_attention(q, k, v, **options)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"block_q": 0}, ValueError, "block_q is 0; it is a count, so it must be at least 1"),
        ({"block_k": 1.5}, TypeError, "block_k is 1.5; it must be an integer"),
        ({"window": 0}, ValueError, "window is 0"),
        ({"mask": [1, 0, 1]}, TypeError, "mask has dtype int64"),
        ({"mask": [True, False]}, ValueError, r"mask has shape \(2,\)"),
        ({"bias": [1.0, 0.0]}, ValueError, r"bias has shape \(2,\)"),
        ({"bias": [True, True, True]}, TypeError, "bias is boolean"),
        ({"softcap": -1}, ValueError, "softcap is -1"),
        ({"scale": NAN}, ValueError, "scale is nan"),
        ({"k": np.ones((3, 5))}, ValueError, r"q has shape \(2, 4\) and k \(3, 5\)"),
        ({"v": np.ones((2, 1))}, ValueError, "every key needs one value"),
        ({"q": [["a"]]}, TypeError, "q has dtype <U1"),
        ({"mask": np.ones((2, 1, 3), bool), "bias": np.ones((3, 1, 3))}, ValueError, "leading axes must broadcast"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(change: dict[str, Any], error: type[Exception], words: str) -> None:
    arguments: dict[str, Any] = {"q": np.ones((2, 4)), "k": np.ones((3, 4)), "v": np.ones((3, 1))} | change
    with pytest.raises(error, match=words):
        tiled_attention(**arguments)


@given(st.integers(1, 12), st.integers(1, 12), st.booleans(), st.none() | st.integers(1, 14), st.integers(1, 5))
def test_tiles_make_up_the_mask(n_q: int, n_k: int, causal: bool, window: int | None, size: int) -> None:
    expected = np.broadcast_to(visible_pairs((n_q, n_k), causal=causal, window=window), (n_q, n_k))
    band, mask = Band.of(n_q, n_k, causal=causal, window=window), np.zeros((n_q, n_k), bool)
    for queries in tiles(range(n_q), size):
        for keys in tiles(band.keys(queries), size):
            mask[queries.start : queries.stop, keys.start : keys.stop] = band.visible(queries, keys)
    assert np.array_equal(mask, expected)


def test_a_window_wider_than_any_integer_is_no_window() -> None:
    assert Band.of(3, 3, window=2**70) == Band.of(3, 3)
