# %% shapes
def layer_shapes(d):
    """Arrays of one GPT-2 layer, under their names in the checkpoint."""
    return {
        "ln_1.weight": (d,),
        "ln_1.bias": (d,),
        "attn.c_attn.weight": (d, 3 * d),
        "attn.c_attn.bias": (3 * d,),
        "attn.c_proj.weight": (d, d),
        "attn.c_proj.bias": (d,),
        "ln_2.weight": (d,),
        "ln_2.bias": (d,),
        "mlp.c_fc.weight": (d, 4 * d),
        "mlp.c_fc.bias": (4 * d,),
        "mlp.c_proj.weight": (4 * d, d),
        "mlp.c_proj.bias": (d,),
    }


# %% count
def count(shapes, start):
    """How many numbers the arrays hold whose names begin so."""
    return sum(
        int(np.prod(shape))
        for name, shape in shapes.items()
        if name.startswith(start)
    )


shapes = layer_shapes(768)
for start in ("attn", "mlp", "ln", ""):
    print(f"{start or 'layer':6} {count(shapes, start):9,}")

# %% total
n_vocab, n_positions = 50257, 1024
parts = {
    "attention": 12 * count(shapes, "attn"),
    "feed-forward": 12 * count(shapes, "mlp"),
    "norms": 12 * count(shapes, "ln") + 2 * 768,  # one more at the end
    "tokens": n_vocab * 768,
    "positions": n_positions * 768,
}
total = sum(parts.values())
print(f"{total:,}")

# %% show-total
shares = {name: n / total for name, n in parts.items()}
Table(list(shares.values()), **labels("show-total"), percent=True)


# %% attention-share
def attention_share(model):
    """Attention's share of a layer's matrices."""
    c = MODELS[model]
    own = 2 * c.d_model * c.d_head * (c.n_heads + c.n_kv_heads)
    rest = (3 if c.gated else 2) * c.d_model * c.d_ff
    return own / (own + rest)


models = ["gpt2", "gpt2-xl", "llama-2-7b", "llama-3-8b", "qwen2-7b"]
model_shares = {model: attention_share(model) for model in models}
Table(
    list(model_shares.values()),
    cols=models,
    **labels("attention-share"),
    percent=True,
)


# %% block
def attend(x, w):
    """The part in which tokens look at one another."""
    n_heads = x.shape[-1] // 64
    w_q, w_k, w_v = split_qkv(w["attn.c_attn.weight"], n_heads)
    b_q, b_k, b_v = split_qkv(w["attn.c_attn.bias"], n_heads)
    w_o, b_o = w["attn.c_proj.weight"], w["attn.c_proj.bias"]
    biases = {"b_q": b_q, "b_k": b_k, "b_v": b_v, "b_o": b_o}
    return multi_head_attention(
        x, w_q, w_k, w_v, w_o, n_heads=n_heads, causal=True, **biases
    ).output


def digest(x, w):
    """The part in which each token is by itself."""
    w_in, b_in = w["mlp.c_fc.weight"], w["mlp.c_fc.bias"]
    w_out, b_out = w["mlp.c_proj.weight"], w["mlp.c_proj.bias"]
    return feed_forward(x, w_in, w_out, b_in, b_out, activation=tanh_gelu)


def tanh_gelu(x):
    return gelu(x, approximate="tanh")


def block(x, w):
    x = x + attend(layer_norm(x, w["ln_1.weight"], w["ln_1.bias"]), w)
    x = x + digest(layer_norm(x, w["ln_2.weight"], w["ln_2.bias"]), w)
    return x


# %% run-block
def random_layer(d, rng):
    """Random matrices; norms that only normalise; no biases."""
    w = {}
    for name, shape in layer_shapes(d).items():
        if len(shape) == 2:
            w[name] = rng.standard_normal(shape) / np.sqrt(shape[0])
        else:
            w[name] = np.full(shape, float(name.endswith("weight")))
    return w


w = random_layer(768, rng)
tokens = rng.standard_normal((4, 768))
print("numbers in the layer:", f"{sum(a.size for a in w.values()):,}")
print("shapes in and out:   ", tokens.shape, block(tokens, w).shape)

# %% flow
Flow(
    [
        [Box("x", "4×768")],
        [
            Box(labels["x-as-it-is"], "4×768"),
            Box(labels["norm-attention"], "4×768", "output"),
        ],
        [Box(labels["the-sum-of-both"], "4×768")],
        [
            Box(labels["the-sum-as-it-is"], "4×768"),
            Box(labels["norm-feed-forward"], "4×768"),
        ],
        [Box(labels["x-for-the-next-layer"], "4×768")],
    ],
    [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (3, 5), (4, 6), (5, 6)],
    **labels("flow"),
)

# %% who-mixes
changed = tokens.copy()
changed[1] = rng.standard_normal(768)
moves = {
    part.__name__: np.abs(part(changed, w) - part(tokens, w)).max(axis=1)
    for part in (attend, digest)
}
Table(
    list(moves.values()),
    cols=[labels("token", i=i) for i in range(4)],
    **labels("who-mixes"),
    digits=3,
)

# %% who-bends
one = tokens[:1]
for part in (attend, digest):
    bend = np.abs(part(one, w) + part(-one, w)).max()
    print(f"{part.__name__}: f(x) + f(−x) = {bend:.3f}")

# %% variant
everything = {"attend", "digest", "residual", "norm"}


def variant(x, w, parts):
    """`block` without what is not among the parts."""
    for part in (attend, digest):
        if part.__name__ in parts:
            new = part(layer_norm(x) if "norm" in parts else x, w)
            x = x + new if "residual" in parts else new
    return x


# %% stack
layers = [random_layer(256, rng) for _ in range(12)]
text = rng.standard_normal((16, 256))
other = text.copy()
other[0] = rng.standard_normal(256)  # another first token


def spread(x):
    """How different the tokens are: 0 if all have the same vector."""
    return np.linalg.norm(x - x.mean(axis=0)) / np.linalg.norm(x)


def stack(parts):
    """Reach, spread layer by layer, and size after 12 layers."""
    a, b, spreads = text, other, [spread(text)]
    for w in layers:
        a, b = variant(a, w, parts), variant(b, w, parts)
        spreads.append(spread(a))
    reach = np.linalg.norm(a[-1] - b[-1]) / np.linalg.norm(a[-1])
    return reach, spreads, np.sqrt((a**2).mean())


left_out = [None, "attend", "digest", "residual", "norm"]
trials = {part: stack(everything - {part}) for part in left_out}

# %% show-stack
Table(
    [
        [reach, spreads[-1], size]
        for reach, spreads, size in trials.values()
    ],
    **labels("show-stack"),
    digits=3,
)
