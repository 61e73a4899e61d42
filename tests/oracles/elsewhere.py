"""The same call elsewhere: how `attention(q, k, v, mask=mask)` is written in other libraries.

The code in a row is what a reader would write, and what is run: q, k, v and mask stand for our arrays, laid out as the
library wants them. `layer` is one whose projections change nothing, so that what is left is the attention itself.
"""

import jax
import torch

from tests.oracles.callers import Row, keras_layer, run_onnx_reference, run_onnxruntime, torch_layer

TORCH_DOCS = "https://docs.pytorch.org/docs/stable/generated/"

ROWS = [
    Row(
        name="attention (this package)",
        package=None,
        call="attention(q, k, v, mask=mask).output",
        causal_call="attention(q, k, v, causal=True).output",
        layout="batch, heads, tokens, width",
        mask_layout="batch, heads, n_q, n_k",
        docs=None,
    ),
    Row(
        name="torch.nn.functional.scaled_dot_product_attention",
        package="torch",
        call="torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)",
        causal_call="torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)",
        layout="batch, heads, tokens, width",
        mask_layout="batch, heads, n_q, n_k",
        docs=f"{TORCH_DOCS}torch.nn.functional.scaled_dot_product_attention.html",
        tensor=torch.tensor,
    ),
    *(
        Row(
            name=f"torch.nn.MultiheadAttention{note}",
            package="torch",
            call=call,
            causal_call=None,  # its is_causal is only a hint about the mask that must come with it
            layout="batch, tokens, heads · width",
            mask_layout="batch · heads, n_q, n_k",
            docs=f"{TORCH_DOCS}torch.nn.MultiheadAttention.html",
            tensor=torch.tensor,
            layer=torch_layer,
        )
        for note, call in (
            ("", "layer(q, k, v, attn_mask=~mask)[0]"),
            (" (need_weights=False)", "layer(q, k, v, attn_mask=~mask, need_weights=False)[0]"),
        )
    ),
    Row(
        name="jax.nn.dot_product_attention",
        package="jax",
        call="jax.nn.dot_product_attention(q, k, v, mask=mask)",
        causal_call="jax.nn.dot_product_attention(q, k, v, is_causal=True)",
        layout="batch, tokens, heads, width",
        mask_layout="batch, heads, n_q, n_k",
        docs="https://docs.jax.dev/en/latest/_autosummary/jax.nn.dot_product_attention.html",
        tensor=jax.numpy.asarray,
    ),
    Row(
        name="keras.ops.dot_product_attention",
        package="keras",
        call="keras.ops.dot_product_attention(q, k, v, mask=mask)",
        causal_call="keras.ops.dot_product_attention(q, k, v, is_causal=True)",
        layout="batch, tokens, heads, width",
        mask_layout="batch, heads, n_q, n_k",
        docs="https://keras.io/api/ops/nn/",
    ),
    Row(
        name="keras.layers.MultiHeadAttention",
        package="keras",
        call="layer(query=q, value=v, key=k, attention_mask=mask)",
        causal_call="layer(query=q, value=v, key=k, use_causal_mask=True)",
        layout="batch, tokens, heads · width",
        mask_layout="batch, n_q, n_k",
        docs="https://keras.io/api/layers/attention_layers/multi_head_attention/",
        layer=keras_layer,
    ),
    Row(
        name="keras.layers.Attention",
        package="keras",
        call="keras.layers.Attention()([q, v, k], mask=[None, mask])",
        causal_call="keras.layers.Attention()([q, v, k], use_causal_mask=True)",
        layout="batch, tokens, width",
        mask_layout="batch, n_k",
        docs="https://keras.io/api/layers/attention_layers/attention/",
        ours="attention(q, k, v, mask=mask, scale=1).output",
        n_heads=1,
    ),
    *(
        Row(
            name=f"ONNX Attention ({package})",
            package=package,
            call="y = Attention (q, k, v, mask)",
            causal_call="y = Attention <is_causal = 1> (q, k, v)",
            layout="batch, heads, tokens, width",
            mask_layout="batch, heads, n_q, n_k",
            docs="https://onnx.ai/onnx/operators/onnx__Attention.html",
            run=run,
        )
        for package, run in (("onnxruntime", run_onnxruntime), ("onnx", run_onnx_reference))
    ),
]

# It needs a GPU, so nothing here was run: this is what its documentation says. A row that ran has `equal_within`.
NOT_RUN = {
    "name": "flash_attn.flash_attn_func",
    "call": None,  # it takes no mask; sequences of unequal length go through flash_attn_varlen_func
    "ours": "attention(q, k, v, causal=True).output",
    "causal_call": "flash_attn.flash_attn_func(q, k, v, causal=True)",
    "layout": "batch, tokens, heads, width",
    "mask_layout": None,
    "docs": "https://github.com/Dao-AILab/flash-attention#21-change-behavior-of-causal-flag",
    "version": None,
    "equal_within": None,
    "mask_true_means": None,
    "causal_alignment": "bottom-right",  # since its version 2.1; top-left before
    "default_scale": "1/√d_k",
    "empty_row": "zeros",
    "hidden_nan": None,
}
