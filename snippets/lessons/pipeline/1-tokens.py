# %% setup
import math

import numpy as np

from attention import (
    MODELS,
    attention,
    embed,
    feed_forward,
    gelu,
    layer_norm,
    linear,
    multi_head_attention,
    softmax,
    split_qkv,
)
from lessonkit import (
    Box,
    Figure,
    Flow,
    Labels,
    Line,
    Plot,
    Table,
    recording,
)

labels = Labels("pipeline")
text = "Thank you very much"

# %% flow
gpt2 = MODELS["gpt2"]
gpt2_tokens = recording("gpt2_tokens")
d, n_heads, n_layers = gpt2.d_model, gpt2.n_heads, gpt2.n_layers
t, w = len(gpt2_tokens["texts"][text]["ids"]), d // n_heads
n_vocab = gpt2_tokens["n_vocab"]
names = labels("flow-names", n_heads=n_heads, n_layers_1=n_layers - 1)
kept = Box(labels["value"], f"{t}×{w}", "value")
Flow(
    [
        [Box(labels["ids-name"], f"{t}")],
        [Box(labels["token-position"], f"{t}×{d}")],
        [
            Box(labels["query"], f"{t}×{w}", "query"),
            Box(labels["key"], f"{t}×{w}", "key"),
            kept,
        ],
        [Box(labels["scores"], f"{t}×{t}", "scores"), kept],
        [Box(labels["weights"], f"{t}×{t}", "weights"), kept],
        [Box(labels["output"], f"{t}×{w}", "output")],
        *([Box(name, f"{t}×{d}")] for name in names),
        [Box("logit", f"{t}×{n_vocab}")],
        [Box(labels["probabilities"], f"{t}×{n_vocab}")],
    ],
    [(0, 1), (1, 2), (1, 3), (1, 4), (2, 5), (3, 5), (4, 6), (5, 7)]
    + [(6, 8), (7, 9), (8, 9)]
    + [(i, i + 1) for i in range(9, 14)],
    **labels(
        "flow",
        t=t,
        d=d,
        w=w,
        n_heads=n_heads,
        n_layers=n_layers,
        n_vocab=n_vocab,
    ),
)

# %% excerpt
# Of GPT-2's 50000 merges, all that the words of this page can meet:
# rank, left part, right part; ␣ is a space.
merges = recording("gpt2_tokens")["excerpt"]["merges"]
ranks = {}
for line in merges:
    rank, *pair = line.split()
    left, right = (part.replace("␣", " ").encode() for part in pair)
    ranks[left, right] = int(rank)

# %% excerpt-list
for i in range(0, len(merges), 3):
    print("".join(f"{line:20}" for line in merges[i : i + 3]).rstrip())


# %% split
def words(text):
    """Cut before each space: the space goes with what follows it."""
    first, *rest = text.split(" ")
    return [first, *(" " + word for word in rest)]


# %% words
print(words(text))


# %% merge
def merge(parts, pair):
    """Join a pair of neighbours wherever it stands."""
    joined = []
    for part in parts:
        if joined and (joined[-1], part) == pair:
            joined[-1] += part
        else:
            joined.append(part)
    return joined


def tokens_of(word, show=False):
    """Start from bytes; join the pair of lowest rank until none is left."""
    parts = [bytes([byte]) for byte in word.encode()]
    while True:
        pairs = [(parts[i], parts[i + 1]) for i in range(len(parts) - 1)]
        known = [pair for pair in pairs if pair in ranks]
        if not known:
            return parts
        best = min(known, key=ranks.get)
        parts = merge(parts, best)
        if show:
            print(f"merge {ranks[best]:5}:", parts)


# %% merge-much
much = tokens_of(" much", show=True)

# %% ids
n_bytes, n_merges = 256, gpt2_tokens["n_merges"]
printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
others = [byte for byte in range(n_bytes) if byte not in printable]
id_of = {bytes([b]): i for i, b in enumerate(printable + others)}
id_of |= {a + b: n_bytes + rank for (a, b), rank in ranks.items()}


def encode(text):
    return [id_of[t] for word in words(text) for t in tokens_of(word)]


ids = encode(text)
print(ids)

# %% id-table
cols = [word.replace(" ", "␣") for word in words(text)]
last_ranks = [token_id - n_bytes for token_id in ids]
Table([last_ranks, ids], cols=cols, **labels("id-table"), digits=0)

# %% no-space
tokens_of("much", show=True)
print(encode("much"))

# %% apple
print("苹果".encode().hex(" "))
print(encode("苹果"), "with the merges of this page")
print(gpt2_tokens["texts"]["苹果"]["ids"], "with all of them")

# %% vocabulary
n_vocab = n_bytes + n_merges + 1  # the last one marks the end of a text
print("ids:", n_vocab, " the largest:", n_vocab - 1)

# %% too-large
table = np.zeros((n_vocab, 1))  # one row for each token
try:
    embed([50257], table)
except ValueError as error:
    print(error)

# %% real-ids
smollm2 = recording("smollm2")
print(smollm2["model"])
print(smollm2["prompts"][text]["ids"])

# %% sizes
names = ["n_layers", "d_model", "n_heads", "n_kv_heads", "d_ff"]
sizes = [[getattr(gpt2, name), smollm2[name]] for name in names]
sizes += [[n_vocab, smollm2["n_vocab"]]]

# %% sizes-table
cols_2 = ["GPT-2 small", "SmolLM2"]
Table(sizes, cols=cols_2, **labels("sizes-table"), digits=0)
