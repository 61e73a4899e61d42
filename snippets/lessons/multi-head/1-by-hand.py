# %% setup
import numpy as np

from attention import (
    MODELS,
    attention,
    merge_heads,
    multi_head_attention,
    project_qkv,
    split_heads,
)
from lessonkit import Box, Flow, Labels, Maps, Table, recording

labels = Labels("multi-head")
small = MODELS["gpt2"]
heads, wide = small.n_heads, small.d_head
words = labels["words"]
both = labels["both"]

# %% two-sentences
cat, chases, dog = [6, 0], [1, 1], [0, 6]
sentences = np.array([[cat, chases, dog], [dog, chases, cat]])

# %% one-head
even = [0.5, 0, 0.5]  # half to the left, half to the right
one_head = even @ sentences

# %% show-one-head
Table(one_head, "output", both, digits=0)

# %% two-heads
left, right = [1, 0, 0], [0, 0, 1]
first = sentences[:, :, 0] @ left  # head 1 carries number 1
second = sentences[:, :, 1] @ right  # head 2 carries number 2
two_heads = np.stack([first, second], axis=-1)

# %% show-two-heads
Table(two_heads, "output", both, **labels("two-heads"), digits=0)

# %% labelled
# 23 is the third number of token 2
labelled = np.array([[11, 12, 13, 14], [21, 22, 23, 24], [31, 32, 33, 34]])
Table(labelled, "query", words, digits=0)

# %% split
print(split_heads(labelled, n_heads=2))

# %% wrong
wrong = labelled.reshape(2, 3, 2)  # heads, tokens, width

# %% wrong-table
slots = [(h, t) for h in (1, 2) for t in words]
rows = [labels("head", h=h, t=t) for h, t in slots]
right_split = split_heads(labelled, 2)
sides = np.hstack([right_split.reshape(6, 2), wrong.reshape(6, 2)])
Table(sides, rows=rows, **labels("wrong-table"), digits=0)

# %% inputs
n, d_model = 5, small.d_model
rng = np.random.default_rng(0)
x = rng.normal(size=(n, d_model))
w_q, w_k, w_v, w_o = rng.normal(size=(4, d_model, d_model)) / d_model**0.5

# %% steps
q, k, v = project_qkv(x, w_q, w_k, w_v)
q, k, v = (split_heads(part, heads) for part in (q, k, v))
scores, weights, by_head = attention(q, k, v)
merged = merge_heads(by_head)
output = merged @ w_o


# %% flow
def shape(array):
    return "×".join(map(str, array.shape))


split, pairs = shape(q), shape(scores)
before = [Box("q", shape(x), "query"), Box("k", shape(x), "key")]
after = [Box("q", split, "query"), Box("k", split, "key")]
waits = labels["waits"]
shares = labels["shares"]
spoken = labels["spoken"]
joined = labels["joined"]
result = labels["result"]
arrows = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 5), (3, 6), (4, 7), (5, 7)]
arrows += [(6, 8), (7, 9), (8, 9), (9, 10), (10, 11)]
Flow(
    [
        [Box("x", shape(x))],
        [*before, Box("v", shape(x), "value")],
        [*after, Box("v", split, "value")],
        [Box(shares, pairs, "weights"), Box(waits, split, "value")],
        [Box(spoken, shape(by_head), "output")],
        [Box(joined, shape(merged), "output")],
        [Box(result, shape(output), "output")],
    ],
    arrows,
    **labels(
        "flow",
        shape_x=shape(x),
        split=split,
        pairs=pairs,
        shape_by_head=shape(by_head),
        shape_merged=shape(merged),
        shape_output=shape(output),
    ),
)


# %% one-by-one
def head_by_head(x, w_q, w_k, w_v, w_o, n_heads):
    d = w_q.shape[1] // n_heads
    total = 0
    for h in range(n_heads):
        own = slice(h * d, (h + 1) * d)  # this head's columns
        q, k, v = x @ w_q[:, own], x @ w_k[:, own], x @ w_v[:, own]
        total = total + attention(q, k, v).output @ w_o[own]
    return total


# %% agree
package = multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads=heads)
looped = head_by_head(x, w_q, w_k, w_v, w_o, heads)
for way, answer in [("steps", output), ("loop", looped)]:
    off = np.abs(answer - package.output).max()
    print(f"{way}: same as the package to 12 decimals: {off < 1e-12}")

# %% models
gpt2s = ["gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"]
sizes = []
for name in gpt2s:
    c = MODELS[name]
    sizes.append([c.n_layers, c.d_model, c.n_heads, c.d_model // c.n_heads])
sizes = np.array(sizes)
in_all = sizes[:, 0] * sizes[:, 2]
table = np.column_stack([sizes, in_all])
Table(table, rows=gpt2s, **labels("models"), digits=0)


# %% wrong-pair
def split_wrong(x, n_heads):
    return x.reshape(n_heads, len(x), -1)  # no transpose


def merge_wrong(x):
    return x.reshape(x.shape[1], -1)  # its exact inverse


# %% layer
def layer(x, split, merge):
    q, k, v = (split(part, heads) for part in project_qkv(x, w_q, w_k, w_v))
    weights, by_head = attention(q, k, v, causal=True)[1:]
    return weights, merge(by_head) @ w_o


# %% four-tests
new_first, new_last = x.copy(), x.copy()
new_first[0] += 1
new_last[-1] += 1
results = []
for cut, join in [(split_heads, merge_heads), (split_wrong, merge_wrong)]:
    shares, says = layer(x, cut, join)
    results.append(
        [
            np.abs(join(cut(x, heads)) - x).max(),
            np.abs(shares.sum(-1) - 1).max(),
            np.abs(layer(new_last, cut, join)[1] - says)[0].max(),
            np.abs(layer(new_first, cut, join)[1] - says)[-1].max(),
        ]
    )
results = np.array(results).T

# %% four-tests-table
Table(results, **labels("four-tests-table"), digits=3)
