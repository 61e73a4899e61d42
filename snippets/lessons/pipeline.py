# %% setup
import math

import numpy as np

from attention import (
    MODELS,
    attention_scores,
    causal_mask,
    embed,
    feed_forward,
    gelu,
    layer_norm,
    linear,
    merge_heads,
    multi_head_attention,
    softmax,
    split_heads,
    split_qkv,
)
from attention.show import Box, Flow, Table

text = "Thank you very much"

# %% excerpt
# Of GPT-2's 50000 merges, all that the words of this page can meet:
# rank, left part, right part; ␣ is a space.
excerpt = """
0 ␣ t             7 e r             16 a n            24 o u
29 ␣ m            38 ␣t h           47 v e            53 ␣ T
75 ␣ y            76 v er           89 ␣y ou          98 c h
144 t h           154 ␣ v           280 ␣T h          292 ver y
307 r y           365 ␣th an        538 u ch          561 T h
589 ␣ very        625 ␣m uch        706 an k          973 u c
1668 er y         2843 h a          3070 ␣ ver        5576 y ou
5619 ␣than k      6696 ␣Th ank      7381 h an         7970 y o
10193 Th ank      14557 th an       17668 ␣Th an      29226 m uch
30044 m u         38523 ␣m u        40460 th ank
"""
fields = [f.replace("␣", " ").encode() for f in excerpt.split()]
triples = zip(fields[::3], fields[1::3], fields[2::3], strict=True)
ranks = {(left, right): int(rank) for rank, left, right in triples}


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
n_bytes, n_merges = 256, 50_000
printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
others = [byte for byte in range(n_bytes) if byte not in printable]
id_of = {bytes([b]): i for i, b in enumerate(printable + others)}
id_of |= {a + b: n_bytes + rank for (a, b), rank in ranks.items()}


def encode(text):
    return [id_of[t] for word in words(text) for t in tokens_of(word)]


ids = encode(text)
print(ids)

# %% id-table
caption = {
    "zh": "GPT-2 的编号，由合并的名次算出（␣ 是空格）",
    "en": "GPT-2's ids, computed from the ranks of merges (␣ is a space)",
}
cols = [word.replace(" ", "␣") for word in words(text)]
rows = [
    {"zh": "最后一次合并的名次", "en": "rank of the last merge"},
    {"zh": "编号", "en": "id"},
]
last_ranks = [token_id - n_bytes for token_id in ids]
Table([last_ranks, ids], rows=rows, cols=cols, caption=caption, digits=0)

# %% no-space
tokens_of("much", show=True)
print(encode("much"))

# %% vocabulary
n_vocab = n_bytes + n_merges + 1  # the last one marks the end of a text
print("ids:", n_vocab, " the largest:", n_vocab - 1)

# %% apple
print("苹果".encode().hex(" "))
print(encode("苹果"))

# %% model
gpt2 = MODELS["gpt2"]
d, n_heads, n_layers = gpt2.d_model, gpt2.n_heads, gpt2.n_layers
n_positions = 1024


def draw(rng, *shape):
    """Random numbers spread evenly around 0, standard deviation 0.02."""
    numbers = rng.random(shape, dtype=np.float32)
    numbers -= 0.5
    numbers *= 0.02 * math.sqrt(12)
    return numbers


rng = np.random.default_rng(0)
token_table = draw(rng, n_vocab, d)
position_table = draw(rng, n_positions, d)
last_norm, last_shift = 1 + draw(rng, d), draw(rng, d)

# %% layer
shapes = {
    "norm_1": (d,),
    "shift_1": (d,),
    "w_qkv": (d, 3 * d),
    "b_qkv": (3 * d,),
    "w_o": (d, d),
    "b_o": (d,),
    "norm_2": (d,),
    "shift_2": (d,),
    "w_in": (d, 4 * d),
    "b_in": (4 * d,),
    "w_out": (4 * d, d),
    "b_out": (d,),
}


def layer(number):
    """Draw a layer's weights: the same each time for the same number."""
    rng = np.random.default_rng(number)
    weights = {name: draw(rng, *shape) for name, shape in shapes.items()}
    weights["norm_1"] += 1
    weights["norm_2"] += 1
    return weights


# %% look-up
x = embed(ids, token_table, position_table)
print(x.shape)

