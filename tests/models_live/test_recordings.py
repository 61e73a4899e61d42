"""Record the real models again: what is stored is what they answer now, to a thousandth."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.models.programs import PROGRAMS
from tests.models.recorded import Recording, read, write
from tests.models_live.record import RECORD


@cache
def live(name: str) -> Recording:
    return RECORD[name]()


def assert_same(stored: Any, now: Any, where: str = "") -> None:
    """Words and whole numbers equal, other numbers within a thousandth."""
    if isinstance(stored, dict):
        assert list(stored) == list(now), where
        for key, value in stored.items():
            assert_same(value, now[key], f"{where}/{key}")
    elif isinstance(stored, list):
        assert len(stored) == len(now), where
        for at, (a, b) in enumerate(zip(stored, now, strict=True)):
            assert_same(a, b, f"{where}/{at}")
    elif isinstance(stored, float):
        assert abs(stored - now) <= 1e-3, where
    else:
        assert stored == now, where


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_recording_is_what_the_model_answers_now(name: str, tmp_path: Path) -> None:
    write(name, live(name), tmp_path)
    stored, now = read(name), read(name, tmp_path)
    assert_same(stored.facts, now.facts)
    assert stored.arrays.keys() == now.arrays.keys()
    for key, array in stored.arrays.items():
        assert array.shape == now.arrays[key].shape
        assert (np.abs(array - now.arrays[key]) <= 1e-3 * np.maximum(1, np.abs(array))).all(), key
