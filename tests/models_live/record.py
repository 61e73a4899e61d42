"""Record the real models again: `PYTHONPATH=snippets .venv-oracles/bin/python -m tests.models_live.record [name …]`."""

import sys
from collections.abc import Callable

from tests.models import payloads
from tests.models.programs import PROGRAMS
from tests.models.recorded import Recording, write
from tests.models_live import (
    record_e5,
    record_gpt2_tokens,
    record_heads,
    record_minilm,
    record_smollm2,
    record_toy,
)

RECORD: dict[str, Callable[[], Recording]] = {
    "e5": record_e5.record,
    "e5_zh": lambda: payloads.language_payload("zh"),
    "e5_en": lambda: payloads.language_payload("en"),
    "e5_map": payloads.map_payload,
    "e5_heads": payloads.heads_payload,
    "gpt2_tokens": record_gpt2_tokens.record,
    "heads": record_heads.record,
    "minilm": record_minilm.record,
    "smollm2": record_smollm2.record,
    "toy": record_toy.record,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or PROGRAMS:
        print(name, flush=True)
        write(name, RECORD[name]())
