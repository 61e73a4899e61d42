# %% setup
import math

import numpy as np

from attention import (
    MODELS,
    Config,
    attention_flops,
    attention_scores,
    causal_mask,
    layer_flops,
    matmul_flops,
    score_bytes,
)
from lessonkit import Figure, Labels, Line, Plot, Table

labels = Labels("cost")
gpt2 = MODELS["gpt2"]
d = gpt2.d_model
window = 1024  # the longest text GPT-2 takes

# %% pairs
rng = np.random.default_rng(0)
for n in (2, 4, 8, 1000):
    q, k = rng.normal(size=(2, n, gpt2.d_head))
    print(f"{n:4} tokens: {attention_scores(q, k).size:9,} scores")

# %% lengths
lengths = np.array([100, 1_000, 10_000])
squares = lengths**2
seen = np.array([causal_mask(n).sum() for n in lengths])
rows = [f"{n:,}".replace(",", " ") for n in lengths]
millions = np.column_stack([squares, seen]) / 1e6
Table(millions, rows=rows, **labels("lengths"), digits=3)

# %% square
start = 1000
lengths_to_try = (window, 6 * d, 100_000)
one_layer = score_bytes(gpt2, start)
Figure(
    "grow-square",
    {
        "bytes": 2,
        "heads": gpt2.n_heads,
        "layers": gpt2.n_layers,
        "width": d,
        "start": start,
        "texts": [
            {"n": n, "name": name}
            for n, name in zip(lengths_to_try, labels["texts"], strict=True)
        ],
    },
    {
        "scores": start**2,
        "layer": one_layer,
        "model": one_layer * gpt2.n_layers,
        "share": attention_flops(gpt2, start) / layer_flops(gpt2, start),
    },
    Table(millions, rows=rows, **labels("lengths"), digits=3),
)

# %% bytes
one_layer = score_bytes(gpt2, 10_000)  # two bytes a number: float16
one_head = one_layer // gpt2.n_heads
all_layers = one_layer * gpt2.n_layers
print(f"one head:   {one_head / 1e6:.0f} MB, {one_head / 2**20:.1f} MiB")
print(f"one layer:  {one_layer / 1e9:.1f} GB")
print(f"all layers: {all_layers / 1e9:.1f} GB")

# %% bytes-table
texts = [window, 10_000]
layer_bytes = np.array([score_bytes(gpt2, n) for n in texts])
share_of = np.array([1 / gpt2.n_heads, 1, gpt2.n_layers])
megabytes = np.outer(layer_bytes, share_of) / 1e6
rows = [f"{n:,}".replace(",", " ") for n in texts]
Table(
    megabytes,
    rows=rows,
    **labels(
        "bytes-table",
        gpt2_n_heads=gpt2.n_heads,
        gpt2_n_layers=gpt2.n_layers,
    ),
    digits=1,
)


# %% count-one
def multiply(a, b):
    """Multiply two matrices in loops, counting."""
    product, multiplied, added = np.zeros((len(a), len(b[0]))), 0, 0
    for i in range(len(a)):
        for j in range(len(b[0])):
            for step in range(len(b)):
                product[i, j] += a[i][step] * b[step][j]
                multiplied, added = multiplied + 1, added + 1
    return product, multiplied + added


# %% count-two
a, b = np.ones((2, 3)), np.ones((3, 4))
product, counted = multiply(a, b)
print("counted:", counted, "  2 m k n:", matmul_flops(2, 3, 4))

# %% layer-steps
n = window
projections = 4 * matmul_flops(n, d, d)  # q, k, v and W_o
feed_forward = matmul_flops(n, d, 4 * d) + matmul_flops(n, 4 * d, d)
scores = gpt2.n_heads * matmul_flops(n, gpt2.d_head, n)
blend = gpt2.n_heads * matmul_flops(n, n, gpt2.d_head)
steps = [projections, feed_forward, scores, blend]
total = layer_flops(gpt2, n)
print(sum(steps) == total == 24 * n * d**2 + 4 * n**2 * d)

# %% layer-table
step_counts = np.array([*steps, total])
step_table = np.column_stack([step_counts / 1e9, 100 * step_counts / total])
Table(step_table, **labels("layer-table", window=window), digits=1)


