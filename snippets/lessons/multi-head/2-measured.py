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
