# %% setup
import math

import numpy as np

from attention import attention, project_qkv, softmax
from lessonkit import Line, Plot, Table

tokens = ["我", "感冒", "了"]
features = [
    {"zh": "人", "en": "person"},
    {"zh": "状态", "en": "state"},
    {"zh": "变化", "en": "change"},
]


# %% three-lines
def three_lines(Q, K, V):
    scores = Q @ K.T / math.sqrt(K.shape[1])  # score
    weights = softmax(scores)  # normalise
    return weights @ V  # sum


# %% loops
def by_loops(Q, K, V):
    output = np.zeros((len(Q), V.shape[1]))
    for i in range(len(Q)):
        exps = []
        for j in range(len(K)):
            score = 0.0
            for c in range(K.shape[1]):
                score += Q[i, c] * K[j, c]
            exps.append(math.exp(score / math.sqrt(K.shape[1])))
        for j in range(len(K)):
            for c in range(V.shape[1]):
                output[i, c] += exps[j] / sum(exps) * V[j, c]
    return output


# %% agree
rng = np.random.default_rng(0)
worst = 0.0
for _ in range(200):
    n_q, n_k, d_k, d_v = rng.integers(1, 8, size=4)
    Q, K = rng.normal(size=(n_q, d_k)), rng.normal(size=(n_k, d_k))
    V = rng.normal(size=(n_k, d_v))
    slow = by_loops(Q, K, V)
    for answer in (three_lines(Q, K, V), attention(Q, K, V).output):
        worst = max(worst, np.abs(answer - slow).max())
print(f"200 random cases, largest difference {worst:.0e}")

# %% inputs
X = np.array([[2.0, 1, 0], [0, 2, 1], [0, 1, 2]])

# %% show-x
caption = {"zh": "词向量 X", "en": "embeddings X"}
Table(X, rows=tokens, cols=features, caption=caption, digits=0)

# %% one-vector
same = X @ X.T
Table(same, "scores", rows=tokens, cols=tokens, digits=0, of=(X, X))

# %% matrices
W_q = np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0]])
W_k = np.eye(3)
W_v = np.eye(3)
Q, K, V = project_qkv(X, W_q, W_k, W_v)

# %% show-q
Table(Q, "query", rows=tokens, cols=features, digits=0)

# %% two-vectors
apart = Q @ K.T
Table(apart, "scores", rows=tokens, cols=tokens, digits=0, of=(Q, K))

# %% two-weights
weights = attention(Q, K, V).weights
Table(
    weights,
    "weights",
    rows=tokens,
    cols=tokens,
    percent=True,
    of=apart / math.sqrt(3),
)

# %% draws
rng = np.random.default_rng(0)


def sentences(draws, n, d=8, d_k=4):
    """Scores three ways: one vector, equally long; any length; two."""
    X = rng.normal(size=(draws, n, d))
    unit = X / np.linalg.norm(X, axis=-1, keepdims=True)
    W_q, W_k = rng.normal(size=(2, draws, d, d_k))
    return [a @ b.mT for a, b in ((unit, unit), (X, X), (X @ W_q, X @ W_k))]


def symmetric(scores):
    return np.isclose(scores, scores.mT).all(axis=(1, 2))


def own_wins(scores):
    return scores.argmax(axis=-1) == np.arange(scores.shape[-1])


# %% count
ways = sentences(draws=1000, n=8)
counts = np.array([[symmetric(s).mean(), own_wins(s).mean()] for s in ways])

# %% show-count
kinds = [
    {"zh": "一个向量，等长", "en": "one vector, equal lengths"},
    {"zh": "一个向量，不等长", "en": "one vector, any lengths"},
    {"zh": "W_q 与 W_k 各自随机", "en": "W_q and W_k, random"},
]
cols = [
    {"zh": "对称的分数表", "en": "symmetric tables"},
    {"zh": "自己得分最高的行", "en": "own token wins"},
]
caption = {
    "zh": "1000 个随机句子，每句 8 个词元",
    "en": "1000 random sentences of 8 tokens",
}
Table(counts, rows=kinds, cols=cols, caption=caption, percent=True)

# %% back-and-forth
i, j = np.triu_indices(8, k=1)
back_and_forth = [
    np.corrcoef(s[:, i, j].ravel(), s[:, j, i].ravel())[0, 1] for s in ways
]
caption = {
    "zh": "“A 看 B”与“B 看 A”两个分数的相关系数",
    "en": "Correlation of the scores of A for B and of B for A",
}
Table(np.transpose([back_and_forth]), rows=kinds, caption=caption)

# %% longest
lengths = np.sqrt(np.diagonal(ways[1], axis1=1, axis2=2))
longest = own_wins(ways[1])[np.arange(1000), lengths.argmax(axis=1)]
print("the longest vector wins its own row:", longest.sum(), "of 1000")

