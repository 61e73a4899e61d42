"""The package's functions without checks, and tables as text: what a script that stands alone brings along.

They compute what the public functions compute of arrays of real numbers whose shapes fit. `FORMS` names the forms of a
public function, the shortest first: a script takes the first that has every argument it uses.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple
from unicodedata import east_asian_width

import numpy as np

from attention import core
from attention.core import Array, Attention

FORMS = {
    "attention": ("core.attend", "attention_masked", "attention_with_options"),
    "attention_scores": ("core.attention_scores", "attention_scores"),
    "causal_mask": ("core.causal", "causal_mask"),
    "merge_heads": ("core.merge_heads",),
    "multi_head_attention": (
        "multi_head_attention",
        "multi_head_attention_with_biases",
        "multi_head_attention_with_options",
    ),
    "repeat_heads": ("core.repeat_heads",),
    "softmax": ("core.softmax", "softmax", "softmax_along_axis"),
    "split_heads": ("core.split_heads", "split_heads_or_refuse"),
    "embed": ("embed", "embed_or_refuse"),
}


def table(
    values: Any, rows: Any = (), cols: Any = (), caption: str = "", digits: int = 2, percent: bool = False
) -> str:
    """Show a matrix as text; a Chinese character takes two columns."""
    values, form = np.atleast_2d(values), f"z.{digits}{'%' if percent else 'f'}"

    def write(x: Any) -> str:
        text = "·✓"[int(x)] if values.dtype == bool else f"{float(x):{form}}"
        return "NaN" if x != x else text.replace("%", " %").replace("-", "−").replace("inf", "∞")

    lines = [["", *cols]] * (len(cols) > 0)
    lines += [[name, *map(write, row)] for name, row in zip([*rows] or [""] * len(values), values)]  # noqa: B905
    wide = [[sum(1 + (east_asian_width(c) in "WF") for c in cell) for cell in line] for line in lines]
    widths = [max(column) for column in zip(*wide)]  # noqa: B905
    text = ("  ".join(" " * (a - b) + cell for a, b, cell in zip(widths, w, line)) for w, line in zip(wide, lines))  # noqa: B905
    return "\n".join([caption] * (caption != "") + [*text])


def attention_masked(
    q: Array, k: Array, v: Array, mask: Array | bool = True, causal: bool = False, scale: float | None = None
) -> Attention:
    """Attend where mask and order allow it."""
    q, k = np.asarray(q) / 1.0, np.asarray(k)
    visible = core.causal(q.shape[-2], k.shape[-2]) & mask if causal else mask
    return core.attend(q, k, v, visible, lambda q, k: core.attention_scores(q, k, scale))


def attention_with_options(
    q: Array,
    k: Array,
    v: Array,
    mask: Array | bool = True,
    bias: Array | float = 0.0,
    causal: bool = False,
    window: int | None = None,
    scale: float | None = None,
) -> Attention:
    """Attend where mask, bias, order and window allow it; what is hidden may even be NaN, and heads may share keys."""
    if k.ndim > 2 and k.shape[-3] < q.shape[-3]:
        k, v = core.repeat_heads(k, q.shape[-3]), core.repeat_heads(v, q.shape[-3])
    scores = core.attention_scores(q, k, scale) + bias
    queries, keys = core.positions(*scores.shape[-2:])
    mask = mask & (keys <= queries) if causal else mask
    mask = mask if window is None else mask & (abs(keys - queries) < window)
    visible = np.broadcast_to(mask & (np.asarray(bias) > -np.inf), scores.shape)
    scores = np.where(visible, scores, -np.inf)
    weights = core.softmax(scores)
    if np.isfinite(v).all():
        return Attention(scores, weights, weights @ v)
    where = visible[..., None] & ~np.isfinite(v)[..., None, :, :]
    rest = np.where(where, weights[..., None] * v[..., None, :, :], 0).sum(axis=-2)
    return Attention(scores, weights, weights @ np.where(np.isfinite(v), v, 0) + rest)


def attention_scores(q: Array, k: Array, scale: float | None = None) -> Array:
    """Compare every query with every key; both may be lists, and heads may share keys."""
    q, k = np.asarray(q) / 1.0, np.asarray(k) / 1.0
    k = core.repeat_heads(k, q.shape[-3]) if k.ndim > 2 and k.shape[-3] < q.shape[-3] else k
    return core.attention_scores(q, k, scale)


def split_heads_or_refuse(x: Array, n_heads: int) -> Array:
    """Give every head its slice of each token, if the width can be cut so."""
    if x.shape[-1] % n_heads:
        rule = f"its width {x.shape[-1]} cannot be cut into {n_heads} equally wide heads"
        raise ValueError(f"x has shape {x.shape}: {rule}")
    return core.split_heads(x, n_heads)


def causal_mask(n_q: int, n_k: int | None = None) -> Array:
    """Let every query see its own token and those before it."""
    return core.causal(n_q, n_q if n_k is None else n_k)


def sliding_window_mask(n_q: int, n_k: int | None = None, *, window: int) -> Array:
    """Let every query see the `window` keys that end with its own token."""
    queries, keys = core.positions(n_q, n_q if n_k is None else n_k)
    return (keys > queries - window) & (keys <= queries)


def padding_mask(lengths: Array, n_k: int) -> Array:
    """Hide what was only added to make all sequences equally long."""
    mask: Array = np.arange(n_k) < np.asarray(lengths)[..., None, None]
    return mask


def softmax(scores: Array, temperature: float = 1.0) -> Array:
    """Turn scores, divided by the temperature, into weights that sum to 1."""
    return core.softmax(core.below_maximum(np.asarray(scores) / 1.0) / temperature)


def softmax_along_axis(scores: Array, axis: int = -1, temperature: float = 1.0) -> Array:
    """Turn scores, divided by the temperature, into weights that sum to 1 along an axis."""
    scores = np.ascontiguousarray(np.moveaxis(np.asarray(scores) / 1.0, axis, -1))
    return np.moveaxis(core.softmax(core.below_maximum(scores) / temperature), -1, axis)


def log_softmax(scores: Array) -> Array:
    """Return the logarithm of the softmax, without taking that of a number that was rounded to 0."""
    shifted = core.below_maximum(np.asarray(scores) / 1.0)
    result: Array = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return result


def linear(x: Array, w: Array, b: Array | float = 0.0) -> Array:
    """Map every token by the same matrix."""
    return x @ w + b


def project_qkv(
    x: Array,
    w_q: Array,
    w_k: Array,
    w_v: Array,
    b_q: Array | float = 0.0,
    b_k: Array | float = 0.0,
    b_v: Array | float = 0.0,
) -> tuple[Array, Array, Array]:
    """Make queries, keys and values of every token, each with a matrix of its own."""
    return x @ w_q + b_q, x @ w_k + b_k, x @ w_v + b_v


def split_qkv(fused: Array, n_heads: int) -> list[Array]:
    """Separate q, k and v where a checkpoint stores the three side by side."""
    return np.split(fused, 3, axis=-1)


def multi_head_attention(x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, *, n_heads: int) -> Attention:
    """Let every head attend with its own slices of the projections."""
    return core.multi_head(x @ w_q, x @ w_k, x @ w_v, w_o, n_heads, n_heads)


def multi_head_attention_with_biases(
    x: Array,
    w_q: Array,
    w_k: Array,
    w_v: Array,
    w_o: Array,
    *,
    n_heads: int,
    causal: bool = False,
    b_q: Array | float = 0.0,
    b_k: Array | float = 0.0,
    b_v: Array | float = 0.0,
    b_o: Array | float = 0.0,
) -> Attention:
    """Let every head attend with its own slices of the projections."""
    q, k, v = x @ w_q + b_q, x @ w_k + b_k, x @ w_v + b_v
    visible = core.causal(x.shape[-2], x.shape[-2]) if causal else True
    step = core.multi_head(q, k, v, w_o, n_heads, n_heads, lambda q, k, v: core.attend(q, k, v, visible))
    return Attention(step.scores, step.weights, step.output + b_o)


def multi_head_attention_with_options(
    x: Array,
    w_q: Array,
    w_k: Array,
    w_v: Array,
    w_o: Array,
    *,
    n_heads: int,
    b_q: Array | float = 0.0,
    b_k: Array | float = 0.0,
    b_v: Array | float = 0.0,
    b_o: Array | float = 0.0,
    **options: Any,
) -> Attention:
    """Let every head attend with its own slices of the projections."""

    def attend(q: Array, k: Array, v: Array) -> Attention:
        return attention_with_options(q, k, v, **options)

    q, k, v = x @ w_q + b_q, x @ w_k + b_k, x @ w_v + b_v
    step = core.multi_head(q, k, v, w_o, n_heads, n_heads, attend)
    return Attention(step.scores, step.weights, step.output + b_o)


def layer_norm(x: Array, weight: Array | float = 1.0, bias: Array | float = 0.0, eps: float = 1e-5) -> Array:
    """Give every token mean 0 and variance 1 over its width, then stretch and shift it."""
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    result: Array = centred / np.sqrt(variance + eps) * weight + bias
    return result


def gelu(x: Array, approximate: str = "none") -> Array:
    """Multiply every number by the part of a normal distribution that lies below it."""
    if approximate == "tanh":
        part: Array = (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))) / 2
    else:
        part = np.vectorize(math.erfc)(x / -math.sqrt(2)) / 2
    return x * part


def feed_forward(
    x: Array,
    w_in: Array,
    w_out: Array,
    b_in: Array | float = 0.0,
    b_out: Array | float = 0.0,
    activation: Callable[[Array], Array] = gelu,
) -> Array:
    """Map every token to d_ff numbers, apply the activation, and map back."""
    return activation(x @ w_in + b_in) @ w_out + b_out


def embed(ids: Array, token_table: Array, position_table: Array | None = None) -> Array:
    """Look up the row of every token, and add the row of its position."""
    x: Array = token_table[np.asarray(ids)]
    return x if position_table is None else x + position_table[: x.shape[-2]]


def embed_or_refuse(ids: Array, token_table: Array, position_table: Array | None = None) -> Array:
    """Look up the row of every token, if there is one, and add the row of its position."""
    largest, rows = np.max(ids), len(token_table)
    if largest >= rows:
        raise ValueError(f"ids go up to {largest}: token_table needs {largest + 1} rows, it has {rows}")
    return embed(ids, token_table, position_table)


class Block(NamedTuple):
    """Attention over some of the keys, with what is needed to merge it with others."""

    output: Array
    maximum: Array
    normaliser: Array

    @property
    def lse(self) -> Array:
        """The logarithm of the sum of exp(score)."""
        return (self.maximum + np.log(np.where(self.normaliser == 0, 1, self.normaliser)))[..., 0]


EMPTY_BLOCK = Block(np.zeros((1, 1)), np.full((1, 1), -np.inf), np.zeros((1, 1)))


def attend_block(q: Array, k: Array, v: Array, scale: float | None = None, mask: Array | bool = True) -> Block:
    """Attend to one block of keys as if there were no others, in float32 at least."""
    q, k, v = (x.astype(np.result_type(x, np.float32)) for x in (q, k, v))
    scores = np.where(mask, core.attention_scores(q, k, scale), -np.inf)
    normaliser = np.exp(core.below_maximum(scores)).sum(axis=-1, keepdims=True)
    return Block(core.softmax(scores) @ v, scores.max(axis=-1, keepdims=True), normaliser)


def merge_blocks(a: Block, b: Block) -> Block:
    """Make of attention over two sets of keys the attention over both."""
    maximum = np.maximum(a.maximum, b.maximum)
    finite = np.maximum(maximum, np.finfo(float).min)  # -inf - -inf would be NaN
    part_a, part_b = (x.normaliser * np.exp(x.maximum - finite) for x in (a, b))
    normaliser = part_a + part_b
    divisor = np.where(normaliser == 0, 1, normaliser)
    return Block(part_a / divisor * a.output + part_b / divisor * b.output, maximum, normaliser)


def tiled_attention(q: Array, k: Array, v: Array, *, causal: bool = False, block_q: int, block_k: int) -> Array:
    """Give the output of attention without ever holding all scores at once."""
    rows = []
    for i in range(0, q.shape[-2], block_q):
        merged = EMPTY_BLOCK
        part = q[..., i : i + block_q, :]
        queries = np.arange(i, i + part.shape[-2])[:, None] + k.shape[-2] - q.shape[-2]
        for j in range(0, k.shape[-2], block_k):
            keys, values = k[..., j : j + block_k, :], v[..., j : j + block_k, :]
            visible = np.arange(j, j + keys.shape[-2]) <= queries if causal else True
            merged = merge_blocks(merged, attend_block(part, keys, values, mask=visible))
        rows.append(merged.output)
    return np.concatenate(rows, axis=-2)


class KVCache:
    """Keys and values of one layer, in the order in which their tokens came."""

    def __init__(self) -> None:
        """Hold nothing yet."""
        self.k: Any = None
        self.v: Any = None

    def append(self, k: Array, v: Array) -> None:
        """Add the keys and values of the next tokens."""
        self.k = k if self.k is None else np.concatenate([self.k, k], axis=-2)
        self.v = v if self.v is None else np.concatenate([self.v, v], axis=-2)

    def __len__(self) -> int:
        """Return how many tokens the cache holds."""
        return 0 if self.k is None else len(self.k)

    def attend(self, q: Array) -> Attention:
        """Attend from the newest tokens to themselves and all before them."""
        return core.attend(q, self.k, self.v, core.causal(q.shape[-2], self.k.shape[-2]))


def attention_backward(q: Array, k: Array, v: Array, dout: Array) -> tuple[Array, Array, Array]:
    """Return the gradients of q, k and v, given that of the output."""
    weights = core.attend(q, k, v).weights
    dweights = dout @ v.swapaxes(-1, -2)
    dscores = weights * (dweights - (weights * dweights).sum(axis=-1, keepdims=True))
    scale = 1 / math.sqrt(q.shape[-1])
    return dscores @ k * scale, dscores.swapaxes(-1, -2) @ q * scale, weights.swapaxes(-1, -2) @ dout


class Config(NamedTuple):
    """The numbers of a transformer that its cost depends on."""

    n_layers: int
    d_model: int
    n_heads: int
    n_kv_heads: int
    d_head: int
    d_ff: int
    gated: bool = False
    window: int | None = None
    n_windowed_layers: int = 0


def matmul_flops(m: int, k: int, n: int) -> int:
    """Count the FLOPs of an (m, k) matrix times a (k, n) matrix."""
    return 2 * m * k * n


def attention_flops(config: Config, n_q: int, n_k: int | None = None) -> int:
    """Count the FLOPs of scores and weighted sums in one layer."""
    return 4 * n_q * (n_q if n_k is None else n_k) * config.n_heads * config.d_head


def layer_flops(config: Config, n_q: int, n_k: int | None = None) -> int:
    """Count the FLOPs of one layer over `n_q` new tokens that look at `n_k`."""
    heads = 2 * (config.n_heads + config.n_kv_heads) * config.d_head
    maps = heads + (3 if config.gated else 2) * config.d_ff
    return 2 * n_q * config.d_model * maps + attention_flops(config, n_q, n_k)


def score_bytes(config: Config, n_q: int, bytes_per_number: int = 2) -> int:
    """Count the bytes of all heads' scores in one layer."""
    return config.n_heads * n_q * n_q * bytes_per_number


def cache_bytes(config: Config, n_tokens: int, bytes_per_number: int = 2) -> int:
    """Count the bytes of keys and values that all layers keep; windowed layers stop growing."""
    windowed = config.n_windowed_layers * min(n_tokens, config.window or n_tokens)
    rows = (config.n_layers - config.n_windowed_layers) * n_tokens + windowed
    return 2 * rows * config.n_kv_heads * config.d_head * bytes_per_number
