"""Hand numbers to a figure that answers the reader's hand on the site; elsewhere they are shown as a table."""

from collections.abc import Mapping

import numpy as np

from .labels import Shown


class Figure(Shown):
    """The first state of one of the site's figures.

    Parameters
    ----------
    name
        The figure's name, such as "drag-query".
    data
        What the figure starts from: numbers, arrays, labels; or, by language, what it starts from in each.
    numbers
        What was computed from it, by name (and by language, where data are). The site is not built if the figure
        computes anything else.
    instead
        What notebooks and terminals show.

    Examples
    --------
    >>> from lessonkit import Table
    >>> Figure("pull-bars", {"scores": [0, 1]}, {"weights": [0.27, 0.73]}, Table([[0.27, 0.73]], "weights"))
    weights
      27.0 %  73.0 %
    """

    def __init__(self, name: str, data: Mapping[str, object], numbers: Mapping[str, object], instead: Shown) -> None:
        if not numbers:
            raise ValueError(f"figure {name!r} has no numbers to be held to; give at least one that was computed")
        self.name, self.data, self.numbers, self.instead = name, data, numbers, instead

    def plain(self, language: str) -> str:
        """Return what is shown instead, as text."""
        return self.instead.plain(language)

    def html(self, language: str) -> str:
        """Return what is shown instead, as HTML."""
        return self.instead.html(language)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        """Return what is shown instead, and the figure for this site."""
        figure = {"name": self.name, "data": without_arrays(self.data), "numbers": without_arrays(self.numbers)}
        return self.instead._repr_mimebundle_(include, exclude) | {"application/vnd.attention.figure+json": figure}


def without_arrays(value: object) -> object:
    """Return the value with arrays as lists, whatever they are inside."""
    if isinstance(value, Mapping):
        return {str(name): without_arrays(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [without_arrays(inner) for inner in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
