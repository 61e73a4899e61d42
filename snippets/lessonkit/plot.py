"""Draw lines as SVG: no library, no script, readable in light and dark, and told apart by marker as well as colour."""

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .axis import Axis
from .labels import Label, check_role, colour, text, words
from .picture import Picture

WIDTH, HEIGHT = 560, 330
LEFT, RIGHT, TOP, BOTTOM, ROW, CLEAR = 64, 538, 40, 280, 18, 8
MOST_MARKS = 24  # on one line; more would hide it
MARKERS = (
    '<circle cx="{x}" cy="{y}" r="4"/>',
    '<rect x="{x}" y="{y}" width="7" height="7" transform="translate(-3.5 -3.5)"/>',
    '<path d="M{x} {y}m0-5l5 9h-10z"/>',
    '<path d="M{x} {y}m0-5l5 5l-5 5l-5-5z"/>',
)


class Line(NamedTuple):
    """One line of a plot: its name, its points, and the role that gives its colour."""

    name: Label
    xs: ArrayLike
    ys: ArrayLike
    role: str = ""


class Plot(Picture):
    """Lines over two axes, either of which may be logarithmic (base 10); `zero_y=False` leaves out a far-off 0.

    `alt` tells the finding, with its numbers, to those who cannot see the picture; `caption` stands below it.

    Examples
    --------
    >>> Plot([Line("n²", [1, 10], [1, 100])], x="n", y="cost", caption="Cost", alt="Grows as n²: 1 at 1, 100 at 10.")
    Cost: Grows as n²: 1 at 1, 100 at 10.
    """

    def __init__(
        self,
        lines: Sequence[Line],
        *,
        x: Label,
        y: Label,
        caption: Label,
        alt: Label,
        log_x: bool = False,
        log_y: bool = False,
        zero_y: bool = True,
    ) -> None:
        if not 1 <= len(lines) <= len(MARKERS):
            raise ValueError(
                f"a plot takes 1 to {len(MARKERS)} lines, each with a marker of its own; given {len(lines)}"
            )
        self.lines = [line._replace(xs=np.asarray(line.xs, float), ys=np.asarray(line.ys, float)) for line in lines]
        for line in self.lines:
            check_role(line.role)
            if np.shape(line.xs) != np.shape(line.ys) or np.ndim(line.xs) != 1:
                given = f"xs of shape {np.shape(line.xs)} and ys of shape {np.shape(line.ys)}"
                raise ValueError(f"line {text(line.name, 'en')!r} has {given}; each point needs one of each")
        super().__init__(caption, alt)
        self.x, self.y = x, y
        self.x_axis = Axis(np.concatenate([line.xs for line in self.lines]), LEFT, RIGHT, log_x)
        self.y_axis = Axis(np.concatenate([line.ys for line in self.lines]), BOTTOM, TOP, log_y, zero_y)

    def svg(self, language: str) -> str:
        """Return the drawing with its texts in one language."""
        parts = [self.grid(), *(self.draw(line, MARKERS[i]) for i, line in enumerate(self.lines))]
        parts += [self.key(i, line, language) for i, line in enumerate(self.lines)]
        parts.append(words(RIGHT, HEIGHT - 8, text(self.x, language), "end"))
        above = CLEAR + ROW * ((len(self.lines) - 1) // 2)  # room for the legend, clear of the topmost points
        parts.append(words(8, TOP - 24 - above, text(self.y, language)))
        label = escape(text(self.alt, language))
        size = f'viewBox="0 {-above} {WIDTH} {HEIGHT + above}" width="{WIDTH}" height="{HEIGHT + above}"'
        return f'<svg class="plot" role="img" aria-label="{label}" {size}>{"".join(parts)}</svg>'

    def grid(self) -> str:
        """Return the axes: a line and a number at every tick."""
        rule = 'stroke="currentColor" stroke-opacity=".18"'
        across = "".join(
            f'<path d="M{at} {TOP}V{BOTTOM}" {rule}/>{words(at, BOTTOM + ROW, name, "middle")}'
            for at, name in self.x_axis.ticks()
        )
        up = "".join(
            f'<path d="M{LEFT} {at}H{RIGHT}" {rule}/>{words(LEFT - 8, at + 4, name, "end")}'
            for at, name in self.y_axis.ticks()
        )
        return across + up

    def draw(self, line: Line, marker: str) -> str:
        """Return one line and the marker of each of its points."""
        path, joins, points = "", False, []
        for x, y in zip(self.x_axis.places(line.xs), self.y_axis.places(line.ys), strict=True):
            drawn = math.isfinite(x) and math.isfinite(y)
            if drawn:  # NaN, inf or log(0) leave a gap
                path += f"{'L' if joins else 'M'}{x} {y}"
                points.append((x, y))
            joins = drawn
        every = math.ceil(len(points) / MOST_MARKS) or 1
        marks = "".join(marker.format(x=x, y=y) for x, y in points[::every])
        tint = colour(line.role)
        return f'<path d="{path}" fill="none" stroke="{tint}" stroke-width="2"/><g fill="{tint}">{marks}</g>'

    def key(self, index: int, line: Line, language: str) -> str:
        """Return the line's entry in the legend."""
        row = (len(self.lines) - 1) // 2 - index // 2  # counted from the lowest
        x, y = LEFT + 12 + index % 2 * 240, TOP - 4 - CLEAR - ROW * row
        mark = MARKERS[index].format(x=x, y=y - 4)
        return f'<g fill="{colour(line.role)}">{mark}</g>{words(x + 12, y, text(line.name, language))}'
