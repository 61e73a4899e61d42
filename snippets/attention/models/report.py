"""What the command line prints: plain lines of text, without colour."""

import unicodedata
from collections.abc import Iterator
from typing import Any

from ..checks import Array
from .generate import top_tokens
from .trace import Trace
from .words import MASK

WIDEST = 9  # what a column of a head's table shows of a token


def wide(text: str) -> int:
    """Return how many columns of a terminal a text takes; a Chinese character takes two.

    >>> wide("much"), wide("苹果")
    (4, 4)
    """
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def pad(text: str, width: int) -> str:
    """Return a text set to the right of a column, cut where it is too wide.

    >>> pad("'apple'", 9), pad("'unbelievable'", 9)
    ("  'apple'", "'unbelie.")
    """
    while wide(text) > width:
        text = text.removesuffix(".")[:-1] + "."
    return " " * (width - wide(text)) + text


def tokens(labels: list[str], ids: list[int]) -> Iterator[str]:
    r"""Say which tokens a text is cut into.

    >>> print(*tokens(["'Thank'", "' you'"], [10449, 345]), sep="\n")
    tokens: place, id, text
         0   10449  'Thank'
         1     345  ' you'
    """
    yield "tokens: place, id, text"
    for at, (text, token) in enumerate(zip(labels, ids, strict=True)):
        yield f"{at:6} {token:7}  {text}"


def steps(trace: Trace, n_layers: int) -> Iterator[str]:
    r"""Say which arrays were computed, in order, with their shapes.

    >>> import numpy as np
    >>> print(*steps({"embeddings": [np.ones((2, 8))], "q": [np.ones((4, 2, 2))] * 3}, n_layers=3), sep="\n")
    steps, with shapes
      embeddings  2 x 8
      q           4 x 2 x 2      in each of 3 layers
    """
    yield "steps, with shapes"
    for name, arrays in trace.items():
        shape = " x ".join(map(str, arrays[0].shape))
        often = f"in each of {n_layers} layers" if name not in ("embeddings", "logits") else ""
        yield f"  {name:10}  {shape:13}  {often}".rstrip()


def following(logits: Array, tokenizer: Any, n: int, after: str) -> Iterator[str]:
    """Say what comes next, or what stands where a word is masked, with probabilities."""
    yield f"{'masked' if after == repr(MASK) else 'next'} token: probability, id, text"
    for token, p in top_tokens(logits, n):
        yield f"  {p:6.1%} {token:7}  {tokenizer.show(token)}"


def head(weights: Array, labels: list[str], name: str) -> Iterator[str]:
    r"""Say what one head looks at: a row for each token that looks, a column for each it looks at, in percent.

    >>> import numpy as np
    >>> print(*head(np.array([[1, 0], [0.25, 0.75]]), ["'a'", "'b'"], "0.1"), sep="\n")
    head 0.1: how each row's token spreads its attention, in percent
                    'a'       'b'
          'a'     100.0       0.0
          'b'      25.0      75.0
    """
    yield f"head {name}: how each row's token spreads its attention, in percent"
    yield " " * WIDEST + "".join(" " + pad(text, WIDEST) for text in labels)
    for text, row in zip(labels, weights, strict=True):
        yield pad(text, WIDEST) + "".join(f" {100 * weight:{WIDEST}.1f}" for weight in row)
