# %% check-share
def check_share(share):
    """`share(c)` is attention's part of a layer's matrices in model c."""
    for model, right in model_shares.items():
        given = share(MODELS[model])
        if not np.isclose(given, right):
            raise ValueError(f"{model}: {given:.1%} given, not {right:.1%}")
        print(f"{model:10} {given:.1%}, right")


# %% exercise-share
def share(c):
    heads = 2 * c.n_heads + 2 * c.n_kv_heads  # W_q and W_o, W_k and W_v
    own = c.d_model * c.d_head * heads
    rest = (2 + c.gated) * c.d_model * c.d_ff
    return own / (own + rest)


check_share(share)
one_kv_head = share(Config(12, 768, 12, 1, 64, 3072))
print(f"gpt2 with one key-value head: {one_kv_head:.1%}")


# %% check-memory
def check_memory(w):
    """A hundred steps of h = h w must not shrink or stretch h."""
    power = np.linalg.matrix_power(np.asarray(w, dtype=float), 100)
    sizes = np.linalg.svd(power, compute_uv=False)
    radius = np.abs(np.linalg.eigvals(w)).max()
    low, high = sizes.min(), sizes.max()
    said = f"radius {radius:.2f}; after 100 steps × {low:.2g} to {high:.2g}"
    if not np.allclose(sizes, 1):
        raise ValueError(said)
    print(said)


# %% exercise-memory
angle = 0.3
turn = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
check_memory(turn)

# %% shear
shear = np.array([[1.0, 1.0], [0.0, 1.0]])
radius = np.abs(np.linalg.eigvals(shear)).max()
hundred = np.linalg.matrix_power(shear, 100)
print("radius:", radius)
print("longest after 100 steps:", np.linalg.norm(hundred, 2).round(2))


# %% check-post
def check_post(post_block):
    """Normalised after every addition, as in the paper of 2017."""
    y = post_block(tokens, w)
    mean, std = np.abs(y.mean(axis=1)).max(), y.std(axis=1)
    if mean > 1e-6 or np.abs(std - 1).max() > 1e-3:
        raise ValueError(f"means up to {mean:.2g}, spreads {std.round(2)}")
    if np.allclose(y, layer_norm(block(tokens, w)), atol=1e-3):
        raise ValueError(
            "only the end is normalised: the middle counts too"
        )
    print(f"means up to {mean:.3f}, spreads {std.round(3)}")


# %% exercise-post
def post_block(x, w):
    x = layer_norm(x + attend(x, w), w["ln_1.weight"], w["ln_1.bias"])
    x = layer_norm(x + digest(x, w), w["ln_2.weight"], w["ln_2.bias"])
    return x


check_post(post_block)
