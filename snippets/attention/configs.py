"""The sizes of well-known models, each with where its numbers are published."""

from dataclasses import dataclass

from .checks import check_count, check_flag
from .heads import group_size


@dataclass(frozen=True)
class Config:
    """The numbers of a transformer that its cost depends on.

    `gated` feed-forward networks have three matrices instead of two. `n_windowed_layers` of the layers see only the
    last `window` tokens.

    >>> Config(n_layers=2, d_model=8, n_heads=2, n_kv_heads=1, d_head=4, d_ff=32).n_heads
    2
    """

    n_layers: int
    d_model: int
    n_heads: int
    n_kv_heads: int
    d_head: int
    d_ff: int
    gated: bool = False
    window: int | None = None
    n_windowed_layers: int = 0
    source: str = ""

    def __post_init__(self) -> None:
        """Refuse what describes no model."""
        for name in ("n_layers", "d_model", "n_heads", "n_kv_heads", "d_head", "d_ff"):
            object.__setattr__(self, name, check_count(name, getattr(self, name)))  # NumPy's integers would overflow
        group_size(self.n_heads, self.n_kv_heads)
        object.__setattr__(self, "gated", check_flag("gated", self.gated))
        if not isinstance(self.source, str):
            raise TypeError(f"source is {self.source!r}; it must be a str")
        windowed = check_count("n_windowed_layers", self.n_windowed_layers, 0)
        if windowed > self.n_layers or (windowed > 0) != (self.window is not None):
            rule = "with a window 1 to n_layers, without one 0"
            raise ValueError(f"n_windowed_layers is {windowed} of {self.n_layers}, window is {self.window}: {rule}")
        object.__setattr__(self, "n_windowed_layers", windowed)
        if self.window is not None:
            object.__setattr__(self, "window", check_count("window", self.window, why="it counts the current token"))


_GPT2 = "Radford et al., Language Models are Unsupervised Multitask Learners, 2019; karpathy/nanoGPT, model.py"
_LLAMA2 = "Touvron et al., Llama 2, 2023; huggingface/transformers, models/llama/configuration_llama.py"
_LLAMA3 = "Grattafiori et al., The Llama 3 Herd of Models, 2024; meta-llama/llama-models, models/sku_list.py"
_MISTRAL = "Jiang et al., Mistral 7B, 2023; huggingface/transformers, models/mistral/configuration_mistral.py"
_QWEN2 = "Yang et al., Qwen2 Technical Report, 2024, table of the architectures"
_SMOLLM2 = "the metadata of SmolLM2-135M's .gguf file"
_FALCON = "Almazrouei et al., The Falcon Series, 2023; huggingface/transformers, models/falcon/configuration_falcon.py"
_GEMMA2 = "Gemma Team, Gemma 2, 2024; huggingface/transformers, models/gemma2/convert_gemma2_weights_to_hf.py"

# Layers, d_model, query heads, key-value heads, d_head, d_ff.
MODELS = {
    "gpt2": Config(12, 768, 12, 12, 64, 3072, source=_GPT2),
    "gpt2-medium": Config(24, 1024, 16, 16, 64, 4096, source=_GPT2),
    "gpt2-large": Config(36, 1280, 20, 20, 64, 5120, source=_GPT2),
    "gpt2-xl": Config(48, 1600, 25, 25, 64, 6400, source=_GPT2),
    "llama-2-7b": Config(32, 4096, 32, 32, 128, 11008, gated=True, source=_LLAMA2),
    "llama-3-8b": Config(32, 4096, 32, 8, 128, 14336, gated=True, source=_LLAMA3),
    "llama-3-70b": Config(80, 8192, 64, 8, 128, 28672, gated=True, source=_LLAMA3),
    "mistral-7b": Config(32, 4096, 32, 8, 128, 14336, gated=True, window=4096, n_windowed_layers=32, source=_MISTRAL),
    "qwen2-0.5b": Config(24, 896, 14, 2, 64, 4864, gated=True, source=_QWEN2),
    "qwen2-7b": Config(28, 3584, 28, 4, 128, 18944, gated=True, source=_QWEN2),
    "smollm2-135m": Config(30, 576, 9, 3, 64, 1536, gated=True, source=_SMOLLM2),
    "falcon-7b": Config(32, 4544, 71, 1, 64, 18176, source=_FALCON),
    "gemma-2-9b": Config(42, 3584, 16, 8, 256, 14336, gated=True, window=4096, n_windowed_layers=21, source=_GEMMA2),
}
