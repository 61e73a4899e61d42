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
