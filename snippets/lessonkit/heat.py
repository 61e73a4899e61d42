"""Draw a matrix too large for a table of numbers as a heat map in SVG."""

from html import escape

import numpy as np
from numpy.typing import ArrayLike

from .labels import Label, check_role, colour, text
from .picture import Picture

SHADES = 10


class Heat(Picture):
    """A matrix of non-negative numbers as squares: the larger the number, the stronger the square.

    `alt` tells what is to be seen, with its numbers; `caption` stands below. `side` is the size of a square.

    Examples
    --------
    >>> Heat(np.eye(3), "weights", caption="Each to itself", alt="All weight lies on the diagonal.")
    Each to itself: All weight lies on the diagonal.
    """

    def __init__(self, values: ArrayLike, role: str, *, caption: Label, alt: Label, side: int = 8) -> None:
        self.values = np.atleast_2d(np.asarray(values, dtype=float))
        if self.values.ndim != 2 or not self.values.size:
            raise ValueError(f"values have shape {self.values.shape}; a heat map shows a matrix (rows, columns)")
        if not ((self.values >= 0) & np.isfinite(self.values)).all():
            raise ValueError("a heat map shows finite numbers that are not negative; given some that are not")
        super().__init__(caption, alt)
        self.role, self.side = check_role(role), side

    def svg(self, language: str) -> str:
        """Return the drawing with its texts in one language."""
        height, width = (self.side * count for count in self.values.shape)
        size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        frame = f'<path d="M0 0h{width}v{height}h-{width}z" fill="none" stroke="currentColor" stroke-opacity=".3"/>'
        label = escape(text(self.alt, language))
        return f'<svg class="heat" role="img" aria-label="{label}" {size}>{self.squares()}{frame}</svg>'

    def squares(self) -> str:
        """Return one path for each shade, so that a large matrix stays a small file."""
        peak = self.values.max() or 1.0
        shades = np.rint(SHADES * self.values / peak).astype(int)
        paths = []
        for shade in range(1, SHADES + 1):
            rows, cols = np.nonzero(shades == shade)
            squares = "".join(
                f"M{self.side * col} {self.side * row}h{self.side}v{self.side}h-{self.side}z"
                for row, col in zip(rows, cols, strict=True)
            )
            paths.append(f'<path d="{squares}" fill-opacity="{shade / SHADES:g}"/>' if squares else "")
        return f'<g fill="{colour(self.role)}">{"".join(paths)}</g>'
