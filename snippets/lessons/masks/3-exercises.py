# %% check-prefix
def check_prefix(prefix_mask):
    """Try prefix_mask(n, prefix) on three sizes."""
    for n, prefix in [(4, 0), (5, 2), (6, 6)]:
        given = np.asarray(prefix_mask(n, prefix))
        for i in range(n):
            for j in range(n):
                right = j <= i or j < prefix
                if given[i, j] != right:
                    where = f"n={n}, prefix={prefix}, row {i}, column {j}"
                    raise ValueError(f"{where}: given {given[i, j]}")
    print("right for all three")


# %% exercise-prefix
def prefix_mask(n, prefix):
    return causal_mask(n) | (np.arange(n) < prefix)


check_prefix(prefix_mask)


# %% check-pairs
def check_pairs(pairs):
    """Compare a count with the mask itself: 1000 tokens, window 100."""
    right = sliding_window_mask(1000, window=100).sum()
    if pairs != right:
        raise ValueError(f"given {pairs}, off by {pairs - right}")
    print("right")


# %% exercise-pairs
pairs = 1000 * 100 - 100 * 99 // 2
print(pairs)
check_pairs(pairs)


# %% centred
def centred(x):
    """Subtract the mean over all words, then attend causally."""
    return read(x - x.mean(axis=0), causal=True)


# %% check-leak
def check_leak(model):
    """Raise if a row of model(x) knows of a later row of x."""
    x = np.random.default_rng(2).standard_normal((5, 8))
    leaks = influence(model, x) & ~causal_mask(len(x))
    if leaks.any():
        i, j = np.argwhere(leaks)[0]
        raise ValueError(f"row {i} knows of {j}; {leaks.sum()} such pairs")
    print("no row knows of a later one")


# %% exercise-leak
def mended(x):
    return read(x - x.mean(axis=-1, keepdims=True), causal=True)


try:
    check_leak(centred)
except ValueError as error:
    print("centred:", error)
check_leak(mended)

# %% count-leaks
leaks = (influence(centred, x) & ~causal_mask(5)).sum()
