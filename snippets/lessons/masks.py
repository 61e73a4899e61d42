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
from attention.show import Heat, Table

rng = np.random.default_rng(0)

# %% words
words = ["苹果", "发布", "了", "新款", "iPhone"]
earlier = ["我", "今天", "买", "了", "一个", "苹果"]

# %% encoder
caption = {
    "zh": "编码器：✓ 可以看",
    "en": "encoder: ✓ may attend",
}
everyone = np.ones((5, 5), dtype=bool)
Table(everyone, "mask", rows=words, cols=words, caption=caption)

# %% decoder
mask = causal_mask(5)
Table(mask, "mask", rows=words, cols=words)


# %% sees
def sees(words):
    """Print what each word may look at under a causal mask."""
    for word, row in zip(words, causal_mask(len(words)), strict=True):
        print(word, "←", *np.array(words)[row])


sees(words)

# %% sees-earlier
sees(earlier)

# %% hidden-score
scores = np.array([2.0, 1.0, 3.0])
visible = np.array([True, True, False])
hidden = np.where(visible, scores, -np.inf)
print("scores: ", hidden)
print("weights:", softmax(hidden).round(3))

# %% too-late
late = softmax(scores) * visible
print("weights:", late.round(3), " sum:", late.sum().round(3))

# %% one-line
position = np.arange(5)
one_line = position <= position[:, None]
print(np.array_equal(one_line, causal_mask(5)))

# %% weights
x = rng.standard_normal((5, 8))  # five words, eight numbers each
matrices = rng.standard_normal((12, 3, 8, 8)) / np.sqrt(8)
W_q, W_k, W_v = matrices[0]
q, k, v = x @ W_q, x @ W_k, x @ W_v
step = attention(q, k, v, causal=True)

