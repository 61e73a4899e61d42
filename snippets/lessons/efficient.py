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
from lessonkit import Box, Flow, Heat, Line, Plot, Table


def off(a, b):
    """Return the largest difference."""
    return np.abs(a - b).max()


# %% small
query = np.array([[3.0, 1.0]])
keys = np.array([[3.0, 1.0], [1.0, 3.0], [2.7, 1.009]])
values = np.array([[6.0, 0.5], [0.5, 6.0], [2.0, 2.0]])
whole = attention(query, keys, values, scale=1)

# %% small-weights
small_tokens = ["苹", "果", "买"]
Table(
    whole.weights,
    "weights",
    rows=["苹"],
    cols=small_tokens,
    percent=True,
    of=whole.scores,
)

# %% two-blocks
first = attend_block(query, keys[:2], values[:2], scale=1)
second = attend_block(query, keys[2:], values[2:], scale=1)

# %% show-blocks
caption = {
    "zh": "每一块只看自己的键：三样东西",
    "en": "Each block looks at its own keys only, and keeps three things",
}
cols = [
    {"zh": "最大的分数", "en": "largest score"},
    {"zh": "指数之和", "en": "sum of exponentials"},
    {"zh": "输出 1", "en": "output 1"},
    {"zh": "输出 2", "en": "output 2"},
]
rows = [{"zh": "苹、果", "en": "苹 and 果"}, "买"]
kept = np.vstack([np.hstack(block)[0] for block in (first, second)])
kept = kept[:, [2, 3, 0, 1]]
Table(kept, rows=rows, cols=cols, caption=caption, digits=3)

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

# %% memory
lengths = np.array([1e3, 1e4, 1e5, 1e6])
size = 2  # bytes of a number in half precision
all_scores = size * lengths**2
one_strip = size * lengths * 128
one_tile = size * 128 * 1024 * np.ones_like(lengths)
inputs_and_output = size * 4 * lengths * 64

