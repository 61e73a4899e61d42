"""Where a number lies along an axis of a plot, and which numbers to write there."""

import math

import numpy as np
from numpy.typing import ArrayLike

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
NEAR = 0.015  # of a decade: 1024 may stand just past the tick at 1000, 0.98 just below 1; neither opens a new one


class Axis:
    """Where a number lies between two ends, evenly or by powers of ten; NaN, inf and log(0) lie nowhere.

    Whole numbers get whole ticks: there is no layer 0.5. An even axis takes in 0 unless `zero` is False.

    Examples
    --------
    >>> [name for _, name in Axis([0, 1, 2], start=0, end=100, log=False).ticks()]
    ['0', '1', '2']
    """

    def __init__(self, values: ArrayLike, start: float, end: float, log: bool, zero: bool = True) -> None:
        finite = np.asarray(values, float)
        finite = finite[np.isfinite(finite) & ((finite > 0) | (not log))]
        if not finite.size:
            raise ValueError(f"an axis needs a number that is finite{' and positive' if log else ''}; given none")
        self.start, self.end, self.log = start, end, log
        low, high = float(finite.min()), float(finite.max())
        if log:
            self.low, self.high = math.floor(math.log10(low) + NEAR), math.ceil(math.log10(high) - NEAR)
        else:
            whole = bool((finite == np.rint(finite)).all())
            foot = min(low, 0.0) if zero else low
            self.step = max(nice((high - foot) / 5), 1.0 if whole else 0.0)
            self.low, self.high = math.floor(foot / self.step), math.ceil(high / self.step)
        self.high = max(self.high, self.low + 1)

    def places(self, values: ArrayLike) -> list[float]:
        """Return the coordinate of each value; where it lies nowhere, one that is not finite."""
        array = np.asarray(values, float)
        scaled = np.log10(np.where(array > 0, array, np.nan)) if self.log else array / self.step
        share = (scaled - self.low) / (self.high - self.low)
        return [round(float(place), 1) for place in self.start + share * (self.end - self.start)]

    def ticks(self) -> list[tuple[float, str]]:
        """Return the coordinate and the text of every tick."""
        every = max(1, (self.high - self.low) // 8)
        whole = list(range(int(self.low), int(self.high) + 1, every))
        values = [10.0**n if self.log else n * self.step for n in whole]
        return list(zip(self.places(values), map(written, values), strict=True))


def written(value: float) -> str:
    """Return the number as a tick shows it: 0.5, −20, 10⁶, 2 × 10⁻⁷."""
    factor, _, power = f"{value:.6g}".replace("-", "−").partition("e")
    if not power:
        return factor
    tens = "10" + str(int(power.replace("−", "-"))).translate(SUPERSCRIPTS)
    return tens if factor == "1" else f"{factor} × {tens}"


def nice(step: float) -> float:
    """Return the nearest of 1, 2 or 5 times a power of ten that is no smaller."""
    power = 10.0 ** math.floor(math.log10(step)) if step > 0 else 1.0
    return next((m * power for m in (1, 2, 5) if m * power >= step), 10 * power)