# %% weights-table
caption = {
    "zh": "权重：随机参数，因果掩码",
    "en": "weights: random parameters, causal mask",
}
Table(
    step.weights,
    "weights",
    rows=words,
    cols=words,
    caption=caption,
    percent=True,
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
caption = {
    "zh": "测得：✓ 表示改列上的词，行上的输出会变",
    "en": "measured: ✓ where changing the column's word changes the row",
}
Table(measured, "mask", rows=words, cols=words, caption=caption)

# %% same-mask
deep = influence(lambda x: read(x, layers=12, causal=True), x)
print("one layer equals causal_mask:", (measured == causal_mask(5)).all())
print("twelve layers, the same:     ", (deep == causal_mask(5)).all())

# %% two-endings
table = {word: rng.standard_normal(8) for word in [*words, *"很脆也甜"]}
phone = np.array([table[word] for word in words])
fruit = np.array([table[word] for word in ["苹果", *"很脆也甜"]])
ends = {}
for name, causal in [("GPT", True), ("BERT", False)]:
    a, b = (read(x, layers=12, causal=causal) for x in (phone, fruit))
    ends[name] = np.linalg.norm(a - b, axis=-1)

# %% two-endings-table
cols = [
    {"zh": "第一个词：苹果", "en": "first word: 苹果"},
    {"zh": "最后一个词", "en": "last word"},
]
rows = [
    {"zh": "解码器（因果）", "en": "decoder (causal)"},
    {"zh": "编码器", "en": "encoder"},
]
caption = {
    "zh": "同一位置在两句里的向量相距多远，12 层之后",
    "en": "How far apart the two sentences are, after 12 layers",
}
pair = np.array([[d[0], d[-1]] for d in ends.values()])
Table(pair, rows=rows, cols=cols, caption=caption, digits=3)

# %% padding
batch = padding_mask([5, 3], 5)
slots = [{"zh": f"第 {n} 格", "en": f"slot {n}"} for n in range(1, 6)]
rows = ["苹果 发布 了 新款 iPhone", "苹果 很 甜"]
caption = {
    "zh": "两句话，五个格子：✓ 是词，· 是填充",
    "en": "two sentences, five slots: ✓ a word, · padding",
}
Table(batch[:, 0], rows=rows, cols=slots, caption=caption)

# %% both-masks
both = causal_mask(5) & batch[1]
padded = ["苹果", "很", "甜", "[PAD]", "[PAD]"]
Table(both, "mask", rows=padded, cols=padded)

# %% window
window = sliding_window_mask(6, window=3)
Table(window, "mask", rows=earlier, cols=earlier)

# %% window-deep
x6 = rng.standard_normal((6, 8))
one = influence(lambda x: read(x, causal=True, window=3), x6)
two = influence(lambda x: read(x, layers=2, causal=True, window=3), x6)
caption = {
    "zh": "测得：两层窗口之后，谁的消息到了谁那里",
    "en": "measured after two windowed layers: who has heard of whom",
}
Table(two, "mask", rows=earlier, cols=earlier, caption=caption)

# %% count
n, width = 32, 8
causal_pairs = causal_mask(n).sum()
window_pairs = sliding_window_mask(n, window=width).sum()
print("every pair: ", n * n)
print("causal:     ", causal_pairs)
print("window of 8:", window_pairs)

# %% heat-causal
caption = {
    "zh": f"因果，{n} 个词元：行是提问的，列是被看的，实的可以看",
    "en": f"Causal, {n} tokens: rows ask, columns are looked at; "
    "filled squares are visible",
}
alt = {
    "zh": f"左下三角是实的，右上三角是空的："
    f"{n * n} 对里可见 {causal_pairs} 对。",
    "en": f"The lower left triangle is filled, the upper right empty: "
    f"{causal_pairs} of {n * n} pairs are visible.",
}
Heat(causal_mask(n), "mask", caption=caption, alt=alt, side=6)

# %% heat-window
caption = {
    "zh": f"滑动窗口，宽 {width}：沿着对角线的一条带",
    "en": f"Sliding window of {width}: a band along the diagonal",
}
alt = {
    "zh": f"对角线及其下方共 {width} 格宽的带是实的，其余是空的："
    f"{n * n} 对里可见 {window_pairs} 对。",
    "en": f"A band {width} squares wide, the diagonal and what lies left "
    f"of it, is filled: {window_pairs} of {n * n} pairs are visible.",
}
Heat(
    sliding_window_mask(n, window=width),
    "mask",
    caption=caption,
    alt=alt,
    side=6,
)

# %% heat-padding
real = 20
kept = causal_mask(n) & padding_mask([real], n)[0]
caption = {
    "zh": f"因果加填充：只有前 {real} 格是真的词元",
    "en": f"Causal and padding: only the first {real} slots hold tokens",
}
alt = {
    "zh": f"左下三角里，第 {real} 列以后全是空的：{n * n} 对里可见 "
    f"{kept.sum()} 对。",
    "en": f"The lower left triangle, with nothing filled to the right of "
    f"column {real}: {kept.sum()} of {n * n} pairs are visible.",
}
Heat(kept, "mask", caption=caption, alt=alt, side=6)

# %% bottom-right
newest = words[-2:]
Table(causal_mask(2, 5), "mask", rows=newest, cols=words)

# %% top-left
caption = {
    "zh": "左上对齐，错：新词看不到自己",
    "en": "aligned top-left, wrong: new words miss themselves",
}
wrong = np.tri(2, 5, dtype=bool)
Table(wrong, "mask", rows=newest, cols=words, caption=caption)

# %% cache
full = attention(q, k, v, causal=True).output[-2:]
right = attention(q[-2:], k, v, causal=True).output
left = attention(q[-2:], k, v, mask=wrong).output
print("bottom-right, off by", f"{np.abs(right - full).max():.2f}")
print("top-left, off by    ", f"{np.abs(left - full).max():.2f}")

# %% empty
nobody = np.full((1, 4), -np.inf)
with np.errstate(invalid="ignore"):
    e = np.exp(nobody - nobody.max())
    print("by the formula:", (e / e.sum())[0])
print("softmax here:  ", softmax(nobody)[0])

# %% left-padding
at_left = np.array([False, False, True, True, True])
mask = causal_mask(5) & at_left
out = attention(x, x, x, mask=mask)
names = ["[PAD]", "[PAD]", "苹果", "很", "甜"]
Table(out.weights, "weights", rows=names, cols=names, percent=True)

# %% large-negative
s = np.array([[1.0, 2.0, 0.5, 3.0]], dtype=np.float32)
same = softmax(s + np.float32(-1e9))
print("four hidden keys:", same[0])

# %% added-twice
ahead = np.where(causal_mask(5), 0, np.float32(-1e9))
pad = np.where(at_left, 0, np.float32(-1e9))
random = rng.standard_normal((5, 5)).astype(np.float32)
twice = softmax(random + ahead + pad)
caption = {
    "zh": "两次加上 −10⁹：头两行出了错",
    "en": "−10⁹ added twice: the first two rows go wrong",
}
Table(
    twice,
    "weights",
    rows=names,
    cols=names,
    caption=caption,
    percent=True,
)

# %% half
with np.errstate(over="ignore"):
    print("-1e9 in float16:", np.float16(-1e9))

# %% too-small
stray = np.array([5.0, 20_000.0])  # the second key is to be hidden
added = stray + np.array([0, -1e4])
print("-1e4 added:    ", softmax(added))
print("-inf instead:  ", softmax(np.where([True, False], stray, -np.inf)))

# %% garbage
spoiled = v.copy()
spoiled[4] = np.nan
before = attention(q, k, v, causal=True).output
after_nan = attention(q, k, spoiled, causal=True).output
print("first four rows alike:", np.array_equal(before[:4], after_nan[:4]))
print("0 times NaN:", 0 * np.nan)

# %% bias
distance = np.arange(5)[:, None] - np.arange(5)
bias = -0.5 * np.abs(distance)
nearer = attention(q, k, v, causal=True, bias=bias)
Table(nearer.weights, "weights", rows=words, cols=words, percent=True)

# %% wrong-bias
ones = causal_mask(5).astype(float)
nothing_hidden = attention(q, k, v, bias=ones)
print("first row:", nothing_hidden.weights[0].round(3))

# %% refused
try:
    attention(q, k, v, mask=ones)
except TypeError as error:
    print(error)


# %% predict
def shifted(x):
    """Let every word look at what came before it, but not at itself."""
    return read(x, mask=np.tri(len(x), k=-1, dtype=bool))


shifted_knows = influence(shifted, x)
Table(shifted_knows, "mask", rows=words, cols=words)


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
    "2022": "year of ALiBi",
}
facts = {
    "causal": causal_mask(5),
    "hidden": softmax(hidden),
    "too late": late,
    "sum too late": late.sum(),
    "weights": step.weights,
    "measured": measured,
    "deep": deep,
    "layers": 12,
    "two endings": pair,
    "padding": batch,
    "causal and padding": both,
    "window": window,
    "one windowed layer": one,
    "two windowed layers": two,
    "n": n,
    "all, causal, window": [n * n, causal_pairs, window_pairs],
    "real": real,
    "kept": kept.sum(),
    "bottom-right": causal_mask(2, 5),
    "off by": [np.abs(right - full).max(), np.abs(left - full).max()],
    "empty": softmax(nobody),
    "left padding": out.weights,
    "large negative": same,
    "added twice": twice,
    "what rows 0 and 1 give to later words": [
        twice[0, 2:].sum(),
        twice[1, 2:].sum(),
    ],
    "too small": softmax(added),
    "one minus own weight with a bias of 0 and 1": (
        1 - nothing_hidden.weights[0, 0]
    ),
    "leaks of centred": leaks,
    "nearer": nearer.weights,
    "wrong bias": nothing_hidden.weights,
    "shifted": shifted_knows,
    "pairs": pairs,
    "missing at the start": [99, 98, 100 * 99 // 2],
    "float16 goes up to": np.finfo(np.float16).max,
    "float32 steps near a billion": np.spacing(np.float32(1e9)),
}
