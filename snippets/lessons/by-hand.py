# %% setup
import math

import numpy as np

from attention import attention, attention_scores, softmax
from lessonkit import Figure, Labels, Table

labels = Labels("by-hand")
tokens = labels["tokens"]
three = [*tokens, labels["third"]]

# %% inputs
Q = K = np.array([[3.0, 1.0], [1.0, 3.0]])
V = np.array([[6.0, 0.5], [0.5, 6.0]])

# %% show-qk
Table(Q, "query", tokens, **labels("show-qk"), digits=0)

# %% show-v
Table(V, "value", tokens, **labels("show-v"), digits=1)

# %% one-score
print("[3, 1]·[3, 1] =", 3 * 3 + 1 * 1)
print("[3, 1]·[1, 3] =", 3 * 1 + 1 * 3)

# %% scores
scores = attention_scores(Q, K, scale=1)
Table(scores, "scores", tokens, tokens, digits=0, of=(Q, K))

# %% exps
exps = np.exp(scores[0])
print(f"e^10 = {exps[0]:.3f}")
print(f"e^6  = {exps[1]:.3f}")
print(f"sum  = {exps.sum():.3f}")

# %% weights
weights = softmax(scores)
Table(weights, "weights", tokens, tokens, of=scores)

# %% output
output = weights @ V
Table(output, "output", tokens, of=(weights, V))

# %% drag
# the third token waits to be added; its key and value are made up, too
keys = np.vstack([K, [2.7, 1.009]])
values = np.vstack([V, [5, 5]])
axes = labels["axes"]
first = Table(weights[:1], "weights", tokens[:1], tokens)
Figure(
    "drag-query",
    {"keys": keys, "values": values, "names": three, "axes": axes},
    {"scores": scores[0], "weights": weights[0], "output": output[0]},
    first,
)

# %% scaled
scaled = attention(Q, K, V)
Table(scaled.scores, "scores", tokens, tokens, of=(Q, K))

# %% scaled-weights
Table(scaled.weights, "weights", tokens, tokens, of=scaled.scores)

# %% scaled-output
Table(scaled.output, "output", tokens, of=(scaled.weights, V))

# %% side-by-side
plain_row = [*scores[0], *weights[0], *output[0]]
scaled_row = [*scaled.scores[0], *scaled.weights[0], *scaled.output[0]]
both = np.array([plain_row, scaled_row]).T
Table(both, **labels("side-by-side"), digits=3)

# %% third-key
K3 = np.vstack([K, [2.7, 1.009]])
scores3 = attention_scores(Q[:1], K3, scale=1)
Table(scores3, "scores", tokens[:1], three, digits=3, of=(Q[:1], K3))

# %% third-weights
weights3 = softmax(scores3)
Table(weights3, "weights", tokens[:1], three, of=scores3)

# %% ratio
print(f"two tokens:   {weights[0, 0] / weights[0, 1]:.3f}")
print(f"three tokens: {weights3[0, 0] / weights3[0, 1]:.3f}")
print(f"e^(10-6):     {math.exp(10 - 6):.3f}")


# %% loops
def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def attention_by_loops(Q, K, V):
    output = []
    for q in Q:
        scores = [dot(q, k) / math.sqrt(len(q)) for k in K]
        exps = [math.exp(score) for score in scores]
        weights = [e / sum(exps) for e in exps]
        columns = zip(*V, strict=True)
        output.append([dot(weights, column) for column in columns])
    return np.array(output)


# %% hand
# how many times larger the own weight is, and the shares that follow
times = math.exp((10 - 6) / math.sqrt(2))
own, other = times / (times + 1), 1 / (times + 1)
high, low = own * 6 + other * 0.5, own * 0.5 + other * 6
by_hand = np.array([[high, low], [low, high]])

# %% library
# onnx 1.23.2 gave this answer; the tests of this site ask it again
library = np.array(
    [
        [5.693060294360566, 0.806939705639434],
        [0.806939705639433, 5.693060294360567],
    ]
)

# %% four-ways
ways = {
    "by hand": by_hand,
    "loops": attention_by_loops(Q, K, V),
    "NumPy": attention(Q, K, V).output,
    "onnx": library,
}
for name, answer in ways.items():
    off = np.abs(answer - scaled.output).max()
    print(f"{name:8} {answer[0].round(8)}   off by {off:.0e}")

# %% turned
turned = attention([[1.0, 3.0], [3.0, 1.0]], K, V)
Table(turned.weights, "weights", tokens, tokens, of=turned.scores)


# %% check-half
def check_half(key):
    shares = softmax(attention_scores([[3, 1]], [[3, 1], key], scale=1))[0]
    if np.array_equal(key, [3, 1]):
        raise ValueError("[3, 1] is the key that is there already")
    if not np.allclose(shares, 0.5):
        raise ValueError(f"{key} gives the shares {shares.round(3)}")
    print(f"{key} is right: {shares}")


# %% exercise-half
check_half([2, 4])


# %% check-order
def check_order(guess):
    plain = attention(Q, K, V).output
    reverse = attention(Q, K[::-1], V[::-1]).output
    off = np.abs(reverse - plain).max()
    changed = off > 1e-12
    verdict = "right" if guess == changed else "not so"
    print(f"{verdict}: the outputs differ by at most {off:.0e}")


# %% exercise-order
check_order(False)

# %% facts
declared = {"2017": "year of Attention Is All You Need", "23": "ONNX opset"}
facts = {
    "Q": Q,
    "V": V,
    "K with 买": K3,
    "sum of exps cut to whole numbers": np.floor(exps).sum(),
    "scores": scores,
    "exps": exps,
    "sum of exps": exps.sum(),
    "weights": weights,
    "output": output,
    "scaled scores": scaled.scores,
    "scaled weights": scaled.weights,
    "scaled output": scaled.output,
    "scores with 买": scores3,
    "weights with 买": weights3,
    "ratio": weights[0, 0] / weights[0, 1],
    "ratio with 买": weights3[0, 0] / weights3[0, 1],
    "turned weights": turned.weights,
}
