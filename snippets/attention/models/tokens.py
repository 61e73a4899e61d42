"""Text to token ids and back, by the `tokenizers` library; every token can be shown, half a character included."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..checks import as_integers
from .files import need


def check_text(text: str) -> str:
    """Return the text, or refuse what is none."""
    if not isinstance(text, str):
        raise TypeError(f"text is {text!r}; it must be a str")
    if broken := [letter for letter in text if "\ud800" <= letter <= "\udfff"]:
        raise ValueError(f"text holds {broken[0]!r}, half of a pair that stands for one character: it is no text")
    return text


def byte_letters() -> dict[str, int]:
    """Return the letter that stands for each byte in a byte-level vocabulary: printable ones for themselves.

    >>> letters = byte_letters()
    >>> letters["A"] == ord("A"), letters["Ġ"] == ord(" ")
    (True, True)
    """
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + i): byte for i, byte in enumerate(others)}


LETTERS = byte_letters()


@dataclass(frozen=True)
class Tokenizer:
    """A vocabulary and how to cut text by it. Text is text: "<|endoftext|>" in it is no special token."""

    inner: Any
    byte_level: bool = True

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text; an encoder's [CLS] and [SEP] are among them."""
        return list(self.inner.encode(check_text(text)).ids)

    def decode(self, ids: list[int]) -> str:
        """Return the text of these ids; what is no whole character shows as U+FFFD."""
        tokens = as_integers("ids", ids)
        if tokens.ndim != 1:
            raise ValueError(f"ids has shape {tokens.shape}; it must be (n,)")
        pieces = [self.bytes_of(int(token)) for token in tokens]  # refuses what is in no vocabulary
        if not self.byte_level:
            return str(self.inner.decode(tokens.tolist(), skip_special_tokens=False))
        return b"".join(pieces).decode("utf-8", "replace")

    def bytes_of(self, token: int) -> bytes:
        """Return the bytes one token stands for."""
        entry = self.inner.id_to_token(token) if 0 <= token < 2**32 else None
        if entry is None:
            raise ValueError(f"id {token} is not in the vocabulary of {self.inner.get_vocab_size()} tokens")
        if self.byte_level and all(letter in LETTERS for letter in entry):
            return bytes(LETTERS[letter] for letter in entry)
        return str(entry).encode()

    def show(self, token: int) -> str:
        r"""Return a token as a reader can tell it from others: in quotes, pieces of characters as \x bytes."""
        raw = self.bytes_of(token)
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            return repr(raw)[1:]
        escaped = repr(text)
        for letter in text:
            if "\x80" <= letter <= "\xff" and not letter.isprintable():  # Python writes it as if it were a byte
                escaped = escaped.replace(repr(letter)[1:-1], f"\\u{ord(letter):04x}")
        return escaped


def byte_level_bpe(
    vocabulary: dict[str, int], merges: list[tuple[str, str]], *, single_digits: bool = False
) -> Tokenizer:
    """Return GPT-2's kind of tokenizer; SmolLM2 also cuts numbers into digits."""
    library = need("tokenizers")
    try:
        inner = library.Tokenizer(library.models.BPE(vocabulary, merges))
    except Exception as error:  # the library raises nothing more exact
        raise ValueError(f"the vocabulary and its merges do not fit together: {error}") from None
    by_bytes = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
    digits = library.pre_tokenizers.Digits(individual_digits=True)
    inner.pre_tokenizer = library.pre_tokenizers.Sequence([digits, by_bytes]) if single_digits else by_bytes
    return Tokenizer(inner)


def read_vocabulary(entries: Path, merges: Path) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Read a vocabulary as GPT-2 stores it: encoder.json and vocab.bpe, elsewhere named vocab.json and merges.txt."""
    lines = merges.read_text("utf-8").split("\n")
    pairs = [tuple(line.split(" ")) for line in lines if line and not line.startswith("#version")]
    return json.loads(entries.read_text("utf-8")), [(left, right) for left, right in pairs]


def wordpiece(file: Path) -> Tokenizer:
    """Return the tokenizer that a tokenizer.json describes, without its padding and without cutting long texts off."""
    inner = need("tokenizers").Tokenizer.from_file(str(file))
    inner.no_padding()
    inner.no_truncation()
    return Tokenizer(inner, byte_level=False)
