# %% check-merge
def check_merge(merge):
    """Test merge(out_a, lse_a, out_b, lse_b) on the first two blocks."""
    a, b = blocks[:2]
    given = merge(a.output, a.lse, b.output, b.lse)
    right = merge_blocks(a, b).output
    error = off(given, right)
    if error > 1e-12:
        raise ValueError(f"your merge is off by {error:.2g}")
    print(f"right: off by {error:.0e}")


# %% exercise-merge
def merge_lse(out_a, lse_a, out_b, lse_b):
    share_a = 1 / (1 + np.exp(lse_b - lse_a))[:, None]
    return share_a * out_a + (1 - share_a) * out_b


check_merge(merge_lse)


# %% check-fit
def check_fit(fit):
    """Test fit(config, n_bytes): how many tokens' cache fits."""
    for name, config in MODELS.items():
        if config.window is None:
            given, right = fit(config, 2**33), 2**33 // per_token[name]
            if given != right:
                raise ValueError(f"{name}: {given} given, {right} fit")
    print("right for every model without a window")


# %% exercise-fit
def fit(config, n_bytes):
    numbers = 2 * config.n_layers * config.n_kv_heads * config.d_head
    return n_bytes // (2 * numbers)


check_fit(fit)
fitting = {
    name: fit(MODELS[name], 2**33) for name in ("llama-2-7b", "llama-3-8b")
}
print(fitting)


# %% check-reach
def check_reach(reach):
    """Test reach(n_layers, window) against runs through the layers."""
    x = np.random.default_rng(1).standard_normal((24, 8))
    other = x.copy()
    other[0] += 1
    for layers, size in ((1, 4), (3, 4), (4, 3), (2, 1), (5, 2)):
        a, b = (through_layers(y, layers, size)[-1] for y in (x, other))
        right = int(np.nonzero(np.abs(a - b).max(axis=-1))[0].max())
        given = reach(layers, size)
        if given != right:
            case = f"{layers} layers, window {size}"
            raise ValueError(f"{case}: {given} given, {right} measured")
    print("right in all five cases")


# %% exercise-reach
def reach(n_layers, window):
    return n_layers * (window - 1)


check_reach(reach)
mistral = MODELS["mistral-7b"]
span = reach(mistral.n_layers, mistral.window)
print("mistral-7b:", span)
