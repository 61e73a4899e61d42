"""Which programs in tests/models_live write each recording."""

PROGRAMS = {
    "apple": ("record_apple.py", "senses.py"),
    "gpt2_tokens": ("record_gpt2_tokens.py", "vocabulary.py"),
    "heads": ("record_heads.py", "record_minilm.py"),
    "minilm": ("record_minilm.py", "senses.py"),
    "smollm2": ("record_smollm2.py",),
    "toy": ("record_toy.py",),
}
