"""Which programs in tests/models_live write each recording, and from which sentences."""

SENTENCES = tuple(f"../../snippets/senses/apple.{language}.yml" for language in ("zh", "en"))
PAYLOADS = ("../models/payloads.py",)  # from the recording e5
PROGRAMS = {
    "e5": ("record_e5.py", "rulers.py", "sentences.py", *SENTENCES),
    "e5_zh": PAYLOADS,
    "e5_en": PAYLOADS,
    "e5_map": PAYLOADS,
    "e5_heads": PAYLOADS,
    "gpt2_tokens": ("record_gpt2_tokens.py", "vocabulary.py"),
    "heads": ("record_heads.py", "record_minilm.py"),
    "minilm": ("record_minilm.py", "senses.py"),
    "smollm2": ("record_smollm2.py",),
    "toy": ("record_toy.py",),
}
