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

# %% cache
cache = KVCache()
rows = []
for t in range(n):
    cache.append(k[t : t + 1], v[t : t + 1])
    rows.append(cache.attend(q[t : t + 1]).output)
one_by_one = np.vstack(rows)
print(f"{len(cache)} tokens cached, off by {off(one_by_one, causal):.0e}")

# %% cache-counts
steps = np.arange(1, n + 1)
again = [steps.sum(), (steps**2).sum()]
with_cache = [n, steps.sum()]
fewer = again[1] / with_cache[1]

# %% cache-table
counts = np.array([again, with_cache]).T
Table(counts, **labels("cache-table", n=n), digits=0)

# %% groups
n_heads, n_kv_heads = 12, 4
q_heads = rng.standard_normal((n_heads, 100, 64))
k_heads, v_heads = rng.standard_normal((2, n_kv_heads, 100, 64))
grouped = attention(q_heads, k_heads, v_heads).output
k_copies, v_copies = (repeat_heads(x, 12) for x in (k_heads, v_heads))
group_error = off(grouped, attention(q_heads, k_copies, v_copies).output)
print("off by", group_error)

# %% rank
thin_q = rng.standard_normal((12, 64, 4))
ranks = []
for heads in (12, 4, 1):
    thin_k = rng.standard_normal((heads, 64, 4))
    all_rows = attention_scores(thin_q, thin_k).reshape(-1, 64)
    ranks.append(int(np.linalg.matrix_rank(all_rows)))
    print(f"{heads:2} key-value heads: rank {ranks[-1]}")

# %% shared
shared = [[heads, 2 * heads * 64, 4 * heads * 64] for heads in (12, 4, 1)]

# %% groups-table
Table(shared, **labels("groups-table"), digits=0)


# %% layers
def through_layers(x, n_layers, window):
    """Stack windowed attention; no weights, every key scores alike."""
    states = [x]
    for _ in range(n_layers):
        step = attention(x, x, x, causal=True, window=window, scale=0)
        x = step.output
        states.append(x)
    return np.array(states)


# %% reach
window, n_layers = 4, 4
before = rng.standard_normal((16, 8))
after = before.copy()
after[0] += 1  # another first token
difference = through_layers(after, n_layers, window)
difference -= through_layers(before, n_layers, window)
touched = np.abs(difference).max(axis=-1) > 0
farthest = [int(np.nonzero(row)[0].max()) for row in touched[1:]]
print("last token that notices, layer by layer:", farthest)

# %% reach-picture
Heat(
    touched[1:],
    "output",
    **labels(
        "reach-picture",
        window=window,
        n_layers=n_layers,
        last=len(before) - 1,
        farthest=farthest,
        more=window - 1,
    ),
    side=28,
)

# %% models
per_token = {name: cache_bytes(MODELS[name], 1) for name in MODELS}
print("gpt2:      ", per_token["gpt2"])
print("llama-2-7b:", per_token["llama-2-7b"])

# %% models-table
sizes_of = [
    [c.n_layers, c.n_heads, c.n_kv_heads, c.d_head, per_token[name]]
    for name, c in MODELS.items()
]
Table(sizes_of, rows=list(MODELS), **labels("models-table"), digits=0)

# %% windowed
long = 32_768
gigabytes = {
    name: [cache_bytes(MODELS[name], m) / 1e9 for m in (4096, long)]
    for name in ("llama-2-7b", "llama-3-8b", "mistral-7b", "gemma-2-9b")
}
cols = [labels("tokens", m=m) for m in (4096, long)]
Table(
    list(gigabytes.values()),
    rows=list(gigabytes),
    cols=cols,
    **labels("windowed"),
)


# %% fold
def fold(blocks):
    """Merge one block after the other."""
    total = EMPTY_BLOCK
    for block in blocks:
        total = merge_blocks(total, block)
    return total


# %% spread
n_workers = 4
runs = np.split(np.arange(n), n_workers)
blocks = [attend_block(q, k[run], v[run]) for run in runs]
pairs = [fold(blocks[:2]), fold(blocks[2:])]
orders = {
    "1, 2, 3, 4": fold(blocks),
    "4, 3, 2, 1": fold(blocks[::-1]),
    "3, 1, 4, 2": fold([blocks[i] for i in (2, 0, 3, 1)]),
    "(1, 2), (3, 4)": fold(pairs),
}
for order, total in orders.items():
    print(f"{order:15} off by {off(total.output, plain):.0e}")

# %% sent
n_keys, machines = 131_072, 8
held = n_keys // machines
one_q = rng.standard_normal((1, 64)).astype(np.float16)
own_k, own_v = rng.standard_normal((2, held, 64)).astype(np.float16)
block = attend_block(one_q, own_k, own_v)  # computed in float32
received, sent = one_q.nbytes, sum(part.nbytes for part in block)
ring = (machines - 1) * (own_k.nbytes + own_v.nbytes)
print(received, sent, ring)

# %% sent-table
others = n_keys - held  # the queries that stand on other machines
moved = np.array([[received, sent], [received * others, sent * others]])
moved = np.hstack([moved, [[ring], [ring]]])
Table(
    moved,
    **labels("sent-table", n_keys=n_keys, machines=machines),
    digits=0,
)

