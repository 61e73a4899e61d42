"""Show several things as one: side by side on pages where there is room, below each other in a terminal."""

from collections.abc import Iterable

from .labels import Shown


class Together(Shown):
    """Several tables or pictures, as the last line of one cell.

    Examples
    --------
    >>> from lessonkit import Table
    >>> Together([Table([[1, 2]], caption="first"), Table([[3]], caption="second")])
    first
      1.00  2.00
    <BLANKLINE>
    second
      3.00
    """

    def __init__(self, parts: Iterable[Shown]) -> None:
        self.parts = list(parts)
        for part in self.parts:
            if not isinstance(part, Shown):
                raise TypeError(f"parts holds {part!r}; it may hold what lessonkit makes")

    def plain(self, language: str) -> str:
        """Return the parts as text, one below the other."""
        return "\n\n".join(part.plain(language) for part in self.parts)

    def html(self, language: str) -> str:
        """Return the parts as HTML, in one box."""
        return f'<div class="together">{"".join(part.html(language) for part in self.parts)}</div>'
