"""Draw many small heat maps side by side, so that heads can be compared at a glance."""

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .labels import Label, check_role, colour, text, width, words
from .picture import Picture

STEPS = 10  # shades
LETTER, LINE, BETWEEN = 6.6, 18, 8  # a letter's width, a line's height, the room between two maps


class Maps(Picture):
    """Matrices of non-negative numbers in rows and columns of small heat maps, all on one scale.

    Parameters
    ----------
    values
        Numbers (rows of maps, maps in a row, n, m); the largest of them all is the strongest shade.
    role
        Gives the colour, as for Table.
    names
        One title above each map, row by row.
    ticks
        Names of the n rows and of the m columns of every map, usually tokens.
    rows, cols
        Names of the rows and the columns of maps.
    caption, alt
        What stands below; what is to be seen, with its numbers.
    side
        The size of a square.

    Examples
    --------
    >>> Maps(np.eye(2)[None, None], "weights", caption="One head", alt="Each token looks at itself.")
    One head: Each token looks at itself.
    """

    def __init__(
        self,
        values: ArrayLike,
        role: str,
        *,
        caption: Label,
        alt: Label,
        names: Sequence[Label] = (),
        ticks: tuple[Sequence[str], Sequence[str]] = ((), ()),
        rows: Sequence[str] = (),
        cols: Sequence[str] = (),
        side: int = 8,
    ) -> None:
        self.values = np.asarray(values, dtype=float)
        if self.values.ndim != 4 or not self.values.size:
            raise ValueError(f"values have shape {self.values.shape}; maps take (rows, columns, n, m)")
        if not ((self.values >= 0) & np.isfinite(self.values)).all():
            raise ValueError("maps show finite numbers that are not negative; given some that are not")
        down, across, n, m = self.values.shape
        wanted = {"names": (names, down * across), "rows": (rows, down), "cols": (cols, across)}
        wanted |= {"ticks of rows": (ticks[0], n), "ticks of columns": (ticks[1], m)}
        for what, (given, count) in wanted.items():
            if given and len(given) != count:
                raise ValueError(f"{what}: given {len(given)} for values of shape {self.values.shape}, {count} wanted")
        super().__init__(caption, alt)
        self.role, self.side = check_role(role), side
        self.names, self.ticks, self.rows, self.cols = names, ticks, rows, cols

    def svg(self, language: str) -> str:
        """Return the picture alone."""
        down, across, n, m = self.values.shape
        left, top = reach(self.rows), LINE if self.cols else 0
        inner_left, title = reach(self.ticks[0]), LINE if self.names else 0
        inner_top = title + (reach(self.ticks[1]) if turned(self.ticks[1]) else 14 if self.ticks[1] else 0)
        right, below = inner_left + m * self.side + BETWEEN, inner_top + n * self.side + BETWEEN
        peak = self.values.max() or 1.0
        parts = [words(left - 5, top + below * (r + 0.5), name, "end") for r, name in enumerate(self.rows)]
        parts += [words(left + right * (c + 0.5) - 4, 12, name, "middle") for c, name in enumerate(self.cols)]
        for at, matrix in enumerate(self.values.reshape(-1, n, m) / peak):
            x, y = left + right * (at % across), top + below * (at // across)
            parts.append(words(x, y + 12, text(self.names[at], language)) if self.names else "")
            parts.append(self.map(matrix, x + inner_left, y + inner_top))
        wide, high = round(left + right * across), round(top + below * down)
        size = f'viewBox="0 0 {wide} {high}" width="{wide}" height="{high}"'
        label = escape(text(self.alt, language))
        return f'<svg class="maps" role="img" aria-label="{label}" {size}>{"".join(parts)}</svg>'

    def map(self, matrix: NDArray[np.float64], x: float, y: float) -> str:
        """Return one map at (x, y): a path for each shade, a frame, and the names of rows and columns."""
        n, m = matrix.shape
        shades = np.rint(STEPS * matrix).astype(int)
        drawn = "".join(stripes(shades == shade, shade) for shade in range(1, STEPS + 1))
        squares = f'<g transform="scale({self.side})" fill="none" stroke="{colour(self.role)}">{drawn}</g>'
        look = 'class="frame" fill="none" stroke="currentColor" stroke-opacity=".3"'
        frame = f'<path {look} d="M0 0h{m * self.side}v{n * self.side}h-{m * self.side}z"/>'
        middle = self.side / 2
        named = [words(-4, self.side * i + middle + 4, name, "end") for i, name in enumerate(self.ticks[0])]
        named += [above(self.side * j + middle, name, turned(self.ticks[1])) for j, name in enumerate(self.ticks[1])]
        return f'<g class="map" transform="translate({x:g} {y:g})">{squares}{frame}{"".join(named)}</g>'


def stripes(there: NDArray[np.bool_], shade: int) -> str:
    """Return one path over the squares that are there, neighbours in a row as one stripe of height 1."""
    edges = np.diff(np.pad(there, ((0, 0), (1, 1))).astype(int), axis=1)
    starts, ends = np.argwhere(edges == 1), np.argwhere(edges == -1)
    path = "".join(f"M{a} {row}.5h{b - a}" for (row, a), (_, b) in zip(starts, ends, strict=True))
    return f'<path d="{path}" stroke-opacity="{shade / STEPS:g}"/>' if path else ""


def reach(names: Sequence[str]) -> float:
    """Return the room that the longest name takes."""
    return max(map(width, names)) * LETTER + 6 if names else 0


def turned(names: Sequence[str]) -> bool:
    """Return whether names are too long to stand upright above a column."""
    return max(map(width, names), default=0) > 2


def above(x: float, name: str, upwards: bool) -> str:
    """Return a column's name, read from bottom to top where it is long."""
    if not upwards:
        return words(x, -4, name, "middle")
    return f'<g transform="translate({x + 4:g} -4) rotate(-90)">{words(0, 0, name)}</g>'