# %% spread-flow
own = f"{len(runs[0])}×{d}"
Flow(
    [
        [Box(labels["query"], f"1×{d}", "query")],
        [Box("K, V", own, "key") for _ in runs],
        [Box(labels["block"], f"1×({d}+2)", "output") for _ in runs],
        [Box(labels["merge"], f"1×({d}+2)", "output") for _ in range(2)],
        [Box(labels["output"], f"1×{d}", "output")],
    ],
    [
        *((0, i) for i in range(1, 5)),
        *((i, i + 4) for i in range(1, 5)),
        (5, 9),
        (6, 9),
        (7, 10),
        (8, 10),
        (9, 11),
        (10, 11),
    ],
    **labels("spread-flow", n_workers=n_workers, len_runs_0=len(runs[0])),
)


# %% try-bytes
in_one_byte = cache_bytes(MODELS["llama-2-7b"], 1, bytes_per_number=1)
print(in_one_byte)


# %% check-merge
def check_merge(merge):
    """Test merge(out_a, lse_a, out_b, lse_b) on the first two blocks."""
    a, b = blocks[:2]
    given = merge(a.output, a.lse, b.output, b.lse)
    right = merge_blocks(a, b).output
    error = off(given, right)
    if error > 1e-12:
        raise ValueError(f"your merge is off by {error:.2g}")
    print(f"right: off by {error:.0e}")


# %% exercise-merge
def merge_lse(out_a, lse_a, out_b, lse_b):
    share_a = 1 / (1 + np.exp(lse_b - lse_a))[:, None]
    return share_a * out_a + (1 - share_a) * out_b


check_merge(merge_lse)


# %% check-fit
def check_fit(fit):
    """Test fit(config, n_bytes): how many tokens' cache fits."""
    for name, config in MODELS.items():
        if config.window is None:
            given, right = fit(config, 2**33), 2**33 // per_token[name]
            if given != right:
                raise ValueError(f"{name}: {given} given, {right} fit")
    print("right for every model without a window")


# %% exercise-fit
def fit(config, n_bytes):
    numbers = 2 * config.n_layers * config.n_kv_heads * config.d_head
    return n_bytes // (2 * numbers)


check_fit(fit)
fitting = {
    name: fit(MODELS[name], 2**33) for name in ("llama-2-7b", "llama-3-8b")
}
print(fitting)


# %% check-reach
def check_reach(reach):
    """Test reach(n_layers, window) against runs through the layers."""
    x = np.random.default_rng(1).standard_normal((24, 8))
    other = x.copy()
    other[0] += 1
    for layers, size in ((1, 4), (3, 4), (4, 3), (2, 1), (5, 2)):
        a, b = (through_layers(y, layers, size)[-1] for y in (x, other))
        right = int(np.nonzero(np.abs(a - b).max(axis=-1))[0].max())
        given = reach(layers, size)
        if given != right:
            case = f"{layers} layers, window {size}"
            raise ValueError(f"{case}: {given} given, {right} measured")
    print("right in all five cases")


# %% exercise-reach
def reach(n_layers, window):
    return n_layers * (window - 1)


check_reach(reach)
mistral = MODELS["mistral-7b"]
span = reach(mistral.n_layers, mistral.window)
print("mistral-7b:", span)

# %% facts
declared = {
    "2018": "Milakov and Gimelshein",
    "2019": "Shazeer; GPT-2",
    "2020": "Longformer",
    "2021": "Rabe and Staats",
    "2022": "FlashAttention",
    "2023": "GQA, ring attention, Llama 2, Mistral, Falcon, Flash-Decoding",
    "2024": "Llama 3, Qwen2 and Gemma 2",
}
facts = {
    "weights": whole.weights,
    "keys": keys,
    "values": values,
    "scores": whole.scores,
    "kept": kept,
    "two exponentials": np.exp([0.0, -4.0]),
    "totals": totals,
    "shares": shares,
    "merged": merged.output,
    "averaged": averaged,
    "merge error": off(merged.output, whole.output),
    "sizes": sizes,
    "held": [attention_scores(q, k[:size]).nbytes for size in sizes],
    "stream errors": errors,
    "tiled error": off(tiled, causal),
    "all scores, TB": all_scores[-1] / 1e12,
    "all scores": all_scores,
    "strip, MB": one_strip / 1e6,
    "tile, MB": one_tile / 1e6,
    "q, k, v and output, MB": inputs_and_output / 1e6,
    "tile": [128, 1024],
    "width": d,
    "cache error": off(one_by_one, causal),
    "again": again,
    "with cache": with_cache,
    "times fewer scores": fewer,
    "rows again": again[0],
    "group error": group_error,
    "heads": [12, 4, 1],
    "shared": shared,
    "ranks": ranks,
    "rows of scores": all_rows.shape[0],
    "farthest": farthest,
    "window": window,
    "left after four layers": difference[-1][farthest[-1]].max(),
    "per token": per_token,
    "sizes of models": sizes_of,
    "GB": gigabytes,
    "tokens": [4096, long],
    "windowed layers of gemma-2-9b": MODELS["gemma-2-9b"].n_windowed_layers,
    "order errors": [off(o.output, plain) for o in orders.values()],
    "moved": moved,
    "moved, MB": moved / 1e6,
    "ring over results": ring / sent,
    "numbers in a block": sent / 4,
    "machines": machines,
    "keys in all": n_keys,
    "one byte": in_one_byte,
    "fitting": fitting,
    "span of mistral-7b": span,
    "8 GiB": 2**33,
}
