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
