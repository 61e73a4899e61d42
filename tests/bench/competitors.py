"""The competitors in the benchmark: each as a call on the same arrays, on the same cores."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from attention import tiled_attention
from attention.masks import visible_pairs

Call = Callable[[], Any]
HEADS, WIDTH = 12, 64
MODES: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"causal": True},
    "window 256": {"causal": True, "window": 256},
}
NEEDS = {"tiled_attention": "numpy", "textbook NumPy": "numpy", "torch SDPA": "torch", "onnxruntime": "onnxruntime"}
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def inputs(n: int) -> list[Any]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal((1, HEADS, n, WIDTH), dtype=np.float32) for _ in "qkv"]


def textbook(q: Any, k: Any, v: Any, visible: Any) -> Any:
    scores = q @ k.swapaxes(-1, -2) / np.float32(WIDTH**0.5)
    if visible is not None:
        scores = np.where(visible, scores, np.float32(-np.inf))
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (weights / weights.sum(axis=-1, keepdims=True)) @ v


def torch_call(q: Any, k: Any, v: Any, mode: str) -> Call:
    import torch

    torch.set_num_threads(CORES)
    tensors = [torch.from_numpy(x) for x in (q, k, v)]
    options: dict[str, Any] = {"is_causal": mode == "causal"}
    if "window" in MODES[mode]:
        options["attn_mask"] = torch.from_numpy(visible_pairs((q.shape[-2],) * 2, **MODES[mode]))
    return lambda: torch.nn.functional.scaled_dot_product_attention(*tensors, **options).numpy()


def onnx_call(q: Any, k: Any, v: Any, mode: str) -> Call:
    import onnxruntime
    from onnx import TensorProto, helper

    feeds = {"q": q, "k": k, "v": v}
    if "window" in MODES[mode]:
        feeds["mask"] = visible_pairs((q.shape[-2],) * 2, **MODES[mode])
    kinds = {name: TensorProto.BOOL if name == "mask" else TensorProto.FLOAT for name in feeds}
    node = helper.make_node("Attention", list(feeds), ["y"], is_causal=int(mode == "causal"))
    tensors = [helper.make_tensor_value_info(name, kinds[name], x.shape) for name, x in feeds.items()]
    graph = helper.make_graph(
        [node], "bench", tensors, [helper.make_tensor_value_info("y", TensorProto.FLOAT, q.shape)]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = CORES
    options.add_session_config_entry(
        "session.intra_op.allow_spinning", "0"
    )  # it would take time from the next competitor
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, feeds)[0]


def prepare(name: str, mode: str, n: int) -> Call:
    q, k, v = inputs(n)
    if name == "tiled_attention":
        return lambda: tiled_attention(q, k, v, **MODES[mode])
    if name == "textbook NumPy":
        visible = visible_pairs((n, n), **MODES[mode]) if MODES[mode] else None
        return lambda: textbook(q, k, v, visible)
    return (torch_call if name == "torch SDPA" else onnx_call)(q, k, v, mode)
