"""Record the real models again: what is stored is what they answer now, to a thousandth."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.models.programs import PROGRAMS
from tests.models.recorded import Recording, read, write
from tests.models.same import assert_same
from tests.models_live.record import RECORD


@cache
def live(name: str) -> Recording:
    return RECORD[name]()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_recording_is_what_the_model_answers_now(name: str, tmp_path: Path) -> None:
    write(name, live(name), tmp_path)
    stored, now = read(name), read(name, tmp_path)
    assert_same(stored.facts, now.facts)
    assert stored.arrays.keys() == now.arrays.keys()
    for key, array in stored.arrays.items():
        assert array.shape == now.arrays[key].shape
        assert (np.abs(array - now.arrays[key]) <= 1e-3 * np.maximum(1, np.abs(array))).all(), key
