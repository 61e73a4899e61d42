"""The vectors of a word in a sentence, layer by layer, and how alike they are."""

import numpy as np

from attention.models import MiniLM
from tests.models.recorded import Array


def cosine(a: Array, b: Array) -> float:
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def cosines(vectors: list[Array]) -> Array:
    """Return the cosine of every pair of words, layer by layer: (n_layers + 1, words, words)."""
    return np.array([[[cosine(a[i], b[i]) for b in vectors] for a in vectors] for i in range(len(vectors[0]))])


def encoded(model: MiniLM, sentence: str) -> tuple[list[int], list[str]]:
    """Return the ids of a sentence and its tokens."""
    assert model.tokenizer is not None
    ids = model.tokenizer.encode(sentence)
    return ids, [model.tokenizer.inner.id_to_token(i) for i in ids]


def by_layer(model: MiniLM, sentence: str, word: str) -> Array:
    """Return the vector of a word at the input and after every layer, [n_layers + 1, d_model]."""
    ids, tokens = encoded(model, sentence)
    trace: dict[str, list[Array]] = {}
    model(ids, trace=trace)
    return np.array([x[tokens.index(word)] for x in (*trace["embeddings"], *trace["hidden"])], np.float64)
