"""A vocabulary of whole words: text to ids and back, for the toy model, by no library at all."""

import re
from dataclasses import dataclass
from functools import cached_property

START, MASK = "[start]", "[mask]"  # what every text begins with, and a word that shall be guessed


@dataclass(frozen=True)
class WordTokenizer:
    """The words a model knows; the place of each is its id. Capital letters are read as small ones.

    >>> tokenizer = WordTokenizer((START, "thank", "you", "苹果"))
    >>> tokenizer.encode("Thank you苹果")
    [0, 1, 2, 3]
    >>> tokenizer.encode("thank them")
    Traceback (most recent call last):
        ...
    ValueError: 'them' is not among the 4 words of this model; those in its letters are thank, you
    """

    words: tuple[str, ...]

    @cached_property
    def ids(self) -> dict[str, int]:
        """The id of every word."""
        return {word: i for i, word in enumerate(self.words)}

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What cuts a text: known words, the longest first; else letters in a row, or what begins no known word."""
        longest = sorted((word for word in self.words if word != START), key=len, reverse=True)
        known = "|".join(
            re.escape(word) + (r"(?![a-z])" if word.isascii() and word.isalpha() else "") for word in longest
        )
        return re.compile(rf"{known}|\[\w+\]|[a-z]+|(?:(?!{known})[^\sa-z])+", re.IGNORECASE)

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, [start] before it; a word that is not known is an error that names it."""
        if not (words := [match[0].lower() for match in self.pattern.finditer(text)]):
            raise ValueError("the prompt is empty: there must be at least one word")
        return [self.ids[START], *(self.id_of(word) for word in words)]

    def id_of(self, word: str) -> int:
        """Return the id of a word, or say which words there are."""
        if word not in self.ids or word == START:
            alike = ", ".join(
                w for w in self.words if w.isascii() == word.isascii() and w not in (START, ",", ".", "，", "。")
            )
            message = f"{word!r} is not among the {len(self.words)} words of this model"
            raise ValueError(f"{message}; those in its letters are {alike}")
        return self.ids[word]

    def word(self, token: int) -> str:
        """Return the word of an id."""
        if not 0 <= token < len(self.words):
            raise ValueError(f"id {token} is not in the vocabulary of {len(self.words)} words")
        return self.words[token]

    def decode(self, ids: list[int]) -> str:
        """Return the text of these ids, with spaces between words in Latin letters.

        >>> WordTokenizer((START, "thank", "you", "。", "苹果", ".")).decode([0, 1, 2, 5, 4, 3])
        'thank you.苹果。'
        """
        text = ""
        for word in (self.word(token) for token in ids if token != self.ids[START]):
            apart = text and text[-1].isascii() and word.isascii() and word not in ".,"
            text += f" {word}" if apart else word
        return text

    def show(self, token: int) -> str:
        """Return a word in quotes, as a reader can tell it from others."""
        return repr(self.word(token))
