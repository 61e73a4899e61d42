"""Blocks of keys merge into attention over all of them: in any order, any grouping, with nothing visible or much."""

import functools
import itertools
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention import EMPTY_BLOCK, Block, attend_block, attention, merge_blocks
from tests.kernel.reports import REPORTS, Array, close, numbers, right

INF, NAN = np.inf, np.nan
seeds = st.integers(0, 2**32 - 1)


def drawn_blocks(seed: int, cuts: list[int], *, dtype: str = "float64", spread: float = 1) -> tuple[Array, list[Block]]:
    """Attention over all keys, and the blocks the cuts make of them; some rows see nothing of a block, or nothing."""
    rng = np.random.default_rng(seed)
    ends = [0, *itertools.accumulate(cuts)]
    q, k, v = ((spread * rng.standard_normal((2, n, 3))).astype(dtype) for n in (4, ends[-1], ends[-1]))
    mask = rng.random((4, ends[-1])) < 0.6
    mask[0] = False
    pieces = [slice(start, stop) for start, stop in itertools.pairwise(ends)]
    blocks = [attend_block(q, k[:, keys], v[:, keys], mask=mask[:, keys]) for keys in pieces]
    return attention(q, k, v, mask=mask).output, blocks


def same(a: Block, b: Block, tolerance: float) -> bool:
    """Whether two blocks say the same; -inf is as good as -inf, NaN as good as nothing."""
    return (
        close(a.output, b.output, tolerance)
        and close(np.exp(a.lse), np.exp(b.lse), tolerance * np.exp(a.lse).max())
        and np.array_equal(a.maximum, b.maximum)
    )


@given(seeds, st.lists(st.integers(1, 4), min_size=1, max_size=6), st.randoms())
def test_blocks_merged_in_any_order_are_attention_over_all_keys(seed: int, cuts: list[int], random: Random) -> None:
    expected, blocks = drawn_blocks(seed, cuts)
    random.shuffle(blocks)
    assert close(functools.reduce(merge_blocks, blocks).output, expected, 1e-13)


@given(seeds, st.lists(st.integers(1, 4), min_size=3, max_size=3))
def test_merging_is_associative(seed: int, cuts: list[int]) -> None:
    _, (a, b, c) = drawn_blocks(seed, cuts)
    assert same(merge_blocks(merge_blocks(a, b), c), merge_blocks(a, merge_blocks(b, c)), 1e-13)


@given(seeds, st.lists(st.integers(1, 4), min_size=2, max_size=2))
def test_merging_is_commutative_to_the_last_bit(seed: int, cuts: list[int]) -> None:
    _, (a, b) = drawn_blocks(seed, cuts)
    for there, back in zip(merge_blocks(a, b), merge_blocks(b, a), strict=True):
        assert np.array_equal(there, back)


@given(seeds, st.sampled_from(["float16", "float32", "float64"]))
def test_the_empty_block_changes_neither_values_nor_dtype(seed: int, dtype: str) -> None:
    _, (block,) = drawn_blocks(seed, [3], dtype=dtype)
    for merged in (merge_blocks(EMPTY_BLOCK, block), merge_blocks(block, EMPTY_BLOCK)):
        for before, after in zip(block, merged, strict=True):
            assert np.array_equal(before, after)
            assert before.dtype == after.dtype


@pytest.mark.parametrize("name", Block._fields)
def test_the_empty_block_cannot_be_written_to(name: str) -> None:
    with pytest.raises(ValueError, match="read-only"):
        getattr(EMPTY_BLOCK, name)[...] = 1


def test_no_blocks_at_all_are_attention_over_nothing() -> None:
    nothing = merge_blocks(EMPTY_BLOCK, EMPTY_BLOCK)
    assert nothing.output.item() == nothing.normaliser.item() == 0
    assert nothing.maximum.item() == nothing.lse.item() == -INF


def test_a_block_that_nobody_sees_says_so_without_nan() -> None:
    block = attend_block([[1.0]], [[1.0], [2.0]], [[3.0], [4.0]], mask=[False, False])
    assert block.output.item() == block.normaliser.item() == 0
    assert block.maximum.item() == block.lse.item() == -INF


def test_a_block_by_itself_is_attention_over_its_keys() -> None:
    q, k, v = [[1.0, 2.0]], [[1.0, 0.0], [0.0, 1.0]], [[5.0], [7.0]]
    options: dict[str, Any] = {"bias": [[0.5, -0.5]], "scale": 0.7, "softcap": 2.0}
    assert np.array_equal(attend_block(q, k, v, **options).output, attention(q, k, v, **options).output)


@given(seeds, st.sampled_from([1e2, 1e3, 3e4]))
def test_huge_scores_merge_without_overflow(seed: int, spread: float) -> None:
    expected, blocks = drawn_blocks(seed, [2, 3, 1], spread=spread)
    assert close(functools.reduce(merge_blocks, blocks).output, expected, 1e-9 * spread)


