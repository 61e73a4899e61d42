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
