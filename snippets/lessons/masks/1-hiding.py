# %% setup
import numpy as np

from attention import (
    attention,
    causal_mask,
    layer_norm,
    padding_mask,
    sliding_window_mask,
    softmax,
)
from lessonkit import Figure, Heat, Labels, Table

labels = Labels("masks")
rng = np.random.default_rng(0)

# %% words
words = labels["words"]
earlier = labels["earlier"]

# %% encoder
everyone = np.ones((5, 5), dtype=bool)
Table(everyone, "mask", words, words, **labels("encoder"))

# %% decoder
mask = causal_mask(5)
Table(mask, "mask", words, words)


# %% hidden-score
scores = np.array([2.0, 1.0, 3.0])
visible = np.array([True, True, False])
hidden = np.where(visible, scores, -np.inf)
print("scores: ", hidden)
print("weights:", softmax(hidden).round(3))

# %% weights
x = rng.standard_normal((5, 8))  # five words, eight numbers each
matrices = rng.standard_normal((12, 3, 8, 8)) / np.sqrt(8)
W_q, W_k, W_v = matrices[0]
q, k, v = x @ W_q, x @ W_k, x @ W_v
step = attention(q, k, v, causal=True)

# %% weights-table
Table(step.weights, "weights", words, words, **labels("weights-table"))

# %% cut
free = attention(q, k, v)
Figure(
    "cut-arcs",
    {
        "words": words,
        "scores": free.scores,
        "row": 3,
        "window": 2,
        "length": 3,
    },
    {"weights": step.weights},
    Table(step.weights, "weights", words, words),
)


# %% read
def read(x, layers=1, **options):
    """Send x through layers of attention: one head, random weights."""
    for W_q, W_k, W_v in matrices[:layers]:
        step = attention(x @ W_q, x @ W_k, x @ W_v, **options)
        x = layer_norm(x + step.output)
    return x


# %% influence
def influence(model, x):
    """Find who knows of whom: [i, j] is True if x[j] reaches row i."""
    rng, before = np.random.default_rng(1), model(x)
    known = []
    for j in range(len(x)):
        changed = x.copy()
        changed[j] = rng.standard_normal(x.shape[1])
        known.append((model(changed) != before).any(axis=-1))
    return np.array(known).T


# %% leak-test
after = x.copy()
after[3] = rng.standard_normal(8)
for causal in [True, False]:
    same = read(x, causal=causal) == read(after, causal=causal)
    print(f"causal={causal!s:5}", same.all(axis=-1))

# %% measured
measured = influence(lambda x: read(x, causal=True), x)
reaches = labels["reaches"]
Table(measured, "mask", words, words, caption=reaches)

# %% same-mask
deep = influence(lambda x: read(x, layers=12, causal=True), x)
print("one layer equals causal_mask:", (measured == causal_mask(5)).all())
print("twelve layers, the same:     ", (deep == causal_mask(5)).all())

# %% two-endings
# tokens by number; both sentences begin with 0 and end with 5
company = [0, 1, 2, 3, 4, 5]
fruit = [0, 6, 7, 6, 8, 5]
table = rng.standard_normal((9, 8))
ends = {}
for name, causal in [("GPT", True), ("BERT", False)]:
    a, b = (
        read(table[text], 12, causal=causal) for text in (company, fruit)
    )
    ends[name] = np.linalg.norm(a - b, axis=-1)

# %% two-endings-table
pair = np.array([[d[0], d[-1]] for d in ends.values()])
Table(pair, **labels("two-endings-table"), digits=3)

# %% padding
batch = padding_mask([5, 3], 5)  # two sentences, of 5 and of 3 words
both = causal_mask(5) & batch[1]  # the second one, read causally

# %% padding-table
padded = labels["padded"]
Table(both, "mask", padded, padded)

# %% window
window = sliding_window_mask(6, window=3)
Table(window, "mask", earlier, earlier)

# %% window-deep
x6 = rng.standard_normal((6, 8))
two = influence(lambda x: read(x, layers=2, causal=True, window=3), x6)
print("two layers, the fifth hears of the first:", two[4, 0])

# %% count
n, back = 32, 8
causal_pairs = causal_mask(n).sum()
window_pairs = sliding_window_mask(n, window=back).sum()

# %% pictures
real = 20
padding = causal_mask(n) & padding_mask([real], n)[0]
line = np.full((n, 1), 0.3)  # between two masks
band = sliding_window_mask(n, window=back)
strip = np.hstack([causal_mask(n), line, band, line, padding])
Heat(
    strip,
    "mask",
    **labels(
        "pictures",
        n=n,
        back=back,
        real=real,
        n_n=n * n,
        causal_pairs=causal_pairs,
        window_pairs=window_pairs,
        padding_sum=padding.sum(),
    ),
    side=3,
)
