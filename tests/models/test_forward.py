"""Tiny random models answer what transformers answers; and with a cache, in a batch and with a trace the same."""

from typing import Any

import numpy as np
import pytest

from attention import KVCache, linear
from attention.models import Toy, greedy, pad_prompts, stream
from tests.kernel.reports import REPORTS, close, right
from tests.models.frozen import N_NEW, PROMPTS, Array, answers_recorder, thaw, weight_files
from tests.models.tiny import CAUSAL, LOADERS, model

ANSWERS, PROVENANCE = thaw()
CASES = [(name, prompt) for name in LOADERS for prompt in PROMPTS]
SEVEN = PROMPTS["seven tokens"]
STEPS = {"q", "k", "v", "scores", "weights", "outputs", "hidden"}


def traced(name: str, ids: Any, **options: Any) -> tuple[Array, dict[str, list[Array]]]:
    trace: dict[str, list[Array]] = {}
    return model(name)(ids, trace=trace, **options), trace


def off(ours: Any, theirs: Array) -> float:
    """How far the farthest number is off; NaN stays NaN, which no bound allows."""
    assert np.shape(ours) == theirs.shape
    return float(np.abs(ours - theirs).max())


def test_the_answers_come_from_the_recorder_and_the_weights_as_they_are_now() -> None:
    way = "run: PYTHONPATH=snippets .venv-oracles/bin/python -m tests.models_live.tiny"
    assert PROVENANCE["recorder"] == answers_recorder(), way
    assert PROVENANCE["weights"] == weight_files(), way
    assert PROVENANCE["versions"] == {"torch": "2.13.0", "transformers": "5.24.0"}


@pytest.mark.parametrize(("name", "prompt"), CASES)
def test_hidden_states_are_those_of_transformers(name: str, prompt: str) -> None:
    _, trace = traced(name, PROMPTS[prompt])
    theirs = ANSWERS[f"{name}/{prompt}/hidden"]
    ours = np.stack(trace["embeddings"] + trace["hidden"])
    if name in CAUSAL:  # theirs ends with the final norm; the logits say whether that is right
        ours, theirs = ours[:-1], theirs[:-1]
    assert off(ours, theirs) <= 1e-5 * max(1, np.abs(theirs).max())


def test_minilm_s_vectors_are_those_of_transformers_to_1e_5() -> None:
    for prompt, ids in PROMPTS.items():
        assert off(model("minilm")(ids), ANSWERS[f"minilm/{prompt}/hidden"][-1]) <= 1e-5


@pytest.mark.parametrize("name", LOADERS)
def test_attention_is_that_of_transformers(name: str) -> None:
    _, trace = traced(name, SEVEN)
    assert off(np.stack(trace["weights"]), ANSWERS[f"{name}/seven tokens/weights"]) <= 1e-5


@pytest.mark.parametrize("prompt", PROMPTS)
def test_gpt2_s_logits_are_those_of_transformers_to_1e_5(prompt: str) -> None:
    assert off(model("gpt2")(PROMPTS[prompt]), ANSWERS[f"gpt2/{prompt}/logits"]) <= 1e-5


@pytest.mark.parametrize("prompt", PROMPTS)
def test_the_4_bit_model_s_logits_are_those_of_transformers_to_a_thousandth(prompt: str) -> None:
    theirs = ANSWERS[f"smollm2/{prompt}/logits"]
    assert off(model("smollm2")(PROMPTS[prompt]), theirs) <= 1e-3 * np.abs(theirs).max()


@pytest.mark.parametrize("name", CAUSAL)
def test_the_text_written_greedily_is_that_of_transformers(name: str) -> None:
    written = ANSWERS[f"{name}/written"].tolist()
    assert len(written) == N_NEW
    assert greedy(model(name), SEVEN, N_NEW) == written


@pytest.mark.parametrize("name", CAUSAL)
@pytest.mark.parametrize("chunks", [[1] * 7, [3, 4], [6, 1]])
def test_with_a_cache_the_logits_are_the_same(name: str, chunks: list[int]) -> None:
    caches = [KVCache() for _ in range(model(name).n_layers)]
    rows = [model(name)(part, caches=caches) for part in np.split(np.array(SEVEN), np.cumsum(chunks)[:-1])]
    assert off(np.concatenate(rows), ANSWERS[f"{name}/seven tokens/logits"]) <= 1e-5


@pytest.mark.parametrize("name", LOADERS)
def test_a_batch_is_its_prompts_one_by_one(name: str) -> None:
    batch = [SEVEN, SEVEN[::-1]]
    assert off(model(name)(batch), np.stack([model(name)(ids) for ids in batch])) <= 1e-5


@pytest.mark.parametrize("name", LOADERS)
def test_a_trace_holds_every_step_of_every_layer(name: str) -> None:
    answer, trace = traced(name, SEVEN)
    read = model(name)
    assert {step for step, arrays in trace.items() if len(arrays) == read.n_layers} == STEPS
    assert trace.keys() - STEPS == {"embeddings"} | ({"logits"} if name in CAUSAL else set())
    assert trace["weights"][0].shape == trace["scores"][0].shape == (read.n_heads, 7, 7)
    assert answer is (trace["logits"] if name in CAUSAL else trace["hidden"])[-1]
    assert {array.dtype for arrays in trace.values() for array in arrays} == {np.dtype(np.float32)}


@pytest.mark.parametrize("name", LOADERS)
def test_a_trace_that_was_filled_is_refused(name: str) -> None:
    _, trace = traced(name, SEVEN)
    with pytest.raises(ValueError, match=r"trace holds embeddings, q, .* already"):
        model(name)(SEVEN, trace=trace)


