"""Run a call to another library on arrays laid out as ours: turn them into what it wants, and its output back."""

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

os.environ["KERAS_BACKEND"] = "jax"
os.environ["KERAS_HOME"] = tempfile.mkdtemp()  # else it leaves its settings in the reader's home

import jax
import keras  # type: ignore[import-untyped]
import numpy as np
import onnx
import onnx.reference
import onnxruntime  # type: ignore[import-untyped]
import torch

import attention as ours
from tests.oracles.frozen import Array

torch.set_num_threads(2)


def heads_last(x: Array) -> Array:
    """(batch, heads, tokens, width) to (batch, tokens, heads, width), and back."""
    return x.swapaxes(1, 2)


def merged(x: Array) -> Array:
    """(batch, heads, tokens, width) to (batch, tokens, heads · width)."""
    return heads_last(x).reshape(x.shape[0], x.shape[2], -1)


def unmerged(x: Array, n_heads: int) -> Array:
    """Undo `merged`."""
    return heads_last(x.reshape(*x.shape[:2], n_heads, -1))


# the axes of q, k and v: how ours become theirs, and how their output becomes ours again
LAYOUTS: dict[str, tuple[Callable[[Array], Array], Callable[[Array, int], Array]]] = {
    "batch, heads, tokens, width": (lambda x: x, lambda y, _: y),
    "batch, tokens, heads, width": (heads_last, lambda y, _: heads_last(y)),
    "batch, tokens, heads · width": (merged, unmerged),
    "batch, tokens, width": (merged, unmerged),
}
# the axes of the mask: which of ours, (batch, heads, n_q, n_k), it has, and how ours becomes theirs
MASK_LAYOUTS: dict[str, tuple[tuple[bool, ...], Callable[[Array], Array]]] = {
    "batch, heads, n_q, n_k": ((True, True, True, True), lambda mask: mask),
    "batch · heads, n_q, n_k": ((True, True, True, True), lambda mask: mask.reshape(-1, *mask.shape[2:])),
    "batch, n_q, n_k": ((True, False, True, True), lambda mask: mask[:, 0]),
    "batch, n_k": ((True, False, False, True), lambda mask: mask[:, 0, 0]),
}


def run_python(code: str, names: dict[str, Any]) -> Any:
    """Evaluate a call."""
    return eval(code, {"attention": ours.attention, "jax": jax, "keras": keras, "torch": torch} | names)


def onnx_model(node: str, names: dict[str, Any]) -> onnx.ModelProto:
    """Wrap a node, in ONNX's own notation, into a model."""
    shapes = {"q": "b, h, n, d", "k": "b, h, m, d", "v": "b, h, m, e", "mask": "b, h, n, m"}
    inputs = ", ".join(f"{'bool' if name == 'mask' else 'float'}[{shapes[name]}] {name}" for name in names)
    head = '<ir_version: 11, opset_import: ["": 24]>'
    model: onnx.ModelProto = onnx.parser.parse_model(f"{head} attend ({inputs}) => (float[b, h, n, e] y) {{ {node} }}")
    return model


def run_onnxruntime(node: str, names: dict[str, Any]) -> Any:
    """Compile the node and run it."""
    (output,) = onnxruntime.InferenceSession(onnx_model(node, names).SerializeToString()).run(None, names)
    return output


def run_onnx_reference(node: str, names: dict[str, Any]) -> Any:
    """Run the node by the specification's own evaluator."""
    (output,) = onnx.reference.ReferenceEvaluator(onnx_model(node, names)).run(None, names)
    return output


def torch_layer(n_heads: int, width: int) -> torch.nn.MultiheadAttention:
    """Make a layer whose projections change nothing: what is left is the attention itself."""
    layer = torch.nn.MultiheadAttention(n_heads * width, n_heads, bias=False, batch_first=True).requires_grad_(False)
    layer.in_proj_weight.copy_(torch.eye(n_heads * width).repeat(3, 1))
    layer.out_proj.weight.copy_(torch.eye(n_heads * width))
    return layer


def keras_layer(n_heads: int, width: int) -> Any:
    """Do the same in Keras."""
    layer = keras.layers.MultiHeadAttention(n_heads, key_dim=width, use_bias=False)
    d_model = n_heads * width
    layer.build((None, None, d_model), (None, None, d_model))
    project = np.eye(d_model).reshape(d_model, n_heads, width)
    layer.set_weights([project, project, project, np.eye(d_model).reshape(n_heads, width, d_model)])
    return layer


@dataclass(frozen=True)
class Row:
    """One library: the call with a mask, the call with its own causal switch, and how it wants its arguments."""

    name: str
    package: str | None
    call: str
    causal_call: str | None  # None: it has no causal switch of its own, only masks
    layout: str
    mask_layout: str
    docs: str | None
    ours: str = "attention(q, k, v, mask=mask).output"
    n_heads: int = 3
    tensor: Callable[[Array], Any] = np.asarray
    layer: Callable[[int, int], Any] | None = None
    run: Callable[[str, dict[str, Any]], Any] = run_python

    def output(self, q: Array, k: Array, v: Array, mask: Array | None = None, *, raw: bool = False) -> Array:
        """Run the call on arrays in our layout, without a mask the one with the causal switch.

        `raw` hands the mask over as it is where the call would turn it round.
        """
        code = self.causal_call if mask is None else self.call
        assert code is not None, f"{self.name} has no causal switch"
        there, back = LAYOUTS[self.layout]
        names = {name: self.tensor(there(array)) for name, array in (("q", q), ("k", k), ("v", v))}
        if mask is not None:
            names["mask"] = self.tensor(MASK_LAYOUTS[self.mask_layout][1](mask))
        if self.layer is not None:
            names["layer"] = self.layer(q.shape[1], q.shape[3])
        output = self.run(code.replace("~mask", "mask") if raw else code, names)
        return back(np.asarray(output), q.shape[1])