# %% too-large
try:
    embed([50257], token_table)
except ValueError as error:
    print(error)

# %% one-head
first = layer(1)
h = layer_norm(x, first["norm_1"], first["shift_1"])
qkv = linear(h, first["w_qkv"], first["b_qkv"])
q, k, v = (split_heads(y, n_heads) for y in split_qkv(qkv, n_heads))
allowed = causal_mask(len(ids))
scores = np.where(allowed, attention_scores(q, k), -np.inf)
weights = softmax(scores)
output = weights @ v
print("q of one head:", q[0].shape, " its output:", output[0].shape)

# %% head-scores
caption = {
    "zh": "分数：第 1 层第 1 个头，随机参数",
    "en": "Scores: layer 1, head 1, random parameters",
}
Table(scores[0], "scores", rows=cols, cols=cols, caption=caption, digits=3)

# %% head-weights
caption = {
    "zh": "权重：第 1 层第 1 个头，随机参数",
    "en": "Weights: layer 1, head 1, random parameters",
}
Table(
    weights[0],
    "weights",
    rows=cols,
    cols=cols,
    caption=caption,
    percent=True,
)

# %% rest-of-layer
merged = merge_heads(output)
attended = x + linear(merged, first["w_o"], first["b_o"])
h_2 = layer_norm(attended, first["norm_2"], first["shift_2"])
wide = linear(h_2, first["w_in"], first["b_in"])
wide = gelu(wide, approximate="tanh")
after_layer = attended + linear(wide, first["w_out"], first["b_out"])
print(merged.shape, "->", wide.shape, "->", after_layer.shape)


# %% block
def gelu_tanh(x):
    return gelu(x, approximate="tanh")


def block(x, w, causal=True):
    """One layer of GPT-2: attention, then a feed-forward network."""
    h = layer_norm(x, w["norm_1"], w["shift_1"])
    matrices = *split_qkv(w["w_qkv"], n_heads), w["w_o"]
    biases = *split_qkv(w["b_qkv"], n_heads), w["b_o"]
    named = dict(zip(("b_q", "b_k", "b_v", "b_o"), biases, strict=True))
    heads = multi_head_attention(
        h, *matrices, n_heads=n_heads, causal=causal, **named
    )
    x = x + heads.output
    h = layer_norm(x, w["norm_2"], w["shift_2"])
    matrices = w["w_in"], w["w_out"], w["b_in"], w["b_out"]
    return x + feed_forward(h, *matrices, activation=gelu_tanh)


# %% same
step_error = np.abs(block(x, first) - after_layer).max()
print(f"off by {step_error:.0e}")


# %% gpt
def through_layers(x, causal=True, layers=n_layers):
    for number in range(1, layers + 1):
        x = block(x, layer(number), causal)
    return x


def logits_of(x):
    x = layer_norm(x, last_norm, last_shift)
    return linear(x, token_table.T)


def gpt(ids, **options):
    """From ids to a logit for every token of the vocabulary."""
    x = embed(ids, token_table, position_table)
    return logits_of(through_layers(x, **options))


# %% run
after_all = through_layers(x)
logits = logits_of(after_all)
probabilities = softmax(logits)
print(logits.shape)

# %% flat
largest, even = float(probabilities[2].max()), 1 / n_vocab
print(f"largest probability: {largest:.3%}")
print(f"an even share:       {even:.3%}")

# %% trace
last = layer_norm(after_all, last_norm, last_shift)
steps = [
    ({"zh": "查表，加上位置", "en": "look up, add position"}, x),
    ({"zh": "归一", "en": "normalise"}, h),
    ({"zh": "查询：乘 W_q", "en": "query: times W_q"}, q[0]),
    ({"zh": "键：乘 W_k", "en": "key: times W_k"}, k[0]),
    ({"zh": "值：乘 W_v", "en": "value: times W_v"}, v[0]),
    ({"zh": "分数：点积 / √64", "en": "scores: dot / √64"}, scores[0]),
    ({"zh": "权重：softmax", "en": "weights: softmax"}, weights[0]),
    ({"zh": "值的加权和", "en": "weighted sum"}, output[0]),
    ({"zh": "各头并排", "en": "heads side by side"}, merged),
    ({"zh": "乘 W_o，加回", "en": "times W_o, add back"}, attended),
    ({"zh": "前馈：变宽", "en": "feed-forward: widen"}, wide),
    ({"zh": "变窄，加回", "en": "narrow, add back"}, after_layer),
    ({"zh": "第 12 层之后", "en": "after layer 12"}, after_all),
    ({"zh": "归一", "en": "normalise"}, last),
    ({"zh": "logit：与词表点积", "en": "logits: dot with table"}, logits),
    (
        {"zh": "概率，百万分之几", "en": "probability, per million"},
        1e6 * probabilities,
    ),
]
sizes = ["×".join(map(str, array.shape)) for _, array in steps]
samples = np.array([array[2, :3] for _, array in steps])

