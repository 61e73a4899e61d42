"""A tiny file of format E5S1, written number by number, and the weights in it, unpacked by loops."""

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.models.frozen import Array

D, D_FF, N_LAYERS, N_HEADS, N_POSITIONS = 32, 64, 2, 4, 16
PIECES = {  # text and score
    "<s>": 0.0, "<pad>": 0.0, "</s>": 0.0, "<unk>": 0.0, "▁": -3.0, "苹果": -4.0, "苹": -6.0, "果": -6.5, "▁a": -2.0,
    "▁苹果": -8.0, "b": -5.0, "ab": -5.5, "。": -3.5, "abc": -7.0, "<mask>": 0.0,
}  # fmt: skip
N_VOCAB = len(PIECES) + 3  # the word table has more rows than there are pieces, as in the real file
NORMAL_FORMS = {"Ａ": "a", "\u3000": " ", "½": "1/2", "\x01": ""}
VECTORS = ("q.b", "k.b", "v.b", "ao.b", "aln.w", "aln.b", "fi.b", "fo.b", "oln.w", "oln.b")
MATRICES = {"q.w": (D, D), "k.w": (D, D), "v.w": (D, D), "ao.w": (D, D), "fi.w": (D_FF, D), "fo.w": (D, D_FF)}


@dataclass
class TinyFile:
    """What is written, part by part: a test changes a part before it calls `write`."""

    magic: bytes = b"E5S1"
    version: int = 1
    sizes: list[int] = field(default_factory=lambda: [D, N_LAYERS, N_HEADS, D_FF, N_VOCAB, N_POSITIONS, 2])
    eps: float = 1e-12
    block: int = 32
    pieces: dict[str, float] = field(default_factory=PIECES.copy)
    marks: tuple[int, int, int, int] = (0, 2, 1, 3)  # <s>, </s>, <pad>, <unk>
    normal_forms: dict[str, str] = field(default_factory=NORMAL_FORMS.copy)
    tensors: dict[str, tuple[int, int, bytes]] = field(default_factory=lambda: tensors())  # kind, numbers, bytes

    def write(self) -> bytes:
        """Return the bytes of the file."""
        texts = [piece.encode() for piece in self.pieces]
        offsets = np.cumsum([0, *map(len, texts)]).tolist()
        forms = b"".join(
            struct.pack(f"<IB{len(form)}I", ord(character), len(form), *map(ord, form))
            for character, form in self.normal_forms.items()
        )
        head = self.magic + struct.pack("<i7ifi", self.version, *self.sizes, self.eps, self.block)
        head += struct.pack("<5iQ", len(texts), *self.marks, offsets[-1])
        head += struct.pack(f"<{len(offsets)}I{len(texts)}f", *offsets, *self.pieces.values()) + b"".join(texts)
        head += struct.pack("<iI", len(self.normal_forms), len(forms)) + forms
        begin = len(head) + 4 + sum(2 + len(name) + 21 for name in self.tensors)
        directory, data = struct.pack("<i", len(self.tensors)), b""
        for name, (kind, numbers, raw) in self.tensors.items():
            directory += struct.pack("<H", len(name)) + name.encode()
            directory += struct.pack("<BIQQ", kind, numbers, begin + len(data), len(raw))
            data += raw
        return head + directory + data


def tensors() -> dict[str, tuple[int, int, bytes]]:
    """Return every tensor the model needs: kind, how many numbers, bytes; all random, the same each time."""
    rng = np.random.default_rng(0)

    def packed(shape: tuple[int, int]) -> tuple[int, int, bytes]:
        n_blocks = shape[0] * shape[1] // 32
        blocks = [np.float16(rng.uniform(0.01, 0.06)).tobytes() + rng.bytes(16) for _ in range(n_blocks)]
        return 1, shape[0] * shape[1], b"".join(blocks)

    def plain(n: int) -> tuple[int, int, bytes]:
        return 0, n, rng.normal(0, 0.5, n).astype("<f4").tobytes()

    named = {"emb.word": packed((N_VOCAB, D)), "emb.pos": plain(N_POSITIONS * D), "emb.type": plain(2 * D)}
    named |= {"emb.ln.w": plain(D), "emb.ln.b": plain(D)}
    for layer in range(N_LAYERS):
        named |= {f"l{layer}.{name}": packed(shape) for name, shape in MATRICES.items()}
        named |= {f"l{layer}.{name}": plain(D_FF if name == "fi.b" else D) for name in VECTORS}
    return named


def unpacked(raw: bytes) -> list[float]:
    """Return the weights of Q4_0 bytes, one at a time."""
    weights: list[float] = []
    for begin in range(0, len(raw), 18):
        (scale,) = struct.unpack_from("<e", raw, begin)
        halves = raw[begin + 2 : begin + 18]
        weights += [(byte % 16 - 8) * scale for byte in halves] + [(byte // 16 - 8) * scale for byte in halves]
    return weights


BERT_PARTS = {
    "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value", "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm", "fi": "intermediate.dense", "fo": "output.dense", "oln": "output.LayerNorm",
}  # fmt: skip
BERT_TABLES = {"word": "word_embeddings.weight", "pos": "position_embeddings.weight"}
BERT_TABLES |= {"type": "token_type_embeddings.weight", "ln.w": "LayerNorm.weight", "ln.b": "LayerNorm.bias"}


def bert_weights() -> dict[str, Array]:
    """Return the same weights under BERT's names, matrices (d_out, d_in): what a .safetensors file would hold."""
    weights: dict[str, Array] = {}
    for name, (kind, _, raw) in tensors().items():
        numbers: Any = unpacked(raw) if kind == 1 else np.frombuffer(raw, "<f4")
        first, _, rest = name.partition(".")
        if first == "emb":
            shape = (-1, D) if rest in ("word", "pos", "type") else (-1,)
            weights[f"embeddings.{BERT_TABLES[rest]}"] = np.array(numbers, np.float32).reshape(shape)
        else:
            part, _, kind_of = rest.partition(".")
            shape = MATRICES.get(rest, (-1,))
            bert = f"encoder.layer.{first[1:]}.{BERT_PARTS[part]}.{'weight' if kind_of == 'w' else 'bias'}"
            weights[bert] = np.array(numbers, np.float32).reshape(shape)
    return weights


Change = Callable[[TinyFile], None]
