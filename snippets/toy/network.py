"""The whole toy backwards: its own forward pass leaves a trace, and the gradients are read off it from the end."""

from typing import NamedTuple

import numpy as np

from attention import attention_backward, gelu, layer_norm, linear, merge_heads, padding_mask, split_heads
from attention.checks import Array
from attention.models.common import pair
from attention.models.toy import Toy
from attention.models.trace import Trace

from .backward import cross_entropy, embed_backward, gelu_backward, layer_norm_backward, linear_backward

Weights = dict[str, Array]


class Batch(NamedTuple):
    """What goes in, what should come out, and where that counts; sentences are filled up to one length.

    All are (batch, n); `lengths` is (batch,).
    """

    ids: Array
    targets: Array
    counted: Array
    lengths: Array


def loss_of(model: Toy, batch: Batch) -> float:
    """Return the mean of -log p(right word) over all places that count, in nats."""
    return cross_entropy(model(batch.ids, mask=visible(batch)), batch.targets, batch.counted)[0]


def loss_and_gradients(model: Toy, batch: Batch) -> tuple[float, Weights]:
    """Return the loss, and its gradient with respect to every weight, by the weights' names.

    What a step needs is taken from the trace, or computed again: that costs time, and saves keeping everything.
    """
    trace: Trace = {}
    loss, dlogits = cross_entropy(model(batch.ids, mask=visible(batch), trace=trace), batch.targets, batch.counted)
    table, last = model.weights["wte.weight"], trace["hidden"][-1]
    dlast, read_out, _ = linear_backward(layer_norm(last, *pair(model.weights, "ln_f")), table.T, dlogits)
    grads: Weights = {}
    dx = normed(model, grads, "ln_f", last, dlast)
    for layer in reversed(range(model.n_layers)):
        dx = layer_backward(model, grads, trace, layer, visible(batch), dx)
    looked_up, grads["wpe.weight"] = embed_backward(batch.ids, dx, len(table), len(model.weights["wpe.weight"]))
    grads["wte.weight"] = looked_up + read_out.T  # one table for both ends
    return loss, grads


def visible(batch: Batch) -> Array:
    """Return the mask that hides what only fills sentences up, (batch, 1, 1, n)."""
    return padding_mask(batch.lengths, batch.ids.shape[1])[:, None]


def layer_backward(model: Toy, grads: Weights, trace: Trace, layer: int, mask: Array, dx: Array) -> Array:
    """Add the gradients of one layer's weights, and return that of its input; `dx` is that of its output."""
    w, at = model.weights, f"h.{layer}."
    x = trace["hidden"][layer - 1] if layer else trace["embeddings"][0]
    said = merge_heads(trace["outputs"][layer])
    middle = x + linear(said, *pair(w, f"{at}attn.c_proj"))
    inner = layer_norm(middle, *pair(w, f"{at}ln_2"))
    widened = linear(inner, *pair(w, f"{at}mlp.c_fc"))
    dbent = mapped(model, grads, f"{at}mlp.c_proj", gelu(widened, approximate="tanh"), dx)
    dinner = mapped(model, grads, f"{at}mlp.c_fc", inner, gelu_backward(widened, dbent))
    dx = dx + normed(model, grads, f"{at}ln_2", middle, dinner)
    dsaid = split_heads(mapped(model, grads, f"{at}attn.c_proj", said, dx), model.n_heads)
    q, k, v = (trace[name][layer] for name in "qkv")
    dqkv = attention_backward(q, k, v, dsaid, mask=mask, causal=model.causal)
    fused = np.concatenate([merge_heads(part) for part in dqkv], axis=-1)
    dinner = mapped(model, grads, f"{at}attn.c_attn", layer_norm(x, *pair(w, f"{at}ln_1")), fused)
    return dx + normed(model, grads, f"{at}ln_1", x, dinner)


def mapped(model: Toy, grads: Weights, name: str, x: Array, dy: Array) -> Array:
    """Store the gradients of a linear map's weight and bias under its name, and return that of its input."""
    dx, grads[f"{name}.weight"], grads[f"{name}.bias"] = linear_backward(x, model.weights[f"{name}.weight"], dy)
    return dx


def normed(model: Toy, grads: Weights, name: str, x: Array, dy: Array) -> Array:
    """Store the gradients of a layer norm's weight and bias under its name, and return that of its input."""
    dx, grads[f"{name}.weight"], grads[f"{name}.bias"] = layer_norm_backward(x, model.weights[f"{name}.weight"], dy)
    return dx
