"""What attention costs: floating-point operations and bytes, counted, not measured.

One multiply-add counts as 2 FLOPs, as is usual; papers that count it as 1 (MACs) have half our numbers. Matrix products
only: softmax, norms and biases are left out. Bytes are bytes: 10^6 of them are 1 MB, 2^20 are 1 MiB.
"""

import math
from fractions import Fraction

from .checks import check_count, check_flag, check_positive
from .configs import Config


def matmul_flops(m: int, k: int, n: int) -> int:
    """Count the FLOPs of an (m, k) matrix times a (k, n) matrix: m·n dot products of k multiply-adds.

    >>> matmul_flops(7, 5, 3)
    210
    """
    m, k, n = (check_count(name, size, 0) for name, size in (("m", m), ("k", k), ("n", n)))
    return 2 * m * k * n


def visible_pair_count(n_q: int, n_k: int | None = None, *, causal: bool = False, window: int | None = None) -> int:
    """Count the pairs of query and key that see each other; `n_k` is `n_q` where left out.

    The pairs are those of `causal_mask` and `sliding_window_mask`, which need not exist for it.

    >>> visible_pair_count(4), visible_pair_count(4, causal=True), visible_pair_count(4, causal=True, window=2)
    (16, 10, 7)
    """
    n_q, n_k = _tokens(n_q, n_k)
    reach = n_q + n_k  # no pair is farther apart
    if window is not None:
        reach = min(reach, check_count("window", window, why="it counts the current token") - 1)
    ahead = 0 if check_flag("causal", causal) else reach
    return _pairs_up_to(ahead, n_q, n_k) - _pairs_up_to(-reach - 1, n_q, n_k)


def _pairs_up_to(distance: int, n_q: int, n_k: int) -> int:
    """Count the pairs whose key is at most this far ahead of the query: so many are below a diagonal of the scores."""
    first, last = n_k - n_q + distance, n_k + distance  # keys that the first query sees, and the one after the last
    return _triangle(last) - _triangle(first) - _triangle(last - n_k) + _triangle(first - n_k)


def _triangle(n: int) -> int:
    """Return 1 + 2 + … + n; 0 where n is negative."""
    return n * (n + 1) // 2 if n > 0 else 0


def attention_flops(
    config: Config, n_q: int, n_k: int | None = None, *, causal: bool = False, window: int | None = None
) -> int:
    """Count the FLOPs of scores and weighted sums in one layer, all heads: 4 · n_q · n_k · n_heads · d_head.

    `n_k` is `n_q` where left out. With `causal` or `window`, only the pairs that these let see each other are counted,
    as if none of the others were computed: for long sequences half of all where it is causal.

    >>> from attention import MODELS
    >>> attention_flops(MODELS["gpt2"], 1024)
    3221225472
    >>> attention_flops(MODELS["gpt2"], 1024, causal=True)
    1612185600
    """
    config = _checked(config)
    pairs = visible_pair_count(n_q, n_k, causal=causal, window=window)
    return 2 * config.n_heads * matmul_flops(pairs, config.d_head, 1)  # a product for its score, one for its value


def layer_flops(
    config: Config, n_q: int, n_k: int | None = None, *, causal: bool = False, window: int | None = None
) -> int:
    """Count the FLOPs of one whole layer over `n_q` new tokens that look at `n_k`: 24·n·d² + 4·n²·d for GPT-2.

    `causal` and `window` are those of `attention_flops`.

    >>> from attention import MODELS
    >>> n, d = 1024, 768
    >>> layer_flops(MODELS["gpt2"], n) == 24 * n * d**2 + 4 * n**2 * d
    True
    """
    config = _checked(config)
    n_q, n_k = _tokens(n_q, n_k)
    d_q, d_kv = config.n_heads * config.d_head, config.n_kv_heads * config.d_head
    projections = 2 * matmul_flops(n_q, config.d_model, d_q) + 2 * matmul_flops(n_q, config.d_model, d_kv)
    feed_forward = (3 if config.gated else 2) * matmul_flops(n_q, config.d_model, config.d_ff)
    return projections + attention_flops(config, n_q, n_k, causal=causal, window=window) + feed_forward


