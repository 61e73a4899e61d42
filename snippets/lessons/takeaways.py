# %% setup
import numpy as np

from attention import (
    MODELS,
    Config,
    attention,
    attention_backward,
    feed_forward,
    gelu,
    layer_norm,
    multi_head_attention,
    project_qkv,
    split_qkv,
)
from lessonkit import Box, Figure, Flow, Labels, Line, Plot, Table

labels = Labels("takeaways")
rng = np.random.default_rng(0)

# %% sequence
d = 32
distances = [1, 2, 4, 8, 16, 32, 64]


def draw(rng):
    """Random tokens, x[0] the first, and the two matrices of an RNN."""
    x = rng.standard_normal((65, d))
    w_x = rng.standard_normal((d, d)) / np.sqrt(d)
    w_h = rng.standard_normal((d, d))
    w_h /= np.abs(np.linalg.eigvals(w_h)).max()  # spectral radius 1
    return x, w_x, w_h


first_draw = x, w_x, w_h = draw(rng)


# %% rnn
def rnn_gradient(distance, radius, drawn=first_draw):
    """Size of d(last state) / d(first input) in h = tanh(h W + x U)."""
    x, w_x, w_h = drawn
    h, jacobian = np.zeros(d), np.zeros((d, d))
    for t in range(distance + 1):
        h = np.tanh(h @ (radius * w_h) + x[t] @ w_x)
        if t == 0:
            jacobian = w_x * (1 - h**2)
        else:
            jacobian = jacobian @ (radius * w_h) * (1 - h**2)
    return np.linalg.norm(jacobian)


# %% rnn-check
def state(first, distance, radius):
    h = np.zeros(d)
    for token in [first, *x[1 : distance + 1]]:
        h = np.tanh(h @ (radius * w_h) + token @ w_x)
    return h


step = 1e-6
nudges = step * np.eye(d)
by_nudging = [
    (state(x[0] + e, 4, 0.9) - state(x[0] - e, 4, 0.9)) / (2 * step)
    for e in nudges
]
print("by nudging:    ", np.linalg.norm(by_nudging).round(6))
print("by chain rule: ", rnn_gradient(4, 0.9).round(6))

# %% attention-gradient
first_maps = w_q, w_k, w_v = rng.standard_normal((3, d, d)) / np.sqrt(d)


def attention_gradient(distance, match=None, x=x, maps=first_maps):
    """Size of d(last output) / d(first input), through key and value."""
    _, w_k, w_v = maps
    q, k, v = project_qkv(x[: distance + 1], *maps)
    q = q[-1:] if match is None else match * k[:1]
    q, k, v = (np.broadcast_to(a, (d, *a.shape)) for a in (q, k, v))
    each_output = np.eye(d)[:, None]  # one row of the Jacobian at a time
    _, dk, dv = attention_backward(q, k, v, each_output)
    jacobian = dk[:, 0] @ w_k.T + dv[:, 0] @ w_v.T
    return np.linalg.norm(jacobian)


# %% share
def first_weight(distance, match=None):
    """The weight that the last token gives to the first."""
    q, k, v = project_qkv(x[: distance + 1], w_q, w_k, w_v)
    q = q[-1:] if match is None else match * k[:1]
    return attention(q, k, v).weights[0, 0]


for name, match in (("random", None), ("matched", 2.0)):
    weights = [first_weight(n, match) for n in distances]
    print(f"{name:8}", *(f"{weight:6.1%}" for weight in weights))

# %% compare
curves = {
    "RNN, 0.9": [rnn_gradient(n, 0.9) for n in distances],
    "RNN, 3": [rnn_gradient(n, 3.0) for n in distances],
    "attention": [attention_gradient(n) for n in distances],
    "matched": [attention_gradient(n, match=2.0) for n in distances],
}


# %% spread
def gradients_of_a_draw(seed):
    """The four gradients at the greatest distance, all numbers anew."""
    rng = np.random.default_rng(seed)
    drawn = draw(rng)
    maps = rng.standard_normal((3, d, d)) / np.sqrt(d)
    far, tokens = distances[-1], drawn[0]
    return [
        rnn_gradient(far, 0.9, drawn),
        rnn_gradient(far, 3.0, drawn),
        attention_gradient(far, None, tokens, maps),
        attention_gradient(far, 2.0, tokens, maps),
    ]


