# %% polarity
def wrong_polarity(q, k, v, mask):
    scores = q @ k.T / math.sqrt(q.shape[-1])
    scores = np.where(mask, -np.inf, scores)  # right: mask, scores, -inf
    weights = softmax(scores)
    return weights, weights @ v


# %% polarity-beside
padding = labels["padding"]
k4, v4 = np.vstack([k, [0, 0]]), np.vstack([v, [0, 0]])
real = np.array([True, True, True, False])
polarity_wrong = wrong_polarity(q, k4, v4, real)
polarity_right = attend(q, k4, v4, real)
polarity_rows = np.array([polarity_wrong[0][1], polarity_right[0][1]])
Table(
    polarity_rows,
    "weights",
    two,
    [*tokens, padding],
    corner="",
    **labels("polarity-beside"),
)


# %% polarity-check
def check_hidden(attend):
    weights, _ = attend(q, k, v, np.array([True, True, False]))
    share = weights[:, 2].max()
    assert share == 0, f"a hidden key gets {share:.1%}"


verdict(check_hidden, wrong_polarity, attend)


# %% finite
def wrong_finite(q, k, v, mask):
    scores = q @ k.T / math.sqrt(q.shape[-1])
    scores = scores + np.where(mask, 0, -1e4)  # right: -np.inf
    weights = softmax(scores)
    return weights, weights @ v


# %% finite-beside
garbage = np.vstack([k, [9e3, 9e3]])
finite_wrong = wrong_finite(q, garbage, v4, real)
finite_right = attend(q, garbage, v4, real)
finite_rows = np.array([finite_wrong[0][1], finite_right[0][1]])
hidden_score = attention(q, garbage, v4).scores[1, 3]
Table(
    finite_rows,
    "weights",
    two,
    [*tokens, labels["hidden"]],
    corner="",
    **labels("finite-beside", hidden_score=hidden_score),
)


# %% finite-check
def check_leak(attend):
    mask, huge = np.array([True, True, False]), k.copy()
    huge[2] = 1e6
    moved = np.abs(attend(q, huge, v, mask)[1] - attend(q, k, v, mask)[1])
    assert (moved == 0).all(), f"a hidden key moves it by {moved.max():.2f}"


verdict(check_leak, wrong_finite, attend)


# %% empty
def wrong_empty(q, k, v, mask):
    scores = q @ k.T / math.sqrt(q.shape[-1])
    scores = np.where(mask, scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)  # 0 / 0
    return weights, weights @ v


# %% empty-beside
nothing = np.zeros((3, 3), bool)
with np.errstate(invalid="ignore"):
    empty_wrong = wrong_empty(q, k, v, nothing)
    empty_finite = wrong_finite(q, k, v, nothing)
empty_right = attend(q, k, v, nothing)
empty_rows = np.array(
    [one[0][1] for one in (empty_wrong, empty_finite, empty_right)]
)
Table(
    empty_rows,
    "weights",
    [labels["wrong-0-0"], labels["wrong-minus-1e4"], two[1]],
    tokens,
    corner="",
    **labels("empty-beside"),
)


# %% empty-check
def check_empty(attend):
    with np.errstate(invalid="ignore"):
        weights, output = attend(q, k, v, np.zeros((3, 3), bool))
    assert (weights == 0).all(), f"an empty row has weights {weights[0]}"
    assert (output == 0).all(), f"an empty row has output {output[0]}"


verdict(check_empty, wrong_empty, attend)


# %% top-left
def wrong_corner(n_q, n_k):
    return np.tri(n_q, n_k, dtype=bool)  # right: k=n_k - n_q


# %% top-left-beside
corner_wrong = attend(q[2:], k, v, wrong_corner(1, 3))
corner_right = attend(q[2:], k, v, causal_mask(1, 3))
corner_rows = np.array([corner_wrong[0][0], corner_right[0][0]])
Table(
    corner_rows,
    "weights",
    two,
    tokens,
    corner="",
    **labels("top-left-beside"),
)


# %% top-left-check
def check_cached(causal_mask):
    whole = attend(q, k, v, causal_mask(3, 3))[1][-1]
    last = attend(q[2:], k, v, causal_mask(1, 3))[1][0]
    assert np.allclose(whole, last), (
        f"{last.round(2)}, not {whole.round(2)}"
    )


verdict(check_cached, wrong_corner, causal_mask)
