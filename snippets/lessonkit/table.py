"""Show a matrix as a table of numbers: HTML on pages and in notebooks, aligned text in a terminal."""

import math
from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from .labels import LABELS, Label, Shown, check_role, heading, text, width
from .sources import source_of

CORNER = {"zh": "查询 ↓ 键 →", "en": "query ↓ key →"}


class Table(Shown):
    """A matrix with a caption, row names and column names.

    Parameters
    ----------
    values
        Numbers (rows, columns), or booleans, shown as ✓ and ·; a vector is one row.
    role
        What the numbers are: query, key, value, scores, weights, output or mask. It gives the caption and the colour.
    rows, cols
        Names of the rows and columns, usually tokens.
    caption
        Replaces the caption that the role gives.
    corner
        Replaces what scores and weights have above the row names: that queries run down and keys across.
    digits
        Decimal places.
    percent
        Show shares as percentages; so are weights, unless it is False.
    of
        What the numbers were computed from, for a reader who asks a number why: scores of (q, k), weights of scores,
        an output of (weights, v). Raises ValueError where that does not give the values.

    Examples
    --------
    >>> Table([[0.982, 0.018]], "weights", rows=["苹"], cols=["苹", "果"])
    weights
            苹     果
    苹  98.2 %  1.8 %
    >>> Table(np.tri(2, dtype=bool), "mask", rows=["苹", "果"], cols=["苹", "果"])
    mask: ✓ may attend, · may not
        苹  果
    苹   ✓   ·
    果   ✓   ✓
    """

    def __init__(
        self,
        values: ArrayLike,
        role: str = "",
        rows: Sequence[Label] = (),
        cols: Sequence[Label] = (),
        *,
        caption: Label = "",
        corner: Label | None = None,
        digits: int | None = None,
        percent: bool | None = None,
        of: Sequence[ArrayLike] | ArrayLike | None = None,
    ) -> None:
        self.values = np.atleast_2d(np.asarray(values, dtype=float))
        if self.values.ndim != 2:
            raise ValueError(f"values have shape {self.values.shape}; a table shows a matrix (rows, columns)")
        for name, labels, count in (("rows", rows, self.values.shape[0]), ("cols", cols, self.values.shape[1])):
            if labels and len(labels) != count:
                raise ValueError(
                    f"{name} names {len(labels)}, but values have shape {self.values.shape}: one name each"
                )
        self.role, self.rows, self.cols = check_role(role), rows, cols
        self.percent = role == "weights" if percent is None else percent
        self.corner = corner if corner is not None else CORNER if role in ("scores", "weights", "mask") else ""
        self.caption = caption or LABELS.get(role, "")
        self.digits = (1 if self.percent else 2) if digits is None else digits
        self.truth = np.asarray(values).dtype == bool
        self.source = "" if of is None else source_of(role, self.values, of)

    def plain(self, language: str) -> str:
        """Return the table as aligned text."""
        head = [["", *(text(label, language) for label in self.cols)]] if self.cols else []
        names = [text(label, language) for label in self.rows] or [""] * len(self.values)
        lines = head + [[name, *map(self.number, row)] for name, row in zip(names, self.values, strict=True)]
        widths = [max(map(width, column)) for column in zip(*lines, strict=True)]
        body = (
            "  ".join(" " * (w - width(cell)) + cell for cell, w in zip(line, widths, strict=True)) for line in lines
        )
        return "\n".join(filter(None, [text(self.caption, language), *(line.rstrip() for line in body)]))

    def number(self, value: float) -> str:
        """Return one number as it is shown."""
        if self.truth:
            return "✓" if value else "·"
        if math.isnan(value):
            return "NaN"
        if math.isinf(value):
            return "∞" if value > 0 else "−∞"
        shown = f"{100 * value:z.{self.digits}f} %" if self.percent else f"{value:z.{self.digits}f}"
        return shown.replace("-", "−")

    def cell(self, value: float, peak: float) -> str:
        """Return one cell; where a role gives a colour, the larger the number the deeper the shade."""
        depth = f' style="--v:{45 * abs(value) / peak:.0f}%"' if self.role and math.isfinite(value) else ""
        return f"<td{depth}>{self.number(value)}</td>"

    def html(self, language: str) -> str:
        """Return the table as HTML with its labels in one language; the numbers carry the meaning, the shade helps."""
        caption = text(self.caption, language)
        head = ""
        if self.cols:
            first = f'<td class="corner">{escape(text(self.corner, language))}</td>' if self.rows else ""
            head = f"<thead><tr>{first}{''.join(heading(label, 'col', language) for label in self.cols)}</tr></thead>"
        peak = np.abs(self.values[np.isfinite(self.values)]).max(initial=0.0) or 1.0
        body = []
        for index, row in enumerate(self.values):
            name = heading(self.rows[index], "row", language) if self.rows else ""
            body.append(f"<tr>{name}{''.join(self.cell(value, peak) for value in row)}</tr>")
        title = f"<caption>{escape(caption)}</caption>" if caption else ""
        of = f' data-of="{escape(self.source)}"' if self.source else ""
        table = f'<table class="matrix {self.role}"{of}>{title}{head}<tbody>{"".join(body)}</tbody></table>'
        return f'<div class="scroll" role="group" tabindex="0" aria-label="{escape(caption)}">{table}</div>'
