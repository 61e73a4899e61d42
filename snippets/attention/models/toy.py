"""Our toy: 2 layers of 4 heads, trained on sentences from templates. GPT-2's build, causal or looking both ways."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from ..activations import gelu
from ..cache import KVCache
from ..checks import Array
from ..embedding import embed
from ..heads import split_heads
from ..layers import feed_forward, linear
from ..multi_head import split_qkv
from ..normalization import layer_norm
from .common import attend, both, layer_caches, next_tokens, pair
from .files import Progress, check_weights, read_npz
from .gpt2 import gpt2_shapes
from .trace import Trace, begin, note
from .words import MASK, WordTokenizer

TRAINED_ON = 4614  # different sentences, all from templates; snippets/toy makes them
BESIDE = Path(__file__).parent  # toy-causal.npz and toy-masked.npz come with the package


@dataclass(frozen=True)
class Toy:
    """Scores of every word at every place: `logits = model(ids)`.

    The causal variant says at every place which word comes next; the masked one, which word stands there.

    References
    ----------
    Radford et al., "Language Models are Unsupervised Multitask Learners", 2019 (causal); Devlin et al., "BERT", 2019
    (masked). Weights: ours, made by `make toy-model`, stored in float16.
    """

    weights: Mapping[str, Array]
    n_layers: int
    n_heads: int
    tokenizer: WordTokenizer
    causal: bool

    @classmethod
    def load(
        cls, file: str | PathLike[str] | None = None, progress: Progress | None = None, *, masked: bool = False
    ) -> "Toy":
        """Read a .npz file of the toy: the one in this package where left out, causal or masked."""
        path = BESIDE / f"toy-{'masked' if masked else 'causal'}.npz" if file is None else Path(file)
        stored = read_npz(path, progress)
        says = {name: stored.pop(name, np.empty(0)) for name in ("words", "n_heads", "causal")}
        if any(array.size == 0 for array in says.values()):
            raise ValueError(f"{path} does not say words, n_heads and causal: it holds no toy")
        weights = {name: array.astype(np.float32) for name, array in stored.items()}
        n_layers = sum(name.endswith("ln_1.weight") for name in weights)
        check_weights(path, weights, gpt2_shapes(weights, n_layers))
        words = tuple(map(str, says["words"]))
        check_weights(path, weights, {"wte.weight": (len(words), weights["wte.weight"].shape[1])})
        return cls(weights, n_layers, int(says["n_heads"]), WordTokenizer(words), bool(says["causal"]))

    def __call__(
        self,
        ids: ArrayLike,
        *,
        mask: ArrayLike | None = None,
        real: ArrayLike | None = None,
        caches: list[KVCache] | None = None,
        trace: Trace | None = None,
    ) -> Array:
        """Return the logits, [..., n] -> [..., n, n_vocab].

        Parameters
        ----------
        mask
            Boolean, True = may attend, for every layer and head: what the model would say had it not seen a word.
        real
            Boolean [..., n], True = a real token, False = padding, which is hidden and takes no position. With caches
            it covers the tokens cached as well.
        caches
            For the causal variant, one `KVCache` for every layer: then only the new tokens are given.
        trace
            An empty dict. It then holds lists, entry i for layer i: q, k, v, scores, weights, outputs (of every head)
            and hidden (after the layer); embeddings and logits have one entry.

        Raises
        ------
        ValueError
            If the prompt is empty or too long, an id lies outside the vocabulary, or caches are given to a model that
            looks both ways.
        """
        begin(trace)
        if caches is not None and not self.causal:
            raise ValueError("the masked variant looks both ways: every new word changes all others, so no cache helps")
        kept = [] if caches is None else layer_caches(caches, self.n_layers)
        ids, positions, padding = next_tokens(ids, len(self.weights["wpe.weight"]), kept, real)
        mask = both(mask, padding)
        x = embed(ids, self.weights["wte.weight"], self.weights["wpe.weight"], positions)
        note(trace, embeddings=x)
        for layer, cache in enumerate(kept or [None] * self.n_layers):
            x = self.layer(x, f"h.{layer}.", mask, cache, trace)
        logits = self.read_out(x)
        note(trace, logits=logits)
        return logits

    def layer(self, x: Array, at: str, mask: ArrayLike | None, cache: KVCache | None, trace: Trace | None) -> Array:
        """Return what one layer makes of its input: normalise, attend, add; normalise, feed forward, add."""
        w = self.weights
        fused = linear(layer_norm(x, *pair(w, f"{at}ln_1")), *pair(w, f"{at}attn.c_attn"))
        q, k, v = (split_heads(part, self.n_heads) for part in split_qkv(fused, self.n_heads))
        output = attend(q, k, v, cache, trace, mask=mask, causal=self.causal)
        x = x + linear(output, *pair(w, f"{at}attn.c_proj"))
        (w_in, b_in), (w_out, b_out) = pair(w, f"{at}mlp.c_fc"), pair(w, f"{at}mlp.c_proj")
        activation = partial(gelu, approximate="tanh")
        x = x + feed_forward(layer_norm(x, *pair(w, f"{at}ln_2")), w_in, w_out, b_in, b_out, activation=activation)
        note(trace, hidden=x)
        return x

    def read_out(self, hidden: Array) -> Array:
        """Return the logits of a hidden state; of an earlier layer's, what the model would say if it stopped there."""
        return linear(layer_norm(hidden, *pair(self.weights, "ln_f")), self.weights["wte.weight"].T)

    def asked(self, ids: list[int]) -> list[int]:
        """Return the places whose scores answer something: the last one, or for the masked variant every [mask]."""
        if self.causal:
            return [len(ids) - 1]
        return [place for place, token in enumerate(ids) if self.tokenizer.word(token) == MASK]
