"""SmolLM2 in parts and in a byte a weight is SmolLM2, and what follows a beginning comes with the right shares."""

import json
from collections.abc import Callable
from typing import Any

import gguf
import numpy as np
import pytest

from attention.models import SmolLM2, Toy
from attention.models.smollm2 import LAYER
from sitekit.live import decoder_parts
from sitekit.live.microscope import Problem
from sitekit.live.models import toy
from sitekit.live.next_word import MOST_TOKENS, SmolWriter, ToyWriter, chances
from sitekit.live.session import Session
from tests.models.frozen import Array

D, D_FF, N_LAYERS, N_HEADS, N_KV = 64, 96, 2, 4, 2
ENTRIES = [*"abcdefgh", "Ġ", "ab", "Ġab"]
SAYS = {
    "llama.block_count": N_LAYERS, "llama.attention.head_count": N_HEADS, "llama.attention.head_count_kv": N_KV,
    "llama.context_length": 128, "llama.embedding_length": D, "llama.feed_forward_length": D_FF,
    "llama.rope.freq_base": 1e4, "llama.attention.layer_norm_rms_epsilon": 1e-5,
    "tokenizer.ggml.tokens": ENTRIES, "tokenizer.ggml.merges": ["a b", "Ġ ab"],
}  # fmt: skip
PLAIN = {"temperature": 1, "top_k": 0}


def quantised(rng: np.random.Generator, rows: int, cols: int, kind: gguf.GGMLQuantizationType) -> Array:
    numbers = rng.normal(0, 0.3, (rows, cols)).astype(np.float32)
    packed: Array = gguf.quantize(numbers, kind)
    return packed


@pytest.fixture(scope="module", name="tensors")
def tiny() -> dict[str, Array]:
    """A tiny file of the Llama family, as gguf hands it out."""
    rng = np.random.default_rng(0)
    q4, d_kv = gguf.GGMLQuantizationType.Q4_1, D // N_HEADS * N_KV
    shapes = ((D,), (D, D), (d_kv, D), (d_kv, D), (D, D), (D,), (D_FF, D), (D_FF, D), (D, D_FF))
    tensors = {"token_embd.weight": quantised(rng, len(ENTRIES), D, gguf.GGMLQuantizationType.Q8_0)}
    tensors["output_norm.weight"] = rng.normal(1, 0.1, D).astype("<f4")
    for layer in range(N_LAYERS):
        for name, shape in zip(LAYER, shapes, strict=True):
            plain = len(shape) == 1
            numbers = rng.normal(1, 0.1, D).astype("<f4") if plain else quantised(rng, shape[0], shape[1], q4)
            tensors[f"blk.{layer}.{name}.weight"] = numbers
    return tensors


@pytest.fixture(scope="module", name="whole")
def whole_model(tensors: dict[str, Array]) -> SmolLM2:
    """The package's class with all weights in float32, unpacked by the library of the format."""
    kinds = {"token_embd.weight": gguf.GGMLQuantizationType.Q8_0}
    weights = {}
    for name, data in tensors.items():
        kind = kinds.get(name, gguf.GGMLQuantizationType.Q4_1)
        numbers = gguf.dequantize(data, kind) if data.dtype == np.uint8 else data
        weights[name] = numbers.T if name.startswith("blk.") and numbers.ndim == 2 else numbers
    return SmolLM2(weights, N_LAYERS, N_HEADS, N_KV, 128, 1e4, 1e-5)


@pytest.fixture(name="smol")
def smol_writer(tensors: dict[str, Array]) -> SmolWriter:
    writer = SmolWriter()
    for name, data in decoder_parts.cut(SAYS, tensors):
        writer.take(name, data)
    return writer


@pytest.fixture(name="toys")
def toy_writer() -> ToyWriter:
    writer = ToyWriter()
    for name, data in toy():
        writer.take(name, data)
    return writer


def test_every_part_has_its_name(tensors: dict[str, Array]) -> None:
    tables = [f"table{i}" for i in range(decoder_parts.TABLES)]
    names = ["sizes", "vocabulary", "norm", "layer00", "layer01", *tables]
    assert [name for name, _ in decoder_parts.cut(SAYS, tensors)] == names


def test_weights_held_in_a_byte_are_those_of_the_file(smol: SmolWriter, whole: SmolLM2) -> None:
    for name, weights in whole.weights.items():
        if name != "token_embd.weight":
            np.testing.assert_array_equal(smol.model.weights[name], weights)
    table = smol.model.embed_tokens(np.arange(len(ENTRIES)))
    np.testing.assert_array_equal(table, whole.weights["token_embd.weight"])
    assert sorted(smol.model.weights) == sorted(whole.weights)
    assert len(smol.model.weights) == len(whole.weights)