# %% memory-plot
caption = {
    "zh": "一个头要同时放下多少字节（float16，按形状算出，非实测）",
    "en": "Bytes that one head holds at once (float16; from shapes)",
}
alt = {
    "zh": (
        "双对数图。词元从一千增加到一百万，全部分数从 "
        f"{all_scores[0] / 1e6:.0f} MB 增加到 "
        f"{all_scores[-1] / 1e12:.0f} TB，斜率 2；"
        f"每次 128 个键的一条，从 {one_strip[0] / 1e6:.2f} MB 到 "
        f"{one_strip[-1] / 1e6:.0f} MB，斜率 1；128 × 1024 的一个分块"
        f"始终是 {one_tile[0] / 1e6:.2f} MB；q、k、v 和输出"
        f"在一百万个词元时是 {inputs_and_output[-1] / 1e6:.0f} MB。"
    ),
    "en": (
        "Log-log plot. From a thousand to a million tokens, all scores "
        f"grow from {all_scores[0] / 1e6:.0f} MB to "
        f"{all_scores[-1] / 1e12:.0f} TB, with slope 2; a strip of 128 "
        f"keys from {one_strip[0] / 1e6:.2f} MB to "
        f"{one_strip[-1] / 1e6:.0f} MB, with slope 1; one tile of "
        f"128 × 1024 stays at {one_tile[0] / 1e6:.2f} MB; q, k, v and "
        f"output take {inputs_and_output[-1] / 1e6:.0f} MB at a million "
        "tokens."
    ),
}
Plot(
    [
        Line(
            {"zh": "全部分数", "en": "all scores"},
            lengths,
            all_scores,
            "scores",
        ),
        Line(
            {"zh": "一条：128 个键", "en": "a strip: 128 keys"},
            lengths,
            one_strip,
            "weights",
        ),
        Line(
            {"zh": "一个分块：128 × 1024", "en": "one tile: 128 × 1024"},
            lengths,
            one_tile,
            "key",
        ),
        Line(
            {"zh": "q、k、v 和输出", "en": "q, k, v and output"},
            lengths,
            inputs_and_output,
            "output",
        ),
    ],
    x={"zh": "词元", "en": "tokens"},
    y={"zh": "字节", "en": "bytes"},
    caption=caption,
    alt=alt,
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
caption = {
    "zh": f"生成 {n} 个词元，一个头一共要算多少",
    "en": f"Generating {n} tokens: what one head computes in all",
}
cols = [
    {"zh": "每步从头算", "en": "all over again"},
    {"zh": "用缓存", "en": "with the cache"},
]
rows = [
    {"zh": "键和值各算几行", "en": "rows of keys, and of values"},
    {"zh": "分数", "en": "scores"},
]
counts = np.array([again, with_cache]).T
Table(counts, rows=rows, cols=cols, caption=caption, digits=0)

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
caption = {
    "zh": "一层、一个词元要存的键和值（12 个查询头，头宽 64）",
    "en": "One token's keys and values in a layer of 12 query heads of 64",
}
cols = [
    {"zh": "键值头", "en": "key-value heads"},
    {"zh": "数", "en": "numbers"},
    {"zh": "字节（float16）", "en": "bytes (float16)"},
]
rows = [
    {"zh": "多头", "en": "multi-head"},
    {"zh": "分组查询", "en": "grouped-query"},
    {"zh": "多查询", "en": "multi-query"},
]
Table(shared, rows=rows, cols=cols, caption=caption, digits=0)


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
caption = {
    "zh": (
        f"填色的词元察觉了第 0 个词元的改动，窗口 {window}："
        f"从上到下第 1 到 {n_layers} 层，"
        f"从左到右第 0 到 {len(before) - 1} 个词元"
    ),
    "en": (
        f"Filled: the token notices that token 0 changed, window {window}. "
        f"Layers 1 to {n_layers} from the top, "
        f"tokens 0 to {len(before) - 1} from the left"
    ),
}
alt = {
    "zh": (
        "每一行是一层。换掉第 0 个词元，一层一层往后，最远影响到第 "
        f"{'、'.join(map(str, farthest))} 个词元，每层多走 "
        f"{window - 1} 步；再往后的词元分毫不差。"
    ),
    "en": (
        "A row for each layer. The change of token 0 has reached token "
        f"{', '.join(map(str, farthest))}: {window - 1} more with each "
        "layer. Tokens farther on are the same to the last bit."
    ),
}
Heat(touched[1:], "output", caption=caption, alt=alt, side=28)

# %% models
per_token = {name: cache_bytes(MODELS[name], 1) for name in MODELS}
print("gpt2:      ", per_token["gpt2"])
print("llama-2-7b:", per_token["llama-2-7b"])

# %% models-table
caption = {
    "zh": "每个词元的键值缓存，float16，所有层合计",
    "en": "KV cache of one token in float16, all layers together",
}
cols = [
    {"zh": "层", "en": "layers"},
    {"zh": "查询头", "en": "heads: Q"},
    {"zh": "键值头", "en": "heads: KV"},
    {"zh": "头宽", "en": "width"},
    {"zh": "字节/词元", "en": "bytes/token"},
]
sizes_of = [
    [c.n_layers, c.n_heads, c.n_kv_heads, c.d_head, per_token[name]]
    for name, c in MODELS.items()
]
Table(sizes_of, rows=list(MODELS), cols=cols, caption=caption, digits=0)

# %% windowed
long = 32_768
gigabytes = {
    name: [cache_bytes(MODELS[name], m) / 1e9 for m in (4096, long)]
    for name in ("llama-2-7b", "llama-3-8b", "mistral-7b", "gemma-2-9b")
}
caption = {
    "zh": "一段文字的键值缓存，GB，float16",
    "en": "KV cache of one text, in GB, float16",
}
cols = [{"zh": f"{m} 个词元", "en": f"{m} tokens"} for m in (4096, long)]
Table(
    list(gigabytes.values()),
    rows=list(gigabytes),
    cols=cols,
    caption=caption,
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
caption = {
    "zh": f"一台机器收发的字节：一个头，{n_keys} 个键分在 {machines} 台上",
    "en": (
        "Bytes that one machine moves: one head, "
        f"{n_keys} keys on {machines} machines"
    ),
}
cols = [
    {"zh": "收到查询", "en": "gets queries"},
    {"zh": "送出结果", "en": "sends results"},
    {"zh": "环：送出键和值", "en": "ring: sends K, V"},
]
rows = [
    {"zh": "1 个新词元", "en": "1 new token"},
    {"zh": "整篇文字", "en": "whole text"},
]
others = n_keys - held  # the queries that stand on other machines
moved = np.array([[received, sent], [received * others, sent * others]])
moved = np.hstack([moved, [[ring], [ring]]])
Table(moved, rows=rows, cols=cols, caption=caption, digits=0)

# %% spread-flow
caption = {
    "zh": "键和值不动；查询送过去，带回来的是能合并的小结果",
    "en": "Keys and values stay; the query travels; small results merge",
}
alt = {
    "zh": (
        f"一个查询送到 {n_workers} 台机器，每台用自己的 "
        f"{len(runs[0])} 个键和值算出一块：输出、最大分数、指数之和；"
        "两两合并，再合并一次，得到输出。"
    ),
    "en": (
        f"A query goes to {n_workers} machines. Each makes a block of "
        f"its own {len(runs[0])} keys and values: output, largest "
        "score, sum. Blocks merge in pairs, the pairs merge once more."
    ),
}
own = f"{len(runs[0])}×{d}"
Flow(
    [
        [Box({"zh": "查询", "en": "query"}, f"1×{d}", "query")],
        [Box("K, V", own, "key") for _ in runs],
        [
            Box({"zh": "块", "en": "block"}, f"1×({d}+2)", "output")
            for _ in runs
        ],
        [
            Box({"zh": "合并", "en": "merge"}, f"1×({d}+2)", "output")
            for _ in range(2)
        ],
        [Box({"zh": "输出", "en": "output"}, f"1×{d}", "output")],
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
    caption=caption,
    alt=alt,
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
