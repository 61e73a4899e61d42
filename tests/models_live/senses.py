"""Where a word's vector stands between senses, and what moves it: cosines, exemplars, and words that are hidden."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from attention.models import MiniLM
from tests.models.recorded import Array

FRAMES = ("I bought an {} today.", "{} released a new phone.")
FRUIT = ("orange", "banana", "pear", "peach")
FIRM = ("microsoft", "google", "samsung", "nokia")
RULERS = {  # which sentences the fruits stand in, and which the companies
    "own": (FRAMES[:1], FRAMES[1:]),
    "both": (FRAMES, FRAMES),  # so that neither the place of a word nor its sentence tells the two groups apart
}


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


def by_layer(model: MiniLM, sentence: str, word: str, visible: Array | None = None) -> Array:
    """Return the vector of a word at the input and after every layer.

    `visible`, (n_layers, n_heads, n, n), says for every head which tokens (rows) may look at which (columns).
    """
    ids, tokens = encoded(model, sentence)
    trace: dict[str, list[Array]] = {}
    model(ids, trace=trace)
    xs = [*trace["embeddings"], *trace["hidden"]]
    if visible is not None:
        xs = xs[:1]
        for layer, mask in enumerate(visible):
            xs.append(model.layer(xs[-1], f"encoder.layer.{layer}.", mask, None))
    return np.array([x[tokens.index(word)] for x in xs], np.float64)


def exemplars(ruler: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the sentences, with the word in each, that stand for fruit and for company."""
    fruit, firm = (
        [(frame.format(word), word) for word in words for frame in frames]
        for words, frames in zip((FRUIT, FIRM), RULERS[ruler], strict=True)
    )
    return fruit, firm


def scorer(model: MiniLM, ruler: str) -> Callable[[Array], Array]:
    """Return the score fruit against company, layer by layer: how much closer a vector is to four fruits than firms."""
    fruit, firm = (np.mean([by_layer(model, *pair) for pair in pairs], axis=0) for pairs in exemplars(ruler))
    return lambda vectors: np.array([cosine(v, a) - cosine(v, b) for v, a, b in zip(vectors, fruit, firm, strict=True)])


def without(model: MiniLM, tokens: list[str], hidden: Iterable[str]) -> Array:
    """Return who may look at whom if no token, in any head of any layer, may look at the hidden ones."""
    may = ~np.isin(tokens, list(hidden))
    return np.broadcast_to(may, (model.n_layers, model.n_heads, len(tokens), len(tokens)))


def unlinked(model: MiniLM, tokens: list[str], word: str, link: str, heads: Iterable[tuple[int, int]]) -> Array:
    """Return who may look at whom if only the word may not look at one token, and only in some heads."""
    visible = np.ones((model.n_layers, model.n_heads, len(tokens), len(tokens)), bool)
    for layer, head in heads:
        visible[layer, head, tokens.index(word), tokens.index(link)] = False
    return visible


def moved(
    model: MiniLM, sentence: str, word: str, visible: Array, scores: dict[str, Callable[[Array], Array]]
) -> dict[str, Any]:
    """Return how far the word's last vector moves when less is visible, and where it then stands on every ruler."""
    seen, blind = by_layer(model, sentence, word), by_layer(model, sentence, word, visible)
    return {"cosine": cosine(seen[-1], blind[-1])} | {ruler: score(blind)[-1] for ruler, score in scores.items()}
