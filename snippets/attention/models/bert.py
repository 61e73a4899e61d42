"""BERT: layers of attention and feed-forward in which every token sees the whole sentence, both directions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from ..checks import Array
from ..embedding import embed
from ..heads import split_heads
from ..layers import feed_forward, linear
from ..multi_head import project_qkv
from ..normalization import layer_norm
from .common import attend, both, next_tokens, pair
from .erf import erf_gelu
from .trace import Trace, begin, note

EPS = 1e-12
TABLES = ("word", "position", "token_type")


@dataclass(frozen=True)
class Bert:
    """One vector for every token, coloured by its sentence: `hidden = model(ids)`.

    `weights` has the names of a BERT checkpoint; matrices stand (d_in, d_out).

    References
    ----------
    Devlin et al., "BERT", 2019.
    """

    weights: Mapping[str, Array]
    n_layers: int
    n_heads: int
    tokenizer: Any = None

    def __call__(
        self,
        ids: ArrayLike,
        *,
        mask: ArrayLike | None = None,
        real: ArrayLike | None = None,
        trace: Trace | None = None,
    ) -> Array:
        """Return the vector of every token after the last layer, [..., n] -> [..., n, d_model].

        Parameters
        ----------
        mask
            Boolean, True = may attend, for every layer and head: what the model makes of a sentence with a word hidden.
        real
            Boolean [..., n], True = a real token, False = padding, which is hidden and takes no position.
        trace
            An empty dict. It then holds lists, entry i for layer i: q, k, v, scores, weights, outputs (of every head)
            and hidden (after the layer); embeddings has one entry.

        Raises
        ------
        ValueError
            If the prompt is empty or too long, or an id lies outside the vocabulary.
        """
        begin(trace)
        positions, token_types = (self.weights[f"embeddings.{name}_embeddings.weight"] for name in TABLES[1:])
        prompt, at, padding = next_tokens(ids, len(positions), [], real)
        x = self.embed_tokens(prompt) + positions[at] + token_types[0]
        mask = both(mask, padding)
        x = layer_norm(x, *pair(self.weights, "embeddings.LayerNorm"), eps=EPS)
        note(trace, embeddings=x)
        for layer in range(self.n_layers):
            x = self.layer(x, f"encoder.layer.{layer}.", mask, trace)
        return x

    def embed_tokens(self, ids: Array) -> Array:
        """Return the row of every token in the word table, [..., n] -> [..., n, d_model]."""
        return embed(ids, self.weights["embeddings.word_embeddings.weight"])

    def layer(self, x: Array, at: str, mask: ArrayLike | None, trace: Trace | None) -> Array:
        """Return what one layer makes of its input: attend, add, normalise; feed forward, add, normalise."""
        w = self.weights
        (w_q, b_q), (w_k, b_k), (w_v, b_v) = (pair(w, f"{at}attention.self.{s}") for s in ("query", "key", "value"))
        qkv = project_qkv(x, w_q, w_k, w_v, b_q=b_q, b_k=b_k, b_v=b_v)
        q, k, v = (split_heads(part, self.n_heads) for part in qkv)
        attended = linear(attend(q, k, v, None, trace, mask=mask), *pair(w, f"{at}attention.output.dense"))
        x = layer_norm(x + attended, *pair(w, f"{at}attention.output.LayerNorm"), eps=EPS)
        (w_in, b_in), (w_out, b_out) = pair(w, f"{at}intermediate.dense"), pair(w, f"{at}output.dense")
        x = layer_norm(
            x + feed_forward(x, w_in, w_out, b_in, b_out, activation=erf_gelu),
            *pair(w, f"{at}output.LayerNorm"),
            eps=EPS,
        )
        note(trace, hidden=x)
        return x


def bert_shapes(n_layers: int, d: int, d_ff: int, rows: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    """Return the shape of every tensor BERT needs, matrices as torch stores them: (d_out, d_in).

    `rows` says how many rows each table has: "word", "position", "token_type".
    """
    shapes: dict[str, tuple[int, ...]] = {f"embeddings.{name}_embeddings.weight": (n, d) for name, n in rows.items()}
    maps = {f"attention.self.{name}": (d, d) for name in ("query", "key", "value")}
    maps |= {"attention.output.dense": (d, d), "intermediate.dense": (d_ff, d), "output.dense": (d, d_ff)}
    norms = ["embeddings.LayerNorm"]
    for layer in range(n_layers):
        at = f"encoder.layer.{layer}."
        norms += [f"{at}attention.output.LayerNorm", f"{at}output.LayerNorm"]
        for name, shape in maps.items():
            shapes |= {f"{at}{name}.weight": shape, f"{at}{name}.bias": shape[:1]}
    return shapes | {f"{name}.{part}": (d,) for name in norms for part in ("weight", "bias")}
