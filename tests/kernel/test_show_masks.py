"""What is shown of a mask can be read without its colour; a plot wastes no decade on 1024."""

import numpy as np

from attention import causal_mask
from lessonkit import Table
from lessonkit.axis import Axis


def test_booleans_are_marks_and_numbers_stay_numbers() -> None:
    assert Table(causal_mask(2), "mask", rows="ab", cols="ab").html("en").count("✓</td>") == 3
    assert "✓" not in Table(causal_mask(2).astype(int), digits=0, caption="numbers").html("en")


def test_a_mask_says_in_every_language_what_its_marks_mean() -> None:
    table = Table(causal_mask(2), "mask", rows="ab", cols="ab")
    assert "✓ may attend, · may not" in table.html("en")
    assert "✓ 可以看，· 看不见" in table.html("zh")
    assert "query ↓ key →" in table.html("en")


def test_1024_and_0_98_open_no_decade_of_their_own_and_2000_does() -> None:
    assert [name for _, name in Axis([2, 1024], 0, 300, log=True).ticks()] == ["1", "10", "100", "1000"]
    assert [name for _, name in Axis([2, 2000], 0, 300, log=True).ticks()][-1] == "10000"
    assert [name for _, name in Axis([0.98, 20], 0, 300, log=True).ticks()] == ["1", "10", "100"]
    assert np.isclose(Axis([2, 1024], 0, 300, log=True).places([1024])[0], 301, atol=0.5)
