# %% setup
import numpy as np

from attention import attention, split_heads
from lessonkit import Labels, Table, Together

labels = Labels("lab")


# %% entropy
def entropy(weights):
    """Shannon entropy of each row, in bits."""
    logs = np.log2(np.where(weights > 0, weights, 1))
    return -(weights * logs).sum(axis=-1)


# %% tables
def tables(step, q, k, v, asking, tokens, captions):
    """Show one head: what goes in, and each step to its output."""
    scores, weights, output = step
    bits, c = entropy(weights)[:, None], captions
    return [
        Table(q, "query", asking, caption=c["query"]),
        Table(k, "key", tokens, caption=c["key"]),
        Table(v, "value", tokens, caption=c["value"]),
        Table(
            scores, "scores", asking, tokens, caption=c["scores"], of=(q, k)
        ),
        Table(
            weights,
            "weights",
            asking,
            tokens,
            caption=c["weights"],
            of=scores,
        ),
        Table(
            output, "output", asking, caption=c["output"], of=(weights, v)
        ),
        Table(bits, rows=asking, caption=c["bits"]),
    ]


# %% laboratory
def laboratory(
    tokens, asking, q, k, v, root_d, temperature, causal, window, heads
):
    """Compute attention, head by head, and show every step."""
    q, k, v = (split_heads(x, heads) for x in (q, k, v))
    scale = (q.shape[-1] ** (-0.5) if root_d else 1.0) / temperature
    every = attention(q, k, v, scale=scale, causal=causal, window=window)
    shown = []
    for head in range(heads):
        number = f"{head + 1} / {heads}"
        captions = labels("of-heads", number=number)
        if heads == 1:
            captions = labels["one-head"]
        step = [part[head] for part in every]
        one = (q[head], k[head], v[head])
        shown.append(Together(tables(step, *one, asking, tokens, captions)))
    return Together(shown)


# %% apple
tokens = labels["pair-tokens"]
asking = tokens
q = np.array([[3.0, 1.0], [1.0, 3.0]])
k = np.array([[3.0, 1.0], [1.0, 3.0]])
v = np.array([[6.0, 0.5], [0.5, 6.0]])
root_d = False
temperature = 1.0
causal = False
window = None
heads = 1
laboratory(
    tokens, asking, q, k, v, root_d, temperature, causal, window, heads
)

# %% saturation
tokens = labels["pair-tokens"]
asking = tokens
q = np.array([[9.0, 3.0], [3.0, 9.0]])
k = np.array([[9.0, 3.0], [3.0, 9.0]])
v = np.array([[6.0, 0.5], [0.5, 6.0]])
root_d = False
temperature = 1.0
causal = False
window = None
heads = 1
laboratory(
    tokens, asking, q, k, v, root_d, temperature, causal, window, heads
)

# %% library
tokens = labels["library-tokens"]
asking = labels["library-asking"]
q = np.array([[5.0, 9.0, 0.0]])
k = np.array(
    [[10.0, 5.0, 0.0], [8.0, 0.0, 0.0], [0.0, 0.0, 10.0], [5.0, 7.0, 0.0]]
)
v = np.array([[60.0, 40.0], [50.0, 50.0], [0.0, 0.0], [30.0, 0.0]])
root_d = True
temperature = 1.0
causal = False
window = None
heads = 1
laboratory(
    tokens, asking, q, k, v, root_d, temperature, causal, window, heads
)

# %% sentence
tokens = labels["sentence-tokens"]
asking = tokens
q = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [2.0, 1.0]])
k = np.array([[2.0, 0.0], [0.0, 0.5], [0.5, 1.0], [1.0, 1.0]])
v = np.array([[8.0, 0.0], [0.0, 0.0], [1.0, 1.0], [4.0, 4.0]])
root_d = True
temperature = 1.0
causal = True
window = None
heads = 1
laboratory(
    tokens, asking, q, k, v, root_d, temperature, causal, window, heads
)

# %% facts
last, unmasked = attention(q, k, v, causal=True), attention(q, k, v)
q = k = np.array([[3.0, 1.0], [1.0, 3.0]])
facts = {
    "apple": attention(q, k, k, scale=1.0).weights,
    "apple divided": attention(q, k, k).weights,
    "apple at 4": attention(q, k, k, scale=0.25).weights,
    "saturated": attention(3 * q, 3 * k, k, scale=1.0).weights,
    "saturated at 9": attention(3 * q, 3 * k, k, scale=1.0 / 9).weights,
    "sentence": last.weights,
    "bits": entropy(last.weights),
    "bits, no mask": entropy(unmasked.weights),
}
