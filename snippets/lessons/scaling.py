# %% setup
import math

import numpy as np

from attention import MODELS, attention, attention_scores, softmax
from lessonkit import Figure, Labels, Line, Plot, Table

labels = Labels("scaling")
rng = np.random.default_rng(0)

# %% coin
# the products of two ±1 pairs: four cases, all equally likely
products = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]])
coins = products.sum(axis=1)
print("scores:  ", coins)
print("mean:    ", coins.mean())
print("variance:", (coins**2).mean())

# %% four-coins
four = np.array([-4, -2, 0, 2, 4])
ways = np.array([math.comb(4, ups) for ups in range(5)])
variance_four = (ways * four**2).sum() / ways.sum()
Table(
    [four, ways],
    **labels(
        "four-coins", ways_sum=ways.sum(), variance_four=variance_four
    ),
    digits=0,
)

# %% draw
widths = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
bare, divided = [], []
for d in widths:
    # 128 random heads, each with 32 tokens of width d
    q, k = rng.standard_normal((2, 128, 32, d))
    bare.append(attention_scores(q, k, scale=1))
    divided.append(attention_scores(q, k))  # the default: 1/√d
bare, divided = np.array(bare), np.array(divided)

# %% variance
variance = bare.var(axis=(1, 2, 3))
variance_divided = divided.var(axis=(1, 2, 3))

# %% variance-table
shown = [widths.index(d) for d in [2, 16, 64, 256, 1024]]
names = labels["names"]
both = np.array([variance, variance_divided]).T[shown]
rows = [f"d = {widths[i]}" for i in shown]
Table(both, rows=rows, cols=names, **labels("variance-table"))

# %% spread-plot
spread, spread_divided = np.sqrt(variance), np.sqrt(variance_divided)
width_axis = labels["width_axis"]
low, high = spread_divided.min(), spread_divided.max()
Plot(
    [
        Line(names[0], widths, spread),
        Line(names[1], widths, spread_divided, "scores"),
    ],
    x=width_axis,
    **labels(
        "spread-plot",
        widths=widths,
        spread=spread,
        widths_last=widths[-1],
        spread_last=spread[-1],
        low=low,
        high=high,
    ),
    log_x=True,
    log_y=True,
)


# %% entropy
def entropy(weights):
    """Shannon entropy of each row, in bits."""
    logs = np.log2(np.where(weights > 0, weights, 1))
    return -(weights * logs).sum(axis=-1)


weights, weights_divided = softmax(bare), softmax(divided)
bits = entropy(weights).mean(axis=(1, 2))
bits_divided = entropy(weights_divided).mean(axis=(1, 2))
most = math.log2(32)

# %% entropy-plot
low, high = bits_divided.min(), bits_divided.max()
Plot(
    [
        Line(names[0], widths, bits),
        Line(names[1], widths, bits_divided, "weights"),
    ],
    x=width_axis,
    **labels(
        "entropy-plot",
        bare_shape_last=bare.shape[-1],
        most=most,
        widths=widths,
        bits=bits,
        widths_last=widths[-1],
        bits_last=bits[-1],
        low=low,
        high=high,
    ),
    log_x=True,
)

# %% largest
largest = weights.max(axis=-1).mean(axis=(1, 2))
largest_divided = weights_divided.max(axis=-1).mean(axis=(1, 2))


# %% widen
def summarise(scores, weights, spread):
    """What the figure draws of each width: a hill, and 32 weights."""
    edges = np.arange(-100.5, 101)  # a bin a point
    counts = np.array([np.histogram(s, edges)[0] for s in scores])
    highest = counts.max(axis=1, keepdims=True)
    bins = (1000 * counts / highest).round().astype(int)
    shares = np.sort(weights, axis=-1)[..., ::-1].mean(axis=(1, 2))
    return {"bins": bins, "shares": shares, "spread": spread}


both = np.array([largest, largest_divided]).T[shown]
Figure(
    "widen-head",
    {
        "widths": widths,
        "start": widths.index(64),
        "bare": summarise(bare, weights, spread),
        "divided": summarise(divided, weights_divided, spread_divided),
    },
    {
        "bareSpread": spread,
        "dividedSpread": spread_divided,
        "bareLargest": largest,
        "dividedLargest": largest_divided,
    },
    Table(both, rows=rows, cols=names, **labels("widen"), percent=True),
)


# %% jacobian
def slope(weights):
    """How much a row of weights moves when its scores move."""
    w = weights[..., None]
    jacobian = w * np.eye(weights.shape[-1]) - w @ w.swapaxes(-1, -2)
    return np.linalg.norm(jacobian, axis=(-2, -1))


# the typical row: half of all rows lie above, half below
slopes = np.array([np.median(slope(w)) for w in weights])
slopes_divided = np.array([np.median(slope(w)) for w in weights_divided])

# %% jacobian-plot
means = np.array([slope(w).mean() for w in weights])
low, high = slopes_divided.min(), slopes_divided.max()
typical = labels["typical"]
mean = labels["mean"]
fine = labels["fine"]
Plot(
    [
        Line(typical, widths, slopes),
        Line(mean, widths, means),
        Line(fine, widths, slopes_divided, "weights"),
    ],
    x=width_axis,
    **labels(
        "jacobian-plot",
        slopes=slopes,
        slopes_max=slopes.max(),
        widths_last=widths[-1],
        slopes_last=slopes[-1],
        means_last=means[-1],
        low=low,
        high=high,
    ),
    log_x=True,
    log_y=True,
)