def test_merging_is_silent_even_where_everything_warns() -> None:
    far = attend_block([[1.0]], [[-1e300]], [[2.0]])
    near, unseen = attend_block([[1.0]], [[1e300]], [[3.0]]), attend_block([[1.0]], [[1.0]], [[9.0]], mask=False)
    with np.errstate(all="raise"):
        merged = merge_blocks(merge_blocks(far, near), unseen)
    assert merged.output.item() == 3


def test_values_near_the_largest_number_do_not_overflow() -> None:
    value = np.full((1, 1), np.finfo(np.float32).max, np.float32)
    block = attend_block(np.ones((1, 1), np.float32), np.ones((1, 1), np.float32), value)
    assert merge_blocks(merge_blocks(block, block), merge_blocks(block, block)).output == value


def test_a_nan_score_spoils_its_own_row_only() -> None:
    block = attend_block([[NAN], [1.0]], [[1.0]], [[2.0]])
    merged = merge_blocks(block, attend_block([[0.0], [0.0]], [[1.0]], [[4.0]]))
    assert np.isnan(merged.output[0, 0])
    assert np.isfinite(merged.output[1, 0])


def test_half_precision_is_merged_in_single() -> None:
    block = attend_block(*(np.ones((2, 2), np.float16) for _ in range(3)))
    assert {array.dtype for array in merge_blocks(block, block)} == {np.dtype(np.float32)}


def test_t05_log_sum_exp_includes_the_maximum() -> None:
    scores = numbers(REPORTS["T05"]["input"]["scores"])
    lse = attend_block(scores, np.eye(3), np.eye(3), scale=1).lse
    (wrong,) = REPORTS["T05"]["right"]["values"][0]["known_wrong"]
    assert close(lse, right("T05"), 1e-12)
    assert not close(lse, numbers(wrong["value"]), 1e-12)


@pytest.mark.parametrize("options", [{"scale": 0.3}, {"mask": [True, False, True]}, {"bias": [[0.5, -INF, 2.0]]}])
def test_log_sum_exp_is_that_of_the_scores_the_softmax_saw(options: dict[str, Any]) -> None:
    q, k = np.array([[1.0, -2.0]]), np.array([[1.0, 1.0], [0.0, 3.0], [2.0, 0.5]])
    scores = attention(q, k, k, **options).scores
    assert close(attend_block(q, k, k, **options).lse, np.log(np.exp(scores).sum(axis=-1)), 1e-14)


@given(seeds, st.lists(st.integers(1, 4), min_size=2, max_size=5))
def test_log_sum_exp_of_merged_blocks_is_that_of_all_scores(seed: int, cuts: list[int]) -> None:
    _, blocks = drawn_blocks(seed, cuts)
    total = np.logaddexp.reduce([block.lse for block in blocks])
    merged = functools.reduce(merge_blocks, blocks).lse
    assert np.array_equal(np.isneginf(total), np.isneginf(merged))
    assert close(np.exp(merged), np.exp(total), 1e-12 * np.exp(total).max())


@pytest.mark.parametrize("options", [{"causal": True}, {"window": 2}, {"causal": True, "window": 3}], ids=str)
@pytest.mark.parametrize("cuts", [[5], [2, 3], [1, 1, 1, 1, 1], [3, 2]], ids=str)
@pytest.mark.parametrize("n_q", [1, 3, 5, 7])
def test_causal_blocks_know_where_they_stand(options: dict[str, Any], cuts: list[int], n_q: int) -> None:
    rng = np.random.default_rng(7)
    q, k, v = rng.standard_normal((2, n_q, 3)), rng.standard_normal((2, 5, 3)), rng.standard_normal((2, 5, 1))
    ends, merged = [0, *itertools.accumulate(cuts)], EMPTY_BLOCK
    mask = rng.random((n_q, 5)) < 0.8
    for start, stop in itertools.pairwise(ends):
        keys = slice(start, stop)
        offset = 5 - n_q - start
        block = attend_block(q, k[:, keys], v[:, keys], mask=mask[:, keys], offset=offset, **options)
        merged = merge_blocks(merged, block)
    assert close(merged.output, attention(q, k, v, mask=mask, **options).output, 1e-14)
    whole = attend_block(q, k, v, **options)
    assert close(whole.output, attention(q, k, v, **options).output, 1e-15)


def test_a_block_far_from_its_queries_is_hidden_or_seen_as_a_whole() -> None:
    q, k, v = [[1.0]], [[1.0], [2.0]], [[3.0], [4.0]]
    assert attend_block(q, k, v, causal=True, offset=-1).normaliser == 0
    assert attend_block(q, k, v, causal=True, offset=10**20).normaliser > 1
    assert attend_block(q, k, v, window=3, offset=np.int32(4)).normaliser == 0  # type: ignore[arg-type]
    assert np.array_equal(attend_block(q, k, v, offset=-9).output, attention(q, k, v).output)
