# %% setup
import base64

import numpy as np

from attention import linear, multi_head_attention, split_heads
from lessonkit import Figure, Labels, Line, Plot, Table, recording

labels = Labels("apple-again")
bought = ["我", "今天", "买", "了", "一个", "苹果"]
launched = ["苹果", "发布", "了", "新款", "iPhone"]
bought_names = labels["bought-words"]
launched_names = labels["launched-words"]

# %% words
features = ["thing", "company", "cue thing", "cue company"]
features += ["two senses", "pronoun", "finished"]
lexicon = {
    "苹果": {"thing": 1, "company": 1, "two senses": 1},
    "买": {"cue thing": 1},
    "一个": {"cue thing": 0.5},
    "发布": {"cue company": 1},
    "新款": {"cue company": 0.5},
    "iPhone": {"cue company": 1},
    "了": {"finished": 1},
}


def vectors(words):
    """One row a word; 我 and 今天 have none of these features."""
    rows = [lexicon.get(word, {}) for word in words]
    return np.array([[r.get(f, 0.0) for f in features] for r in rows])


# %% show-words
shown = ["苹果", "买", "一个", "发布", "新款", "iPhone", "了", "我"]
Table(vectors(shown).T, **labels("show-words"), digits=1)

# %% same-row
before = vectors(bought)[5] - vectors(launched)[0]
print("difference:", np.abs(before).max())


# %% matrices
def matrix(*entries):
    """Zeros, but for the entries (feature, column, number)."""
    w = np.zeros((len(features), 4))
    for feature, column, number in entries:
        w[features.index(feature), column] = number
    return w


# columns 0 and 1 belong to head A, columns 2 and 3 to head B
w_q = matrix(
    ("two senses", 0, 4),  # A: what tells my sense?
    ("pronoun", 0, 4),  # A: the same
    ("pronoun", 1, 4),  # A: and whom do I stand for?
    ("two senses", 2, 6),  # B: is it finished?
)
w_k = matrix(
    ("cue thing", 0, 1),
    ("cue company", 0, 1),
    ("two senses", 1, 1),
    ("finished", 2, 1),
)
w_v = matrix(
    ("thing", 0, 0.5),
    ("cue thing", 0, 0.5),
    ("company", 0, -0.5),
    ("cue company", 0, -0.5),
    ("finished", 2, 1),
)
# A moves "thing" up and "company" down, or back; B writes "finished"
w_o = matrix(("thing", 0, 1), ("company", 0, -1), ("finished", 2, 1)).T


# %% layer
def layer(x, **options):
    """One layer: two heads, and a residual connection."""
    result = multi_head_attention(
        x, w_q, w_k, w_v, w_o, n_heads=2, **options
    )
    return x + result.output, result.weights


def run(words, n_layers=2, **options):
    """The vectors going in and after every layer; the weights."""
    xs, weights = [vectors(words)], []
    for _ in range(n_layers):
        x, w = layer(xs[-1], **options)
        xs.append(x)
        weights.append(w)
    return np.array(xs), np.array(weights)


# %% two-runs
xs_bought, weights_bought = run(bought)
xs_launched, weights_launched = run(launched)
a, b = xs_bought[:, 5], xs_launched[:, 0]  # 苹果 in each, by layer

# %% first-weights
names_a_b = labels["names_a_b"]
Table(
    weights_bought[0][:, 5],
    "weights",
    names_a_b,
    bought_names,
    **labels("first-weights"),
)

# %% first-weights-launched
Table(
    weights_launched[0][:, 0],
    "weights",
    names_a_b,
    launched_names,
    **labels("first-weights-launched"),
)


# %% cosine
def cosine(a, b):
    lengths = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    return (a * b).sum(axis=-1) / lengths


cosines = cosine(a, b)
print("going in, after layer 1, after layer 2:", cosines.round(2))

# %% reading
meaning = np.array([1, -1, 0, 0, 0, 0, 0])  # thing minus company
print("bought:  ", (a @ meaning).round(2))
print("launched:", (b @ meaning).round(2))


# %% gifts
def gifts(words, weights, x, reader):
    """Weight × value, read along `meaning`: [2 heads, n words]."""
    v = split_heads(linear(x, w_v), 2)
    outs = w_o.reshape(2, 2, -1)  # each head's own slice of w_o
    read = (v @ outs) @ meaning
    return weights[:, words.index(reader)] * read


# %% given
given = gifts(launched, weights_launched[0], xs_launched[0], "苹果")

# %% show-gifts
both = np.vstack([weights_launched[0][:, 0], given])
Table(both, cols=launched_names, **labels("show-gifts"), digits=3)


# %% block
def block(words, *hidden, heads=(0, 1)):
    """A bias that hides words from everybody, in some heads."""
    bias = np.zeros((2, len(words), len(words)))
    for word in hidden:
        bias[list(heads), :, words.index(word)] = -np.inf
    return bias


# %% block-b
without_le, _ = run(launched, bias=block(launched, "了", heads=[1]))
moved = np.linalg.norm(without_le[2, 0] - b[2])
print("how far the vector moved:", moved.round(2))
print("reading before:", b[2] @ meaning)
print("reading after: ", without_le[2, 0] @ meaning)

# %% block-a
trials = [[], ["发布"], ["iPhone"], ["发布", "iPhone"]]
trials += [["发布", "iPhone", "新款"]]
readings = []
for hidden in trials:
    xs, _ = run(launched, bias=block(launched, *hidden, heads=[0]))
    readings.append(xs[:, 0] @ meaning)
readings = np.array(readings)

# %% show-block
nobody = labels["nobody"]
Table(
    readings[:, 2:],
    **labels("show-block"),
    digits=2,
)

# %% causal
xs_causal, weights_causal = run(launched, causal=True)
unseen = xs_causal[2, 0] - xs_causal[0, 0]
print("weights of the first word:", weights_causal[0, 0, 0])
print("change of its vector:     ", np.abs(unseen).max())

# %% it
lexicon["它"] = {"thing": 1, "company": 1, "pronoun": 1}
longer = [*launched, "它"]
xs_it, _ = run(longer, causal=True)
xs_both, _ = run(longer)

# %% carriers
lines = {
    "苹果, encoder": xs_both[:, 0] @ meaning,
    "它, encoder": xs_both[:, 5] @ meaning,
    "苹果, causal": xs_it[:, 0] @ meaning,
    "它, causal": xs_it[:, 5] @ meaning,
}
for name, line in lines.items():
    print(f"{name:12} {line.round(2)}")

# %% plot
roles = ["output", "", "output", ""]
ends = [f"{line[2]:.2f}" for line in lines.values()]
Plot(
    [
        Line(name, [0, 1, 2], line, role)
        for name, line, role in zip(
            labels["lines"], lines.values(), roles, strict=True
        )
    ],
    **labels("plot", ends=ends),
)
