# %% check-share
def check_share(share):
    """Compare share(n, d) with a count of the pairs that are in view."""
    for n, name in [(128, "gpt2"), (1024, "gpt2"), (1024, "gpt2-xl")]:
        config = MODELS[name]
        linear = layer_flops(config, n) - attention_flops(config, n)
        pairs = int(causal_mask(n).sum()) * attention_flops(config, 1)
        wanted, given = pairs / (linear + pairs), share(n, config.d_model)
        if abs(given - wanted) > 1e-9:
            text = f"given {given:.4f}, counted {wanted:.4f}"
            raise ValueError(f"{name}, {n} tokens: {text}")
        print(f"right: {name}, {n} tokens, {given:.1%}")


# %% exercise-share
def share(n, d):
    return (n + 1) / (12 * d + n + 1)


check_share(share)


# %% check-longest
def check_longest(n, room=16e9):
    """Tell whether n tokens' scores fit into room bytes, and no more."""
    if score_bytes(gpt2, n) > room:
        raise ValueError(f"{n} tokens need {score_bytes(gpt2, n):,} bytes")
    if score_bytes(gpt2, n + 1) <= room:
        raise ValueError(f"{n} tokens fit, and so does one more")
    print(f"right: {n} tokens fit, {n + 1} do not")


# %% exercise-longest
longest = math.isqrt(int(16e9) // (gpt2.n_heads * 2))
check_longest(longest)


# %% check-half
def check_half(n, name="llama-3-8b"):
    """Tell whether half the operations are quadratic at n tokens."""
    given = quadratic_share(MODELS[name], n)
    if abs(given - 0.5) > 1e-6:
        raise ValueError(f"at {n} tokens it is {given:.2%} of {name}")
    print(f"right: at {n} tokens it is {given:.0%} of {name}")


# %% exercise-half
llama = MODELS["llama-3-8b"]
per_token = layer_flops(llama, 1) - attention_flops(llama, 1)  # linear part
per_pair = attention_flops(llama, 1)
half_way = per_token // per_pair
check_half(half_way)
