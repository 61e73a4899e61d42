"""The next word: a beginning is read, the likeliest tokens that follow it come with their shares, one goes on.

Works in the reader's browser with the toy or SmolLM2, and in CPython for the tests.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from attention.cache import KVCache
from attention.checks import Array
from attention.models import Toy
from attention.models.generate import top_tokens
from attention.models.trace import Trace
from attention.models.words import START
from attention.probabilities import softmax

from .decoder_parts import JoinedDecoder
from .microscope import Problem

MOST_SHOWN = 10
MOST_TOKENS = 64


class Writer:
    """A causal model that has read some tokens: their keys and values are kept, so that only new ones are read."""

    def __init__(self) -> None:
        self.model: Any = None
        self.tokenizer: Any = None
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self.ids: list[int] = []
        self.caches: list[KVCache] = []
        self.weights: list[Array] = []  # of each step, [n_layers, n_heads, n_q, n_k]
        self.logits: Array = np.empty(0)
        self.shapes: dict[str, tuple[int, ...]] = {}

    def take(self, name: str, data: bytes) -> None:
        """Take one part of the model."""
        raise NotImplementedError

    def needed(self, asked: dict[str, Any]) -> dict[str, list[tuple[int, str]]]:
        """No part comes later."""
        return {}

    def beginning(self, text: str) -> list[int]:
        """The ids of what the reader has typed."""
        ids: list[int] = self.tokenizer.encode(text)
        return ids

    def read(self, ids: list[int]) -> int:
        """Read tokens after those that are kept already; return how many had to be read."""
        if ids[: len(self.ids)] != self.ids or not self.ids:
            self.forget()
            self.caches = [KVCache() for _ in range(self.model.n_layers)]
        new = ids[len(self.ids) :]
        if new:
            trace: Trace = {}
            self.logits = self.model(new, caches=self.caches, trace=trace)[-1]
            self.weights.append(np.stack(trace["weights"]))
            self.shapes = {name: arrays[0].shape for name, arrays in trace.items()}
            self.ids = list(ids)
        return len(new)

    def answer(self, asked: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Array]]:
        """Read a text and the tokens chosen after it, and say what follows.

        `asked` holds `text`, `more` (ids), `temperature`, `top_k` (0: all), and `draw`: whether one is drawn.
        """
        ids = [*self.beginning(asked["text"]), *asked["more"]]
        if len(ids) > MOST_TOKENS:
            raise Problem("too_long", tokens=len(ids), most=MOST_TOKENS)
        new = self.read(ids)
        shares = chances(self.logits, asked["temperature"], asked["top_k"])
        plain = softmax(self.logits.astype(np.float64))
        likely = top_tokens(self.logits, MOST_SHOWN)
        kept = self.caches[0]
        told: dict[str, Any] = {
            "tokens": [self.show(i) for i in ids],
            "ids": ids,
            "given": len(ids) - len(asked["more"]),
            "likely": [
                {"id": i, "text": self.show(i), "share": float(shares[i]), "plain": float(plain[i])} for i, _ in likely
            ],
            "rest": float(1 - sum(shares[i] for i, _ in likely)),
            "read": new,
            "kept": len(kept),
            "shapes": {name: list(shape) for name, shape in self.shapes.items()},
            "sizes": {"n_layers": self.model.n_layers, "n_heads": self.model.n_heads, "n_vocab": len(shares)},
            "written": self.tokenizer.decode(ids),
        }
        if asked.get("draw"):
            told["drawn"] = int(np.random.default_rng().choice(len(shares), p=shares))
        return told, {"weights": square(self.weights, len(ids))}

    def show(self, token: int) -> str:
        """A token as the page writes it, with its spaces."""
        return str(self.tokenizer.decode([token]))


def chances(logits: Array, temperature: float, top_k: int) -> Array:
    """The share of every token: of the `top_k` likeliest (0: of all), logits divided by the temperature first.

    >>> chances(np.log([0.5, 0.3, 0.2]), temperature=1, top_k=2).round(3).tolist()
    [0.625, 0.375, 0.0]
    """
    scores = logits.astype(np.float64) / temperature
    if 0 < top_k < len(scores):
        least = np.partition(scores, -top_k)[-top_k]
        scores = np.where(scores >= least, scores, -np.inf)
    return softmax(scores)


def square(steps: list[Array], n: int) -> Array:
    """The weights of all steps as one matrix a head, [n_layers, n_heads, n, n]; nobody looks ahead."""
    whole = np.zeros((*steps[0].shape[:2], n, n), np.float32)
    row = 0
    for step in steps:
        whole[:, :, row : row + step.shape[2], : step.shape[3]] = step
        row += step.shape[2]
    return whole


class ToyWriter(Writer):
    """Our toy, which knows few words and works at once."""

    def take(self, name: str, data: bytes) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.write_bytes(data)
            self.model = Toy.load(path)
        self.tokenizer = self.model.tokenizer

    def beginning(self, text: str) -> list[int]:
        """The ids of known words; an unknown one is named, with those there are."""
        words = [match[0].lower() for match in self.tokenizer.pattern.finditer(text)]
        known = self.tokenizer.ids.keys() - {START}
        if not words:
            raise Problem("empty")
        if unknown := [word for word in words if word not in known]:
            alike = [word for word in self.tokenizer.words if word in known and word.isascii() == text.isascii()]
            raise Problem("unknown_word", word=unknown[0], known=" ".join(alike))
        return super().beginning(text)

    def show(self, token: int) -> str:
        return str(self.tokenizer.word(token))


class SmolWriter(Writer):
    """SmolLM2, a real model that reads and writes English."""

    def __init__(self) -> None:
        super().__init__()
        self.first: dict[str, bytes] = {}
        self.joined: JoinedDecoder | None = None

    def take(self, name: str, data: bytes) -> None:
        if self.joined:
            self.joined.take(name, data)
            return
        self.first[name] = data
        if self.first.keys() == {"sizes", "vocabulary"}:
            self.joined = JoinedDecoder(**self.first)
            self.first.clear()
            self.model, self.tokenizer = self.joined.model, self.joined.tokenizer

    def beginning(self, text: str) -> list[int]:
        if not text.strip():
            raise Problem("empty")
        return super().beginning(text)
