"""What our toy does with 苹果, 它 and "thank you very": the recording `toy`.

Its weights are in the package, so `make test` runs this too, without anything to fetch.
"""

from typing import Any, NamedTuple

import numpy as np

from attention import softmax
from attention.models.toy import Toy
from tests.models.recorded import Array, Recording, sha256
from toy.corpus import build
from toy.release import VARIANTS, validation_loss, weight_file

FRUITS, FIRMS = ("橙子", "桃子", "梨"), ("微软", "谷歌", "索尼")
SAID = {  # what the sentences of the corpus say of "it"
    "fruit": ("甜", "脆", "好吃"),
    "device": ("快", "薄", "好用"),
    "firm": ("大", "有名", "热闹"),
}


class Pair(NamedTuple):
    """Two texts with 苹果 in them, one of the fruit and one of the firm, and the word of each that tells."""

    texts: tuple[str, str]
    cues: tuple[str, str]


PAIRS = {
    "masked": {
        "chapter": Pair(("我今天买了一个苹果。", "苹果今天发布了一款新手机。"), ("买", "发布")),
        "one word": Pair(("我今天买了苹果，它[mask]极了。", "我今天参观了苹果，它[mask]极了。"), ("买", "参观")),
        "two futures": Pair(
            ("苹果我今天买了一个，它[mask]极了。", "苹果今天发布了一款新手机，它[mask]极了。"), ("买", "发布")
        ),
    },
    "causal": {
        "one word": Pair(("我今天买了苹果，它", "我今天参观了苹果，它"), ("买", "参观")),
        "two futures": Pair(("苹果我今天买了一个，它", "苹果今天发布了一款新手机，它"), ("买", "发布")),
    },
}  # fmt: skip
WATCHED = (  # whose looks are recorded, head by head; the maps of all words are in the arrays
    ("masked", "chapter", "苹果"),
    ("masked", "one word", "苹果"),
    ("causal", "one word", "它"),
    ("causal", "two futures", "它"),
)
HIDDEN = {  # texts that end in a question, and the words of each that are hidden in turn
    "我今天买了苹果，它": ("", "买"),
    "我今天参观了苹果，它": ("", "参观"),
    "我今天买了一个苹果，它": ("", "买", "一个", "买 一个"),
    "苹果今天发布了一款新手机，它": ("", "发布", "一款", "新", "手机", "发布 一款 新 手机"),
}
ENDS = {"masked": "[mask]极了。", "causal": ""}


def record() -> Recording:
    corpus = build()
    models = {variant: Toy.load(masked=not causal) for variant, causal in VARIANTS.items()}
    model = models["causal"]
    facts = {
        "model": f"toy, trained on {corpus.counts['training']} template sentences",
        "package": "attention-executed==0.1.0",
        "weights": {weight_file(variant).name: sha256(weight_file(variant)) for variant in VARIANTS},
        "n_layers": model.n_layers,
        "n_heads": model.n_heads,
        "d_model": model.weights["wte.weight"].shape[1],
        "words": {variant: len(each.tokenizer.words) for variant, each in models.items()},
        "numbers": {variant: sum(w.size for w in each.weights.values()) for variant, each in models.items()},
        "sentences": corpus.counts,
        "validation loss": {variant: validation_loss(corpus, each) for variant, each in models.items()},
        "thank you very": following(model, "thank you very"),
        "pairs": {
            variant: {name: compared(models[variant], pair) for name, pair in pairs.items()}
            for variant, pairs in PAIRS.items()
        },
        "looks": {
            f"{variant}, {name}": [
                looks(models[variant], text, word, cue) for text, cue in zip(*PAIRS[variant][name], strict=True)
            ]
            for variant, name, word in WATCHED
        },
        "hidden": {variant: hidden_words(each, ENDS[variant]) for variant, each in models.items()},
    }
    maps = {
        f"{variant}/{name}/{side}": np.stack(run(models[variant], text)["weights"]).astype(np.float16)
        for variant, pairs in PAIRS.items()
        for name, pair in pairs.items()
        for side, text in zip(("fruit", "firm"), pair.texts, strict=True)
    }
    return Recording(facts, maps)


