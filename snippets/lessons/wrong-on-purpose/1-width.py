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