draws = np.array([gradients_of_a_draw(seed) for seed in range(1, 31)])
for name, column in zip(curves, draws.T, strict=True):
    print(f"{name:10} {column.min():7.2g} to {column.max():.2g}")

# %% reach
steps = range(1, distances[-1] + 1)


def at_every_step(measure, option):
    return [float(f"{measure(n, option):.4g}") for n in steps]


queries = {"random": None, "matched": 2.0}
chains = {str(r): at_every_step(rnn_gradient, r) for r in (0.9, 3)}
direct = {
    q: at_every_step(attention_gradient, m) for q, m in queries.items()
}
given = {q: at_every_step(first_weight, m) for q, m in queries.items()}
start = 16
seen = (chains["0.9"], direct["matched"], given["matched"])
Figure(
    "reach-back",
    {"chains": chains, "direct": direct, "shares": given, "start": start},
    {
        name: curve[start - 1]
        for name, curve in zip(
            ("chain", "direct", "share"), seen, strict=True
        )
    },
    Table(
        np.array([[row[n - 1] for n in distances] for row in seen]),
        **labels["reach"],
        digits=2,
    ),
)

# %% plot
first, last = distances[0], distances[-1]
ends = {name: f"{curve[-1]:.1e}" for name, curve in curves.items()}
roles = ["", "", "output", "output"]
Plot(
    [
        Line(name, distances, curve, role)
        for name, curve, role in zip(
            labels["lines"], curves.values(), roles, strict=True
        )
    ],
    **labels("plot", last=last, ends=ends),
    log_y=True,
)

# %% price
n, width = 1024, MODELS["gpt2"].d_model
path = {"rnn": n - 1, "attention": 1}
kept = {"rnn": width, "attention": 2 * n * width}
Table(
    np.array([list(path.values()), list(kept.values())]),
    **labels("price", n=n, width=width),
    digits=0,
)


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

# %% facts
declared = {
    "3.3": "section of Attention Is All You Need",
    "1994": "year of Bengio, Simard and Frasconi's paper",
    "1997": "year of the LSTM",
    "2013": "year of Pascanu, Mikolov and Bengio's paper",
    "2014": "year of Bahdanau, Cho and Bengio's paper",
    "2016": "year of layer normalisation and residual networks",
    "2017": "year of Attention Is All You Need",
    "2019": "year of GPT-2",
    "2020": "year of On Layer Normalization",
    "2021": "year of Attention is not all you need",
}
facts = {
    "distances": distances,
    "curves": curves,
    "draws": draws,
    "number of draws": len(draws),
    "least and most of the draws": [draws.min(axis=0), draws.max(axis=0)],
    "0.9 to the 64th": 0.9**64,
    "0.9, without tanh": np.linalg.norm(
        w_x @ np.linalg.matrix_power(0.9 * w_h, 64)
    ),
    "first weights": [
        [first_weight(n, m) for n in distances] for m in (None, 2.0)
    ],
    "path": path,
    "kept": kept,
    "n": n,
    "counts": {
        start: count(shapes, start) for start in ("attn", "mlp", "ln")
    },
    "layer": count(shapes, ""),
    "d, 3d, 4d": [768, 3 * 768, 4 * 768],
    "attention's share of a layer": count(shapes, "attn")
    / count(shapes, ""),
    "feed-forward's share of a layer": count(shapes, "mlp")
    / count(shapes, ""),
    "parts": parts,
    "total": total,
    "shares": shares,
    "model shares": model_shares,
    "heads": MODELS["gpt2"].n_heads,
    "moves": moves,
    "block keeps the shape": block(tokens, w).shape,
    "numbers in the layer": sum(a.size for a in w.values()),
    "trials": {
        str(part): [reach, spreads[-1], size]
        for part, (reach, spreads, size) in trials.items()
    },
    "spreads": {str(part): trial[1] for part, trial in trials.items()},
    "bend of attention": np.abs(attend(one, w) + attend(-one, w)).max(),
    "bend of feed-forward": np.abs(digest(one, w) + digest(-one, w)).max(),
    "layers, tokens, width": [len(layers), *text.shape],
    "n_vocab, n_positions": [n_vocab, n_positions],
    "one key-value head": one_kv_head,
    "shear": np.linalg.norm(hundred, 2),
    "shear radius": radius,
}
