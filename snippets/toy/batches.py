"""From sentences to what a step of training sees: ids, right answers, and where they count."""

from collections.abc import Sequence

import numpy as np

from attention.checks import Array
from attention.models.words import MASK, START, WordTokenizer

from .corpus import Corpus
from .network import Batch

GUESSED = 0.2  # share of the words that the masked variant has to guess
Sentence = tuple[str, ...]


def drawn(corpus: Corpus, n: int, random: np.random.Generator) -> list[Sentence]:
    """Draw sentences for a batch: every family as likely as any other, in it every template, in it every sentence."""
    families = list(corpus.training.values())
    picked = []
    for _ in range(n):
        family = families[random.integers(len(families))]
        made = family[random.integers(len(family))]
        picked.append(made[random.integers(len(made))])
    return picked


def causal_batch(sentences: Sequence[Sentence], tokenizer: WordTokenizer) -> Batch:
    """Ask at every place for the next word."""
    ids, lengths = filled_up(sentences, tokenizer)
    counted = np.arange(ids.shape[1] - 1) < lengths[:, None] - 1
    return Batch(ids[:, :-1], ids[:, 1:], counted, lengths - 1)


def masked_batch(sentences: Sequence[Sentence], tokenizer: WordTokenizer, random: np.random.Generator) -> Batch:
    """Ask for some words, at least one a sentence: 8 in 10 are hidden, 1 replaced by any word, 1 left (as in BERT)."""
    ids, lengths = filled_up(sentences, tokenizer)
    places = np.arange(ids.shape[1])
    word = (places > 0) & (places < lengths[:, None])
    chance = np.where(word, random.random(ids.shape), 2)
    asked = (chance < GUESSED) | (chance == chance.min(axis=1, keepdims=True))
    way = random.random(ids.shape)
    shown = np.where(asked & (way < 0.8), tokenizer.ids[MASK], ids)
    replaced = asked & (way >= 0.9)
    shown[replaced] = random.integers(1, tokenizer.ids[MASK], replaced.sum())
    return Batch(shown, ids, asked, lengths)


def filled_up(sentences: Sequence[Sentence], tokenizer: WordTokenizer) -> tuple[Array, Array]:
    """Return the ids of each sentence, [start] before it, filled up to the longest; and how long each is."""
    rows = [[tokenizer.ids[word] for word in (START, *sentence)] for sentence in sentences]
    lengths = np.array([len(row) for row in rows])
    ids = np.zeros((len(rows), lengths.max()), np.int64)
    for at, row in enumerate(rows):
        ids[at, : len(row)] = row
    return ids, lengths
