"""Which programs in tests/models_live write each recording."""

PROGRAMS = {
    "gpt2_tokens": ("record_gpt2_tokens.py",),
    "heads": ("record_heads.py", "record_minilm.py"),
    "minilm": ("record_minilm.py", "senses.py"),
    "smollm2": ("record_smollm2.py",),
}
