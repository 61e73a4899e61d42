"""What attention costs: floating-point operations and bytes, counted, not measured.

One multiply-add counts as 2 FLOPs, as is usual; papers that count it as 1 (MACs) have half our numbers. Matrix products
only: softmax, norms and biases are left out. Bytes are bytes: 10^6 of them are 1 MB, 2^20 are 1 MiB.
"""

from .checks import check_count
from .configs import Config


def matmul_flops(m: int, k: int, n: int) -> int:
    """Count the FLOPs of an (m, k) matrix times a (k, n) matrix: m·n dot products of k multiply-adds.

    >>> matmul_flops(7, 5, 3)
    210
    """
    m, k, n = (check_count(name, size, 0) for name, size in (("m", m), ("k", k), ("n", n)))
    return 2 * m * k * n


def attention_flops(config: Config, n_q: int, n_k: int | None = None) -> int:
    """Count the FLOPs of scores and weighted sums in one layer, all heads: 4 · n_q · n_k · n_heads · d_head.

    Nothing is saved for pairs that a mask hides. `n_k` is `n_q` where left out.

    >>> from attention import MODELS
    >>> attention_flops(MODELS["gpt2"], 1024)
    3221225472
    """
    n_q, n_k = _tokens(n_q, n_k)
    scores, output = matmul_flops(n_q, config.d_head, n_k), matmul_flops(n_q, n_k, config.d_head)
    return config.n_heads * (scores + output)


def layer_flops(config: Config, n_q: int, n_k: int | None = None) -> int:
    """Count the FLOPs of one whole layer over `n_q` new tokens that look at `n_k`: 24·n·d² + 4·n²·d for GPT-2.

    >>> from attention import MODELS
    >>> n, d = 1024, 768
    >>> layer_flops(MODELS["gpt2"], n) == 24 * n * d**2 + 4 * n**2 * d
    True
    """
    n_q, n_k = _tokens(n_q, n_k)
    d_q, d_kv = config.n_heads * config.d_head, config.n_kv_heads * config.d_head
    projections = 2 * matmul_flops(n_q, config.d_model, d_q) + 2 * matmul_flops(n_q, config.d_model, d_kv)
    feed_forward = (3 if config.gated else 2) * matmul_flops(n_q, config.d_model, config.d_ff)
    return projections + attention_flops(config, n_q, n_k) + feed_forward


def training_flops_per_token(config: Config, n_tokens: int, n_params: int) -> int:
    """Count the FLOPs of training on one token: 6 · n_params + 12 · n_layers · n_heads · d_head · n_tokens.

    `n_tokens` is the length of the sequence; backward costs twice forward. Chowdhery et al., "PaLM", 2022, appendix B.

    >>> from attention import MODELS
    >>> training_flops_per_token(MODELS["gpt2"], n_tokens=1024, n_params=124_000_000)
    857246208
    """
    return 6 * check_count("n_params", n_params, 0) + 3 * config.n_layers * attention_flops(config, 1, n_tokens)


def score_bytes(config: Config, n_q: int, n_k: int | None = None, *, bytes_per_number: int = 2) -> int:
    """Count the bytes of all heads' scores in one layer; one head has 1/n_heads of it.

    >>> from attention import MODELS
    >>> score_bytes(MODELS["gpt2"], 10_000) // 12
    200000000
    """
    n_q, n_k = _tokens(n_q, n_k)
    return config.n_heads * n_q * n_k * check_count("bytes_per_number", bytes_per_number)


def layer_cache_bytes(config: Config, n_tokens: int, *, bytes_per_number: int = 2, window: int | None = None) -> int:
    """Count the bytes of keys and values that one layer keeps: of the last `window` tokens where it has one.

    >>> from attention import MODELS
    >>> layer_cache_bytes(MODELS["llama-2-7b"], 1)
    16384
    """
    kept = check_count("n_tokens", n_tokens, 0)
    if window is not None:
        kept = min(kept, check_count("window", window, why="it counts the current token"))
    return 2 * kept * config.n_kv_heads * config.d_head * check_count("bytes_per_number", bytes_per_number)


def cache_bytes(config: Config, n_tokens: int, *, bytes_per_number: int = 2) -> int:
    """Count the bytes of keys and values that all layers keep; windowed layers stop growing.

    >>> from attention import MODELS
    >>> cache_bytes(MODELS["llama-2-7b"], 1), cache_bytes(MODELS["llama-3-8b"], 1)
    (524288, 131072)
    """
    full = layer_cache_bytes(config, n_tokens, bytes_per_number=bytes_per_number)
    windowed = layer_cache_bytes(config, n_tokens, bytes_per_number=bytes_per_number, window=config.window)
    return (config.n_layers - config.n_windowed_layers) * full + config.n_windowed_layers * windowed


def _tokens(n_q: int, n_k: int | None) -> tuple[int, int]:
    """Return both counts, checked; as many keys as queries where `n_k` is left out."""
    n_q = check_count("n_q", n_q, 0, "it counts tokens")
    return n_q, n_q if n_k is None else check_count("n_k", n_k, 0, "it counts tokens")
