# %% setup
import numpy as np

from attention import log_softmax, softmax
from lessonkit import Figure, Labels, Table

labels = Labels("softmax")
words = labels["words"]
asking = labels["asking"]

# %% scores
scores = np.array([0.3, 0.6, 0.1, 0.1])
Table(scores, "scores", asking, words, digits=1)

# %% exps
exps = np.exp(scores)
Table(exps, cols=words, caption="exp(scores)", digits=3)

# %% total
print(f"sum = {exps.sum():.3f}")

# %% shares
shares = exps / exps.sum()
Table(shares, "weights", asking, words, of=scores)

# %% same
print(np.abs(softmax(scores) - shares).max())

# %% linear
linear = scores / scores.sum()
both = [linear, softmax(scores)]
Table(both, "weights", cols=words, **labels("linear"))

# %% stretch
factors = [1, 10, 100]
longer = np.outer(factors, scores)
stretched = softmax(longer)
rows = [f"× {factor}" for factor in factors]
Table(stretched, "weights", rows, words, of=longer)

# %% stretch-linear
linear_stretched = longer / longer.sum(axis=1, keepdims=True)
Table(linear_stretched, "weights", rows, words)

# %% pull
scale = {"low": -2, "high": 6, "step": 0.1, "digits": 2}
Figure(
    "pull-bars",
    {"scores": scores, "names": words, "pull": 1, **scale},
    {"weights": shares},
    Table(shares, "weights", asking, words),
)

# %% negative
mixed = np.array([2.0, -1.0, 0.5, -1.5])
with np.errstate(divide="ignore"):
    print("sum:     ", mixed.sum())
    print("s / sum: ", mixed / mixed.sum())
print("softmax: ", softmax(mixed).round(3))

# %% shift
shifted = softmax(scores + 1000)
print("difference:", np.abs(shifted - softmax(scores)).max())

# %% overflow
with np.errstate(over="ignore", invalid="ignore"):
    e = np.exp(scores + 1000)
    print("e^1000.3:", e[0])
    print("inf/inf: ", (e / e.sum())[0])

# %% vocabulary
logits = np.array([4.0, 2.5, 1.0, -1.0])
Table(softmax(logits), "weights", **labels("vocabulary"))

# %% slope
pairs = np.array([10.0, 6.0]) * [[1], [2], [10]]
p = softmax(pairs)
# p(1 - p); the other weight is 1 - p, and not rounded away
slopes = p[:, 0] * p[:, 1]
for (own, other), slope in zip(pairs, slopes, strict=True):
    print(f"scores {own:3.0f} and {other:2.0f}:  dp/ds = {slope:.3g}")

# %% slope-float32
p32 = softmax(pairs.astype(np.float32))[:, 0]
print("1 - p in float32:", 1 - p32)


# %% entropy
def entropy(weights):
    """Shannon entropy in bits; a weight of 0 adds nothing."""
    logs = np.log2(np.where(weights > 0, weights, 1))
    return -(weights * logs).sum(axis=-1)


print("even share among four:", entropy(np.full(4, 0.25)), "bits")

# %% entropy-table
bits = entropy(stretched)
Table(
    bits,
    cols=[f"× {factor}" for factor in factors],
    **labels("entropy-table"),
)


# %% check-gap
def check_gap(gap):
    shares = softmax([gap, 0.0])
    if not np.allclose(shares, [0.9, 0.1], rtol=0, atol=1e-3):
        raise ValueError(f"a gap of {gap} gives {shares.round(3)}")
    print(f"right: {gap:.3f} gives {shares.round(3)}")


# %% exercise-two
gap = np.log(0.9 / 0.1)
check_gap(gap)


# %% check-row
def check_row(factor):
    hot = softmax(scores, temperature=0.1)
    off = np.abs(hot - softmax(scores * factor)).max()
    if off > 1e-12:
        raise ValueError(f"× {factor} is off by {off:.3f}")
    print(f"right: × {factor}, off by {off:.0e}")


# %% exercise-temperature
check_row(10)


# %% check-log
def check_log(my_log):
    """Try my_log(scores) on scores that are 800 apart."""
    far = np.array([0.0, 800.0])
    given, right = my_log(far), log_softmax(far)
    if not np.allclose(given, right):
        raise ValueError(f"{far} became {given}, not {right}")
    print(f"right: {far} became {given}")


# %% log-naive
far = np.array([0.0, 800.0])
with np.errstate(divide="ignore"):
    print("log of softmax:", np.log(softmax(far)))


# %% exercise-log
def my_log(scores):
    below = scores - scores.max()
    return below - np.log(np.exp(below).sum())


check_log(my_log)

# %% facts
declared = {
    "1990": "year of Bridle's paper",
    "1948": "year of Shannon's paper",
    "2017": "year of Attention Is All You Need",
    "1000.3": "0.3 + 1000",
}
facts = {
    "scores": scores,
    "sum of scores": scores.sum(),
    "exps": exps,
    "sum of exps": exps.sum(),
    "sum of rounded exps": exps.round(2).sum(),
    "shares": shares,
    "exps rounded early": exps.round(2),
    "shares rounded early": (100 * shares).round(),
    "sum of shares rounded early": (100 * shares).round().sum(),
    "nine to one": softmax([gap, 0.0]),
    "linear": linear,
    "stretched": stretched,
    "stretched linear": linear_stretched,
    "shift error": np.abs(shifted - softmax(scores)).max(),
    "vocabulary": softmax(logits),
    "p": p[:, 0],
    "slopes": slopes,
    "1 - p in float32": 1 - p32,
    "entropy": bits,
    "gap": gap,
    "log_softmax": log_softmax(far),
}
