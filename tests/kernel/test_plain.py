"""What a script brings along computes what the package computes, on ordinary input."""

import numpy as np
import pytest

import attention
from attention import MODELS, core
from lessonkit import plain
from lessonkit.table import Table

RNG = np.random.default_rng(0)
Q, K, V = RNG.standard_normal((3, 2, 5, 4))
X, W_Q, W_K, W_V, W_O = RNG.standard_normal((5, 8, 8))
B_Q, B_K, B_V, B_O = RNG.standard_normal((4, 8))
GPT2, MISTRAL = MODELS["gpt2"], MODELS["mistral-7b"]
SIZES = ("n_layers", "d_model", "n_heads", "n_kv_heads", "d_head", "d_ff", "gated", "window", "n_windowed_layers")


def config(name: str) -> plain.Config:
    return plain.Config(*(getattr(MODELS[name], size) for size in SIZES))


def equal(ours: object, theirs: object) -> None:
    for one, other in zip(ours, theirs, strict=True) if isinstance(ours, tuple | list) else [(ours, theirs)]:
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)  # what a sum in another order may differ by


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"causal": True},
        {"mask": np.eye(5, dtype=bool)},
        {"scale": 0.5},
        {"causal": True, "mask": np.tri(5, k=-1, dtype=bool)},
    ],
    ids=str,
)
def test_attention(options: dict[str, object]) -> None:
    equal(plain.attention_masked(Q, K, V, **options), attention.attention(Q, K, V, **options))
    equal(plain.attention_with_options(Q, K, V, **options), attention.attention(Q, K, V, **options))


@pytest.mark.parametrize(
    "options",
    [
        {"window": 2},
        {"window": 2, "causal": True},
        {"bias": RNG.standard_normal((5, 5))},
        {"bias": np.where(np.eye(5), -np.inf, 1.0)},
    ],
    ids=["window", "causal window", "bias", "bias that hides"],
)
def test_attention_with_a_window_or_a_bias(options: dict[str, object]) -> None:
    equal(plain.attention_with_options(Q, K, V, **options), attention.attention(Q, K, V, **options))


def test_attention_hides_nan_and_shares_heads() -> None:
    spoiled = V.copy()
    spoiled[:, 4] = np.nan
    equal(
        plain.attention_with_options(Q, K, spoiled, causal=True).output[:, :4],
        attention.attention(Q, K, spoiled, causal=True).output[:, :4],
    )
    few = K[:1], V[:1]
    equal(plain.attention_with_options(Q, *few), attention.attention(Q, *few))
    four = RNG.standard_normal((4, 5, 4))
    equal(plain.attention_with_options(four, K, V), attention.attention(four, K, V))
    equal(plain.attention_scores(four, K), attention.attention_scores(four, K))


def test_lists_of_whole_numbers() -> None:
    equal(plain.attention_scores([[3, 1]], [[3, 1], [1, 3]], scale=1), [[10, 6]])  # type: ignore[arg-type]
    equal(plain.softmax([1, 2]), attention.softmax([1, 2]))  # type: ignore[arg-type]
    equal(plain.log_softmax([1, 2]), attention.log_softmax([1, 2]))  # type: ignore[arg-type]


@pytest.mark.parametrize("temperature", [1.0, 0.1, 10.0])
def test_softmax(temperature: float) -> None:
    equal(plain.softmax(X, temperature), attention.softmax(X, temperature=temperature))
    equal(plain.softmax_along_axis(X, 0, temperature), attention.softmax(X, 0, temperature))


def test_masks() -> None:
    assert np.array_equal(plain.causal_mask(3), attention.causal_mask(3))
    assert np.array_equal(plain.causal_mask(2, 5), attention.causal_mask(2, 5))
    assert np.array_equal(plain.sliding_window_mask(6, window=3), attention.sliding_window_mask(6, window=3))
    assert np.array_equal(plain.sliding_window_mask(2, 6, window=3), attention.sliding_window_mask(2, 6, window=3))
    assert np.array_equal(plain.padding_mask([5, 3], 5), attention.padding_mask([5, 3], 5))  # type: ignore[arg-type]


def test_layers() -> None:
    equal(plain.linear(X, W_Q), attention.linear(X, W_Q))
    equal(plain.linear(X, W_Q, B_Q), attention.linear(X, W_Q, B_Q))
    biases = {"b_q": B_Q, "b_k": B_K, "b_v": B_V}
    equal(plain.project_qkv(X, W_Q, W_K, W_V, **biases), attention.project_qkv(X, W_Q, W_K, W_V, **biases))
    fused = np.hstack([W_Q, W_K, W_V])
    equal(plain.split_qkv(fused, 2), list(attention.split_qkv(fused, 2)))
    equal(plain.layer_norm(X, B_Q, B_K), attention.layer_norm(X, B_Q, B_K))
    for approximate in ("none", "tanh"):
        equal(plain.gelu(X, approximate), attention.gelu(X, approximate))
    equal(plain.feed_forward(X, W_Q, W_K, B_Q, B_K), attention.feed_forward(X, W_Q, W_K, B_Q, B_K))
    equal(plain.embed([2, 1], X, W_Q), attention.embed([2, 1], X, W_Q))  # type: ignore[arg-type]
    equal(plain.embed_or_refuse([2, 1], X), attention.embed([2, 1], X))  # type: ignore[arg-type]