# %% trace-table
caption = {
    "zh": "␣very 那一行走过的每一步：形状与前三个数（随机参数）",
    "en": "The row of ␣very, step by step: shape and first three numbers"
    " (random parameters)",
}
rows = [
    {
        language: f"{number}. {name[language]} · {size}"
        for language in ("zh", "en")
    }
    for number, ((name, _), size) in enumerate(
        zip(steps, sizes, strict=True), 1
    )
]
Table(samples, rows=rows, caption=caption, digits=3)

# %% parameters
in_a_layer = sum(math.prod(shape) for shape in shapes.values())
parts = [
    token_table.size,
    position_table.size,
    n_layers * in_a_layer,
    last_norm.size + last_shift.size,
]
total = sum(parts)
print("one layer:", in_a_layer, " in all:", total)

# %% parameters-table
caption = {
    "zh": "GPT-2 small 的参数，按数组的大小数出来",
    "en": "The parameters of GPT-2 small, counted from its arrays",
}
rows = [
    {"zh": f"词元表 {n_vocab}×{d}", "en": f"token table {n_vocab}×{d}"},
    {
        "zh": f"位置表 {n_positions}×{d}",
        "en": f"position table {n_positions}×{d}",
    },
    {"zh": f"{n_layers} 层", "en": f"{n_layers} layers"},
    {"zh": "最后的归一", "en": "last normalisation"},
    {"zh": "合计", "en": "in all"},
]
one_column = [{"zh": "参数", "en": "parameters"}]
counted = np.array([[*parts, total]]).T
Table(counted, rows=rows, cols=one_column, caption=caption, digits=0)

# %% flow
t, w = len(ids), d // n_heads
caption = {
    "zh": f"{t} 个词元穿过 GPT-2 small",
    "en": f"{t} tokens on their way through GPT-2 small",
}
alt = {
    "zh": (
        f"{t} 个编号查表得到 {t}×{d} 的矩阵；每个头从中算出 "
        f"{t}×{w} 的查询、键和值，查询与键得 {t}×{t} 的分数，"
        f"再得权重，与值相乘得输出；{n_heads} 个头并排，加回去，"
        f"再过前馈网络，是一层；这样 {n_layers} 层，"
        f"最后与词元表点积，得 {t}×{n_vocab} 的概率。"
    ),
    "en": (
        f"{t} ids are looked up and give a {t}×{d} matrix. Each head "
        f"makes queries, keys and values of {t}×{w} from it; queries "
        f"and keys give {t}×{t} scores, these give weights, which "
        f"blend the values. {n_heads} heads side by side are added "
        "back, a feed-forward network follows, and that is one layer. "
        f"After {n_layers} of them, dot products with the token table "
        f"give {t}×{n_vocab} probabilities."
    ),
}
names = [
    {"zh": f"{n_heads} 个头，加回", "en": f"{n_heads} heads, added back"},
    {"zh": "前馈网络，加回", "en": "feed-forward, added back"},
    {"zh": f"再过 {n_layers - 1} 层", "en": f"{n_layers - 1} more layers"},
]
kept = Box({"zh": "值", "en": "value"}, f"{t}×{w}", "value")
Flow(
    [
        [Box({"zh": "编号", "en": "ids"}, f"{t}")],
        [Box({"zh": "词元 + 位置", "en": "token + position"}, f"{t}×{d}")],
        [
            Box({"zh": "查询", "en": "query"}, f"{t}×{w}", "query"),
            Box({"zh": "键", "en": "key"}, f"{t}×{w}", "key"),
            kept,
        ],
        [Box({"zh": "分数", "en": "scores"}, f"{t}×{t}", "scores"), kept],
        [Box({"zh": "权重", "en": "weights"}, f"{t}×{t}", "weights"), kept],
        [Box({"zh": "输出", "en": "output"}, f"{t}×{w}", "output")],
        *([Box(name, f"{t}×{d}")] for name in names),
        [Box("logit", f"{t}×{n_vocab}")],
        [Box({"zh": "概率", "en": "probabilities"}, f"{t}×{n_vocab}")],
    ],
    [(0, 1), (1, 2), (1, 3), (1, 4), (2, 5), (3, 5), (4, 6), (5, 7)]
    + [(6, 8), (7, 9), (8, 9)]
    + [(i, i + 1) for i in range(9, 14)],
    caption=caption,
    alt=alt,
)