# %% share
def quadratic_share(config, n):
    return attention_flops(config, n) / layer_flops(config, n)


for n in (128, 1024, 4608, 10_000):
    print(f"{n:6} tokens: {quadratic_share(gpt2, n):6.1%}")


# %% slope
def slope(n, cost):
    """How many decades up for one decade to the right."""
    return np.polyfit(np.log10(n), np.log10(cost), 1)[0]


# %% count-lines
tokens = np.array([100, 300, 1000, 3000, 10_000, 30_000, 100_000])
whole = np.array([layer_flops(gpt2, int(n)) for n in tokens])
square = np.array([attention_flops(gpt2, int(n)) for n in tokens])
line = whole - square
rises = [slope(tokens, line), slope(tokens, square)]
ends = [slope(tokens[:3], whole[:3]), slope(tokens[-3:], whole[-3:])]

# %% count-plot
line_name = labels["line_name"]
square_name = labels["square_name"]
whole_name = labels["whole_name"]
Plot(
    [
        Line(line_name, tokens, line / 1000000000.0),
        Line(square_name, tokens, square / 1000000000.0, "scores"),
        Line(whole_name, tokens, whole / 1000000000.0),
    ],
    **labels("count-plot", rises=rises, n_6_d=6 * d, ends=ends),
    log_x=True,
    log_y=True,
)

# %% heads
one_wide = Config(12, d, n_heads=1, n_kv_heads=1, d_head=d, d_ff=4 * d)
kinds = {"12 heads of 64": gpt2, "1 head of 768": one_wide}
for name, config in kinds.items():
    flops = attention_flops(config, window)
    size = score_bytes(config, window)
    print(f"{name:14}: {flops:,} FLOPs, {size / 1e6:.1f} MB of scores")

# %% memory-plot
memory = np.array([score_bytes(gpt2, int(n)) for n in tokens[2:]]) / 1e9
vectors = tokens[2:] * d * 2 / 1e9
memory_rises = [slope(tokens[2:], memory), slope(tokens[2:], vectors)]
all_name = labels("all_name", gpt2_n_layers=gpt2.n_layers)
layer_name = labels["layer_name"]
head_name = labels["head_name"]
x_name = labels["x_name"]
heads = gpt2.n_heads
at_10k = int(np.flatnonzero(tokens[2:] == 10_000)[0])
times = round(memory[at_10k] / vectors[at_10k])
Plot(
    [
        Line(all_name, tokens[2:], memory * gpt2.n_layers, "scores"),
        Line(layer_name, tokens[2:], memory, "scores"),
        Line(head_name, tokens[2:], memory / heads, "scores"),
        Line(x_name, tokens[2:], vectors),
    ],
    y="GB",
    **labels("memory-plot", memory_rises=memory_rises, times=times),
    log_x=True,
    log_y=True,
)

# %% times
# Milliseconds, recorded once by data/record_cost_times.py (its record is
# data/cost-times.json): float32, NumPy 2.5.5, one thread of an AMD EPYC.
timed = np.array([128, 256, 512, 1024, 2048, 4096])
pairs_ms = np.array([1.73, 4.67, 17.4, 97.49, 517.76, 2501.48])
rest_ms = np.array([19.44, 36.6, 70.98, 141.76, 290.1, 1013.63])

# %% times-plot
time_rises = [slope(timed, rest_ms), slope(timed, pairs_ms)]
ratio = np.log(pairs_ms / rest_ms)
crossing = math.exp(np.interp(0, ratio, np.log(timed)))
crossing = round(crossing, -2)
Plot(
    [
        Line(line_name, timed, rest_ms),
        Line(labels["scores-softmax-sum"], timed, pairs_ms, "scores"),
    ],
    **labels("times-plot", time_rises=time_rises, crossing=crossing),
    log_x=True,
    log_y=True,
)

# %% crossings
names = ["gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"]
meets = np.array([6 * MODELS[name].d_model for name in names])
widths = np.array([MODELS[name].d_model for name in names])
Table(
    np.column_stack([widths, meets]),
    rows=names,
    **labels("crossings"),
    digits=0,
)