def test_multi_head_attention() -> None:
    weights = W_Q, W_K, W_V, W_O
    equal(plain.multi_head_attention(X, *weights, n_heads=2), attention.multi_head_attention(X, *weights, n_heads=2))
    options = {"causal": True, "b_q": B_Q, "b_k": B_K, "b_v": B_V, "b_o": B_O}
    theirs = attention.multi_head_attention(X, *weights, n_heads=2, **options)
    equal(plain.multi_head_attention_with_biases(X, *weights, n_heads=2, **options), theirs)
    equal(plain.multi_head_attention_with_options(X, *weights, n_heads=2, **options), theirs)
    equal(
        plain.multi_head_attention_with_biases(X, *weights, n_heads=2),
        attention.multi_head_attention(X, *weights, n_heads=2),
    )


@pytest.mark.parametrize("causal", [False, True])
def test_parts_of_the_keys(causal: bool) -> None:
    equal(
        plain.tiled_attention(Q, K, V, causal=causal, block_q=2, block_k=2),
        attention.attention(Q, K, V, causal=causal).output,
    )
    first, second = (plain.attend_block(Q, K[:, run], V[:, run]) for run in (slice(2), slice(2, 5)))
    equal(plain.merge_blocks(first, second), attention.attend_block(Q, K, V))
    equal(plain.merge_blocks(first, second).lse, attention.attend_block(Q, K, V).lse)
    assert plain.attend_block(Q.astype(np.float16), K, V).output.dtype == np.float64


def test_the_cache_and_the_gradients() -> None:
    cache = plain.KVCache()
    assert len(cache) == 0
    for token in range(5):
        cache.append(K[0, token : token + 1], V[0, token : token + 1])
    assert len(cache) == 5
    equal(cache.attend(Q[0, 3:]), attention.attention(Q[0, 3:], K[0], V[0], causal=True))
    equal(
        plain.attention_backward(Q, K, V, X[:5, :4]),
        tuple(attention.attention_backward(Q, K, V, np.stack([X[:5, :4]] * 2))),
    )


@pytest.mark.parametrize("name", MODELS)
def test_costs(name: str) -> None:
    ours, theirs = config(name), MODELS[name]
    assert plain.matmul_flops(2, 3, 4) == attention.matmul_flops(2, 3, 4)
    for sizes in ((100,), (1, 100)):
        assert plain.attention_flops(ours, *sizes) == attention.attention_flops(theirs, *sizes)
        assert plain.layer_flops(ours, *sizes) == attention.layer_flops(theirs, *sizes)
    assert plain.score_bytes(ours, 100) == attention.score_bytes(theirs, 100)
    for n_tokens in (1, 10_000):
        assert plain.cache_bytes(ours, n_tokens) == attention.cache_bytes(theirs, n_tokens)


def test_what_is_refused_is_refused_in_the_package_s_words() -> None:
    with pytest.raises(ValueError) as ours:  # noqa: PT011
        plain.split_heads_or_refuse(X, 3)
    with pytest.raises(ValueError, match="cannot be cut into 3 equally wide heads") as theirs:
        attention.split_heads(X, 3)
    assert str(ours.value) == str(theirs.value)
    with pytest.raises(ValueError, match="needs 10 rows, it has 8") as ours:
        plain.embed_or_refuse([9], X)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="needs 10 rows, it has 8") as theirs:
        attention.embed([9], X)
    assert str(ours.value) == str(theirs.value)
    equal(plain.split_heads_or_refuse(X, 2), core.split_heads(X, 2))


@pytest.mark.parametrize(
    ("values", "percent"),
    [
        ([[0.5, -0.25], [1, -np.inf]], False),
        ([[0.982, 0.018]], True),
        ([[True, False]], False),
        ([[np.nan, -0.001]], False),
    ],
)
def test_a_table_is_the_page_s_as_text(values: list[list[float]], percent: bool) -> None:
    rows, cols = ["苹", "long name"][: len(values)], ["果", "b"]
    digits = 1 if percent else 2
    ours = plain.table(values, rows, cols, caption="c", digits=digits, percent=percent)
    assert ours.split() == repr(Table(values, rows=rows, cols=cols, caption="c", percent=percent)).split()
    assert plain.table([1.0]).split() == ["1.00"]
