"""Whether two recordings say the same."""

from typing import Any


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
