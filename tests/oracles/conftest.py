"""Without the libraries to compare with there is nothing to test here: that is a failure, not a skip."""

from importlib.util import find_spec

import pytest

LIBRARIES = ("jax", "keras", "onnx", "onnxruntime", "torch")


def pytest_configure() -> None:
    missing = [library for library in LIBRARIES if find_spec(library) is None]
    if missing:
        way = "`make test-oracles` installs them into .venv-oracles and runs these tests there"
        raise pytest.UsageError(f"tests/oracles compares with {', '.join(missing)}, not installed here; {way}")
