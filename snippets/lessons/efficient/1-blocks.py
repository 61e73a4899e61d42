# %% setup
import numpy as np

from attention import (
    EMPTY_BLOCK,
    MODELS,
    KVCache,
    attend_block,
    attention,
    attention_scores,
    cache_bytes,
    merge_blocks,
    repeat_heads,
    tiled_attention,
)
from lessonkit import Box, Figure, Flow, Heat, Labels, Line, Plot, Table

labels = Labels("efficient")


def off(a, b):
    """Return the largest difference."""
    return np.abs(a - b).max()


# %% small
query = np.array([[3.0, 1.0]])
keys = np.array([[3.0, 1.0], [1.0, 3.0], [2.7, 1.009]])
values = np.array([[6.0, 0.5], [0.5, 6.0], [2.0, 2.0]])
whole = attention(query, keys, values, scale=1)

# %% small-weights
small_tokens = labels["small-tokens"]
Table(
    whole.weights,
    "weights",
    small_tokens[:1],
    small_tokens,
    of=whole.scores,
)

# %% two-blocks
first = attend_block(query, keys[:2], values[:2], scale=1)
second = attend_block(query, keys[2:], values[2:], scale=1)

# %% show-blocks
kept = np.vstack([np.hstack(block)[0] for block in (first, second)])
kept = kept[:, [2, 3, 0, 1]]
Table(kept, **labels("show-blocks"), digits=3)

# %% averaged
averaged = (first.output + second.output) / 2
print("plain average: ", averaged.round(3))
print("all at once:   ", whole.output.round(3))

# %% shares
largest = max(first.maximum.item(), second.maximum.item())
totals = [
    (block.normaliser * np.exp(block.maximum - largest)).item()
    for block in (first, second)
]
shares = np.array(totals) / sum(totals)
print("on a common scale:", np.round(totals, 3))
print("shares:           ", shares.round(3))
print("blended:", (shares @ np.vstack([first[0], second[0]])).round(3))

# %% merged
merged = merge_blocks(first, second)
print("two blocks:  ", merged.output)
print("all at once: ", whole.output)
print("off by:      ", off(merged.output, whole.output))


# %% stream
def stream(q, k, v, size):
    """Attend to `size` keys at a time; forget each block's scores."""
    so_far = EMPTY_BLOCK
    for start in range(0, len(k), size):
        part = slice(start, start + size)
        so_far = merge_blocks(so_far, attend_block(q, k[part], v[part]))
    return so_far.output


# %% stream-equal
rng = np.random.default_rng(0)
n, d = 1000, 64
q, k, v = rng.standard_normal((3, n, d))
plain = attention(q, k, v).output
sizes = [n, 100, 10, 1]
errors = [off(stream(q, k, v, size), plain) for size in sizes]
for size, error in zip(sizes, errors, strict=True):
    held = attention_scores(q, k[:size]).nbytes
    print(f"{size:4} keys a block: {held:8} bytes, off by {error:.0e}")

# %% tiled
causal = attention(q, k, v, causal=True).output
tiled = tiled_attention(q, k, v, causal=True, block_q=100, block_k=100)
print(f"off by {off(tiled, causal):.0e}")

# %% tiles
few = np.random.default_rng(3).standard_normal((3, 8, 2)).round(1)
few_q, few_k, few_v = few * [[[2]], [[1]], [[1]]]
tile, opening = 2, 2
account = EMPTY_BLOCK
for i in range(0, (opening + 1) * tile, tile):
    cols = slice(i, i + tile)
    now = attend_block(few_q[:tile], few_k[cols], few_v[cols])
    account = merge_blocks(account, now)
Figure(
    "sweep-tiles",
    {"q": few_q, "k": few_k, "v": few_v, "size": tile, "start": opening},
    {
        "maximum": account.maximum[:, 0],
        "normaliser": account.normaliser[:, 0],
        "output": account.output,
    },
    Table(attention_scores(few_q, few_k), "scores"),
)

# %% memory
lengths = np.array([1e3, 1e4, 1e5, 1e6])
size = 2  # bytes of a number in half precision
all_scores = size * lengths**2
one_strip = size * lengths * 128
one_tile = size * 128 * 1024 * np.ones_like(lengths)
inputs_and_output = size * 4 * lengths * 64

# %% memory-plot
Plot(
    [
        Line(labels["all-scores"], lengths, all_scores, "scores"),
        Line(labels["a-strip-128-keys"], lengths, one_strip, "weights"),
        Line(labels["one-tile-128-1024"], lengths, one_tile, "key"),
        Line(
            labels["q-k-v-and-output"], lengths, inputs_and_output, "output"
        ),
    ],
    **labels(
        "memory-plot",
        all_scores_0_1000000_0=all_scores[0] / 1000000.0,
        all_scores_last_1000000000000_0=all_scores[-1] / 1000000000000.0,
        one_strip_0_1000000_0=one_strip[0] / 1000000.0,
        one_strip_last_1000000_0=one_strip[-1] / 1000000.0,
        one_tile_0_1000000_0=one_tile[0] / 1000000.0,
        inputs_and_output_last_1000000_0=inputs_and_output[-1] / 1000000.0,
    ),
    log_x=True,
    log_y=True,
)
