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


# %% winners
def winners(weights):
    """Shares of rows won by: itself, previous, next, first, last."""
    n = weights.shape[-1]
    here = np.arange(n)
    best = weights.argmax(axis=-1)  # [..., n, n] -> [..., n]
    places = [here, here - 1, here + 1, 0 * here, 0 * here + n - 1]
    wins = [(best == place).mean(axis=-1) for place in places]
    return np.stack(wins, axis=-1)


# %% random-heads
x10 = rng.normal(size=(10, d_model))
random = multi_head_attention(x10, w_q, w_k, w_v, w_o, n_heads=heads)
twins = multi_head_attention(x10, w_q, w_q, w_v, w_o, n_heads=heads)
by_chance = []
for name, result in [("random", random), ("W_q = W_k", twins)]:
    won = winners(result.weights)[:, 0]  # one share a head
    by_chance.append([won.mean(), won.min(), won.max()])
    print(f"{name}: the token itself wins {won.mean():.0%} of rows,")
    print(f"    {won.min():.0%} to {won.max():.0%} head by head")

# %% recorded
seen = recording("heads")  # all-MiniLM-L6-v2, as `make test-models` has it
lengths = np.array(seen["lengths"])
counted = (lengths - 2).sum()  # rows: all tokens but [CLS] and [SEP]
won = np.array(list(seen["rows with the largest weight on"].values()))
largest = won / counted  # places, layers, heads
bits = np.array(seen["entropy"])
luck_here = ((lengths - 2) / lengths).sum() / counted
even_bits = ((lengths - 2) * np.log2(lengths)).sum() / counted


# %% largest-table
def name_of(layer, head):
    """Layer and head, both counted from 0."""
    return f"L{layer}·H{head}"


places = labels["places"]
most_in = [
    name_of(*np.unravel_index(values.argmax(), values.shape))
    for values in largest
]
averages = largest.mean(axis=(1, 2))
most = largest.max(axis=(1, 2))
rows = [
    labels("place-and-head", place=place, head=head)
    for place, head in zip(places, most_in, strict=True)
]
table = np.column_stack([averages, most])
Table(
    table,
    rows=rows,
    **labels(
        "largest-table", largest_0_size=largest[0].size, counted=counted
    ),
    percent=True,
)

# %% statistics
mostly_cls = int((largest[3] > 0.5).sum())
top_bits = bits.max()
layers, across = bits.shape
Maps(
    np.concatenate([largest, [bits / top_bits]]).reshape(
        3, 2, layers, across
    ),
    "weights",
    names=[*places, labels["entropy"]],
    **labels(
        "statistics",
        top_bits=top_bits,
        layers=layers,
        across=across,
        largest_0_size=largest[0].size,
        mostly_cls=mostly_cls,
        n_100_most_0=100 * most[0],
        most_in=most_in,
        n_100_most_1=100 * most[1],
        n_100_most_2=100 * most[2],
    ),
    ticks=(
        [str(i) for i in range(layers)],
        ["" if i % 2 else str(i) for i in range(across)],
    ),
    side=12,
)

# %% four-heads
tokens = seen["tokens"]
four = {
    name_of(*name.split(".")): np.array(weights)
    for name, weights in seen["heads"].items()
}
apple, iphone = tokens.index("apple"), tokens.index("iphone")
follows = four["L0·H2"].diagonal(-1)  # each token to the one before
rests = four["L2·H7"][1:-1, 0]  # each word to [CLS]
strays = four["L0·H3"][1:-1].max(axis=-1)  # each word's largest weight
to_iphone = four["L0·H1"][apple, iphone]
pale = four["L0·H3"][1:-1]
bits_here = -(pale * np.log2(pale)).sum(axis=-1).mean()
even_here = np.log2(len(tokens))
Maps(
    np.array(list(four.values())).reshape(2, 2, len(tokens), len(tokens)),
    "weights",
    names=list(four),
    **labels(
        "four-heads",
        seen=seen,
        n_100_follows_min=100 * follows.min(),
        n_100_rests_min=100 * rests.min(),
        n_100_rests_max=100 * rests.max(),
        n_100_strays_max=100 * strays.max(),
        n_100_to_iphone=100 * to_iphone,
    ),
    ticks=(tokens, tokens),
    side=13,
)

# %% four-counts
at = tuple(np.array([name.split(".") for name in seen["heads"]], int).T)
habits = largest[:, *at].T  # heads, places
Table(
    habits,
    rows=list(four),
    cols=places,
    **labels("four-counts", counted=counted),
    percent=True,
)

# %% elsewhere
other = seen["other"]
print(other["sentence"])
for token, share in zip(
    other["tokens"], other["apple in 0.1"], strict=True
):
    print(f"{token:>8}  {share:6.1%}")

# %% same-price
for h in (1, 12, 48):
    says = multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads=h)
    print(f"{h:2} heads: W_q {w_q.shape}, scores {says.scores.shape}")

