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
from attention.show import Box, Flow, Heat, Table

small = MODELS["gpt2"]
heads, wide = small.n_heads, small.d_head

# %% two-sentences
cat, chases, dog = [6, 0], [1, 1], [0, 6]
sentences = np.array([[cat, chases, dog], [dog, chases, cat]])
both = ["猫追狗", "狗追猫"]

# %% one-head
even = [0.5, 0, 0.5]  # half to the left, half to the right
one_head = even @ sentences
Table(one_head, "output", rows=both, digits=0)

# %% two-heads
left, right = [1, 0, 0], [0, 0, 1]
first = sentences[:, :, 0] @ left  # head 1 carries number 1
second = sentences[:, :, 1] @ right  # head 2 carries number 2
two_heads = np.stack([first, second], axis=-1)
cols = [{"zh": "头 1", "en": "head 1"}, {"zh": "头 2", "en": "head 2"}]
Table(two_heads, "output", rows=both, cols=cols, digits=0)

# %% labelled
# 23 is the third number of token 2
labelled = np.array([[11, 12, 13, 14], [21, 22, 23, 24], [31, 32, 33, 34]])
Table(labelled, "query", rows=["猫", "追", "狗"], digits=0)

# %% split
print(split_heads(labelled, n_heads=2))

# %% wrong
wrong = labelled.reshape(2, 3, 2)  # heads, tokens, width

# %% wrong-table
slots = [(h, t) for h in (1, 2) for t in "猫追狗"]
rows = [{"zh": f"头 {h}：{t}", "en": f"head {h}: {t}"} for h, t in slots]
right_split = split_heads(labelled, 2)
cols = [
    {"zh": "对：第 1 个数", "en": "right: 1st"},
    {"zh": "第 2 个数", "en": "2nd"},
    {"zh": "错：第 1 个数", "en": "wrong: 1st"},
    {"zh": "第 2 个数", "en": "2nd"},
]
caption = {
    "zh": "同样的形状，不同的数：左边两列先转置，右边两列没有",
    "en": "Same shape, other numbers: transposed (left), not (right)",
}
sides = np.hstack([right_split.reshape(6, 2), wrong.reshape(6, 2)])
Table(sides, rows=rows, cols=cols, caption=caption, digits=0)

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
waits = {"zh": "v，原样", "en": "v, as it was"}
shares = {"zh": "分数 → 权重", "en": "scores → weights"}
spoken = {"zh": "各头的输出", "en": "what each head says"}
joined = {"zh": "并排接好", "en": "side by side again"}
result = {"zh": "乘 W_o：输出", "en": "times W_o: output"}
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
    caption={
        "zh": "多头注意力：投影，拆开，各看各的，合并，再投影",
        "en": "Multi-head attention: project, split, look, merge, project",
    },
    alt={
        "zh": f"{shape(x)} 的输入投影成 q、k、v，拆成 {split}；"
        f"每个头得到一张权重表，共 {pairs}；各头的输出 {shape(by_head)} "
        f"合并成 {shape(merged)}，再乘 W_o，仍是 {shape(output)}。",
        "en": f"An input of {shape(x)} becomes q, k and v, split into "
        f"{split}. Every head has its own weights, {pairs} in all. What "
        f"the heads say, {shape(by_head)}, is merged into "
        f"{shape(merged)} and multiplied by W_o: {shape(output)} again.",
    },
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
cols = [
    {"zh": "层", "en": "layers"},
    {"zh": "宽度", "en": "width"},
    {"zh": "每层的头", "en": "heads a layer"},
    {"zh": "每头宽度", "en": "width of a head"},
    {"zh": "全部的头", "en": "heads in all"},
]
caption = {"zh": "GPT-2 的四种大小", "en": "The four sizes of GPT-2"}
table = np.column_stack([sizes, in_all])
Table(table, rows=gpt2s, cols=cols, caption=caption, digits=0)


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
rows = [
    {"zh": "拆开再合并，差多少", "en": "split, merge: off by"},
    {"zh": "权重之和与 1 差多少", "en": "row sums: off 1 by"},
    {"zh": "改末词元，首个变多少", "en": "new last token: first moves"},
    {"zh": "改首词元，末个变多少", "en": "new first token: last moves"},
]
cols = [
    {"zh": "先转置", "en": "transposed"},
    {"zh": "没转置", "en": "not"},
]
caption = {
    "zh": "四项检查：前三项两边都过，第四项才露馅",
    "en": "Four tests: three that both pass, one that tells",
}
Table(results, rows=rows, cols=cols, caption=caption, digits=3)

# %% words
words = ["我", "今天", "买", "了", "一个", "苹果", "，", "很", "甜", "。"]
count = len(words)
place = np.arange(count)
spots = np.eye(count)  # a key that says nothing but where it stands