def training_flops_per_token(config: Config, n_tokens: int, n_params: int) -> int:
    """Count the FLOPs of training on one token: 6 · n_params + 12 · n_layers · n_heads · d_head · n_tokens.

    `n_tokens` is the length of the sequence; backward costs twice forward. Chowdhery et al., "PaLM", 2022, appendix B.

    >>> from attention import MODELS
    >>> training_flops_per_token(MODELS["gpt2"], n_tokens=1024, n_params=124_000_000)
    857246208
    """
    n_layers = _checked(config).n_layers
    return 6 * check_count("n_params", n_params, 0) + 3 * n_layers * attention_flops(config, 1, n_tokens)


def score_bytes(config: Config, n_q: int, n_k: int | None = None, *, bytes_per_number: float = 2) -> int:
    """Count the bytes of all heads' scores in one layer; one head has 1/n_heads of it.

    `bytes_per_number` may be a fraction, 0.5 for 4 bits; a byte that is begun counts as one.

    >>> from attention import MODELS
    >>> score_bytes(MODELS["gpt2"], 10_000) // 12
    200000000
    """
    n_q, n_k = _tokens(n_q, n_k)
    return _bytes(_checked(config).n_heads * n_q * n_k, bytes_per_number)


def layer_cache_bytes(config: Config, n_tokens: int, *, bytes_per_number: float = 2, window: int | None = None) -> int:
    """Count the bytes of keys and values that one layer keeps: of the last `window` tokens where it has one.

    `bytes_per_number` may be a fraction, as in `score_bytes`.

    >>> from attention import MODELS
    >>> layer_cache_bytes(MODELS["llama-2-7b"], 1), layer_cache_bytes(MODELS["llama-2-7b"], 1, bytes_per_number=0.5)
    (16384, 4096)
    """
    config = _checked(config)
    kept = check_count("n_tokens", n_tokens, 0)
    if window is not None:
        kept = min(kept, check_count("window", window, why="it counts the current token"))
    return _bytes(2 * kept * config.n_kv_heads * config.d_head, bytes_per_number)


def cache_bytes(config: Config, n_tokens: int, *, bytes_per_number: float = 2) -> int:
    """Count the bytes of keys and values that all layers keep; windowed layers stop growing.

    `bytes_per_number` may be a fraction, as in `score_bytes`.

    >>> from attention import MODELS
    >>> cache_bytes(MODELS["llama-2-7b"], 1), cache_bytes(MODELS["llama-3-8b"], 1)
    (524288, 131072)
    """
    config = _checked(config)
    full = layer_cache_bytes(config, n_tokens, bytes_per_number=bytes_per_number)
    windowed = layer_cache_bytes(config, n_tokens, bytes_per_number=bytes_per_number, window=config.window)
    return (config.n_layers - config.n_windowed_layers) * full + config.n_windowed_layers * windowed


def _tokens(n_q: int, n_k: int | None) -> tuple[int, int]:
    """Return both counts, checked; as many keys as queries where `n_k` is left out."""
    n_q = check_count("n_q", n_q, 0, "it counts tokens")
    return n_q, n_q if n_k is None else check_count("n_k", n_k, 0, "it counts tokens")


def _bytes(numbers: int, bytes_per_number: float) -> int:
    """Return the bytes of so many numbers; a byte that is begun counts as one."""
    return math.ceil(numbers * Fraction(check_positive("bytes_per_number", bytes_per_number)))


def _checked(config: Config) -> Config:
    """Return the config, or refuse what is none."""
    if not isinstance(config, Config):
        raise TypeError(f'config is {config!r}; it must be a Config, such as MODELS["gpt2"]')
    return config
