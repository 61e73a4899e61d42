"""Where a word's vector stands between senses, and what moves it: cosines, exemplars, and words that are hidden."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attention.models import MiniLM
from tests.models.recorded import Array

FRUIT = [(f"I bought an {word} today.", word) for word in ("orange", "banana", "pear", "peach")]
FIRM = [(f"{word} released a new phone.", word) for word in ("microsoft", "google", "samsung", "nokia")]


def cosine(a: Array, b: Array) -> float:
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def cosines(vectors: list[Array]) -> Array:
    """Return the cosine of every pair of words, layer by layer: (n_layers + 1, words, words)."""
    return np.array([[[cosine(a[i], b[i]) for b in vectors] for a in vectors] for i in range(len(vectors[0]))])


def by_layer(model: MiniLM, sentence: str, word: str, hidden: int | None = None) -> Array:
    """Return the vector of a word at the input and after every layer; `hidden` is a token nobody may look at."""
    assert model.tokenizer is not None
    ids = model.tokenizer.encode(sentence)
    trace: dict[str, list[Array]] = {}
    mask = None if hidden is None else np.arange(len(ids)) != hidden
    model(ids, mask=mask, trace=trace)
    at = place(model, ids, word)
    return np.array([x[at] for x in trace["embeddings"] + trace["hidden"]], np.float64)


def place(model: MiniLM, ids: list[int], word: str) -> int:
    """Return where a word stands among the tokens."""
    assert model.tokenizer is not None
    return [model.tokenizer.inner.id_to_token(i) for i in ids].index(word)


def scorer(model: MiniLM) -> Callable[[Array], Array]:
    """Return the score fruit against company, layer by layer: how much closer a vector is to four fruits than firms."""
    fruit, firm = (np.mean([by_layer(model, *pair) for pair in pairs], axis=0) for pairs in (FRUIT, FIRM))
    return lambda vectors: np.array([cosine(v, a) - cosine(v, b) for v, a, b in zip(vectors, fruit, firm, strict=True)])


def ablation(model: MiniLM, sentence: str, word: str, tokens: list[str]) -> list[dict[str, Any]]:
    """Hide every token but the word itself in turn, from all tokens, heads and layers; say how its vector moves."""
    score, seen = scorer(model), by_layer(model, sentence, word)
    rows = []
    for at, token in enumerate(tokens):
        if token != word:
            blind = by_layer(model, sentence, word, hidden=at)
            rows.append({"hidden": token, "cosine": cosine(seen[-1], blind[-1]), "score": score(blind)[-1]})
    return rows