# %% stuck
w32 = softmax(bare.astype(np.float32))
stuck = (w32.max(axis=-1) == 1).mean(axis=(1, 2))
w32_divided = softmax(divided.astype(np.float32))
stuck_divided = (w32_divided.max(axis=-1) == 1).mean(axis=(1, 2))

# %% stuck-table
both = np.array([stuck, stuck_divided]).T[shown]
Table(both, rows=rows, cols=names, **labels("stuck-table"), percent=True)

# %% slip
d, d_model = MODELS["gpt2"].d_head, MODELS["gpt2"].d_model
plain = bare[widths.index(d)]
scales = [1, 1 / math.sqrt(d), 1 / math.sqrt(d_model)]
by_scale = np.array([plain * scale for scale in scales])
slip_weights = softmax(by_scale)
summary = np.array(
    [
        np.std(by_scale, axis=(1, 2, 3)),
        entropy(slip_weights).mean(axis=(1, 2)),
        slip_weights.max(axis=-1).mean(axis=(1, 2)),
    ]
)

# %% slip-table
cols = labels("cols", d=d, d_model=d_model)
Table(summary, cols=cols, **labels("slip-table", d=d), digits=3)

# %% match
keys = rng.standard_normal((1000, 32, d))
query = keys[:, :1]  # asks for the first of 32 keys, exactly
found = [
    attention(query, keys, keys, scale=scale).weights[..., 0].mean()
    for scale in scales
]
signal = np.array([np.sum(query**2, axis=-1).mean() * s for s in scales])

# %% match-table
others = attention_scores(query, keys[:, 1:], scale=1).std()
match = np.array([signal, others * np.array(scales), found])
Table(
    match,
    cols=cols,
    **labels("match-table", keys_shape_1=keys.shape[1]),
    digits=3,
)

# %% too-far
by_d = signal[0] / d, others / d
lost = attention(query, keys, keys, scale=1 / d).weights[..., 0].mean()
print(f"own key: score {by_d[0]:.3f}, weight {lost:.1%}")
print(f"others:  spread {by_d[1]:.3f}")

# %% doubled
q, k = 2 * rng.standard_normal((2, 128, 32, 64))
doubled = attention_scores(q, k).var()
print(f"variance {doubled:.2f}")


# %% check-scale
def check_scale(scale):
    """Try scale(d_model, n_heads) on the heads of four GPT-2s."""
    for name in ["gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"]:
        c = MODELS[name]
        given, right = scale(c.d_model, c.n_heads), 1 / math.sqrt(c.d_head)
        if not math.isclose(given, right):
            raise ValueError(f"{name}: given {given:.4f}, not {right:.4f}")
    print("right for all four")


# %% exercise-scale
def scale(d_model, n_heads):
    return 1 / math.sqrt(d_model // n_heads)


check_scale(scale)


# %% check-divisor
def check_divisor(divisor):
    """Try a divisor on entries drawn evenly from [-1, 1]."""
    rng = np.random.default_rng(1)
    q, k = rng.uniform(-1, 1, (2, 20_000, 64))
    given = ((q * k).sum(axis=1) / divisor).var()
    if abs(given - 1) > 0.05:
        raise ValueError(f"divided by {divisor}, variance is {given:.3f}")
    print(f"variance {given:.3f}: right")


# %% exercise-divisor
divisor = math.sqrt(64) / 3
check_divisor(divisor)


# %% check-repair
def check_repair(factor):
    """Queries times `factor` must undo the slip of √768 for √64."""
    rng = np.random.default_rng(2)
    q, k, v = rng.standard_normal((3, 5, 64))
    slip = attention(q * factor, k, v, scale=1 / math.sqrt(768))
    error = np.abs(slip.output - attention(q, k, v).output).max()
    if error > 1e-12:
        raise ValueError(f"with {factor:.3f} it is off by {error:.3f}")
    print("repaired")


# %% exercise-repair
repair = math.sqrt(768 / 64)
check_repair(repair)

# %% facts
i64 = widths.index(64)
rng = np.random.default_rng(1)
uniform = rng.uniform(-1, 1, (2, 20_000, 64)).prod(axis=0).sum(axis=1)
declared = {
    "2017": "year of Attention Is All You Need",
    "2020": "year of the T5 paper",
    "2022": "year of Tensor Programs V",
}
facts = {
    "widths": widths,
    "heads, tokens": bare.shape[1:3],
    "variance of two coins": (coins**2).mean(),
    "cases of four coins": ways.sum(),
    "variance of four coins": variance_four,
    "variance": variance,
    "variance divided": variance_divided,
    "spread": spread,
    "spread divided": spread_divided,
    "entropy": bits,
    "entropy divided": bits_divided,
    "most entropy": most,
    "largest": largest,
    "largest divided": largest_divided,
    "slopes": slopes,
    "slopes divided": slopes_divided,
    "mean slopes": means,
    "stuck": stuck,
    "stuck divided": stuck_divided,
    "d_head, d_model": [d, d_model],
    "n_heads": MODELS["gpt2"].n_heads,
    "slip": summary,
    "even share": 1 / bare.shape[-1],
    "match": match,
    "own key against the others": match[0] / match[1],
    "examples of a match": len(keys),
    "by d": by_d,
    "lost": lost,
    "doubled": doubled,
    "other keys": keys.shape[1] - 1,
    "divisor": divisor,
    "divisor squared": divisor**2,
    "variance of uniform entries": uniform.var(),
    "repair": repair,
}
