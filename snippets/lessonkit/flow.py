"""Draw how arrays flow from step to step: boxes with names and shapes, joined by arrows, in SVG."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from .labels import Label, check_role, colour, text, words
from .picture import Picture

BREADTH, STEP, BOX_HEIGHT, GAP = 480, 82, 48, 12


class Box(NamedTuple):
    """One array: its name, its shape, and the role that gives its colour."""

    name: Label
    shape: str = ""
    role: str = ""


class Flow(Picture):
    """Rows of boxes from top to bottom; `arrows` join box numbers, counted row by row from 0.

    `alt` tells the same in words; `caption` stands below.

    Examples
    --------
    >>> Flow([[Box("x", "2×4")], [Box("q", "2×3", "query")]], [(0, 1)], caption="Project", alt="x becomes q.")
    Project: x becomes q.
    """

    def __init__(
        self, rows: Sequence[Sequence[Box]], arrows: Sequence[tuple[int, int]], *, caption: Label, alt: Label
    ) -> None:
        super().__init__(caption, alt)
        self.rows, self.arrows = rows, arrows
        if not rows or not all(rows):
            raise ValueError(f"a flow needs rows of at least 1 box; given rows of {[len(row) for row in rows]}")
        for box in (box for row in rows for box in row):
            check_role(box.role)
        self.count = sum(map(len, rows))
        for pair in arrows:
            if not all(0 <= end < self.count for end in pair):
                raise ValueError(f"an arrow joins {pair}; there are {self.count} boxes, counted from 0")

    def svg(self, language: str) -> str:
        """Return the drawing with its texts in one language."""
        height = STEP * len(self.rows) - (STEP - BOX_HEIGHT) + 2
        places = [(x, y) for y, row in enumerate(self.rows) for x in centres(len(row))]
        boxes = [box for row in self.rows for box in row]
        wide = {len(row): BREADTH / len(row) - GAP for row in self.rows}
        widths = [wide[len(row)] for row in self.rows for _ in row]
        drawn = "".join(draw(b, *p, w, language) for b, p, w in zip(boxes, places, widths, strict=True))
        lines = "".join(arrow(*places[start], *places[end]) for start, end in self.arrows)
        size = f'viewBox="0 0 {BREADTH} {height}" width="{BREADTH}" height="{height}"'
        label = escape(text(self.alt, language))
        return f'<svg class="flow" role="img" aria-label="{label}" {size}>{lines}{drawn}</svg>'


def centres(count: int) -> list[float]:
    """Return the middles of `count` boxes side by side."""
    return [BREADTH / count * (index + 0.5) for index in range(count)]


def draw(box: Box, x: float, row: int, across: float, language: str) -> str:
    """Return one box with its name and shape."""
    tint, y = colour(box.role), row * STEP + 1
    across = min(across, 220)
    frame = f'<rect x="{x - across / 2:g}" y="{y}" width="{across:g}" height="{BOX_HEIGHT}" rx="5"'
    fill = f' fill="{tint}" fill-opacity="{0.14 if box.role else 0.05}" stroke="{tint}"/>'
    name = words(x, y + (20 if box.shape else 29), text(box.name, language), "middle")
    shape = words(x, y + 39, box.shape, "middle", "shape") if box.shape else ""
    return frame + fill + name + shape


def arrow(x1: float, row1: int, x2: float, row2: int) -> str:
    """Return an arrow from the foot of one box to the head of another."""
    y1, y2 = row1 * STEP + BOX_HEIGHT + 3, row2 * STEP - 2
    head = f"M{x2 - 4:g} {y2 - 6:g}L{x2:g} {y2:g}L{x2 + 4:g} {y2 - 6:g}"
    return f'<path d="M{x1:g} {y1:g}L{x2:g} {y2 - 1:g}{head}" fill="none" stroke="currentColor" stroke-opacity=".55"/>'
