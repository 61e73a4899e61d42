# %% check-merge
def check_merge(merge):
    """Try a merge on numbers that tell where they belong."""
    given = [[[11, 12], [21, 22]], [[13, 14], [23, 24]]]
    wanted = [[11, 12, 13, 14], [21, 22, 23, 24]]
    got = np.asarray(merge(np.array(given)))
    if got.tolist() != wanted:
        raise ValueError(f"{given} became {got.tolist()}, not {wanted}")
    print("right: every number is back with its token")


# %% exercise-merge
def my_merge(x):
    n_heads, n, d = x.shape
    return x.swapaxes(0, 1).reshape(n, n_heads * d)


check_merge(my_merge)


# %% check-order
def check_order(new_q, new_k, new_v, new_o):
    """Tell whether the heads have moved and the output has not."""
    if np.array_equal(new_q, w_q):
        raise ValueError("w_q is as it was: the heads keep their order")
    new = multi_head_attention(x, new_q, new_k, new_v, new_o, n_heads=heads)
    off = np.abs(new.output - output).max()
    if off > 1e-10:
        raise ValueError(f"the output has moved by {off:.3f}")
    print("right: the heads have another order, the output is as before")


# %% exercise-order
order = np.arange(d_model).reshape(heads, wide)[::-1].ravel()
check_order(w_q[:, order], w_k[:, order], w_v[:, order], w_o[order])


# %% check-luck
def check_luck(by_luck):
    """Compare by_luck(n) with a count over random scores."""
    for n in (2, 10, 40):
        noise = np.random.default_rng(1).normal(size=(4000, n, n))
        hidden = np.triu(np.ones((n, n), bool), 1)
        counted = winners(np.where(hidden, -9, noise))[:, 0].mean()
        given = by_luck(n)
        if abs(given - counted) > 0.01:
            raise ValueError(
                f"{n} tokens: given {given:.3f}, counted {counted:.3f}"
            )
        print(f"right: {n} tokens, {given:.3f} (counted {counted:.3f})")


# %% exercise-luck
def luck(n):
    return sum(1 / i for i in range(1, n + 1)) / n


check_luck(luck)
