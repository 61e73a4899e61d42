# %% setup
import math

import numpy as np

from attention import attention, project_qkv, softmax
from lessonkit import Figure, Labels, Line, Plot, Table

labels = Labels("roles")
tokens = ["我", "感冒", "了"]
features = labels["features"]


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
Table(X, rows=tokens, cols=features, **labels("show-x"), digits=0)

# %% one-vector
same = X @ X.T
Table(same, "scores", tokens, tokens, digits=0, of=(X, X))

# %% matrices
W_q = np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0]])
W_k = np.eye(3)
W_v = np.eye(3)
Q, K, V = project_qkv(X, W_q, W_k, W_v)

# %% show-q
Table(Q, "query", tokens, features, digits=0)

# %% two-vectors
apart = Q @ K.T
Table(apart, "scores", tokens, tokens, digits=0, of=(Q, K))

# %% turn-round
exchanged = K @ Q.T
Figure(
    "turn-arcs",
    {
        "tokens": tokens,
        "means": ["I", "cold", "now"],
        "x": X,
        "q": Q,
        "k": K,
        "start": 1,
    },
    {"apart": apart, "exchanged": exchanged, "tied": same},
    Table(exchanged, "scores", tokens, tokens, digits=0, of=(K, Q)),
)

# %% two-weights
weights = attention(Q, K, V).weights
Table(weights, "weights", tokens, tokens, of=apart / math.sqrt(3))

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
kinds = labels["kinds"]
Table(counts, rows=kinds, **labels("show-count"), percent=True)

# %% back-and-forth
i, j = np.triu_indices(8, k=1)
back_and_forth = [
    np.corrcoef(s[:, i, j].ravel(), s[:, j, i].ravel())[0, 1] for s in ways
]
Table(
    np.transpose([back_and_forth]), rows=kinds, **labels("back-and-forth")
)

# %% longest
lengths = np.sqrt(np.diagonal(ways[1], axis1=1, axis2=2))
longest = own_wins(ways[1])[np.arange(1000), lengths.argmax(axis=1)]
print("the longest vector wins its own row:", longest.sum(), "of 1000")

# %% plot
ns = [2, 4, 8, 16, 32, 64]
own = 100 * np.array(
    [[own_wins(s).mean() for s in sentences(16_000 // n, n)] for n in ns]
)
Plot(
    [
        Line(kind, ns, line, role)
        for kind, line, role in zip(
            kinds, own.T, ("", "scores", "query"), strict=True
        )
    ],
    **labels(
        "plot",
        own_min_0_0=own.min(0)[0],
        own=own,
        own_1_1=own[-1, 1],
        own_1_2=own[-1, 2],
    ),
    log_x=True,
)

# %% average
output = attention(Q, K, V).output
rows = [*tokens, labels["lowest-in-x"]]
rows.append(labels["highest-in-x"])
bounds = np.vstack([output, X.min(axis=0), X.max(axis=0)])
Table(bounds, "output", rows, features)


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
Table(same_weights, "weights", tokens, tokens, of=same / math.sqrt(3))

# %% again
Y, spread = X, []
for _ in range(5):
    spread.append((Y.max(axis=0) - Y.min(axis=0)).max())
    Y = attention(Y, Y, Y).output
cols = [labels("round", r=r) for r in range(5)]
Table(spread, cols=cols, **labels("again"), digits=4)


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
