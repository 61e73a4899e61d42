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