@pytest.mark.parametrize("name", CAUSAL)
def test_no_token_sees_the_next(name: str) -> None:
    _, trace = traced(name, SEVEN)
    assert all((np.triu(weights, 1) == 0).all() for weights in trace["weights"])
    assert off(model(name)([*SEVEN[:-1], 50])[:-1], model(name)(SEVEN)[:-1]) == 0


def test_what_a_mask_hides_from_minilm_has_no_weight() -> None:
    _, trace = traced("minilm", SEVEN, mask=np.arange(7) != 2)
    assert all((weights[..., 2] == 0).all() for weights in trace["weights"])
    others = [*SEVEN[:2], 77, *SEVEN[3:]]
    seen = np.arange(7) != 2
    assert off(model("minilm")(others, mask=seen)[seen], model("minilm")(SEVEN, mask=seen)[seen]) == 0


def test_smollm2_read_out_of_the_last_layer_is_what_it_says() -> None:
    logits, trace = traced("smollm2", SEVEN)
    assert off(model("smollm2").read_out(trace["hidden"][-1]), logits) == 0


def test_p07_without_lm_head_the_logits_are_tied_to_the_token_table() -> None:
    assert "lm_head.weight" not in model("gpt2").weights
    case = REPORTS["P07"]["input"]
    assert close(linear(case["h"], np.transpose(case["wte"])), right("P07"), 1e-12)


TOYS = {"toy": Toy.load(), "toy-masked": Toy.load(masked=True)}
UNEQUAL = [SEVEN, SEVEN[:3], SEVEN[2:4], SEVEN[1:2]]


def any_model(name: str) -> Any:
    return TOYS.get(name) or model(name)


@pytest.mark.parametrize("name", [*LOADERS, *TOYS])
@pytest.mark.parametrize("side", ["left", "right"])
def test_padded_prompts_are_answered_as_if_alone(name: str, side: str) -> None:
    ids, real = pad_prompts(UNEQUAL)
    if side == "right":
        ids, real = ids[:, ::-1].copy(), real[:, ::-1]
        for row, prompt in zip(ids, UNEQUAL, strict=True):
            row[: len(prompt)] = prompt
    answers = any_model(name)(ids, real=real)
    for answer, tokens, prompt in zip(answers, real, UNEQUAL, strict=True):
        assert off(answer[tokens], any_model(name)(prompt)) <= 1e-5
    ids[~real] = 7
    assert off(any_model(name)(ids, real=real)[real], answers[real]) == 0


@pytest.mark.parametrize("name", LOADERS)
def test_one_prompt_may_be_padded_too(name: str) -> None:
    real = [False, False, *[True] * 7]
    assert off(model(name)([0, 0, *SEVEN], real=real)[2:], model(name)(SEVEN)) <= 1e-5


@pytest.mark.parametrize("name", [*CAUSAL, "toy"])
def test_padded_prompts_go_on_with_caches(name: str) -> None:
    ids, real = pad_prompts([SEVEN, SEVEN[:4]])
    caches = [KVCache() for _ in range(any_model(name).n_layers)]
    any_model(name)(ids[:, :6], real=real[:, :6], caches=caches)
    last = any_model(name)(ids[:, 6:], real=real, caches=caches)
    for row, prompt in zip(last, [SEVEN, SEVEN[:4]], strict=True):
        assert off(row[-1], any_model(name)(prompt)[-1]) <= 1e-5


@pytest.mark.parametrize("name", ["minilm", "toy-masked"])
def test_a_mask_and_padding_both_hide(name: str) -> None:
    seen = np.arange(7) != 2
    padded = np.array([0, *SEVEN]), np.array([False, *[True] * 7])
    answer = any_model(name)(padded[0], real=padded[1], mask=[True, *seen])
    assert off(answer[1:], any_model(name)(SEVEN, mask=seen)) <= 1e-5


@pytest.mark.parametrize("name", [*CAUSAL, "toy"])
def test_several_prompts_are_written_on_as_each_alone(name: str) -> None:
    alone = [greedy(any_model(name), prompt, 5) for prompt in UNEQUAL]
    assert greedy(any_model(name), UNEQUAL, 5) == alone
    assert greedy(any_model(name), [SEVEN], 1) == [greedy(any_model(name), SEVEN, 1)]
    assert greedy(any_model(name), np.array(SEVEN), 2) == alone[0][:2]


@pytest.mark.parametrize("name", CAUSAL)
def test_a_stream_is_what_greedy_writes_up_to_a_stop(name: str) -> None:
    written = greedy(model(name), SEVEN, 6)
    assert [token for token, _ in zip(stream(model(name), SEVEN), range(6), strict=False)] == written
    assert [*stream(model(name), SEVEN, stop=written[3:4])] == written[: written.index(written[3])]


def test_a_model_may_keep_a_window_only() -> None:
    ids = PROMPTS["all positions"]
    read = model("smollm2")
    caches = [KVCache(window=64) for _ in range(read.n_layers)]
    rows = [read(part, caches=caches) for part in np.split(np.array(ids), 4)]
    assert off(np.concatenate(rows), read(ids)) <= 1e-4
    narrow = [KVCache(window=4, capacity=4) for _ in range(read.n_layers)]
    for token in ids[:20]:
        logits = read([token], caches=narrow)
    assert narrow[0].position == 20
    assert np.isfinite(logits).all()