# %% one-more
for n in (1_000, 10_000):
    print(f"{n:6} before it: {attention_flops(gpt2, 1, n):12,} FLOPs")

# %% twice
longer = math.sqrt(2)
print(f"twice the memory: {longer:.2f} times the tokens")


# %% check-share
def check_share(share):
    """Compare share(n, d) with a count of the pairs that are in view."""
    for n, name in [(128, "gpt2"), (1024, "gpt2"), (1024, "gpt2-xl")]:
        config = MODELS[name]
        linear = layer_flops(config, n) - attention_flops(config, n)
        pairs = int(causal_mask(n).sum()) * attention_flops(config, 1)
        wanted, given = pairs / (linear + pairs), share(n, config.d_model)
        if abs(given - wanted) > 1e-9:
            text = f"given {given:.4f}, counted {wanted:.4f}"
            raise ValueError(f"{name}, {n} tokens: {text}")
        print(f"right: {name}, {n} tokens, {given:.1%}")


# %% exercise-share
def share(n, d):
    return (n + 1) / (12 * d + n + 1)


check_share(share)


# %% check-longest
def check_longest(n, room=16e9):
    """Tell whether n tokens' scores fit into room bytes, and no more."""
    if score_bytes(gpt2, n) > room:
        raise ValueError(f"{n} tokens need {score_bytes(gpt2, n):,} bytes")
    if score_bytes(gpt2, n + 1) <= room:
        raise ValueError(f"{n} tokens fit, and so does one more")
    print(f"right: {n} tokens fit, {n + 1} do not")


# %% exercise-longest
longest = math.isqrt(int(16e9) // (gpt2.n_heads * 2))
check_longest(longest)


# %% check-half
def check_half(n, name="llama-3-8b"):
    """Tell whether half the operations are quadratic at n tokens."""
    given = quadratic_share(MODELS[name], n)
    if abs(given - 0.5) > 1e-6:
        raise ValueError(f"at {n} tokens it is {given:.2%} of {name}")
    print(f"right: at {n} tokens it is {given:.0%} of {name}")


# %% exercise-half
llama = MODELS["llama-3-8b"]
per_token = layer_flops(llama, 1) - attention_flops(llama, 1)  # linear part
per_pair = attention_flops(llama, 1)
half_way = per_token // per_pair
check_half(half_way)

# %% facts
declared = {
    "2017": "year of Attention Is All You Need",
    "2019": "year of the GPT-2 report",
    "2022": "year of Dao et al. and of Hoffmann et al.",
    "1024": "GPT-2's longest text: openai/gpt-2, hparams.json, n_ctx",
}
facts = {
    "squares": squares,
    "seen": seen,
    "one head, MB": one_head / 1e6,
    "one head, MiB": one_head / 2**20,
    "one layer, GB": one_layer / 1e9,
    "all layers, GB": all_layers / 1e9,
    "scores in MB": megabytes,
    "scores in GB": megabytes / 1e3,
    "skipping the hidden half": [share(window, d), 12 * d],
    "counted": [counted, matmul_flops(2, 3, 4)],
    "steps": step_table,
    "coefficients": [8 + 16, 2 + 2, 16],
    "sizes": [d, gpt2.d_head, heads, heads - 1, 6 * d],
    "share at": {
        n: quadratic_share(gpt2, n) for n in (128, 1024, 4608, 10_000)
    },
    "rest at": {n: 1 - quadratic_share(gpt2, n) for n in (1024, 10_000)},
    "lengths": [128, 1024, 4608],
    "slopes of counts": rises,
    "slopes of the total": ends,
    "slopes of memory": memory_rises,
    "slopes of times": time_rises,
    "times": [pairs_ms, rest_ms],
    "crossing of times": crossing,
    "one wide head": [
        attention_flops(one_wide, window) / attention_flops(gpt2, window),
        score_bytes(one_wide, window) / 1e6,
    ],
    "crossings": meets,
    "root of two": longer,
    "room, GB": 16,
    "longest": longest,
    "half way": half_way,
    "memory over input": times,
}
