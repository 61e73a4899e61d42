# %% setup
import math

import numpy as np

from attention import attention, causal_mask, multi_head_attention, softmax
from lessonkit import Figure, Labels, Table

labels = Labels("wrong-on-purpose")
tokens = labels["tokens"]
q = np.array([[2.0, 0.0], [3.0, 1.0], [1.0, 3.0]])
k = np.array([[1.0, 2.0], [3.0, 1.0], [0.0, 3.0]])
v = np.array([[1.0, 1.0], [6.0, 0.5], [0.5, 6.0]])
two = labels["two"]
total = labels["total"]


# %% attend
def attend(q, k, v, mask=True):
    scores = q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1])
    weights = softmax(np.where(mask, scores, -np.inf))
    return weights, weights @ v


# %% same
ours, theirs = attend(q, k, v), attention(q, k, v)
print("off by", np.abs(ours[1] - theirs.output).max())


# %% verdict
def verdict(check, wrong, right):
    for name, version in (("wrong", wrong), ("right", right)):
        try:
            check(version)
        except AssertionError as found:
            print(f"{name}: caught, {found}")
        else:
            print(f"{name}: passes")


# %% axis
def wrong_axis(q, k, v):
    scores = q @ k.T / math.sqrt(q.shape[-1])
    weights = softmax(scores, axis=0)  # right: axis=-1
    return weights, weights @ v


# %% axis-beside
axis_rows = np.array([wrong_axis(q, k, v)[0][1], attend(q, k, v)[0][1]])
axis_sums = axis_rows.sum(axis=-1)
Table(
    np.column_stack([axis_rows, axis_sums]),
    "weights",
    two,
    [*tokens, total],
    corner="",
    **labels("axis-beside"),
)


# %% axis-check
def check_rows(attend):
    sums = attend(q, k, v)[0].sum(axis=-1)
    assert np.allclose(sums, 1), f"rows sum to {sums.round(2)}"


verdict(check_rows, wrong_axis, attend)


# %% no-scale
def wrong_scale(q, k, v):
    scores = q @ k.T  # right: / math.sqrt(q.shape[-1])
    weights = softmax(scores)
    return weights, weights @ v


# %% no-scale-beside
rng = np.random.default_rng(0)
wide = [rng.standard_normal((4, 64)) for _ in "qkv"]
scale_rows = np.array([wrong_scale(*wide)[0][0], attend(*wide)[0][0]])
four = ["1", "2", "3", "4"]
Table(
    scale_rows,
    "weights",
    two,
    four,
    corner="",
    **labels("no-scale-beside", wide_0_shape_1=wide[0].shape[1]),
)


# %% no-scale-check
def check_width(attend):
    near, far = np.ones(16), np.zeros(16)
    weights, _ = attend(near[None], np.array([near, far]), np.eye(2))
    gap = math.log(weights[0, 0] / weights[0, 1])
    assert math.isclose(gap, 4), f"scores differ by {gap:.1f}, not √16"


verdict(check_width, wrong_scale, attend)