# %% plot
ns = [2, 4, 8, 16, 32, 64]
own = 100 * np.array(
    [[own_wins(s).mean() for s in sentences(16_000 // n, n)] for n in ns]
)
alt = {
    "zh": "自己得分最高的行占多少。"
    f"一个向量、等长：总是 {own.min(0)[0]:.0f} %。"
    f"一个向量、不等长：2 个词元时 {own[0, 1]:.1f} %，"
    f"64 个时 {own[-1, 1]:.1f} %。W_q 与 W_k 各自随机："
    f"从 {own[0, 2]:.1f} % 降到 {own[-1, 2]:.1f} %，约为 1/n。",
    "en": "Share of rows that the token itself wins. One vector, equal "
    f"lengths: always {own.min(0)[0]:.0f} %. One vector, any lengths: "
    f"{own[0, 1]:.1f} % with 2 tokens, {own[-1, 1]:.1f} % with 64. "
    f"Random W_q and W_k: from {own[0, 2]:.1f} % down to "
    f"{own[-1, 2]:.1f} %, about 1/n.",
}
Plot(
    [
        Line(kind, ns, line, role)
        for kind, line, role in zip(
            kinds, own.T, ("", "scores", "query"), strict=True
        )
    ],
    x={"zh": "句中词元数 n（对数刻度）", "en": "tokens n (logarithmic)"},
    y={"zh": "自己得分最高的行（%）", "en": "rows won by oneself (%)"},
    log_x=True,
    caption={
        "zh": "一个向量，眼里几乎只有自己；两个向量，没有偏向",
        "en": "One vector sees mostly itself; two have no such preference",
    },
    alt=alt,
)

# %% average
output = attention(Q, K, V).output
rows = [*tokens, {"zh": "X 的最小", "en": "lowest in X"}]
rows.append({"zh": "X 的最大", "en": "highest in X"})
bounds = np.vstack([output, X.min(axis=0), X.max(axis=0)])
Table(bounds, "output", rows=rows, cols=features)


# %% inside
def inside(output, X):
    """Whether every entry lies between the inputs' lowest and highest."""
    low = X.min(axis=1, keepdims=True) - 1e-12
    high = X.max(axis=1, keepdims=True) + 1e-12
    return ((low <= output) & (output <= high)).all(axis=(1, 2))


rng = np.random.default_rng(0)
Xs = rng.normal(size=(1000, 8, 8))
W_qs, W_ks, W_vs = rng.normal(size=(3, 1000, 8, 8)) / math.sqrt(8)
kept = inside(attention(Xs @ W_qs, Xs @ W_ks, Xs).output, Xs)
left = ~inside(attention(Xs @ W_qs, Xs @ W_ks, Xs @ W_vs).output, Xs)
print("V = X:     stays inside in", kept.sum(), "of 1000")
print("V = X W_v: leaves in      ", left.sum(), "of 1000")

# %% same-weights
same_weights = softmax(same / math.sqrt(3))
Table(
    same_weights,
    "weights",
    rows=tokens,
    cols=tokens,
    percent=True,
    of=same / math.sqrt(3),
)

# %% again
Y, spread = X, []
for _ in range(5):
    spread.append((Y.max(axis=0) - Y.min(axis=0)).max())
    Y = attention(Y, Y, Y).output
cols = [{"zh": f"{r} 轮", "en": f"round {r}"} for r in range(5)]
caption = {
    "zh": "词元之间最大的差距",
    "en": "The largest gap between tokens",
}
Table(spread, cols=cols, caption=caption, digits=4)


# %% check-needs
def check_needs(W_q):
    scores = X @ np.asarray(W_q, dtype=float) @ X.T
    looks_at = [tokens[j] for j in scores.argmax(axis=1)]
    if looks_at[0] != "感冒" or looks_at[1] == "我":
        raise ValueError(f"我 → {looks_at[0]}, 感冒 → {looks_at[1]}")
    print(f"right: 我 → {looks_at[0]}, 感冒 → {looks_at[1]}")


# %% exercise-needs
check_needs([[0, 1, 0], [0, 0, 1], [0, 0, 0]])


# %% check-symmetric
def check_symmetric(W_q, W_k):
    if np.allclose(W_q, W_k):
        raise ValueError("W_q and W_k are the same")
    X = np.random.default_rng(1).normal(size=(8, len(W_q)))
    scores = (X @ W_q) @ (X @ W_k).T
    off = np.abs(scores - scores.T).max()
    if off > 1e-9:
        raise ValueError(f"not symmetric: off by up to {off:.2g}")
    print("different matrices, symmetric scores")


# %% exercise-symmetric
some = np.random.default_rng(2).normal(size=(8, 4))
check_symmetric(2 * some, some)


# %% check-leaves
def check_leaves(W_v):
    output = weights @ X @ np.asarray(W_v, dtype=float)
    if output[1].max() <= X.max():
        raise ValueError(f"感冒 gets {output[1].round(2)}, none above 2")
    print("感冒 gets", output[1].round(2))


# %% exercise-leaves
check_leaves([[0, 0, 2], [0, 0, 0], [0, 0, 0]])

# %% facts
declared = {
    "2017": "year of Attention Is All You Need",
    "3.2": "section of Attention Is All You Need",
    "2020": "year of Reformer",
    "2021": "year of Dong et al.",
}
facts = {
    "largest difference from loops": worst,
    "X": X,
    "length squared": (X**2).sum(axis=1),
    "one vector": same,
    "Q": Q,
    "two vectors": apart,
    "weights": weights,
    "sentences": {"tokens": 8, "width": 8, "d_k": 4},
    "counts": counts,
    "back and forth": back_and_forth,
    "longest wins": longest.sum(),
    "ns": ns,
    "own": own,
    "own exactly": [100 / n for n in ns],
    "output": output,
    "bounds": [X.min(axis=0), X.max(axis=0)],
    "stays inside": kept.sum(),
    "leaves": left.sum(),
    "one vector, weights": same_weights,
    "spread": spread,
    "needs": X @ np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]) @ X.T,
    "symmetric scores": [2 * some @ some.T],
    "leaves the range": (weights @ X)[1, 0] * 2,
}