def test_the_model_in_parts_says_what_the_whole_says(
    smol: SmolWriter, whole: SmolLM2, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decoder_parts, "AT_ONCE", 4)
    told, arrays = smol.answer({"text": "ab abc", "more": [3, 5], **PLAIN})
    trace: dict[str, list[Array]] = {}
    logits = whole([9, 10, 2, 3, 5], trace=trace)
    assert told["ids"] == [9, 10, 2, 3, 5]
    np.testing.assert_allclose(smol.logits, logits[-1], atol=1e-5)
    np.testing.assert_allclose(arrays["weights"], np.stack(trace["weights"]), atol=1e-6)
    assert told["written"] == "ab abcdf"


def test_only_new_tokens_are_read_and_the_answer_is_that_of_all_together(smol: SmolWriter) -> None:
    smol.answer({"text": "ab abc", "more": [], **PLAIN})
    told, arrays = smol.answer({"text": "ab abc", "more": [3], **PLAIN})
    assert (told["read"], told["kept"], told["given"]) == (1, 4, 3)
    again, _ = smol.answer({"text": "ab abc", "more": [3], "temperature": 2, "top_k": 0})
    assert again["read"] == 0
    back, _ = smol.answer({"text": "ab abc", "more": [], **PLAIN})
    assert (back["read"], back["kept"]) == (3, 3), "what was taken back is forgotten"
    smol.forget()
    whole, all_arrays = smol.answer({"text": "ab abc", "more": [3], **PLAIN})
    assert [one["share"] for one in told["likely"]] == pytest.approx(
        [one["share"] for one in whole["likely"]], abs=1e-5
    )
    np.testing.assert_allclose(arrays["weights"], all_arrays["weights"], atol=1e-6)


def test_the_toy_says_what_the_toy_says(toys: ToyWriter) -> None:
    told, arrays = toys.answer({"text": "Thank you very", "more": [], **PLAIN})
    model = Toy.load()
    logits = model(model.tokenizer.encode("Thank you very"))[-1].astype(np.float64)
    share = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    assert told["likely"][0]["text"] == "much"
    assert told["likely"][0]["share"] == pytest.approx(share.max())
    assert told["tokens"] == ["[start]", "thank", "you", "very"]
    assert arrays["weights"].shape == (2, 4, 4, 4)
    assert told["rest"] == pytest.approx(1 - np.sort(share)[-10:].sum())
    assert told["shapes"]["weights"] == [4, 4, 4]


def test_a_drawn_token_is_one_of_those_that_may_come(toys: ToyWriter) -> None:
    asked = {"text": "我今天买了", "more": [], "temperature": 3, "top_k": 2, "draw": True}
    drawn = {toys.answer(asked)[0]["drawn"] for _ in range(30)}
    likely = [one["id"] for one in toys.answer(asked)[0]["likely"]]
    assert drawn <= set(likely[:2])


@pytest.mark.parametrize(
    ("temperature", "top_k", "shares"),
    [(1, 0, [0.5, 0.3, 0.2]), (0.5, 0, [25 / 38, 9 / 38, 4 / 38]), (1, 1, [1, 0, 0]), (1, 99, [0.5, 0.3, 0.2])],
)
def test_temperature_and_top_k(temperature: float, top_k: int, shares: list[float]) -> None:
    assert chances(np.log([0.5, 0.3, 0.2]), temperature, top_k).tolist() == pytest.approx(shares)


@pytest.mark.parametrize(
    ("make", "asked", "why"),
    [
        (ToyWriter, {"text": "  "}, {"why": "empty"}),
        (ToyWriter, {"text": "我买了飞机"}, {"why": "unknown_word", "word": "飞机"}),
        (SmolWriter, {"text": " \n"}, {"why": "empty"}),
        (SmolWriter, {"text": "a" * (MOST_TOKENS + 1)}, {"why": "too_long", "tokens": 65, "most": 64}),
    ],
)
def test_what_cannot_be_read_is_said(
    toys: ToyWriter, smol: SmolWriter, make: Callable[[], Any], asked: dict[str, Any], why: dict[str, Any]
) -> None:
    writer = toys if make is ToyWriter else smol
    with pytest.raises(Problem) as problem:
        writer.answer({"more": [], **PLAIN, **asked})
    assert problem.value.news.items() >= why.items()
    assert why["why"] != "unknown_word" or "苹果" in problem.value.news["known"].split()


def test_the_session_hands_out_json_and_arrays() -> None:
    session = Session()
    for name, data in toy():
        session.take("toy", name, memoryview(data))
    asked = json.dumps({"text": "Thank you", "more": [], **PLAIN})
    assert session.needed("toy", asked) == "{}"
    told, arrays = session.answer("toy", asked)
    assert json.loads(told)["tokens"] == ["[start]", "thank", "you"]
    assert arrays["weights"].dtype == np.float32
    told, arrays = session.answer("toy", asked.replace("Thank", "???"))
    assert (json.loads(told)["problem"]["why"], arrays) == ("unknown_word", {})