def run(model: Toy, text: str, hidden: str = "") -> dict[str, list[Array]]:
    """Return the trace of a text; words that are hidden, with spaces between, no token may look at, in any head."""
    trace: dict[str, list[Array]] = {}
    ids = model.tokenizer.encode(text)
    seen = ~np.isin(ids, [model.tokenizer.ids[word] for word in hidden.split()])
    model(ids, mask=seen, trace=trace)
    return trace


def tokens(model: Toy, text: str) -> list[str]:
    return [model.tokenizer.word(token) for token in model.tokenizer.encode(text)]


def states(model: Toy, text: str, word: str, hidden: str = "") -> Array:
    """Return the vector of a word going in and after every layer, (n_layers + 1, d_model)."""
    trace, at = run(model, text, hidden), tokens(model, text).index(word)
    return np.array([x[at] for x in trace["embeddings"] + trace["hidden"]], np.float64)


def cosines(a: Array, b: Array) -> list[float]:
    return [round(float(x @ y / np.sqrt((x @ x) * (y @ y))), 4) for x, y in zip(a, b, strict=True)]


def compared(model: Toy, pair: Pair) -> dict[str, Any]:
    """Return how far 苹果 and 它 are apart in the two texts, layer by layer, also with the word that tells hidden."""
    said: dict[str, Any] = {"tokens": [" ".join(tokens(model, text)) for text in pair.texts], "cues": pair.cues}
    in_both = [word for word in ("苹果", "它") if all(word in text for text in pair.texts)]
    said["cosines"] = {word: cosines(*(states(model, text, word) for text in pair.texts)) for word in in_both}
    said["same but for rounding"] = {
        word: np.allclose(*(states(model, text, word) for text in pair.texts), rtol=0, atol=1e-5) for word in in_both
    }
    hidden = [states(model, text, "苹果", cue) for text, cue in zip(*pair, strict=True)]
    said["cosines without cues"] = cosines(*hidden)
    if not model.causal:
        score = scorer(model, pair)
        said["scores"] = [score(states(model, text, "苹果")) for text in pair.texts]
        said["scores without cues"] = [score(vectors) for vectors in hidden]
    return said


def scorer(model: Toy, pair: Pair) -> Any:
    """Return what scores a 苹果: how much nearer it is to other fruits (first text) than to firms (second)."""
    means = [
        np.mean([states(model, text.replace("苹果", other), other) for other in others], axis=0)
        for text, others in zip(pair.texts, (FRUITS, FIRMS), strict=True)
    ]
    return lambda vectors: np.subtract(*(cosines(vectors, mean) for mean in means)).round(4)


def looks(model: Toy, text: str, word: str, cue: str) -> dict[str, Any]:
    """Return a word's weights in every head, and which head gives its cue most (layers and heads from 0)."""
    shown = tokens(model, text)
    weights = np.stack(run(model, text)["weights"])[:, :, shown.index(word)]
    layer, head = np.unravel_index(int(weights[:, :, shown.index(cue)].argmax()), weights.shape[:2])
    most = weights[layer, head, shown.index(cue)]
    return {"word": word, "weights": weights.round(3), "most": {"layer": layer, "head": head, "weight": most}}


def following(model: Toy, text: str, n: int = 3) -> list[dict[str, Any]]:
    """Return the likeliest next words."""
    shares = softmax(run(model, text)["logits"][0][-1].astype(np.float64))
    return [{"word": model.tokenizer.word(i), "p": shares[i]} for i in np.argsort(-shares, kind="stable")[:n]]


def hidden_words(model: Toy, end: str) -> list[dict[str, Any]]:
    """Return what is said of "it", in shares of three words each, with nothing hidden and with some."""
    rows = []
    for text, trials in HIDDEN.items():
        for words in trials:
            place = model.asked(model.tokenizer.encode(text + end))[0]
            shares = softmax(run(model, text + end, words)["logits"][0][place].astype(np.float64))
            said = {kind: sum(shares[model.tokenizer.ids[word]] for word in each) for kind, each in SAID.items()}
            rows.append({"text": text, "hidden": words} | {kind: round(p, 4) for kind, p in said.items()})
    return rows
