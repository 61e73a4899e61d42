"""GPT-2's kind of tokenizer, byte-level byte-pair encoding, in Python alone: where `tokenizers` cannot be installed."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from ..checks import as_integers
from .tokens import LETTERS, check_text

CONTRACTION = re.compile("'(?:s|t|re|ve|m|ll|d)")
RUNS = re.compile("[ ]?L+|[ ]?N+|[ ]?O+|[ S]+(?![^ S])|[ S]+")  # of kinds of characters, see `kinds_of`


@dataclass(frozen=True)
class BytePairs:
    """A vocabulary of letters that stand for bytes, and the pairs that are merged, each with its rank.

    Digits stand alone, as SmolLM2 wants them.

    References
    ----------
    Sennrich et al., "Neural Machine Translation of Rare Words with Subword Units", 2016; Radford et al., 2019, for
    bytes as its alphabet.

    Examples
    --------
    >>> tokenizer = BytePairs(("a", "b", "Ġ", "ab", "Ġab"), {("a", "b"): 0, ("Ġ", "ab"): 1})
    >>> tokenizer.encode("ab ab a")
    [3, 4, 2, 0]
    >>> tokenizer.decode([3, 4, 2, 0])
    'ab ab a'
    """

    entries: tuple[str, ...]
    ranks: Mapping[tuple[str, str], int]

    @cached_property
    def ids(self) -> dict[str, int]:
        """The id of every entry."""
        return {entry: i for i, entry in enumerate(self.entries)}

    @cached_property
    def letters(self) -> dict[int, str]:
        """The letter that stands for each byte."""
        return {byte: letter for letter, byte in LETTERS.items()}

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text; a byte that no entry stands for is left out, as the `tokenizers` library does."""
        merged = (self.merge([self.letters[byte] for byte in run.encode()]) for run in runs(check_text(text)))
        return [self.ids[entry] for entries in merged for entry in entries if entry in self.ids]

    def merge(self, parts: list[str]) -> list[str]:
        """Merge the pair of the lowest rank, wherever it stands, until no pair has a rank."""
        while len(parts) > 1:
            pairs = list(pairwise(parts))
            first = min(pairs, key=lambda pair: self.ranks.get(pair, len(self.ranks)))
            if first not in self.ranks:
                break
            merged, i = [], 0
            while i < len(parts):
                found = i < len(pairs) and pairs[i] == first
                merged.append("".join(first) if found else parts[i])
                i += 2 if found else 1
            parts = merged
        return parts

    def bytes_of(self, token: int) -> bytes:
        """Return the bytes one token stands for."""
        if not 0 <= token < len(self.entries):
            raise ValueError(f"id {token} is not in the vocabulary of {len(self.entries)} tokens")
        entry = self.entries[token]
        return bytes(LETTERS[letter] for letter in entry) if all(c in LETTERS for c in entry) else entry.encode()

    def decode(self, ids: list[int]) -> str:
        """Return the text of these ids; what is no whole character shows as U+FFFD."""
        return b"".join(self.bytes_of(int(i)) for i in as_integers("ids", ids)).decode("utf-8", "replace")


def runs(text: str) -> Iterator[str]:
    """Yield the runs of a text that are cut apart from each other: words with the space before, digits, signs, spaces.

    >>> list(runs("I can't, 42!"))
    ['I', ' can', "'t", ',', ' ', '4', '2', '!']
    """
    kinds, at = kinds_of(text), 0
    for part in re.split("(N)", kinds):  # a digit stands alone, and ends what stands before it
        end = at + len(part)
        while at < end:
            found = CONTRACTION.match(text, at, end) or RUNS.match(kinds, at, end)
            assert found, "every kind of character begins a run"
            yield text[at : found.end()]
            at = found.end()


def kinds_of(text: str) -> str:
    r"""Return a letter for each character: L letter, N number, a space for itself, S other white space, O all others.

    >>> kinds_of("é2 \n!")
    'LN SO'
    """
    return "".join(map(kind_of, text))


def kind_of(character: str) -> str:
    """Return the kind of one character."""
    if character == " ":
        return character
    if character.isspace() and not "\x1c" <= character <= "\x1f":
        return "S"
    kind = unicodedata.category(character)[0]
    return kind if kind in "LN" else "O"
