# %% setup
import numpy as np

from attention import MODELS, project_qkv, split_heads, split_qkv
from lessonkit import Box, Figure, Flow, Labels, Table

labels = Labels("qkv")
# %% small
x = np.array([2, 1, 0])  # one word, three numbers

W_q = np.array([[1, 0], [0, 1], [5, 5]])
W_k = np.array([[0, 1], [1, 0], [5, 5]])
W_v = np.array([[3, -1], [0, 2], [5, 5]])

# %% small-product
print("q =", x @ W_q)
print("k =", x @ W_k)
print("v =", x @ W_v)

# %% small-grids
small = [x @ W_q, x @ W_k, x @ W_v]
rows = [labels["query-q"], labels["key-k"], labels["value-v"]]
Figure(
    "trace-cell",
    {"x": x, "matrices": [W_q, W_k, W_v]},
    dict(zip("qkv", small, strict=True)),
    Table(np.array(small), "", rows, digits=0),
)

# %% real
d_model, n_heads = MODELS["gpt2"].d_model, MODELS["gpt2"].n_heads
d_head = d_model // n_heads  # 64

rng = np.random.default_rng(0)
x = rng.normal(size=(1, d_model))
w_q, w_k, w_v = rng.normal(scale=0.02, size=(3, d_model, d_head))

q, k, v = project_qkv(x, w_q, w_k, w_v)
for name, array in [("x", x), ("w_q", w_q), ("q", q), ("k", k), ("v", v)]:
    print(f"{name:4}{array.shape}")


# %% picture
def shape(array):
    return "×".join(map(str, array.shape))


Flow(
    [
        [Box("x", shape(x))],
        [
            Box("W_q", shape(w_q), "query"),
            Box("W_k", shape(w_k), "key"),
            Box("W_v", shape(w_v), "value"),
        ],
        [
            Box(labels["query-q"], shape(q), "query"),
            Box(labels["key-k"], shape(k), "key"),
            Box(labels["value-v"], shape(v), "value"),
        ],
    ],
    [(0, 1), (0, 2), (0, 3), (1, 4), (2, 5), (3, 6)],
    **labels(
        "picture", shape_x=shape(x), shape_w_q=shape(w_q), shape_q=shape(q)
    ),
)

# %% first-three
qkv = np.vstack([q, k, v])
Table(qkv[:, :3], cols=["1", "2", "3"], **labels("first-three"), digits=3)

# %% many
X = rng.normal(size=(5, d_model))  # five tokens
Q, K, V = project_qkv(X, w_q, w_k, w_v)
one_by_one = np.vstack([row @ w_q for row in X])
print(Q.shape)
print(f"largest difference: {np.abs(Q - one_by_one).max():.0e}")

# %% alone
changed = X.copy()
changed[2] = rng.normal(size=d_model)  # another third token
Q_new, K_new, V_new = project_qkv(changed, w_q, w_k, w_v)
for name, new, old in ("Q", Q_new, Q), ("K", K_new, K), ("V", V_new, V):
    print(name, "differs in rows", np.flatnonzero((new != old).any(axis=1)))

# %% fused
W_qkv = rng.normal(scale=0.02, size=(d_model, 3 * d_model))
b_qkv = rng.normal(scale=0.02, size=3 * d_model)

all_q, all_k, all_v = split_qkv(x @ W_qkv + b_qkv, n_heads)
print(W_qkv.shape, b_qkv.shape, "->", all_q.shape, all_k.shape, all_v.shape)

heads_q = split_heads(all_q, n_heads)
print("heads, tokens, width:", heads_q.shape)

# %% slice
W_q, W_k, W_v = split_qkv(W_qkv, n_heads)
b_q, b_k, b_v = split_qkv(b_qkv, n_heads)

h = 3
mine = slice(h * d_head, (h + 1) * d_head)  # the columns of head 3
here = project_qkv(
    x,
    W_q[:, mine],
    W_k[:, mine],
    W_v[:, mine],
    b_q=b_q[mine],
    b_k=b_k[mine],
    b_v=b_v[mine],
)
there = [split_heads(part, n_heads)[h] for part in (all_q, all_k, all_v)]
for name, a, b in zip("qkv", here, there, strict=True):
    print(name, a.shape, b.shape, "agree:", np.allclose(a, b, atol=1e-12))

# %% columns
start = d_head * np.arange(n_heads)
columns = np.array([start, d_model + start, 2 * d_model + start])
shown = [0, 1, 11]
cols = [labels("head", head=head) for head in shown]
Table(columns[:, shown], cols=cols, **labels("columns"), digits=0)

# %% bias
zero = np.zeros((1, d_model))
print(
    "nothing in, the bias out:",
    np.array_equal((zero @ W_qkv + b_qkv)[0], b_qkv),
)