# %% cold
e5 = recording("e5")  # multilingual-e5-small
e5_heads = e5["n_layers"] * e5["n_heads"]
cold = e5["zh"]["cold"]
strong = [*cold["links"][:3], *cold["links beyond neighbours"][:3]]
to_marks = np.array(cold["to marks and points"])
meanings = labels["meanings"]  # what the Chinese words mean
rows = [
    labels(
        "arrow",
        start=meanings.get(link["from"], link["from"]),
        end=meanings.get(link["to"], link["to"]),
        head=name_of(link["layer"], link["head"]),
    )
    for link in strong
]
link_shares = np.array([link["share"] for link in strong])[:, None]
Table(link_shares, "weights", rows, **labels("cold"))

# %% rank
many = rng.normal(size=(200, d_model))
for h in (1, heads):
    s = multi_head_attention(many, w_q, w_k, w_v, w_o, n_heads=h).scores
    rank = np.linalg.matrix_rank(s[0])
    print(f"{h:2} heads: {s[0].shape} scores of rank {rank}")

# %% ten-heads
try:
    split_heads(x, n_heads=10)
except ValueError as error:
    print(error)


# %% check-merge
def check_merge(merge):
    """Try a merge on numbers that tell where they belong."""
    given = [[[11, 12], [21, 22]], [[13, 14], [23, 24]]]
    wanted = [[11, 12, 13, 14], [21, 22, 23, 24]]
    got = np.asarray(merge(np.array(given)))
    if got.tolist() != wanted:
        raise ValueError(f"{given} became {got.tolist()}, not {wanted}")
    print("right: every number is back with its token")


# %% exercise-merge
def my_merge(x):
    n_heads, n, d = x.shape
    return x.swapaxes(0, 1).reshape(n, n_heads * d)


check_merge(my_merge)


# %% check-order
def check_order(new_q, new_k, new_v, new_o):
    """Tell whether the heads have moved and the output has not."""
    if np.array_equal(new_q, w_q):
        raise ValueError("w_q is as it was: the heads keep their order")
    new = multi_head_attention(x, new_q, new_k, new_v, new_o, n_heads=heads)
    off = np.abs(new.output - output).max()
    if off > 1e-10:
        raise ValueError(f"the output has moved by {off:.3f}")
    print("right: the heads have another order, the output is as before")


# %% exercise-order
order = np.arange(d_model).reshape(heads, wide)[::-1].ravel()
check_order(w_q[:, order], w_k[:, order], w_v[:, order], w_o[order])


# %% check-luck
def check_luck(by_luck):
    """Compare by_luck(n) with a count over random scores."""
    for n in (2, 10, 40):
        noise = np.random.default_rng(1).normal(size=(4000, n, n))
        hidden = np.triu(np.ones((n, n), bool), 1)
        counted = winners(np.where(hidden, -9, noise))[:, 0].mean()
        given = by_luck(n)
        if abs(given - counted) > 0.01:
            raise ValueError(
                f"{n} tokens: given {given:.3f}, counted {counted:.3f}"
            )
        print(f"right: {n} tokens, {given:.3f} (counted {counted:.3f})")


# %% exercise-luck
def luck(n):
    return sum(1 / i for i in range(1, n + 1)) / n


check_luck(luck)

# %% facts
declared = {
    "2017": "year of Attention Is All You Need",
    "2019": "year of Clark et al., Voita et al. and the GPT-2 report",
    "2020": "year of Bhojanapalli et al. and Wang et al.",
    "2021": "year of Elhage et al.",
}
facts = {
    "width of a head, root": wide**0.5,
    "one head": one_head,
    "two heads": two_heads,
    "labelled": labelled,
    "wrong split": wrong,
    "GPT-2 small": [heads, wide, d_model, heads * wide],
    "sizes": sizes,
    "heads in all": in_all,
    "shapes": [q.shape, scores.shape, merged.shape, output.shape],
    "steps off": np.abs(output - package.output).max(),
    "loop off": np.abs(looped - package.output).max(),
    "tests": results,
    "by chance": by_chance,
    "heads of MiniLM": [layers, across, bits.size],
    "rows counted": counted,
    "sentences counted": len(lengths),
    "luck here": luck_here,
    "largest on average": averages,
    "largest in one head": most,
    "mostly [CLS]": mostly_cls,
    "bits": [bits.max(), bits.min(), even_bits],
    "bits by layer": bits.mean(axis=1),
    "bits on this sentence": [bits_here, even_here],
    "one row in ten": 1 / len(x10),
    "bits of the four": bits[at],
    "four heads": habits,
    "previous": follows.min(),
    "to [CLS]": [rests.min(), rests.max()],
    "strays": strays.max(),
    "to iphone": to_iphone,
    "apple elsewhere": other["apple in 0.1"],
    "cold: links": [link["share"] for link in strong],
    "cold: heads": [
        name_of(link["layer"], link["head"]) for link in strong
    ],
    "cold: to marks": [to_marks.min(), to_marks.max()],
    "heads of e5": e5_heads,
    "weights of four matrices": 4 * w_q.size,
    "one matrix": w_q.size,
    "rank": rank,
    "tokens of the rank test": len(many),
    "luck": [luck(n) for n in (2, 10, 40)],
    "tokens of random heads": len(x10),
}
