"""Keep what a forward pass computes on its way, by name and layer."""

from ..checks import Array

Trace = dict[str, list[Array]]


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
            trace.setdefault(name, []).append(array)
