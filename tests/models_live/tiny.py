"""Make tiny random models, ask transformers about them, and freeze what it answers.

`PYTHONPATH=snippets .venv-models/bin/python -m tests.models_live.tiny`, in the environment of `make test-models`.
"""

import json
import os
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import gguf
import numpy as np
import torch
import transformers
from safetensors.numpy import save_file
from transformers import BertConfig, BertModel, GPT2Config, GPT2LMHeadModel, LlamaForCausalLM

from attention.models.tokens import LETTERS
from tests.models.frozen import DATA, GPT2, MINILM, N_NEW, PROMPTS, SMOLLM2, Array, freeze

WORDS = ("Thank", "Ġyou", "Ġvery", "Ġmuch", "Ġmany", "Ġwell", "Ġthe", "Ġcat", "Ġsat", "Ġa")  # the tiny vocabulary
SEED = 20190214  # the day GPT-2 was announced
torch.set_num_threads(1)


def drawn(shapes: dict[str, tuple[int, ...]], seed: int) -> dict[str, Array]:
    """Draw every weight; norms stretch by about one, and everything is large enough that attention is not even."""
    rng = np.random.default_rng([SEED, seed])
    weights = {name: rng.standard_normal(shape) * 0.2 for name, shape in shapes.items()}
    return {
        name: (array + 1 if ("norm" in name.lower() or "ln_" in name) and name.endswith("weight") else array).astype(
            np.float16
        )
        for name, array in weights.items()
    }


def save_checkpoint(folder: Path, model: Any, config: Any, seed: int) -> None:
    """Write random weights of a transformers model as safetensors, beside its config.json."""
    folder.mkdir(parents=True, exist_ok=True)
    shapes = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    weights = drawn({name: shape for name, shape in shapes.items() if name != "lm_head.weight"}, seed)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    said = {key: value for key, value in config.to_diff_dict().items() if key != "transformers_version"}
    (folder / "config.json").write_text(json.dumps(said, indent=2, sort_keys=True) + "\n", "utf-8")


def save_gpt2() -> None:
    config = GPT2Config(
        vocab_size=97, n_positions=64, n_embd=48, n_layer=3, n_head=4, n_inner=96, bos_token_id=0, eos_token_id=None
    )
    save_checkpoint(GPT2, GPT2LMHeadModel(config), config, 1)


def save_minilm() -> None:
    config = BertConfig(
        vocab_size=97,
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=80,
        max_position_embeddings=64,
        layer_norm_eps=1e-12,
    )
    save_checkpoint(MINILM, BertModel(config, add_pooling_layer=False), config, 2)


def smollm2_shapes(d: int, d_kv: int, d_ff: int, n_vocab: int, n_layers: int) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {"token_embd.weight": (n_vocab, d), "output_norm.weight": (d,)}
    for layer in range(n_layers):
        of_layer = {"attn_norm": (d,), "attn_q": (d, d), "attn_k": (d_kv, d), "attn_v": (d_kv, d)}
        of_layer |= {"attn_output": (d, d), "ffn_norm": (d,), "ffn_gate": (d_ff, d), "ffn_up": (d_ff, d)}
        of_layer |= {"ffn_down": (d, d_ff)}
        shapes |= {f"blk.{layer}.{name}.weight": shape for name, shape in of_layer.items()}
    return shapes


def add_vocabulary(writer: Any) -> int:
    """Add the letters of bytes and what a few words are put together from; return how many tokens that is."""
    merges = list(dict.fromkeys(f"{word[:end]} {word[end]}" for word in WORDS for end in range(1, len(word))))
    entries = [*LETTERS, *(merge.replace(" ", "") for merge in merges)]
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(entries)
    writer.add_token_merges(merges)
    writer.add_vocab_size(len(entries))
    return len(entries)


def save_smollm2() -> None:
    """Write a Llama with 4-bit matrices; rotary pairs are then neighbours, as in every GGUF of this family."""
    writer, kinds = gguf.GGUFWriter(SMOLLM2, "llama"), gguf.GGMLQuantizationType
    writer.add_block_count(2)
    writer.add_context_length(64)
    writer.add_embedding_length(64)
    writer.add_feed_forward_length(96)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_rope_freq_base(100000.0)
    writer.add_rope_dimension_count(16)
    writer.add_layer_norm_rms_eps(1e-5)
    shapes = smollm2_shapes(d=64, d_kv=32, d_ff=96, n_vocab=add_vocabulary(writer), n_layers=2)
    for name, array in drawn(shapes, 3).items():
        kind = kinds.F32 if array.ndim == 1 else kinds.Q8_0 if name == "token_embd.weight" else kinds.Q4_1
        writer.add_tensor(name, gguf.quants.quantize(array.astype(np.float32), kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def models() -> dict[str, Any]:
    """Return transformers' own models, reading the tiny files."""
    options = {"attn_implementation": "eager", "dtype": torch.float32}
    read = {
        "gpt2": GPT2LMHeadModel.from_pretrained(GPT2, **options),
        "minilm": BertModel.from_pretrained(MINILM, add_pooling_layer=False, **options),
        "smollm2": LlamaForCausalLM.from_pretrained(DATA, gguf_file=SMOLLM2.name, **options),
    }
    return {name: model.eval() for name, model in read.items()}


@torch.no_grad()
def answers() -> dict[str, Array]:
    """Return hidden states, attention and logits for every prompt, and what the causal models write."""
    found = {}
    for name, model in models().items():
        for prompt, ids in PROMPTS.items():
            said = model(torch.tensor([ids]), output_hidden_states=True, output_attentions=True)
            found[f"{name}/{prompt}/hidden"] = torch.cat(said.hidden_states).numpy()
            if "logits" in said:
                found[f"{name}/{prompt}/logits"] = said.logits[0].numpy()
            if prompt == "seven tokens":
                found[f"{name}/{prompt}/weights"] = torch.cat(said.attentions).numpy()
        if "logits" in said:
            ids = torch.tensor([PROMPTS["seven tokens"]])
            written = model.generate(ids, max_new_tokens=N_NEW, do_sample=False, eos_token_id=None, pad_token_id=0)
            found[f"{name}/written"] = written[0, ids.shape[1] :].numpy()
    return found


def versions() -> dict[str, str]:
    return {"torch": torch.__version__.split("+")[0], "transformers": transformers.__version__}


if __name__ == "__main__":
    save_gpt2()
    save_minilm()
    save_smollm2()
    freeze(answers(), versions())
