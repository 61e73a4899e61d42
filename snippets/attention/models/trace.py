"""Keep what a forward pass computes on its way, by name and layer."""

import numpy as np

from ..checks import Array

Trace = dict[str, list[Array]]


class Outline(Trace):
    """A trace of shapes: its arrays are zeros that take no memory, except those asked for by name and layer.

    >>> outline = Outline({("weights", 1)})
    >>> note(outline, weights=np.ones((2, 3)))
    >>> note(outline, weights=np.ones((2, 3)))
    >>> [array.sum() for array in outline["weights"]], outline["weights"][0].shape
    ([np.float64(0.0), np.float64(6.0)], (2, 3))
    """

    def __init__(self, kept: set[tuple[str, int]]) -> None:
        super().__init__()
        self.kept = kept

    def outlined(self, name: str, array: Array) -> Array:
        """Return the array if it is one of those to keep, or zeros of its shape."""
        asked = (name, len(self.get(name, ()))) in self.kept
        return array if asked else np.broadcast_to(array.dtype.type(0), array.shape)


def begin(trace: Trace | None) -> None:
    """Refuse a dict that another forward pass has filled: its layers would be counted on.

    >>> begin({"weights": []})
    Traceback (most recent call last):
        ...
    ValueError: trace holds weights already: give every forward pass an empty dict
    """
    if trace:
        raise ValueError(f"trace holds {', '.join(trace)} already: give every forward pass an empty dict")


def note(trace: Trace | None, **steps: Array) -> None:
    """Append each array to the list of its name; entry i of a list belongs to layer i.

    >>> import numpy as np
    >>> trace: Trace = {}
    >>> for layer in range(2):
    ...     note(trace, weights=np.full(1, layer))
    >>> trace["weights"][1]
    array([1])
    """
    if trace is not None:
        for name, array in steps.items():
            kept = trace.outlined(name, array) if isinstance(trace, Outline) else array
            trace.setdefault(name, []).append(kept)
