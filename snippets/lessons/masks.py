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

# %% bottom-right
newest = words[-2:]
Table(causal_mask(2, 5), "mask", newest, words)

# %% cache
full = attention(q, k, v, causal=True).output[-2:]
right = attention(q[-2:], k, v, causal=True).output
top_left = np.tri(2, 5, dtype=bool)
left = attention(q[-2:], k, v, mask=top_left).output
print("bottom-right, off by", f"{np.abs(right - full).max():.2f}")
print("top-left, off by    ", f"{np.abs(left - full).max():.2f}")

# %% empty
nobody = np.full((1, 4), -np.inf)
e = np.exp(nobody)
with np.errstate(invalid="ignore"):
    print("by the formula:", (e / e.sum())[0])
print("softmax here:  ", softmax(nobody)[0])

# %% left-padding
at_left = np.array([False, False, True, True, True])
mask = causal_mask(5) & at_left
out = attention(x, x, x, mask=mask)
names = [*padded[3:], *padded[:3]]
Table(out.weights, "weights", names, names, of=out.scores)

# %% large-negative
s = np.array([[1.0, 2.0, 0.5, 3.0]], dtype=np.float32)
same = softmax(s + np.float32(-1e9))
print("four hidden keys:", same[0])

# %% garbage
spoiled = v.copy()
spoiled[4] = np.nan
before = attention(q, k, v, causal=True).output
after_nan = attention(q, k, spoiled, causal=True).output
print("first four rows alike:", np.array_equal(before[:4], after_nan[:4]))
print("0 times NaN:", 0 * np.nan)

# %% wrong-bias
ones = causal_mask(5).astype(float)
nothing_hidden = attention(q, k, v, bias=ones)
print("first row:", nothing_hidden.weights[0].round(3))


# %% predict
def shifted(x):
    """Let every word look at what came before it, but not at itself."""
    return read(x, mask=np.tri(len(x), k=-1, dtype=bool))


shifted_knows = influence(shifted, x)
Table(shifted_knows, "mask", words, words, caption=reaches)


# %% check-prefix
def check_prefix(prefix_mask):
    """Try prefix_mask(n, prefix) on three sizes."""
    for n, prefix in [(4, 0), (5, 2), (6, 6)]:
        given = np.asarray(prefix_mask(n, prefix))
        for i in range(n):
            for j in range(n):
                right = j <= i or j < prefix
                if given[i, j] != right:
                    where = f"n={n}, prefix={prefix}, row {i}, column {j}"
                    raise ValueError(f"{where}: given {given[i, j]}")
    print("right for all three")


# %% exercise-prefix
def prefix_mask(n, prefix):
    return causal_mask(n) | (np.arange(n) < prefix)


check_prefix(prefix_mask)


# %% check-pairs
def check_pairs(pairs):
    """Compare a count with the mask itself: 1000 tokens, window 100."""
    right = sliding_window_mask(1000, window=100).sum()
    if pairs != right:
        raise ValueError(f"given {pairs}, off by {pairs - right}")
    print("right")


# %% exercise-pairs
pairs = 1000 * 100 - 100 * 99 // 2
print(pairs)
check_pairs(pairs)


# %% centred
def centred(x):
    """Subtract the mean over all words, then attend causally."""
    return read(x - x.mean(axis=0), causal=True)


# %% check-leak
def check_leak(model):
    """Raise if a row of model(x) knows of a later row of x."""
    x = np.random.default_rng(2).standard_normal((5, 8))
    leaks = influence(model, x) & ~causal_mask(len(x))
    if leaks.any():
        i, j = np.argwhere(leaks)[0]
        raise ValueError(f"row {i} knows of {j}; {leaks.sum()} such pairs")
    print("no row knows of a later one")


# %% exercise-leak
def mended(x):
    return read(x - x.mean(axis=-1, keepdims=True), causal=True)


try:
    check_leak(centred)
except ValueError as error:
    print("centred:", error)
check_leak(mended)

# %% count-leaks
leaks = (influence(centred, x) & ~causal_mask(5)).sum()

# %% facts
declared = {
    "2017": "year of Attention Is All You Need",
    "2019": "year of the BERT paper and of GPT-2",
    "2020": "year of Longformer",
}
facts = {
    "causal": causal_mask(5),
    "hidden": softmax(hidden),
    "weights": step.weights,
    "measured": measured,
    "deep": deep,
    "layers": 12,
    "two endings": pair,
    "padding": batch,
    "causal and padding": both,
    "window": window,
    "one windowed layer": influence(
        lambda x: read(x, causal=True, window=3), x6
    ),
    "two windowed layers": two,
    "n": n,
    "all, causal, window": [n * n, causal_pairs, window_pairs],
    "real": real,
    "kept": padding.sum(),
    "bottom-right": causal_mask(2, 5),
    "off by": [np.abs(right - full).max(), np.abs(left - full).max()],
    "empty": softmax(nobody),
    "left padding": out.weights,
    "large negative": same,
    "one minus own weight with a bias of 0 and 1": (
        1 - nothing_hidden.weights[0, 0]
    ),
    "leaks of centred": leaks,
    "wrong bias": nothing_hidden.weights,
    "shifted": shifted_knows,
    "pairs": pairs,
    "missing at the start": [99, 98, 100 * 99 // 2],
    "float32 steps near a billion": np.spacing(np.float32(1e9)),
}
