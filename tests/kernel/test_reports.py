"""What others got wrong: every reported case has the right value here, and not the wrong one it is known by."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attention import (
    Config,
    KVCache,
    attention,
    attention_backward,
    cache_bytes,
    embed,
    gelu,
    layer_cache_bytes,
    layer_norm,
    matmul_flops,
    multi_head_attention,
    softmax,
    split_heads,
    training_flops_per_token,
)
from tests.kernel.reports import REPORTS, Array, close, inputs, numbers

AREAS = ("kernel", "mask", "mha", "cache", "gqa", "grad", "cost")
NAMES = [name for name, report in REPORTS.items() if report["area"] in AREAS] + ["P03", "P05", "P11"]
CASES = [(name, which) for name in NAMES for which in range(len(REPORTS[name]["right"].get("values", [])))]


def answer_softmax(name: str, rows: list[int] | None = None) -> Array:
    arguments = inputs(name)
    result = softmax(arguments.pop("x"), **arguments)
    return result if rows is None else result[rows]


def answer_attention(name: str, what: str = "output", bias: list[list[float]] | None = None) -> Array:
    arguments = inputs(name)
    if bias is not None:
        arguments["bias"] = bias
    result: Array = getattr(attention(**arguments), what)
    return result


def answer_visible_counts(name: str) -> Array:
    return (attention(**inputs(name)).weights > 0).sum(axis=-1)


def answer_mha(name: str) -> Array:
    x, one = inputs(name)["x"], np.eye(inputs(name)["x"].shape[-1])
    return multi_head_attention(x, one, one, one, one, n_heads=REPORTS[name]["input"]["heads"]).output


def answer_grad(name: str, wrt: str) -> Array:
    result: Array = getattr(attention_backward(**inputs(name)), "d" + wrt)
    return result


def config(case: dict[str, Any]) -> Config:
    """What a report says of a model; what it does not say must not matter."""
    windowed = sum(case.get("windowed_layers", []))
    return Config(
        n_layers=case.get("layers", len(case.get("windowed_layers", [0]))),
        d_model=8,
        n_heads=case["heads"] if "heads" in case else case["kv_heads"],
        n_kv_heads=case["kv_heads"] if "kv_heads" in case else case["heads"],
        d_head=case["head_dim"],
        d_ff=8,
        window=case.get("window"),
        n_windowed_layers=windowed,
    )


def answer_flops_train(name: str, part: str) -> int:
    case = REPORTS[name]["input"]
    return training_flops_per_token(config(case), case["seq"], case["params"] if part == "total" else 0)


def answer_matmul(name: str) -> int:
    case = REPORTS[name]["input"]
    return matmul_flops(case["m"], case["k"], case["n"])


def answer_bytes_per_token(name: str, factors: list[str]) -> int:
    case = REPORTS[name]["input"]
    count = cache_bytes if "layers" in factors else layer_cache_bytes
    return count(config(case), 1, bytes_per_number=case["bytes"])


def answer_windowed_bytes(name: str) -> list[int]:
    case = REPORTS[name]["input"]
    return [cache_bytes(config(case), n, bytes_per_number=case["bytes"]) for n in case["T"]]


def answer_embed(name: str) -> Array:
    case = REPORTS[name]["input"]
    past, n = case["past"], len(case["ids"])
    return embed(case["ids"], case["wte"], case["wpe"], positions=range(past, past + n))


ANSWERS: dict[str, Callable[..., Any]] = {
    "softmax": answer_softmax,
    "attention": answer_attention,
    "visible_counts": answer_visible_counts,
    "split_heads": lambda name: split_heads(REPORTS[name]["input"]["x"], REPORTS[name]["input"]["heads"]),
    "mha": answer_mha,
    "grad": answer_grad,
    "flops_train": answer_flops_train,
    "count_matmul": answer_matmul,
    "prod": answer_bytes_per_token,
    "kv_window": answer_windowed_bytes,
    "gelu": lambda name: gelu(inputs(name)["x"], approximate="tanh"),
    "layernorm": lambda name: layer_norm(inputs(name)["x"], eps=REPORTS[name]["input"]["eps"]),
    "embed": answer_embed,
}


@pytest.mark.parametrize(("name", "which"), CASES)
def test_a_reported_case_has_the_right_value_and_not_the_wrong_one(name: str, which: int) -> None:
    value, tolerance = REPORTS[name]["right"]["values"][which], REPORTS[name]["tolerance"]["abs"]
    answer = ANSWERS[value["recipe"]["fn"]](name, **value["recipe"]["args"])
    assert close(answer, numbers(value["value"]), tolerance)
    for wrong in value.get("known_wrong", []):
        assert not close(answer, numbers(wrong["value"]), tolerance)


@pytest.mark.parametrize("name", [name for name in NAMES if REPORTS[name]["area"] == "cache" and "q" in inputs(name)])
def test_a_reported_case_of_the_cache_is_right_through_the_cache(name: str) -> None:
    arguments = inputs(name)
    cache = KVCache(REPORTS[name]["input"].get("capacity"))
    n_new = arguments["q"].shape[-2]
    cached, new = np.split(np.arange(arguments["k"].shape[-2]), [-n_new])
    for tokens in (cached, new):
        cache.append(arguments["k"][tokens], arguments["v"][tokens])
    value, tolerance = REPORTS[name]["right"]["values"][0], REPORTS[name]["tolerance"]["abs"]
    answer = cache.attend(arguments["q"]).output
    assert close(answer, numbers(value["value"]), tolerance)
    for wrong in value.get("known_wrong", []):
        assert not close(answer, numbers(wrong["value"]), tolerance)


def test_the_exact_gelu_is_the_one_that_is_wrong_for_gpt2() -> None:
    exact = REPORTS["P03"]["right"]["values"][0]["known_wrong"][0]["value"]
    assert close(gelu(inputs("P03")["x"]), exact, 1e-12)


def test_no_report_goes_without_a_test() -> None:
    from tests.kernel import test_statements

    named = [test.split("_")[1].upper() for test in dir(test_statements) if test.startswith("test_")]
    for name in NAMES:
        assert REPORTS[name]["right"].get("values") or name in named, name
        assert "statement" not in REPORTS[name]["right"] or name in named, name
