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


# %% draws
def median_slope(seed):
    """The typical slope at width 1024, from other random numbers."""
    q, k = np.random.default_rng(seed).standard_normal((2, 128, 32, 1024))
    return np.median(slope(softmax(attention_scores(q, k, scale=1))))


medians = [median_slope(seed) for seed in range(1, 6)]
print(f"five draws: {min(medians):.1e} to {max(medians):.1e}")

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
