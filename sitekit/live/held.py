"""Matrices of 4-bit weights held in a byte each: a layer becomes float32 when its turn comes, not before."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from attention.checks import Array
from attention.models.q4 import BLOCK_BYTES

Q4_1_BYTES = 20  # of a block: float16 step and least, then 16 bytes of two weights each


@dataclass(frozen=True)
class Bytes:
    """A matrix in a byte a weight: value = level · step + least, the last two for 32 weights at a time."""

    levels: Array  # uint8 [d_out, d_in / 32, 32]
    step: Array  # float16 [d_out, d_in / 32, 1]
    least: Array

    @classmethod
    def from_q4_0(cls, raw: Array, d_out: int) -> "Bytes":
        """Unpack blocks that hold a float16 step; a level of 8 is zero."""
        blocks = raw.reshape(d_out, -1, BLOCK_BYTES)
        step = np.ascontiguousarray(blocks[..., :2]).view("<f2")
        return cls(unpack_halves(blocks[..., 2:]), step, step * np.float16(-8))

    @classmethod
    def from_q4_1(cls, raw: Array, d_out: int) -> "Bytes":
        """Unpack blocks that hold a float16 step and the least weight."""
        blocks = raw.reshape(d_out, -1, Q4_1_BYTES)
        ends = np.ascontiguousarray(blocks[..., :4]).view("<f2")
        return cls(unpack_halves(blocks[..., 4:]), ends[..., :1].copy(), ends[..., 1:].copy())

    def spread(self) -> Array:
        """The matrix in float32, as a layer multiplies by it, (d_in, d_out)."""
        weights = self.levels * self.step.astype(np.float32)
        weights += self.least.astype(np.float32)
        return weights.reshape(len(weights), -1).T


def unpack_halves(halves: Array) -> Array:
    """Two weights a byte become one, the low halves of 16 bytes first: [..., 16] -> [..., 32]."""
    return np.concatenate([halves & 15, halves >> 4], axis=-1)


class Held(Mapping[str, Array]):
    """Weights by name; a matrix becomes float32 when it is asked for, and is held in bytes otherwise."""

    def __init__(self) -> None:
        self.held: dict[str, Bytes | Array] = {}

    def __getitem__(self, name: str) -> Array:
        held = self.held[name]
        return held.spread() if isinstance(held, Bytes) else held

    def __iter__(self) -> Iterator[str]:
        return iter(self.held)

    def __len__(self) -> int:
        return len(self.held)
