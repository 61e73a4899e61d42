"""The sentences of snippets/senses: read them, cut them into words that a reader can hide, find each word's tokens."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import yaml

from attention.models import E5
from tests.models.recorded import ROOT, Array

LANGUAGES = ("zh", "en")
SENSES = ("fruit", "company")
MARKS = ("<s>", "</s>", "▁")  # tokens that are no word


def senses(language: str) -> dict[str, Any]:
    """Return what a language's file says."""
    return dict(yaml.safe_load((ROOT / "snippets" / "senses" / f"apple.{language}.yml").read_text("utf-8")))


@dataclass(frozen=True)
class Sentence:
    """A sentence as the model reads it: words, and the places of each word's tokens."""

    words: list[str]
    ids: list[int]
    pieces: list[str]
    places: list[list[int]]

    @property
    def text(self) -> str:
        """The sentence as it is written."""
        return "".join(self.words)

    def at(self, word: str) -> int:
        """Return which word this is."""
        (index,) = (i for i, other in enumerate(self.words) if other.strip() == word)
        return index

    def token(self, word: str) -> int:
        """Return the place of the one token of a word."""
        (place,) = self.places[self.at(word)]
        return place

    @property
    def marks(self) -> list[int]:
        """The places of tokens that are no word."""
        return [i for i, piece in enumerate(self.pieces) if piece in MARKS]


def parsed(model: E5, marked: str) -> Sentence:
    """Return a sentence whose words | parts; no token may reach over the end of a word."""
    words = marked.split("|")
    ids = model.tokenizer.encode("".join(words))
    pieces = [model.tokenizer.piece(i) for i in ids]
    ends = np.cumsum([len(word.replace(" ", "")) for word in words]).tolist()
    places: list[list[int]] = [[] for _ in words]
    done = 0
    for place, piece in enumerate(pieces):
        if piece in MARKS:
            continue
        word = next(i for i, end in enumerate(ends) if done < end)
        done += len(piece.removeprefix("▁"))
        if done > ends[word]:
            raise ValueError(f"{marked}: the token {piece} reaches over the end of {words[word]!r}")
        places[word].append(place)
    if done != ends[-1]:
        raise ValueError(f"{marked}: its tokens {pieces} have {done} characters, its words {ends[-1]}")
    return Sentence(words, ids, pieces, places)


def place_of(model: E5, text: str, word: str) -> tuple[list[int], int]:
    """Return a text's ids and the place of the word's token, which must be there once."""
    ids = model.tokenizer.encode(text)
    places = [i for i, token in enumerate(ids) if model.tokenizer.piece(token).strip("▁") == word]
    if len(places) != 1:
        raise ValueError(f"{text!r} holds the token {word} {len(places)} times; it must be there once")
    return ids, places[0]


def word_vectors(model: E5, language: str, sense: str) -> Array:
    """Return the word's vectors in all sentences of a sense, [groups, 2, n_layers + 1, d]; layer 0 is the input."""
    told = senses(language)
    groups = told[sense]
    if {len(group) for group in groups} != {2}:
        raise ValueError(f"apple.{language}.yml, {sense}: every bracket must hold two sentences")
    return np.array([[vectors(model, *place_of(model, text, told["word"])) for text in group] for group in groups])


def vectors(model: E5, ids: list[int], place: int, mask: Array | None = None) -> Array:
    """Return one token's vector at the input and after every layer, [n_layers + 1, d]."""
    trace: dict[str, list[Array]] = {}
    model(ids, mask=mask, trace=trace)
    return np.array([x[place] for x in (*trace["embeddings"], *trace["hidden"])], np.float64)