# %% two-endings
endings = [ids, [*ids[:3], *encode("much")]]
print(endings)
one, other = gpt(endings)
moved = np.abs(one - other).max(axis=-1)
print("logits moved by", moved.round(3))


# %% check-id
def check_id(answer):
    """Test the id of "you" without its space."""
    if answer != id_of[b"you"]:
        raise ValueError(f"{answer} given: that is not the id of 'you'")
    print("right:", answer)


# %% exercise-id
check_id(n_bytes + 5576)


# %% check-count
def check_count(count):
    """Test count(n_layers, d) on the four sizes of GPT-2."""
    for name in ("gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"):
        c = MODELS[name]
        scale = c.d_model / d
        right = 2 * c.d_model + (n_vocab + n_positions) * c.d_model
        for shape in shapes.values():
            right += c.n_layers * round(
                math.prod(shape) * scale ** len(shape)
            )
        given = count(c.n_layers, c.d_model)
        if given != right:
            raise ValueError(f"{name}: {given} given, it has {right}")
        print(f"{name:12} {given:10}")


# %% exercise-count
def count(n_layers, d):
    in_a_layer = 12 * d * d + 13 * d
    return n_layers * in_a_layer + (n_vocab + n_positions + 2) * d


check_count(count)


# %% check-rows
def check_rows(rows):
    """Test which rows move when the last token changes, unmasked."""
    one, other = gpt(endings, causal=False, layers=1)
    moved = np.nonzero(np.abs(one - other).max(axis=-1))[0].tolist()
    if sorted(rows) != moved:
        raise ValueError(f"{rows} given, but other rows move")
    print("right:", moved)


# %% exercise-rows
check_rows([0, 1, 2, 3])

# %% facts
declared = {
    "99.2": "P(much | Thank you very) as it goes around; not ours",
    "2016": "Sennrich et al.",
    "2017": "Attention Is All You Need; Press and Wolf",
    "2019": "Radford et al.: GPT-2",
}
facts = {
    "ids": ids,
    "last ranks": last_ranks,
    "ids without their space": {w: encode(w) for w in ("you", "much")},
    "last rank of much without its space": ranks[b"m", b"uch"],
    "ids of 苹果": encode("苹果"),
    "merges shown": len(ranks),
    "bytes": n_bytes,
    "merges": n_merges,
    "vocabulary": n_vocab,
    "rows asked for": n_vocab + 1,
    "largest id": n_vocab - 1,
    "positions": n_positions,
    "width": d,
    "heads": n_heads,
    "layers": n_layers,
    "other layers": n_layers - 1,
    "width of a head": q.shape[-1],
    "three projections": shapes["w_qkv"][1],
    "feed-forward width": wide.shape[-1],
    "standard deviation": 0.02,
    "measured standard deviation": token_table[:1000].std(),
    "weights of one head": weights[0],
    "step error": step_error,
    "shapes": [list(array.shape) for _, array in steps],
    "steps": len(steps),
    "samples": samples[:6],
    "largest probability": largest,
    "even share": even,
    "one layer": in_a_layer,
    "parts": parts,
    "total": total,
    "share of the token table": parts[0] / total,
    "moved": moved,
    "ranks for exercise 1": [ranks[b"o", b"u"], ranks[b"y", b"ou"]],
    "sizes of GPT-2": {
        name: count(MODELS[name].n_layers, MODELS[name].d_model)
        for name in ("gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl")
    },
    "12d² + 13d": [12, 13],
}
