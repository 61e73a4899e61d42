"""Prompts that a model has no answer to are refused in words, before anything is computed."""

from typing import Any

import numpy as np
import pytest

from attention import KVCache
from attention.models import GPT2, gpt2, greedy, pad_prompts, stream, top_tokens
from tests.models.tiny import CAUSAL, LOADERS, model

# GPT-2's tables at full length: whatever is computed beyond looking up rows lacks its weights
TABLES = GPT2({"wte.weight": np.zeros((50257, 1)), "wpe.weight": np.zeros((1024, 1))}, n_layers=1, n_heads=1)


def narrow_gpt2(n_vocab: int) -> GPT2:
    """GPT-2 with one layer of width 1 and every weight 0."""
    shapes = gpt2.gpt2_shapes({"wte.weight": np.zeros((n_vocab, 1)), "wpe.weight": np.zeros((1024, 1))}, n_layers=1)
    return GPT2({name: np.zeros(shape) for name, shape in shapes.items()}, n_layers=1, n_heads=1)


def test_p01_gpt2_has_1024_positions_and_says_so_before_any_matrix_product() -> None:
    with pytest.raises(ValueError, match="the prompt reaches 1025 tokens; the model has positions for 1024"):
        TABLES(np.zeros(1025, int))
    assert narrow_gpt2(2)(np.zeros(1024, int)).shape == (1024, 2)


@pytest.mark.parametrize("name", LOADERS)
def test_one_token_more_than_there_are_positions_is_refused(name: str) -> None:
    assert len(model(name)([0] * 64)) == 64
    with pytest.raises(ValueError, match="the prompt reaches 65 tokens; the model has positions for 64"):
        model(name)([0] * 65)


@pytest.mark.parametrize("name", CAUSAL)
def test_cached_tokens_count_towards_the_positions(name: str) -> None:
    caches = [KVCache() for _ in range(model(name).n_layers)]
    model(name)([0] * 60, caches=caches)
    with pytest.raises(ValueError, match="the prompt reaches 65 tokens"):
        model(name)([0] * 5, caches=caches)
    with pytest.raises(ValueError, match="1 caches for"):
        model(name)([0], caches=caches[:1])


def test_an_id_that_gpt2_does_not_know_is_named() -> None:
    with pytest.raises(ValueError, match="ids go up to 50257: token_table needs 50258 rows, it has 50257"):
        TABLES([50257])
    with pytest.raises(ValueError, match="ids go down to -1"):
        TABLES([-1])
    assert narrow_gpt2(50257)([50256]).shape == (1, 50257)


@pytest.mark.parametrize("name", LOADERS)
@pytest.mark.parametrize("ids", [[], [[]], np.zeros((0,), int)])
def test_an_empty_prompt_is_refused(name: str, ids: Any) -> None:
    with pytest.raises(ValueError, match="the prompt is empty: there must be at least one token"):
        model(name)(ids)


@pytest.mark.parametrize("name", LOADERS)
def test_p09_prompts_of_different_lengths_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="different lengths; give them one by one"):
        model(name)([[1, 2, 3], [4, 5]])


@pytest.mark.parametrize("name", LOADERS)
def test_what_is_no_row_of_integers_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"ids has shape \(\); it must be"):
        model(name)(3)
    with pytest.raises(TypeError, match="ids has dtype float64"):
        model(name)([1.5])


def test_top_tokens_takes_one_row_and_a_count() -> None:
    with pytest.raises(ValueError, match=r"logits has shape \(2, 3\); it must be one row"):
        top_tokens(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="n is 0"):
        top_tokens([0.0], n=0)
    with pytest.raises(ValueError, match="n_new is 0"):
        greedy(model("gpt2"), [1], 0)


@pytest.mark.parametrize("name", CAUSAL)
def test_layers_that_share_a_cache_or_are_out_of_step_are_refused(name: str) -> None:
    n = model(name).n_layers
    with pytest.raises(ValueError, match=f"1 caches for {n} layers: every layer needs its own"):
        model(name)([1, 2], caches=[KVCache()] * n)
    caches = [KVCache() for _ in range(n)]
    model(name)([1, 2], caches=caches)
    ahead = [*caches[:-1], KVCache()]
    with pytest.raises(ValueError, match=r"the caches of the layers hold \[2, .*0\] tokens; all must hold the same"):
        model(name)([3], caches=ahead)


@pytest.mark.parametrize("name", CAUSAL)
def test_a_prompt_that_one_cache_has_no_room_for_is_kept_by_none(name: str) -> None:
    caches = [KVCache() for _ in range(model(name).n_layers - 1)] + [KVCache(capacity=3)]
    with pytest.raises(ValueError, match="0 tokens are cached, more would make 5; capacity is 3"):
        model(name)([1, 2, 3, 4, 5], caches=caches)
    assert [len(cache) for cache in caches] == [0] * len(caches)


@pytest.mark.parametrize("name", LOADERS)
def test_what_does_not_say_which_tokens_are_real_is_refused(name: str) -> None:
    with pytest.raises(
        ValueError, match=r"real has shape \(1, 3\) and ids \(1, 2\): with what is cached it must be \(1, 2\)"
    ):
        model(name)([[1, 2]], real=[[False, True, True]])
    with pytest.raises(TypeError, match="real has dtype int64; it must be boolean"):
        model(name)([1, 2], real=[0, 1])
    with pytest.raises(ValueError, match=r"real has shape \(\); it must be"):
        model(name)([1, 2], real=True)


def test_padding_and_a_window_are_refused_together() -> None:
    caches = [KVCache(window=2) for _ in range(model("gpt2").n_layers)]
    with pytest.raises(ValueError, match="a cache with a window drops tokens, padding too"):
        model("gpt2")([[1, 2]], real=[[False, True]], caches=caches)


def test_prompts_of_no_tokens_or_of_another_form_are_refused() -> None:
    for prompts in ([], [[1], []]):
        with pytest.raises(ValueError, match="the prompt is empty"):
            pad_prompts(prompts)
    with pytest.raises(ValueError, match="the prompt is empty"):
        greedy(model("gpt2"), [], 1)
    with pytest.raises(ValueError, match=r"ids has shape \(1, 2\); it must be one prompt"):
        next(stream(model("gpt2"), [[1, 2]]))  # type: ignore[list-item]
    with pytest.raises(TypeError, match="ids has dtype float64"):
        greedy(model("gpt2"), [[1.5], [1, 2]], 1)  # type: ignore[list-item]
