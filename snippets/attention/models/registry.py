"""Which models the command line knows; one more is one more entry."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from .e5 import E5
from .files import GPT2_FILES
from .gpt2 import GPT2
from .minilm import MiniLM
from .smollm2 import SmolLM2
from .toy import TRAINED_ON, Toy


@dataclass(frozen=True)
class Kind:
    """A model: what it is, how to read it from a path (None: an installed package), and its files on the hub.

    `extras` are the optional packages that it needs.
    What `load(path, progress)` returns has `n_layers`, `n_heads`, a `tokenizer`, and is called with ids and a trace;
    a trace with logits makes it a model that says what comes next, or what stands at the places that it is `asked`.
    """

    title: str
    load: Callable[..., Any]
    hub_files: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()


READS_HUB = ("safetensors", "tokenizers")

KINDS = {
    "smollm2": Kind("SmolLM2-135M-Instruct, 4-bit: says what comes next", SmolLM2.load, extras=("gguf", "tokenizers")),
    "gpt2": Kind("GPT-2: says what comes next; its weights are yours to bring", GPT2.load, GPT2_FILES, READS_HUB),
    "minilm": Kind(
        "MiniLM: an encoder, every token sees the whole sentence",
        MiniLM.load,
        ("config.json", "model.safetensors", "tokenizer.json"),
        READS_HUB,
    ),
    "e5": Kind("multilingual-e5-small, 4-bit: an encoder that reads Chinese and English", E5.load),
    "toy": Kind(f"our toy, trained on {TRAINED_ON} template sentences: says what comes next", Toy.load),
    "toy-masked": Kind(
        f"our toy, trained on {TRAINED_ON} template sentences: says what stands at [mask]",
        partial(Toy.load, masked=True),
    ),
}