# %% heads
def split(x, n_heads):
    n, d_model = x.shape
    return x.reshape(n, n_heads, d_model // n_heads).swapaxes(0, 1)


def by_heads(x, w_q, w_k, w_v, n_heads):
    q, k, v = (split(x @ w, n_heads) for w in (w_q, w_k, w_v))
    return attend(q, k, v)


# %% heads-same
x = rng.standard_normal((4, 768))
w_q, w_k, w_v = rng.standard_normal((3, 768, 768)) / math.sqrt(768)
whole = multi_head_attention(x, w_q, w_k, w_v, np.eye(768), n_heads=12)
merged = by_heads(x, w_q, w_k, w_v, 12)[1].swapaxes(0, 1).reshape(4, 768)
heads_off = np.abs(merged - whole.output).max()


# %% d-model
def wrong_width(x, w_q, w_k, w_v, n_heads):
    q, k, v = (split(x @ w, n_heads) for w in (w_q, w_k, w_v))
    scores = q @ k.swapaxes(-1, -2)
    scores = scores / math.sqrt(x.shape[-1])  # right: q.shape[-1]
    weights = softmax(scores)
    return weights, weights @ v


# %% d-model-beside
model_right = by_heads(x, w_q, w_k, w_v, 12)
model_wrong = wrong_width(x, w_q, w_k, w_v, 12)
model_rows = np.array([model_wrong[0][0, 0], model_right[0][0, 0]])
sizes = (len(model_right[0]), x.shape[1])
caption = labels("random-weights-heads-wid", sizes=sizes)
Table(model_rows, "weights", two, four, caption=caption, corner="")


# %% d-model-check
def check_head_width(by_heads):
    x, one = np.repeat([[1.0], [0.0]], 8, axis=1), np.eye(8)
    weights, _ = by_heads(x, one, one, one, n_heads=2)
    gap = math.log(weights[0, 0, 0] / weights[0, 0, 1])
    assert math.isclose(gap, 2), f"scores differ by {gap:.2f}, not √4"


verdict(check_head_width, wrong_width, by_heads)


# %% after
def wrong_after(q, k, v, mask):
    scores = q @ k.T / math.sqrt(q.shape[-1])
    weights = softmax(scores) * mask  # right: mask the scores
    return weights, weights @ v


# %% after-beside
before = causal_mask(3)
after_wrong, after_right = (
    wrong_after(q, k, v, before),
    attend(q, k, v, before),
)
after_rows = np.array([after_wrong[0][0], after_right[0][0]])
after_sums = after_rows.sum(axis=-1)
Table(
    np.column_stack([after_rows, after_sums]),
    "weights",
    two,
    [*tokens, total],
    corner="",
    **labels("after-beside"),
)


# %% after-check
def check_first(attend):
    weights, _ = attend(q, k, v, causal_mask(3))
    shown = weights[0].round(3)
    assert (weights[0] == [1, 0, 0]).all(), f"first row is {shown}"


verdict(check_first, wrong_after, attend)


# %% polarity
def wrong_polarity(q, k, v, mask):
    scores = q @ k.T / math.sqrt(q.shape[-1])
    scores = np.where(mask, -np.inf, scores)  # right: mask, scores, -inf
    weights = softmax(scores)
    return weights, weights @ v


# %% polarity-beside
padding = labels["padding"]
k4, v4 = np.vstack([k, [0, 0]]), np.vstack([v, [0, 0]])
real = np.array([True, True, True, False])
polarity_wrong = wrong_polarity(q, k4, v4, real)
polarity_right = attend(q, k4, v4, real)
polarity_rows = np.array([polarity_wrong[0][1], polarity_right[0][1]])
Table(
    polarity_rows,
    "weights",
    two,
    [*tokens, padding],
    corner="",
    **labels("polarity-beside"),
)


# %% polarity-check
def check_hidden(attend):
    weights, _ = attend(q, k, v, np.array([True, True, False]))
    share = weights[:, 2].max()
    assert share == 0, f"a hidden key gets {share:.1%}"


verdict(check_hidden, wrong_polarity, attend)


# %% finite
def wrong_finite(q, k, v, mask):
    scores = q @ k.T / math.sqrt(q.shape[-1])
    scores = scores + np.where(mask, 0, -1e4)  # right: -np.inf
    weights = softmax(scores)
    return weights, weights @ v


# %% finite-beside
garbage = np.vstack([k, [9e3, 9e3]])
finite_wrong = wrong_finite(q, garbage, v4, real)
finite_right = attend(q, garbage, v4, real)
finite_rows = np.array([finite_wrong[0][1], finite_right[0][1]])
hidden_score = attention(q, garbage, v4).scores[1, 3]
Table(
    finite_rows,
    "weights",
    two,
    [*tokens, labels["hidden"]],
    corner="",
    **labels("finite-beside", hidden_score=hidden_score),
)


# %% finite-check
def check_leak(attend):
    mask, huge = np.array([True, True, False]), k.copy()
    huge[2] = 1e6
    moved = np.abs(attend(q, huge, v, mask)[1] - attend(q, k, v, mask)[1])
    assert (moved == 0).all(), f"a hidden key moves it by {moved.max():.2f}"


verdict(check_leak, wrong_finite, attend)


# %% empty
def wrong_empty(q, k, v, mask):
    scores = q @ k.T / math.sqrt(q.shape[-1])
    scores = np.where(mask, scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)  # 0 / 0
    return weights, weights @ v


# %% empty-beside
nothing = np.zeros((3, 3), bool)
with np.errstate(invalid="ignore"):
    empty_wrong = wrong_empty(q, k, v, nothing)
    empty_finite = wrong_finite(q, k, v, nothing)
empty_right = attend(q, k, v, nothing)
empty_rows = np.array(
    [one[0][1] for one in (empty_wrong, empty_finite, empty_right)]
)
Table(
    empty_rows,
    "weights",
    [labels["wrong-0-0"], labels["wrong-minus-1e4"], two[1]],
    tokens,
    corner="",
    **labels("empty-beside"),
)


# %% empty-check
def check_empty(attend):
    with np.errstate(invalid="ignore"):
        weights, output = attend(q, k, v, np.zeros((3, 3), bool))
    assert (weights == 0).all(), f"an empty row has weights {weights[0]}"
    assert (output == 0).all(), f"an empty row has output {output[0]}"


verdict(check_empty, wrong_empty, attend)


# %% top-left
def wrong_corner(n_q, n_k):
    return np.tri(n_q, n_k, dtype=bool)  # right: k=n_k - n_q


# %% top-left-beside
corner_wrong = attend(q[2:], k, v, wrong_corner(1, 3))
corner_right = attend(q[2:], k, v, causal_mask(1, 3))
corner_rows = np.array([corner_wrong[0][0], corner_right[0][0]])
Table(
    corner_rows,
    "weights",
    two,
    tokens,
    corner="",
    **labels("top-left-beside"),
)


# %% top-left-check
def check_cached(causal_mask):
    whole = attend(q, k, v, causal_mask(3, 3))[1][-1]
    last = attend(q[2:], k, v, causal_mask(1, 3))[1][0]
    assert np.allclose(whole, last), (
        f"{last.round(2)}, not {whole.round(2)}"
    )


verdict(check_cached, wrong_corner, causal_mask)


# %% reshape
def wrong_split(x, n_heads):
    n, d_model = x.shape
    return x.reshape(n_heads, n, d_model // n_heads)  # no swapaxes


def wrong_merge(heads):
    n_heads, n, d_head = heads.shape
    return heads.reshape(n, n_heads * d_head)


# %% reshape-beside
counted = np.arange(8.0).reshape(2, 4)
split_rows = np.array(
    [wrong_split(counted, 2)[0].ravel(), split(counted, 2)[0].ravel()]
)
Table(split_rows, rows=two, **labels("reshape-beside"), digits=0)

# %% reshape-round
back = wrong_merge(wrong_split(counted, 2))
print("there and back:", (back == counted).all())


# %% reshape-check
def check_split(split):
    x = np.arange(6.0).reshape(3, 2)  # 3 tokens, 2 heads of width 1
    first = split(x, 2)[0].ravel()
    assert (first == x[:, 0]).all(), f"head 1 gets {first}, not {x[:, 0]}"


verdict(check_split, wrong_split, split)


# %% tile
def share(kv, n_heads):
    return np.repeat(kv, n_heads // len(kv), axis=0)


def wrong_share(kv, n_heads):
    return np.tile(kv, (n_heads // len(kv), 1, 1))  # right: np.repeat


# %% tile-beside
owners = np.array([[[1.0]], [[2.0]]])
tile_rows = np.array(
    [wrong_share(owners, 6).ravel(), share(owners, 6).ravel()]
)
Table(
    tile_rows,
    rows=two,
    cols=["1", "2", "3", "4", "5", "6"],
    **labels("tile-beside"),
    digits=0,
)


# %% tile-check
def check_share(share):
    read = share(np.array([[[1.0]], [[2.0]]]), 4).ravel()
    assert (read == [1, 1, 2, 2]).all(), f"heads read {read}"


verdict(check_share, wrong_share, share)


# %% values
def wrong_values(x, w_q, w_k, w_v, n_heads):
    q, k, v = (split(x @ w, n_heads) for w in (w_q, w_k, w_k))  # w_v!
    return attend(q, k, v)


# %% values-beside
values_wrong = wrong_values(x, w_q, w_k, w_v, 12)
values_right = by_heads(x, w_q, w_k, w_v, 12)
values_rows = np.array(
    [values_wrong[1][0, 0, :4], values_right[1][0, 0, :4]]
)
Table(values_rows, "output", two, four, **labels("values-beside"))


# %% values-check
def check_values(by_heads):
    x, one = np.eye(4), np.eye(4)
    _, output = by_heads(x, one, one, 0 * one, n_heads=2)
    largest = np.abs(output).max()
    assert largest == 0, f"without values, an output of {largest:.2f}"


verdict(check_values, wrong_values, by_heads)

# %% which
# weights and output of every exhibit, wrong and right
grouped = [split(x @ w, 2)[:, :, :64] for w in (w_k, w_v)]
many = split(x @ w_q, 12)[:6]
shared = [
    attend(many, *(fan_out(kv, 6) for kv in grouped))
    for fan_out in (wrong_share, share)
]
cut = [
    attend(*(cut_up(x @ w, 12) for w in (w_q, w_k, w_v)))
    for cut_up in (wrong_split, split)
]
exhibits = {
    "axis": (wrong_axis(q, k, v), attend(q, k, v)),
    "no-scale": (wrong_scale(*wide), attend(*wide)),
    "d-model": (model_wrong, model_right),
    "after": (after_wrong, after_right),
    "polarity": (polarity_wrong, polarity_right),
    "finite": (finite_wrong, finite_right),
    "empty": (empty_wrong, empty_right),
    "top-left": (corner_wrong, corner_right),
    "reshape": cut,
    "tile": shared,
    "values": (values_wrong, values_right),
}


def alarms(wrong, right):
    """Which general check notices: shape, NaN, row sums, comparison."""
    sums, wanted = wrong[0].sum(axis=-1), right[0].sum(axis=-1)
    return [
        wrong[1].shape != right[1].shape,
        not np.isfinite(wrong[1]).all(),
        not np.allclose(sums, wanted),
        not np.allclose(wrong[1], right[1]),
    ]


noticed = np.array([alarms(*pair) for pair in exhibits.values()])

# %% which-table
names = labels["names"]
caught = noticed.sum(axis=0)
Table(
    np.vstack([noticed, caught]),
    rows=[*names, total],
    **labels("which-table"),
    digits=0,
)


# %% spot
late = (
    attend(q[1:], k, v, wrong_corner(2, 3)),
    attend(q[1:], k, v, causal_mask(2, 3)),
)
pairs = {
    "axis": exhibits["axis"],
    "after": exhibits["after"],
    "top-left": late,
    "no-scale": (wrong_scale(q, k, v), attend(q, k, v)),
    "polarity": (wrong_polarity(q, k, v, before), attend(q, k, v, before)),
}
sides = [1, 0, 1, 1, 0]  # which of the two is wrong
shown = [
    {"kind": kind, "side": side}
    for kind, side in zip(pairs, sides, strict=True)
]
Figure(
    "spot-wrong",
    {"queries": q, "keys": k, "names": tokens, "exhibits": shown},
    {
        "wrong": [wrong[0] for wrong, _ in pairs.values()],
        "right": [right[0] for _, right in pairs.values()],
    },
    Table(pairs["axis"][0][0], "weights", tokens, tokens, **labels["spot"]),
)


# %% renormalised
def renormalised(scores, mask):
    weights = softmax(scores) * mask
    return weights / weights.sum()


# %% check-breaks
def check_breaks(*scores):
    row, mask = np.array(scores, float), np.array([1, 1, 0])
    with np.errstate(invalid="ignore"):
        found = renormalised(row, mask)
    expected = np.array([*softmax(row[:2]), 0])
    judged = "right" if np.allclose(found, expected) else "wrong"
    print(f"{scores}: {found.round(3)}, {judged}")


# %% exercise-breaks
check_breaks(0, 1, 2)
check_breaks(0, 1, 2000)


# %% check-blind
def check_blind(n_tokens):
    x = np.arange(n_tokens * 6.0).reshape(n_tokens, 6)
    same = (wrong_split(x, 3) == split(x, 3)).all()
    print(f"tokens: {n_tokens}, the fault shows: {not same}")


# %% exercise-blind
for n_tokens in (4, 3, 2, 1):
    check_blind(n_tokens)


# %% check-symmetric
def check_symmetric(q, k):
    q, k = np.array(q, float), np.array(k, float)
    off = np.abs(wrong_axis(q, k, k)[0] - attend(q, k, k)[0]).max()
    print(f"the two axes differ by up to {off:.1g}")


# %% exercise-symmetric
check_symmetric([[2, 0], [1, 3]], [[3, 1], [1, 3]])
check_symmetric([[3, 1], [1, 3]], [[3, 1], [1, 3]])

# %% facts
declared = {
    "2017": "year of Attention Is All You Need",
    "2019": "year of BERT at NAACL",
    "2023": "year of GQA",
}
facts = {
    "off": np.abs(ours[1] - theirs.output).max(),
    "heads off": heads_off,
    "axis": axis_rows,
    "axis sums": axis_sums,
    "no scale": scale_rows,
    "d_head": wide[0].shape[1],
    "dot product of ones": np.ones(16) @ np.ones(16),
    "its score": attention(
        np.ones((1, 16)), np.ones((1, 16)), [[1]]
    ).scores,
    "by-hand scores": [10, 6],
    "d_model": x.shape[1],
    "n_heads": 12,
    "too flat": math.sqrt(x.shape[1] / wide[0].shape[1]),
    "√d_model": model_rows,
    "after": after_rows,
    "after sums": after_sums,
    "polarity": polarity_rows,
    "finite": finite_rows,
    "hidden score": hidden_score,
    "empty": empty_rows,
    "corner": corner_rows,
    "split": split_rows,
    "read": tile_rows,
    "values": values_rows,
    "noticed": noticed,
    "caught": caught,
    "exhibits": len(exhibits),
}