def pointing(target):
    """The weights of a head whose query i looks for place target[i]."""
    q = 6 * spots[target]
    return attention(q, spots, spots, scale=1, causal=True).weights


own = pointing(place)
previous = pointing(np.maximum(place - 1, 0))
first_word = pointing(0 * place)

# %% random-heads
x10 = rng.normal(size=(count, d_model))
options = {"n_heads": heads, "causal": True}
random = multi_head_attention(x10, w_q, w_k, w_v, w_o, **options).weights
twins = multi_head_attention(x10, w_q, w_q, w_v, w_o, **options).weights


# %% winners
def winners(weights):
    """Shares of rows won by the token itself, the one before, the first."""
    best = weights.argmax(axis=-1)  # [..., n, n] -> [..., n]
    here = np.arange(weights.shape[-1])
    wins = [best == here, best == here - 1, best == 0]
    return np.stack([win.mean(axis=-1) for win in wins], axis=-1)


def entropy(weights):
    """Bits, averaged over the rows."""
    logs = np.log2(np.where(weights > 0, weights, 1))
    return -(weights * logs).sum(axis=-1).mean(axis=-1)


# %% count-table
kinds = [own, previous, first_word, random, twins]
counts = np.array(
    [[*np.atleast_2d(winners(w)).mean(0), entropy(w).mean()] for w in kinds]
)
by_luck = (1 / (place + 1)).mean()  # row i: one chance in i
alike = np.log2(place + 1).mean()
chance = [by_luck, by_luck - 1 / count, by_luck, alike]
counts = np.vstack([counts, chance])
rows = [
    {"zh": "手造：看自己", "en": "made: itself"},
    {"zh": "手造：看前一个", "en": "made: previous"},
    {"zh": "手造：看第一个", "en": "made: first"},
    {"zh": f"随机，{heads} 头平均", "en": f"random, mean of {heads}"},
    {"zh": "随机，但 W_q = W_k", "en": "random, W_q = W_k"},
    {"zh": "纯凭运气", "en": "luck alone"},
]
cols = [
    {"zh": "自己", "en": "itself"},
    {"zh": "前一个", "en": "previous"},
    {"zh": "第一个", "en": "first"},
    {"zh": "熵（比特）", "en": "entropy (bits)"},
]
caption = {
    "zh": "最大权重落在哪里：占全部行的份额（不是训练过的头）",
    "en": "Where the largest weight lies: share of rows (no trained heads)",
}
Table(counts, rows=rows, cols=cols, caption=caption)

# %% one-head-each
per_head = count * winners(random)  # rows won, head by head
cols = [str(h + 1) for h in range(heads)]
caption = {
    "zh": f"{heads} 个随机的头：{count} 行里，最大权重落在哪里的有几行",
    "en": f"{heads} random heads: of {count} rows, how many have their "
    "largest weight on …",
}
rows = [
    {"zh": "自己", "en": "itself"},
    {"zh": "前一个", "en": "previous"},
    {"zh": "第一个", "en": "first"},
]
Table(per_head.T, rows=rows, cols=cols, caption=caption, digits=0)

# %% four-heads
gap = np.zeros((count, 2))
strip = np.hstack([own, gap, previous, gap, first_word, gap, random[0]])
mine = [
    round(100 * share) for share in [*counts[:3, 0], per_head[0, 0] / count]
]
Heat(
    strip,
    "weights",
    side=10,
    caption={
        "zh": "四个头的权重，行是提问的词，列是被看的词。"
        "左起：看自己、看前一个、看第一个（手造），随机的头 1",
        "en": "Weights of four heads; rows ask, columns are looked at. "
        "From the left: itself, previous, first (made by hand), random "
        "head 1",
    },
    alt={
        "zh": f"四张下三角图，{count} 个词。一条对角线、一条低一格的斜线、"
        "一条左边的竖线，最后一张深浅不一。最大权重在自己身上的行："
        f"{mine[0]} %、{mine[1]} %、{mine[2]} %、{mine[3]} %。",
        "en": f"Four lower triangles over {count} words: a diagonal, a "
        "line one step below it, a line down the left edge, and one of "
        "uneven shades. Rows won by the token itself: "
        f"{mine[0]} %, {mine[1]} %, {mine[2]} %, {mine[3]} %.",
    },
)

# %% same-price
for h in (1, 12, 48):
    says = multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads=h)
    print(f"{h:2} heads: W_q {w_q.shape}, scores {says.scores.shape}")

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
    "2020": "year of Bhojanapalli et al.",
    "2021": "year of Elhage et al.",
}
facts = {
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
    "counts": counts,
    "random head by head": per_head[:, 0] / count,
    "weights of four matrices": 4 * w_q.size,
    "one matrix": w_q.size,
    "rank": rank,
    "tokens of the rank test": len(many),
    "luck": [luck(n) for n in (2, 10, 40)],
    "most bits": alike,
    "words": count,
}
