"""SentencePiece's unigram tokenizer: of all ways to cut a text, the likeliest. Python alone, no library."""

from dataclasses import dataclass
from functools import cached_property

from ..checks import as_integers
from .tokens import check_text

SPACE = "▁"  # U+2581, how pieces write a space
PENALTY = 10.0  # an unknown character scores this much less than the worst piece


@dataclass(frozen=True)
class Unigram:
    """A vocabulary of pieces with scores, and a map that brings characters to one form.

    Text is text: "<s>" in it is no mark. The map takes characters one by one, so é must be one character, not e and an
    accent (NFC); the `tokenizers` library looks at some pairs as well, and there its answer differs.

    Attributes
    ----------
    pieces
        The text of every piece; its place is its id. ▁ stands for a space.
    scores
        Log probabilities, below 0. A piece with score 0 is a mark, such as <s>: no text is cut into it.
    normal_forms
        What a character is replaced by before anything is cut: full-width letters by plain ones, control characters by
        nothing.
    start, end, unknown
        The ids of <s> and </s>, which stand at both ends, and of what no piece matches.

    References
    ----------
    Kudo, "Subword Regularization", 2018; Kudo and Richardson, "SentencePiece", 2018.

    Examples
    --------
    >>> pieces = ("<s>", "</s>", "<unk>", "▁", "苹", "果", "苹果", "▁a", "b")
    >>> tokenizer = Unigram(pieces, (0, 0, 0, -1, -5, -5, -4, -3, -6), {ord("Ａ"): "a"}, start=0, end=1, unknown=2)
    >>> tokenizer.encode("苹果 Ａb")
    [0, 3, 6, 7, 8, 1]
    >>> tokenizer.decode([0, 3, 6, 7, 8, 1])
    '苹果 ab'
    """

    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    normal_forms: dict[int, str]
    start: int
    end: int
    unknown: int

    @cached_property
    def ids(self) -> dict[str, int]:
        """The id of every piece that text can be cut into."""
        return {piece: i for i, (piece, score) in enumerate(zip(self.pieces, self.scores, strict=True)) if score < 0}

    @cached_property
    def longest(self) -> int:
        """The number of characters of the longest piece."""
        return max(map(len, self.ids), default=0)

    @cached_property
    def unknown_score(self) -> float:
        """The score of a character that no piece matches."""
        return min(self.scores) - PENALTY

    def normalise(self, text: str) -> str:
        """Return the text that is cut: characters in one form, one ▁ for every run of spaces, and one in front."""
        plain = text.translate(self.normal_forms)
        while "  " in plain:
            plain = plain.replace("  ", " ")
        if not plain:
            return ""
        return (plain if plain.startswith(" ") else f" {plain}").replace(" ", SPACE)

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, <s> and </s> at its ends; unknown characters in a row are one token."""
        ids: list[int] = []
        for token in self.likeliest(self.normalise(check_text(text))):
            if not token == self.unknown == (ids[-1] if ids else None):
                ids.append(token)
        return [self.start, *ids, self.end]

    def likeliest(self, text: str) -> list[int]:
        """Return the ids whose scores have the highest sum, by Viterbi's algorithm.

        `best[i]` is the highest sum for the first i characters, and `last[i]` the piece it ends with and where that
        piece begins.
        """
        n = len(text)
        best, last = [0.0] + [-float("inf")] * n, [(self.unknown, 0)] * (n + 1)
        for begin in range(n):
            candidates = [(begin + 1, self.unknown, self.unknown_score)]
            for end in range(begin + 1, min(n, begin + self.longest) + 1):
                if (token := self.ids.get(text[begin:end])) is not None:
                    candidates.append((end, token, self.scores[token]))
            for end, token, score in candidates:
                if best[begin] + score > best[end]:
                    best[end], last[end] = best[begin] + score, (token, begin)
        ids = []
        while n:
            token, n = last[n]
            ids.append(token)
        return ids[::-1]

    def piece(self, token: int) -> str:
        """Return the piece of an id, as the vocabulary writes it."""
        if not 0 <= token < len(self.pieces):
            raise ValueError(f"id {token} is not in the vocabulary of {len(self.pieces)} pieces")
        return self.pieces[token]

    def decode(self, ids: list[int]) -> str:
        """Return the text of these ids, without <s>, </s> and the space in front."""
        tokens = as_integers("ids", ids)
        if tokens.ndim != 1:
            raise ValueError(f"ids has shape {tokens.shape}; it must be (n,)")
        pieces = [self.piece(token) for token in tokens.tolist() if token not in (self.start, self.end)]
        return "".join(pieces).replace(SPACE, " ").removeprefix(" ")

    def show(self, token: int) -> str:
        """Return a piece in quotes, with a space for ▁, as a reader can tell it from others."""
        return repr(self.piece(token).replace(SPACE, " "))