# %% count
one_matrix = w_q.size
print(f"one matrix of one head:  {one_matrix:>9,}")
print(f"three of them:           {3 * one_matrix:>9,}")
print(f"twelve heads:            {W_qkv.size:>9,}")
print(f"with the bias:           {W_qkv.size + b_qkv.size:>9,}")

# %% widths
names = ["gpt2", "gpt2-xl", "llama-2-7b", "qwen2-0.5b", "gemma-2-9b"]
models = [MODELS[name] for name in names]
widths = np.array(
    [[m.d_model, m.n_heads, m.d_head, m.n_heads * m.d_head] for m in models]
)
Table(widths, rows=names, **labels("widths"), digits=0)

# %% blind
step = rng.normal(size=(1, d_model))
seen_by_q = step @ w_q @ np.linalg.pinv(w_q)
hidden = step - seen_by_q  # what w_q maps to nothing
moved_q, moved_k, _ = project_qkv(x + hidden, w_q, w_k, w_v)
print(f"length of x:      {np.linalg.norm(x):.1f}")
print(f"length of change: {np.linalg.norm(hidden):.1f}")
print(f"q moves by at most {np.abs(moved_q - q).max():.0e}")
print(f"k moves by up to   {np.abs(moved_k - k).max():.2f}")

# %% mixed-up
right = project_qkv(X, w_q, w_k, w_v)
wrong = project_qkv(X, w_q, w_v, w_k)  # keys and values swapped
for name, a, b in zip("qkv", right, wrong, strict=True):
    print(
        f"{name}: shapes {a.shape} and {b.shape}, equal: {(a == b).all()}"
    )


# %% check-shape
def check_shape(rows, columns):
    width = MODELS["gpt2-medium"].d_model
    if rows != width:
        raise ValueError(f"{rows} rows: one for each number of x, {width}")
    if columns != 3 * width:
        raise ValueError(f"{columns} columns: not q, k and v of all heads")
    print(rows, "×", columns, "is right")


# %% exercise-shape
medium = MODELS["gpt2-medium"]
check_shape(medium.d_model, 3 * medium.n_heads * medium.d_head)


# %% check-columns
def check_columns(first, end):
    key_of_7 = split_heads(
        split_qkv(x @ W_qkv + b_qkv, n_heads)[1], n_heads
    )[7]
    yours = x @ W_qkv[:, first:end] + b_qkv[first:end]
    if yours.shape != key_of_7.shape or not np.allclose(yours, key_of_7):
        raise ValueError(f"columns {first} to {end} are not head 7's key")
    print(f"W_qkv[:, {first}:{end}] is right")


# %% exercise-columns
first = d_model + 7 * d_head
check_columns(first, first + d_head)


# %% check-interleaved
def check_interleaved(split):
    q, k, v = (np.arange(6) + start for start in (0, 100, 200))
    row = np.concatenate([q[:3], k[:3], v[:3], q[3:], k[3:], v[3:]])
    for name, yours, right in zip(
        "qkv", split(row, 2), (q, k, v), strict=True
    ):
        if not np.array_equal(yours, right):
            raise ValueError(f"{name}: you {yours}, right {right}")
    print("right")


# %% exercise-interleaved
def split_interleaved(row, n_heads):
    by_head = row.reshape(n_heads, 3, -1)  # head, which of q k v, number
    return [by_head[:, which].ravel() for which in range(3)]


check_interleaved(split_interleaved)

# %% facts
declared = {
    "0.02": "spread of GPT-2's initial weights: model.py, openai/gpt-2",
    "2017": "year of Attention Is All You Need",
    "2019": "year of the GPT-2 report",
    "2024": "year of the Gemma 2 report",
}
facts = {
    "small": small,
    "shapes": [x.shape, w_q.shape, q.shape, X.shape, Q.shape],
    "heads of GPT-2": n_heads,
    "width of a head": d_head,
    "q, k, v": qkv,
    "one by one": np.abs(Q - one_by_one).max(),
    "rows that change": [
        np.flatnonzero((new != old).any(axis=1))
        for new, old in ((Q_new, Q), (K_new, K), (V_new, V))
    ],
    "fused": [W_qkv.shape, b_qkv.shape, all_q.shape, heads_q.shape],
    "head 3 by slicing": here,
    "head 3 by splitting": there,
    "columns": columns,
    "last column": W_qkv.shape[1] - 1,
    "weights": [
        one_matrix,
        3 * one_matrix,
        W_qkv.size,
        W_qkv.size + b_qkv.size,
    ],
    "widths": widths,
    "length of x": np.linalg.norm(x),
    "length of the change": np.linalg.norm(hidden),
    "q moves": np.abs(moved_q - q).max(),
    "k moves": np.abs(moved_k - k).max(),
    "k is at most": np.abs(k).max(),
    "directions that q cannot see": d_model - np.linalg.matrix_rank(w_q),
    "exercise: shape": [medium.d_model, 3 * medium.n_heads * medium.d_head],
    "exercise: columns": [first, first + d_head],
}
