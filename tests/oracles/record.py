"""Ask torch, and freeze what it answers: `python -m tests.oracles.record`, in the environment .venv-oracles."""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch.nn.functional import scaled_dot_product_attention

from tests.oracles.draws import draw
from tests.oracles.frozen import UNIT, Array, Case, freeze

torch.set_num_threads(2)


def recorded() -> list[Case]:
    """Return every drawn case with torch's answers."""
    return [replace(case, answers=ASK[case.kind](case)) for case in draw()]


def versions() -> dict[str, str]:
    """Name the torch that answered, without the device it was built for."""
    return {"torch": torch.__version__.split("+")[0]}


def tensor(case: Case, name: str, *, learn: bool = False) -> torch.Tensor:
    """Return what is given, as a tensor of the case's dtype."""
    stored = torch.from_numpy(case.inputs[name])
    if stored.dtype == torch.bool:
        return stored
    dtype: torch.dtype = getattr(torch, case.dtype)
    return (stored.to(dtype) / UNIT).requires_grad_(learn)


def frozen(answer: torch.Tensor | None) -> Array:
    """Return an answer as an array; NumPy's files know no bfloat16, float32 holds it exactly."""
    assert answer is not None
    answer = answer.detach()
    array: Array = (answer.float() if answer.dtype == torch.bfloat16 else answer).numpy()
    return array


def visible(case: Case, n_q: int, n_k: int) -> torch.Tensor | None:
    """Return the mask that says in torch what mask, causal and window say in the case; None where nothing is hidden.

    torch aligns its own causal mask top-left; ours is aligned bottom-right, so it is spelt out.
    """
    allowed = tensor(case, "mask") if "mask" in case.inputs else None
    if case.settings.get("causal"):
        pairs = torch.ones(n_q, n_k, dtype=torch.bool)
        not_ahead = pairs.tril(n_k - n_q)
        if (window := case.settings.get("window")) is not None:
            not_ahead &= ~pairs.tril(n_k - n_q - window)
        allowed = not_ahead if allowed is None else allowed & not_ahead
    return allowed


def ask_attention(case: Case) -> dict[str, Array]:
    """Return output and gradients of scaled_dot_product_attention."""
    q, k, v = (tensor(case, name, learn=True) for name in ("q", "k", "v"))
    allowed = visible(case, q.shape[-2], k.shape[-2])
    if "bias" in case.inputs:
        bias = tensor(case, "bias")
        allowed = bias if allowed is None else bias.masked_fill(~allowed, -torch.inf)
    only_causal = case.settings.get("causal", False) and not {"mask", "bias"} & case.inputs.keys()
    by_flag = only_causal and "window" not in case.settings and q.shape[-2] == k.shape[-2]
    output = scaled_dot_product_attention(
        q,
        k,
        v,
        attn_mask=None if by_flag else allowed,
        is_causal=by_flag,
        scale=case.settings.get("scale"),
        enable_gqa=case.kind == "grouped",
    )
    torch.autograd.backward(output, tensor(case, "gradient"))
    return {"output": frozen(output), "d_q": frozen(q.grad), "d_k": frozen(k.grad), "d_v": frozen(v.grad)}


def ask_multi_head(case: Case) -> dict[str, Array]:
    """Return output and weights, head by head, of MultiheadAttention; its masks are True where nothing may be seen."""
    x = tensor(case, "x")
    context = x if "context" not in case.inputs else tensor(case, "context")
    layer = torch.nn.MultiheadAttention(
        x.shape[-1], case.settings["n_heads"], bias="b_q" in case.inputs, batch_first=True, dtype=x.dtype
    )
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat([tensor(case, name).T for name in ("w_q", "w_k", "w_v")]))
        layer.out_proj.weight.copy_(tensor(case, "w_o").T)
        if "b_q" in case.inputs:
            layer.in_proj_bias.copy_(torch.cat([tensor(case, name) for name in ("b_q", "b_k", "b_v")]))
            layer.out_proj.bias.copy_(tensor(case, "b_o"))
    allowed = visible(case, x.shape[-2], context.shape[-2])
    padding = None
    if "lengths" in case.inputs:
        padding = torch.arange(context.shape[-2]) >= torch.from_numpy(case.inputs["lengths"])[:, None]
    hidden = None if allowed is None else ~allowed
    output, weights = layer(x, context, context, attn_mask=hidden, key_padding_mask=padding, average_attn_weights=False)
    return {"output": frozen(output), "weights": frozen(weights)}


def ask_softmax(case: Case) -> dict[str, Array]:
    """Return weights and gradient of softmax."""
    scores = tensor(case, "scores", learn=True)
    weights = torch.softmax(scores / case.settings["temperature"], dim=case.settings["axis"])
    torch.autograd.backward(weights, tensor(case, "gradient"))
    return {"weights": frozen(weights), "d_scores": frozen(scores.grad)}


ASK: dict[str, Callable[[Case], dict[str, Array]]] = {
    "attention": ask_attention,
    "grouped": ask_attention,
    "multi_head": ask_multi_head,
    "softmax": ask_softmax,
}


if __name__ == "__main__":
    freeze(recorded(), versions())
