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
