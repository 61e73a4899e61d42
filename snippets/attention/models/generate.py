"""From logits to text: the likeliest next tokens, and greedy writing with a KV cache."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from ..cache import KVCache
from ..checks import Array, as_float, check_count
from ..masks import padding_mask
from ..probabilities import softmax


def top_tokens(logits: ArrayLike, n: int = 5) -> list[tuple[int, float]]:
    """Return the n likeliest tokens, id and probability, likeliest first.

    [n_vocab]

    >>> [(token, round(p, 2)) for token, p in top_tokens([0.0, 2.0, 1.0], n=2)]
    [(1, 0.67), (2, 0.24)]
    """
    row, _ = as_float("logits", logits)
    if row.ndim != 1:
        raise ValueError(f"logits has shape {row.shape}; it must be one row, (n_vocab,)")
    p = softmax(row.astype(np.float64))
    order = np.argsort(-p, kind="stable")[: check_count("n", n)]
    return [(int(token), float(p[token])) for token in order]


@overload
def greedy(model: Callable[..., Array], ids: Sequence[int], n_new: int) -> list[int]: ...
@overload
def greedy(model: Callable[..., Array], ids: Sequence[Sequence[int]], n_new: int) -> list[list[int]]: ...
def greedy(
    model: Callable[..., Array], ids: Sequence[int] | Sequence[Sequence[int]], n_new: int
) -> list[int] | list[list[int]]:
    """Return the ids the model writes after a prompt when it always takes the likeliest token.

    `model` is a causal one of this package; only the newest token goes through it, the others are in the cache. Of
    several prompts, which may differ in length, each gets its own list, the one it would get alone.

    >>> from attention.models import Toy
    >>> toy = Toy.load()
    >>> you, apple = toy.tokenizer.encode("Thank you"), toy.tokenizer.encode("I ate an apple")
    >>> [toy.tokenizer.decode(written) for written in greedy(toy, [you, apple], 2)]
    ['very much', 'yesterday,']
    """
    n_new = check_count("n_new", n_new)
    if not len(ids) or np.ndim(ids[0]) == 0:
        return [int(token) for token in islice(_written(model, np.asarray(ids), None), n_new)]
    written = np.stack([*islice(_written(model, *pad_prompts(ids)), n_new)], axis=-1)  # type: ignore[arg-type]
    rows: list[list[int]] = written.tolist()
    return rows


def stream(model: Callable[..., Array], ids: Sequence[int], stop: Sequence[int] = ()) -> Iterator[int]:
    """Yield the ids that `greedy` would return, each as soon as it is known, up to the first one of `stop`.

    It ends with an error where the model has no position left: take as many as you need.

    >>> from attention.models import Toy
    >>> toy = Toy.load()
    >>> written = stream(toy, toy.tokenizer.encode("Thank you"), stop=[toy.tokenizer.id_of(".")])
    >>> toy.tokenizer.word(next(written)), toy.tokenizer.decode([*written])
    ('very', 'much for the help')
    """
    if np.ndim(ids) != 1:
        raise ValueError(f"ids has shape {np.shape(ids)}; it must be one prompt, (n,)")
    yield from takewhile(lambda token: token not in stop, map(int, _written(model, np.asarray(ids), None)))


def pad_prompts(prompts: Sequence[Sequence[int]]) -> tuple[Array, Array]:
    """Make prompts equally long by zeros before them, and say which tokens are real.

    -> [n_prompts, n], [n_prompts, n]

    >>> ids, real = pad_prompts([[5, 6, 7], [8]])
    >>> ids.tolist(), real.astype(int).tolist()
    ([[5, 6, 7], [0, 0, 8]], [[1, 1, 1], [0, 0, 1]])
    """
    lengths = [len(prompt) for prompt in prompts]
    if 0 in lengths or not lengths:
        raise ValueError("the prompt is empty: there must be at least one token")
    real = padding_mask(lengths, max(lengths), side="left")[..., 0, :]
    ids = np.zeros(real.shape, np.result_type(*(np.asarray(prompt) for prompt in prompts)))
    for row, prompt in zip(ids, prompts, strict=True):
        row[-len(prompt) :] = prompt
    return ids, real


def _written(model: Callable[..., Array], ids: Array, real: Array | None) -> Iterator[Array]:
    """Yield the likeliest next token of every prompt, (...), and let the model read it, without end."""
    caches = [KVCache() for _ in range(model.n_layers)]  # type: ignore[attr-defined]
    options = {} if real is None else {"real": real}
    while True:
        ids = model(ids, caches=caches, **options)[..., -1:, :].argmax(axis=-1)
        yield ids[..., 0]
        if options:
            options["real"] = np.concatenate([options["real"], np.ones_like(ids, bool)], axis=-1)
