"""What one reader has open in the worker: the models, by name."""

import json
from collections.abc import Buffer

import numpy as np

from attention.checks import Array

from .microscope import Encoder, Problem
from .next_word import SmolWriter, ToyWriter, Writer


class Session:
    """Everything comes in as bytes or JSON, and goes out as JSON and arrays."""

    def __init__(self) -> None:
        self.open: dict[str, Encoder | Writer] = {"e5": Encoder(), "toy": ToyWriter(), "smollm2": SmolWriter()}

    def take(self, model: str, name: str, data: Buffer) -> None:
        """Take one part of a model."""
        self.open[model].take(name, bytes(data))

    def needed(self, model: str, asked: str) -> str:
        """The parts that this question needs first, and what for; none where the question has a problem."""
        try:
            return json.dumps(self.open[model].needed(json.loads(asked)))
        except Problem:
            return "{}"

    def answer(self, model: str, asked: str) -> tuple[str, dict[str, Array]]:
        """The answer as JSON, and float32 arrays by name; or the problem there is."""
        try:
            told, arrays = self.open[model].answer(json.loads(asked))
        except Problem as problem:
            told, arrays = {"problem": problem.news}, {}
        return json.dumps(told, ensure_ascii=False), {k: np.ascontiguousarray(v, np.float32) for k, v in arrays.items()}
